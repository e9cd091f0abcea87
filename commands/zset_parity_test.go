package commands_test

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
	"myredis/wire"
)

// Random histories of sorted set commands run here and on a real Redis. Every
// reply must be the same bytes, in both protocols, and so must the keyspace
// events. The limits of the listpack encoding are so low that sets cross them
// all the time.
func TestZSetParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := append(slices.Clone(zsetSetUp), [][]string{
			{"CONFIG", "SET", "notify-keyspace-events", "KEA"},
			{"CONFIG", "SET", "zset-max-listpack-entries", rapid.SampledFrom([]string{"0", "2", "4", "128"}).Draw(t, "entries")},
			{"CONFIG", "SET", "zset-max-listpack-value", rapid.SampledFrom([]string{"0", "3", "64"}).Draw(t, "value")},
		}...)
		for range 20 { // a slice is short on average, and a history of slices can be cut anywhere
			history = append(history, rapid.SliceOfN(zsetCommand, 0, 20).Draw(t, "history")...)
		}
		for _, key := range slices.Concat(mixedKeys, lexKeys) {
			history = append(history, []string{"OBJECT", "ENCODING", key}, []string{"ZRANGE", key, "0", "-1", "WITHSCORES"},
				[]string{"ZSCAN", key, "0", "COUNT", "1000"}, []string{"EXPIRETIME", key})
		}
		requireSame(t, redis.Addr, engine, proto, history)
	})
}

// Sets of a thousand members, where ranks and ranges are searched for and not
// counted out.
func TestZSetParityLarge(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := append(slices.Clone(zsetSetUp), largeSets(t)...)
		history = append(history, rapid.SliceOfN(largeCommand, 20, 60).Draw(t, "history")...)
		requireSame(t, redis.Addr, engine, proto, history)
	})
}

// requireSame runs a history on both servers.
func requireSame(t *rapid.T, addr string, engine *commands.Engine, proto int, history [][]string) {
	want, wantEvents := replay(t, addr, proto, history)
	got, gotEvents := replayHere(engine, proto, history)
	for i, command := range history {
		if command[0] == "ZSCAN" { // the order of a walk is nobody's business
			want[i], got[i] = sortLines(want[i]), sortLines(got[i])
		}
		require.Equal(t, want[i], got[i], "command %d: %q", i, command)
	}
	require.Equal(t, wantEvents, gotEvents)
}

// requests are what is sent for a command: one that may wait goes into a
// transaction, where it does not.
func requests(command []string) [][]string {
	if command[0][0] != 'B' {
		return [][]string{command}
	}
	return [][]string{{"MULTI"}, command, {"EXEC"}}
}

func sortLines(reply string) string {
	lines := strings.SplitAfter(reply, "\r\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// replayHere returns the raw reply to each command, and what a listener to all
// keyspace events got.
func replayHere(engine *commands.Engine, proto int, history [][]string) (replies []string, events string) {
	client := engine.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
	defer engine.Disconnect(client)
	listener := engine.Connect(nil, "tcp", "127.0.0.1:3", "127.0.0.1:2")
	defer engine.Disconnect(listener)
	exec := func(c *commands.Client, requests ...[]string) string {
		mark := c.Out.Len()
		for _, request := range requests {
			args := make([][]byte, len(request))
			for i, arg := range request {
				args[i] = []byte(arg)
			}
			engine.Exec(c, args)
			for _, arg := range args {
				clear(arg) // arguments are views of a buffer, which is used again
			}
		}
		return string(c.Out.Buf[mark:])
	}
	exec(client, []string{"HELLO", strconv.Itoa(proto)})
	exec(listener, []string{"PSUBSCRIBE", "__key*"})
	listener.Out.Truncate(0)
	for _, command := range history {
		replies = append(replies, exec(client, requests(command)...))
	}
	return replies, string(listener.Out.Buf)
}

// marker is echoed after a reply, to tell where it ends.
const (
	marker     = "--- end of reply ---"
	markerBulk = "$20\r\n" + marker + "\r\n"
	pongHeader = "*2\r\n$4\r\npong\r\n" // before the marker, in the reply to a listener's PING
)

// replay is replayHere on a real Redis.
func replay(t *rapid.T, addr string, proto int, history [][]string) (replies []string, events string) {
	client, listener := dialRedis(t, addr), dialRedis(t, addr)
	defer client.Close()
	defer listener.Close()
	listener.send([]string{"PSUBSCRIBE", "__key*"}, []string{"PING", marker})
	listener.untilMarker()

	client.send([]string{"HELLO", strconv.Itoa(proto)}, []string{"ECHO", marker})
	client.untilMarker()
	for _, command := range history {
		client.send(append(requests(command), []string{"ECHO", marker})...)
	}
	for range history {
		replies = append(replies, client.untilMarker())
	}
	listener.send([]string{"PING", marker})
	return replies, strings.TrimSuffix(listener.untilMarker(), pongHeader)
}

type redisConn struct {
	net.Conn
	t *rapid.T
	r *bufio.Reader
}

func dialRedis(t *rapid.T, addr string) *redisConn {
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return &redisConn{c, t, bufio.NewReader(c)}
}

func (c *redisConn) send(requests ...[]string) {
	var out wire.Encoder
	for _, request := range requests {
		out.Array(len(request))
		for _, arg := range request {
			out.BulkString(arg)
		}
	}
	_, err := c.Write(out.Buf)
	require.NoError(c.t, err)
}

// untilMarker returns what comes before the next marker.
func (c *redisConn) untilMarker() string {
	var reply []byte
	for !bytes.HasSuffix(reply, []byte(markerBulk)) {
		line, err := c.r.ReadBytes('\n')
		require.NoError(c.t, err, "after %q", reply)
		reply = append(reply, line...)
	}
	return string(reply[:len(reply)-len(markerBulk)])
}
