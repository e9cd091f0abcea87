package commands_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/resp"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// connect returns a function that runs a command on an engine of its own.
func connect(t *testing.T) func(args ...string) resp.Value {
	e := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	c := e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
	return func(args ...string) resp.Value {
		t.Helper()
		raw := make([][]byte, len(args))
		for i, arg := range args {
			raw[i] = []byte(arg)
		}
		e.Exec(c, raw)
		v, _, err := resp.NewReader(strings.NewReader(string(c.Out.Buf))).ReadValue()
		require.NoError(t, err, "%q", c.Out.Buf)
		c.Out.Buf = nil
		return v
	}
}

func connectRedis(t *testing.T) func(args ...string) resp.Value {
	nc, err := net.Dial("tcp", redistest.Start(t).Addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	w, r := resp.NewWriter(nc), resp.NewReader(nc)
	return func(args ...string) resp.Value {
		t.Helper()
		values := make([]resp.Value, len(args))
		for i, arg := range args {
			values[i] = resp.StringValue(arg)
		}
		require.NoError(t, w.WriteArray(values))
		v, _, err := r.ReadValue()
		require.NoError(t, err)
		return v
	}
}

// laterThanRedis are commands that Redis 7.0 does not have. Clients of later
// versions send them unasked.
var laterThanRedis = []string{"client|setinfo", "client|no-touch"}

// What COMMAND INFO says of every command is what Redis says of it: arity,
// flags, key positions, categories, tips, key specifications.
func TestRowsAreRedisRows(t *testing.T) {
	ours, redis := connect(t), connectRedis(t)
	var names []string
	for _, row := range commands.Table() {
		names = append(names, row.FullName())
		for _, sub := range row.Sub {
			names = append(names, sub.FullName())
		}
	}
	for _, name := range names {
		if slices.Contains(laterThanRedis, name) {
			continue
		}
		want, got := redis("COMMAND", "INFO", name).Array()[0], ours("COMMAND", "INFO", name).Array()[0]
		if len(want.Array()) == 0 {
			t.Errorf("%s: Redis %s does not have it", name, commands.RedisVersion)
			continue
		}
		assert.Equal(t, describe(want), describe(got), name)
	}
}

// describe prints a row of COMMAND INFO with what has no order sorted, and
// without subcommands, which are compared one by one.
func describe(row resp.Value) string {
	var b strings.Builder
	for i, field := range []string{"name", "arity", "flags", "first", "last", "step", "categories", "tips", "keys"} {
		v := row.Array()[i]
		if field == "flags" || field == "categories" {
			var words []string
			for _, w := range v.Array() {
				words = append(words, w.String())
			}
			slices.Sort(words)
			fmt.Fprintln(&b, field, words)
			continue
		}
		fmt.Fprintln(&b, field, show(v))
	}
	return b.String()
}

func show(v resp.Value) string {
	if v.Type() != resp.Array {
		return fmt.Sprintf("%c%s", v.Type(), v.String())
	}
	var parts []string
	for _, item := range v.Array() {
		parts = append(parts, show(item))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Every row says what a person needs to know.
func TestRowsAreComplete(t *testing.T) {
	for _, row := range commands.Table() {
		rows := append([]*commands.Command{row}, row.Sub...)
		for _, r := range rows {
			require.NotEmpty(t, r.Summary, r.FullName())
			require.NotEmpty(t, r.Since, r.FullName())
			require.NotEmpty(t, r.Group, r.FullName())
			require.True(t, r.Run != nil || len(r.Sub) > 0, r.FullName())
			require.True(t, r.Syntax != "" || r.Arity == 1 || r.Arity == -1 || len(r.Sub) > 0 || strings.Contains(r.FullName(), "|"), r.FullName())
		}
	}
}
