package commands

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/resp"

	"myredis/internal/config"
	"myredis/internal/redistest"
)

func debugBench(t testing.TB) (e *Engine, do func(args ...string) string) {
	cfg := config.Default()
	cfg.EnableDebugCommand = "yes"
	e = New(cfg, nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	c := e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
	return e, func(args ...string) string {
		raw := make([][]byte, len(args))
		for i, arg := range args {
			raw[i] = []byte(arg)
		}
		c.Out.Truncate(0)
		e.Exec(c, raw)
		return string(c.Out.Buf)
	}
}

// everything makes keys of every kind and encoding, in two databases.
func everything(do func(args ...string) string) {
	many := func(command string, n int, pair bool) {
		args := []string{command, "many:" + command}
		for i := range n {
			args = append(args, string(rune('a'+i%26))+strings.Repeat("x", i/26))
			if pair {
				args = append([]string{args[0], args[1], "1"}, args[2:]...)
			}
		}
		if pair && len(args)%2 == 1 {
			args = append(args, "last")
		}
		do(args...)
	}
	do("SET", "string", "value")
	do("SET", "number", "12345")
	do("SET", "expires", "soon", "PXAT", "4102444800000")
	do("RPUSH", "list", "a", "1", "")
	do("SADD", "set", "a", "b")
	do("SADD", "integers", "1", "100000")
	do("ZADD", "zset", "1.5", "a", "-inf", "b")
	do("HSET", "hash", "field", "value", "number", "7")
	many("RPUSH", 5000, false)
	many("SADD", 600, false)
	many("HSET", 2000, false)
	do("SELECT", "9")
	do("ZADD", "inf", "inf", "m")
	do("SET", "long", strings.Repeat("compress me ", 1000))
	do("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 'called' end)")
}

func TestReload(t *testing.T) {
	_, do := debugBench(t)
	everything(do)
	before := do("DEBUG", "DIGEST")
	require.Equal(t, "+OK\r\n", do("DEBUG", "RELOAD"))
	require.Equal(t, before, do("DEBUG", "DIGEST"))
	require.Equal(t, "$6\r\ncalled\r\n", do("FCALL", "f", "0"))
	require.Contains(t, do("DEBUG", "RELOAD", "NOFLUSH"), "-ERR Error trying to load the RDB dump")
	require.Equal(t, before, do("DEBUG", "DIGEST"))
	do("SET", "new", "1")
	do("DEL", "inf")
	require.Equal(t, "+OK\r\n", do("DEBUG", "RELOAD", "NOSAVE", "NOFLUSH", "MERGE"))
	require.Equal(t, ":1\r\n", do("DEL", "new"))
	require.Equal(t, before, do("DEBUG", "DIGEST"))
	do("SELECT", "0")
	require.Equal(t, ":4102444800000\r\n", do("PEXPIRETIME", "expires"))
	require.Contains(t, do("DEBUG", "RELOAD", "X"), "-ERR DEBUG RELOAD only supports")
}

// A snapshot that cannot be read changes nothing.
func TestReloadFails(t *testing.T) {
	e, do := debugBench(t)
	everything(do)
	before := do("DEBUG", "DIGEST")
	do("DEBUG", "RELOAD")
	e.saved[len(e.saved)-1]++
	require.Contains(t, do("DEBUG", "RELOAD", "NOSAVE"), "-ERR Error trying to load the RDB dump")
	require.Equal(t, before, do("DEBUG", "DIGEST"))
	do("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1")
	require.Equal(t, "+OK\r\n", do("DEBUG", "RELOAD", "NOSAVE"))
}

// Redis starts with a snapshot of this server, and this server reads one of
// Redis's.
func TestSnapshotParity(t *testing.T) {
	e, do := debugBench(t)
	everything(do)
	dir := t.TempDir()
	var b bytes.Buffer
	require.NoError(t, e.save(&b))
	file := filepath.Join(dir, "dump.rdb")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	redis := redistest.Start(t, "--dir", dir, "--enable-debug-command", "yes")
	nc, err := net.Dial("tcp", redis.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	conn := resp.NewConn(nc)
	ask := func(name string, args ...any) string {
		require.NoError(t, conn.WriteMultiBulk(name, args...))
		v, _, err := conn.ReadValue()
		require.NoError(t, err)
		return v.String()
	}
	digest := strings.TrimSpace(do("DEBUG", "DIGEST")[1:])
	require.Equal(t, digest, ask("DEBUG", "DIGEST"))
	require.Equal(t, "called", ask("FCALL", "f", "0"))

	for _, policy := range []string{"noeviction", "allkeys-lru", "allkeys-lfu"} {
		ask("CONFIG", "SET", "maxmemory-policy", policy)
		require.Equal(t, "OK", ask("SAVE"))
		saved, err := os.ReadFile(file)
		require.NoError(t, err)
		other, otherDo := debugBench(t)
		s, err := other.read(bytes.NewReader(saved))
		require.NoError(t, err)
		other.replaceWith(s)
		require.Equal(t, "+"+digest+"\r\n", otherDo("DEBUG", "DIGEST"))
		require.Equal(t, "$6\r\ncalled\r\n", otherDo("FCALL", "f", "0"))
	}
}
