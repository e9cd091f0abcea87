package proctitle_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/proctitle"
)

// The title is that of a process of its own, whose arguments are few and whose
// environment must survive.
func TestSet(t *testing.T) {
	const mark = "PROCTITLE_TEST"
	long := strings.Repeat("long title ", 20)
	if os.Getenv(mark) == "child" {
		for _, title := range []string{long, "short"} {
			proctitle.Set(title)
			line, err := os.ReadFile("/proc/self/cmdline")
			require.NoError(t, err)
			require.Equal(t, title, strings.TrimRight(string(line), "\x00"))
			require.Equal(t, "child", os.Getenv(mark))
			require.Equal(t, "-test.run=TestSet", os.Args[1])
			require.Contains(t, os.Environ(), "OTHER="+long)
		}
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: there is a title to set on Linux alone")
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestSet")
	cmd.Env = append(os.Environ(), mark+"=child", "OTHER="+long)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
