package script

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

func (s *state) openMath() {
	functions := map[string]lua.LGFunction{
		"random": s.mathRandom, "randomseed": s.mathRandomSeed,
		"frexp": mathFrexp, "ldexp": mathLdexp, "modf": mathModf, "max": mathMax, "min": mathMin,
	}
	for name, f := range map[string]func(float64) float64{
		"abs": math.Abs, "acos": math.Acos, "asin": math.Asin, "atan": math.Atan, "ceil": math.Ceil, "cos": math.Cos,
		"cosh": math.Cosh, "exp": math.Exp, "floor": math.Floor, "log": math.Log, "log10": math.Log10, "sin": math.Sin,
		"sinh": math.Sinh, "sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh,
		"deg": func(x float64) float64 { return x / (math.Pi / 180) },
		"rad": func(x float64) float64 { return x * (math.Pi / 180) },
	} {
		functions[name] = func(L *lua.LState) int {
			L.Push(lua.LNumber(f(checkNumber(L, 1))))
			return 1
		}
	}
	for name, f := range map[string]func(a, b float64) float64{
		"atan2": math.Atan2, "fmod": math.Mod, "mod": math.Mod, "pow": math.Pow,
	} {
		functions[name] = func(L *lua.LState) int {
			a := checkNumber(L, 1)
			L.Push(lua.LNumber(f(a, checkNumber(L, 2))))
			return 1
		}
	}
	t := s.open("math", functions)
	t.RawSetString("pi", lua.LNumber(math.Pi))
	t.RawSetString("huge", lua.LNumber(math.Inf(1)))
}

func mathFrexp(L *lua.LState) int {
	fraction, exponent := math.Frexp(checkNumber(L, 1))
	L.Push(lua.LNumber(fraction))
	L.Push(lua.LNumber(exponent))
	return 2
}

func mathLdexp(L *lua.LState) int {
	f := checkNumber(L, 1)
	L.Push(lua.LNumber(math.Ldexp(f, checkInt(L, 2))))
	return 1
}

func mathModf(L *lua.LState) int {
	f := checkNumber(L, 1)
	whole, fraction := math.Modf(f)
	if math.IsInf(f, 0) {
		fraction = 0
	}
	L.Push(lua.LNumber(whole))
	L.Push(lua.LNumber(fraction))
	return 2
}

func mathMax(L *lua.LState) int {
	best := checkNumber(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if f := checkNumber(L, i); f > best {
			best = f
		}
	}
	L.Push(lua.LNumber(best))
	return 1
}

func mathMin(L *lua.LState) int {
	best := checkNumber(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if f := checkNumber(L, i); f < best {
			best = f
		}
	}
	L.Push(lua.LNumber(best))
	return 1
}
