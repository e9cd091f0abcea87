//go:build race

package check_test

// underRace bounds the search: it is one goroutine, so there is little for the
// race detector to see, and it takes ten times as long.
const underRace = true
