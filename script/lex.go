package script

import (
	"fmt"
	"strings"
)

// The reader of Lua 5.1. The interpreter has a reader of its own, but for a
// language that is somewhat larger (goto) and in other respects smaller, and
// with errors of its own; here the language and the words of errors are those
// of Lua (llex.c, lparser.c).

type tokenKind int

const (
	tokenEOF tokenKind = iota
	tokenName
	tokenString
	tokenNumber
	tokenKeyword
	tokenSymbol
)

// token is a word of the language; its text is the keyword, the symbol, the
// name or what the string holds.
type token struct {
	kind   tokenKind
	text   string
	number float64
	line   int    // where it ends
	raw    string // as it was written, for errors
}

// is reports whether the token is a keyword or symbol.
func (t *token) is(word string) bool {
	return (t.kind == tokenKeyword || t.kind == tokenSymbol) && t.text == word
}

var keywords = map[string]bool{}

func init() {
	for _, word := range strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while") {
		keywords[word] = true
	}
}

type lexer struct {
	chunk string // how errors call the text
	src   string
	pos   int
	line  int
}

// fail ends the reading; near is what was being read, "" for nothing.
func (l *lexer) fail(message, near string) {
	text := fmt.Sprintf("%s:%d: %s", l.chunk, l.line, message)
	if near != "" {
		text += " near '" + near + "'"
	}
	panic(Error(text))
}

const endOfFile = "<eof>"

func (l *lexer) peek(ahead int) byte {
	if l.pos+ahead < len(l.src) {
		return l.src[l.pos+ahead]
	}
	return 0
}

func (l *lexer) end() bool { return l.pos >= len(l.src) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// next reads a token.
func (l *lexer) next() token {
	for !l.end() {
		switch c := l.src[l.pos]; {
		case c == '\n' || c == '\r':
			l.newline()
		case strings.IndexByte(blanks, c) >= 0:
			l.pos++
		case c == '-' && l.peek(1) == '-':
			l.comment()
		case c == '"' || c == '\'':
			return l.quoted(c)
		case c == '[' && l.longBracket() >= 0:
			start := l.pos
			text := l.long("string")
			return token{kind: tokenString, text: text, line: l.line, raw: l.src[start:l.pos]}
		case isDigit(c) || c == '.' && isDigit(l.peek(1)):
			return l.number()
		case isLetter(c) || c == '_':
			return l.word()
		default:
			return l.symbol()
		}
	}
	return token{kind: tokenEOF, line: l.line, raw: endOfFile}
}

// newline passes an end of line: \n, \r, \r\n or \n\r.
func (l *lexer) newline() {
	c := l.src[l.pos]
	l.pos++
	if next := l.peek(0); !l.end() && next != c && (next == '\n' || next == '\r') {
		l.pos++
	}
	l.line++
}

func (l *lexer) comment() {
	l.pos += 2
	if l.peek(0) == '[' && l.longBracket() >= 0 {
		l.long("comment")
		return
	}
	for !l.end() && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
		l.pos++
	}
}

// longBracket returns the level of the long bracket that opens here, or -1.
func (l *lexer) longBracket() int {
	level := 0
	for l.peek(1+level) == '=' {
		level++
	}
	if l.peek(1+level) == '[' {
		return level
	}
	if level > 0 {
		l.fail("invalid long string delimiter", l.src[l.pos:l.pos+1+level])
	}
	return -1
}

// long reads a long string or comment. A first end of line is left out, and
// every end of line is one \n.
func (l *lexer) long(what string) string {
	level := l.longBracket()
	l.pos += level + 2
	if c := l.peek(0); !l.end() && (c == '\n' || c == '\r') {
		l.newline()
	}
	closing := "]" + strings.Repeat("=", level) + "]"
	var text strings.Builder
	for !l.end() {
		switch c := l.src[l.pos]; {
		case c == ']' && strings.HasPrefix(l.src[l.pos:], closing):
			l.pos += len(closing)
			return text.String()
		case level == 0 && c == '[' && l.peek(1) == '[':
			l.fail("nesting of [[...]] is deprecated", "[")
		case c == '\n' || c == '\r':
			l.newline()
			text.WriteByte('\n')
		default:
			text.WriteByte(c)
			l.pos++
		}
	}
	l.fail("unfinished long "+what, endOfFile)
	return ""
}

var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

func (l *lexer) quoted(quote byte) token {
	start := l.pos
	l.pos++
	var text strings.Builder
	for {
		if l.end() {
			l.fail("unfinished string", endOfFile)
		}
		c := l.src[l.pos]
		switch c {
		case quote:
			l.pos++
			return token{kind: tokenString, text: text.String(), line: l.line, raw: l.src[start:l.pos]}
		case '\n', '\r':
			l.fail("unfinished string", l.src[start:l.pos])
		case '\\':
			l.pos++
			l.escape(&text, start)
		default:
			text.WriteByte(c)
			l.pos++
		}
	}
}

// escape reads what follows a backslash.
func (l *lexer) escape(text *strings.Builder, start int) {
	if l.end() {
		return // will be found unfinished
	}
	c, at := l.src[l.pos], l.pos-1
	switch {
	case c == '\n' || c == '\r':
		l.newline()
		text.WriteByte('\n')
	case isDigit(c):
		n := 0
		for i := 0; i < 3 && isDigit(l.peek(0)); i++ {
			n = n*10 + int(l.peek(0)-'0')
			l.pos++
		}
		if n > 255 {
			l.fail("escape sequence too large", l.src[start:at])
		}
		text.WriteByte(byte(n))
	default:
		if special, ok := escapes[c]; ok {
			c = special
		}
		text.WriteByte(c)
		l.pos++
	}
}

func (l *lexer) number() token {
	start := l.pos
	for isDigit(l.peek(0)) || l.peek(0) == '.' {
		l.pos++
	}
	if l.peek(0)|0x20 == 'e' {
		l.pos++
		if c := l.peek(0); c == '+' || c == '-' {
			l.pos++
		}
	}
	for isNameByte(l.peek(0)) {
		l.pos++
	}
	raw := l.src[start:l.pos]
	f, ok := parseNumber(raw)
	if !ok {
		l.fail("malformed number", raw)
	}
	return token{kind: tokenNumber, number: f, line: l.line, raw: raw}
}

func (l *lexer) word() token {
	start := l.pos
	for isNameByte(l.peek(0)) {
		l.pos++
	}
	name := l.src[start:l.pos]
	kind := tokenName
	if keywords[name] {
		kind = tokenKeyword
	}
	return token{kind: kind, text: name, line: l.line, raw: name}
}

var symbols = []string{"...", "..", "==", "<=", ">=", "~="}

func (l *lexer) symbol() token {
	text := l.src[l.pos : l.pos+1]
	for _, s := range symbols {
		if strings.HasPrefix(l.src[l.pos:], s) {
			text = s
			break
		}
	}
	l.pos += len(text)
	raw := text
	if c := text[0]; c < ' ' || c == 0x7f {
		raw = fmt.Sprintf("char(%d)", c)
	}
	return token{kind: tokenSymbol, text: text, line: l.line, raw: raw}
}

// chunkName is how errors call a text that load or loadstring was given
// (luaO_chunkid): "=name" and "@file" by that name, anything else by its first
// line.
func chunkName(source string) string {
	const size = 60 // LUA_IDSIZE
	switch {
	case strings.HasPrefix(source, "="):
		return source[1:min(len(source), size)]
	case strings.HasPrefix(source, "@"):
		name := source[1:]
		if room := size - len(" '...' ") - 1; len(name) > room {
			name = "..." + name[len(name)-room:]
		}
		return name
	}
	line := source
	if i := strings.IndexAny(source, "\n\r"); i >= 0 {
		line = source[:i]
	}
	line = line[:min(len(line), size-len(` [string "..."] `)-1)]
	if len(line) < len(source) {
		line += "..."
	}
	return `[string "` + line + `"]`
}
