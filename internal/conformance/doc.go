// Package conformance runs the test suite that Redis ships, which is written in
// Tcl, on a server of our own in the place of redis-server, and compares test
// by test with what the real server passes.
//
// Nothing of the suite is here: a [Tree] is an unpacked Redis source tree,
// which is copied and never changed. What the real server passes is recorded
// by running it ([Tree.Run] with its path) and kept as an [Expected].
//
// It needs tclsh, redis-cli and redis-benchmark.
package conformance
