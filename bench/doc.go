// Package bench reproduces the project's claims and shows what breaks when a
// guard is taken away.
//
// An experiment starts real processes (stores, queue-service instances),
// drives them over their sockets, and writes what happened as JSON lines,
// after a header that says with what: commit, Go, processor, cores, flags,
// store and its version. Tables are made from those lines. What an experiment
// starts is its own, on free ports, and is ended by it, also when it is
// interrupted.
//
// The package knows strategies by their names only.
package bench
