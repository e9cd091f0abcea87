package commands

import "golang.org/x/sys/unix"

func systemMemory() uint64 {
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) != nil {
		return 0
	}
	return s.Totalram * uint64(s.Unit)
}
