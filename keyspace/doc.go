// Package keyspace maps keys to values: sixteen (or so) numbered databases,
// expiry, and the order in which keys fall due.
//
// It owns which key holds which value and until when. It does not know what a
// command is, what a value does, or that there is a network. There is no
// mutex in it: whoever calls is the only one who runs. How that is arranged is
// the business of package server; what happens when it is not is the subject
// of [Keyspace.Gap].
//
// Caveats. Times are Unix milliseconds, and the present is [Keyspace.Now],
// which the caller sets before each command: everything inside one command
// happens at one instant, as in Redis. A *[Object] is good until the key is
// next written by somebody else.
package keyspace
