package rdb

import (
	"encoding/binary"
	"io"
	"math"

	"myredis/internal/atom"
)

// source is what is read: bytes in memory, or a stream and what has come of it
// and is not read yet. What it hands out are views of its buffer, which it
// never writes over: it reads behind what it has, or to a new buffer.
type source struct {
	rest   []byte
	stream io.Reader // nil: rest is all
	err    error     // why the stream gives no more
	sum    uint64    // of what was handed out before mark
	mark   []byte    // rest as it was then, in the same buffer
}

const chunk = 64 << 10

// need makes sure of n more bytes. A length that the stream does not live up to
// costs no more memory than twice of what it does give.
func (s *source) need(n uint64) error {
	for uint64(len(s.rest)) < n {
		if s.stream == nil || s.err != nil {
			return errShort
		}
		if len(s.rest) == cap(s.rest) {
			s.addSum()
			grown := make([]byte, len(s.rest), len(s.rest)+max(chunk, len(s.rest)))
			copy(grown, s.rest)
			s.rest, s.mark = grown, grown
		}
		var got int
		got, s.err = io.ReadAtLeast(s.stream, s.rest[len(s.rest):cap(s.rest)], 1)
		s.rest = s.rest[:len(s.rest)+got]
	}
	return nil
}

// addSum takes into the sum what was handed out since the last call.
func (s *source) addSum() {
	s.sum = Checksum(s.sum, s.mark[:cap(s.mark)-cap(s.rest)])
	s.mark = s.rest
}

// take hands out n bytes.
func (s *source) take(n uint64) ([]byte, error) {
	if err := s.need(n); err != nil {
		return nil, err
	}
	b := s.rest[:n:n]
	s.rest = s.rest[n:]
	return b, nil
}

func (s *source) byte() (byte, error) {
	b, err := s.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// length reads a length, or how a string is encoded that has none.
func (s *source) length() (n uint64, encoded bool, err error) {
	first, err := s.byte()
	if err != nil {
		return 0, false, err
	}
	low := uint64(first & 0x3f)
	switch first >> 6 {
	case 0:
		return low, false, nil
	case 1:
		second, err := s.byte()
		return low<<8 | uint64(second), false, err
	case 3:
		return low, true, nil
	}
	switch first {
	case 0x80:
		b, err := s.take(4)
		if err != nil {
			return 0, false, err
		}
		return uint64(binary.BigEndian.Uint32(b)), false, nil
	case 0x81:
		b, err := s.take(8)
		if err != nil {
			return 0, false, err
		}
		return binary.BigEndian.Uint64(b), false, nil
	}
	return 0, false, errLength
}

// count reads a length that must be one.
func (s *source) count() (uint64, error) {
	n, encoded, err := s.length()
	if err == nil && encoded {
		err = errLength
	}
	return n, err
}

// element reads a string. What is not an integer is a view.
func (s *source) element() (a atom.Atom, err error) {
	n, encoded, err := s.length()
	if err != nil {
		return a, err
	}
	if encoded && n < encodedLZF {
		i, err := s.int(1 << n)
		return atom.OfInt(i), err
	}
	b, err := s.text(n, encoded)
	return atom.Of(view(b)), err
}

// string reads a string. It may be a view.
func (s *source) string() ([]byte, error) {
	a, err := s.element()
	if text, ok := a.Text(); ok {
		return bytesOf(text), err
	}
	return a.Append(nil), err
}

// text reads the bytes of a string that is not an integer.
func (s *source) text(n uint64, encoded bool) ([]byte, error) {
	if !encoded {
		return s.take(n)
	}
	if n != encodedLZF {
		return nil, errString
	}
	size, err := s.count()
	if err != nil {
		return nil, err
	}
	length, err := s.count()
	if err != nil {
		return nil, err
	}
	b, err := s.take(size)
	if err != nil {
		return nil, err
	}
	return decompress(b, length)
}

// int reads an integer of so many bytes.
func (s *source) int(width int) (int64, error) {
	b, err := s.take(uint64(width))
	if err != nil {
		return 0, err
	}
	return littleInt(b), nil
}

// littleInt is a signed integer of 1 to 8 bytes, little-endian.
func littleInt(b []byte) int64 {
	n := uint64(0)
	for i := len(b) - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	unused := 64 - 8*len(b)
	return int64(n) << unused >> unused
}

func (s *source) double() (float64, error) {
	b, err := s.take(8)
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), nil
}
