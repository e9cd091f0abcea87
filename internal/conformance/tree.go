package conformance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Tree is a copy of what the suite needs of a Redis source tree, with a server
// in it.
type Tree struct {
	dir  string
	Tags string // as runtest takes them: "-needs:repl" leaves those tests out
	// Limit is how long a unit may take.
	Limit time.Duration
}

// ErrNoSuite says that a folder is not an unpacked Redis source tree.
var ErrNoSuite = errors.New("there is no runtest: this must be an unpacked Redis source tree")

// Copy copies the suite of a source tree, with a server where it looks for
// redis-server. Close removes the copy.
func Copy(source, server string) (*Tree, error) {
	if _, err := os.Stat(filepath.Join(source, "runtest")); err != nil {
		return nil, fmt.Errorf("%s: %w", source, ErrNoSuite)
	}
	dir, err := os.MkdirTemp("", "redis-suite-")
	if err != nil {
		return nil, err
	}
	t := &Tree{dir: dir, Limit: 10 * time.Minute}
	if err := t.fill(source, server); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close removes the copy.
func (t *Tree) Close() error { return os.RemoveAll(t.dir) }

func (t *Tree) fill(source, server string) error {
	for _, part := range []string{"tests", "utils", "src/commands"} {
		if err := os.CopyFS(filepath.Join(t.dir, part), os.DirFS(filepath.Join(source, part))); err != nil {
			return err
		}
	}
	runtest, err := os.ReadFile(filepath.Join(source, "runtest"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(t.dir, "runtest"), runtest, 0o755); err != nil {
		return err
	}
	server, err = filepath.Abs(server)
	if err != nil {
		return err
	}
	tools := map[string]string{"redis-server": server}
	for _, name := range []string{"redis-cli", "redis-benchmark", "redis-check-aof", "redis-check-rdb"} {
		if path, err := exec.LookPath(name); err == nil {
			tools[name] = path
		}
	}
	for name, path := range tools {
		if err := os.Symlink(path, filepath.Join(t.dir, "src", name)); err != nil {
			return err
		}
	}
	return nil
}

// Run runs a unit ("unit/type/list") and returns what it said, also as text.
func (t *Tree) Run(unit string) (Result, string, error) {
	const grace = 30 * time.Second // until the suite has ended its servers
	ctx, cancel := context.WithTimeout(context.Background(), t.Limit+grace)
	defer cancel()
	port, err := freePorts()
	if err != nil {
		return Result{}, "", err
	}
	args := []string{"--single", unit, "--durable", "--dont-clean", "--clients", "1", "--timeout", strconv.Itoa(int(t.Limit.Seconds())),
		"--baseport", strconv.Itoa(port), "--portcount", strconv.Itoa(portCount)}
	if t.Tags != "" {
		args = append(args, "--tags", t.Tags)
	}
	cmd := exec.CommandContext(ctx, "./runtest", args...)
	cmd.Dir = t.dir
	cmd.WaitDelay = time.Second
	output, err := cmd.CombinedOutput()
	r := parse(string(output))
	if ctx.Err() != nil {
		r.stop(fmt.Sprintf("no end after %v", t.Limit+grace))
	}
	if len(r.Passed)+len(r.Failed) == 0 && err != nil {
		r.stop(lastLine(string(output)))
	}
	return r, string(output), nil
}

// portCount is how many ports in a row a run may use.
const portCount = 500

// freePorts returns the first of a row of ports for a run. Runs of several
// processes can stand side by side.
func freePorts() (int, error) {
	const lowest, highest = 12_000, 30_000
	for port := lowest + os.Getpid()%30*portCount; port < highest; port += portCount {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free ports")
}

func lastLine(text string) string {
	text = strings.TrimSpace(colour.ReplaceAllString(text, ""))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
