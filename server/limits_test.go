package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/commands"
)

// connected waits until so many clients are left.
func connected(t *testing.T, s *Server, clients int) {
	t.Helper()
	require.Eventually(t, func() (done bool) {
		s.Do(func(e *commands.Engine) { done = e.Clients() == clients })
		return done
	}, 10*time.Second, time.Millisecond)
}

// A reply that is larger than the hard limit is not sent, not even in part, and
// no command after it is run.
func TestHardLimitOfOneReply(t *testing.T) {
	settings := map[string]string{"client-output-buffer-limit": "normal 100000 0 0"}
	onEveryDoor(t, settings, func(t *testing.T, s *Server) {
		p, other := dial(t, s), dial(t, s)
		other.send("SETRANGE big 150000 x\r\n")
		other.want(":150001\r\n")
		p.send("GET big\r\nSET after 1\r\n")
		p.wantEnd()
		other.send("EXISTS after\r\n")
		other.want(":0\r\n")
	})
}

// Commands whose replies have no end do not go on once the reply is too large.
func TestHardLimitStopsACommand(t *testing.T) {
	settings := map[string]string{"client-output-buffer-limit": "normal 100000 0 0"}
	for _, command := range []string{"HRANDFIELD h -9223372036854775807", "SRANDMEMBER s -9223372036854775807", "ZRANDMEMBER z -4611686018427387903"} {
		t.Run(command, func(t *testing.T) {
			onEveryDoor(t, settings, func(t *testing.T, s *Server) {
				p := dial(t, s)
				p.send("HSET h f v\r\nSADD s m\r\nZADD z 1 m\r\n")
				p.want(":1\r\n:1\r\n:1\r\n")
				p.send(command + "\r\n")
				p.wantEnd()
			})
		})
	}
}

// A listener that does not keep up is ended by what others publish, at once
// even if it is all in one script.
func TestHardLimitOfAListener(t *testing.T) {
	settings := map[string]string{"client-output-buffer-limit": "pubsub 1mb 0 0"}
	onEveryDoor(t, settings, func(t *testing.T, s *Server) {
		listener, other := dial(t, s), dial(t, s)
		listener.send("SUBSCRIBE c\r\n")
		listener.want("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n")
		script := "local m = string.rep('x', 1000) for i = 1, 5000 do redis.call('publish', 'c', m) end return 'done'"
		other.send(fmt.Sprintf("*3\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n0\r\n", len(script), script))
		other.want("$4\r\ndone\r\n")
		connected(t, s, 1)
	})
}

// maxmemory-clients ends those that hold most, and not more of them than it
// has to.
func TestClientsAreEvictedFromTheLargestOn(t *testing.T) {
	onEveryDoor(t, map[string]string{"maxmemory-clients": "4mb"}, func(t *testing.T, s *Server) {
		small, large, spared := dial(t, s), dial(t, s), dial(t, s)
		spared.send("CLIENT NO-EVICT ON\r\n")
		spared.want("+OK\r\n")
		part := func(n int) string { return "*2\r\n$4\r\nECHO\r\n$9000000\r\n" + strings.Repeat("x", n) }
		spared.send(part(5 << 20))
		small.send(part(500 << 10))
		spared.send(strings.Repeat("x", 1000))
		large.Write([]byte(part(4 << 20))) // its end may come before the last byte
		connected(t, s, 2)
		s.Do(func(e *commands.Engine) {
			require.Equal(t, int64(1), e.Stats.EvictedClients)
			e.EachClient(func(c *commands.Client) { require.NotEqual(t, large.LocalAddr().String(), c.Addr) })
		})
	})
}
