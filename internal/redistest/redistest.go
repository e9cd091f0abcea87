package redistest

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a running redis-server.
type Server struct {
	Addr string // "127.0.0.1:port"
	Port int

	cmd *exec.Cmd
	dir string
	t   testing.TB
}

// Start starts a server with nothing but the given arguments ("--name",
// "value") changed, no persistence, and waits until it accepts connections.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	Need(t, "redis-server")
	dir, err := os.MkdirTemp("", "redistest")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Port: FreePort(t), dir: dir, t: t}
	s.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))
	s.start(append([]string{"--port", strconv.Itoa(s.Port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", dir}, args...))
	t.Cleanup(func() {
		s.Kill()
		os.RemoveAll(dir)
	})
	return s
}

func (s *Server) start(args []string) {
	s.t.Helper()
	s.cmd = exec.Command("redis-server", args...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.t.Fatalf("start redis-server: %v", err)
	}
	ready := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "Ready to accept connections") {
				ready <- true
			}
		}
		close(ready)
	}()
	select {
	case ok := <-ready:
		if !ok {
			s.t.Fatal("redis-server ended before it was ready")
		}
	case <-time.After(20 * time.Second):
		s.t.Fatal("redis-server did not get ready in 20 s")
	}
}

// Kill ends the server at once, as SIGKILL does, and waits for its end.
func (s *Server) Kill() {
	if s.cmd.ProcessState == nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	}
}

// Restart starts the server again, after Kill, on the same port.
func (s *Server) Restart() {
	s.t.Helper()
	s.start(s.cmd.Args[1:])
}

// Signal sends a signal, SIGSTOP and SIGCONT for a stall.
func (s *Server) Signal(sig os.Signal) error { return s.cmd.Process.Signal(sig) }

// Need skips the test, or fails it in strict mode, when a program is not
// installed.
func Need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		Missing(t, program)
	}
}

// Missing skips the test, or fails it in strict mode, because something is not
// installed.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("MYREDIS_TEST_STRICT") != "" {
		t.Fatalf("%s is not installed, and MYREDIS_TEST_STRICT is set", what)
	}
	t.Skipf("%s is not installed", what)
}

// FreePort returns a TCP port that nobody listens on.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
