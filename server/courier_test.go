package server

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/commands"
	"myredis/internal/redistest"
)

// target is a server for MIGRATE that answers what a test says, when it says so.
type target struct {
	*net.TCPListener
	t    *testing.T
	port int
}

func newTarget(t *testing.T) *target {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return &target{l.(*net.TCPListener), t, l.Addr().(*net.TCPAddr).Port}
}

func (t *target) accept() *peer {
	t.t.Helper()
	require.NoError(t.t, t.SetDeadline(time.Now().Add(20*time.Second)))
	nc, err := t.Accept()
	require.NoError(t.t, err)
	t.t.Cleanup(func() { nc.Close() })
	require.NoError(t.t, nc.SetDeadline(time.Now().Add(20*time.Second)))
	return &peer{t: t.t, Conn: nc, r: bufio.NewReader(nc)}
}

// request reads a request and returns its first two words.
func (p *peer) request() string {
	p.t.Helper()
	line := func() string {
		text, err := p.r.ReadString('\n')
		require.NoError(p.t, err)
		return strings.TrimSpace(text)
	}
	n, err := strconv.Atoi(line()[1:])
	require.NoError(p.t, err)
	words := make([]string, n)
	for i := range words {
		size, err := strconv.Atoi(line()[1:])
		require.NoError(p.t, err)
		word := make([]byte, size+2)
		for at := 0; at < len(word); {
			n, err := p.r.Read(word[at:])
			require.NoError(p.t, err)
			at += n
		}
		words[i] = string(word[:size])
	}
	return words[0] + " " + words[1]
}

var waits = regexp.MustCompile(`flags=\w*b`)

// blockedClients waits until n clients of the server wait.
func blockedClients(t *testing.T, s *Server, n int) {
	t.Helper()
	p := dial(t, s)
	require.Eventually(t, func() bool {
		p.send("CLIENT LIST\r\n")
		head, err := p.r.ReadString('\n')
		require.NoError(t, err)
		size, err := strconv.Atoi(strings.TrimSpace(head[1:]))
		require.NoError(t, err)
		list := make([]byte, size+2)
		for at := 0; at < len(list); {
			n, err := p.r.Read(list[at:])
			require.NoError(t, err)
			at += n
		}
		return len(waits.FindAll(list, -1)) == n
	}, 10*time.Second, time.Millisecond)
}

// While a key is on its way nobody sees or changes it, and nobody who does
// neither waits.
func TestOthersGoOnWhileAKeyMigrates(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		to := newTarget(t)
		caller, reader, flusher, script := dial(t, s), dial(t, s), dial(t, s), dial(t, s)
		caller.send("MSET k 1 other 2\r\n")
		caller.want("+OK\r\n")
		caller.send(fmt.Sprintf("MIGRATE 127.0.0.1 %d k 3 10000\r\nGET k\r\n", to.port))
		in := to.accept()
		require.Equal(t, "SELECT 3", in.request())
		require.Equal(t, "RESTORE k", in.request())

		reader.send("GET other\r\nSET other 3\r\nMULTI\r\nSET k 9\r\nGET k\r\n")
		reader.want("$1\r\n2\r\n+OK\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n")
		reader.send("EXEC\r\n")
		blockedClients(t, s, 2)
		script.send("EVAL \"return redis.call('INCR', 'k')\" 0\r\n")
		blockedClients(t, s, 3)
		flusher.send("FLUSHALL\r\n")
		blockedClients(t, s, 4)

		in.send("+OK\r\n+OK\r\n")
		caller.want("+OK\r\n")
		reader.want("*2\r\n+OK\r\n$1\r\n9\r\n")
		script.want(":10\r\n")
		flusher.want("+OK\r\n")
		caller.want("$-1\r\n")
	})
}

// A client that waits for one key and would then change one on its way.
func TestWaitersDoNotReachAKeyThatMigrates(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		to := newTarget(t)
		caller, waiter := dial(t, s), dial(t, s)
		waiter.send("BLMOVE from k LEFT RIGHT 0\r\n")
		blockedClients(t, s, 1)
		caller.send("RPUSH k a\r\n")
		caller.want(":1\r\n")
		caller.send(fmt.Sprintf("MIGRATE 127.0.0.1 %d k 3 10000\r\n", to.port))
		in := to.accept()
		in.request()
		in.request()
		other := dial(t, s)
		other.send("RPUSH from b\r\n")
		other.want(":1\r\n")
		in.send("+OK\r\n+OK\r\n")
		caller.want("+OK\r\n")
		waiter.want("$1\r\nb\r\n")
		other.send("LRANGE k 0 -1\r\n")
		other.want("*1\r\n$1\r\nb\r\n")
	})
}

// Only what the target has acknowledged goes, also when nobody waits for the
// answer any more.
func TestMigrateRemovesWhatIsAcknowledged(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		to := newTarget(t)
		caller, other := dial(t, s), dial(t, s)
		caller.send("MSET a 1 b 2 c 3\r\n")
		caller.want("+OK\r\n")
		caller.send(fmt.Sprintf("MIGRATE 127.0.0.1 %d \"\" 0 10000 KEYS a b c\r\n", to.port))
		in := to.accept()
		for range 4 {
			in.request()
		}
		in.send("+OK\r\n+OK\r\n-BUSYKEY b is there\r\n")
		in.Close()
		caller.want("-ERR Target instance replied with error: BUSYKEY b is there\r\n")
		caller.send("EXISTS a b c\r\n")
		caller.want(":2\r\n")

		caller.send(fmt.Sprintf("MIGRATE 127.0.0.1 %d b 0 10000\r\n", to.port))
		in = to.accept()
		in.request()
		in.request()
		caller.Close()
		blockedClients(t, s, 0)
		other.send("GET c\r\nGET b\r\n")
		other.want("$1\r\n3\r\n")
		in.send("+OK\r\n+OK\r\n")
		other.want("$-1\r\n")
	})
}

// A connection is used again, in its database, and a new one made when the
// target has closed it.
func TestMigrateKeepsItsConnection(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		to := newTarget(t)
		caller := dial(t, s)
		migrate := func(db int) {
			caller.send("SET k v\r\n")
			caller.want("+OK\r\n")
			caller.send(fmt.Sprintf("MIGRATE 127.0.0.1 %d k %d 10000 AUTH pw\r\n", to.port, db))
		}
		migrate(3)
		in := to.accept()
		for _, want := range []string{"AUTH pw", "SELECT 3", "RESTORE k"} {
			require.Equal(t, want, in.request())
		}
		in.send("+OK\r\n+OK\r\n+OK\r\n")
		caller.want("+OK\r\n")

		migrate(3)
		for _, want := range []string{"AUTH pw", "RESTORE k"} {
			require.Equal(t, want, in.request())
		}
		in.send("+OK\r\n-BUSYKEY\r\n")
		caller.want("-ERR Target instance replied with error: BUSYKEY\r\n")
		in.Close()

		migrate(3)
		in = to.accept()
		for _, want := range []string{"AUTH pw", "SELECT 3", "RESTORE k"} {
			require.Equal(t, want, in.request())
		}
		in.send("-WRONGPASS no\r\n-NOAUTH\r\n+OK\r\n")
		caller.want("-ERR Target instance replied with error: WRONGPASS no\r\n")
		caller.send("GET k\r\n")
		caller.want("$1\r\nv\r\n")
	})
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	to := newTarget(t)
	c := newCourier(nil)
	c.idle = time.Millisecond
	delivered := make(chan commands.Delivery)
	go func() {
		p := &commands.Parcel{Host: "127.0.0.1", Port: strconv.Itoa(to.port), Timeout: 10 * time.Second, Restores: []byte("*2\r\n$1\r\na\r\n$1\r\nb\r\n"), Count: 1}
		delivered <- c.Deliver(p)
	}()
	in := to.accept()
	in.request()
	in.send("+OK\r\n+OK\r\n")
	require.Equal(t, commands.Delivery{Stored: []bool{true}}, <-delivered)
	in.wantEnd()
	require.Zero(t, c.Connections())
}

// The end of the server does not wait for a target.
func TestCloseDuringMigrate(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		to := newTarget(t)
		caller := dial(t, s)
		caller.send("SET k v\r\n")
		caller.want("+OK\r\n")
		caller.send(fmt.Sprintf("MIGRATE 127.0.0.1 %d k 0 100000\r\n", to.port))
		in := to.accept()
		in.request()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		require.NoError(t, s.Close(ctx))
	})
}

// migrants make a key of every type, of which one expires.
var migrants = [][]any{
	{"SET", "string", "v", "EX", "1000"}, {"SET", "long", strings.Repeat("0123456789", 50000)}, {"SET", "int", "12345"},
	{"RPUSH", "list", "a", "1", strings.Repeat("x", 9000)}, {"HSET", "hash", "f", "v", "n", "1"}, {"SADD", "ints", "1", "2"},
	{"SADD", "set", "a", "b"}, {"ZADD", "zset", "1.5", "a", "-inf", "b"}, {"PFADD", "hll", "a", "b"}, {"GEOADD", "geo", "13.3", "38.1", "p"},
}

// Keys go to a real Redis and come back, and are what they were.
func TestMigrateToRedisAndBack(t *testing.T) {
	there := redistest.Start(t, "--enable-debug-command", "yes")
	onEveryDoor(t, map[string]string{"enable-debug-command": "yes"}, func(t *testing.T, s *Server) {
		ctx := t.Context()
		mine, redis9 := redis.NewClient(&redis.Options{Addr: s.Addr()}), redis.NewClient(&redis.Options{Addr: there.Addr, DB: 9})
		defer mine.Close()
		defer redis9.Close()
		require.NoError(t, redis9.FlushAll(ctx).Err())
		var keys []any
		for _, command := range migrants {
			require.NoError(t, mine.Do(ctx, command...).Err())
			keys = append(keys, command[1])
		}
		digest := append([]any{"DEBUG", "DIGEST-VALUE"}, keys...)
		want, err := mine.Do(ctx, digest...).Result()
		require.NoError(t, err)

		go9 := append([]any{"MIGRATE", "127.0.0.1", there.Port, "", 9, 5000, "KEYS", "none"}, keys...)
		require.Equal(t, "OK", mine.Do(ctx, go9...).Val())
		require.Zero(t, mine.DBSize(ctx).Val())
		require.Equal(t, want, redis9.Do(ctx, digest...).Val())
		require.InDelta(t, 1000, redis9.TTL(ctx, "string").Val().Seconds(), 5)
		require.Equal(t, "NOKEY", mine.Do(ctx, go9...).Val())

		back := append([]any{"MIGRATE", "127.0.0.1", s.Port(), "", 0, 5000, "COPY", "KEYS"}, keys...)
		require.Equal(t, "OK", redis9.Do(ctx, back...).Val())
		require.Equal(t, want, mine.Do(ctx, digest...).Val())
		require.EqualError(t, redis9.Do(ctx, back...).Err(), "ERR Target instance replied with error: BUSYKEY Target key name already exists.")
		require.EqualError(t, mine.Do(ctx, go9...).Err(), "ERR Target instance replied with error: BUSYKEY Target key name already exists.")
		require.EqualError(t, mine.Do(ctx, "MIGRATE", "127.0.0.1", there.Port, "int", 99, 5000).Err(), "ERR Target instance replied with error: ERR DB index is out of range")
	})
}

// A Redis that has been stopped takes the connection and does not answer.
func TestMigrateToAStoppedRedis(t *testing.T) {
	there := redistest.Start(t)
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		caller, other := dial(t, s), dial(t, s)
		caller.send("SET k v\r\n")
		caller.want("+OK\r\n")
		require.NoError(t, there.Signal(syscall.SIGSTOP))
		caller.send(fmt.Sprintf("MIGRATE 127.0.0.1 %d k 0 100\r\n", there.Port))
		blockedClients(t, s, 1)
		other.send("APPEND k w\r\n")
		caller.want("-IOERR error or timeout reading to target instance\r\n")
		other.want(":2\r\n")
		require.NoError(t, there.Signal(syscall.SIGCONT))
		caller.send(fmt.Sprintf("MIGRATE 127.0.0.1 %d k 0 10000 REPLACE\r\nGET k\r\n", there.Port))
		caller.want("+OK\r\n$-1\r\n")
	})
}
