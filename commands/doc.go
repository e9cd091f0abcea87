// Package commands is what the server can do: the table of commands, one file
// per family, and the engine that runs one command after another on a
// keyspace.
//
// A command is a row ([Command]) and a function. Everything that can be
// decided from the row is decided in one place, dispatch.go: the name and
// arity, authentication, permissions, what may run inside a transaction or a subscription,
// statistics. COMMAND, COMMAND DOCS and docs/COMMANDS.md are derived from the
// rows too.
//
// A function goes parse -> look -> leap -> reply: every argument is parsed and
// every key looked up before anything changes, so that a command that fails
// has changed nothing, and a reply never holds a live value.
//
// The package does not know sockets or goroutines. Nothing in it locks:
// [Engine.Exec] must not run twice at once, except in the experiment that
// package server describes, where exactly one command runs between two
// look-ups.
package commands
