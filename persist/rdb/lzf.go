package rdb

// LZF (Marc Lehmann) writes runs of bytes and references to bytes before them:
//
//	000nnnnn                     n+1 bytes follow
//	nnnooooo oooooooo            n+2 bytes are those o+1 bytes back; n is 1 to 6
//	111ooooo nnnnnnnn oooooooo   the same, for n+9 bytes
const (
	lzfMaxRun      = 1 << 5
	lzfMaxDistance = 1 << 13
	lzfMaxMatch    = 1<<8 + 1<<3
	lzfHashBits    = 16

	// lzfMaxRatio bounds what compressed bytes can expand to: three of them
	// stand for 264.
	lzfMaxRatio = lzfMaxMatch / 3
)

// lzf compresses. It remembers by a hash of three bytes where they stood last.
// Places are counted on from one string to the next, so that what is remembered
// of others is out of reach and the table need not be cleared.
type lzf struct {
	last [1 << lzfHashBits]uint32
	base uint32 // the place of the first byte of the string
}

// slot returns where the place is kept of the three bytes that b begins with.
func (z *lzf) slot(b []byte) *uint32 {
	three := uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
	return &z.last[three*2654435761>>(32-lzfHashBits)] // Knuth's multiplicative hash
}

// compress appends s compressed to dst. Ok is false when that takes more than
// limit bytes.
func (z *lzf) compress(dst, s []byte, limit int) (_ []byte, ok bool) {
	if z.base == 0 || uint64(z.base)+uint64(len(s))+lzfMaxDistance > 1<<32-1 {
		clear(z.last[:])
		z.base = 2 * lzfMaxDistance
	}
	dst, ok = z.encode(dst, s, len(dst)+limit)
	z.base += uint32(len(s)) + lzfMaxDistance
	return dst, ok
}

// encode is compress that gives up when dst has become longer than end.
func (z *lzf) encode(dst, s []byte, end int) (_ []byte, ok bool) {
	run := 0 // where the bytes begin that no reference covers
	for i := 0; i+2 < len(s); {
		length, back := z.match(s, i)
		if length == 0 {
			i++
			continue
		}
		dst = appendReference(appendRuns(dst, s[run:i]), length, back)
		if len(dst) > end {
			return dst, false
		}
		i += length
		run = i
		// The last two places inside a match are remembered, the rest is not
		// worth it.
		for j := i - 2; j < i && j+2 < len(s); j++ {
			*z.slot(s[j:]) = z.base + uint32(j)
		}
	}
	dst = appendRuns(dst, s[run:])
	return dst, len(dst) <= end
}

// match returns how many bytes at place i stood before, and how far back. It
// remembers the place.
func (z *lzf) match(s []byte, i int) (length, back int) {
	slot := z.slot(s[i:])
	distance := z.base + uint32(i) - *slot
	*slot = z.base + uint32(i)
	if distance > lzfMaxDistance || int(distance) > i {
		return 0, 0
	}
	back = int(distance)
	most := min(len(s)-i, lzfMaxMatch)
	for length < most && s[i+length] == s[i+length-back] {
		length++
	}
	if length < 3 {
		return 0, 0
	}
	return length, back
}

func appendRuns(dst, s []byte) []byte {
	for len(s) > 0 {
		n := min(len(s), lzfMaxRun)
		dst = append(append(dst, byte(n-1)), s[:n]...)
		s = s[n:]
	}
	return dst
}

func appendReference(dst []byte, length, back int) []byte {
	n, o := length-2, back-1
	if n < 7 {
		return append(dst, byte(n<<5|o>>8), byte(o))
	}
	return append(dst, byte(7<<5|o>>8), byte(n-7), byte(o))
}

// decompress returns the bytes, length of them, that b was compressed from.
func decompress(b []byte, length uint64) ([]byte, error) {
	if length > uint64(len(b))*lzfMaxRatio {
		return nil, errLZF
	}
	out := make([]byte, 0, length)
	for len(b) > 0 {
		head := int(b[0])
		if head < lzfMaxRun {
			n := head + 1
			if n >= len(b) || len(out)+n > int(length) {
				return nil, errLZF
			}
			out = append(out, b[1:1+n]...)
			b = b[1+n:]
			continue
		}
		n, rest := head>>5, b[1:]
		if n == 7 && len(rest) > 0 {
			n += int(rest[0])
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return nil, errLZF
		}
		back := (head&0x1f)<<8 + int(rest[0]) + 1
		if back > len(out) || len(out)+n+2 > int(length) {
			return nil, errLZF
		}
		out = repeat(out, back, n+2)
		b = rest[1:]
	}
	if uint64(len(out)) != length {
		return nil, errLZF
	}
	return out, nil
}

// repeat appends n of the bytes that begin so far back, which may be bytes that
// it appends.
func repeat(out []byte, back, n int) []byte {
	for n > 0 {
		from := len(out) - back
		k := min(n, back)
		out = append(out, out[from:from+k]...)
		n -= k
	}
	return out
}
