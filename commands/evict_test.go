package commands

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/config"
)

// evicting returns an engine with a policy, and a function that runs a command.
func evicting(t *testing.T, policy string) (*Engine, *Client, func(args ...string)) {
	e := New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, e.Config.Set([]config.Pair{{Name: "maxmemory-policy", Value: policy}}))
	c := e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
	return e, c, func(args ...string) {
		t.Helper()
		raw := make([][]byte, len(args))
		for i, arg := range args {
			raw[i] = []byte(arg)
		}
		e.Exec(c, raw)
	}
}

// evictHalf evicts half of a hundred keys, of which half have a deadline, and
// returns the ranks of those that went and those that stayed. Use and deadline
// grow with the rank.
func evictHalf(t *testing.T, policy string) (gone, kept []int) {
	e, _, run := evicting(t, policy)
	start := e.Keys.Now
	const keys = 100
	for rank := range keys {
		key := fmt.Sprint(rank)
		run("SET", key, "v")
		o := e.Keys.DB(0).Peek(key)
		if e.Keys.LFU != nil {
			o.SetAccess(o.Access()&^0xff | uint32(rank))
		} else {
			o.SetAccess(uint32(start/1000) - uint32(keys-rank)*10)
		}
		if rank%2 == 0 {
			e.Keys.DB(0).SetExpire(key, start+1_000_000+int64(rank)*1000)
		}
	}
	for range keys / 2 {
		if _, ok := e.evictOne(); !ok {
			break
		}
	}
	for rank := range keys {
		if e.Keys.DB(0).Has(fmt.Sprint(rank)) {
			kept = append(kept, rank)
		} else {
			gone = append(gone, rank)
		}
	}
	require.Equal(t, int64(len(gone)), e.Stats.EvictedKeys)
	return gone, kept
}

func mean(n []int) (sum float64) {
	for _, v := range n {
		sum += float64(v)
	}
	return sum / float64(len(n))
}

func TestPoliciesEvictTheLeastUsefulKeys(t *testing.T) {
	for _, policy := range []string{"allkeys-lru", "allkeys-lfu", "volatile-lru", "volatile-lfu", "volatile-ttl"} {
		gone, kept := evictHalf(t, policy)
		require.Len(t, gone, 50, policy)
		if policy[0] == 'a' {
			require.Less(t, mean(gone)+20, mean(kept), policy)
		}
	}
}

func TestVolatilePoliciesSpareOtherKeys(t *testing.T) {
	for _, policy := range []string{"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"} {
		gone, kept := evictHalf(t, policy)
		require.Len(t, gone, 50, policy)
		for _, rank := range kept {
			require.Equal(t, 1, rank%2, policy)
		}
	}
	e, _, run := evicting(t, "volatile-lru")
	run("SET", "k", "v")
	_, ok := e.evictOne()
	require.False(t, ok)
	run("EXPIRE", "k", "100")
	e.evictor.add(candidate{0, "other", 1 << 40}) // one that has gone
	bytes, ok := e.evictOne()
	require.True(t, ok)
	require.Positive(t, bytes)
	_, ok = e.evictOne()
	require.False(t, ok)
}

// The pool holds the best of all that were offered, the best last.
func TestEvictionPool(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var v evictor
	scores := map[string]int64{}
	for i := range 200 {
		c := candidate{key: fmt.Sprint(i), score: rng.Int64N(1000)}
		scores[c.key] = c.score
		v.add(c)
		v.add(c)
	}
	all := slices.Sorted(func(yield func(int64) bool) {
		for _, s := range scores {
			if !yield(s) {
				return
			}
		}
	})
	for i := range evictionPool {
		best, ok := v.take()
		require.True(t, ok)
		require.Equal(t, all[len(all)-1-i], best.score)
	}
	_, ok := v.take()
	require.False(t, ok)
}

// A limit that nothing can meet evicts every key and then refuses what needs
// memory; without a policy that may evict, it refuses at once.
func TestMaxmemory(t *testing.T) {
	for _, policy := range []string{"allkeys-random", "noeviction"} {
		e, c, run := evicting(t, policy)
		for i := range 1000 {
			run("SET", fmt.Sprint(i), "v")
		}
		run("CONFIG", "SET", "maxmemory", "1", "maxmemory-eviction-tenacity", "100")
		c.Out.Truncate(0)
		run("SET", "k", "v")
		require.Equal(t, "-"+string(errOOM)+"\r\n", string(c.Out.Buf))
		c.Out.Truncate(0)
		run("GET", "k")
		require.Equal(t, "$-1\r\n", string(c.Out.Buf))
		if policy == "noeviction" {
			require.Equal(t, 1000, e.Keys.DB(0).Len())
		} else {
			require.Zero(t, e.Keys.DB(0).Len())
			require.Equal(t, int64(1000), e.Stats.EvictedKeys)
		}
		run("CONFIG", "SET", "maxmemory", "0")
		c.Out.Truncate(0)
		run("SET", "k", "v")
		require.Equal(t, "+OK\r\n", string(c.Out.Buf))
	}
}
