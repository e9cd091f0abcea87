//go:build !linux

package proctitle

// Set sets the title where it can be set.
func Set(string) {}
