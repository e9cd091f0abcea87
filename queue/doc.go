// Package queue is a virtual waiting room: visitors wait in a line, and at
// most [Config.Slot] of them are inside at once, however many instances of the
// service admit them. The state is in a store that speaks Redis's commands.
//
// It owns the [Room] (join, status, leave, the admit loop), the strategies by
// which instances admit, and what each of them promises ([Strategies],
// [Promise]). It does not know HTTP, and it does not know which Redis it talks
// to: the store is a [Backend] with one method, so a crash between any two
// commands is a crash between two calls of [Backend.Do], and every fault is a
// decorator of a few lines.
//
// Three rules hold for every strategy. The order of the line is a sequence
// that the store issues, never a client's clock. The time is the store's TIME,
// never an instance's. And a command whose reply did not arrive may have taken
// effect: nothing is sent again on the mere suspicion that it did not.
//
// Caveats. Strategies differ in what they keep; read their promises before
// choosing one. All of them assume that the store itself loses no
// acknowledged write: after a failover to a replica that lags, any promise may
// break, unless [Redis.Durable] has the replicas waited for. A visitor's name is a bearer secret in this package: whoever knows
// it can release its seat.
package queue
