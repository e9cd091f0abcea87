package commands_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// Several clients wait for the same few keys, while one that does not wait
// makes, moves and removes them, here and on a real Redis. After each command
// the same clients must go on waiting, and the others have got the same bytes:
// who is served, with what, in which order.
func TestWaitingParity(t *testing.T) {
	redis := redistest.Start(t)
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		there, here := newRedisParty(t, redis.Addr, proto), newEngineParty(proto)
		defer there.close()
		waiting := make([]bool, partySize)
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			who := rapid.IntRange(0, partySize-1).Draw(t, "client")
			lines := [][]string{}
			if who == 0 || waiting[who] {
				who = 0
				lines = sequence(changeCommand.Draw(t, "change"))
			} else {
				lines = append(lines, waitCommand.Draw(t, "wait"))
			}
			for _, line := range lines {
				want, stillThere := there.run(who, line)
				got, stillHere := here.run(who, line)
				require.Equal(t, want, got, "client %d: %q", who, line)
				require.Equal(t, stillThere, stillHere, "who waits after client %d: %q", who, line)
				waiting = stillThere
			}
		}
	})
}

const partySize = 6 // clients; the first never waits

var (
	waitedFor = oneOf("l", "m", "z")
	manyKeys  = repeat(3, words(waitedFor))

	waitCommand = rapid.OneOf(
		words(oneOf("BLPOP", "BRPOP"), manyKeys, "0"),
		words("BLMOVE", waitedFor, waitedFor, side, side, "0"),
		words("BRPOPLPUSH", waitedFor, waitedFor, "0"),
		words("BLMPOP", "0", "2", waitedFor, waitedFor, side, "COUNT", oneOf("1", "2", "5")),
		words(oneOf("BZPOPMIN", "BZPOPMAX"), manyKeys, "0"),
		words("BZMPOP", "0", "2", waitedFor, waitedFor, "MIN", "COUNT", oneOf("1", "2")),
	)
	changeCommand = rapid.OneOf(
		words(oneOf("LPUSH", "RPUSH"), waitedFor, repeat(3, words(oneOf("a", "b", "c", "1")))),
		words("ZADD", waitedFor, oneOf("1", "2"), oneOf("a", "b")),
		words("SET", waitedFor, "x"),
		words("DEL", waitedFor),
		words("MULTI", ";", repeat(4, words(change, ";")), "EXEC"),
		words("EVAL", "redis.call('RPUSH', KEYS[1], 'a', 'b') redis.call('LPUSH', KEYS[2], 'c') return redis.call('EXISTS', KEYS[1])", "2", waitedFor, waitedFor),
		words("RPUSH", "other", "o", ";", "RENAME", "other", waitedFor),
		words("RPUSH", "other", "o", ";", "COPY", "other", waitedFor, "REPLACE", ";", "DEL", "other"),
		words("SELECT", "1", ";", "RPUSH", waitedFor, "o", ";", "MOVE", waitedFor, "0", ";", "SELECT", "0"),
		// With one key only: in which order Redis looks at several is chance.
		words("SELECT", "1", ";", "FLUSHDB", ";", "RPUSH", waitedFor, "o", "p", ";", "SELECT", "0", ";", "SWAPDB", "0", "1"),
		words("LMOVE", waitedFor, waitedFor, side, side),
		words(oneOf("LPOP", "RPOP"), waitedFor),
		words("FLUSHALL"),
	)
	change = rapid.OneOf(
		words(oneOf("LPUSH", "RPUSH"), waitedFor, repeat(3, words(oneOf("a", "b", "c", "1")))),
		words("ZADD", waitedFor, oneOf("1", "2"), oneOf("a", "b")),
		words("DEL", waitedFor),
		words("SET", waitedFor, "x"),
		words("LMOVE", waitedFor, waitedFor, "LEFT", "RIGHT"),
		words("BLPOP", waitedFor, "0"),
		words("LPOP", waitedFor),
	)
)

// engineParty is some clients of an engine.
type engineParty struct {
	engine  *commands.Engine
	clients []*commands.Client
}

func newEngineParty(proto int) *engineParty {
	p := &engineParty{engine: commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))}
	for i := range partySize {
		p.clients = append(p.clients, p.engine.Connect(nil, "tcp", fmt.Sprint("127.0.0.1:", i+1), "127.0.0.1:9"))
		p.run(i, []string{"HELLO", strconv.Itoa(proto)})
	}
	return p
}

// run runs a command of a client. It returns what each client got, and who
// waits.
func (p *engineParty) run(who int, line []string) (got []string, waiting []bool) {
	args := make([][]byte, len(line))
	for i, arg := range line {
		args[i] = []byte(arg)
	}
	p.engine.Exec(p.clients[who], args)
	for _, arg := range args {
		clear(arg)
	}
	for _, c := range p.clients {
		got = append(got, string(c.Out.Buf))
		c.Out.Buf = nil
		waiting = append(waiting, c.Blocked())
	}
	return got, waiting
}

// redisParty is some clients of a real Redis, and one that observes them.
type redisParty struct {
	t       *rapid.T
	clients []*redisConn
	ids     []string
	waiting []bool
	observe *redisConn
}

func newRedisParty(t *rapid.T, addr string, proto int) *redisParty {
	p := &redisParty{t: t, observe: dialRedis(t, addr), waiting: make([]bool, partySize)}
	p.observe.send([]string{"FLUSHALL"}, []string{"ECHO", marker})
	p.observe.untilMarker()
	for range partySize {
		c := dialRedis(t, addr)
		c.send([]string{"HELLO", strconv.Itoa(proto)}, []string{"ECHO", marker})
		c.untilMarker()
		c.send([]string{"CLIENT", "ID"}, []string{"ECHO", marker})
		p.ids = append(p.ids, strings.Trim(c.untilMarker(), ":\r\n"))
		p.clients = append(p.clients, c)
	}
	return p
}

func (p *redisParty) close() {
	for _, c := range append(p.clients, p.observe) {
		c.Close()
	}
}

// run is that of an engineParty. A client that has got its reply, or waits, has
// been heard; which of the two it is the observer tells.
func (p *redisParty) run(who int, line []string) (got []string, waiting []bool) {
	p.clients[who].send(line)
	got = make([]string, partySize)
	before := p.waiting
	p.waiting = make([]bool, partySize)
	if got[who], p.waiting[who] = p.replyOrWait(who); p.waiting[who] && who == 0 {
		p.t.Fatalf("%q waits", line)
	}
	now := p.whoWaits()
	for i, waited := range before {
		if waited && !now[i] {
			got[i] = rawReply(p.t, p.clients[i].r)
		}
	}
	p.waiting = now
	return got, now
}

// replyOrWait returns what a client gets, or that it waits.
func (p *redisParty) replyOrWait(who int) (reply string, waits bool) {
	c := p.clients[who]
	for {
		require.NoError(p.t, c.SetReadDeadline(time.Now().Add(time.Millisecond)))
		_, err := c.r.Peek(1)
		require.NoError(p.t, c.SetDeadline(time.Now().Add(time.Minute)))
		if err == nil {
			return rawReply(p.t, c.r), false
		}
		if failure, ok := err.(net.Error); !ok || !failure.Timeout() {
			p.t.Fatal(err)
		}
		if p.whoWaits()[who] {
			return "", true
		}
	}
}

// rawReply reads one reply as it was sent.
func rawReply(t *rapid.T, r *bufio.Reader) string {
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
	switch line[0] {
	case '$':
		if n >= 0 {
			body := make([]byte, n+2)
			_, err := io.ReadFull(r, body)
			require.NoError(t, err)
			line += string(body)
		}
	case '*', '~':
		for range n {
			line += rawReply(t, r)
		}
	}
	return line
}

// whoWaits tells it by the flags of CLIENT LIST.
func (p *redisParty) whoWaits() []bool {
	p.observe.send(append([]string{"CLIENT", "LIST", "ID"}, p.ids...), []string{"ECHO", marker})
	list := p.observe.untilMarker()
	waits := make([]bool, partySize)
	for i, id := range p.ids {
		_, entry, found := strings.Cut(list, "id="+id+" ")
		require.True(p.t, found)
		_, flags, _ := strings.Cut(entry, " flags=")
		flags, _, _ = strings.Cut(flags, " ")
		waits[i] = strings.Contains(flags, "b")
	}
	return waits
}
