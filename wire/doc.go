// Package wire is RESP, the Redis serialization protocol, as bytes: a [Decoder]
// that cuts what a client sends into requests, and an [Encoder] that appends
// replies in RESP2 or RESP3 to a buffer.
//
// It owns the shape of requests and replies, the limits a request must keep,
// the texts of protocol errors, and how a double is written. It does not know
// what a command means, where bytes come from or where they go: it never reads
// or writes a socket, starts no goroutine and takes no lock.
//
// # Requests
//
// A request is an array of bulk strings ("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n") or one
// line of words ("GET k\r\n", an inline request). Both come out of
// [Decoder.Next] as a flat list of arguments. A request has no nesting, so
// nothing recurses and no peer can make a decoder run deep.
//
// # Caveats
//
//   - What Next returns are views of the decoder's buffer. They die at the next
//     call of Space or Release; whoever keeps an argument copies it.
//   - Neither type may be used by two goroutines at once.
//   - Every rule is that of Redis 7.0.15, which changed some of them since older
//     releases (an array may have more than 1024*1024 arguments) and changes
//     others later (a double is "%.17g" here, the shortest form from 7.2 on).
package wire
