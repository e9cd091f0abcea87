package wire

import "strconv"

// An Encoder appends replies to Buf, in the protocol of Proto. An aggregate
// (Array, Map, …) appends its header only; the elements are the replies appended
// after it.
//
// Nothing is allocated but Buf as it grows. The zero Encoder is ready, in RESP2.
type Encoder struct {
	Buf   []byte
	Proto int // 3 for RESP3; anything less is RESP2
}

// Kind is the byte that an aggregate's header begins with in RESP3.
type Kind byte

// The kinds of aggregate. RESP2 has arrays alone: a set and a push are written as
// one, a map as one of keys and values by turns, an attribute not at all.
const (
	KindArray     Kind = '*'
	KindMap       Kind = '%'
	KindSet       Kind = '~'
	KindPush      Kind = '>'
	KindAttribute Kind = '|'
)

// Len returns the number of bytes in Buf.
func (e *Encoder) Len() int { return len(e.Buf) }

// Truncate drops what was appended since Len was n.
func (e *Encoder) Truncate(n int) { e.Buf = e.Buf[:n] }

// Simple appends a status such as "OK". Line breaks become spaces.
func (e *Encoder) Simple(s string) { e.line('+', s) }

// Error appends an error; s begins with its code, "ERR …". Line breaks become
// spaces, as in Redis: an error may quote what a client sent.
func (e *Encoder) Error(s string) { e.line('-', s) }

func (e *Encoder) line(kind byte, s string) {
	e.Buf = append(e.Buf, kind)
	at := len(e.Buf)
	e.Buf = append(e.Buf, s...)
	for i, c := range e.Buf[at:] {
		if c == '\r' || c == '\n' {
			e.Buf[at+i] = ' '
		}
	}
	e.Buf = append(e.Buf, crlf...)
}

// Int appends an integer.
func (e *Encoder) Int(n int64) { e.Buf = appendHeader(e.Buf, ':', n) }

// Bulk appends a string of any bytes.
func (e *Encoder) Bulk(b []byte) {
	e.Buf = appendHeader(e.Buf, '$', int64(len(b)))
	e.Buf = append(e.Buf, b...)
	e.Buf = append(e.Buf, crlf...)
}

// BulkString appends a string of any bytes.
func (e *Encoder) BulkString(s string) {
	e.Buf = appendHeader(e.Buf, '$', int64(len(s)))
	e.Buf = append(e.Buf, s...)
	e.Buf = append(e.Buf, crlf...)
}

// BulkInt appends an integer's decimal digits as a string.
func (e *Encoder) BulkInt(n int64) {
	var digits [20]byte
	e.Bulk(strconv.AppendInt(digits[:0], n, 10))
}

// Null appends "no value": in RESP2 a null string.
func (e *Encoder) Null() {
	if e.Proto >= 3 {
		e.Buf = append(e.Buf, "_\r\n"...)
	} else {
		e.Buf = append(e.Buf, "$-1\r\n"...)
	}
}

// NullArray appends "no value" in the place of an array, which RESP2 tells from
// that in the place of a string.
func (e *Encoder) NullArray() {
	if e.Proto >= 3 {
		e.Buf = append(e.Buf, "_\r\n"...)
	} else {
		e.Buf = append(e.Buf, "*-1\r\n"...)
	}
}

// Bool appends a truth value: in RESP2 the integer 1 or 0.
func (e *Encoder) Bool(b bool) {
	s := ":0\r\n"
	switch {
	case e.Proto >= 3 && b:
		s = "#t\r\n"
	case e.Proto >= 3:
		s = "#f\r\n"
	case b:
		s = ":1\r\n"
	}
	e.Buf = append(e.Buf, s...)
}

// Double appends a number as AppendScore writes it: in RESP2 as a string.
func (e *Encoder) Double(f float64) {
	if e.Proto >= 3 {
		e.Buf = append(e.Buf, ',')
		e.Buf = AppendScore(e.Buf, f)
		e.Buf = append(e.Buf, crlf...)
		return
	}
	var text [maxScore]byte
	e.Bulk(AppendScore(text[:0], f))
}

// Decimal appends a number given as its digits: in RESP2 as a string.
func (e *Encoder) Decimal(digits []byte) {
	if e.Proto < 3 {
		e.Bulk(digits)
		return
	}
	e.Buf = append(e.Buf, ',')
	e.Buf = append(e.Buf, digits...)
	e.Buf = append(e.Buf, crlf...)
}

// BigNumber appends an integer of any size, given as its decimal digits: in RESP2
// as a string.
func (e *Encoder) BigNumber(digits string) {
	if e.Proto < 3 {
		e.BulkString(digits)
		return
	}
	e.Buf = append(e.Buf, '(')
	e.Buf = append(e.Buf, digits...)
	e.Buf = append(e.Buf, crlf...)
}

// Verbatim appends a text that is meant to be shown as it is. The format is three
// letters, "txt" or "mkd"; one that is shorter is padded with spaces, one that is
// longer is cut. RESP2 has a string, and no format.
func (e *Encoder) Verbatim(format, text string) {
	if e.Proto < 3 {
		e.BulkString(text)
		return
	}
	const width = 3
	e.Buf = appendHeader(e.Buf, '=', int64(width+len(":")+len(text)))
	for i := range width {
		c := byte(' ')
		if i < len(format) {
			c = format[i]
		}
		e.Buf = append(e.Buf, c)
	}
	e.Buf = append(e.Buf, ':')
	e.Buf = append(e.Buf, text...)
	e.Buf = append(e.Buf, crlf...)
}

// Array appends the header of n elements.
func (e *Encoder) Array(n int) { e.aggregate(KindArray, n) }

// Map appends the header of n pairs, 2n elements.
func (e *Encoder) Map(n int) { e.aggregate(KindMap, n) }

// Set appends the header of n elements that differ.
func (e *Encoder) Set(n int) { e.aggregate(KindSet, n) }

// Push appends the header of a message of n elements that answers no request.
func (e *Encoder) Push(n int) { e.aggregate(KindPush, n) }

// Attribute appends the header of n pairs that say more about the reply after
// them. RESP2 cannot carry them: calling it in RESP2 is a programmer's mistake
// and panics.
func (e *Encoder) Attribute(n int) { e.aggregate(KindAttribute, n) }

func (e *Encoder) aggregate(kind Kind, n int) {
	kind, n = e.header(kind, n)
	e.Buf = appendHeader(e.Buf, byte(kind), int64(n))
}

// header returns what an aggregate's header says in the encoder's protocol.
func (e *Encoder) header(kind Kind, n int) (Kind, int) {
	switch {
	case e.Proto >= 3:
		return kind, n
	case kind == KindMap:
		return KindArray, 2 * n
	case kind == KindAttribute:
		panic("wire: attribute in RESP2")
	default:
		return KindArray, n
	}
}

// reserved is how many bytes Defer keeps free: the header of 10 to 99 elements.
const reserved = len("*10\r\n")

// A Mark is the place of an aggregate's header that is not written yet.
type Mark int

// Defer leaves room for the header of an aggregate whose size is known only once
// its elements have been appended. Resolve must follow, or Truncate.
func (e *Encoder) Defer() Mark {
	m := Mark(len(e.Buf))
	e.Buf = append(e.Buf, make([]byte, reserved)...)
	return m
}

// Resolve writes the header at m: n elements, or n pairs of a map or attribute.
// If the header does not fit the room, what follows is moved by a byte or a few.
// Of several marks the last is resolved first.
func (e *Encoder) Resolve(m Mark, kind Kind, n int) {
	kind, n = e.header(kind, n)
	var text [24]byte
	header := appendHeader(text[:0], byte(kind), int64(n))
	at := int(m)
	switch body := at + reserved; {
	case len(header) < reserved:
		e.Buf = append(e.Buf[:at+len(header)], e.Buf[body:]...)
	case len(header) > reserved:
		end := len(e.Buf)
		e.Buf = append(e.Buf, header[reserved:]...)
		copy(e.Buf[at+len(header):], e.Buf[body:end])
	}
	copy(e.Buf[at:], header)
}

// appendHeader appends a kind, a number and CRLF.
func appendHeader(dst []byte, kind byte, n int64) []byte {
	if 0 <= n && n < 10 {
		return append(dst, kind, '0'+byte(n), '\r', '\n')
	}
	dst = append(dst, kind)
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, crlf...)
}
