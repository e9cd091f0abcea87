package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/config"
)

func pairs(words ...string) (list []config.Pair) {
	for i := 0; i < len(words); i += 2 {
		list = append(list, config.Pair{Name: words[i], Value: words[i+1]})
	}
	return list
}

func value(t *testing.T, c *config.Config, name string) string {
	t.Helper()
	found := c.Get(name)
	require.Len(t, found, 1)
	return found[0].Value
}

func TestFieldsFollow(t *testing.T) {
	c := load(t, "--port", "7", "--bind", "127.0.0.1", "::1", "--unixsocketperm", "750", "--workers", "4", "--gap", "10us", "--front-door", "goroutine",
		"--save", "60", "5", "--maxmemory", "1gb", "--maxmemory-clients", "5%", "--client-output-buffer-limit", "replica", "1kb", "2kb", "3")
	require.Equal(t, 7, c.Port)
	require.Equal(t, []string{"127.0.0.1", "::1"}, c.Bind)
	require.Equal(t, uint32(0o750), c.UnixSocketPerm)
	require.Equal(t, 4, c.Workers)
	require.Equal(t, "10us", c.Gap)
	require.Equal(t, "goroutine", c.FrontDoor)
	require.Equal(t, []config.SavePoint{{Seconds: 60, Changes: 5}}, c.Save)
	require.Equal(t, uint64(1<<30), c.Maxmemory)
	require.Equal(t, int64(-5), c.MaxmemoryClients)
	require.Equal(t, config.OutputLimit{Hard: 1024, Soft: 2048, SoftSeconds: 3}, c.ClientOutputBufferLimit[config.ClassReplica])
	require.Equal(t, config.OutputLimit{Hard: 32 << 20, Soft: 8 << 20, SoftSeconds: 60}, c.ClientOutputBufferLimit[config.ClassPubSub])

	require.Empty(t, load(t, "--bind", "").Bind)
	require.Equal(t, []string{"*", "-::*"}, config.Default().Bind, "defaults are not shared")
	require.NoError(t, c.Set(pairs("slowlog-max-len", "5", "notify-keyspace-events", "AKEn")))
	require.Equal(t, int64(5), c.SlowlogMaxLen)
	require.Equal(t, "AKEn", c.NotifyKeyspaceEvents, "what is printed leaves n out")
}

func TestOurParameters(t *testing.T) {
	c := config.Default()
	require.Equal(t, []config.Pair{{Name: "workers", Value: "1"}, {Name: "gap", Value: "none"}, {Name: "front-door", Value: "auto"}}, c.Get("workers", "gap", "front-door"))
	for _, name := range ours {
		require.EqualError(t, c.Set(pairs(name, "1")), "CONFIG SET failed (possibly related to argument '"+name+"') - can't set immutable config")
	}
	for _, tt := range []struct{ name, value, reason string }{
		{"workers", "0", "argument must be between 1 and 64 inclusive"},
		{"workers", "65", "argument must be between 1 and 64 inclusive"},
		{"gap", "soon", "argument must be none, yield or a duration such as 10us"},
		{"gap", "-1s", "argument must be none, yield or a duration such as 10us"},
		{"gap", "", "argument must be none, yield or a duration such as 10us"},
		{"front-door", "back", "argument(s) must be one of the following: auto, epoll, goroutine"},
	} {
		var line *config.LineError
		require.ErrorAs(t, c.LoadArgs([]string{"--" + tt.name, tt.value}), &line, tt.value)
		require.Equal(t, tt.reason, line.Reason)
	}
}

// What is not there yet is refused, at start and by CONFIG SET.
func TestUnavailable(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		reason string
	}{
		{[]string{"--appendonly", "yes"}, "appendonly yes is not available: this server keeps data in memory only"},
		{[]string{"--cluster-enabled", "yes"}, "cluster-enabled yes is not available: this server is no cluster node"},
		{[]string{"--replicaof", "host", "6379"}, "replicaof is not available: this server cannot be a replica"},
		{[]string{"--slaveof", "host", "6379"}, "replicaof is not available: this server cannot be a replica"},
		{[]string{"--tls-port", "1"}, "TLS is not available: this server does not speak it"},
		{[]string{"--tls-cluster", "yes"}, "TLS is not available: this server does not speak it"},
		{[]string{"--loadmodule", "x.so", "arg"}, "loadmodule is not available"},
		{[]string{"--user", "ann", "on"}, "user is not available"},
		{[]string{"--rename-command", "FLUSHALL", ""}, "rename-command is not available"},
		{[]string{"--module.setting", "1"}, "Module Configuration detected without loadmodule directive or no ApplyConfig call: aborting"},
		{[]string{"--sentinel"}, "sentinel directive while not in sentinel mode"},
	} {
		var line *config.LineError
		require.ErrorAs(t, config.Default().LoadArgs(tt.args), &line, "%q", tt.args)
		require.Equal(t, tt.reason, line.Reason)
		require.Equal(t, 2, line.Line)
	}
	c := config.Default()
	require.EqualError(t, c.Set(pairs("hz", "50", "appendonly", "yes")),
		"CONFIG SET failed (possibly related to argument 'appendonly') - appendonly yes is not available: this server keeps data in memory only")
	require.Equal(t, 10, c.Hz)
	require.False(t, c.Appendonly)
}

func TestHooksSeeAllValues(t *testing.T) {
	c := config.Default()
	var seen []string
	c.OnChange("timeout", func() error { seen = append(seen, "timeout", strconv.Itoa(c.Timeout), strconv.Itoa(c.Hz)); return nil })
	c.OnChange("slave-priority", func() error { seen = append(seen, "priority", strconv.Itoa(c.ReplicaPriority)); return nil })
	c.OnChange("TLS-Cert-File", func() error { seen = append(seen, "cert"); return nil })

	require.NoError(t, c.Set(pairs("timeout", "5", "hz", "50")))
	require.Equal(t, []string{"timeout", "5", "50"}, seen)

	seen = nil
	require.NoError(t, c.Set(pairs("timeout", "5", "replica-priority", "7", "slave-priority", "8")))
	require.Equal(t, []string{"priority", "8"}, seen, "only what has changed, and once")

	seen = nil
	require.NoError(t, c.Set(pairs("tls-cert-file", "")))
	require.Equal(t, []string{"cert"}, seen, "the file may be another one under the same name")

	require.Panics(t, func() { c.OnChange("no-such", func() error { return nil }) })
}

func TestHookThatRefuses(t *testing.T) {
	c := config.Default()
	var log []string
	note := func(name string, refuses func() bool) {
		c.OnChange(name, func() error {
			log = append(log, name+"="+value(t, c, name))
			if refuses() {
				return errors.New("Unable to listen on this port. Check server logs.")
			}
			return nil
		})
	}
	never := func() bool { return false }
	note("timeout", never)
	note("bind", never)
	note("port", func() bool { return c.Port == 1 })
	note("hz", never)
	before := c.Get("*")

	err := c.Set(pairs("Timeout", "5", "bind", "127.0.0.1", "PORT", "1", "hz", "50"))
	require.EqualError(t, err, "CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port. Check server logs.")
	require.Equal(t, before, c.Get("*"))
	require.Equal(t, []string{"timeout=5", "bind=127.0.0.1", "port=1", "timeout=0", "bind=* -::*"}, log)

	require.NoError(t, c.Set(pairs("port", "2", "hz", "50")))
	require.Equal(t, 2, c.Port)
}

func TestValuesGoBackInTheRightOrder(t *testing.T) {
	c := config.Default()
	require.Error(t, c.Set(pairs("replica-priority", "1", "slave-priority", "2", "timeout", "x")))
	require.Equal(t, 100, c.ReplicaPriority)
	require.Error(t, c.Set(pairs("save", "1 1", "latency-tracking-info-percentiles", "1 x")))
	require.Equal(t, "3600 1 300 100 60 10000", value(t, c, "save"))
	require.Equal(t, "50 99 99.9", value(t, c, "latency-tracking-info-percentiles"))
	require.Error(t, c.Set(pairs("client-output-buffer-limit", "normal 1 2 3", "bind", "a b", "oom-score-adj-values", "1")))
	require.Equal(t, config.OutputLimit{}, c.ClientOutputBufferLimit[config.ClassNormal])
	require.Equal(t, []string{"*", "-::*"}, c.Bind)
}

func TestProtectedParameters(t *testing.T) {
	dir := t.TempDir()
	const refused = "CONFIG SET failed (possibly related to argument 'dir') - can't set protected config"
	for _, tt := range []struct {
		allowed       string
		remote, local bool
	}{{"no", false, false}, {"local", false, true}, {"yes", true, true}} {
		c := load(t, "--enable-protected-configs", tt.allowed)
		for _, set := range []struct {
			do func([]config.Pair) error
			ok bool
		}{{c.Set, tt.remote}, {c.SetLocal, tt.local}} {
			if err := set.do(pairs("dir", dir)); set.ok {
				require.NoError(t, err)
				require.Equal(t, dir, c.Dir)
			} else {
				require.EqualError(t, err, refused)
			}
		}
	}
}

func TestLoading(t *testing.T) {
	c := load(t, "--enable-protected-configs", "yes")
	c.Loading = true
	for _, p := range [][]config.Pair{pairs("appendonly", "no"), pairs("hz", "5", "repl-diskless-load", "swapdb"), pairs("dir", "/")} {
		require.ErrorIs(t, c.Set(p), config.ErrLoading)
	}
	require.Equal(t, 10, c.Hz)
	require.NoError(t, c.Set(pairs("hz", "5")))
	require.ErrorContains(t, c.Set(pairs("daemonize", "yes", "appendonly", "no")), "immutable", "the first that is wrong counts")
}

func TestDir(t *testing.T) {
	base := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(base, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(base, "sub", "x.conf"), []byte("hz 17"), 0o644))

	c := load(t, "--dir", base, "--dir", "sub", "--include", "x.conf", "--enable-protected-configs", "yes")
	require.Equal(t, filepath.Join(base, "sub"), c.Dir)
	require.Equal(t, 17, c.Hz, "files are looked for below dir")
	require.Equal(t, filepath.Join(base, "sub", "dump.rdb"), c.Path(c.DBFilename))
	require.Equal(t, "/etc/passwd", c.Path("/etc/passwd"))
	for dir, why := range map[string]string{"none": "No such file or directory", "../file": "Not a directory", "": "No such file or directory"} {
		require.EqualError(t, c.Set(pairs("dir", dir)), "CONFIG SET failed (possibly related to argument 'dir') - "+why)
	}
	require.Equal(t, filepath.Join(base, "sub"), c.Dir)
	wd, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, wd, config.Default().Dir)
}

func TestSensitive(t *testing.T) {
	c := config.Default()
	for name, want := range map[string]bool{"requirepass": true, "MasterAuth": true, "masteruser": true, "port": false, "no-such": false} {
		require.Equal(t, want, c.Sensitive(name), name)
	}
}

func TestProcTitleTemplate(t *testing.T) {
	c := load(t, "--unixsocket", "/tmp/s", "--port", "0")
	for template, ok := range map[string]bool{
		"{title} {listen-addr} {server-mode}": true, "{config-file}": true, "{unixsocket}": true, "{port}{tls-port}": true,
		"plain": true, "{{": true, "{title}": false, "{server-mode}": false, "{other}": false, "{title": false, "x{": false, "": false, "   ": false,
	} {
		err := c.Set(pairs("proc-title-template", template))
		require.Equal(t, ok, err == nil, "%q: %v", template, err)
	}
	require.NotEmpty(t, strings.TrimSpace(c.ProcTitleTemplate))
}
