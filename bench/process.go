package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a program that an experiment has started.
type Process struct {
	Name string

	cmd    *exec.Cmd
	mu     sync.Mutex
	last   []string      // the latest lines of its output, for when it fails
	exited chan struct{} // it has ended and its last line has been passed on
}

// Start runs one of this project's programs, or any other. Every line of its
// standard output and error goes to line (which must be quick), and Start
// returns when ready has said true of one of them. The process ends with ctx:
// it is asked first, and killed when it does not heed that in five seconds.
func Start(ctx context.Context, name string, args []string, ready func(line string) bool, line func(string)) (*Process, error) {
	path, err := Find(name)
	if err != nil {
		return nil, err
	}
	p := &Process{Name: name, cmd: exec.CommandContext(ctx, path, args...), exited: make(chan struct{})}
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = 5 * time.Second
	own(p.cmd)
	r, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	isReady, followed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(followed)
		p.follow(r, ready, line, isReady)
	}()
	go func() {
		p.cmd.Wait()
		w.Close()
		<-followed
		close(p.exited)
	}()
	select {
	case <-isReady:
		return p, nil
	case <-p.exited:
		if ctx.Err() != nil {
			return nil, ctx.Err() // what it says then is only that it was interrupted
		}
		return nil, fmt.Errorf("%s ended before it was ready:\n%s", name, p.tail())
	case <-time.After(20 * time.Second):
		p.Stop()
		return nil, fmt.Errorf("%s was not ready in 20 s:\n%s", name, p.tail())
	}
}

func (p *Process) follow(r io.Reader, ready func(string) bool, line func(string), isReady chan struct{}) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	waiting := true
	for lines.Scan() {
		text := lines.Text()
		p.mu.Lock()
		if p.last = append(p.last, text); len(p.last) > 20 {
			p.last = p.last[1:]
		}
		p.mu.Unlock()
		if line != nil {
			line(text)
		}
		if waiting && ready(text) {
			waiting = false
			close(isReady)
		}
	}
	io.Copy(io.Discard, r)
}

func (p *Process) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.last, "\n")
}

// Signal sends a signal.
func (p *Process) Signal(sig os.Signal) error {
	if sig == nil {
		return errors.ErrUnsupported
	}
	return p.cmd.Process.Signal(sig)
}

// Wait returns when the process has ended by itself, with what it said if it
// failed.
func (p *Process) Wait() error {
	<-p.exited
	if p.cmd.ProcessState.Success() {
		return nil
	}
	return fmt.Errorf("%s: %s\n%s", p.Name, p.cmd.ProcessState, p.tail())
}

// RSS returns how many bytes of memory the process has; false where the
// operating system does not say.
func (p *Process) RSS() (bytes float64, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			return kilobytes * 1024, err == nil
		}
	}
	return 0, false
}

// Stop asks the process to end and waits until it has.
func (p *Process) Stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(5 * time.Second):
		p.Kill()
	}
}

// Kill ends the process without a word and waits until it has ended.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	<-p.exited
}

// Find returns the path of a program: one beside this one first, since the
// project's commands are built together, then one on the PATH.
func Find(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if path := filepath.Join(filepath.Dir(self), name); exists(path) {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside this program nor on the PATH; `make build` puts the project's commands in one folder", name)
	}
	return path, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// Store is a MyRedis or Redis that an experiment uses.
type Store struct {
	Addr    string // host:port
	Name    string // "MyRedis 0.1.0", "Redis 7.0.15"
	Process *Process
}

// StartMyRedis starts a MyRedis on a free port.
func StartMyRedis(ctx context.Context, args ...string) (*Store, error) {
	return startStore(ctx, "myredis", args)
}

// StartRedis starts a real redis-server on a free port, without persistence.
func StartRedis(ctx context.Context, args ...string) (*Store, error) {
	return startStore(ctx, "redis-server", append([]string{"--save", "", "--appendonly", "no"}, args...))
}

func startStore(ctx context.Context, program string, args []string) (*Store, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	args = append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1"}, args...)
	p, err := Start(ctx, program, args, func(line string) bool { return strings.Contains(line, "Ready to accept connections") }, nil)
	if err != nil {
		return nil, err
	}
	s, err := Reach(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		p.Stop()
		return nil, err
	}
	s.Process = p
	return s, nil
}

// Stop ends a store that the experiment has started; one that was there before
// stays.
func (s *Store) Stop() {
	if s.Process != nil {
		s.Process.Stop()
	}
}

// Reach connects to a store that is up and asks its name and version.
func Reach(addr string) (*Store, error) {
	s := &Store{Addr: addr}
	info, err := s.Info("server")
	if err != nil {
		return nil, err
	}
	switch {
	case info["myredis_version"] != "":
		s.Name = "MyRedis " + info["myredis_version"]
	case info["valkey_version"] != "":
		s.Name = "Valkey " + info["valkey_version"]
	default:
		s.Name = "Redis " + info["redis_version"]
	}
	return s, nil
}

// Info asks the store for a section of INFO.
func (s *Store) Info(section string) (map[string]string, error) {
	c, err := Dial(s.Addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	text, err := c.Do("INFO", section)
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for line := range strings.Lines(text.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Installed reports whether a program can be started.
func Installed(name string) bool {
	_, err := Find(name)
	return err == nil
}
