package script

import "testing"

// LimitStrings makes the limit of strings lower for a test.
func LimitStrings(t *testing.T, n int) {
	was := maxString
	maxString = n
	t.Cleanup(func() { maxString = was })
}
