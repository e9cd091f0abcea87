package script

import (
	"encoding/binary"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// The library cmsgpack (lua-cmsgpack 0.4.0): MessagePack.

const (
	// packDepth is how deep tables are packed; deeper ones become nil, so
	// that a table within itself has an end.
	packDepth = 16
	// unpackDepth is what Lua's stack has room for.
	unpackDepth = 3990
)

func (s *state) openMessagePack() {
	t := s.open("cmsgpack", map[string]lua.LGFunction{
		"pack": s.pack, "unpack": unpackAll, "unpack_one": unpackOne, "unpack_limit": unpackLimit,
	})
	for name, value := range map[string]string{
		"_NAME": "cmsgpack", "_VERSION": "lua-cmsgpack 0.4.0", "_COPYRIGHT": "Copyright (C) 2012, Salvatore Sanfilippo",
		"_DESCRIPTION": "MessagePack C implementation for Lua",
	} {
		t.RawSetString(name, lua.LString(value))
	}
}

type packer struct {
	s   *state
	L   *lua.LState
	out []byte
}

func (s *state) pack(L *lua.LState) int {
	n := L.GetTop()
	if n == 0 {
		argError(L, 0, "MessagePack pack needs input.")
	}
	p := packer{s: s, L: L}
	for i := 1; i <= n; i++ {
		p.value(L.Get(i), 0)
	}
	L.Push(lua.LString(p.out))
	return 1
}

func (p *packer) value(v lua.LValue, depth int) {
	if len(p.out) > maxString {
		raise(p.L, "string length overflow")
	}
	switch v := v.(type) {
	case lua.LString:
		p.string(string(v))
	case lua.LBool:
		if v {
			p.out = append(p.out, 0xc3)
		} else {
			p.out = append(p.out, 0xc2)
		}
	case lua.LNumber:
		if f := float64(v); float64(toInt64(f)) == f && !math.IsInf(f, 0) && f < 1<<63 {
			p.integer(toInt64(f))
		} else {
			p.double(f)
		}
	case *lua.LTable:
		if depth == packDepth {
			p.out = append(p.out, 0xc0)
			return
		}
		p.table(v, depth)
	default:
		p.out = append(p.out, 0xc0)
	}
}

// sized appends the header of something of n bytes or elements: the first of
// the codes whose width holds n, after one with n in its lower bits.
func (p *packer) sized(n int, fixed byte, fixedMax int, code8, code16, code32 byte) {
	switch {
	case n <= fixedMax:
		p.out = append(p.out, fixed|byte(n))
	case n <= math.MaxUint8 && code8 != 0:
		p.out = append(p.out, code8, byte(n))
	case n <= math.MaxUint16:
		p.out = binary.BigEndian.AppendUint16(append(p.out, code16), uint16(n))
	default:
		p.out = binary.BigEndian.AppendUint32(append(p.out, code32), uint32(n))
	}
}

func (p *packer) string(s string) {
	p.sized(len(s), 0xa0, 31, 0xd9, 0xda, 0xdb)
	p.out = append(p.out, s...)
}

func (p *packer) integer(n int64) {
	switch {
	case n >= -32 && n <= math.MaxInt8:
		p.out = append(p.out, byte(n))
	case n >= 0 && n <= math.MaxUint8:
		p.out = append(p.out, 0xcc, byte(n))
	case n >= 0 && n <= math.MaxUint16:
		p.out = binary.BigEndian.AppendUint16(append(p.out, 0xcd), uint16(n))
	case n >= 0 && n <= math.MaxUint32:
		p.out = binary.BigEndian.AppendUint32(append(p.out, 0xce), uint32(n))
	case n >= 0:
		p.out = binary.BigEndian.AppendUint64(append(p.out, 0xcf), uint64(n))
	case n >= math.MinInt8:
		p.out = append(p.out, 0xd0, byte(n))
	case n >= math.MinInt16:
		p.out = binary.BigEndian.AppendUint16(append(p.out, 0xd1), uint16(n))
	case n >= math.MinInt32:
		p.out = binary.BigEndian.AppendUint32(append(p.out, 0xd2), uint32(n))
	default:
		p.out = binary.BigEndian.AppendUint64(append(p.out, 0xd3), uint64(n))
	}
}

// double takes half the room where nothing is lost.
func (p *packer) double(f float64) {
	if short := float32(f); float64(short) == f {
		p.out = binary.BigEndian.AppendUint32(append(p.out, 0xca), math.Float32bits(short))
		return
	}
	p.out = binary.BigEndian.AppendUint64(append(p.out, 0xcb), math.Float64bits(f))
}

func (p *packer) table(t *lua.LTable, depth int) {
	n, isArray := p.shape(t)
	if isArray {
		p.sized(n, 0x90, 15, 0, 0xdc, 0xdd)
		t, _ = p.s.behind(t)
		for i := 1; i <= n; i++ {
			p.value(t.RawGet(lua.LNumber(i)), depth+1)
		}
		return
	}
	p.sized(n, 0x80, 15, 0, 0xde, 0xdf)
	p.s.pairs(t, func(k, v lua.LValue) bool {
		p.value(k, depth+1)
		p.value(v, depth+1)
		return true
	})
}

// shape counts a table's keys and says whether they are 1 … n.
func (p *packer) shape(t *lua.LTable) (n int, isArray bool) {
	highest := 0
	isArray = true
	p.s.pairs(t, func(k, _ lua.LValue) bool {
		n++
		f, ok := k.(lua.LNumber)
		if !ok || f <= 0 || float64(toInt(float64(f))) != float64(f) {
			isArray = false
		} else {
			highest = max(highest, toInt(float64(f)))
		}
		return true
	})
	return n, isArray && highest == n
}
