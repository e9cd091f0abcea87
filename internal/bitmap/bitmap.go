package bitmap

import "math/bits"

// Get reports bit i.
func Get(b []byte, i int64) bool {
	return i>>3 < int64(len(b)) && b[i>>3]&mask(i) != 0
}

// Set changes bit i.
func Set(b []byte, i int64, on bool) {
	if on {
		b[i>>3] |= mask(i)
	} else {
		b[i>>3] &^= mask(i)
	}
}

func mask(i int64) byte { return 0x80 >> (i & 7) }

// Count returns how many bits in [from, to), which lies within b, are ones.
func Count(b []byte, from, to int64) int64 {
	if from >= to {
		return 0
	}
	first, last := from>>3, (to-1)>>3
	n := ones(b[first : last+1])
	// What the first and the last byte have outside the range was counted too.
	n -= bits.OnesCount8(b[first] &^ (0xff >> (from & 7)))
	n -= bits.OnesCount8(b[last] & (0x7f >> ((to - 1) & 7)))
	return int64(n)
}

func ones(b []byte) (n int) {
	for ; len(b) >= 32; b = b[32:] {
		n += bits.OnesCount64(word(b)) +
			bits.OnesCount64(word(b[8:])) +
			bits.OnesCount64(word(b[16:])) +
			bits.OnesCount64(word(b[24:]))
	}
	for _, x := range b {
		n += bits.OnesCount8(x)
	}
	return n
}

// Index returns the first bit in [from, to), which lies within b, that is on or
// off as asked, or -1.
func Index(b []byte, on bool, from, to int64) int64 {
	if from >= to {
		return -1
	}
	dull := byte(0xff) // a byte that has nothing of what is sought
	if on {
		dull = 0
	}
	at, end := from>>3, (to-1)>>3+1
	// found has a one where the byte has what is sought.
	found := (b[at] ^ dull) & (0xff >> (from & 7))
	if found == 0 {
		at++
		at += int64(skip(b[at:end], dull))
		if at == end {
			return -1
		}
		found = b[at] ^ dull
	}
	if i := at<<3 + int64(bits.LeadingZeros8(found)); i < to {
		return i
	}
	return -1
}

// skip returns how many bytes at the beginning of b are dull.
func skip(b []byte, dull byte) int {
	n, dulls := 0, uint64(dull)*0x0101010101010101
	for n+8 <= len(b) && word(b[n:]) == dulls {
		n += 8
	}
	for n < len(b) && b[n] == dull {
		n++
	}
	return n
}

// Field returns the unsigned integer of width bits, 1 to 64, that begins at bit
// at.
func Field(b []byte, at int64, width int) (v uint64) {
	for i, end := at>>3, (at+int64(width)-1)>>3; i <= end; i++ {
		part, n := byte(0), 8
		if i < int64(len(b)) {
			part = b[i]
		}
		if i == at>>3 {
			n -= int(at & 7)
			part &= 0xff >> (at & 7)
		}
		if extra := int((i+1)<<3 - at - int64(width)); extra > 0 {
			n -= extra
			part >>= extra
		}
		v = v<<n | uint64(part)
	}
	return v
}

// SetField writes the lowest width bits of v, 1 to 64, from bit at on.
func SetField(b []byte, at int64, width int, v uint64) {
	for end := at + int64(width); width > 0; {
		// From the right: the last byte takes what it holds of the field.
		i := (end - 1) >> 3
		right := int((i+1)<<3 - end) // bits of the byte behind the field
		n := min(8-right, width)
		m := byte(0xff>>(8-n)) << right
		b[i] = b[i]&^m | byte(v)<<right&m
		v >>= n
		end -= int64(n)
		width -= n
	}
}
