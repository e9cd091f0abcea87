package config_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/internal/config"
	"myredis/internal/redistest"
)

// The judge of this file is a redis-server: what it prints, replies and writes
// is what the package has to.

// ours are the parameters that Redis does not have.
var ours = []string{"workers", "gap", "front-door"}

// everything returns all parameters but ours, by name.
func everything(c *config.Config) map[string]string {
	all := map[string]string{}
	for _, p := range c.Get("*") {
		if !slices.Contains(ours, p.Name) {
			all[p.Name] = p.Value
		}
	}
	return all
}

// connect returns a client of one connection, which no limit that a test sets
// closes.
func connect(t *testing.T, addr, password string) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{
		Addr: addr, Password: password, MaxRetries: -1, PoolSize: 1,
		OnConnect: func(ctx context.Context, c *redis.Conn) error {
			return c.Do(ctx, "client", "no-evict", "on").Err()
		},
	})
	t.Cleanup(func() { client.Close() })
	return client
}

func configGet(t *testing.T, client *redis.Client, patterns ...any) map[string]string {
	t.Helper()
	reply, err := client.Do(context.Background(), append([]any{"config", "get"}, patterns...)...).Result()
	require.NoError(t, err)
	all := map[string]string{}
	switch reply := reply.(type) {
	case map[any]any:
		for name, value := range reply {
			all[name.(string)] = value.(string)
		}
	default:
		require.Failf(t, "unexpected reply", "%T", reply)
	}
	return all
}

// configSet sends a CONFIG SET and returns the text of the error, empty for OK.
func configSet(client *redis.Client, pairs []config.Pair) string {
	args := []any{"config", "set"}
	for _, p := range pairs {
		args = append(args, p.Name, p.Value)
	}
	if err := client.Do(context.Background(), args...).Err(); err != nil {
		return strings.TrimPrefix(err.Error(), "ERR ")
	}
	return ""
}

func errorText(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// start runs redis-server with exactly these arguments, which have to name a
// port, and waits for it.
func start(t *testing.T, port int, password string, args ...string) *redis.Client {
	t.Helper()
	redistest.Need(t, "redis-server")
	cmd := exec.Command("redis-server", args...)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	client := connect(t, fmt.Sprintf("127.0.0.1:%d", port), password)
	require.Eventually(t, func() bool { return client.Ping(context.Background()).Err() == nil }, 20*time.Second, 10*time.Millisecond)
	return client
}

func load(t *testing.T, args ...string) *config.Config {
	t.Helper()
	c := config.Default()
	require.NoError(t, c.LoadArgs(args))
	return c
}

func TestDefaultsAreThoseOfRedis(t *testing.T) {
	dir := t.TempDir()
	port := redistest.FreePort(t)
	want := configGet(t, start(t, port, "", "--port", fmt.Sprint(port), "--dir", dir), "*")

	require.Equal(t, config.DefaultPort, config.Default().Port)
	got := everything(load(t, "--port", fmt.Sprint(port), "--dir", dir))
	require.Equal(t, want, got)
}

func TestConfigGetAsRedis(t *testing.T) {
	srv := redistest.Start(t)
	client := connect(t, srv.Addr, "")
	c := load(t, "--port", fmt.Sprint(srv.Port), "--bind", "127.0.0.1", "--save", "")
	for _, patterns := range [][]string{
		{"port"}, {"PORT"}, {"PO*", "port"}, {"SAVE", "save"}, {"slaveof", "replicaof"},
		{"no-such"}, {"no-such*"}, {"*max-*-entries"}, {"[hz]*"}, {"h[^a]*"}, {"MAXMEMORY*", "hz", "Hz"},
		{`max\memory`}, {"maxmemory?policy"}, {"rdb-key-save-delay"}, {"rdb-key-*"}, {"watchdog-period"},
		{"key-load-delay", "use-exit-on-panic", "loading-process-events-interval-bytes"}, {""}, {"*slave*"},
	} {
		want := configGet(t, client, anys(patterns)...)
		got := map[string]string{}
		for _, p := range c.Get(patterns...) {
			require.NotContains(t, got, p.Name)
			got[p.Name] = p.Value
		}
		require.Equal(t, want, got, "%q", patterns)
	}
}

func anys(words []string) (list []any) {
	for _, w := range words {
		list = append(list, w)
	}
	return list
}

// values are tried on every parameter: some are right for some types.
var values = []string{
	"", "0", "1", "-1", "2", "7", "100", "-100", "-101", "1024", "65536", "1000000", "1048576", "2147483647", "2147483648",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616",
	"007", "+5", " 5", "5 ", "1.5", "0x10", "1e3", "abc", "yes", "NO", "Yes", "true",
	"1b", "3k", "3KB", "3m", "3mb", "3g", "3Gb", "3tb", "kb", "mb1", "17179869184gb", "5%", "100%", "101%", "-5%", "%", "1 2 3", "3 2", "5 -1",
	"50 99", "101", "inf", "nan", "a/b", `a\b`, "host.name-1", "host_name", strings.Repeat("h", 255), strings.Repeat("h", 256),
	"debug", "WARNING", "always", "allkeys-lru", "volatile-ttl", "swapdb", "local3", "clients", "local", "allchannels",
	"relative", "absolute", "panic", "nosave", "save now", "now nosave force", "save nosave", "default", "default save", "now  now",
	"KEA", "AKEn", "g$lshzxetd", "Kg$", "mE", "Kq", "{title}", "{port}", "x{{", "{", "{nope}", "{title} {config-file}", "  ",
	"normal 1 2", "normal 1mb 2mb 3", "SLAVE 1k 2kb 60 pubsub 1 2 3", "replica 0 0 -1", "master 1 2 3", "normal 1 x 3", "normal 1 2 3 ",
	"-2000 0 2000", "-2001 0 0", "0 0 0", "0 0 x", "60 0", "é\n\"",
}

// left are the parameters whose change means something to a running server
// that this test cannot have, or that this server refuses.
var left = []string{"port", "bind", "maxclients", "appendonly", "tls-port", "tls-cluster", "tls-replication", "dir"}

func TestConfigSetOfEveryParameterAsRedis(t *testing.T) {
	srv := redistest.Start(t)
	client := connect(t, srv.Addr, "")
	c := load(t, "--port", fmt.Sprint(srv.Port), "--bind", "127.0.0.1", "--save", "")
	names := []string{"rdb-key-save-delay", "key-load-delay", "use-exit-on-panic", "loading-process-events-interval-bytes"}
	for _, p := range c.Get("*") {
		if !slices.Contains(ours, p.Name) && !slices.Contains(left, p.Name) {
			names = append(names, p.Name)
		}
	}
	accepted := 0
	for _, name := range names {
		before := c.Get(name)
		for _, value := range values {
			if name == "latency-tracking-info-percentiles" && value == "0x10" {
				continue // Redis takes hexadecimal here, for no purpose
			}
			pairs := []config.Pair{{Name: name, Value: value}}
			want := configSet(client, pairs)
			require.Equal(t, want, errorText(c.Set(pairs)), "%s %q", name, value)
			require.Equal(t, configGet(t, client, name)[name], c.Get(name)[0].Value, "%s %q", name, value)
			if want == "" {
				accepted++
			}
		}
		require.Equal(t, configSet(client, before), errorText(c.Set(before)))
	}
	require.Greater(t, accepted, 1000)
}

func TestConfigSetAsRedis(t *testing.T) {
	srv := redistest.Start(t)
	client := connect(t, srv.Addr, "")
	dir := configGet(t, client, "dir")["dir"]
	c := load(t, "--port", fmt.Sprint(srv.Port), "--bind", "127.0.0.1", "--save", "", "--dir", dir)
	for _, words := range [][]string{
		{"no-such", "1"},
		{"port", "70000"}, {"port", "x"}, {"port", "-1"},
		{"maxclients", "0"}, {"maxclients", "-1"}, {"maxclients", "4294967296"}, {"maxclients", "500"},
		{"bind", strings.Repeat("a ", 16) + "a"},
		{"dir", dir}, {"dbfilename", "x"},
		{"appendonly", "maybe"}, {"appendonly", "no"}, {"tls-port", "x"}, {"tls-port", "-1"},
		{"MaxMemory", "1mb"}, {"MAXMEMORY-policy", "AllKeys-LRU"},
		{"maxmemory", "2mb", "maxmemory", "3mb"},
		{"maxmemory", "2mb", "MAXMEMORY", "3mb"},
		{"slave-priority", "10", "replica-priority", "11"}, // two names, not a duplicate
		{"replica-priority", "12", "slave-priority", "13"},
		{"replica-priority", "14", "slave-priority", "x"}, // both back
		{"Slave-Priority", "x"},
		{"timeout", "5", "hz", "50", "no-such", "1"}, // nothing is set
		{"timeout", "5", "hz", "x", "loglevel", "debug"},
		{"timeout", "x", "no-such", "1"}, // unknown names come before wrong values
		{"daemonize", "yes", "no-such", "1"},
		{"no-such", "1", "daemonize", "yes"},
		{"timeout", "5", "hz", "50", "loglevel", "debug"},
		{"save", "900 1 300 10"}, {"save", "900 1 300"}, {"save", "0 1"}, {"save", "60 4294967297"}, {"save", ""},
		{"client-output-buffer-limit", "normal 1mb 2mb 3 normal 4mb 5mb 6"},
		{"client-output-buffer-limit", "pubsub 1 2 3 nobody 1 2 3"},
		{"notify-keyspace-events", "KEA", "list-max-ziplist-size", "7", "hash-max-ziplist-entries", "8"},
		{"list-max-listpack-size", "9", "slowlog-log-slower-than", "-2"},
		{"requirepass", "a b\"c", "masterauth", "x"}, {"requirepass", ""},
		{"latency-tracking-info-percentiles", "99.9999999 0.1 100"},
		{"hz", "0"}, {"hz", "501"},
		{"lua-time-limit", "77"},
	} {
		var pairs []config.Pair
		for p := range slices.Chunk(words, 2) {
			pairs = append(pairs, config.Pair{Name: p[0], Value: p[1]})
		}
		require.Equal(t, configSet(client, pairs), errorText(c.Set(pairs)), "%q", words)
		require.Equal(t, configGet(t, client, "*"), everything(c), "%q", words)
	}
}

// Right command lines, and what they come to.
func TestArgumentsAsRedis(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "some.conf")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more.conf"), []byte("hz 33\nsave 5 5"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".hidden.conf"), []byte("hz 44"), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(strings.Join([]string{
		"# a comment", "", "  TimeOut 7  ", "\tmaxmemory\t 64mb", `requirepass "a\x41\n\"b"`, `masterauth 'it\'s'`, `masteruser a"b c"`,
		"save 900 1", "save 300 10", "client-output-buffer-limit pubsub 64mb 16mb 90", "bind 127.0.0.1 -::1",
		"slave-priority 50", "list-max-ziplist-size -3", "list-max-ziplist-entries 5", "lua-replicate-commands yes",
		"include " + filepath.Join(dir, "m*.conf"), "include " + filepath.Join(dir, "none*.conf"), "include " + filepath.Join(dir, "*hidden.conf"),
		"shutdown-on-sigterm save now", "oom-score-adj-values -1 2 3", `notify-keyspace-events ""`, "unixsocketperm 700", "hash-max-listpack-value 1kb",
		"latency-tracking-info-percentiles 1 2.5",
	}, "\r\n")), 0o600))
	for _, args := range [][]string{
		{"--hz", "20"},
		{"--hz 20", "--timeout 5"},
		{"--save"},
		{"--save", "--hz", "20"},
		{"--save", ""},
		{"--save", "60", "1"},
		{"--save", "60 1", "--save", "70 2"},
		{"--save", "60", "1", "70", "2"},
		{"--client-output-buffer-limit", "pubsub", "1", "2", "3"},
		{"--client-output-buffer-limit", "pubsub 1 2 3 replica 1 1 1"},
		{"--requirepass", "--secret"},
		{"--requirepass", "--", "--masterauth", "a b"},
		{"--requirepass", "\x00not here"[1:], "--masterauth", "\xff\"'\n"},
		{"--TIMEOUT", "5"},
		{"--bind", "127.0.0.1", "-::1"},
		{"--bind", "127.0.0.1 -::1"},
		{"--shutdown-on-sigint", "nosave", "now"},
		{"--hz", "100000"},
		{"--", "hz", "12"},
		{"--replicaof", "no", "one"},
		{"--enable-debug-command", "local", "--enable-protected-configs", "yes"},
		{"--lazyfree-lazy-user-del", "YES", "--appendonly", "no"},
		{"--include", filepath.Join(dir, "more.conf")},
		{file},
		{file, "--maxmemory", "1gb", "--save", "7", "7"},
		{file, "--save", ""},
	} {
		port := redistest.FreePort(t)
		all := append(slices.Clone(args), "--port", fmt.Sprint(port), "--dir", dir)
		c := load(t, all...)
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			client := start(t, port, c.Requirepass, all...)
			require.Equal(t, configGet(t, client, "*"), everything(c))
		})
	}
}

// Wrong ones, which end the start.
func TestWrongArgumentsAsRedis(t *testing.T) {
	redistest.Need(t, "redis-server")
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for _, args := range [][]string{
		{"--no-such", "1"},
		{"--port", "x"}, {"--port"}, {"--port", "1", "2"}, {"--port", ""}, {"--port", "a\"b\x01"},
		{"--port", "--hz", "10"},
		{"--save", "60"}, {"--save", "x", "1"},
		{"--loglevel", "loud"}, {"--appendonly", "perhaps"},
		{"--unixsocketperm", "999"}, {"--unixsocketperm", "1000"}, {"--databases", "0"},
		{"--maxmemory-clients", "101%"}, {"--dbfilename", "a/b"}, {"--appendfilename", ""}, {"--appenddirname", "/"},
		{"--replicaof", "host"}, {"--replicaof", "host", "70000"}, {"--oom-score-adj-values", "1", "2"},
		{"--client-output-buffer-limit", "normal", "1"}, {"--notify-keyspace-events", "q"},
		{"--bind", strings.Repeat("a ", 17)}, {"--shutdown-on-sigint", ""}, {"--latency-tracking-info-percentiles", "x"},
		{"--include"}, {"--rename-command", "a"}, {"--user"}, {"--loadmodule"}, {"--module.setting"},
		{"--dir", filepath.Join(dir, "none")}, {"--proc-title-template", "{nope}"},
		{write("1.conf", "hz 10\n\n  unheard-of   \"a b\"  \nport 1")},
		{write("2.conf", "hz 10\nport \"1")},
		{write("3.conf", "hz 10\nport '1'x")},
		{write("4.conf", "hz 10\ninclude "+filepath.Join(dir, "2.conf"))},
		{write("5.conf", "hz 10\n"), "--hz", "x"},
		{write("6.conf", "hz 10"), "--hz", "x"},
		{write("7.conf", "TIMEOUT abc")},
		{write("8.conf", "sentinel monitor a")},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		var stderr strings.Builder
		cmd := exec.CommandContext(ctx, "redis-server", args...)
		cmd.Stderr = &stderr
		err := cmd.Run()
		cancel()
		var ended *exec.ExitError
		require.True(t, errors.As(err, &ended) && ended.ExitCode() == 1, "%q: %v", args, err)

		c := config.Default()
		require.EqualError(t, c.LoadArgs(args), strings.TrimSuffix(stderr.String(), "\n"), "%q", args)
	}
}

func TestConfigRewriteAsRedis(t *testing.T) {
	dir := t.TempDir()
	port := redistest.FreePort(t)
	content := strings.Join([]string{
		"# Mine.", "port " + fmt.Sprint(port), "", "", "dir " + dir, "  hz 20", "save 900 1", "save 300 10", "save 60 10000",
		"SLAVE-PRIORITY 10", "maxmemory 1mb", "maxmemory 2mb", "# In the middle.", "client-output-buffer-limit pubsub 64mb 16mb 60",
		"requirepass ''", "masterauth \"a b\"", "bind 127.0.0.1", "rename-command debug \"\"", "loglevel notice", "", "",
		"list-max-ziplist-entries 5", "timeout 0",
	}, "\n") + "\n"
	theirs, mine := filepath.Join(dir, "theirs.conf"), filepath.Join(dir, "mine.conf")
	require.NoError(t, os.WriteFile(theirs, []byte(content), 0o644))
	require.NoError(t, os.WriteFile(mine, []byte(content), 0o644))

	client := start(t, port, "", theirs, "--repl-backlog-size", "2mb")
	c := config.Default()
	c.OnDirective("rename-command", config.Directive{Apply: func([]string) error { return nil }})
	require.NoError(t, c.LoadArgs([]string{mine, "--repl-backlog-size", "2mb"}))
	require.Equal(t, mine, c.File)

	for _, pairs := range [][]config.Pair{
		nil,
		{{"save", "100 1"}, {"hz", "30"}, {"replica-priority", "100"}, {"masterauth", ""}, {"maxmemory", "3000"}, {"maxmemory-clients", "5%"},
			{"notify-keyspace-events", "KEA"}, {"shutdown-on-sigint", "nosave now"}, {"proto-max-bulk-len", "1gb"}, {"latency-tracking-info-percentiles", ""},
			{"oom-score-adj-values", "1 2 3"}, {"replica-announce-ip", "é"}},
		{{"save", ""}, {"requirepass", ""}, {"timeout", "9"}, {"client-output-buffer-limit", "normal 1kb 2kb 3 replica 1 2 3"}, {"bind", "127.0.0.1 -::1"}},
	} {
		if pairs != nil {
			require.Empty(t, configSet(client, pairs))
			require.NoError(t, c.Set(pairs))
		}
		require.NoError(t, client.Do(context.Background(), "config", "rewrite").Err())
		require.NoError(t, c.RewriteFile())
		require.Equal(t, comparable(t, theirs), comparable(t, mine))
	}
	info, err := os.Stat(mine)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), info.Mode().Perm()|0o044)
	again := config.Default()
	again.OnDirective("rename-command", config.Directive{Apply: func([]string) error { return nil }})
	require.NoError(t, again.LoadArgs([]string{mine}))
	require.Equal(t, everything(c), everything(again))
}

// comparable reads a rewritten file: what was in it before, in its order, and
// what has been appended, which Redis does in the order of a hash table.
func comparable(t *testing.T, path string) [2][]string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(string(content), "\n")
	mark := slices.Index(lines, "# Generated by CONFIG REWRITE")
	require.GreaterOrEqual(t, mark, 0)
	before, after := lines[:mark], lines[mark:]
	after = slices.DeleteFunc(after, func(line string) bool { return strings.HasPrefix(line, "user default ") })
	slices.Sort(after)
	return [2][]string{before, after}
}
