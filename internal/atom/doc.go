// Package atom is the smallest thing that collections hold: a string of bytes,
// which may be kept as the integer that it spells.
//
// Small collections keep integers as integers, because that takes less memory;
// a reply shows digits either way. An [Atom] is such a string on its way
// between a collection and whoever asked, and spares both a conversion that
// nobody needs: what is kept as text is never parsed to be shown, what is kept
// as an integer is written digit by digit into the reply.
//
// The package owns which text is an integer. It does not know collections.
//
// Caveat: an atom is a view. It is good for as long as the text it was made
// of, or until the collection it comes from changes.
package atom
