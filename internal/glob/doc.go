// Package glob matches names against Redis's glob-style patterns, those of
// KEYS, SCAN MATCH, PSUBSCRIBE, CONFIG GET and the ACL rules:
//
//	?        one byte
//	*        any bytes, none too
//	[abc]    one of these bytes; [a-z] is a range, [^abc] none of these
//	\x       the byte x itself, inside brackets as well
//
// Patterns and names are bytes, not characters: ? matches half of a two-byte
// character. There is no wrong pattern: what is left open, like "[ab", ends
// with the pattern.
//
// The package owns the rules and knows nothing of who asks. It allocates
// nothing, and no pattern makes it slow: see [Match].
package glob
