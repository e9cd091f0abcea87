package bitmap

import (
	"crypto/subtle"
	"encoding/binary"
)

// And keeps the ones of dst that src has too. What src is too short for becomes
// zero.
func And(dst, src []byte) {
	if len(src) < len(dst) {
		clear(dst[len(src):])
		dst = dst[:len(src)]
	}
	for ; len(dst) >= 8; dst, src = dst[8:], src[8:] {
		put(dst, word(dst)&word(src))
	}
	for i := range dst {
		dst[i] &= src[i]
	}
}

// Or adds the ones of src to dst, which must be as long or longer.
func Or(dst, src []byte) {
	for ; len(src) >= 8; dst, src = dst[8:], src[8:] {
		put(dst, word(dst)|word(src))
	}
	for i := range src {
		dst[i] |= src[i]
	}
}

// Xor turns the bits of dst that are ones in src, which must not be longer.
func Xor(dst, src []byte) { subtle.XORBytes(dst, dst, src) }

// Not turns every bit.
func Not(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		put(b, ^word(b))
	}
	for i := range b {
		b[i] = ^b[i]
	}
}

func word(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }

func put(b []byte, v uint64) { binary.NativeEndian.PutUint64(b, v) }
