// Package list is Redis's list: strings in an order, reached by their places.
//
// It owns how elements are kept: packed one behind the other into chunks of up
// to 8 KB, and the chunks in a row (Redis's quicklist). It does not know keys,
// RESP, expiry, configuration, or who waits for an element.
//
// # Caveats
//
//   - No lock: one goroutine at a time.
//   - Nothing may change a list while one of its iterators runs.
//   - Places are counted from 0 and must be those of elements that are there: as
//     with a slice, it is a mistake of the programmer if they are not. Negative
//     ones are the caller's to resolve.
//   - Atoms handed out are views, good until the list changes. So an atom of a
//     list must not be given back to the same list; clone its text.
package list
