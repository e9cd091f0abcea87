// Package hash is Redis's hash: fields, each with a value, both strings.
//
// It owns how fields are kept: packed one behind the other in the order in
// which they came (Redis's listpack) or in a table (Redis's hashtable). A packed
// hash is searched from its beginning at each access and is meant for few short
// fields; how many and how short is the caller's decision, who calls
// [Hash.Spread]. It does not know keys, RESP, expiry or configuration.
//
// # Caveats
//
//   - Like append, what changes a hash returns the hash to go on with, which may
//     be another one than before. The old one must not be used again.
//   - No lock: one goroutine at a time.
//   - Nothing may change a hash while one of its iterators or callbacks runs.
//   - Atoms handed out are views, good until the hash changes. What Set keeps it
//     copies, so atoms passed in may be views of a buffer.
//   - A nil *Hash is an empty one, to read and to go on from.
package hash
