//lint:file-ignore SA1019 the older calls are compared too: programs use them

package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
)

type goredisCall struct {
	name string
	call func(ctx context.Context, c *redis.Client) (any, error)
}

// is makes a call of a go-redis command.
func is[T any, C interface {
	Result() (T, error)
}](name string, f func(ctx context.Context, c *redis.Client) C) goredisCall {
	return goredisCall{name, func(ctx context.Context, c *redis.Client) (any, error) {
		v, err := f(ctx, c).Result()
		return v, err
	}}
}

var z = func(score float64, member string) redis.Z { return redis.Z{Score: score, Member: member} }

// goredisCalls are made in order on one database; each must answer the same on
// MyRedis and on Redis.
var goredisCalls = []goredisCall{
	// strings
	is[string]("Set", func(ctx context.Context, c *redis.Client) *redis.StatusCmd { return c.Set(ctx, "s", "v", 0) }),
	is[string]("Get", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.Get(ctx, "s") }),
	is[string]("Get absent", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.Get(ctx, "none") }),
	is[bool]("SetNX", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.SetNX(ctx, "s", "w", time.Minute) }),
	is[bool]("SetXX", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.SetXX(ctx, "s", "w", time.Minute) }),
	is[string]("SetArgs Get", func(ctx context.Context, c *redis.Client) *redis.StatusCmd {
		return c.SetArgs(ctx, "s", "x", redis.SetArgs{Get: true, KeepTTL: true})
	}),
	is[string]("SetEx", func(ctx context.Context, c *redis.Client) *redis.StatusCmd { return c.SetEx(ctx, "e", "x", time.Hour) }),
	is[time.Duration]("TTL", func(ctx context.Context, c *redis.Client) *redis.DurationCmd { return c.TTL(ctx, "e") }),
	is[string]("GetSet", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.GetSet(ctx, "s", "y") }),
	is[string]("GetEx", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.GetEx(ctx, "s", time.Hour) }),
	is[string]("GetDel", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.GetDel(ctx, "s") }),
	is[string]("MSet", func(ctx context.Context, c *redis.Client) *redis.StatusCmd { return c.MSet(ctx, "a", 1, "b", 2) }),
	is[bool]("MSetNX", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.MSetNX(ctx, "a", 1, "c", 2) }),
	is[[]any]("MGet", func(ctx context.Context, c *redis.Client) *redis.SliceCmd { return c.MGet(ctx, "a", "none", "b") }),
	is[int64]("Incr", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.Incr(ctx, "n") }),
	is[int64]("IncrBy", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.IncrBy(ctx, "n", 41) }),
	is[int64]("Decr", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.Decr(ctx, "n") }),
	is[float64]("IncrByFloat", func(ctx context.Context, c *redis.Client) *redis.FloatCmd { return c.IncrByFloat(ctx, "n", 0.1) }),
	is[int64]("Incr of a float", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.Incr(ctx, "n") }),
	is[int64]("Append", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.Append(ctx, "t", "hello") }),
	is[int64]("StrLen", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.StrLen(ctx, "t") }),
	is[string]("GetRange", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.GetRange(ctx, "t", 1, -2) }),
	is[int64]("SetRange", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.SetRange(ctx, "t", 6, "you") }),
	// keys
	is[int64]("Exists", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.Exists(ctx, "a", "a", "none") }),
	is[string]("Type", func(ctx context.Context, c *redis.Client) *redis.StatusCmd { return c.Type(ctx, "a") }),
	is[bool]("Expire", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.Expire(ctx, "a", time.Hour) }),
	is[bool]("ExpireNX", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.ExpireNX(ctx, "a", time.Hour) }),
	is[bool]("ExpireGT", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.ExpireGT(ctx, "a", 2*time.Hour) }),
	is[bool]("Persist", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.Persist(ctx, "a") }),
	is[string]("Rename", func(ctx context.Context, c *redis.Client) *redis.StatusCmd { return c.Rename(ctx, "a", "a2") }),
	is[bool]("RenameNX", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.RenameNX(ctx, "a2", "b") }),
	is[int64]("Copy", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.Copy(ctx, "a2", "a3", 0, false) }),
	is[int64]("Touch", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.Touch(ctx, "a2", "none") }),
	is[string]("ObjectEncoding", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.ObjectEncoding(ctx, "a2") }),
	is[int64]("Unlink", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.Unlink(ctx, "a3") }),
	is[string]("Rename absent", func(ctx context.Context, c *redis.Client) *redis.StatusCmd { return c.Rename(ctx, "none", "x") }),
	// sorted sets
	is[int64]("ZAdd", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.ZAdd(ctx, "z", z(1, "a"), z(2, "b"), z(3.5, "c"), z(3.5, "d"))
	}),
	is[int64]("ZAddNX", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.ZAddNX(ctx, "z", z(9, "a"), z(4, "e"))
	}),
	is[int64]("ZAddXX", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.ZAddXX(ctx, "z", z(0, "a"), z(4, "x"))
	}),
	is[int64]("ZAddArgs GT Ch", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.ZAddArgs(ctx, "z", redis.ZAddArgs{GT: true, Ch: true, Members: []redis.Z{z(1, "a"), z(1, "b")}})
	}),
	is[float64]("ZAddArgsIncr", func(ctx context.Context, c *redis.Client) *redis.FloatCmd {
		return c.ZAddArgsIncr(ctx, "z", redis.ZAddArgs{Members: []redis.Z{z(0.1, "a")}})
	}),
	is[float64]("ZIncrBy", func(ctx context.Context, c *redis.Client) *redis.FloatCmd { return c.ZIncrBy(ctx, "z", 2.2, "b") }),
	is[int64]("ZCard", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZCard(ctx, "z") }),
	is[int64]("ZCount", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZCount(ctx, "z", "(1", "+inf") }),
	is[int64]("ZLexCount", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZLexCount(ctx, "z", "-", "+") }),
	is[float64]("ZScore", func(ctx context.Context, c *redis.Client) *redis.FloatCmd { return c.ZScore(ctx, "z", "b") }),
	is[float64]("ZScore absent", func(ctx context.Context, c *redis.Client) *redis.FloatCmd { return c.ZScore(ctx, "z", "none") }),
	is[[]float64]("ZMScore", func(ctx context.Context, c *redis.Client) *redis.FloatSliceCmd {
		return c.ZMScore(ctx, "z", "a", "none", "b")
	}),
	is[int64]("ZRank", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZRank(ctx, "z", "d") }),
	is[int64]("ZRevRank", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZRevRank(ctx, "z", "d") }),
	is[[]string]("ZRange", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.ZRange(ctx, "z", 0, -1) }),
	is[[]redis.Z]("ZRangeWithScores", func(ctx context.Context, c *redis.Client) *redis.ZSliceCmd { return c.ZRangeWithScores(ctx, "z", 1, 3) }),
	is[[]string]("ZRangeArgs", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.ZRangeArgs(ctx, redis.ZRangeArgs{Key: "z", Start: "(1", Stop: "+inf", ByScore: true, Rev: true, Offset: 1, Count: 2})
	}),
	is[int64]("ZRangeStore", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.ZRangeStore(ctx, "zs", redis.ZRangeArgs{Key: "z", Start: 0, Stop: 1})
	}),
	is[[]string]("ZRangeByScore", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.ZRangeByScore(ctx, "z", &redis.ZRangeBy{Min: "-inf", Max: "4", Offset: 1, Count: 2})
	}),
	is[[]string]("ZRangeByLex", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.ZRangeByLex(ctx, "z", &redis.ZRangeBy{Min: "[b", Max: "(e"})
	}),
	is[[]redis.Z]("ZRevRangeByScoreWithScores", func(ctx context.Context, c *redis.Client) *redis.ZSliceCmd {
		return c.ZRevRangeByScoreWithScores(ctx, "z", &redis.ZRangeBy{Min: "-inf", Max: "+inf"})
	}),
	is[int64]("ZAdd other", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.ZAdd(ctx, "z2", z(1, "a"), z(2, "q"))
	}),
	is[[]redis.Z]("ZUnionWithScores", func(ctx context.Context, c *redis.Client) *redis.ZSliceCmd {
		return c.ZUnionWithScores(ctx, redis.ZStore{Keys: []string{"z", "z2"}, Weights: []float64{1, 10}, Aggregate: "MAX"})
	}),
	is[[]string]("ZInter", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.ZInter(ctx, &redis.ZStore{Keys: []string{"z", "z2"}})
	}),
	is[int64]("ZInterCard", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZInterCard(ctx, 0, "z", "z2") }),
	is[[]string]("ZDiff", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.ZDiff(ctx, "z", "z2") }),
	is[int64]("ZUnionStore", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.ZUnionStore(ctx, "zu", &redis.ZStore{Keys: []string{"z", "z2"}})
	}),
	is[[]redis.Z]("ZPopMin", func(ctx context.Context, c *redis.Client) *redis.ZSliceCmd { return c.ZPopMin(ctx, "z", 2) }),
	is[[]redis.Z]("ZPopMax", func(ctx context.Context, c *redis.Client) *redis.ZSliceCmd { return c.ZPopMax(ctx, "z") }),
	is[int64]("ZRem", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZRem(ctx, "zu", "a", "none") }),
	is[int64]("ZRemRangeByRank", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZRemRangeByRank(ctx, "zu", 0, 0) }),
	is[int64]("ZRemRangeByScore", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.ZRemRangeByScore(ctx, "zu", "-inf", "3")
	}),
	is[int64]("ZRemRangeByLex", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZRemRangeByLex(ctx, "z2", "-", "+") }),
	is[int64]("wrong type", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.ZCard(ctx, "b") }),
	{"ZScan", func(ctx context.Context, c *redis.Client) (any, error) {
		keys, cursor, err := c.ZScan(ctx, "zs", 0, "", 0).Result()
		return fmt.Sprint(keys, cursor), err
	}},
	is[[]string]("ZRandMember", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.ZRandMember(ctx, "none", 3) }),
	// transactions
	{"TxPipelined", func(ctx context.Context, c *redis.Client) (any, error) {
		cmds, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Incr(ctx, "tx")
			p.ZAdd(ctx, "tz", z(1, "m"))
			p.Get(ctx, "tx")
			return nil
		})
		return fmt.Sprint(cmds), err
	}},
	is[int64]("DBSize", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.DBSize(ctx) }),
}

// go-redis gets the same answers from MyRedis as from Redis, in both versions
// of the protocol and through both front doors.
func TestGoRedisParity(t *testing.T) {
	real := redistest.Start(t).Addr
	for _, protocol := range []int{2, 3} {
		for _, door := range doors {
			t.Run(fmt.Sprintf("RESP%d/%s", protocol, door), func(t *testing.T) {
				ctx := t.Context()
				open := func(addr string) *redis.Client {
					c := redis.NewClient(&redis.Options{Addr: addr, Protocol: protocol})
					t.Cleanup(func() { c.Close() })
					require.NoError(t, c.FlushAll(ctx).Err())
					return c
				}
				ours, theirs := open(start(t, map[string]string{"front-door": door}).Addr()), open(real)
				for _, call := range slices.Concat(goredisCalls, goredisFamilies) {
					want, wantErr := call.call(ctx, theirs)
					got, gotErr := call.call(ctx, ours)
					require.Equal(t, want, got, call.name)
					require.Equal(t, text(wantErr), text(gotErr), call.name)
				}
			})
		}
	}
}

func text(err error) string {
	if err == nil || errors.Is(err, redis.Nil) {
		return fmt.Sprint(err)
	}
	return err.Error()
}
