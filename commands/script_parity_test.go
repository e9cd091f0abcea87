package commands_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// rawServer runs a command and returns the bytes of its reply.
type rawServer func(args ...string) string

func rawEngine() rawServer { return rawEngineOf(config.Default()) }

func rawEngineOf(cfg *config.Config) rawServer {
	e := commands.New(cfg, nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	c := e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
	return func(args ...string) string {
		raw := make([][]byte, len(args))
		for i, arg := range args {
			raw[i] = []byte(arg)
		}
		c.Out.Truncate(0)
		e.Exec(c, raw)
		return string(c.Out.Buf)
	}
}

func rawRedis(t *testing.T, args ...string) rawServer {
	nc, err := net.Dial("tcp", redistest.Start(t, args...).Addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	r := bufio.NewReader(nc)
	return func(args ...string) string {
		t.Helper()
		request := fmt.Appendf(nil, "*%d\r\n", len(args))
		for _, arg := range args {
			request = fmt.Appendf(request, "$%d\r\n%s\r\n", len(arg), arg)
		}
		_, err := nc.Write(request)
		require.NoError(t, err)
		var reply bytes.Buffer
		require.NoError(t, readRaw(r, &reply))
		return reply.String()
	}
}

// readRaw copies one reply.
func readRaw(r *bufio.Reader, w *bytes.Buffer) error {
	for left := 1; left > 0; left-- {
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		w.WriteString(line)
		n, _ := strconv.Atoi(strings.TrimRight(line[1:], "\r\n"))
		switch line[0] {
		case '$', '=':
			if n >= 0 {
				if _, err := io.CopyN(w, r, int64(n)+2); err != nil {
					return err
				}
			}
		case '*', '~', '>':
			left += max(n, 0)
		case '%':
			left += 2 * n
		case '|':
			left += 2*n + 1
		}
	}
	return nil
}

// scriptCases are what scripts are judged by: each is run by both servers, in
// both protocols. A line of testdata/scripts.lua that begins with "--- " begins
// a case; what follows are the arguments after the script, and "keys=n".
func scriptCases(t *testing.T) (cases []scriptCase) {
	data, err := os.ReadFile("testdata/scripts.lua")
	require.NoError(t, err)
	for i, part := range strings.Split("\n"+string(data), "\n--- ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		fields := strings.Fields(head)
		c := scriptCase{line: i, args: []string{"0"}, body: body}
		for _, f := range fields {
			if n, ok := strings.CutPrefix(f, "keys="); ok {
				c.args[0] = n
			} else {
				c.args = append(c.args, f)
			}
		}
		cases = append(cases, c)
	}
	return cases
}

type scriptCase struct {
	line int
	args []string
	body string
}

func TestScriptsAnswerAsRedisDoes(t *testing.T) {
	ours, redis := rawEngine(), rawRedis(t)
	for _, proto := range []string{"2", "3"} {
		ours("HELLO", proto)
		redis("HELLO", proto)
		for _, c := range scriptCases(t) {
			args := append([]string{"EVAL", c.body}, c.args...)
			if want, got := redis(args...), ours(args...); want != got {
				t.Errorf("RESP%s, script %v\n%s\nRedis   %q\nMyRedis %q", proto, c.args, c.body, want, got)
			}
		}
	}
}

// libraryCases are conversations about functions: each line is a command, whose
// arguments are separated by " | ".
var libraryCases = []string{
	"FUNCTION LOAD | #!lua name=lib\nredis.register_function('f', function(keys, args) return {keys, args} end)",
	"FCALL | f | 1 | k | a | b",
	"FCALL | F | 0",
	"FCALL_RO | f | 0",
	"FCALL | nosuch | 0",
	"FCALL | f | x",
	"FCALL | f | -1",
	"FCALL | f | 5 | a",
	"FCALL | f",
	"FUNCTION LOAD | #!lua name=lib\nredis.register_function('f', function() return 2 end)",
	"FUNCTION LOAD | REPLACE | #!lua name=lib\nredis.register_function('f', function() return 2 end)",
	"FCALL | f | 0",
	"FUNCTION LOAD | BOGUS | #!lua name=lib\nx",
	"FUNCTION LOAD | no shebang",
	"FUNCTION LOAD | #!lua name=lib",
	"FUNCTION LOAD | #!lua\nx",
	"FUNCTION LOAD | #!lua name=a name=b\nx",
	"FUNCTION LOAD | #!lua name=a foo=bar\nx",
	"FUNCTION LOAD | #!lua name=a-b\nx",
	"FUNCTION LOAD | #!lua name=\nx",
	"FUNCTION LOAD | #!lua name=\"q\nx",
	"FUNCTION LOAD | #! name=a\nx",
	"FUNCTION LOAD | #!bad name=a\nx",
	"FUNCTION LOAD | #!LUA name=upper\nredis.register_function('u', function() return 1 end)",
	"FUNCTION LOAD | #!lua name=\"quoted\"\nredis.register_function('q', function() return 1 end)",
	"FUNCTION LOAD | #!lua name=l2\nbad script",
	"FUNCTION LOAD | #!lua name=l2\nreturn 1",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function('f', function() end)",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function('g', function() end)\nredis.register_function('g', function() end)",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function()",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function('g')",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function('g', function() end, 1)",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function(nil, function() end)",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function('g', 'x')",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function('a b', function() end)",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function('', function() end)",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{function_name='g'}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{callback=function() end}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{function_name=function() end}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{callback='x'}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{description=function() end}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{bogus=1}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{flags='x'}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{flags={'x'}}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{flags={function() end}}",
	"FUNCTION LOAD | #!lua name=l2\nredis.register_function{[{}]=1}",
	"FUNCTION LOAD | #!lua name=l2\nmath.random()",
	"FUNCTION LOAD | #!lua name=l2\nredis.call('ping')",
	"FUNCTION LOAD | #!lua name=l2\nx = 1",
	"FUNCTION LOAD | #!lua name=l2\nlocal x = nil + 1",
	"FUNCTION LOAD | #!lua name=l2\nerror('stop')",
	"FUNCTION LOAD | #!lua name=l2\nerror({err='X stop'})",
	"FUNCTION LOAD | #!lua name=l2\ngetmetatable(_G)",
	"FUNCTION LOAD | #!lua name=l2\nredis.log(redis.LOG_DEBUG, 'loading ' .. redis.REDIS_VERSION)",
	"FUNCTION LOAD | #!lua name=l3\nredis.register_function{function_name='w', callback=function(k, a) return redis.call('zadd', k[1], 1, 'm') end, description='writes', flags={'allow-oom'}}",
	"FUNCTION LOAD | #!lua name=l4\nredis.register_function{function_name='r', callback=function(k, a) return redis.call('zcard', k[1]) end, flags={'no-writes', 'allow-stale'}}",
	"FUNCTION LOAD | #!lua name=l5\nredis.register_function{function_name='bad', callback=function(k, a) return redis.call('zadd', k[1], 1, 'm') end, flags={'no-writes'}}",
	"FCALL | w | 1 | z",
	"FCALL_RO | w | 1 | z",
	"FCALL | r | 1 | z",
	"FCALL_RO | r | 1 | z",
	"FCALL | bad | 1 | z",
	"FUNCTION LOAD | #!lua name=l6\nlocal n = 0\nlocal function add() n = n + 1 return n end\nredis.register_function('count', function() return add() end)\nredis.register_function('nothing', function() return redis.register_function('x', 'y') end)\nredis.register_function('global', function() x = 1 end)\nredis.register_function('keys', function() return KEYS end)\nredis.register_function('line', function()\n\nerror('here') end)\nredis.register_function('call', function() return redis.call('nosuch') end)\nredis.register_function('lib', function() return bit.band(7, 3) + math.floor(1.5) + #cjson.encode({1}) end)",
	"FCALL | count | 0",
	"FCALL | count | 0",
	"FCALL | nothing | 0",
	"FCALL | global | 0",
	"FCALL | keys | 0",
	"FCALL | line | 0",
	"FCALL | call | 0",
	"FCALL | lib | 0",
	"FUNCTION DELETE | nosuch",
	"FUNCTION DELETE | l6",
	"FCALL | count | 0",
	"FUNCTION LIST | bogus",
	"FUNCTION LIST | LIBRARYNAME",
	"FUNCTION LIST | WITHCODE | WITHCODE",
	"FUNCTION LIST | LIBRARYNAME | L3",
	"FUNCTION LIST | LIBRARYNAME | l4 | WITHCODE",
	"FUNCTION LIST | LIBRARYNAME | x*",
	"FUNCTION STATS",
	"FUNCTION KILL",
	"SCRIPT KILL",
	"FUNCTION FLUSH | bogus",
	"FUNCTION FLUSH | SYNC | x",
	"FUNCTION FLUSH | SYNC",
	"FUNCTION STATS",
	"FUNCTION LIST",
	"FUNCTION RESTORE | bogus",
	"FUNCTION RESTORE | bogus | bogus",
	"FUNCTION RESTORE | a | b | c",
	"FUNCTION RESTORE",
	"FUNCTION BOGUS",
	"EVALSHA | x | 0",
	"EVALSHA | 0123456789012345678901234567890123456789 | 0",
	"EVALSHA | 0123456789012345678901234567890123456789 | x",
	"EVALSHA | zzz3456789012345678901234567890123456789 | 0",
	"SCRIPT LOAD | return 1",
	"EVALSHA | e0e1f9fabfc9d4800c877a703b823ac0578ff8db | 0",
	"EVALSHA | E0E1F9FABFC9D4800C877A703B823AC0578FF8DB | 0",
	"EVALSHA_RO | e0e1f9fabfc9d4800c877a703b823ac0578ff8db | 0",
	"EVAL_RO | return redis.call('zadd', 'z', 1, 'a') | 0",
	"EVAL_RO | return redis.call('publish', 'z', 1) | 0",
	"EVAL_RO | return redis.call('zcard', 'z') | 0",
	"EVAL_RO | #!lua\nreturn 1 | 0",
	"EVAL_RO | #!lua flags=no-writes\nreturn 1 | 0",
	"SCRIPT EXISTS | e0e1f9fabfc9d4800c877a703b823ac0578ff8db | x",
	"SCRIPT EXISTS",
	"SCRIPT LOAD | return +",
	"SCRIPT LOAD | #!lua flags=bogus\nreturn 1",
	"SCRIPT FLUSH | bogus",
	"SCRIPT FLUSH | ASYNC",
	"SCRIPT EXISTS | e0e1f9fabfc9d4800c877a703b823ac0578ff8db",
	"SCRIPT DEBUG | NO",
	"SCRIPT DEBUG | BOGUS",
	"SCRIPT BOGUS",
	"EVAL | return 1",
	"MULTI",
	"EVAL | return redis.call('zcard', KEYS[1]) | 1 | z",
	"EVAL | return redis.call('bogus') | 0",
	"EVALSHA | bogus | 0",
	"EXEC",
}

func TestFunctionsAnswerAsRedisDoes(t *testing.T) {
	for _, proto := range []string{"2", "3"} {
		ours, redis := rawEngine(), rawRedis(t)
		for _, line := range append([]string{"HELLO | " + proto}, libraryCases...) {
			args := strings.Split(line, " | ")
			if name, sub, ok := strings.Cut(args[0], " "); ok {
				args = append([]string{name, sub}, args[1:]...)
			}
			want, got := redis(args...), ours(args...)
			if want != got && args[0] != "HELLO" {
				t.Errorf("RESP%s %s\nRedis   %q\nMyRedis %q", proto, line, want, got)
			}
		}
	}
}

// bulk is what a raw bulk string holds.
func bulk(t *testing.T, reply string) string {
	require.Equal(t, "$", reply[:1], reply)
	_, body, _ := strings.Cut(reply, "\r\n")
	return strings.TrimSuffix(body, "\r\n")
}

// A dump of functions can be taken to Redis and back. Redis compresses what is
// as long and repetitive as this library.
func TestFunctionDumpsGoBothWays(t *testing.T) {
	ours, redis := rawEngine(), rawRedis(t)
	for _, name := range []string{"one", "two"} {
		code := "#!lua name=" + name + "\nredis.register_function('f" + name + "', function() return '" + name + "' end)" + strings.Repeat("\n-- repeated", 100)
		require.Contains(t, ours("FUNCTION", "LOAD", code), name)
		require.Contains(t, redis("FUNCTION", "LOAD", code), name)
	}
	fromUs, fromRedis := bulk(t, ours("FUNCTION", "DUMP")), bulk(t, redis("FUNCTION", "DUMP"))
	require.Equal(t, "-ERR Library one already exists\r\n", ours("FUNCTION", "RESTORE", fromRedis))
	for _, policy := range []string{"FLUSH", "REPLACE"} {
		require.Equal(t, "+OK\r\n", ours("FUNCTION", "RESTORE", fromRedis, policy))
		require.Equal(t, "+OK\r\n", redis("FUNCTION", "RESTORE", fromUs, policy))
	}
	for _, server := range []rawServer{ours, redis} {
		require.Equal(t, "$3\r\none\r\n", server("FCALL", "fone", "0"))
		require.Contains(t, server("FUNCTION", "STATS"), "functions_count\r\n:2\r\n")
	}
	damaged := []byte(fromRedis)
	damaged[len(damaged)/2] ^= 1
	require.Equal(t, "-ERR DUMP payload version or checksum are wrong\r\n", ours("FUNCTION", "RESTORE", string(damaged)))
	require.Equal(t, "$3\r\none\r\n", ours("FCALL", "fone", "0"))
}

// debugConversation is about a script in the debugger. The last command ends it.
var debugConversation = []string{
	"SCRIPT DEBUG SYNC", "EVAL | local t = {1, 'two', x = 3}\nlocal function f(a)\n  redis.debug('in f', a)\n  return a .. 'x'\nend\nlocal s = f(7)\nredis.call('zadd', 'z', 1, 'm')\nredis.breakpoint()\nlocal r = redis.pcall('nosuch', s)\nfor i = 1, 2 do\n  s = s .. i\nend\nreturn {s, ARGV[1]}\n | 1 | key | arg",
	"list", "l 1 1", "w", "print", "step", "print t", "print nosuch", "p KEYS", "p ARGV", "break", "break 4", "break 99", "break x", "break -9", "b",
	"continue", "print", "trace", "print a", "eval 1 + 1", "eval return 5", "eval x =", "eval error('oops')", "e #KEYS", "redis zcard z", "r nosuch a b c d e f g h i j k l", "redis",
	"break 0", "next", "s", "s", "s", "m", "maxlen 0", "maxlen 5", "p s", "bogus", "'hello\x00'", "s", "s", "n", "n", "continue",
}

func TestDebuggerAnswersAsRedisDoes(t *testing.T) {
	ours := rawEngine()
	nc, err := net.Dial("tcp", redistest.Start(t).Addr)
	require.NoError(t, err)
	defer nc.Close()
	r := bufio.NewReader(nc)
	for i, line := range debugConversation {
		args := strings.Fields(line)
		if strings.Contains(line, " | ") {
			args = strings.Split(line, " | ")
		}
		request := fmt.Appendf(nil, "*%d\r\n", len(args))
		for _, arg := range args {
			request = fmt.Appendf(request, "$%d\r\n%s\r\n", len(arg), arg)
		}
		_, err := nc.Write(request)
		require.NoError(t, err)
		var want bytes.Buffer
		if i == len(debugConversation)-1 {
			_, err = io.Copy(&want, r)
		} else {
			err = readRaw(r, &want)
		}
		require.NoError(t, err)
		require.Equal(t, want.String(), ours(args...), line)
	}
}
