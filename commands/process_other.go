//go:build !linux

package commands

func systemMemory() uint64 { return 0 }
