//go:build !linux

package load

// Pin does nothing where a process cannot be tied to cores.
func Pin() {}
