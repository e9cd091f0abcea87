package commands

import (
	"iter"

	"myredis/internal/atom"
	"myredis/keyspace"
	setkind "myredis/keyspace/set"
)

// Sets.
//
// Membership is package set's. What is here is the rest of what Redis says
// about sets: arguments, replies, which key comes and goes, and how many
// integers are few. (SET, the command, is a string's.) The family's files:
//
//	set.go          the rows, and how a set is stored and shrunk
//	set_member.go   what adds, removes, moves, asks for or answers members
//	set_random.go   SPOP, SRANDMEMBER
//	set_combine.go  union, intersection and difference

var setCommands = []*Command{
	{
		Name: "sadd", Arity: -3, Flags: Write | DenyOOM | Fast, Group: GroupSet, Keys: oneKey(RW | Insert), Run: sadd,
		Since: "1.0.0", Cost: "O(N) with N members named", Summary: "Adds members.", Syntax: "key member [member ...]",
	},
	{
		Name: "scard", Arity: 2, Flags: ReadOnly | Fast, Group: GroupSet, Keys: oneKey(RO), Run: scard,
		Since: "1.0.0", Cost: "O(1)", Summary: "Counts the members.", Syntax: "key",
	},
	{
		Name: "sdiff", Arity: -2, Flags: ReadOnly, Group: GroupSet, Keys: allKeys(RO | Access), Run: sdiff,
		Since: "1.0.0", Cost: "O(N) with N members in all sets", Summary: "Answers the members of the first set that are in no other.",
		Syntax: "key [key ...]", Tips: []string{"nondeterministic_output_order"},
	},
	{
		Name: "sdiffstore", Arity: -3, Flags: Write | DenyOOM, Group: GroupSet, Keys: storeKeys(OW), Run: sdiffstore,
		Since: "1.0.0", Cost: "O(N) with N members in all sets", Summary: "Stores the members of the first set that are in no other.",
		Syntax: "destination key [key ...]",
	},
	{
		Name: "sinter", Arity: -2, Flags: ReadOnly, Group: GroupSet, Keys: allKeys(RO | Access), Run: sinter,
		Since: "1.0.0", Cost: "O(N*K) with N members in the smallest of K sets", Summary: "Answers the members that all sets have.",
		Syntax: "key [key ...]", Tips: []string{"nondeterministic_output_order"},
	},
	{
		Name: "sintercard", Arity: -3, Flags: ReadOnly, Group: GroupSet, Keys: []KeySpec{countedKeys(1, RO|Access)}, Run: sintercard,
		Since: "7.0.0", Cost: "O(N*K) with N members in the smallest of K sets", Summary: "Counts the members that all sets have.",
		Syntax: "numkeys key [key ...] [LIMIT limit]",
	},
	{
		Name: "sinterstore", Arity: -3, Flags: Write | DenyOOM, Group: GroupSet, Keys: storeKeys(RW), Run: sinterstore,
		Since: "1.0.0", Cost: "O(N*K) with N members in the smallest of K sets", Summary: "Stores the members that all sets have.",
		Syntax: "destination key [key ...]",
	},
	{
		Name: "sismember", Arity: 3, Flags: ReadOnly | Fast, Group: GroupSet, Keys: oneKey(RO), Run: sismember,
		Since: "1.0.0", Cost: "O(1)", Summary: "Tells whether there is a member.", Syntax: "key member",
	},
	{
		Name: "smembers", Arity: 2, Flags: ReadOnly, Group: GroupSet, Keys: oneKey(RO | Access), Run: smembers,
		Since: "1.0.0", Cost: "O(N) with N members in the set", Summary: "Answers all members.", Syntax: "key",
		Tips: []string{"nondeterministic_output_order"},
	},
	{
		Name: "smismember", Arity: -3, Flags: ReadOnly | Fast, Group: GroupSet, Keys: oneKey(RO | Access), Run: smismember,
		Since: "6.2.0", Cost: "O(N) with N members named", Summary: "Tells of several members whether they are there.",
		Syntax: "key member [member ...]",
	},
	{
		Name: "smove", Arity: 4, Flags: Write | Fast, Group: GroupSet,
		Keys: []KeySpec{keyAt(1, RW|Access|Delete), keyAt(2, RW|Insert)}, Run: smove,
		Since: "1.0.0", Cost: "O(1)", Summary: "Moves a member from one set to another.", Syntax: "source destination member",
	},
	{
		Name: "spop", Arity: -2, Flags: Write | Fast, Group: GroupSet, Keys: oneKey(RW | Access | Delete), Run: spop,
		Since: "1.0.0", Cost: "O(N) with N members removed", Summary: "Removes and answers members chosen at random.",
		Syntax: "key [count]", Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "srandmember", Arity: -2, Flags: ReadOnly, Group: GroupSet, Keys: oneKey(RO | Access), Run: srandmember,
		Since: "1.0.0", Cost: "O(N) with N members answered", Summary: "Answers members chosen at random.",
		Syntax: "key [count]", Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "srem", Arity: -3, Flags: Write | Fast, Group: GroupSet, Keys: oneKey(RW | Delete), Run: srem,
		Since: "1.0.0", Cost: "O(N) with N members named", Summary: "Removes members.", Syntax: "key member [member ...]",
	},
	{
		Name: "sscan", Arity: -3, Flags: ReadOnly, Group: GroupSet, Keys: oneKey(RO | Access), Run: sscan,
		Since: "2.8.0", Cost: "O(1) for each call, O(N) for all of N members", Summary: "Goes through the members a step at a time.",
		Syntax: "key cursor [MATCH pattern] [COUNT count]", Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "sunion", Arity: -2, Flags: ReadOnly, Group: GroupSet, Keys: allKeys(RO | Access), Run: sunion,
		Since: "1.0.0", Cost: "O(N) with N members in all sets", Summary: "Answers the members of all sets.",
		Syntax: "key [key ...]", Tips: []string{"nondeterministic_output_order"},
	},
	{
		Name: "sunionstore", Arity: -3, Flags: Write | DenyOOM, Group: GroupSet, Keys: storeKeys(OW), Run: sunionstore,
		Since: "1.0.0", Cost: "O(N) with N members in all sets", Summary: "Stores the members of all sets.",
		Syntax: "destination key [key ...]",
	},
}

// storeKeys are a destination and the sources after it.
func storeKeys(destination KeyFlag) []KeySpec {
	return []KeySpec{keyAt(1, destination|Update), {Flags: RO | Access, Index: 2, Last: -1, Step: 1}}
}

// setAt is the set of a key, to be changed.
type setAt struct {
	*setkind.Set
	object *keyspace.Object // nil: there is no such key
}

// findSet is find for a command that changes members.
func (c *Call) findSet(key []byte) (setAt, error) {
	o := c.DB.Find(view(key))
	s, err := as[*setkind.Set](o)
	return setAt{s, o}, err
}

// setAdd adds a member and reports whether it is new. Sorted integers are what
// Redis calls an intset, and are one no longer when they are too many
// (t_set.c, setTypeAdd).
func (c *Call) setAdd(s *setkind.Set, member atom.Atom) (added bool) {
	added = s.Add(member)
	if added && s.Sorted() && int64(s.Len()) > c.Engine.Config.SetMaxIntsetEntries {
		s.Spread()
	}
	return added
}

func setEncoding(s *setkind.Set) keyspace.Encoding {
	if s.Sorted() {
		return keyspace.Intset
	}
	return keyspace.Hashtable
}

// setGrow adds members to the set of a key, making it when it is not there, and
// returns how many are new.
func (c *Call) setGrow(s setAt, key []byte, members [][]byte) (added int64) {
	if s.object == nil {
		s.Set = new(setkind.Set)
	}
	for _, member := range members {
		if c.setAdd(s.Set, argAtom(member)) {
			added++
		}
	}
	if added == 0 {
		return 0
	}
	if s.object == nil {
		c.DB.Put(view(key), keyspace.NewObject(keyspace.Set, setEncoding(s.Set), s.Set))
	} else {
		s.object.SetEncoding(setEncoding(s.Set))
	}
	c.changed(eventSet, "sadd", key)
	return added
}

// setShrunk is called with how many members a command has taken out of the set
// of a key. No key holds an empty set.
func (c *Call) setShrunk(n int64, s *setkind.Set, event string, key []byte) {
	if n == 0 {
		return
	}
	c.changed(eventSet, event, key)
	if s.Len() == 0 && c.DB.Delete(view(key)) {
		c.changed(eventGeneric, "del", key)
	}
}

// setOf returns a set of the members, in the form in which Redis would keep
// them.
func (c *Call) setOf(members iter.Seq[atom.Atom]) *setkind.Set {
	s := new(setkind.Set)
	for m := range members {
		c.setAdd(s, m)
	}
	return s
}

// replyMembers replies with all members of a set.
func (c *Call) replyMembers(s *setkind.Set) {
	c.Set(s.Len())
	for m := range s.All() {
		c.replyAtom(m)
	}
}
