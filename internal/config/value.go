package config

import (
	"slices"
	"strconv"
	"strings"

	"myredis/internal/words"
)

// A value is what a parameter is set to, with the rules of its type.
type value interface {
	// set takes the arguments or says why it cannot; after an error the value
	// may be anything, as keep's function puts it right.
	set(args []string) error
	// String is the value as CONFIG GET prints it.
	String() string
	// keep returns a function that sets the value back to what it is.
	keep() (restore func())
	// lines returns the lines of a configuration file that set the value.
	// With none, lines that the file has are removed.
	lines(name string) []confLine
}

// A confLine is a line of a configuration file. One that is not forced is
// written only in the place of an old one.
type confLine struct {
	text  string
	force bool
}

// keep is the usual implementation of value.keep. What p points to is replaced
// and never changed in place.
func keep[T any](p *T) func() {
	old := *p
	return func() { *p = old }
}

// A switchValue is yes or no.
type switchValue struct {
	p     *bool
	def   bool
	check func(bool) error
}

func yesno(p *bool, def bool) *switchValue {
	*p = def
	return &switchValue{p: p, def: def}
}

func (v *switchValue) checked(f func(bool) error) *switchValue { v.check = f; return v }

func (v *switchValue) set(args []string) error {
	on := strings.EqualFold(args[0], "yes")
	if !on && !strings.EqualFold(args[0], "no") {
		return refusal("argument must be 'yes' or 'no'")
	}
	if v.check != nil {
		if err := v.check(on); err != nil {
			return err
		}
	}
	*v.p = on
	return nil
}

func (v *switchValue) String() string {
	if *v.p {
		return "yes"
	}
	return "no"
}

func (v *switchValue) keep() func() { return keep(v.p) }

func (v *switchValue) lines(name string) []confLine {
	return []confLine{{name + " " + v.String(), *v.p != v.def}}
}

// A textValue is any string. An optional one is not set at all while it is
// empty, and has no line in a file then.
type textValue struct {
	p        *string
	def      string
	optional bool
	check    func(string) error
}

func text(p *string, def string) *textValue {
	*p = def
	return &textValue{p: p, def: def}
}

func optional(p *string) *textValue { return &textValue{p: p, optional: true} }

func (v *textValue) checked(f func(string) error) *textValue { v.check = f; return v }

func (v *textValue) set(args []string) error {
	if v.check != nil {
		if err := v.check(args[0]); err != nil {
			return err
		}
	}
	*v.p = args[0]
	return nil
}

func (v *textValue) String() string { return *v.p }

func (v *textValue) keep() func() { return keep(v.p) }

func (v *textValue) lines(name string) []confLine {
	if v.optional && *v.p == "" {
		return nil
	}
	return []confLine{{name + " " + words.Quote(*v.p), *v.p != v.def}}
}

// A choiceValue is one of a list of words.
type choiceValue struct {
	p     *string
	def   string
	words []string
	same  map[string]string // a word that is only another name of another
}

func choice(p *string, def string, words ...string) *choiceValue {
	*p = def
	return &choiceValue{p: p, def: def, words: words}
}

// alias says that one of the words means the same as another, which is the one
// that is stored and printed.
func (v *choiceValue) alias(word, means string) *choiceValue {
	v.same = map[string]string{word: means}
	return v
}

func (v *choiceValue) set(args []string) error {
	word, ok := oneOf(v.words, args[0])
	if !ok {
		return errNotOneOf(v.words)
	}
	if means, ok := v.same[word]; ok {
		word = means
	}
	*v.p = word
	return nil
}

func (v *choiceValue) String() string { return *v.p }

func (v *choiceValue) keep() func() { return keep(v.p) }

func (v *choiceValue) lines(name string) []confLine {
	return []confLine{{name + " " + *v.p, *v.p != v.def}}
}

func oneOf(words []string, word string) (string, bool) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
	if i < 0 {
		return "", false
	}
	return words[i], true
}

func errNotOneOf(words []string) error {
	return refusal("argument(s) must be one of the following: " + strings.Join(words, ", "))
}

// A number is an integer within bounds, in one of several spellings.
type number[T int | int64 | uint32 | uint64] struct {
	p                                        *T
	def                                      T
	lo                                       int64
	hi                                       uint64
	isUnsigned, isMemory, isOctal, isPercent bool
	clampLo, clampHi                         T // where both are not zero, what the value is brought within once accepted
	check                                    func(int64) error
}

// integer returns a number between lo and hi. Redis compares signed and
// unsigned types differently, which shows in its error texts.
func integer[T int | int64 | uint32 | uint64](p *T, def T, lo int64, hi uint64) *number[T] {
	*p = def
	return &number[T]{p: p, def: def, lo: lo, hi: hi}
}

func (v *number[T]) unsigned() *number[T]                   { v.isUnsigned = true; return v }
func (v *number[T]) octal() *number[T]                      { v.isOctal = true; return v }
func (v *number[T]) memory() *number[T]                     { v.isMemory = true; return v }  // bytes: 64mb is allowed
func (v *number[T]) percent() *number[T]                    { v.isPercent = true; return v } // 5% is allowed, and stored as -5
func (v *number[T]) clamped(lo, hi T) *number[T]            { v.clampLo, v.clampHi = lo, hi; return v }
func (v *number[T]) checked(f func(int64) error) *number[T] { v.check = f; return v }

func (v *number[T]) set(args []string) error {
	n, err := v.parse(args[0])
	if err != nil {
		return err
	}
	if err := v.bounds(n); err != nil {
		return err
	}
	if v.check != nil {
		if err := v.check(n); err != nil {
			return err
		}
	}
	*v.p = T(n)
	if v.clampHi != 0 {
		*v.p = min(max(*v.p, v.clampLo), v.clampHi)
	}
	return nil
}

// parse reads the number as 64 bits, which are those of a uint64 when the
// parameter is one.
func (v *number[T]) parse(s string) (int64, error) {
	if v.isMemory {
		if n, ok := ParseMemory(s); ok {
			return int64(n), nil
		}
	}
	if v.isPercent {
		if digits, ok := strings.CutSuffix(s, "%"); ok {
			if n, ok := parseInteger(digits); ok && n >= 0 {
				return -n, nil
			}
		}
	}
	if v.isOctal {
		if n, ok := parseOctal(s); ok {
			return n, nil
		}
	}
	if !v.isMemory && !v.isPercent && !v.isOctal {
		if n, ok := parseInteger(s); ok {
			return n, nil
		}
	}
	switch {
	case v.isMemory && v.isPercent:
		return 0, refusal("argument must be a memory or percent value")
	case v.isMemory:
		return 0, refusal("argument must be a memory value")
	case v.isOctal:
		return 0, refusal("argument couldn't be parsed as an octal number")
	}
	return 0, refusal("argument couldn't be parsed into an integer")
}

func (v *number[T]) bounds(n int64) error {
	switch {
	case v.isUnsigned:
		if uint64(n) >= uint64(v.lo) && uint64(n) <= v.hi {
			return nil
		}
		if v.isOctal {
			return refusef("argument must be between %o and %o inclusive", v.lo, v.hi)
		}
	case v.isPercent && n < 0:
		if n >= v.lo {
			return nil
		}
		return refusef("percentage argument must be less or equal to %d", -v.lo)
	case n >= v.lo && n <= int64(v.hi):
		return nil
	}
	return refusef("argument must be between %d and %d inclusive", v.lo, v.hi)
}

func (v *number[T]) String() string {
	switch {
	case v.isPercent && *v.p < 0:
		return strconv.FormatInt(-int64(*v.p), 10) + "%"
	case v.isOctal:
		return strconv.FormatUint(uint64(*v.p), 8)
	case v.isMemory:
		return strconv.FormatUint(uint64(*v.p), 10)
	}
	return strconv.FormatInt(int64(*v.p), 10)
}

func (v *number[T]) keep() func() { return keep(v.p) }

func (v *number[T]) lines(name string) []confLine {
	s := v.String()
	if v.isMemory && *v.p >= 0 {
		s = formatMemory(uint64(*v.p))
	}
	return []confLine{{name + " " + s, *v.p != v.def}}
}
