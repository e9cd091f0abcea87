package bench

import (
	"os/exec"
	"syscall"
)

// own puts a process in a group of its own, so that Ctrl-C reaches it through
// us alone, and ends it should we be killed.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
