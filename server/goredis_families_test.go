//lint:file-ignore SA1019 the older calls are compared too: programs use them

package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// goredisFamilies are calls of the other families, and of what is more than one
// command: iterators, messages, waiting, scripts. They go on where goredisCalls
// end.
var goredisFamilies = slices.Concat(hashCalls, setCalls, listCalls, bitCalls, sketchCalls, geoCalls, streamCalls, protocolCalls)

var hashCalls = []goredisCall{
	is[int64]("HSet", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.HSet(ctx, "h", "a", 1, "b", "two", "c", "")
	}),
	is[bool]("HSetNX", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.HSetNX(ctx, "h", "a", 2) }),
	is[bool]("HMSet", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.HMSet(ctx, "h", "d", 4) }),
	is[string]("HGet", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.HGet(ctx, "h", "b") }),
	is[string]("HGet absent", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.HGet(ctx, "h", "none") }),
	is[[]any]("HMGet", func(ctx context.Context, c *redis.Client) *redis.SliceCmd { return c.HMGet(ctx, "h", "a", "none", "c") }),
	is[map[string]string]("HGetAll", func(ctx context.Context, c *redis.Client) *redis.MapStringStringCmd { return c.HGetAll(ctx, "h") }),
	is[map[string]string]("HGetAll absent", func(ctx context.Context, c *redis.Client) *redis.MapStringStringCmd { return c.HGetAll(ctx, "none") }),
	{"HGetAll into a struct", func(ctx context.Context, c *redis.Client) (any, error) {
		var v struct {
			A int    `redis:"a"`
			B string `redis:"b"`
		}
		err := c.HGetAll(ctx, "h").Scan(&v)
		return v, err
	}},
	is[[]string]("HKeys", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.HKeys(ctx, "h") }),
	is[[]string]("HVals", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.HVals(ctx, "h") }),
	is[int64]("HLen", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.HLen(ctx, "h") }),
	is[int64]("HStrLen", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.HStrLen(ctx, "h", "b") }),
	is[bool]("HExists", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.HExists(ctx, "h", "b") }),
	is[int64]("HIncrBy", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.HIncrBy(ctx, "h", "a", 5) }),
	is[float64]("HIncrByFloat", func(ctx context.Context, c *redis.Client) *redis.FloatCmd { return c.HIncrByFloat(ctx, "h", "a", 0.5) }),
	is[int64]("HIncrBy of text", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.HIncrBy(ctx, "h", "b", 5) }),
	is[int64]("HSet one", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.HSet(ctx, "one", "field", "value") }),
	is[[]string]("HRandField", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.HRandField(ctx, "one", -2) }),
	is[[]redis.KeyValue]("HRandFieldWithValues", func(ctx context.Context, c *redis.Client) *redis.KeyValueSliceCmd {
		return c.HRandFieldWithValues(ctx, "one", 2)
	}),
	{"HScan iterator", func(ctx context.Context, c *redis.Client) (any, error) {
		return iterate(ctx, c.HScan(ctx, "h", 0, "*", 2).Iterator())
	}},
	is[int64]("HDel", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.HDel(ctx, "h", "a", "none") }),
}

var setCalls = []goredisCall{
	is[int64]("SAdd", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.SAdd(ctx, "set", 3, 1, 2) }),
	is[int64]("SAdd words", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.SAdd(ctx, "words", "3", "x") }),
	is[int64]("SCard", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.SCard(ctx, "set") }),
	is[bool]("SIsMember", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.SIsMember(ctx, "set", 1) }),
	is[[]bool]("SMIsMember", func(ctx context.Context, c *redis.Client) *redis.BoolSliceCmd { return c.SMIsMember(ctx, "set", 1, 9) }),
	is[[]string]("SMembers", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.SMembers(ctx, "set") }),
	is[map[string]struct{}]("SMembersMap", func(ctx context.Context, c *redis.Client) *redis.StringStructMapCmd {
		return c.SMembersMap(ctx, "set")
	}),
	is[[]string]("SInter", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.SInter(ctx, "set", "words") }),
	is[[]string]("SDiff", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.SDiff(ctx, "set", "words") }),
	is[int64]("SUnionStore", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.SUnionStore(ctx, "all", "set", "words")
	}),
	is[int64]("SInterCard", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.SInterCard(ctx, 1, "set", "all") }),
	is[bool]("SMove", func(ctx context.Context, c *redis.Client) *redis.BoolCmd { return c.SMove(ctx, "words", "set", "x") }),
	is[string]("SPop", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.SPop(ctx, "words") }),
	is[[]string]("SRandMemberN", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.SRandMemberN(ctx, "words", 2)
	}),
	{"SScan iterator", func(ctx context.Context, c *redis.Client) (any, error) {
		return iterate(ctx, c.SScan(ctx, "all", 0, "", 1).Iterator())
	}},
	is[int64]("SRem", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.SRem(ctx, "set", 1, 9) }),
}

var listCalls = []goredisCall{
	is[int64]("RPush", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.RPush(ctx, "l", "a", "b", "c", "b") }),
	is[int64]("LPushX absent", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.LPushX(ctx, "none", "a") }),
	is[[]string]("LRange", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.LRange(ctx, "l", 0, -1) }),
	is[string]("LIndex", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.LIndex(ctx, "l", -1) }),
	is[int64]("LInsertBefore", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.LInsertBefore(ctx, "l", "c", "x") }),
	is[[]int64]("LPosCount", func(ctx context.Context, c *redis.Client) *redis.IntSliceCmd {
		return c.LPosCount(ctx, "l", "b", 0, redis.LPosArgs{})
	}),
	is[int64]("LRem", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.LRem(ctx, "l", -1, "b") }),
	is[string]("LSet out of range", func(ctx context.Context, c *redis.Client) *redis.StatusCmd { return c.LSet(ctx, "l", 99, "x") }),
	is[string]("LMove", func(ctx context.Context, c *redis.Client) *redis.StringCmd {
		return c.LMove(ctx, "l", "l2", "LEFT", "RIGHT")
	}),
	is[[]string]("LPopCount", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd { return c.LPopCount(ctx, "l", 2) }),
	is[[]string]("BLPop", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.BLPop(ctx, time.Second, "none", "l2")
	}),
	{"LMPop", func(ctx context.Context, c *redis.Client) (any, error) {
		key, items, err := c.LMPop(ctx, "left", 5, "none", "l").Result()
		return fmt.Sprint(key, items), err
	}},
	is[[]string]("Sort", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.Sort(ctx, "set", &redis.Sort{Alpha: true, Order: "DESC"})
	}),
}

var bitCalls = []goredisCall{
	is[int64]("SetBit", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.SetBit(ctx, "bits", 9, 1) }),
	is[int64]("BitCount", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.BitCount(ctx, "bits", nil) }),
	is[int64]("BitPosSpan", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.BitPosSpan(ctx, "bits", 1, 0, -1, "bit")
	}),
	is[int64]("BitOpNot", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.BitOpNot(ctx, "inverse", "bits") }),
	is[[]int64]("BitField", func(ctx context.Context, c *redis.Client) *redis.IntSliceCmd {
		return c.BitField(ctx, "bits", "INCRBY", "u4", 0, 9, "OVERFLOW", "SAT", "INCRBY", "u4", 0, 9)
	}),
}

var sketchCalls = []goredisCall{
	is[int64]("PFAdd", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.PFAdd(ctx, "p", "a", "b", "c") }),
	is[int64]("PFAdd again", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.PFAdd(ctx, "p", "a") }),
	is[int64]("PFCount", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.PFCount(ctx, "p") }),
	is[string]("PFMerge", func(ctx context.Context, c *redis.Client) *redis.StatusCmd { return c.PFMerge(ctx, "q", "p", "none") }),
	is[int64]("PFCount of two", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.PFCount(ctx, "p", "q") }),
	is[string]("Get of a sketch", func(ctx context.Context, c *redis.Client) *redis.StringCmd { return c.Get(ctx, "q") }),
}

var geoCalls = []goredisCall{
	is[int64]("GeoAdd", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.GeoAdd(ctx, "g", &redis.GeoLocation{Name: "Palermo", Longitude: 13.361389, Latitude: 38.115556},
			&redis.GeoLocation{Name: "Catania", Longitude: 15.087269, Latitude: 37.502669})
	}),
	is[float64]("GeoDist", func(ctx context.Context, c *redis.Client) *redis.FloatCmd {
		return c.GeoDist(ctx, "g", "Palermo", "Catania", "km")
	}),
	is[[]string]("GeoHash", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.GeoHash(ctx, "g", "Palermo", "none")
	}),
	is[[]*redis.GeoPos]("GeoPos", func(ctx context.Context, c *redis.Client) *redis.GeoPosCmd {
		return c.GeoPos(ctx, "g", "Palermo", "none")
	}),
	is[[]redis.GeoLocation]("GeoRadius", func(ctx context.Context, c *redis.Client) *redis.GeoLocationCmd {
		return c.GeoRadius(ctx, "g", 15, 37, &redis.GeoRadiusQuery{Radius: 200, Unit: "km", WithCoord: true, WithDist: true, WithGeoHash: true, Sort: "ASC"})
	}),
	is[int64]("GeoRadiusStore", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.GeoRadiusStore(ctx, "g", 15, 37, &redis.GeoRadiusQuery{Radius: 200, Unit: "km", Store: "near"})
	}),
	is[[]redis.GeoLocation]("GeoRadiusByMember", func(ctx context.Context, c *redis.Client) *redis.GeoLocationCmd {
		return c.GeoRadiusByMember(ctx, "g", "Palermo", &redis.GeoRadiusQuery{Radius: 100, Unit: "mi", Count: 1})
	}),
	is[[]string]("GeoSearch", func(ctx context.Context, c *redis.Client) *redis.StringSliceCmd {
		return c.GeoSearch(ctx, "g", &redis.GeoSearchQuery{Member: "Catania", BoxWidth: 400, BoxHeight: 400, BoxUnit: "km", Sort: "DESC"})
	}),
	is[[]redis.GeoLocation]("GeoSearchLocation", func(ctx context.Context, c *redis.Client) *redis.GeoSearchLocationCmd {
		return c.GeoSearchLocation(ctx, "g", &redis.GeoSearchLocationQuery{
			GeoSearchQuery: redis.GeoSearchQuery{Longitude: 15, Latitude: 37, Radius: 200, RadiusUnit: "km", Count: 5},
			WithCoord:      true, WithDist: true, WithHash: true,
		})
	}),
	is[int64]("GeoSearchStore", func(ctx context.Context, c *redis.Client) *redis.IntCmd {
		return c.GeoSearchStore(ctx, "g", "near", &redis.GeoSearchStoreQuery{GeoSearchQuery: redis.GeoSearchQuery{Member: "Palermo", Radius: 1}})
	}),
}

var streamCalls = []goredisCall{
	is[string]("XAdd", func(ctx context.Context, c *redis.Client) *redis.StringCmd {
		return c.XAdd(ctx, &redis.XAddArgs{Stream: "x", ID: "1-1", Values: []string{"field", "value"}})
	}),
	is[string]("XAdd of an older ID", func(ctx context.Context, c *redis.Client) *redis.StringCmd {
		return c.XAdd(ctx, &redis.XAddArgs{Stream: "x", ID: "1-1", Values: []string{"field", "value"}})
	}),
	is[int64]("XLen", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.XLen(ctx, "x") }),
	is[[]redis.XMessage]("XRange", func(ctx context.Context, c *redis.Client) *redis.XMessageSliceCmd {
		return c.XRange(ctx, "x", "-", "+")
	}),
	is[[]redis.XStream]("XRead", func(ctx context.Context, c *redis.Client) *redis.XStreamSliceCmd {
		return c.XRead(ctx, &redis.XReadArgs{Streams: []string{"x", "0"}, Block: -1})
	}),
	is[string]("XGroupCreate", func(ctx context.Context, c *redis.Client) *redis.StatusCmd {
		return c.XGroupCreate(ctx, "x", "group", "0")
	}),
	is[[]redis.XStream]("XReadGroup", func(ctx context.Context, c *redis.Client) *redis.XStreamSliceCmd {
		return c.XReadGroup(ctx, &redis.XReadGroupArgs{Group: "group", Consumer: "me", Streams: []string{"x", ">"}, Block: -1})
	}),
	is[*redis.XPending]("XPending", func(ctx context.Context, c *redis.Client) *redis.XPendingCmd { return c.XPending(ctx, "x", "group") }),
	is[[]redis.XInfoGroup]("XInfoGroups", func(ctx context.Context, c *redis.Client) *redis.XInfoGroupsCmd { return c.XInfoGroups(ctx, "x") }),
	is[int64]("XAck", func(ctx context.Context, c *redis.Client) *redis.IntCmd { return c.XAck(ctx, "x", "group", "1-1") }),
}

var protocolCalls = []goredisCall{
	{"Scan iterator", func(ctx context.Context, c *redis.Client) (any, error) {
		return iterate(ctx, c.Scan(ctx, 0, "*", 3).Iterator())
	}},
	{"ScanType iterator", func(ctx context.Context, c *redis.Client) (any, error) {
		return iterate(ctx, c.ScanType(ctx, 0, "", 3, "hash").Iterator())
	}},
	{"Pipelined", func(ctx context.Context, c *redis.Client) (any, error) {
		cmds, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range 200 {
				p.HSet(ctx, "pipe", i, i)
			}
			p.Get(ctx, "pipe")
			p.HLen(ctx, "pipe")
			return nil
		})
		return fmt.Sprint(cmds), err
	}},
	{"Watch that holds", func(ctx context.Context, c *redis.Client) (any, error) { return incrWatched(ctx, c, false) }},
	{"Watch that fails", func(ctx context.Context, c *redis.Client) (any, error) { return incrWatched(ctx, c, true) }},
	{"Script", func(ctx context.Context, c *redis.Client) (any, error) {
		script := redis.NewScript(`redis.call("SET", KEYS[1], ARGV[1]); return {1, "two", false, {KEYS[1]}, redis.call("PING")}`)
		return script.Run(ctx, c, []string{"scripted"}, "x").Result()
	}},
	{"Script that fails", func(ctx context.Context, c *redis.Client) (any, error) {
		return c.Eval(ctx, `return redis.call("HGET", KEYS[1])`, []string{"scripted"}).Result()
	}},
	{"Function", func(ctx context.Context, c *redis.Client) (any, error) {
		if err := c.FunctionLoadReplace(ctx, "#!lua name=lib\nredis.register_function('f', function(keys, args) return #keys + #args end)").Err(); err != nil {
			return nil, err
		}
		return c.FCall(ctx, "f", []string{"a"}, "b", "c").Result()
	}},
	{"Publish and subscribe", func(ctx context.Context, c *redis.Client) (any, error) { return converse(ctx, c) }},
	{"BZPopMin that waits", func(ctx context.Context, c *redis.Client) (any, error) { return waitAndPop(ctx, c) }},
	{"BZPopMax in vain", func(ctx context.Context, c *redis.Client) (any, error) {
		return c.Do(ctx, "bzpopmax", "none", "0.01").Result() // a client's own call waits for a second at least
	}},
	{"ZMPop", func(ctx context.Context, c *redis.Client) (any, error) {
		key, items, err := c.ZMPop(ctx, "min", 2, "none", "g").Result()
		return fmt.Sprint(key, items), err
	}},
	{"ConfigGet", func(ctx context.Context, c *redis.Client) (any, error) {
		return c.ConfigGet(ctx, "maxmemory-p*").Result()
	}},
	{"Command", func(ctx context.Context, c *redis.Client) (any, error) {
		infos, err := c.Command(ctx).Result()
		return infos["georadius"], err
	}},
	{"CommandGetKeys", func(ctx context.Context, c *redis.Client) (any, error) {
		return c.CommandGetKeys(ctx, "MSET", "a", 1, "b", 2).Result()
	}},
	{"Time", func(ctx context.Context, c *redis.Client) (any, error) {
		now, err := c.Time(ctx).Result()
		return time.Since(now).Abs() < time.Minute, err
	}},
	{"Do of nothing there is", func(ctx context.Context, c *redis.Client) (any, error) { return c.Do(ctx, "nosuch", "x").Result() }},
}

// iterate collects what an iterator visits, sorted and once.
func iterate(ctx context.Context, it *redis.ScanIterator) (any, error) {
	var all []string
	for it.Next(ctx) {
		all = append(all, it.Val())
	}
	slices.Sort(all)
	return slices.Compact(all), it.Err()
}

func incrWatched(ctx context.Context, c *redis.Client, disturb bool) (any, error) {
	return nil, c.Watch(ctx, func(tx *redis.Tx) error {
		if disturb {
			c.Incr(ctx, "watched")
		}
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Incr(ctx, "watched")
			return nil
		})
		return err
	}, "watched")
}

// converse subscribes, by name and by pattern, and receives what it publishes.
func converse(ctx context.Context, c *redis.Client) (any, error) {
	ps := c.Subscribe(ctx, "news")
	defer ps.Close()
	if err := ps.PSubscribe(ctx, "n*"); err != nil {
		return nil, err
	}
	var got []string
	for range 2 {
		m, err := ps.Receive(ctx)
		if err != nil {
			return nil, err
		}
		got = append(got, fmt.Sprint(m))
	}
	n, err := c.Publish(ctx, "news", "hello").Result()
	if err != nil {
		return nil, err
	}
	for range n {
		m, err := ps.ReceiveMessage(ctx)
		if err != nil {
			return nil, err
		}
		got = append(got, fmt.Sprint(m.Channel, m.Pattern, m.Payload))
	}
	numbers, err := c.PubSubNumSub(ctx, "news").Result()
	return fmt.Sprint(got, numbers), err
}

// waitAndPop waits for a member on one connection, and adds it on another once the
// first one is seen to wait.
func waitAndPop(ctx context.Context, c *redis.Client) (any, error) {
	popped := make(chan redis.ZWithKey, 1)
	failed := make(chan error, 1)
	go func() {
		z, err := c.BZPopMin(ctx, time.Minute, "waiting").Result()
		if err != nil {
			failed <- err
			return
		}
		popped <- *z
	}()
	for {
		n, err := c.InfoMap(ctx, "clients").Result()
		if err != nil {
			return nil, err
		}
		if n["Clients"]["blocked_clients"] == "1" {
			break
		}
	}
	if err := c.ZAdd(ctx, "waiting", z(7, "m")).Err(); err != nil {
		return nil, err
	}
	select {
	case z := <-popped:
		return z, nil
	case err := <-failed:
		return nil, err
	}
}
