package script

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// unpacker reads values off the front of data.
type unpacker struct {
	L     *lua.LState
	data  []byte
	depth int
}

const (
	missingBytes = "Missing bytes in input."
	badFormat    = "Bad data format in input."
	tooMany      = "stack overflow (too many return values at once; use unpack_one or unpack_limit instead.)"
)

func (u *unpacker) fail(message string) { raise(u.L, "%s", message) }

func (u *unpacker) take(n int) []byte {
	if n > len(u.data) {
		u.fail(missingBytes)
	}
	b := u.data[:n]
	u.data = u.data[n:]
	return b
}

// uint reads an integer of n bytes.
func (u *unpacker) uint(n int) (v uint64) {
	for _, c := range u.take(n) {
		v = v<<8 | uint64(c)
	}
	return v
}

func (u *unpacker) string(n int) lua.LValue { return lua.LString(u.take(n)) }

func (u *unpacker) value() lua.LValue {
	u.depth++
	defer func() { u.depth-- }()
	if u.depth > unpackDepth {
		u.fail(tooMany)
	}
	switch c := u.take(1)[0]; {
	case c <= 0x7f:
		return lua.LNumber(c)
	case c >= 0xe0:
		return lua.LNumber(int8(c))
	case c <= 0x8f:
		return u.pairs(int(c & 0xf))
	case c <= 0x9f:
		return u.array(int(c & 0xf))
	case c <= 0xbf:
		return u.string(int(c & 0x1f))
	default:
		return u.coded(c)
	}
}

func (u *unpacker) coded(c byte) lua.LValue {
	switch c {
	case 0xc0:
		return lua.LNil
	case 0xc2:
		return lua.LFalse
	case 0xc3:
		return lua.LTrue
	case 0xca:
		return lua.LNumber(math.Float32frombits(uint32(u.uint(4))))
	case 0xcb:
		return lua.LNumber(math.Float64frombits(u.uint(8)))
	case 0xcc:
		return lua.LNumber(u.uint(1))
	case 0xcd:
		return lua.LNumber(u.uint(2))
	case 0xce:
		return lua.LNumber(u.uint(4))
	case 0xcf:
		return lua.LNumber(int64(u.uint(8))) // Redis pushes it as a signed integer
	case 0xd0:
		return lua.LNumber(int8(u.uint(1)))
	case 0xd1:
		return lua.LNumber(int16(u.uint(2)))
	case 0xd2:
		return lua.LNumber(int32(u.uint(4)))
	case 0xd3:
		return lua.LNumber(int64(u.uint(8)))
	case 0xd9:
		return u.string(int(u.uint(1)))
	case 0xda:
		return u.string(int(u.uint(2)))
	case 0xdb:
		return u.string(int(u.uint(4)))
	case 0xdc:
		return u.array(int(u.uint(2)))
	case 0xdd:
		return u.array(int(u.uint(4)))
	case 0xde:
		return u.pairs(int(u.uint(2)))
	case 0xdf:
		return u.pairs(int(u.uint(4)))
	}
	u.fail(badFormat)
	return nil
}

func (u *unpacker) array(n int) lua.LValue {
	t := u.L.CreateTable(0, 0)
	for i := range n {
		if v := u.value(); v != lua.LNil {
			t.RawSetInt(i+1, v)
		}
	}
	return t
}

func (u *unpacker) pairs(n int) lua.LValue {
	t := u.L.CreateTable(0, 0)
	for range n {
		k := u.value()
		v := u.value()
		if f, ok := k.(lua.LNumber); k == lua.LNil || ok && math.IsNaN(float64(f)) {
			u.L.Error(lua.LString("table index is "+indexName(k)), 0)
		}
		t.RawSet(k, v)
	}
	return t
}

// unpack reads up to limit values from an offset on. Unless everything was
// asked for, the first result is where to go on, -1 at the end.
func unpack(L *lua.LState, limit, offset int64, all bool) int {
	data := []byte(checkString(L, 1))
	switch {
	case offset < 0 || limit < 0:
		raise(L, "Invalid request to unpack with offset of %d and limit of %d.", offset, len(data))
	case offset > int64(len(data)):
		raise(L, "Start offset %d greater than input length %d.", offset, len(data))
	}
	L.SetTop(1)
	u := unpacker{L: L, data: data[offset:]}
	var values []lua.LValue
	for n := int64(0); len(u.data) > 0 && (all || n < limit); n++ {
		if len(values) >= maxResults-2 {
			u.fail(tooMany)
		}
		values = append(values, u.value())
	}
	if !all {
		next := len(data) - len(u.data)
		if len(u.data) == 0 {
			next = -1
		}
		L.Push(lua.LNumber(next))
	}
	for _, v := range values {
		L.Push(v)
	}
	return L.GetTop() - 1
}

func unpackAll(L *lua.LState) int { return unpack(L, 0, 0, true) }

func unpackOne(L *lua.LState) int { return unpack(L, 1, optInteger(L, 2, 0), false) }

func unpackLimit(L *lua.LState) int {
	limit := checkInteger(L, 2)
	offset := optInteger(L, 3, 0)
	return unpack(L, limit, offset, limit == 0 && offset == 0)
}

// indexName is how errors call what is no key of a table.
func indexName(k lua.LValue) string {
	if k == lua.LNil {
		return "nil"
	}
	return "NaN"
}
