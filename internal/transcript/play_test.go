package transcript

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/resp"

	"myredis/internal/redistest"
)

const corpus = "../../commands/testdata/*.txt"

func corpusFiles(t *testing.T) []string {
	files, err := filepath.Glob(corpus)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func TestRealRedis(t *testing.T) {
	server := redistest.Start(t)
	Play(t, dialTo(server.Addr), corpusFiles(t)...)
}

// A recording of what is recorded already changes nothing, byte for byte.
func TestRecordAgain(t *testing.T) {
	server := redistest.Start(t)
	for _, name := range []string{"keys", "client", "client_7_2", "scan", "resp3"} {
		path := filepath.Join(filepath.Dir(corpus), name+".txt")
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		again := filepath.Join(t.TempDir(), filepath.Base(path))
		require.NoError(t, os.WriteFile(again, before, 0o644))
		_, err = Record(dialTo(server.Addr), again)
		require.NoError(t, err)
		if after := readFile(t, again); after != string(before) {
			t.Errorf("%s:\n%s", path, diff(strings.Split(string(before), "\n"), strings.Split(after, "\n")))
		}
	}
}

func TestCommandsOfTheCorpus(t *testing.T) {
	counts, err := Commands(corpusFiles(t)...)
	require.NoError(t, err)
	for _, name := range []string{"set", "zadd", "config|get", "client|kill", "object|encoding", "command|info"} {
		require.Positive(t, counts[name], name)
	}
	require.NotContains(t, counts, "set|k")
}

func dialTo(addr string) Dial {
	return func() (net.Conn, error) { return net.Dial("tcp", addr) }
}

// fakeServer answers each command with the bytes that reply gives, and closes
// the connection after bytes that end in "closed".
func fakeServer(t *testing.T, reply func(args []string) string) Dial {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { serve(conn, reply) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		serving.Wait()
	})
	return dialTo(l.Addr().String())
}

func serve(conn net.Conn, reply func(args []string) string) {
	defer conn.Close()
	requests := resp.NewReader(conn)
	for {
		request, _, _, err := requests.ReadMultiBulk()
		if err != nil {
			return
		}
		var args []string
		for _, arg := range request.Array() {
			args = append(args, arg.String())
		}
		bytes, closes := strings.CutSuffix(reply(args), "closed")
		if _, err := conn.Write([]byte(bytes)); err != nil || closes {
			return
		}
	}
}

// outcome plays one scenario against a server of canned replies.
func outcome(t *testing.T, text string, replies map[string]string) (skip, failures string) {
	dial := fakeServer(t, func(args []string) string {
		if reply, ok := replies[strings.Join(args, " ")]; ok {
			return reply
		}
		return "+OK\r\n"
	})
	file, err := parse("test.txt", text)
	require.NoError(t, err)
	require.Len(t, file.Scenarios, 1)
	s := &stage{dial: dial}
	defer s.close()
	skip, failed := s.playScenario("test.txt", file.Scenarios[0])
	return skip, strings.Join(failed, "\n")
}

func TestPlayer(t *testing.T) {
	tests := []struct {
		name    string
		text    string // below the title
		replies map[string]string
		failure string // "" when the scenario holds
	}{
		{"same", "> A\n(integer) 1", map[string]string{"A": ":1\r\n"}, ""},
		{"other value", "> A\n(integer) 1", map[string]string{"A": ":2\r\n"}, "test.txt:2: > A\n-  (integer) 1\n+  (integer) 2"},
		{"other type", "> A\n(integer) 1", map[string]string{"A": "$1\r\n1\r\n"}, `+  "1"`},
		{"one item differs", "> A\n1) a\n2) b\n3) c", map[string]string{"A": "*3\r\n+a\r\n+x\r\n+c\r\n"}, "   1) a\n-  2) b\n+  2) x\n   3) c"},
		{"a failure does not end the scenario", "> A\nNO\n> B\nNO", nil, "test.txt:4"},
		{"one reply too many", "> A\nOK", map[string]string{"A": "+OK\r\n+OK\r\n"}, "a reply that nothing asked for: OK"},
		{"any", "@any\n> A\n<bulk>", map[string]string{"A": "$1\r\nx\r\n"}, ""},
		{"any of another type", "@any\n> A\n<bulk>", map[string]string{"A": ":1\r\n"}, "+  <integer>"},
		{"any item", "@any 2.1\n> A\n1) a\n2) 1) <simple>", map[string]string{"A": "*2\r\n+a\r\n*1\r\n+x\r\n"}, ""},
		{"any item and another", "@any 2.1\n> A\n1) a\n2) 1) <simple>", map[string]string{"A": "*2\r\n+b\r\n*1\r\n+x\r\n"}, "+  1) b"},
		{"match", "@match ^id=\\d+$\n> A\n<bulk>", map[string]string{"A": "$9\r\nx\r\nid=12\r\r\n"}, "does not match"},
		{"match of a line", "@match ^id=\\d+$\n> A\n<bulk>", map[string]string{"A": "$10\r\nx\r\nid=12\r\n\r\n"}, ""},
		{"variable", "@match (?P<x>\\d)\n> A\n<simple>\n> B ${x}\n(integer) 7", map[string]string{"A": "+a5\r\n", "B 5": ":7\r\n"}, ""},
		{"no variable", "> B ${x}\nOK", nil, "no variable"},
		{"unordered", "@unordered\n> A\n1) a\n2) b", map[string]string{"A": "*2\r\n+b\r\n+a\r\n"}, ""},
		{"unordered is a multiset", "@unordered\n> A\n1) a\n2) b", map[string]string{"A": "*2\r\n+b\r\n+b\r\n"}, "-  1) a"},
		{"unordered pairs", "@unordered pairs\n> A\n1) a\n2) z\n3) b\n4) y", map[string]string{"A": "*4\r\n+b\r\n+y\r\n+a\r\n+z\r\n"}, ""},
		{"pairs stay pairs", "@unordered pairs\n> A\n1) a\n2) y\n3) b\n4) z", map[string]string{"A": "*4\r\n+b\r\n+y\r\n+a\r\n+z\r\n"}, "-  2) y"},
		{"scan", "@scan\n> SCAN 0\n1) \"0\"\n2) 1) a\n   2) b", map[string]string{"SCAN 0": "*2\r\n$1\r\n7\r\n*1\r\n+b\r\n", "SCAN 7": "*2\r\n$1\r\n0\r\n*2\r\n+a\r\n+b\r\n"}, ""},
		{"scan misses one", "@scan\n> ZSCAN z 0\n1) \"0\"\n2) 1) a\n   2) b", map[string]string{"ZSCAN z 0": "*2\r\n$1\r\n7\r\n*1\r\n+b\r\n", "ZSCAN z 7": "*2\r\n$1\r\n0\r\n*0\r\n"}, "-  2) 1) a"},
		{"closed", "> A\nOK\n(closed)\n> B\nOK", map[string]string{"A": "+OK\r\nclosed"}, ""},
		{"not closed", "> A\nOK\n(closed)", map[string]string{"A": "+OK\r\n+x\r\n"}, "should be closed"},
		{"closed too early", "> A\nOK\n> B\nOK", map[string]string{"A": "+OK\r\nclosed"}, "EOF"},
		{"awaited", "> A\nOK\n<\n1>> \"x\"", map[string]string{"A": "+OK\r\n>1\r\n$1\r\nx\r\n"}, "RESP2 connection"},
		{"awaited in RESP3", "@resp3\n> A\nOK\n<\n1>> \"x\"", map[string]string{"HELLO 3": "%0\r\n", "A": "+OK\r\n>1\r\n$1\r\nx\r\n"}, ""},
		{"no RESP3", "@resp3\n> A\nOK", nil, "HELLO 3: OK"},
		{"silent", "@silent\n> A\n> B\nb", map[string]string{"A": "", "B": "+b\r\n"}, ""},
		{"not silent", "@silent\n> A\n> B\nb", map[string]string{"B": "+b\r\n"}, "-  b\n+  OK"},
		{"raw", "raw> \"*1\\r\\n$1\\r\\nA\\r\\n\" \"*1\\r\\n$1\\r\\nB\\r\\n\"*2\nOK\nb\nb", map[string]string{"B": "+b\r\n"}, ""},
		{"raw differs", "raw> \"*1\\r\\n$1\\r\\nA\\r\\n\"\nb", nil, "+  OK"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, failures := outcome(t, "=== title\n"+test.text, test.replies)
			if test.failure == "" {
				require.Empty(t, failures)
			} else {
				require.Contains(t, failures, test.failure)
			}
		})
	}
}

func TestPlayerPutsParametersBack(t *testing.T) {
	var mu sync.Mutex
	value := "old"
	var log []string
	dial := fakeServer(t, func(args []string) string {
		mu.Lock()
		defer mu.Unlock()
		line := strings.Join(args, " ")
		log = append(log, line)
		switch {
		case strings.HasPrefix(line, "CONFIG SET p "):
			value = args[3]
		case line == "CONFIG GET p":
			return "*2\r\n$1\r\np\r\n$3\r\n" + value + "\r\n"
		case line == "CONFIG GET unknown":
			return "*0\r\n"
		}
		return "+OK\r\n"
	})
	file, err := parse("test.txt", "=== title\n> CONFIG SET p new unknown x\nOK\n> config set P new\nOK")
	require.NoError(t, err)
	s := &stage{dial: dial}
	defer s.close()
	_, failures := s.playScenario("test.txt", file.Scenarios[0])
	require.Empty(t, failures)
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, "old", value)
	require.Equal(t, []string{"FLUSHALL", "CONFIG RESETSTAT"}, log[:2])
}

func TestRequirements(t *testing.T) {
	replies := map[string]string{
		"INFO":               "$16\r\nredis_mode:alone\r\n",
		"COMMAND INFO known": "*1\r\n*1\r\n$5\r\nknown\r\n",
		"COMMAND INFO other": "*1\r\n*-1\r\n",
	}
	for requirement, want := range map[string]string{
		"command known":          "",
		"command other":          "command other",
		"info ^redis_mode:alone": "",
		"info ^cluster":          "info ^cluster",
	} {
		skip, failures := outcome(t, "@requires "+requirement+"\n=== title\n> A\nOK", replies)
		require.Empty(t, failures)
		require.Equal(t, want, skip)
	}
}

func TestRecord(t *testing.T) {
	replies := map[string]string{
		"INFO": "$37\r\n# Server\r\nredis_version:7.0.15\r\nx:y\r\n\r\n",
		"A":    "*2\r\n+x\r\n+a\r\n",
		"B":    ":1\r\n",
		"Q":    "+OK\r\nclosed",
		"X":    "+x\r\n+y\r\nclosed",
	}
	dial := fakeServer(t, func(args []string) string {
		if reply, ok := replies[strings.Join(args, " ")]; ok {
			return reply
		}
		return "+OK\r\n"
	})
	path := filepath.Join(t.TempDir(), "t.txt")
	text := "# why\n\n=== one\n@unordered\n> A\n# kept\n2> B\n(integer) 9\nold line\n@any\n> B\n\n> Q\n(closed)\n=== two\nraw> \"*1\\r\\n$1\\r\\nX\\r\\n\"\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	_, err := Record(dial, path)
	require.ErrorContains(t, err, "should be closed") // a reply must be written above (closed)
	require.Equal(t, text, readFile(t, path), "a failed recording changes nothing")

	text = strings.Replace(text, "> Q\n", "> Q\nanything\n", 1)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	n, err := Record(dial, path)
	require.NoError(t, err)
	require.Equal(t, 5, n)
	require.Equal(t, "# why\n\n=== one\n@unordered\n> A\n1) a\n2) x\n# kept\n2> B\n(integer) 1\n@any\n> B\n<integer>\n\n> Q\nOK\n(closed)\n=== two\nraw> \"*1\\r\\n$1\\r\\nX\\r\\n\"\nx\ny\n(closed)\n", readFile(t, path))
}

func readFile(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestRecordRefusesWhatIsNotRedis(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.txt")
	require.NoError(t, os.WriteFile(path, []byte("=== t\n> PING\n"), 0o644))
	for _, info := range []string{
		"# Server\r\nredis_version:7.0.15\r\nmyredis_version:1\r\n",
		"# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\n",
		"# Server\r\nredis_version:6.2.0\r\n",
		"",
	} {
		dial := fakeServer(t, func(args []string) string {
			return wire(Value{Kind: Bulk, Text: info})
		})
		_, err := Record(dial, path)
		require.ErrorIs(t, err, ErrNotRedis, info)
	}
	require.Equal(t, "=== t\n> PING\n", readFile(t, path))
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"> PING":                                "above the first title",
		"=== t\nOK":                             "a reply without a command",
		"=== t\n> PING\n\nPONG":                 "a reply without a command",
		"=== t\n@foo":                           "unknown directive",
		"=== t\n@any":                           "a directive at the end",
		"=== t\n@any\n=== u":                    "a directive without a conversation",
		"=== t\n@any 1.x\n> A":                  "bad path",
		"=== t\n@any 0\n> A":                    "bad path",
		"=== t\n@match (\n> A":                  "missing closing",
		"=== t\n@requires luck\n> A":            "unknown requirement",
		"=== t\n> \"a":                          "unbalanced",
		"=== t\nraw> PING":                      "must be quoted",
		"=== t\nraw> \"a\"*x":                   "bad repetition",
		"=== t\n0> PING":                        "no client",
		"=== t\n> ":                             "an empty command",
		"=== t\n> A\nOK\n=== u\n<\nOK\n@silent": "a directive at the end",
	} {
		_, err := parse("f.txt", text)
		require.ErrorContains(t, err, want, text)
	}
}
