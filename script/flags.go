package script

import (
	"slices"
	"strings"
)

// Flags are what a script says of itself in its first line, or a function when
// it is registered.
type Flags uint8

// Flags of scripts.
const (
	NoWrites Flags = 1 << iota
	AllowOOM
	AllowStale
	NoCluster
	AllowCrossSlot
	// Undeclared marks a script that says nothing of itself: what it may do
	// is decided command by command.
	Undeclared
)

var flagNames = []string{"no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"}

// Names returns the flags as they are written.
func (f Flags) Names() (names []string) {
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// flagNamed returns a flag by its name.
func flagNamed(name string) (Flags, bool) {
	i := slices.Index(flagNames, name)
	return 1 << max(i, 0), i >= 0
}

// shebang reads the first line of a script, "#!lua flags=no-writes", if it has
// one, and returns its length.
func shebang(source string) (flags Flags, length int, err error) {
	if !strings.HasPrefix(source, "#!") {
		return Undeclared, 0, nil
	}
	length = strings.IndexByte(source, '\n')
	if length < 0 {
		return 0, 0, Error("Invalid script shebang")
	}
	parts, ok := splitWords(source[:length])
	if !ok || len(parts) == 0 {
		return 0, 0, Error("Invalid engine in script shebang")
	}
	if parts[0] != "#!lua" {
		return 0, 0, Error("Unexpected engine in script shebang: " + parts[0])
	}
	for _, part := range parts[1:] {
		list, ok := strings.CutPrefix(part, "flags=")
		if !ok {
			return 0, 0, Error("Unknown lua shebang option: " + part)
		}
		for _, name := range strings.Split(list, ",") {
			if list == "" {
				break
			}
			flag, known := flagNamed(name)
			if !known {
				return 0, 0, Error("Unexpected flag in script shebang: " + name)
			}
			flags |= flag
		}
	}
	return flags, length, nil
}

// splitWords splits a line at blanks, with quotes as a shell has them (sds.c,
// sdssplitargs). It fails when quotes are unbalanced.
func splitWords(line string) (words []string, ok bool) {
	for i := 0; ; {
		for i < len(line) && strings.IndexByte(blanks, line[i]) >= 0 {
			i++
		}
		if i >= len(line) {
			return words, true
		}
		var word []byte
		if word, i, ok = oneWord(line, i); !ok {
			return nil, false
		}
		words = append(words, string(word))
	}
}

func oneWord(line string, i int) (word []byte, end int, ok bool) {
	quote := byte(0)
	for i < len(line) {
		c := line[i]
		switch {
		case quote == 0 && strings.IndexByte(blanks, c) >= 0:
			return word, i, true
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			// Nothing may follow a closing quote.
			if i+1 < len(line) && strings.IndexByte(blanks, line[i+1]) < 0 {
				return nil, 0, false
			}
			return word, i + 1, true
		case quote == '"' && c == '\\' && i+1 < len(line):
			i++
			word = append(word, unescape(line[i]))
		case quote == '\'' && c == '\\' && i+1 < len(line) && line[i+1] == '\'':
			i++
			word = append(word, '\'')
		default:
			word = append(word, c)
		}
		i++
	}
	return word, i, quote == 0
}

func unescape(c byte) byte {
	if special, ok := escapes[c]; ok && c != 'f' && c != 'v' {
		return special
	}
	return c
}

// DeclaredFlags returns what a script says of itself in its first line.
func DeclaredFlags(source string) (Flags, error) {
	flags, _, err := shebang(source)
	return flags, err
}
