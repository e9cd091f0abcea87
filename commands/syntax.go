package commands

import (
	"strings"
	"unicode"
)

// argument is a node of a command's grammar as COMMAND DOCS describes it.
type argument struct {
	name               string
	kind               string // string, integer, double, key, pattern, unix-time, pure-token, oneof, block
	key                int    // index of the key specification; -1 for none
	token              string
	optional, multiple bool
	parts              []argument // of a oneof or a block
}

// parseSyntax reads a row's Syntax: words in capitals are tokens, others name
// values; [x] is optional, <x> groups, a|b chooses, "x [x ...]" repeats.
func parseSyntax(text string, keys []KeySpec) []argument {
	if text == "" {
		return nil
	}
	p := syntaxParser{words: lexSyntax(text), keys: len(keys)}
	return p.sequence("")
}

// lexSyntax cuts a grammar into brackets, bars and words.
func lexSyntax(text string) (words []string) {
	for _, w := range strings.Fields(text) {
		for w != "" {
			i := strings.IndexAny(w, "[]<>|")
			switch {
			case i < 0:
				words = append(words, w)
				w = ""
			case i > 0:
				words = append(words, w[:i])
				w = w[i:]
			default:
				words = append(words, w[:1])
				w = w[1:]
			}
		}
	}
	return words
}

type syntaxParser struct {
	words    []string
	keys     int // key specifications of the command
	keysSeen int
}

func (p *syntaxParser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

func (p *syntaxParser) next() string {
	w := p.peek()
	if w != "" {
		p.words = p.words[1:]
	}
	return w
}

// sequence reads arguments up to the closing bracket, which it takes.
func (p *syntaxParser) sequence(closing string) (args []argument) {
	for len(p.words) > 0 {
		if p.peek() == closing {
			p.next()
			break
		}
		if p.repetition(args) {
			continue
		}
		args = append(args, p.choice())
	}
	return args
}

// repetition takes "[x ...]" or "..." after the arguments it repeats, and
// marks them as multiple.
func (p *syntaxParser) repetition(args []argument) bool {
	if p.peek() == "..." {
		p.next()
		return true
	}
	if p.peek() != "[" || len(args) == 0 {
		return false
	}
	depth := 0
	for i, w := range p.words {
		switch w {
		case "[", "<":
			depth++
		case "]", ">":
			depth--
		}
		if depth > 0 {
			continue
		}
		if i == 0 || p.words[i-1] != "..." {
			return false
		}
		args[len(args)-1].multiple = true
		p.words = p.words[i+1:]
		return true
	}
	return false
}

// choice reads alternatives; a single one is itself.
func (p *syntaxParser) choice() argument {
	first := p.one()
	if p.peek() != "|" {
		return first
	}
	alternatives := []argument{first}
	for p.peek() == "|" {
		p.next()
		alternatives = append(alternatives, p.one())
	}
	return argument{name: alternatives[0].name, kind: "oneof", key: -1, parts: alternatives}
}

func (p *syntaxParser) one() argument {
	switch w := p.next(); {
	case w == "[":
		arg := group(p.sequence("]"))
		arg.optional = true
		return arg
	case w == "<":
		return group(p.sequence(">"))
	case isToken(w):
		return p.token(w)
	default:
		return p.value(w)
	}
}

// token is a word to be typed as it is: alone, or before the value or the group
// that it introduces.
func (p *syntaxParser) token(w string) argument {
	next := p.peek()
	if next == "<" {
		arg := p.one()
		arg.token = w
		return arg
	}
	if next == "" || isToken(next) || strings.ContainsAny(next, "[]<>|") || next == "..." {
		return argument{name: strings.ToLower(w), kind: "pure-token", key: -1, token: w}
	}
	arg := p.value(p.next())
	arg.token = w
	return arg
}

func (p *syntaxParser) value(w string) argument {
	arg := argument{name: w, kind: valueKind(w), key: -1}
	if arg.kind == "key" && p.keys > 0 {
		arg.key = min(p.keysSeen, p.keys-1)
		p.keysSeen++
	}
	return arg
}

// group makes one argument of several.
func group(args []argument) argument {
	if len(args) == 1 {
		return args[0]
	}
	name := "block"
	if len(args) > 0 {
		name = args[0].name
	}
	return argument{name: name, kind: "block", key: -1, parts: args}
}

func isToken(w string) bool {
	letters := false
	for _, r := range w {
		if unicode.IsLower(r) {
			return false
		}
		letters = letters || unicode.IsUpper(r)
	}
	return letters
}

// valueKind tells a value's type by its name, which is chosen for it.
func valueKind(name string) string {
	switch name {
	case "key", "newkey", "source", "destination":
		return "key"
	case "pattern":
		return "pattern"
	case "unix-time-seconds", "unix-time-milliseconds":
		return "unix-time"
	case "score", "weight":
		return "double"
	case "seconds", "milliseconds", "count", "numkeys", "offset", "cursor", "index", "index1", "index2", "limit",
		"start", "stop", "end", "increment", "decrement", "db", "destination-db", "client-id", "protover", "version", "len":
		return "integer"
	}
	return "string"
}

// arguments replies with a grammar.
func (c *Call) arguments(args []argument) {
	c.Array(len(args))
	for _, a := range args {
		var flags []string
		for _, f := range []struct {
			on   bool
			name string
		}{{a.optional, "optional"}, {a.multiple, "multiple"}} {
			if f.on {
				flags = append(flags, f.name)
			}
		}
		fields := 2
		for _, there := range []bool{a.key >= 0, a.token != "", len(flags) > 0, a.parts != nil} {
			if there {
				fields++
			}
		}
		c.Map(fields)
		c.BulkString("name")
		c.BulkString(a.name)
		c.BulkString("type")
		c.BulkString(a.kind)
		if a.key >= 0 {
			c.field("key_spec_index", a.key)
		}
		if a.token != "" {
			c.BulkString("token")
			c.BulkString(a.token)
		}
		if len(flags) > 0 {
			c.BulkString("flags")
			c.simpleSet(flags)
		}
		if a.parts != nil {
			c.BulkString("arguments")
			c.arguments(a.parts)
		}
	}
}
