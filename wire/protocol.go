package wire

import "math"

// A ProtocolError is a request that breaks the protocol. Where the next request
// begins is unknown after it, so the connection is answered once and closed.
type ProtocolError struct {
	reason string
}

// Error returns the text as Redis words it, without the "ERR " that precedes it
// in the reply: "Protocol error: invalid bulk length".
func (e *ProtocolError) Error() string { return "Protocol error: " + e.reason }

// The protocol errors, of which only one depends on what was sent. A test sends
// each to a real Redis and compares the reply.
var (
	errInlineTooLong    = &ProtocolError{"too big inline request"}
	errUnbalancedQuotes = &ProtocolError{"unbalanced quotes in request"}
	errCountTooLong     = &ProtocolError{"too big mbulk count string"}
	errCount            = &ProtocolError{"invalid multibulk length"}
	errCountUnauth      = &ProtocolError{"unauthenticated multibulk length"}
	errBulkTooLong      = &ProtocolError{"too big bulk count string"}
	errBulk             = &ProtocolError{"invalid bulk length"}
	errBulkUnauth       = &ProtocolError{"unauthenticated bulk length"}
)

// errNotBulk is the error of an argument that starts with c instead of '$'. Line
// breaks become spaces, as in every error that Redis formats.
func errNotBulk(c byte) *ProtocolError {
	if c == '\r' || c == '\n' {
		c = ' '
	}
	return &ProtocolError{"expected '$', got '" + string([]byte{c}) + "'"}
}

// Limits bounds what one request may ask for. A field that is zero stands for
// its default.
type Limits struct {
	// Inline is how many bytes may precede the end of a line: of an inline
	// request, or of an array or bulk header. Default 64 KB (Redis 7.0's
	// PROTO_INLINE_MAX_SIZE).
	Inline int
	// Args is the largest number of arguments. Default 2^31-1: since Redis 7.0
	// an array is bounded by the query buffer, and no longer by 1024*1024.
	Args int
	// Bulk is the largest length of an argument in bytes. Default 512 MB (the
	// default of proto-max-bulk-len).
	Bulk int64
}

const (
	defaultInline = 64 << 10
	defaultArgs   = math.MaxInt32
	defaultBulk   = 512 << 20

	// What a client may send before it has authenticated: enough for AUTH and
	// HELLO, too little to fill memory with.
	unauthArgs = 10
	unauthBulk = 16 << 10

	// maxBulk keeps offsets into a buffer from overflowing an int.
	maxBulk = math.MaxInt / 4
)

// orDefaults returns the limits with every field set.
func (l Limits) orDefaults() Limits {
	if l.Inline <= 0 {
		l.Inline = defaultInline
	}
	if l.Args <= 0 {
		l.Args = defaultArgs
	}
	if l.Bulk <= 0 {
		l.Bulk = defaultBulk
	}
	l.Bulk = min(l.Bulk, maxBulk)
	return l
}

// parseLength reads a decimal integer in the one form that Redis takes: no plus
// sign, no leading zero, no "-0", within 64 bits.
func parseLength(s []byte) (n int64, ok bool) {
	if string(s) == "0" {
		return 0, true
	}
	digits, negative := s, false
	if len(s) > 0 && s[0] == '-' {
		digits, negative = s[1:], true
	}
	if len(digits) == 0 || digits[0] == '0' {
		return 0, false
	}
	var v uint64
	for _, c := range digits {
		if !isDigit(c) || v > (1<<63)/10 {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	switch {
	case negative && v <= 1<<63:
		return -int64(v), true
	case !negative && v <= math.MaxInt64:
		return int64(v), true
	}
	return 0, false
}
