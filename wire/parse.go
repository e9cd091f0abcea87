package wire

import (
	"bytes"
	"slices"
)

const crlf = "\r\n"

// The stages of parsing below report false when they cannot go on, for want of
// bytes or because of an error in d.err. They change nothing in that case but
// what says where to resume.

// Next returns the next whole request, the command's name first; it has one
// argument at least. It returns nil and no error when more bytes are needed, and
// a [*ProtocolError], again and again, when the bytes are not a request.
//
// The arguments are views of the buffer and the list is reused: both are valid
// until the next call of Space or Release, the list also only until the next call
// of Next. An argument may be written to, and cannot be appended to in place.
//
// Requests without arguments (an empty line, an array of no or negative length)
// are passed over in silence, as Redis does.
func (d *Decoder) Next() ([][]byte, error) {
	for d.err == nil && d.pos < len(d.buf) {
		var whole bool
		switch {
		case d.left > 0:
			whole = d.bulks()
		case d.buf[d.pos] != '*':
			whole = d.inline()
		default:
			whole = d.count() && (d.left == 0 || d.bulks())
		}
		if !whole {
			break
		}
		d.start = d.pos
		if len(d.args) > 0 {
			return d.args, nil
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	return nil, nil
}

// fail ends the stream. It returns false, for "no request".
func (d *Decoder) fail(err *ProtocolError) bool {
	d.err = err
	return false
}

// count parses the header of an array, "*3\r\n". It reports whether it was there
// and sets left.
func (d *Decoder) count() bool {
	d.args = d.args[:0]
	n, ok := d.length(errCountTooLong, errCount)
	switch {
	case !ok:
		return false
	case n > int64(d.bounds().Args):
		return d.fail(errCount)
	case d.unauth && n > unauthArgs:
		return d.fail(errCountUnauth)
	}
	d.left = int(max(n, 0))
	// More is added as arguments arrive: an announcement alone costs nothing.
	d.args = slices.Grow(d.args, min(d.left, keepArgs))
	return true
}

// bulks parses the arguments of an array, and reports whether all were there.
func (d *Decoder) bulks() bool {
	for d.left > 0 {
		if !d.inBulk && !d.bulkHeader() {
			return false
		}
		end := d.pos + d.bulk
		if len(d.buf) < end+len(crlf) {
			return false
		}
		d.args = append(d.args, d.buf[d.pos:end:end])
		d.pos = end + len(crlf) // whatever these two bytes are: Redis does not look either
		d.inBulk = false
		d.left--
	}
	return true
}

// bulkHeader parses the header of an argument, "$5\r\n". It reports whether it
// was there and sets bulk.
func (d *Decoder) bulkHeader() bool {
	if d.pos == len(d.buf) {
		return false
	}
	if c := d.buf[d.pos]; c != '$' {
		if _, ok := d.headerLine(errBulkTooLong); ok {
			return d.fail(errNotBulk(c))
		}
		return false
	}
	n, ok := d.length(errBulkTooLong, errBulk)
	switch {
	case !ok:
		return false
	case n < 0 || n > d.bounds().Bulk:
		return d.fail(errBulk)
	case d.unauth && n > unauthBulk:
		return d.fail(errBulkUnauth)
	}
	d.bulk, d.inBulk = int(n), true
	return true
}

// length parses the header at pos, a sign, a number and CRLF, and steps over it.
// ok is false when the header is not all there or is not one.
func (d *Decoder) length(tooLong, invalid *ProtocolError) (n int64, ok bool) {
	// Nearly every length has one or two digits.
	if b := d.buf[d.pos:]; len(b) >= 5 {
		if b[2] == '\r' && isDigit(b[1]) {
			d.step(4)
			return int64(b[1] - '0'), true
		}
		if b[3] == '\r' && isDigit(b[1]) && isDigit(b[2]) && b[1] != '0' {
			d.step(5)
			return int64(b[1]-'0')*10 + int64(b[2]-'0'), true
		}
	}
	line, ok := d.headerLine(tooLong)
	if !ok {
		return 0, false
	}
	if n, ok = parseLength(line[1:]); !ok {
		return 0, d.fail(invalid)
	}
	d.step(len(line) + len(crlf))
	return n, true
}

// headerLine returns the header at pos without its CRLF. As in Redis the CR ends
// it, and the LF is whichever byte follows.
func (d *Decoder) headerLine(tooLong *ProtocolError) (line []byte, ok bool) {
	n, ok := d.lineEnd('\r', tooLong)
	if !ok || d.pos+n+1 == len(d.buf) {
		return nil, false
	}
	return d.buf[d.pos : d.pos+n], true
}

// lineEnd returns how far from pos the byte is that ends the line. It fails with
// tooLong once so many bytes are there without one. Where it stopped it goes on.
//
// Redis also takes a longer line if it comes with its end in one read; here what
// is too long does not depend on how the bytes were cut.
//
// As in Redis, whose search is strchr, a NUL hides the end of its line. Such a
// line is not answered until it is too long.
func (d *Decoder) lineEnd(end byte, tooLong *ProtocolError) (n int, ok bool) {
	line := d.buf[d.pos:]
	most := d.bounds().Inline
	if !d.blind {
		unseen := line[d.seen:min(len(line), most+1)]
		n := bytes.IndexByte(unseen, end)
		found := n >= 0
		if !found {
			n = len(unseen)
		}
		d.blind = bytes.IndexByte(unseen[:n], 0) >= 0
		d.seen += n
		if found && !d.blind {
			return d.seen, true
		}
	}
	if len(line) > most {
		d.fail(tooLong)
	}
	return 0, false
}

// step moves pos past n bytes of header or line.
func (d *Decoder) step(n int) {
	d.pos += n
	d.seen = 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
