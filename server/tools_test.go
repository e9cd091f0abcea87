package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
)

// tool runs a program of Redis's against the server and returns what it
// printed.
func tool(t *testing.T, s *Server, input, program string, args ...string) string {
	t.Helper()
	redistest.Need(t, program)
	_, port, err := net.SplitHostPort(s.Addr())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"-p", port}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Run(), "%s %v: %s", program, args, out.String())
	require.NotContains(t, out.String(), "ERR")
	require.NotContains(t, strings.ToUpper(out.String()), "WARNING")
	return out.String()
}

// watch runs a program that does not end by itself for a moment.
func watch(t *testing.T, s *Server, program string, args ...string) string {
	t.Helper()
	redistest.Need(t, program)
	_, port, err := net.SplitHostPort(s.Addr())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	// stdbuf makes it write a line at a time, as it would to a terminal.
	out, _ := exec.CommandContext(ctx, "stdbuf", append([]string{"-oL", program, "-p", port}, args...)...).CombinedOutput()
	require.NotContains(t, string(out), "ERR")
	return string(out)
}

func TestRedisCLI(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		var pipe strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&pipe, "SET key:%d value\r\n", i)
		}
		pipe.WriteString("ZADD line 1 a 2 b\r\n")
		require.Contains(t, tool(t, s, pipe.String(), "redis-cli", "--pipe"), "errors: 0, replies: 1001")
		require.Equal(t, 1001, strings.Count(tool(t, s, "", "redis-cli", "--scan"), "\n"))
		require.Contains(t, tool(t, s, "", "redis-cli", "--bigkeys"), "Sampled 1001 keys")
		require.Regexp(t, `(?m)^1001 +\S+ +1 +0 +\d+`, watch(t, s, "redis-cli", "--stat", "-i", "0.05"))
		require.Regexp(t, `(?m)^\d+ \d+ [\d.]+ \d+`, tool(t, s, "", "redis-cli", "--latency", "--raw", "-i", "0.1"))
		require.Equal(t, "a\n1\nb\n2\n", tool(t, s, "", "redis-cli", "ZRANGE", "line", "0", "-1", "WITHSCORES"))
		require.Equal(t, "PONG\n", tool(t, s, "", "redis-cli", "-3", "PING"))
	})
}

func TestRedisBenchmark(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		out := tool(t, s, "", "redis-benchmark", "-t", "ping,set,get,incr,mset,zadd,zpopmin", "-n", "2000", "-q", "-P", "4")
		for _, name := range []string{"PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "MSET (10 keys)", "ZADD", "ZPOPMIN"} {
			require.Contains(t, out, name+": ")
		}
	})
}
