package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/resp"
)

func TestLocalOnly(t *testing.T) {
	local := []string{"--bind", "127.0.0.1", "-::1"}
	require.Equal(t, local, localOnly(nil))
	require.Equal(t, append(local, "--port", "1", "--bind", "*"), localOnly([]string{"--port", "1", "--bind", "*"}), "what comes later wins")
	require.Equal(t, []string{"redis.conf", "--port", "1"}, localOnly([]string{"redis.conf", "--port", "1"}), "a file says what its author wants")
}

func TestUsageNamesEveryFlagWithItsDefault(t *testing.T) {
	text := usage()
	for _, f := range flags {
		require.Contains(t, text, "--"+f.name+" ")
	}
	require.Contains(t, text, `default "6380"`)
	require.Contains(t, text, `default "127.0.0.1 -::1"`)
}

func TestRefusals(t *testing.T) {
	for _, args := range [][]string{{"--appendonly", "yes"}, {"--no-such-directive", "1"}, {"--port", "x"}, {"no-such-file.conf"}, {"--user", "a", "--user", "a"}, {"--user", "a", "foo"}, {"--workers", "2", "--front-door", "epoll", "--port", "0"}} {
		require.Error(t, run(args), "%q", args)
	}
}

// The program as people run it: a configuration file, overrides, a client, the
// end by SIGTERM.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "myredis")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	conf := filepath.Join(dir, "redis.conf")
	require.NoError(t, os.WriteFile(conf, []byte("port 0\nsave \"\"\nappendonly no\nmaxclients 77\n"), 0o644))
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(binary, conf, "--unixsocket", socket, "--logfile", filepath.Join(dir, "log"))
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var nc net.Conn
	require.Eventually(t, func() bool {
		nc, err = net.Dial("unix", socket)
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	defer nc.Close()
	require.NoError(t, resp.NewWriter(nc).WriteArray([]resp.Value{resp.StringValue("CONFIG"), resp.StringValue("GET"), resp.StringValue("maxclients")}))
	v, _, err := resp.NewReader(nc).ReadValue()
	require.NoError(t, err)
	require.Equal(t, "77", v.Array()[1].String())
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		cmd.Process.Kill()
		t.Fatal("it does not end")
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	require.NoError(t, err)
	for _, line := range []string{"Ready to accept connections", " PID: ", "User requested shutdown...", "bye bye"} {
		require.True(t, strings.Contains(string(log), line), line)
	}
}
