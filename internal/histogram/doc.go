// Package histogram counts durations in buckets whose width grows with what
// they hold: every duration is known to within one part in 128, from a
// nanosecond to a second, in a fixed amount of memory. It is what an
// HdrHistogram of two significant digits is (Gil Tene), with the same buckets,
// so that percentiles come out as Redis's do.
//
// To record is a shift and an increment; nothing is allocated.
package histogram
