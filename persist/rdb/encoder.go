package rdb

import (
	"encoding/binary"
	"math"

	"myredis/internal/atom"
)

// Encoder writes values. The zero value is ready to use and does not compress.
type Encoder struct {
	// Compress makes long strings, and packed values, be written compressed
	// where that makes them shorter.
	Compress bool

	lzf        *lzf
	compressed []byte // scratch
	packed     []byte // scratch
}

// maxScratch bounds the room that is kept for the next value.
const maxScratch = 1 << 20

// keep returns b to be used again, if it is not too large to be kept.
func keep(b []byte) []byte {
	if cap(b) > maxScratch {
		return nil
	}
	return b[:0]
}

// AppendString appends a string: as an integer, compressed, or as it is.
func (e *Encoder) AppendString(dst, s []byte) []byte {
	const longestInt32 = 11 // digits and sign
	if len(s) <= longestInt32 {
		if n, ok := atom.Of(view(s)).Int(); ok {
			if dst, ok := appendInt(dst, n); ok {
				return dst
			}
		}
	}
	const worthwhile = 20 // LZF cannot make less shorter by enough
	if e.Compress && len(s) > worthwhile {
		if dst, ok := e.appendCompressed(dst, s); ok {
			return dst
		}
	}
	return append(appendLength(dst, uint64(len(s))), s...)
}

// appendAtom appends an element of a collection.
func (e *Encoder) appendAtom(dst []byte, a atom.Atom) []byte {
	if text, ok := a.Text(); ok {
		return e.AppendString(dst, bytesOf(text))
	}
	n, _ := a.Int()
	if dst, ok := appendInt(dst, n); ok {
		return dst
	}
	var room atom.Digits
	return e.AppendString(dst, bytesOf(a.View(&room)))
}

// appendInt appends a string that spells an integer of at most 32 bits.
func appendInt(dst []byte, n int64) (_ []byte, ok bool) {
	switch {
	case n == int64(int8(n)):
		return append(dst, encoded|encodedInt8, byte(n)), true
	case n == int64(int16(n)):
		return binary.LittleEndian.AppendUint16(append(dst, encoded|encodedInt16), uint16(n)), true
	case n == int64(int32(n)):
		return binary.LittleEndian.AppendUint32(append(dst, encoded|encodedInt32), uint32(n)), true
	}
	return dst, false
}

// appendCompressed appends a string compressed, if that is worth it.
func (e *Encoder) appendCompressed(dst, s []byte) (_ []byte, ok bool) {
	const gain = 4 // Redis asks for as much
	if e.lzf == nil {
		e.lzf = new(lzf)
	}
	if e.compressed, ok = e.lzf.compress(e.compressed[:0], s, len(s)-gain); !ok {
		e.compressed = keep(e.compressed)
		return dst, false
	}
	dst = append(dst, encoded|encodedLZF)
	dst = appendLength(dst, uint64(len(e.compressed)))
	dst = appendLength(dst, uint64(len(s)))
	dst = append(dst, e.compressed...)
	e.compressed = keep(e.compressed)
	return dst, true
}

// appendLength appends a length.
func appendLength(dst []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(dst, byte(n))
	case n < 1<<14:
		return append(dst, 1<<6|byte(n>>8), byte(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, 0x80), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, 0x81), n)
}

func appendDouble(dst []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
}
