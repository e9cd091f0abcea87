package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// strFormat is C's printf for the conversions that Lua takes.
func strFormat(L *lua.LState) int {
	format := checkString(L, 1)
	var out []byte
	arg := 1
	for i := 0; i < len(format); {
		c := format[i]
		i++
		if c != '%' {
			out = append(out, c)
			continue
		}
		if i < len(format) && format[i] == '%' {
			out = append(out, '%')
			i++
			continue
		}
		spec, n := parseSpec(L, format[i:])
		i += n
		arg++
		if none(L, arg) {
			argError(L, arg, "no value")
		}
		out = spec.append(L, out, arg)
	}
	L.Push(lua.LString(out))
	return 1
}

// spec is a conversion: "%-5.2f".
type spec struct {
	left, plus, space, alternate, zero bool
	width, precision                   int // precision -1: none given
	verb                               byte
}

// parseSpec reads a conversion after its %.
func parseSpec(L *lua.LState, s string) (sp spec, n int) {
	sp.precision = -1
	flags := 0
	for ; n < len(s) && strings.IndexByte("-+ #0", s[n]) >= 0; n++ {
		switch s[n] {
		case '-':
			sp.left = true
		case '+':
			sp.plus = true
		case ' ':
			sp.space = true
		case '#':
			sp.alternate = true
		case '0':
			sp.zero = true
		}
		flags++
	}
	if flags > 5 {
		raise(L, "invalid format (repeated flags)")
	}
	digits := func() (v int) {
		for k := 0; k < 2 && n < len(s) && isDigit(s[n]); k++ {
			v = v*10 + int(s[n]-'0')
			n++
		}
		return v
	}
	sp.width = digits()
	if n < len(s) && s[n] == '.' {
		n++
		sp.precision = digits()
	}
	if n < len(s) && isDigit(s[n]) {
		raise(L, "invalid format (width or precision too long)")
	}
	if n < len(s) {
		sp.verb = s[n]
		n++
	}
	return sp, n
}

func (sp *spec) append(L *lua.LState, out []byte, arg int) []byte {
	switch sp.verb {
	case 'c':
		c := byte(0)
		if f := checkNumber(L, arg); math.Abs(f) < 1<<31 {
			c = byte(int64(f))
		}
		s, _, _ := strings.Cut(string(sp.pad(nil, string([]byte{c}))), "\x00") // as far as C's string goes
		return append(out, s...)
	case 'd', 'i':
		return sp.integer(out, toInt64(checkNumber(L, arg)))
	case 'o', 'u', 'x', 'X':
		return sp.unsigned(out, toUint64(checkNumber(L, arg)))
	case 'e', 'E', 'f', 'g', 'G':
		return sp.float(out, checkNumber(L, arg))
	case 'q':
		return appendLuaQuoted(out, checkString(L, arg))
	case 's':
		s := checkString(L, arg)
		if sp.precision >= 0 {
			s, _, _ = strings.Cut(s, "\x00")
			s = s[:min(len(s), sp.precision)]
		} else if len(s) < 100 {
			s, _, _ = strings.Cut(s, "\x00") // printf ends there; longer ones are not given to it
		} else {
			return append(out, s...)
		}
		sp.zero = false
		return sp.pad(out, s)
	}
	verb := string(sp.verb)
	if sp.verb == 0 {
		verb = ""
	}
	raise(L, "invalid option '%%%s' to 'format'", verb)
	return nil
}

// pad appends text in the conversion's width.
func (sp *spec) pad(out []byte, s string) []byte {
	fill := max(sp.width-len(s), 0)
	if sp.left {
		out = append(out, s...)
		return append(out, strings.Repeat(" ", fill)...)
	}
	out = append(out, strings.Repeat(" ", fill)...)
	return append(out, s...)
}

// numeric appends a number in the conversion's width, zeros between its sign
// (or prefix) and its digits.
func (sp *spec) numeric(out []byte, sign, digits string, zeros bool) []byte {
	if zeros && sp.zero && !sp.left {
		digits = strings.Repeat("0", max(sp.width-len(sign)-len(digits), 0)) + digits
	}
	return sp.pad(out, sign+digits)
}

func (sp *spec) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case sp.plus:
		return "+"
	case sp.space:
		return " "
	}
	return ""
}

// atLeast is the precision of an integer: its least number of digits, of which
// a zero has none.
func (sp *spec) atLeast(digits string) string {
	if sp.precision == 0 && digits == "0" {
		return ""
	}
	return strings.Repeat("0", max(sp.precision-len(digits), 0)) + digits
}

func (sp *spec) integer(out []byte, n int64) []byte {
	digits := strings.TrimPrefix(strconv.FormatInt(n, 10), "-")
	return sp.numeric(out, sp.sign(n < 0), sp.atLeast(digits), sp.precision < 0)
}

func (sp *spec) unsigned(out []byte, n uint64) []byte {
	base, prefix := 10, ""
	switch sp.verb {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
		if sp.alternate && n != 0 {
			prefix = "0" + string(sp.verb)
		}
	}
	digits := sp.atLeast(strconv.FormatUint(n, base))
	if sp.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	if sp.verb == 'o' && sp.alternate && !strings.HasPrefix(digits, "0") {
		digits = "0" + digits
	}
	return sp.numeric(out, prefix, digits, sp.precision < 0)
}

func (sp *spec) float(out []byte, f float64) []byte {
	sign := sp.sign(math.Signbit(f))
	f = math.Abs(f)
	upper := sp.verb == 'E' || sp.verb == 'G'
	if math.IsInf(f, 0) || math.IsNaN(f) {
		said := "inf"
		if math.IsNaN(f) {
			said = "nan"
		}
		if upper {
			said = strings.ToUpper(said)
		}
		return sp.numeric(out, sign, said, false)
	}
	precision := sp.precision
	if precision < 0 {
		precision = 6
	}
	verb := sp.verb | 0x20
	if verb == 'g' {
		precision = max(precision, 1)
	}
	digits := strconv.FormatFloat(f, verb, precision, 64)
	if sp.alternate {
		digits = fmt.Sprintf("%#."+strconv.Itoa(precision)+string(verb), f)
	}
	if upper {
		digits = strings.ToUpper(digits)
	}
	return sp.numeric(out, sign, digits, true)
}

// appendLuaQuoted appends a string as Lua would read it back (%q).
func appendLuaQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for _, c := range []byte(s) {
		switch c {
		case '"', '\\', '\n':
			out = append(out, '\\', c)
		case '\r':
			out = append(out, `\r`...)
		case 0:
			out = append(out, `\000`...)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
