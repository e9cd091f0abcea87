// Package cell writes strings one behind the other into bytes without pointers,
// for the collections that keep many small ones in one allocation.
//
// It owns the layout of one string, an [atom.Atom]: its size is written in
// front, and integers are kept in few bytes. It does not know collections.
//
// Caveat: the functions that read trust the bytes they are given, which must be
// cells of this process. They are no format of files.
package cell
