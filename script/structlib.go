package script

import (
	"bytes"
	"encoding/binary"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// structFunctions are the library struct: C's structures in strings. A format
// is a sequence of options:
//
//	> <    big, little endian (at first that of the machine: little)
//	!n     alignment to at most n, a power of 2 (at first 1)
//	x      a byte of padding
//	b B h H l L T i<n> I<n>   signed and unsigned integers
//	f d    float, double
//	s      a string that ends with a zero byte
//	c<n>   n bytes; c0: all of them, when reading as many as the number before
var structFunctions = map[string]lua.LGFunction{"pack": structPack, "unpack": structUnpack, "size": structSize}

const (
	maxIntegerSize = 32 // MAXINTSIZE
	maxAlignment   = 8
)

// layout is a format being read.
type layout struct {
	L      *lua.LState
	format string
	at     int
	order  binary.ByteOrder
	align  int
}

func newLayout(L *lua.LState) *layout {
	return &layout{L: L, format: checkString(L, 1), order: binary.LittleEndian, align: 1}
}

// option reads an option and its size; 0 at the end of the format.
func (f *layout) option() (opt byte, size int) {
	if f.at >= len(f.format) || f.format[f.at] == 0 {
		return 0, 0
	}
	opt = f.format[f.at]
	f.at++
	switch opt {
	case 'B', 'b', 'x':
		size = 1
	case 'H', 'h':
		size = 2
	case 'L', 'l', 'T', 'd':
		size = 8
	case 'f':
		size = 4
	case 'c':
		size = f.number(1)
	case 'i', 'I':
		size = f.number(4)
		if size > maxIntegerSize {
			raise(f.L, "integral size %d is larger than limit of %d", size, maxIntegerSize)
		}
	}
	return opt, size
}

func (f *layout) number(otherwise int) int {
	if f.at >= len(f.format) || !isDigit(f.format[f.at]) {
		return otherwise
	}
	n := 0
	for f.at < len(f.format) && isDigit(f.format[f.at]) {
		d := int(f.format[f.at] - '0')
		if n > (math.MaxInt32-d)/10 {
			raise(f.L, "integral size overflow")
		}
		n = n*10 + d
		f.at++
	}
	return n
}

// padding returns how many bytes align an item at a position.
func (f *layout) padding(pos int, opt byte, size int) int {
	if size == 0 || opt == 'c' {
		return 0
	}
	size = min(size, f.align)
	return (size - pos&(size-1)) & (size - 1)
}

// control obeys an option that is no item.
func (f *layout) control(opt byte) {
	switch opt {
	case ' ':
	case '>':
		f.order = binary.BigEndian
	case '<':
		f.order = binary.LittleEndian
	case '!':
		a := f.number(maxAlignment)
		if a <= 0 || a&(a-1) != 0 {
			raise(f.L, "alignment %d is not a power of 2", a)
		}
		f.align = a
	default:
		argError(f.L, 1, "invalid format option '"+string([]byte{opt})+"'")
	}
}

func (f *layout) big() bool { return f.order == binary.ByteOrder(binary.BigEndian) }

// appendInteger appends the lower bytes of a number. One that is wider than 64
// bits is filled with zeros, whatever its sign.
func (f *layout) appendInteger(out []byte, n float64, size int) []byte {
	v := toUint64(n)
	at := len(out)
	for range size {
		out = append(out, byte(v))
		v >>= 8
	}
	if f.big() {
		reverse(out[at:])
	}
	return out
}

func reverse(b []byte) {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
}

func structPack(L *lua.LState) int {
	f := newLayout(L)
	L.Push(lua.LNil) // which errors about a missing argument show
	arg := 2
	var out []byte
	for opt, size := f.option(); opt != 0; opt, size = f.option() {
		out = append(out, make([]byte, f.padding(len(out), opt, size))...)
		switch opt {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			out = f.appendInteger(out, checkNumber(L, arg), size)
			arg++
		case 'x':
			out = append(out, 0)
		case 'f':
			out = f.append32(out, float32(checkNumber(L, arg)))
			arg++
		case 'd':
			out = f.append64(out, checkNumber(L, arg))
			arg++
		case 'c', 's':
			s := checkString(L, arg)
			arg++
			if size == 0 {
				size = len(s)
			}
			if len(s) < size {
				argError(L, arg, "string too short")
			}
			out = append(out, s[:size]...)
			if opt == 's' {
				out = append(out, 0)
			}
		default:
			f.control(opt)
		}
		if len(out) > maxString {
			raise(L, "string length overflow")
		}
	}
	L.Push(lua.LString(out))
	return 1
}

func (f *layout) append32(out []byte, v float32) []byte {
	var b [4]byte
	f.order.PutUint32(b[:], math.Float32bits(v))
	return append(out, b[:]...)
}

func (f *layout) append64(out []byte, v float64) []byte {
	var b [8]byte
	f.order.PutUint64(b[:], math.Float64bits(v))
	return append(out, b[:]...)
}

// integer reads a number of 64 bits or, of a longer one, its lower 64.
func (f *layout) integer(b []byte, signed bool) lua.LNumber {
	var v uint64
	for i := range b {
		c := b[i]
		if !f.big() {
			c = b[len(b)-1-i]
		}
		v = v<<8 | uint64(c)
	}
	if !signed {
		return lua.LNumber(v)
	}
	if len(b) > 0 && len(b) < 8 {
		shift := 64 - 8*len(b)
		return lua.LNumber(int64(v<<shift) >> shift)
	}
	return lua.LNumber(int64(v))
}

func structUnpack(L *lua.LState) int {
	f := newLayout(L)
	data := []byte(checkString(L, 2))
	pos := optInteger(L, 3, 1)
	if pos <= 0 {
		argError(L, 3, "offset must be 1 or greater")
	}
	at := int(min(pos-1, math.MaxInt32))
	n := 0
	push := func(v lua.LValue) {
		if n++; n > maxResults {
			raise(L, "stack overflow (too many results)")
		}
		L.Push(v)
	}
	for opt, size := f.option(); opt != 0; opt, size = f.option() {
		at += f.padding(at, opt, size)
		need := func(size int) {
			if size < 0 || size > len(data) || at > len(data)-size {
				argError(L, 2, "data string too short")
			}
		}
		need(size)
		switch opt {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			push(f.integer(data[at:at+size], opt >= 'a'))
		case 'x':
		case 'f':
			push(lua.LNumber(math.Float32frombits(f.order.Uint32(data[at:]))))
		case 'd':
			push(lua.LNumber(math.Float64frombits(f.order.Uint64(data[at:]))))
		case 'c':
			if size == 0 {
				count, ok := number(L.Get(-1))
				if n == 0 || !ok {
					raise(L, "format 'c0' needs a previous size")
				}
				L.Pop(1)
				n--
				size = int(min(toUint64(count), math.MaxInt32))
				need(size)
			}
			push(lua.LString(data[at : at+size]))
		case 's':
			end := bytes.IndexByte(data[at:], 0)
			if end < 0 {
				raise(L, "unfinished string in data")
			}
			push(lua.LString(data[at : at+end]))
			size = end + 1
		default:
			f.control(opt)
		}
		at += size
	}
	L.Push(lua.LNumber(at + 1))
	return n + 1
}

func structSize(L *lua.LState) int {
	f := newLayout(L)
	pos := 0
	for opt, size := f.option(); opt != 0; opt, size = f.option() {
		pos += f.padding(pos, opt, size)
		switch {
		case opt == 's':
			argError(L, 1, "option 's' has no fixed size")
		case opt == 'c' && size == 0:
			argError(L, 1, "option 'c0' has no fixed size")
		case !isLetter(opt) && !isDigit(opt):
			f.control(opt)
		}
		pos += size
	}
	L.Push(lua.LNumber(pos))
	return 1
}
