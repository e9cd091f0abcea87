package script

import (
	"math"
	"math/bits"

	lua "github.com/yuin/gopher-lua"
)

// bitFunctions are the library bit (Lua BitOp): operations on 32 bits, whose
// results are signed.
var bitFunctions = map[string]lua.LGFunction{
	"tobit": func(L *lua.LState) int { return bitResult(L, bitArg(L, 1)) },
	"bnot":  func(L *lua.LState) int { return bitResult(L, ^bitArg(L, 1)) },
	"bswap": func(L *lua.LState) int { return bitResult(L, bits.ReverseBytes32(bitArg(L, 1))) },
	"band":  bitFold(func(a, b uint32) uint32 { return a & b }),
	"bor":   bitFold(func(a, b uint32) uint32 { return a | b }),
	"bxor":  bitFold(func(a, b uint32) uint32 { return a ^ b }),

	"lshift":  bitShift(func(b uint32, n int) uint32 { return b << n }),
	"rshift":  bitShift(func(b uint32, n int) uint32 { return b >> n }),
	"arshift": bitShift(func(b uint32, n int) uint32 { return uint32(int32(b) >> n) }),
	"rol":     bitShift(bits.RotateLeft32),
	"ror":     bitShift(func(b uint32, n int) uint32 { return bits.RotateLeft32(b, -n) }),
	"tohex":   bitToHex,
}

// bitArg takes the lower 32 bits of a number, rounded to the nearest integer
// by adding 2^52+2^51, which brings them into the lower bits of the double.
func bitArg(L *lua.LState, n int) uint32 {
	f, ok := number(L.Get(n))
	b := uint32(math.Float64bits(f + 6755399441055744.0))
	if b == 0 && !ok {
		typeError(L, n, "number")
	}
	if !ok {
		b = uint32(math.Float64bits(6755399441055744.0))
	}
	return b
}

func bitResult(L *lua.LState, b uint32) int {
	L.Push(lua.LNumber(int32(b)))
	return 1
}

func bitFold(op func(a, b uint32) uint32) lua.LGFunction {
	return func(L *lua.LState) int {
		b := bitArg(L, 1)
		for i := L.GetTop(); i > 1; i-- {
			b = op(b, bitArg(L, i))
		}
		return bitResult(L, b)
	}
}

func bitShift(op func(b uint32, n int) uint32) lua.LGFunction {
	return func(L *lua.LState) int {
		b := bitArg(L, 1)
		return bitResult(L, op(b, int(bitArg(L, 2)&31)))
	}
}

// bitToHex prints the last n digits, in capitals for a negative n.
func bitToHex(L *lua.LState) int {
	b, n := bitArg(L, 1), int32(8)
	if !none(L, 2) {
		n = int32(bitArg(L, 2))
	}
	digits := "0123456789abcdef"
	if n < 0 {
		n, digits = -n, "0123456789ABCDEF"
	}
	if n > 8 || n < 0 { // the smallest integer has no opposite
		n = 8
	}
	var hex [8]byte
	for i := n - 1; i >= 0; i-- {
		hex[i] = digits[b&15]
		b >>= 4
	}
	L.Push(lua.LString(hex[:n]))
	return 1
}
