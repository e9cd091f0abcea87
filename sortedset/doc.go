// Package sortedset is Redis's sorted set: unique members, each with a score,
// ordered by score and then by the bytes of the member.
//
// It owns the order: ranks, ranges by rank, score and member, counts, pops and
// removal of ranges. Each finds its place in time that grows with the logarithm
// of the set's size (its square where the place is a rank and scores are
// unevenly spread), however far inside that is, and then takes constant time per
// item it yields or removes. It does not know keys, RESP, expiry or time, and has no
// options: NX, GT, INCR and the rest are a look and a decision of the caller.
//
// # Rules that come from Redis
//
//   - A score is any float64 but NaN, infinities included. -0 and 0 are equal,
//     so adding one where the other is changes nothing and keeps the old sign.
//   - Among equal scores, members compare as bytes (memcmp, the shorter first).
//   - A [LexRange] looks at members only. It is meant for sets whose scores are
//     all equal, and what it yields for others is unspecified, except that a
//     bound of infinity takes in everything on its side.
//
// # Caveats
//
//   - No lock: one goroutine at a time.
//   - Nothing may change a set while one of its iterators or callbacks runs.
//   - Add copies the member when it is new, so callers may pass a view of a
//     buffer. Members handed out are not copies and stay valid for ever.
package sortedset
