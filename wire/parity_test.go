package wire_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/internal/redistest"
	"myredis/wire"
)

// These tests put the same bytes before this package and before a real Redis.

// startRedis starts a real Redis 7.0 on a Unix socket of its own and returns how
// to connect to it.
func startRedis(t *testing.T, args ...string) (dial func() net.Conn) {
	t.Helper()
	redistest.Need(t, "redis-server")
	binary, err := exec.LookPath("redis-server")
	require.NoError(t, err)
	version, err := exec.Command(binary, "--version").Output()
	require.NoError(t, err)
	if !bytes.Contains(version, []byte(" v=7.0.")) {
		t.Skipf("needs Redis 7.0, whose rules these are, and there is %s", version)
	}
	dir, err := os.MkdirTemp("", "wire") // t.TempDir is too long a path for a socket
	require.NoError(t, err)
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(binary, append([]string{"--port", "0", "--unixsocket", socket, "--dir", dir,
		"--save", "", "--daemonize", "no"}, args...)...)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		require.NoError(t, os.RemoveAll(dir))
	})
	require.Eventually(t, func() bool {
		c, err := net.Dial("unix", socket)
		if err != nil {
			return false
		}
		return c.Close() == nil
	}, 10*time.Second, 5*time.Millisecond)
	return func() net.Conn {
		c, err := net.Dial("unix", socket)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
		return c
	}
}

func TestParityProtocolErrors(t *testing.T) {
	open := startRedis(t)
	guarded := startRedis(t, "--requirepass", "secret")
	for _, tt := range malformed {
		t.Run(tt.name, func(t *testing.T) {
			dial := open
			if tt.unauth {
				dial = guarded
			}
			c := dial()
			_, err := io.WriteString(c, tt.input)
			require.NoError(t, err)
			answer, err := io.ReadAll(c)
			// A peer that closes on unread bytes resets the connection.
			if err != nil {
				require.ErrorContains(t, err, "connection reset")
			}
			require.Equal(t, "-ERR Protocol error: "+tt.want+"\r\n", string(answer), "and then it closes")
		})
	}
}

// What Redis takes for whole requests, it answers, and no more than those: the
// commands of each input are counted by their replies.
func TestParityAccepted(t *testing.T) {
	dial := startRedis(t)
	inputs := []string{
		request("PING"),
		request("ECHO", ""),
		request("ECHO", "\r\n\x00*$\xff"),
		"*1\rX$4\rYPING--PING\r\n",
		"*0\r\n*-1\r\n*-10\r\n*-9223372036854775808\r\nPING\r\n",
		"\r\n\n   \r\n\t\v\f\nPING\r\n",
		"PING\r\r\n",
		"PING\nECHO a\n",
		strings.Repeat(" ", 65_000) + "PING\r\n",
		"PING" + strings.Repeat(" ", 65_530) + "\r\n",
		"PING" + strings.Repeat(" ", 65_531) + "\r\n",
		request("ECHO", strings.Repeat("v", 1<<20)) + request("PING"),
	}
	for _, input := range inputs {
		t.Run(strconv.Quote(input[:min(len(input), 30)]), func(t *testing.T) {
			requests, err := decode(wire.Limits{}, input)
			require.NoError(t, err)
			var want wire.Encoder
			for _, r := range requests {
				switch r[0] {
				case "PING":
					want.Simple("PONG")
				case "ECHO":
					want.BulkString(r[1])
				}
			}
			c := dial()
			_, err = io.WriteString(c, input)
			require.NoError(t, err)
			_, err = io.WriteString(c, request("QUIT"))
			require.NoError(t, err)
			want.Simple("OK")
			answer, err := io.ReadAll(c)
			require.NoError(t, err)
			require.Equal(t, string(want.Buf), string(answer))
		})
	}
}

// Any bytes are to Redis what they are to the decoder. None of the requests is a
// command, and the error that says so shows how Redis read it.
func TestParityAnything(t *testing.T) {
	dial := startRedis(t)
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"*1\r\n", "*1\r\n", "*2\r\n", "*3\r\n", "$0\r\n\r\n", "$1\r\nx\r\n", "$2\r\nyz\r\n", "$12\r\nabcdefghijkl\r\n"}),
		rapid.SampledFrom([]string{"*0\r\n", "*-1\r\n", "\r\n", "x y\r\n", "'x'\n", "\"y z\"\r\n", "*1\r", "$1\r", "*", "$", "\r", "\n", "-", "0", "1", "x", "\"", " "}),
	)
	rapid.Check(t, func(t *rapid.T) {
		input := strings.Join(rapid.SliceOfN(piece, 1, 30).Draw(t, "pieces"), "")
		requests, decodeErr := decode(wire.Limits{}, input)
		var want wire.Encoder
		for _, r := range requests {
			want.Error(unknownCommand(r))
		}
		if decodeErr != nil {
			want.Error("ERR " + decodeErr.Error())
		}

		c := dial().(*net.UnixConn)
		defer c.Close()
		_, err := io.WriteString(c, input)
		require.NoError(t, err)
		require.NoError(t, c.CloseWrite())
		answer, err := io.ReadAll(c)
		if err != nil {
			require.ErrorContains(t, err, "connection reset")
		}
		require.Equal(t, string(want.Buf), string(answer))
	})
}

// unknownCommand is Redis's error for a request of no command.
func unknownCommand(args []string) string {
	const most = 128
	var list string
	for _, arg := range args[1:] {
		if len(list) >= most {
			break
		}
		list += "'" + arg[:min(len(arg), most-len(list))] + "' "
	}
	return "ERR unknown command '" + args[0][:min(len(args[0]), most)] + "', with args beginning with: " + list
}

// Redis splits an inline request as the decoder does: EVAL returns the words.
func TestParityInline(t *testing.T) {
	dial := startRedis(t)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringOfN(
			rapid.SampledFrom([]rune(`"""'''\\\\   xnrtba4Fg`+"\t\v\f\r\u00ff")), 0, 24, -1), 1, 20).Draw(t, "lines")
		var input strings.Builder
		for _, line := range lines {
			input.WriteString(`EVAL "return ARGV" 0 ` + line + "\r\n")
		}
		requests, decodeErr := decode(wire.Limits{}, input.String())
		var want wire.Encoder
		for _, r := range requests {
			want.Array(len(r) - 3)
			for _, word := range r[3:] {
				want.BulkString(word)
			}
		}
		if decodeErr != nil {
			want.Error("ERR " + decodeErr.Error())
		} else {
			input.WriteString("QUIT\r\n")
			want.Simple("OK")
		}

		c := dial()
		defer c.Close()
		_, err := io.WriteString(c, input.String())
		require.NoError(t, err)
		answer, err := io.ReadAll(c)
		if err != nil {
			require.ErrorContains(t, err, "connection reset")
		}
		require.Equal(t, string(want.Buf), string(answer))
	})
}

// greeted connects in a protocol and reads what HELLO replies.
func greeted(t *testing.T, dial func() net.Conn, proto int) (net.Conn, *bufio.Reader) {
	t.Helper()
	c := dial()
	replies := bufio.NewReader(c)
	_, err := io.WriteString(c, request("HELLO", strconv.Itoa(proto))+request("ECHO", "ready"))
	require.NoError(t, err)
	for line := ""; line != "ready\r\n"; {
		line, err = replies.ReadString('\n')
		require.NoError(t, err)
	}
	return c, replies
}

// Redis replies a score in the bytes that Double appends, in both protocols. Small
// sets are switched off: their encoding stores -0 as 0.
func TestParityScores(t *testing.T) {
	dial := startRedis(t, "--zset-max-listpack-entries", "0")
	scores := append(randomDoubles(t, 20_000), 0, math.Copysign(0, -1), 0.1, 1e16, 99999999999999984,
		1e17, -1e17, 1<<62, 1<<63, 1e-4, 1e-5, math.MaxFloat64, 5e-324, math.Inf(1), math.Inf(-1))
	for _, proto := range []int{2, 3} {
		c, replies := greeted(t, dial, proto)
		for batch := range slices.Chunk(scores, 500) {
			var requests string
			want := wire.Encoder{Proto: proto}
			for _, f := range batch {
				requests += request("ZADD", "k", strconv.FormatFloat(f, 'g', -1, 64), "m")
				requests += request("ZSCORE", "k", "m")
				requests += request("DEL", "k") // for -0 does not replace 0
				want.Int(1)
				want.Double(f)
				want.Int(1)
			}
			_, err := io.WriteString(c, requests)
			require.NoError(t, err)
			for line := range strings.Lines(string(want.Buf)) {
				got, err := replies.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, line, got)
			}
		}
	}
}

// DEBUG PROTOCOL replies one of each kind.
func TestParityKinds(t *testing.T) {
	dial := startRedis(t, "--enable-debug-command", "yes")
	kinds := []struct {
		name  string
		reply func(e *wire.Encoder)
	}{
		{"string", func(e *wire.Encoder) { e.BulkString("Hello World") }},
		{"integer", func(e *wire.Encoder) { e.Int(12345) }},
		{"double", func(e *wire.Encoder) { e.Double(3.141) }},
		{"null", (*wire.Encoder).Null},
		{"array", func(e *wire.Encoder) {
			e.Array(3)
			for i := range 3 {
				e.Int(int64(i))
			}
		}},
		{"set", func(e *wire.Encoder) {
			e.Set(3)
			for i := range 3 {
				e.Int(int64(i))
			}
		}},
		{"map", func(e *wire.Encoder) {
			mark := e.Defer()
			for i := range 3 {
				e.Int(int64(i))
				e.Bool(i == 1)
			}
			e.Resolve(mark, wire.KindMap, 3)
		}},
		{"bignum", func(e *wire.Encoder) { e.BigNumber("1234567999999999999999999999999999999") }},
		{"true", func(e *wire.Encoder) { e.Bool(true) }},
		{"false", func(e *wire.Encoder) { e.Bool(false) }},
		{"verbatim", func(e *wire.Encoder) { e.Verbatim("txt", "This is a verbatim\nstring") }},
	}
	for _, proto := range []int{2, 3} {
		c, replies := greeted(t, dial, proto)
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("RESP%d %s", proto, kind.name), func(t *testing.T) {
				want := wire.Encoder{Proto: proto}
				kind.reply(&want)
				_, err := io.WriteString(c, request("DEBUG", "PROTOCOL", kind.name))
				require.NoError(t, err)
				got := make([]byte, want.Len())
				_, err = io.ReadFull(replies, got)
				require.NoError(t, err)
				require.Equal(t, string(want.Buf), string(got))
			})
		}
	}
}
