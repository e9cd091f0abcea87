// Package stream is Redis's stream: a log of entries, each a list of fields and
// values under an ID that is greater than all before it, and the groups of
// consumers that share the work of reading it.
//
// It owns how entries are kept and found, what a stream remembers of entries
// that are gone, and the bookkeeping of groups: what has been delivered to
// whom and not yet been acknowledged. It does not know keys, RESP, the clock
// or configuration: instants and limits are passed in.
//
// # Layout
//
// Entries are packed into nodes, about a hundred in each, and nodes are in a
// slice in the order of their IDs: an entry is appended to the last node,
// looked up by a binary search for its node and a walk inside it, and trimmed
// from the first. An entry whose fields have the names of the first one in its
// node, which is what most streams look like, is kept without names.
//
// When a node is full is decided exactly as Redis decides it, whose nodes are
// laid out differently: approximate trimming removes whole nodes, and so shows
// where they end.
//
// # Caveats
//
//   - No lock: one goroutine at a time.
//   - Nothing may change a stream while one of its iterators runs.
//   - Entries handed out are views, good until the stream changes. What
//     [Stream.Append] keeps it copies.
package stream
