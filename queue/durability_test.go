package queue_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
	"myredis/queue"
)

func TestDurabilityText(t *testing.T) {
	for text, want := range map[string]queue.Durability{
		"":                         {},
		"replicas=1":               {Replicas: 1, Timeout: time.Second},
		"replicas=2,timeout=250ms": {Replicas: 2, Timeout: 250 * time.Millisecond},
		"timeout=2s,replicas=3":    {Replicas: 3, Timeout: 2 * time.Second},
	} {
		var d queue.Durability
		require.NoError(t, d.UnmarshalText([]byte(text)), text)
		require.Equal(t, want, d, text)
		again, err := d.MarshalText()
		require.NoError(t, err)
		var read queue.Durability
		require.NoError(t, read.UnmarshalText(again))
		require.Equal(t, d, read)
	}
	for _, text := range []string{"1", "replicas", "replicas=0", "replicas=-1", "replicas=x", "timeout=1s", "replicas=1,timeout=0s",
		"replicas=1,timeout=3s", "replicas=1,timeout=5", "replicas=1,replicas=2", "replicas=1,", "acks=1"} {
		var d queue.Durability
		var invalid *queue.InvalidError
		require.ErrorAs(t, d.UnmarshalText([]byte(text)), &invalid, text)
		require.Equal(t, "durability", invalid.Field)
	}
}

// pair starts a master and a replica of it that has caught up.
func pair(t *testing.T) (master, replica *redistest.Server) {
	t.Helper()
	master = redistest.Start(t, "--repl-diskless-sync-delay", "0")
	replica = redistest.Start(t, "--repl-diskless-sync-delay", "0", "--replicaof", "127.0.0.1", strconv.Itoa(master.Port))
	t.Cleanup(func() { _ = replica.Signal(syscall.SIGCONT) })
	client := redis.NewClient(&redis.Options{Addr: master.Addr})
	defer client.Close()
	require.Eventually(t, func() bool { return replicated(client, 1) }, 15*time.Second, 10*time.Millisecond, "the replica does not catch up")
	return master, replica
}

func replicated(master *redis.Client, replicas int64) bool {
	info, _ := master.Info(background, "replication").Result()
	return strings.Contains(info, "state=online") && master.Wait(background, int(replicas), time.Second).Val() >= replicas
}

func TestDurabilityWithReplica(t *testing.T) {
	master, _ := pair(t)
	b := dial(t, master.Addr, "test").Durable(queue.Durability{Replicas: 1, Timeout: 2 * time.Second})
	for _, strategy := range queue.Strategies() {
		r := openRoom(t, b, strategy.Name, func(c *queue.Config) { c.Room = strategy.Name })
		join(t, r, "a", "b", "c")
		_, err := r.Admit(background)
		require.NoError(t, err)
		require.Equal(t, queue.StateAdmitted, state(t, r, "b"))
		require.Equal(t, queue.StateWaiting, state(t, r, "c"))
	}

	_, err := b.Durable(queue.Durability{Replicas: 2, Timeout: 10 * time.Millisecond}).Do(background, "INCR", "n")
	var few *queue.ReplicasError
	require.ErrorAs(t, err, &few)
	require.Equal(t, queue.ReplicasError{Acknowledged: 1, Wanted: 2}, *few)
	n, err := b.Do(background, "GET", "n")
	require.NoError(t, err)
	require.Equal(t, "1", n, "it has been done all the same, once")

	_, err = b.Do(background, "INCR", "test:not:a:number", "more")
	require.ErrorContains(t, err, "wrong number of arguments", "an error reply is one")
	missing, err := b.Do(background, "GET", "missing")
	require.NoError(t, err)
	require.Nil(t, missing)
}

// While the replica does not answer nothing is confirmed, neither what was done
// meanwhile nor what others did and this one reads. Nobody is lost by it.
func TestDurabilityWithReplicaStopped(t *testing.T) {
	for _, strategy := range []string{"atomic", "ticket"} {
		t.Run(strategy, func(t *testing.T) {
			master, replica := pair(t)
			plain := dial(t, master.Addr, "test")
			b := plain.Durable(queue.Durability{Replicas: 1, Timeout: 500 * time.Millisecond})
			r, careless := openRoom(t, b, strategy, nil), openRoom(t, plain, strategy, nil)
			join(t, careless, "a")

			require.NoError(t, replica.Signal(syscall.SIGSTOP))
			var few *queue.ReplicasError
			_, err := r.Join(background, "b")
			require.ErrorAs(t, err, &few)
			var store *queue.StoreError
			require.ErrorAs(t, err, &store)
			join(t, careless, "b", "c")
			require.Equal(t, queue.StateAdmitted, state(t, careless, "b"))
			for _, visitor := range []string{"b", "c"} {
				_, err = r.Status(background, visitor)
				require.ErrorAs(t, err, &few, "a status that a failover may take back")
			}
			require.NoError(t, r.Ping(background), "the store itself answers")

			require.NoError(t, replica.Signal(syscall.SIGCONT))
			require.Eventually(t, func() bool {
				s, err := r.Status(background, "b")
				return err == nil && s.State == queue.StateAdmitted
			}, 10*time.Second, 10*time.Millisecond)
			require.Equal(t, queue.StateWaiting, state(t, careless, "c"))
		})
	}
}
