package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"myredis/internal/words"
)

// Kind is the wire type of a reply: the byte that announces it.
type Kind byte

// The types of RESP2, and those that RESP3 adds.
const (
	Simple  Kind = '+'
	Error   Kind = '-'
	Integer Kind = ':'
	Bulk    Kind = '$'
	Array   Kind = '*'

	Null      Kind = '_'
	Double    Kind = ','
	Bool      Kind = '#'
	BlobError Kind = '!'
	Verbatim  Kind = '='
	BigNumber Kind = '('
	Map       Kind = '%'
	Set       Kind = '~'
	Push      Kind = '>'
)

var kindNames = map[Kind]string{
	Simple: "simple", Error: "error", Integer: "integer", Bulk: "bulk", Array: "array",
	Null: "null", Double: "double", Bool: "bool", BlobError: "blob error", Verbatim: "verbatim",
	BigNumber: "big number", Map: "map", Set: "set", Push: "push",
}

func (k Kind) String() string { return kindNames[k] }

func (k Kind) aggregate() bool { return k == Array || k == Map || k == Set || k == Push }

// Value is a reply as it came: its type is never lost.
type Value struct {
	Kind  Kind
	Text  string  // a scalar's payload, as sent
	Items []Value // an aggregate's; a map's keys and values alternate
	Nil   bool    // the null bulk string or array of RESP2

	masked bool // only the type counts
}

// bare are simple strings that cannot be taken for another notation.
var bare = regexp.MustCompile(`^[A-Za-z0-9]+( [A-Za-z0-9]+)*$`)

// Lines prints the value in the notation of the package documentation, a line
// each. Two values that differ on the wire never print alike.
func (v Value) Lines() []string {
	switch {
	case v.masked && v.Nil:
		return []string{"<nil " + v.Kind.String() + ">"}
	case v.masked:
		return []string{"<" + v.Kind.String() + ">"}
	case !v.Kind.aggregate() || v.Nil:
		return []string{v.scalar()}
	case len(v.Items) == 0:
		return []string{"(empty " + v.Kind.String() + ")"}
	case v.Kind == Map:
		return v.mapLines()
	}
	mark := map[Kind]string{Array: ")", Set: "~", Push: ">>"}[v.Kind]
	var lines []string
	for i, item := range v.Items {
		lines = append(lines, numbered(i+1, len(v.Items), mark, item.Lines())...)
	}
	return lines
}

func (v Value) mapLines() []string {
	var lines []string
	for i := 0; i+1 < len(v.Items); i += 2 {
		entry := v.Items[i].Lines()
		last := &entry[len(entry)-1]
		value := v.Items[i+1].Lines()
		if v.Items[i+1].opens() {
			*last += " =>"
			entry = append(entry, value...)
		} else {
			*last += " => " + value[0]
		}
		lines = append(lines, numbered(i/2+1, len(v.Items)/2, "#", entry)...)
	}
	return lines
}

// opens reports whether the value prints as numbered items.
func (v Value) opens() bool {
	return v.Kind.aggregate() && !v.Nil && !v.masked && len(v.Items) > 0
}

// numbered puts an item's number before its first line, right-aligned among
// count items as redis-cli does, and indents the others by as much.
func numbered(n, count int, mark string, lines []string) []string {
	head := fmt.Sprintf("%*d%s ", len(strconv.Itoa(count)), n, mark)
	indent := strings.Repeat(" ", len(head))
	for i := range lines {
		if i == 0 {
			lines[i] = head + lines[i]
		} else {
			lines[i] = indent + lines[i]
		}
	}
	return lines
}

func (v Value) scalar() string {
	switch v.Kind {
	case Simple:
		if bare.MatchString(v.Text) {
			return v.Text
		}
		return "(simple) " + words.Quote(v.Text)
	case Error:
		if plain(v.Text) {
			return "(error) " + v.Text
		}
		return "(error) " + words.Quote(v.Text)
	case Bulk:
		if v.Nil {
			return "(nil)"
		}
		return words.Quote(v.Text)
	case Array:
		return "(nil array)"
	case Null:
		return "(null)"
	case Bool:
		if v.Text == "t" {
			return "(true)"
		}
		return "(false)"
	case Integer, Double, BigNumber:
		return "(" + v.Kind.String() + ") " + v.Text
	default:
		return "(" + v.Kind.String() + ") " + words.Quote(v.Text)
	}
}

// plain reports whether a text reads back as itself to the end of a line.
func plain(s string) bool {
	return s != "" && s == strings.TrimSpace(s) && s[0] != '"' && !strings.Contains(s, "=>") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// text is what @match sees.
func (v Value) text() string {
	if v.Kind.aggregate() {
		return strings.Join(v.Lines(), "\n")
	}
	return strings.ReplaceAll(v.Text, "\r\n", "\n")
}

// at finds the item at a path of 1-based steps, nil when there is none.
func (v *Value) at(path []int) *Value {
	for _, n := range path {
		if v.Kind == Map {
			n *= 2
		}
		if n < 1 || n > len(v.Items) {
			return nil
		}
		v = &v.Items[n-1]
	}
	return v
}

// sort orders the items by how they print, in groups of size.
func (v *Value) sort(size int) {
	if v.Kind == Map {
		size = 2
	}
	if len(v.Items)%size != 0 {
		return
	}
	groups := slices.Collect(slices.Chunk(slices.Clone(v.Items), size))
	slices.SortFunc(groups, compareGroups)
	v.Items = slices.Concat(groups...)
}

// distinct drops groups of size items that a sorted value has more than once.
func (v *Value) distinct(size int) {
	groups := slices.Collect(slices.Chunk(slices.Clone(v.Items), size))
	groups = slices.CompactFunc(groups, func(a, b []Value) bool { return compareGroups(a, b) == 0 })
	v.Items = slices.Concat(groups...)
}

func compareGroups(a, b []Value) int {
	return slices.CompareFunc(a, b, func(x, y Value) int { return slices.Compare(x.Lines(), y.Lines()) })
}
