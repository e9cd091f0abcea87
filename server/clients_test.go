package server

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
)

// Client libraries of other languages get the same from MyRedis as from Redis:
// each has a script in testdata/clients that prints what it got, and the two
// printed texts are compared.

func TestIORedis(t *testing.T) {
	testClient(t, node(t, "ioredis"), "ioredis.cjs", "2", "3")
}

func TestNodeRedis(t *testing.T) {
	testClient(t, node(t, "redis"), "node-redis.cjs", "2", "3")
}

func TestRedisPy(t *testing.T) {
	python := pythonWith(t, "redis")
	versions := []string{"2"}
	if exec.Command(python[0], "-c", "import redis; assert int(redis.__version__.split('.')[0]) >= 5").Run() == nil {
		versions = append(versions, "3") // before, redis-py has no RESP3
	}
	testClient(t, python, "redis_py.py", versions...)
}

func testClient(t *testing.T, interpreter []string, script string, versions ...string) {
	real := redistest.Start(t).Addr
	for _, resp := range versions {
		t.Run("RESP"+resp, func(t *testing.T) {
			want := runClient(t, interpreter, script, real, resp)
			onEveryDoor(t, nil, func(t *testing.T, s *Server) {
				require.Equal(t, want, runClient(t, interpreter, script, s.Addr(), resp))
			})
		})
	}
}

// runClient returns what a script prints.
func runClient(t *testing.T, interpreter []string, script, addr, resp string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, interpreter[0], filepath.Join("testdata", "clients", script), port, resp)
	cmd.Env = append(os.Environ(), interpreter[1:]...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	require.NoError(t, cmd.Run(), "%s%s", out.String(), complaints.String())
	require.Empty(t, complaints.String())
	require.Greater(t, strings.Count(out.String(), "\n"), 40)
	return out.String()
}

// node returns how to run a script that needs a module, as a program and what to
// add to its environment.
func node(t *testing.T, module string) []string {
	t.Helper()
	redistest.Need(t, "node")
	redistest.Need(t, "npm")
	root, err := exec.Command("npm", "root", "--global").Output()
	require.NoError(t, err)
	path := "NODE_PATH=" + strings.TrimSpace(string(root))
	find := exec.Command("node", "-e", "require.resolve(process.argv[1])", module)
	find.Env = append(os.Environ(), path)
	if find.Run() != nil {
		redistest.Missing(t, "the npm package "+module)
	}
	return []string{"node", path}
}

// pythonWith returns the first interpreter on the PATH that has a module: there
// may be several, of which the system's is the one that the package manager
// serves.
func pythonWith(t *testing.T, module string) []string {
	t.Helper()
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		python := filepath.Join(dir, "python3")
		if exec.Command(python, "-c", "import "+module).Run() == nil {
			return []string{python}
		}
	}
	redistest.Missing(t, "the Python package "+module)
	return nil
}
