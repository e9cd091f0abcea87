package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"myredis/internal/config"
)

func TestNoArguments(t *testing.T) {
	c := load(t)
	require.Equal(t, config.Default().Get("*"), c.Get("*"))
	require.Empty(t, c.File)
}

func TestStandardInput(t *testing.T) {
	was := os.Stdin
	t.Cleanup(func() { os.Stdin = was })
	dir := t.TempDir()
	file := filepath.Join(dir, "a.conf")
	require.NoError(t, os.WriteFile(file, []byte("hz 1\ntimeout 1\ndatabases 1\n"), 0o644))
	for _, tt := range []struct {
		args                   []string
		hz, timeout, databases int
	}{
		{[]string{"-"}, 22, 22, 16},
		{[]string{"-", "--hz", "3"}, 3, 22, 16},
		{[]string{file, "--hz", "3", "-"}, 3, 22, 1}, // the file, standard input, options
		{[]string{file, "-"}, 22, 22, 1},
	} {
		stdin, err := os.Create(filepath.Join(dir, "stdin"))
		require.NoError(t, err)
		_, err = stdin.WriteString("hz 22\ntimeout 22")
		require.NoError(t, err)
		_, err = stdin.Seek(0, 0)
		require.NoError(t, err)
		os.Stdin = stdin

		c := load(t, tt.args...)
		require.Equal(t, []int{tt.hz, tt.timeout, tt.databases}, []int{c.Hz, c.Timeout, c.Databases}, "%q", tt.args)
		stdin.Close()
	}
	// In the middle it is a value like any other.
	require.Equal(t, "-", load(t, "--requirepass", "-", "--hz", "5").Requirepass)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.conf")
	including := filepath.Join(dir, "including.conf")
	require.NoError(t, os.WriteFile(including, []byte("hz 5\ninclude "+missing), 0o644))
	for _, args := range [][]string{{missing}, {including}, {"--include", missing}} {
		err := config.Default().LoadArgs(args)
		require.EqualError(t, err, "Fatal error, can't open config file '"+missing+"': No such file or directory")
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	broken := errors.New("broken")
	require.ErrorIs(t, config.Default().Load(iotest.ErrReader(broken)), broken)
}

func TestIncludeOfItselfEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.conf")
	require.NoError(t, os.WriteFile(file, []byte("include "+file), 0o644))
	var line *config.LineError
	require.ErrorAs(t, config.Default().LoadArgs([]string{file}), &line)
	require.Equal(t, "include directives nest deeper than 64 files", line.Reason)
}

func TestDirectives(t *testing.T) {
	c := config.Default()
	var got [][]string
	take := func(args []string) error {
		if args[0] == "nope" {
			return errors.New("No such command in rename-command")
		}
		got = append(got, args)
		return nil
	}
	c.OnDirective("rename-command", config.Directive{Apply: take})
	c.OnDirective("user", config.Directive{Apply: take})
	require.NoError(t, c.Load(strings.NewReader("RENAME-COMMAND flushall \"\"\nuser ann on >pw ~* +@all\n")))
	require.Equal(t, [][]string{{"flushall", ""}, {"ann", "on", ">pw", "~*", "+@all"}}, got)

	require.EqualError(t, c.Load(strings.NewReader("\nrename-command nope x")),
		"\n*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***\nReading the configuration file, at line 2\n>>> 'rename-command nope x'\nNo such command in rename-command")
	var line *config.LineError
	require.ErrorAs(t, c.Load(strings.NewReader("rename-command nope")), &line)
	require.Equal(t, "Bad directive or wrong number of arguments", line.Reason)
}

// Whatever a file says, it is taken or refused, and what was taken is written
// such that it is taken again.
func FuzzLoad(f *testing.F) {
	f.Add("port 1\nsave 60 1\nbind 127.0.0.1\n# x\nclient-output-buffer-limit pubsub 1 2 3")
	f.Add("requirepass \"a\\x00b\"\nnotify-keyspace-events KEA\nmaxmemory-clients 5%\nunixsocketperm 777")
	f.Add("slave-priority 5\noom-score-adj-values 1 2 3\nlatency-tracking-info-percentiles \"\"\nproc-title-template {port}")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "include") || strings.Contains(text, "INCLUDE") {
			return // not from the disk of whoever runs this
		}
		c := config.Default()
		if c.Load(strings.NewReader(text)) != nil {
			return
		}
		rewritten := c.Rewrite([]byte(text))
		again := config.Default()
		require.NoError(t, again.Load(strings.NewReader(string(rewritten))), "%q", rewritten)
		if c.Maxmemory>>63 == 0 && !strings.Contains(text, "cluster-link-sendbuf-limit") {
			require.Equal(t, c.Get("*"), again.Get("*"), "%q", rewritten)
		}
	})
}
