// Package bench is the laboratory: it reproduces the project's claims and shows
// what breaks when a guard is taken away.
//
// An experiment is a row of a table (Experiments): the question, what varies,
// what is measured, what is expected and why, the tables and charts that show
// what came out, and how to run it. It starts real processes (stores,
// queue-service instances, generators of load), drives them over their
// sockets, and writes what happened as JSON lines, after a header that says
// with what: commit, Go, processor, cores, flags, stores and their versions.
// Reports are made from those files, by package report. What an experiment
// starts is its own, on free ports, and is ended by it, also when it is
// interrupted.
//
// The strategies are those of package queue's registry. This package knows
// none by its name; what it expects of one is what it promises.
package bench
