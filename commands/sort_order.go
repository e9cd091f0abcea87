package commands

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"myredis/internal/atom"
	"myredis/keyspace/hash"
)

// sortPattern names what belongs to an element: the key that comes of putting
// the element in the place of the star, or a field of the hash there.
type sortPattern struct {
	itself         bool // "#", the element
	star           bool
	before, behind []byte
	field          []byte // nil for the whole key, which is then a string
}

// parseSortPattern cuts "before*behind" or "before*behind->field".
func parseSortPattern(text []byte) (p sortPattern) {
	if view(text) == "#" {
		return sortPattern{itself: true}
	}
	p.before, p.behind, p.star = bytes.Cut(text, []byte("*"))
	if behind, field, _ := bytes.Cut(p.behind, []byte("->")); len(field) > 0 {
		p.behind, p.field = behind, field
	}
	return p
}

// follow returns what the pattern names for an element, as a view. What is of
// the wrong type is not found, and nothing is if there is no star.
func (s *sorting) follow(p *sortPattern, element string) (value atom.Atom, found bool) {
	switch {
	case p.itself:
		return atom.Of(element), true
	case !p.star:
		return value, false
	}
	s.name = append(append(append(s.name[:0], p.before...), element...), p.behind...)
	o := s.DB.Look(view(s.name))
	if p.field != nil {
		h, _ := as[*hash.Hash](o) // what is no hash is as empty as one that is not there
		return h.Get(argAtom(p.field))
	}
	if o == nil {
		return value, false
	}
	switch v := o.Value.(type) {
	case int64:
		return atom.OfInt(v), true
	case []byte:
		return argAtom(v), true
	}
	return value, false
}

// weighed is an element with what it is sorted by.
type weighed struct {
	element string
	score   float64
	text    string // instead of the score when the order is alphabetical
	found   bool   // there is a text
}

// order sorts elements.
func (s *sorting) order(elements []string) error {
	items, err := s.weigh(elements)
	if err != nil {
		return err
	}
	compare := s.compare()
	if s.desc {
		ascending := compare
		compare = func(a, b *weighed) int { return -ascending(a, b) }
	}
	slices.SortStableFunc(items, func(a, b weighed) int { return compare(&a, &b) })
	for i := range items {
		elements[i] = items[i].element
	}
	return nil
}

// weigh looks up all weights before one that is no number is an error, as Redis
// does.
func (s *sorting) weigh(elements []string) (items []weighed, err error) {
	items = make([]weighed, len(elements))
	for i, element := range elements {
		item := &items[i]
		item.element, item.text, item.found = element, element, true
		weight := atom.Of(element)
		if s.by != nil {
			weight, item.found = s.follow(s.by, element)
		}
		switch ok := false; {
		case !item.found || s.alpha && s.by == nil:
		case s.alpha:
			item.text = strings.Clone(weight.String())
		default:
			if item.score, ok = sortScore(weight); !ok {
				err = Error("ERR One or more scores can't be converted into double")
			}
		}
	}
	return items, err
}

func (s *sorting) compare() func(a, b *weighed) int {
	switch {
	case !s.alpha:
		return compareScores
	case s.store != nil:
		return compareTexts
	}
	return compareCollated
}

// compareScores goes by the elements where scores are equal, so that there is
// only one order.
func compareScores(a, b *weighed) int {
	if c := cmp.Compare(a.score, b.score); c != 0 {
		return c
	}
	return strings.Compare(a.element, b.element)
}

// compareTexts puts what has no text first.
func compareTexts(a, b *weighed) int {
	switch {
	case a.found && b.found:
		return strings.Compare(a.text, b.text)
	case a.found:
		return 1
	case b.found:
		return -1
	}
	return 0
}

// compareCollated is C's strcoll in the locale "C": what stands behind a zero
// byte does not count.
func compareCollated(a, b *weighed) int {
	x, y := *a, *b
	x.text, _, _ = strings.Cut(a.text, "\x00")
	y.text, _, _ = strings.Cut(b.text, "\x00")
	return compareTexts(&x, &y)
}

// sortScore reads a weight as C's strtod does: blanks before it do not matter,
// nor does what is behind a zero byte, and nothing at all is 0. Once a command
// has met a number that is out of range, Redis at times refuses others that are
// not, because it looks at an errno that nobody has reset; that is not copied.
func sortScore(weight atom.Atom) (float64, bool) {
	if n, ok := weight.Int(); ok {
		return float64(n), true
	}
	text, _, _ := strings.Cut(weight.String(), "\x00")
	if text == "" {
		return 0, true
	}
	return parseFloat([]byte(strings.TrimLeft(text, " \t\n\v\f\r")))
}
