package commands

import "unsafe"

// view is b as a string without a copy. It is good for as long as b is: the
// time of one command. Whatever is kept must be cloned, which the structures
// that store keys and members do.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// equalFold reports whether b is the word, which is given in upper case,
// regardless of the case of ASCII letters.
func equalFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i := range len(word) {
		ch := b[i]
		if 'a' <= ch && ch <= 'z' {
			ch -= 'a' - 'A'
		}
		if ch != word[i] {
			return false
		}
	}
	return true
}
