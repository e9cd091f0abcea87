//go:build !linux

package bench

import "os/exec"

// own does nothing where the operating system has no way to tie a process to
// its parent's life.
func own(*exec.Cmd) {}
