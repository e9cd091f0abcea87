package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

// environment is an environment that has nothing but these variables.
func environment(pairs ...string) func(string) (string, bool) {
	vars := map[string]string{}
	for _, p := range pairs {
		name, value, _ := strings.Cut(p, "=")
		vars[name] = value
	}
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func TestDefaults(t *testing.T) {
	o, err := parse(nil, environment())
	require.NoError(t, err)
	want := queue.Defaults()
	want.Room, want.Instance, want.Grace = "main", defaultInstance(), grace
	require.Equal(t, want, o.room)
	require.True(t, queue.ValidName(o.room.Instance), o.room.Instance)
	require.Equal(t, ":8080", o.listen)
	require.Nil(t, o.store, "an embedded one")
	require.Equal(t, slog.LevelInfo, o.level)
}

func TestFlagsAndEnvironment(t *testing.T) {
	o, err := parse([]string{"--slot", "7", "-ttl=1m30s", "--reclaim=false", "--log-level", "debug"},
		environment("QUEUE_SLOT=9", "QUEUE_PERIOD=2s", "QUEUE_LEADER_MARGIN=500ms", "QUEUE_ROOM=", "QUEUE_RECLAIM=true", "SLOT=1"))
	require.NoError(t, err)
	require.Equal(t, 7, o.room.Slot, "a flag wins over the environment")
	require.Equal(t, 2*time.Second, o.room.Period, "the environment wins over the default")
	require.Equal(t, 500*time.Millisecond, o.room.LeaderMargin)
	require.Equal(t, 90*time.Second, o.room.TTL)
	require.False(t, o.room.Reclaim)
	require.Equal(t, "main", o.room.Room, "an empty variable is an absent one")
	require.Equal(t, slog.LevelDebug, o.level)
}

func TestStoreAddresses(t *testing.T) {
	for _, c := range []struct {
		args    []string
		env     string
		addrs   []string
		master  string
		db      int
		overTLS bool
	}{
		{args: []string{"--redis", "redis://h:1/3"}, addrs: []string{"h:1"}, db: 3},
		{args: []string{"--redis", "h:1"}, addrs: []string{"h:1"}},
		{args: []string{"--redis", "rediss://u:p@h:1"}, addrs: []string{"h:1"}, overTLS: true},
		{args: []string{"--redis", "unix:///run/r.sock?db=2"}, addrs: []string{"/run/r.sock"}, db: 2},
		{args: []string{"--redis", "redis://a:1,b:2"}, addrs: []string{"a:1", "b:2"}},
		{args: []string{"--redis", "redis://a:1", "--redis", "redis://b:2"}, addrs: []string{"a:1", "b:2"}},
		{args: []string{"--redis", "a:1,b:2", "--sentinel-master", "m"}, addrs: []string{"a:1", "b:2"}, master: "m"},
		{env: "QUEUE_REDIS=redis://a:1,b:2", addrs: []string{"a:1", "b:2"}},
		{args: []string{"--redis", "c:3"}, env: "QUEUE_REDIS=a:1", addrs: []string{"c:3"}},
	} {
		o, err := parse(c.args, environment(c.env))
		require.NoError(t, err, c.args)
		require.Equal(t, c.addrs, o.store.Addrs)
		require.Equal(t, c.master, o.store.MasterName)
		require.Equal(t, c.db, o.store.DB)
		require.Equal(t, c.overTLS, o.store.TLSConfig != nil)
	}
}

func TestSenselessSettingsEndWith2(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		env  string
		says string
	}{
		"unknown flag":        {args: []string{"--slots", "5"}, says: "slots"},
		"not a flag":          {args: []string{"slot"}, says: `"slot" is not a flag`},
		"not a number":        {args: []string{"--slot", "many"}, says: `"many" for flag -slot`},
		"too few":             {args: []string{"--slot", "0"}, says: "--slot"},
		"no unit":             {args: []string{"--period", "200"}, says: `"200" for flag -period`},
		"too short":           {args: []string{"--period", "0s"}, says: "--period"},
		"unknown strategy":    {args: []string{"--strategy", "luck"}, says: "optimistic"},
		"bad room":            {args: []string{"--room", "a b"}, says: "--room"},
		"bad instance":        {args: []string{"--instance", "{x}"}, says: "--instance"},
		"margin over period":  {args: []string{"--leader-margin", "1m"}, says: "--leader-margin"},
		"bad store":           {args: []string{"--redis", "http://h"}, says: "--redis"},
		"sentinel of nothing": {args: []string{"--sentinel-master", "m"}, says: "--sentinel-master"},
		"bad address":         {args: []string{"--listen", "8080"}, says: "--listen"},
		"no pace":             {args: []string{"--strategy", "ticket", "--per-minute", "5"}, says: "--per-minute"},
		"hears nobody":        {args: []string{"--strategy", "leader", "--grace", "5m"}, says: "--grace"},
		"no pre-check":        {args: []string{"--precheck"}, says: "--precheck"},
		"bad level":           {args: []string{"--log-level", "loud"}, says: "log-level"},
		"bad format":          {args: []string{"--log-format", "xml"}, says: "--log-format"},
		"bad variable":        {env: "QUEUE_SLOT=many", says: "QUEUE_SLOT"},
		"no replicas":         {args: []string{"--redis", "h:1", "--durability", "replicas=0"}, says: "durability"},
		"replicas unsaid":     {args: []string{"--redis", "h:1", "--durability", "2"}, says: "replicas=N[,timeout=D]"},
		"long to wait":        {args: []string{"--redis", "h:1", "--durability", "replicas=1,timeout=1h"}, says: "1ms to 2s"},
		"embedded replicas":   {args: []string{"--durability", "replicas=1"}, says: "--durability needs"},
		"bad durability":      {env: "QUEUE_DURABILITY=timeout=1s", says: "QUEUE_DURABILITY"},
		"bad reclaim":         {env: "QUEUE_RECLAIM=perhaps", says: "QUEUE_RECLAIM"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.Equal(t, 2, run(context.Background(), c.args, environment(c.env), &stdout, &stderr))
			require.Contains(t, stderr.String(), c.says)
			require.Contains(t, stderr.String(), "--help")
			require.Empty(t, stdout.String())
		})
	}
}

func TestHelpNamesEveryFlagWithDefaultUnitAndVariable(t *testing.T) {
	var stdout bytes.Buffer
	require.Equal(t, 0, run(context.Background(), []string{"--help"}, environment(), &stdout, io.Discard))
	help := stdout.String()
	(&options{}).flags().VisitAll(func(f *flag.Flag) {
		require.Contains(t, help, "  --"+f.Name)
		if f.Name != "version" {
			unit, _ := flag.UnquoteUsage(f)
			require.Regexp(t, `--`+f.Name+`[ =]`+regexp.QuoteMeta(unit)+` +default \S+ +`+variable(f.Name), help)
		}
	})
	for _, s := range queue.Strategies() {
		require.Contains(t, help, "  "+s.Name+"\n")
	}
	for _, line := range strings.Split(help, "\n") {
		require.LessOrEqual(t, len(line), 100, line)
	}
}

func TestVersion(t *testing.T) {
	var stdout bytes.Buffer
	require.Equal(t, 0, run(context.Background(), []string{"--version"}, environment(), &stdout, io.Discard))
	require.Contains(t, stdout.String(), "queue-service "+version)
}

func TestBrowserURL(t *testing.T) {
	for listen, want := range map[string]string{
		"[::]:8080": "http://localhost:8080", "0.0.0.0:8080": "http://localhost:8080", "127.0.0.1:1": "http://127.0.0.1:1",
		"[::1]:2": "http://[::1]:2", "10.0.0.7:3": "http://10.0.0.7:3",
	} {
		require.Equal(t, want, browserURL(address(listen)))
	}
}

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }
