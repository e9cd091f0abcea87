package commands

import "fmt"

// Error is an error reply: its text goes to the client as it is, code first.
type Error string

func (e Error) Error() string { return string(e) }

// Error texts are Redis 7.0's.
const (
	errSyntax        Error = "ERR syntax error"
	errWrongType     Error = "WRONGTYPE Operation against a key holding the wrong kind of value"
	errNotInteger    Error = "ERR value is not an integer or out of range"
	errNotFloat      Error = "ERR value is not a valid float"
	errNoSuchKey     Error = "ERR no such key"
	errNoAuth        Error = "NOAUTH Authentication required."
	errWrongPass     Error = "WRONGPASS invalid username-password pair or user is disabled."
	errOutOfRange    Error = "ERR index out of range"
	errOverflow      Error = "ERR increment or decrement would overflow"
	errDBIndex       Error = "ERR DB index is out of range"
	errInvalidDB     Error = "ERR invalid DB index"
	errExecAbort     Error = "EXECABORT Transaction discarded because of previous errors."
	errNoMulti       Error = "ERR Command not allowed inside a transaction"
	errStringTooLong Error = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	errInvalidCursor Error = "ERR invalid cursor"
)

func errorf(format string, args ...any) error {
	return Error(fmt.Sprintf(format, args...))
}

// errInternal answers a command whose function panicked. Redis has no such
// reply: it would have ended.
const errInternal Error = "ERR internal error; the command was not completed"
