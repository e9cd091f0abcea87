// Package config is the configuration of the server: every parameter that
// Redis 7.0 knows, with its type, default, bounds and spelling, and a few of
// our own; redis.conf and the command line that set them at start; what CONFIG
// GET, CONFIG SET and CONFIG REWRITE do with them.
//
// A parameter is a row in params.go. Its value is a plain field of [Config]
// when the server reads it, and kept only for CONFIG GET when it has no meaning
// here. What asks for something that is not there, such as "appendonly yes",
// is refused in plain words by the checks in check.go.
//
// The package does not know sockets, commands or the process: what a change
// means is up to who registers with [Config.OnChange], and what rename-command,
// user and loadmodule lines mean to who registers with [Config.OnDirective].
//
// # Caveats
//
//   - The fields may be read by one goroutine at a time with Set. The server
//     does both on its executor.
//   - A Config must not be copied: its rows point into it.
//   - Paths are relative to Dir, which Redis makes the working directory of the
//     process. This package never changes that: [Config.Path] resolves them.
//   - Values are bytes of any kind. Redis cuts some of them at a zero byte.
package config
