package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"myredis/commands"
	"myredis/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// doors are the front doors of this machine.
var doors = func() []string {
	if epollAvailable {
		return []string{"epoll", "goroutine"}
	}
	return []string{"goroutine"}
}()

// start serves on a free port until the test ends.
func start(t *testing.T, settings map[string]string) *Server {
	t.Helper()
	cfg := config.Default()
	var args []string
	for name, value := range settings {
		args = append(args, "--"+name, value)
	}
	require.NoError(t, cfg.LoadArgs(args))
	s, err := Start(cfg, Options{Addr: "127.0.0.1:0", Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		require.NoError(t, s.Close(ctx))
	})
	return s
}

func onEveryDoor(t *testing.T, settings map[string]string, f func(t *testing.T, s *Server)) {
	for _, door := range doors {
		t.Run(door, func(t *testing.T) {
			all := map[string]string{"front-door": door}
			for k, v := range settings {
				all[k] = v
			}
			f(t, start(t, all))
		})
	}
}

// dial connects to the server for the length of the test.
func dial(t *testing.T, s *Server) *peer {
	t.Helper()
	nc, err := net.Dial("tcp", s.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	require.NoError(t, nc.SetDeadline(time.Now().Add(20*time.Second)))
	return &peer{t: t, Conn: nc, r: bufio.NewReader(nc)}
}

type peer struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func (p *peer) send(text string) {
	p.t.Helper()
	_, err := io.WriteString(p.Conn, text)
	require.NoError(p.t, err)
}

// want reads as much as text has and requires it to be that.
func (p *peer) want(text string) {
	p.t.Helper()
	got := make([]byte, len(text))
	n, err := io.ReadFull(p.r, got)
	require.NoError(p.t, err, "after %q", got[:n])
	require.Equal(p.t, text, string(got))
}

func (p *peer) wantEnd() {
	p.t.Helper()
	rest, err := io.ReadAll(p.r)
	require.NoError(p.t, err)
	require.Empty(p.t, string(rest))
}

func TestPipelineIsAnsweredInOrder(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		p := dial(t, s)
		var in, out strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&in, "ECHO %d\r\n", i)
			text := fmt.Sprint(i)
			fmt.Fprintf(&out, "$%d\r\n%s\r\n", len(text), text)
		}
		go io.WriteString(p.Conn, in.String())
		p.want(out.String())
	})
}

func TestByteAtATime(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		p := dial(t, s)
		for _, b := range []byte("*2\r\n$4\r\nECHO\r\n$3\r\nabc\r\nPING\r\n") {
			p.send(string(b))
		}
		p.want("$3\r\nabc\r\n+PONG\r\n")
	})
}

func TestProtocolErrorIsAnsweredOnceAndEndsTheConnection(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		p := dial(t, s)
		p.send("PING\r\n*1\r\nX\r\nPING\r\n")
		p.want("+PONG\r\n-ERR Protocol error: expected '$', got 'X'\r\n")
		p.wantEnd()
	})
}

func TestQuit(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		p := dial(t, s)
		p.send("QUIT\r\nPING\r\n")
		p.want("+OK\r\n")
		p.wantEnd()
	})
}

// A client that asks for much and reads nothing must not keep others from
// being served, and gets everything once it reads.
func TestSlowReaderHoldsUpNobody(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		slow, other := dial(t, s), dial(t, s)
		big := strings.Repeat("x", 1<<20)
		slow.send("SET big " + "small\r\n")
		slow.want("+OK\r\n")
		slow.send(fmt.Sprintf("*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$%d\r\n%s\r\n", len(big), big))
		slow.want("+OK\r\n")
		const times = 64
		slow.send(strings.Repeat("GET big\r\n", times))
		for range 100 {
			other.send("PING\r\n")
			other.want("+PONG\r\n")
		}
		for range times {
			slow.want(fmt.Sprintf("$%d\r\n%s\r\n", len(big), big))
		}
	})
}

func TestOutputBufferLimitEndsAClientThatDoesNotRead(t *testing.T) {
	onEveryDoor(t, map[string]string{"client-output-buffer-limit": "normal 8mb 0 0"}, func(t *testing.T, s *Server) {
		slow, other := dial(t, s), dial(t, s)
		big := strings.Repeat("x", 1<<20)
		other.send(fmt.Sprintf("*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$%d\r\n%s\r\n", len(big), big))
		other.want("+OK\r\n")
		slow.send(strings.Repeat("GET big\r\n", 64))
		require.Eventually(t, func() bool {
			var clients int
			s.Do(func(e *commands.Engine) { clients = e.Clients() })
			return clients == 1
		}, 10*time.Second, 5*time.Millisecond)
		other.send("PING\r\n")
		other.want("+PONG\r\n")
	})
}

func TestMaxclients(t *testing.T) {
	onEveryDoor(t, map[string]string{"maxclients": "2"}, func(t *testing.T, s *Server) {
		for range 2 {
			p := dial(t, s)
			p.send("PING\r\n")
			p.want("+PONG\r\n")
		}
		p := dial(t, s)
		p.want("-ERR max number of clients reached\r\n")
		p.wantEnd()
	})
}

// Strangers are turned away while there is no password.
func TestProtectedMode(t *testing.T) {
	stranger := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		s.Do(func(e *commands.Engine) {
			require.Contains(t, s.refusal(stranger), "-DENIED ")
			require.Empty(t, s.refusal(&net.TCPAddr{IP: net.IPv6loopback}))
			require.Empty(t, s.refusal(&net.UnixAddr{Net: "unix"}))
			require.NoError(t, s.cfg.Set([]config.Pair{{Name: "requirepass", Value: "x"}}))
			require.Empty(t, s.refusal(stranger))
			require.NoError(t, s.cfg.Set([]config.Pair{{Name: "requirepass", Value: ""}, {Name: "protected-mode", Value: "no"}}))
			require.Empty(t, s.refusal(stranger))
		})
	})
}

func TestMonitorShowsOthersCommands(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		watcher, other := dial(t, s), dial(t, s)
		watcher.send("MONITOR\r\n")
		watcher.want("+OK\r\n")
		other.send("SET \"a b\" \"\\x00\\n\"\r\n")
		other.want("+OK\r\n")
		line, err := watcher.r.ReadString('\n')
		require.NoError(t, err)
		require.Regexp(t, `^\+\d+\.\d{6} \[0 127\.0\.0\.1:\d+\] "SET" "a b" "\\x00\\n"\r\n$`, line)
	})
}

func TestClientKill(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		victim, killer := dial(t, s), dial(t, s)
		victim.send("CLIENT ID\r\n")
		id, err := victim.r.ReadString('\n')
		require.NoError(t, err)
		killer.send("CLIENT KILL ID " + strings.Trim(id, ":\r\n") + "\r\n")
		killer.want(":1\r\n")
		victim.wantEnd()
	})
}

func TestUnixSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "myredis") // t.TempDir can be too long for a socket's name
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	onEveryDoor(t, map[string]string{"unixsocket": path, "unixsocketperm": "700"}, func(t *testing.T, s *Server) {
		nc, err := net.Dial("unix", path)
		require.NoError(t, err)
		defer nc.Close()
		p := &peer{t: t, Conn: nc, r: bufio.NewReader(nc)}
		p.send("CLIENT INFO\r\n")
		_, err = p.r.ReadString('\n')
		require.NoError(t, err)
		line, err := p.r.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "addr="+path+":0")
		require.Contains(t, line, "flags=U")
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	})
}

// What has been answered is written before the server ends, and every
// connection is closed.
func TestCloseFinishesTheTurn(t *testing.T) {
	for _, door := range doors {
		t.Run(door, func(t *testing.T) {
			s := start(t, map[string]string{"front-door": door})
			p := dial(t, s)
			p.send("PING\r\n")
			p.want("+PONG\r\n")
			require.NoError(t, s.Close(t.Context()))
			p.wantEnd()
			_, err := net.Dial("tcp", s.Addr())
			require.Error(t, err)
		})
	}
}

func TestShutdownCommand(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		p := dial(t, s)
		p.send("SHUTDOWN NOSAVE\r\n")
		p.wantEnd()
		<-s.Done()
	})
}

// Keys go when they fall due though nobody looks at them.
func TestActiveExpiry(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		p := dial(t, s)
		for i := range 1000 {
			p.send(fmt.Sprintf("SET k%d v PX 1\r\n", i))
			p.want("+OK\r\n")
		}
		require.Eventually(t, func() bool {
			var left int
			s.Do(func(e *commands.Engine) { left = e.Keys.DB(0).Len() })
			return left == 0
		}, 10*time.Second, 5*time.Millisecond)
	})
}

func TestEpollWithWorkersIsRefused(t *testing.T) {
	cfg := config.Default()
	require.NoError(t, cfg.LoadArgs([]string{"--front-door", "epoll", "--workers", "2"}))
	_, err := Start(cfg, Options{Addr: "127.0.0.1:0"})
	require.ErrorContains(t, err, "cannot have 2 workers")
}

// A script that does not end keeps nobody out: others are told that the server
// is busy, and can end it.
func TestBusyScript(t *testing.T) {
	onEveryDoor(t, map[string]string{"busy-reply-threshold": "10"}, func(t *testing.T, s *Server) {
		runner, other := dial(t, s), dial(t, s)
		runner.send("EVAL \"while true do end\" 0\r\n")
		require.Eventually(t, func() bool {
			other.send("PING\r\n")
			line, err := other.r.ReadString('\n')
			require.NoError(t, err)
			return strings.HasPrefix(line, "-BUSY ")
		}, 10*time.Second, time.Millisecond)
		runner.send("PING\r\n") // waits for its turn
		other.send("SCRIPT KILL\r\n")
		other.want("+OK\r\n")
		line, err := runner.r.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "Script killed by user with SCRIPT KILL")
		runner.want("+PONG\r\n")
		other.send("PING\r\n")
		other.want("+PONG\r\n")
	})
}

// A script that does not end does not keep the server from ending.
func TestCloseEndsABusyScript(t *testing.T) {
	onEveryDoor(t, map[string]string{"busy-reply-threshold": "10"}, func(t *testing.T, s *Server) {
		runner, other := dial(t, s), dial(t, s)
		runner.send("EVAL \"redis.call('SET', 'k', 'v') while true do end\" 0\r\n")
		require.Eventually(t, func() bool {
			other.send("PING\r\n")
			line, err := other.r.ReadString('\n')
			require.NoError(t, err)
			return strings.HasPrefix(line, "-BUSY ")
		}, 10*time.Second, time.Millisecond)
		other.send("SHUTDOWN NOSAVE\r\n")
		<-s.Done()
	})
}
