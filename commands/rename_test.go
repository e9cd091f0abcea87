package commands

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/config"
)

func TestRenameCommand(t *testing.T) {
	const long = "b840fc02d524045429941cc15f59e41cb7be6c52"
	cfg := config.Default()
	DeclareRenames(cfg)
	require.NoError(t, cfg.Load(strings.NewReader("rename-command ECHO "+long+"\nrename-command flushall \"\"\nrename-command "+long+" say\nrename-command ping echo\n")))
	e := New(cfg, nil, slog.New(slog.DiscardHandler))
	c := e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
	do := func(words ...string) string {
		args := make([][]byte, len(words))
		for i, word := range words {
			args[i] = []byte(word)
		}
		c.Out.Truncate(0)
		e.Exec(c, args)
		return string(c.Out.Buf)
	}
	require.Equal(t, "$2\r\nhi\r\n", do("SAY", "hi"))
	require.Equal(t, "+PONG\r\n", do("ECHO"))
	for _, gone := range []string{"PING", "FLUSHALL", long} {
		require.Contains(t, do(gone), "-ERR unknown command '"+gone+"'")
	}
	require.Contains(t, do("COMMAND", "INFO", "say"), "$4\r\necho\r\n", "what it does it does under its own name")
	require.NotContains(t, do("COMMAND", "LIST"), "flushall")
}

func TestRenameCommandRefusals(t *testing.T) {
	for line, why := range map[string]string{
		"rename-command nope x":                          "No such command in rename-command",
		"rename-command get set":                         "Target command name already exists",
		"rename-command get " + strings.Repeat("x", 65):  "Target command name is too long",
		"rename-command get a\nrename-command get b":     "No such command in rename-command",
		"rename-command get \"\"\nrename-command \"\" b": "No such command in rename-command",
		"rename-command get a\nrename-command set a\n":   "Target command name already exists",
		"rename-command get a b":                         "Bad directive or wrong number of arguments",
	} {
		cfg := config.Default()
		DeclareRenames(cfg)
		require.ErrorContains(t, cfg.Load(strings.NewReader(line)), why, line)
	}
}
