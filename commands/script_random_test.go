package commands_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// pieces makes texts of random pieces.
type pieces struct {
	rng  *rand.Rand
	from []string
}

func (p pieces) text(most int) string {
	var b strings.Builder
	for range p.rng.IntN(most + 1) {
		b.WriteString(p.from[p.rng.IntN(len(p.from))])
	}
	return b.String()
}

func randomNumber(rng *rand.Rand) string {
	f := []float64{0, 1, 7, 127, 128, 255, 256, 65535, 65536, 1 << 31, 1 << 32, 1 << 53, 0.1, 1.0 / 3, 1e15, 1e100, 1e-5}[rng.IntN(17)]
	if rng.IntN(2) == 0 {
		f += rng.Float64() * 10
	}
	if f != 0 && rng.IntN(3) == 0 {
		f = -f
	}
	if rng.IntN(2) == 0 {
		f = math.Trunc(f) + 0 // no negative zero, of which the interpreter loses the sign
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// What the libraries make of random input is what they make of it in Redis:
// patterns, formats, JSON, MessagePack and structures, most of them broken.
func TestLibrariesAnswerAsRedisDoes(t *testing.T) {
	ours, redis := rawEngine(), rawRedis(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	words := func(s string) pieces { return pieces{rng, strings.Fields(s)} }
	patterns := words(`a b c . %a %d %s %w %A . * + - ? ( ) () [ ] [^a] [a-c] [%d_] %b() %f[%w] %1 ^ $ % x`)
	subjects := words("a b c aa ab 1 22 _ ( ) (a) x . , % - \x00 é")
	replacements := words("x %0 %1 %2 %% % - ab")
	formats := pieces{rng, []string{"%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%i", "%u", "%x", "%#X", "%o", "%c", "%e", "%.2f", "%10.3f", "%g", "%.3g", "%G", "%#g", "%s", "%.2s", "%10s", "%q", "%%", " ", "x", "%", "%y", "%5", "%.", "%-+ #0d", "%123d"}}
	json := words(`{ } [ ] , : "a" "b\n" "\u00e9" "\ud83d\ude00" "\x" " 1 -2 3.5 1e5 0x1F 01 true false null nan inf tru {"a":1} [1,2] {} []`)
	bytes := pieces{rng, []string{"\x01", "\x7f", "\x80", "\x81", "\x92", "\xa1a", "\xa3abc", "\xc0", "\xc1", "\xc2", "\xc3", "\xca\x3f\x80\x00\x00", "\xcb", "\xcc\xff", "\xcd\x01\x02", "\xce", "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "\xd0\x80", "\xd1", "\xd3", "\xd9\x02ab", "\xda", "\xdc\x00\x01", "\xdd", "\xde\x00\x01", "\xdf", "\xe0", "\xff", "\x00"}}
	structures := words(`> < ! !4 !8 x b B h H l L T i i3 i16 I I8 f d s c0 c3 y i40`)
	for i := range 4000 {
		var script string
		var args []string
		switch i % 8 {
		case 0:
			script, args = "return {string.find(ARGV[1], ARGV[2])}", []string{subjects.text(8), patterns.text(5)}
		case 1:
			script, args = "return {string.gsub(ARGV[1], ARGV[2], ARGV[3])}", []string{subjects.text(8), patterns.text(4), replacements.text(3)}
		case 2:
			script = "local t = {} for a, b in string.gmatch(ARGV[1], ARGV[2]) do t[#t+1] = {a, b} end return t"
			args = []string{subjects.text(8), patterns.text(4)}
		case 3:
			script, args = "return string.format(ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[2]))", []string{formats.text(3), randomNumber(rng), subjects.text(3)}
		case 4:
			script, args = "return cjson.encode(cjson.decode(ARGV[1]))", []string{json.text(7)}
		case 5:
			script = "local function each(...) local t = {...} for i = 1, select('#', ...) do t[i] = tostring(t[i]):gsub('table.*', 'table') end return t end return each(cmsgpack.unpack(ARGV[1]))"
			args = []string{bytes.text(5)}
		case 6:
			script = "local s = struct.pack(ARGV[1], ARGV[2], ARGV[3], ARGV[4]) local t = {struct.unpack(ARGV[1], s)} for i = 1, #t do t[i] = tostring(t[i]) end return {s, t}"
			args = []string{structures.text(4), randomNumber(rng), randomNumber(rng), randomNumber(rng)}
		default:
			script = "local a, b = tonumber(ARGV[1]), tonumber(ARGV[2]) return {ARGV[1] .. '', a .. '|' .. b, tostring(a + b), cmsgpack.pack(a), cjson.encode({a, b}), bit.tohex(a), a}"
			args = []string{randomNumber(rng), randomNumber(rng)}
		}
		request := append([]string{"EVAL", script, "0"}, args...)
		if want, got := redis(request...), ours(request...); want != got {
			t.Errorf("%s\n%q\nRedis   %q\nMyRedis %q", script, args, want, got)
		}
	}
}
