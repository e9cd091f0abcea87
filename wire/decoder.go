package wire

import (
	"bytes"
	"slices"
	"sync"
)

// The decoder keeps one flat buffer:
//
//	buf: | consumed | the request being parsed ... | free |
//	     0        start          pos            len      cap
//
// A request is consumed as a whole, so until its last byte is there all of it
// stays between start and len and its arguments can be plain views. What has
// been parsed of it (pos, left, bulk, and seen within an unfinished line) is
// remembered, so a byte is looked at once however slowly the request arrives.
//
// Bytes move for two reasons, and each move is paid for: down, once at least as
// many bytes have been consumed as are to be moved; or into a buffer of twice
// the size. A byte is therefore copied a bounded number of times on average.
//
// Buffers of the two ordinary sizes come from pools and go back in Release, so
// that a connection with nothing to say holds no memory and one that is busy
// makes no garbage.

const (
	// readSize is the size of a first buffer, as Redis's PROTO_IOBUF_LEN.
	readSize = 16 << 10
	// keepSize is how large a buffer may be and not be worth shrinking, as
	// Redis's PROTO_RESIZE_THRESHOLD.
	keepSize = 32 << 10
	// keepArgs is how long the list of arguments may be and outlive Release.
	keepArgs = 32
)

var (
	readBuffers = sync.Pool{New: func() any { return new([readSize]byte) }}
	keepBuffers = sync.Pool{New: func() any { return new([keepSize]byte) }}
)

// A Decoder cuts the bytes of one connection into requests:
//
//	for {
//		n, err := conn.Read(d.Space(4096))
//		…
//		d.Advance(n)
//		for {
//			args, err := d.Next()
//			… // until args is nil
//		}
//		d.Release()
//	}
//
// The zero Decoder has the default limits and holds no memory.
type Decoder struct {
	buf   []byte
	start int  // of the request being parsed
	pos   int  // of what is parsed next
	seen  int  // bytes from pos on that hold no end of line
	blind bool // a NUL byte hides the end of this line for good, see lineEnd

	args   [][]byte
	left   int  // arguments yet to come; 0 between requests
	inBulk bool // the header of the next argument has been parsed,
	bulk   int  // which announced so many bytes

	limits Limits
	unauth bool
	err    *ProtocolError
}

// SetLimits bounds the requests that have not been parsed yet.
func (d *Decoder) SetLimits(l Limits) { d.limits = l.orDefaults() }

// bounds returns the limits with the defaults of a zero Decoder.
func (d *Decoder) bounds() *Limits {
	if d.limits.Args == 0 {
		d.limits = d.limits.orDefaults()
	}
	return &d.limits
}

// SetUnauthenticated says whether the client has yet to authenticate. While it
// has, an array has at most 10 arguments of at most 16 384 bytes, as in Redis.
// It may be changed between any two calls of Next.
func (d *Decoder) SetUnauthenticated(yes bool) { d.unauth = yes }

// Buffered returns how many bytes are held and not consumed: requests that Next
// has not returned, whole or in part. It is what client-query-buffer-limit
// bounds; unlike Redis, which copies arguments out one by one, the arguments
// already parsed of an unfinished request count.
func (d *Decoder) Buffered() int { return len(d.buf) - d.start }

// Unfinished returns what is held of a request that has not arrived whole: the
// bytes of the arguments that have, and those that have not been parsed. The
// headers between them are in neither.
func (d *Decoder) Unfinished() (args, unparsed int) {
	if d.left > 0 {
		for _, arg := range d.args {
			args += len(arg)
		}
	}
	return args, len(d.buf) - d.pos
}

// Cap returns the size of the buffer in bytes.
func (d *Decoder) Cap() int { return cap(d.buf) }

// Space returns the free end of the buffer, at least atLeast bytes, to read
// into. It ends the life of what Next returned.
//
// A buffer that is too small for the request doubles, and stops at the end of a
// large argument. Redis allocates the announced length at once; here a client pays
// with bytes for the memory it takes.
//
// Ask for little: what is returned is usually most of a 16 KB buffer, whereas a
// demand that a few left-over bytes make impossible costs a larger one.
func (d *Decoder) Space(atLeast int) []byte {
	atLeast = max(atLeast, 1)
	held := d.Buffered()
	switch {
	case cap(d.buf) == 0 || cap(d.buf)-held < atLeast:
		d.grow(atLeast)
	case d.start >= held: // always so when nothing is held
		d.shift(d.buf[d.start:])
	case cap(d.buf)-len(d.buf) < atLeast:
		d.grow(atLeast)
	}
	return d.buf[len(d.buf):cap(d.buf)]
}

// Advance tells that n bytes have been read into what Space returned.
func (d *Decoder) Advance(n int) {
	if n < 0 {
		panic("wire: negative Advance")
	}
	d.buf = d.buf[:len(d.buf)+n]
}

// Release gives up the memory that a connection does not need while it waits.
// Call it once Next has returned no request. It ends the life of what Next
// returned.
func (d *Decoder) Release() {
	held := d.Buffered()
	switch {
	case held == 0:
		recycle(d.buf)
		d.buf, d.start, d.pos = nil, 0, 0
	case cap(d.buf) > keepSize && cap(d.buf) > 4*held:
		d.moveTo(newBuffer(2 * held))
		d.args = slices.Clone(d.args)
	}
	// Views of a buffer that is gone, of this request or those before it, would
	// keep it alive.
	switch {
	case d.left > 0:
	case cap(d.args) > keepArgs:
		d.args = nil
	default:
		clear(d.args[:cap(d.args)])
	}
}

// newBuffer returns a buffer of n bytes or of the ordinary size above that.
func newBuffer(n int) []byte {
	switch {
	case n <= readSize:
		return readBuffers.Get().(*[readSize]byte)[:]
	case n <= keepSize:
		return keepBuffers.Get().(*[keepSize]byte)[:]
	}
	return make([]byte, n)
}

// recycle takes a buffer back. It must come from newBuffer.
func recycle(b []byte) {
	switch cap(b) {
	case readSize:
		readBuffers.Put((*[readSize]byte)(b[:readSize]))
	case keepSize:
		keepBuffers.Put((*[keepSize]byte)(b[:keepSize]))
	}
}

// grow moves the held bytes to a larger buffer with room for atLeast more. It
// doubles; but if an awaited argument ends a large step away, and not too large a
// one, the buffer is made to fit it, and the room comes on top so that the last
// bytes fit too. Fitting small steps would copy many arguments over and over.
func (d *Decoder) grow(atLeast int) {
	size := cap(d.buf)
	fit := d.pos - d.start + d.bulk + len(crlf)
	if d.inBulk && fit/8 <= size && fit*2/3 > size {
		size = fit + atLeast
	} else {
		size = max(2*size, d.Buffered()+atLeast)
	}
	d.moveTo(newBuffer(size))
}

// moveTo moves the held bytes to the start of a buffer from newBuffer.
func (d *Decoder) moveTo(b []byte) {
	old := d.buf
	d.buf = b
	d.shift(old[d.start:])
	recycle(old)
}

// shift puts the held bytes at the start of the buffer.
func (d *Decoder) shift(held []byte) {
	d.buf = d.buf[:copy(d.buf[:cap(d.buf)], held)]
	d.pos -= d.start
	d.start = 0
	if d.left > 0 {
		d.rebase()
	}
}

// rebase points the arguments parsed so far at the bytes they now are. A length
// has only one spelling, so where an argument starts follows from the lengths of
// those before it.
func (d *Decoder) rebase() {
	at := 0
	if len(d.args) > 0 {
		at = bytes.IndexByte(d.buf, '\r') + len(crlf)
	}
	for i, arg := range d.args {
		at += len("$") + digits(len(arg)) + len(crlf)
		d.args[i] = d.buf[at : at+len(arg) : at+len(arg)]
		at += len(arg) + len(crlf)
	}
}

// digits returns how many decimal digits n has; n is not negative.
func digits(n int) int {
	count := 1
	for n >= 10 {
		n /= 10
		count++
	}
	return count
}
