// Package live watches a waiting room from outside, as its visitors see it:
// real instances, real sockets, and nothing believed that was not read.
//
// [Soak] keeps a crowd going for as long as one likes while instances are
// killed and stopped at random, and then replays what the instances logged and
// what visitors read against what the strategy promises. [Release] measures
// how long it takes from giving up a seat to the next visitor's event stream
// saying so.
//
// What counts as evidence. An instance that is killed takes what it has not
// yet logged with it, so a log says less than what happened, never more;
// visitors' own readings fill the gaps. Orders are judged by this process's
// clock alone: a reading holds at some instant between the sending of the
// request and the arrival of the answer, and one is before another only if its
// answer had arrived when the other was sent. The crowd inside is counted by
// the store's clock, which must be this machine's where a killed instance has
// left a gap.
package live
