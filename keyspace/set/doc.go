// Package set is Redis's set: unique members in no order that is promised.
//
// It owns membership: adding, removing, choosing at random (every member with
// the same chance), walking step by step, and union, intersection and
// difference. A set is kept in one of two ways, which Redis shows as encodings:
// sorted integers while all members are integers (intset), a hash table
// otherwise (hashtable). The first member that is no integer turns the one into
// the other. How many integers are few enough is the caller's decision, who
// calls [Set.Spread].
//
// It does not know keys, RESP, expiry or configuration.
//
// # Caveats
//
//   - No lock: one goroutine at a time.
//   - Nothing may change a set while one of its iterators or callbacks runs.
//   - Members handed out are views, good until the set changes. What Add keeps
//     it copies, so members passed in may be views of a buffer.
//   - A nil *Set is an empty one to whoever only reads.
package set
