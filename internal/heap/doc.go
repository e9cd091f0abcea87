// Package heap tells how much memory Go's allocator takes for an object of a
// size, for estimates of what values cost.
package heap
