package commands

import (
	"iter"

	"myredis/keyspace"
	"myredis/sortedset"
	"myredis/wire"
)

// Sorted sets.
//
// The order is package sortedset's, and a value is a *sortedset.Set however
// small it is. What is here is the rest of what Redis says about sorted sets:
// the arguments, what a reply looks like in either protocol, which key comes
// and goes, and which encoding a set reports. The family's files:
//
//	zset.go          the rows, and how a set is stored, shrunk and replied
//	zset_add.go      ZADD, ZINCRBY
//	zset_member.go   what asks for or removes named members
//	zset_bounds.go   the notation of ranges of scores and members
//	zset_range.go    ZRANGE with its older forms, and what counts or removes ranges
//	zset_pop.go      ZPOPMIN, ZPOPMAX, ZMPOP, and those that wait for members
//	zset_combine.go  union, intersection and difference
//	zset_scan.go     ZSCAN, ZRANDMEMBER

var zsetCommands = []*Command{
	{
		Name: "bzmpop", Arity: -5, Flags: Write | Blocking, Group: GroupSortedSet, Keys: []KeySpec{countedKeys(2, RW|Access|Delete)}, Run: bzmpop,
		Since: "7.0.0", Cost: "O(K + M*log(N)) with K keys, N members in the set and M removed",
		Summary: "ZMPOP that waits until there is something.",
		Syntax:  "timeout numkeys key [key ...] MIN|MAX [COUNT count]",
	},
	{
		Name: "bzpopmax", Arity: -3, Flags: Write | NoScript | Blocking | Fast, Group: GroupSortedSet,
		Keys: []KeySpec{{Flags: RW | Access | Delete, Index: 1, Last: -2, Step: 1}}, Run: bzpopmax,
		Since: "5.0.0", Cost: "O(log(N)) with N members in the set",
		Summary: "ZPOPMAX that waits until there is something.", Syntax: "key [key ...] timeout",
	},
	{
		Name: "bzpopmin", Arity: -3, Flags: Write | NoScript | Blocking | Fast, Group: GroupSortedSet,
		Keys: []KeySpec{{Flags: RW | Access | Delete, Index: 1, Last: -2, Step: 1}}, Run: bzpopmin,
		Since: "5.0.0", Cost: "O(log(N)) with N members in the set",
		Summary: "ZPOPMIN that waits until there is something.", Syntax: "key [key ...] timeout",
	},
	{
		Name: "zadd", Arity: -4, Flags: Write | DenyOOM | Fast, Group: GroupSortedSet, Keys: oneKey(RW | Update), Run: zadd,
		Since: "1.2.0", Cost: "O(log(N)) for each member, with N members in the set",
		Summary: "Gives members scores.", Syntax: "key [NX|XX] [GT|LT] [CH] [INCR] score member [score member ...]",
	},
	{
		Name: "zcard", Arity: 2, Flags: ReadOnly | Fast, Group: GroupSortedSet, Keys: oneKey(RO), Run: zcard,
		Since: "1.2.0", Cost: "O(1)", Summary: "Counts the members.", Syntax: "key",
	},
	{
		Name: "zcount", Arity: 4, Flags: ReadOnly | Fast, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zcount,
		Since: "2.0.0", Cost: "O(log(N)) with N members in the set",
		Summary: "Counts the members in a range of scores.", Syntax: "key min max",
	},
	{
		Name: "zdiff", Arity: -3, Flags: ReadOnly, Group: GroupSortedSet, Keys: []KeySpec{countedKeys(1, RO|Access)}, Run: zdiff,
		Since: "6.2.0", Cost: "O(N*K + M*log(M)) with N members in the first of K sets and M in the result",
		Summary: "Answers the members of the first set that are in no other.", Syntax: "numkeys key [key ...] [WITHSCORES]",
	},
	{
		Name: "zdiffstore", Arity: -4, Flags: Write | DenyOOM, Group: GroupSortedSet,
		Keys: []KeySpec{keyAt(1, OW|Update), countedKeys(2, RO|Access)}, Run: zdiffstore,
		Since: "6.2.0", Cost: "O(N*K + M*log(M)) with N members in the first of K sets and M in the result",
		Summary: "Stores the members of the first set that are in no other.", Syntax: "destination numkeys key [key ...]",
	},
	{
		Name: "zincrby", Arity: 4, Flags: Write | DenyOOM | Fast, Group: GroupSortedSet, Keys: oneKey(RW | Access | Update), Run: zincrby,
		Since: "1.2.0", Cost: "O(log(N)) with N members in the set",
		Summary: "Adds to the score of a member.", Syntax: "key increment member",
	},
	{
		Name: "zinter", Arity: -3, Flags: ReadOnly, Group: GroupSortedSet, Keys: []KeySpec{countedKeys(1, RO|Access)}, Run: zinter,
		Since: "6.2.0", Cost: "O(N*K + M*log(M)) with N members in the smallest of K sets and M in the result",
		Summary: "Answers the members that all sets have.",
		Syntax:  "numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM|MIN|MAX] [WITHSCORES]",
	},
	{
		Name: "zintercard", Arity: -3, Flags: ReadOnly, Group: GroupSortedSet, Keys: []KeySpec{countedKeys(1, RO|Access)}, Run: zintercard,
		Since: "7.0.0", Cost: "O(N*K) with N members in the smallest of K sets",
		Summary: "Counts the members that all sets have.", Syntax: "numkeys key [key ...] [LIMIT limit]",
	},
	{
		Name: "zinterstore", Arity: -4, Flags: Write | DenyOOM, Group: GroupSortedSet,
		Keys: []KeySpec{keyAt(1, OW|Update), countedKeys(2, RO|Access)}, Run: zinterstore,
		Since: "2.0.0", Cost: "O(N*K + M*log(M)) with N members in the smallest of K sets and M in the result",
		Summary: "Stores the members that all sets have.",
		Syntax:  "destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM|MIN|MAX]",
	},
	{
		Name: "zlexcount", Arity: 4, Flags: ReadOnly | Fast, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zlexcount,
		Since: "2.8.9", Cost: "O(log(N)) with N members in the set",
		Summary: "Counts the members in a range of members.", Syntax: "key min max",
	},
	{
		Name: "zmpop", Arity: -4, Flags: Write, Group: GroupSortedSet, Keys: []KeySpec{countedKeys(1, RW|Access|Delete)}, Run: zmpop,
		Since: "7.0.0", Cost: "O(K + M*log(N)) with K keys, N members in the set and M removed",
		Summary: "Removes and answers the lowest or highest members of the first set that there is.",
		Syntax:  "numkeys key [key ...] MIN|MAX [COUNT count]",
	},
	{
		Name: "zmscore", Arity: -3, Flags: ReadOnly | Fast, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zmscore,
		Since: "6.2.0", Cost: "O(N) with N members asked for",
		Summary: "Answers the scores of members.", Syntax: "key member [member ...]",
	},
	{
		Name: "zpopmax", Arity: -2, Flags: Write | Fast, Group: GroupSortedSet, Keys: oneKey(RW | Access | Delete), Run: zpopmax,
		Since: "5.0.0", Cost: "O(M*log(N)) with N members in the set and M removed",
		Summary: "Removes and answers the members with the highest scores.", Syntax: "key [count]",
	},
	{
		Name: "zpopmin", Arity: -2, Flags: Write | Fast, Group: GroupSortedSet, Keys: oneKey(RW | Access | Delete), Run: zpopmin,
		Since: "5.0.0", Cost: "O(M*log(N)) with N members in the set and M removed",
		Summary: "Removes and answers the members with the lowest scores.", Syntax: "key [count]",
	},
	{
		Name: "zrandmember", Arity: -2, Flags: ReadOnly, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrandmember,
		Since: "6.2.0", Cost: "O(M*log(N)) with N members in the set and M answered",
		Summary: "Answers members chosen at random.", Syntax: "key [count [WITHSCORES]]",
		Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "zrange", Arity: -4, Flags: ReadOnly, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrange,
		Since: "1.2.0", Cost: "O(log(N) + M) with N members in the set and M answered",
		Summary: "Answers the members in a range of ranks, scores or members.",
		Syntax:  "key start stop [BYSCORE|BYLEX] [REV] [LIMIT offset count] [WITHSCORES]",
	},
	{
		Name: "zrangebylex", Arity: -4, Flags: ReadOnly, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrangebylex,
		Since: "2.8.9", Cost: "O(log(N) + M) with N members in the set and M answered",
		Summary: "Answers the members in a range of members.", Syntax: "key min max [LIMIT offset count]",
	},
	{
		Name: "zrangebyscore", Arity: -4, Flags: ReadOnly, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrangebyscore,
		Since: "1.0.5", Cost: "O(log(N) + M) with N members in the set and M answered",
		Summary: "Answers the members in a range of scores.", Syntax: "key min max [WITHSCORES] [LIMIT offset count]",
	},
	{
		Name: "zrangestore", Arity: -5, Flags: Write | DenyOOM, Group: GroupSortedSet,
		Keys: []KeySpec{keyAt(1, OW|Update), keyAt(2, RO|Access)}, Run: zrangestore,
		Since: "6.2.0", Cost: "O(log(N) + M*log(M)) with N members in the source and M stored",
		Summary: "Stores the members in a range of ranks, scores or members.",
		Syntax:  "destination source min max [BYSCORE|BYLEX] [REV] [LIMIT offset count]",
	},
	{
		Name: "zrank", Arity: 3, Flags: ReadOnly | Fast, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrank,
		Since: "2.0.0", Cost: "O(log(N)) with N members in the set",
		Summary: "Counts the members before a member.", Syntax: "key member",
	},
	{
		Name: "zrem", Arity: -3, Flags: Write | Fast, Group: GroupSortedSet, Keys: oneKey(RW | Delete), Run: zrem,
		Since: "1.2.0", Cost: "O(M*log(N)) with N members in the set and M removed",
		Summary: "Removes members.", Syntax: "key member [member ...]",
	},
	{
		Name: "zremrangebylex", Arity: 4, Flags: Write, Group: GroupSortedSet, Keys: oneKey(RW | Delete), Run: zremrangebylex,
		Since: "2.8.9", Cost: "O(log(N) + M) with N members in the set and M removed",
		Summary: "Removes the members in a range of members.", Syntax: "key min max",
	},
	{
		Name: "zremrangebyrank", Arity: 4, Flags: Write, Group: GroupSortedSet, Keys: oneKey(RW | Delete), Run: zremrangebyrank,
		Since: "2.0.0", Cost: "O(log(N) + M) with N members in the set and M removed",
		Summary: "Removes the members in a range of ranks.", Syntax: "key start stop",
	},
	{
		Name: "zremrangebyscore", Arity: 4, Flags: Write, Group: GroupSortedSet, Keys: oneKey(RW | Delete), Run: zremrangebyscore,
		Since: "1.2.0", Cost: "O(log(N) + M) with N members in the set and M removed",
		Summary: "Removes the members in a range of scores.", Syntax: "key min max",
	},
	{
		Name: "zrevrange", Arity: -4, Flags: ReadOnly, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrevrange,
		Since: "1.2.0", Cost: "O(log(N) + M) with N members in the set and M answered",
		Summary: "Answers the members in a range of ranks, the highest first.", Syntax: "key start stop [WITHSCORES]",
	},
	{
		Name: "zrevrangebylex", Arity: -4, Flags: ReadOnly, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrevrangebylex,
		Since: "2.8.9", Cost: "O(log(N) + M) with N members in the set and M answered",
		Summary: "Answers the members in a range of members, the last first.", Syntax: "key max min [LIMIT offset count]",
	},
	{
		Name: "zrevrangebyscore", Arity: -4, Flags: ReadOnly, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrevrangebyscore,
		Since: "2.2.0", Cost: "O(log(N) + M) with N members in the set and M answered",
		Summary: "Answers the members in a range of scores, the highest first.",
		Syntax:  "key max min [WITHSCORES] [LIMIT offset count]",
	},
	{
		Name: "zrevrank", Arity: 3, Flags: ReadOnly | Fast, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zrevrank,
		Since: "2.0.0", Cost: "O(log(N)) with N members in the set",
		Summary: "Counts the members behind a member.", Syntax: "key member",
	},
	{
		Name: "zscan", Arity: -3, Flags: ReadOnly, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zscan,
		Since: "2.8.0", Cost: "O(COUNT) for a step, O(N) for the walk through N members",
		Summary: "Walks through the members step by step.", Syntax: "key cursor [MATCH pattern] [COUNT count]",
		Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "zscore", Arity: 3, Flags: ReadOnly | Fast, Group: GroupSortedSet, Keys: oneKey(RO | Access), Run: zscore,
		Since: "1.2.0", Cost: "O(1)", Summary: "Answers the score of a member.", Syntax: "key member",
	},
	{
		Name: "zunion", Arity: -3, Flags: ReadOnly, Group: GroupSortedSet, Keys: []KeySpec{countedKeys(1, RO|Access)}, Run: zunion,
		Since: "6.2.0", Cost: "O(N + M*log(M)) with N members in all sets together and M in the result",
		Summary: "Answers the members that any set has.",
		Syntax:  "numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM|MIN|MAX] [WITHSCORES]",
	},
	{
		Name: "zunionstore", Arity: -4, Flags: Write | DenyOOM, Group: GroupSortedSet,
		Keys: []KeySpec{keyAt(1, OW|Update), countedKeys(2, RO|Access)}, Run: zunionstore,
		Since: "2.0.0", Cost: "O(N + M*log(M)) with N members in all sets together and M in the result",
		Summary: "Stores the members that any set has.",
		Syntax:  "destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM|MIN|MAX]",
	},
}

const errNaN Error = "ERR resulting score is not a number (NaN)"

// zset is a sorted set as it is stored. The object reports an encoding, which
// the members decide: a set begins as a listpack and becomes a skiplist, for
// good, when a new member makes it too long or is too long itself. Only a
// command that stores its result, and so sees all of it, goes by the result.
type zset struct {
	*sortedset.Set
	object *keyspace.Object
}

func newZSet(enc keyspace.Encoding) zset {
	set := sortedset.New()
	return zset{set, keyspace.NewObject(keyspace.ZSet, enc, set)}
}

// findZSet is find for a command that adds members. The Set is nil when there
// is no such key.
func (c *Call) findZSet(key []byte) (zset, error) {
	o := c.DB.Find(view(key))
	set, err := as[*sortedset.Set](o)
	return zset{set, o}, err
}

// zsetListpackHolds reports whether a listpack may have n members of at most so
// many bytes. Redis also bounds its bytes as a whole, at a gigabyte, which the
// layout here has no reason to do.
func (c *Call) zsetListpackHolds(n, bytes int) bool {
	cfg := c.Engine.Config
	return int64(n) <= cfg.ZsetMaxListpackEntries && int64(bytes) <= cfg.ZsetMaxListpackValue
}

// zsetAdd gives a member a score and adjusts the encoding.
func (c *Call) zsetAdd(z zset, member string, score float64) sortedset.Outcome {
	if z.object.Encoding() == keyspace.Listpack && !c.zsetListpackHolds(z.Len()+1, len(member)) {
		if _, old := z.Score(member); !old {
			z.object.SetEncoding(keyspace.Skiplist)
		}
	}
	if score == 0 && z.object.Encoding() == keyspace.Listpack {
		score = 0 // a listpack keeps whole scores as integers: there is no -0 in it
	}
	return z.Add(member, score)
}

// zsetShrunk is called with how many members a command has taken out of the set of
// a key. No key holds an empty set.
func (c *Call) zsetShrunk(n int, set *sortedset.Set, event string, key []byte) {
	if n == 0 {
		return
	}
	c.changed(eventZSet, event, key)
	if set.Len() == 0 && c.DB.Delete(view(key)) {
		c.changed(eventGeneric, "del", key)
	}
}

// zsetStore is zsetStoreAs with the event that most commands have: their name.
func (c *Call) zsetStore(key []byte, z zset) error { return c.zsetStoreAs(c.Cmd.Name, key, z) }

// zsetStoreAs puts a result in the place of whatever the key holds, its deadline
// included, and replies with the number of members. An empty result removes
// the key.
func (c *Call) zsetStoreAs(event string, key []byte, z zset) error {
	switch {
	case z.Len() > 0:
		c.DB.Put(view(key), z.object)
		c.changed(eventZSet, event, key)
	case c.DB.Delete(view(key)):
		c.changed(eventGeneric, "del", key)
	}
	c.Int(int64(z.Len()))
	return nil
}

// replyItems replies with members in their order, and their scores if asked for.
func (c *Call) replyItems(items iter.Seq[sortedset.Item], withScores bool) error {
	mark, n := c.Defer(), 0
	for item := range items {
		if c.pointless() {
			break
		}
		c.replyItem(item, withScores)
		n++
	}
	c.Resolve(mark, wire.KindArray, c.itemElements(n, withScores))
	return nil
}

// itemElements is how many elements the array of n items has: in RESP3 each
// member stands with its score in a pair, in RESP2 they follow each other.
func (c *Call) itemElements(n int, withScores bool) int {
	if withScores && c.Proto < 3 {
		return 2 * n
	}
	return n
}

func (c *Call) replyItem(item sortedset.Item, withScore bool) {
	if !withScore {
		c.BulkString(item.Member)
		return
	}
	if c.Proto >= 3 {
		c.Array(2)
	}
	c.BulkString(item.Member)
	c.Double(item.Score)
}
