// Package server carries requests from connections to the engine of package
// commands and replies back: listeners, connections, the executor.
//
// # One executor
//
// One goroutine, the executor, runs every command, so every command is atomic
// and nothing below this package locks. Requests reach it by one of two front
// doors:
//
//   - epoll (Linux): the executor goroutine owns an epoll instance and reads,
//     executes and writes in place. Nothing is handed from one goroutine to
//     another; this is the fast one.
//   - goroutine: a goroutine per connection reads and a second one writes; each
//     batch of requests that has arrived is a turn in the executor's queue.
//     It runs everywhere Go does, and over anything that is a net.Conn.
//
// Neither lets a client that does not read hold up the executor: what cannot
// be written waits in that client's buffer, within client-output-buffer-limit.
//
// # Several workers
//
// With more than one worker commands stop being atomic, on purpose: see
// baton.go.
package server
