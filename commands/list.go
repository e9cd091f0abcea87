package commands

import (
	"myredis/keyspace"
	"myredis/keyspace/list"
)

// Lists.
//
// How elements are kept is package list's. What is here is the rest of what
// Redis says about lists: arguments, replies, which key comes and goes. A list is
// always what Redis 7.0 calls a quicklist. The family's files:
//
//	list.go         the rows, how a list is made and shrunk, what pushes
//	list_pop.go     what pops, and waits to pop
//	list_move.go    what pops from one list and pushes to another
//	list_element.go what reads, searches, replaces, inserts and removes elements

var listCommands = []*Command{
	{
		Name: "blmove", Arity: 6, Flags: Write | DenyOOM | NoScript | Blocking, Group: GroupList, Keys: moveKeys, Run: blmove,
		Since: "6.2.0", Cost: "O(1)", Summary: "LMOVE that waits until there is something.",
		Syntax: "source destination LEFT|RIGHT LEFT|RIGHT timeout",
	},
	{
		Name: "blmpop", Arity: -5, Flags: Write | Blocking, Group: GroupList, Keys: []KeySpec{countedKeys(2, RW|Access|Delete)}, Run: blmpop,
		Since: "7.0.0", Cost: "O(N+M) with N keys and M elements removed", Summary: "LMPOP that waits until there is something.",
		Syntax: "timeout numkeys key [key ...] LEFT|RIGHT [COUNT count]",
	},
	{
		Name: "blpop", Arity: -3, Flags: Write | NoScript | Blocking, Group: GroupList, Keys: waitKeys, Run: blpop,
		Since: "2.0.0", Cost: "O(N) with N keys", Summary: "LPOP that waits until there is something.", Syntax: "key [key ...] timeout",
	},
	{
		Name: "brpop", Arity: -3, Flags: Write | NoScript | Blocking, Group: GroupList, Keys: waitKeys, Run: brpop,
		Since: "2.0.0", Cost: "O(N) with N keys", Summary: "RPOP that waits until there is something.", Syntax: "key [key ...] timeout",
	},
	{
		Name: "brpoplpush", Arity: 4, Flags: Write | DenyOOM | NoScript | Blocking, Group: GroupList, Keys: moveKeys, Run: brpoplpush,
		Since: "2.2.0", Cost: "O(1)", Summary: "RPOPLPUSH that waits until there is something.", Syntax: "source destination timeout",
	},
	{
		Name: "lindex", Arity: 3, Flags: ReadOnly, Group: GroupList, Keys: oneKey(RO | Access), Run: lindex,
		Since: "1.0.0", Cost: "O(N) with N chunks of elements in the list", Summary: "Answers the element at a place.", Syntax: "key index",
	},
	{
		Name: "linsert", Arity: 5, Flags: Write | DenyOOM, Group: GroupList, Keys: oneKey(RW | Insert), Run: linsert,
		Since: "2.2.0", Cost: "O(N) with N elements before the pivot", Summary: "Adds an element beside another.",
		Syntax: "key BEFORE|AFTER pivot element",
	},
	{
		Name: "llen", Arity: 2, Flags: ReadOnly | Fast, Group: GroupList, Keys: oneKey(RO), Run: llen,
		Since: "1.0.0", Cost: "O(1)", Summary: "Counts the elements.", Syntax: "key",
	},
	{
		Name: "lmove", Arity: 5, Flags: Write | DenyOOM, Group: GroupList, Keys: moveKeys, Run: lmove,
		Since: "6.2.0", Cost: "O(1)", Summary: "Moves an element from an end of one list to an end of another.",
		Syntax: "source destination LEFT|RIGHT LEFT|RIGHT",
	},
	{
		Name: "lmpop", Arity: -4, Flags: Write, Group: GroupList, Keys: []KeySpec{countedKeys(1, RW|Access|Delete)}, Run: lmpop,
		Since: "7.0.0", Cost: "O(N+M) with N keys and M elements removed", Summary: "Removes elements at an end of the first list that has any.",
		Syntax: "numkeys key [key ...] LEFT|RIGHT [COUNT count]",
	},
	{
		Name: "lpop", Arity: -2, Flags: Write | Fast, Group: GroupList, Keys: oneKey(RW | Access | Delete), Run: lpop,
		Since: "1.0.0", Cost: "O(N) with N elements removed", Summary: "Removes and answers the first elements.", Syntax: "key [count]",
	},
	{
		Name: "lpos", Arity: -3, Flags: ReadOnly, Group: GroupList, Keys: oneKey(RO | Access), Run: lpos,
		Since: "6.0.6", Cost: "O(N) with N elements searched", Summary: "Answers the places of an element.",
		Syntax: "key element [RANK rank] [COUNT num-matches] [MAXLEN len]",
	},
	{
		Name: "lpush", Arity: -3, Flags: Write | DenyOOM | Fast, Group: GroupList, Keys: oneKey(RW | Insert), Run: lpush,
		Since: "1.0.0", Cost: "O(N) with N elements named", Summary: "Adds elements in front.", Syntax: "key element [element ...]",
	},
	{
		Name: "lpushx", Arity: -3, Flags: Write | DenyOOM | Fast, Group: GroupList, Keys: oneKey(RW | Insert), Run: lpushx,
		Since: "2.2.0", Cost: "O(N) with N elements named", Summary: "Adds elements in front of a list that is there.",
		Syntax: "key element [element ...]",
	},
	{
		Name: "lrange", Arity: 4, Flags: ReadOnly, Group: GroupList, Keys: oneKey(RO | Access), Run: lrange,
		Since: "1.0.0", Cost: "O(C+N) with C chunks of elements before the first and N elements answered",
		Summary: "Answers the elements in a range of places.", Syntax: "key start stop",
	},
	{
		Name: "lrem", Arity: 4, Flags: Write, Group: GroupList, Keys: oneKey(RW | Delete), Run: lrem,
		Since: "1.0.0", Cost: "O(N) with N elements in the list", Summary: "Removes elements that are equal to one.",
		Syntax: "key count element",
	},
	{
		Name: "lset", Arity: 4, Flags: Write | DenyOOM, Group: GroupList, Keys: oneKey(RW | Update), Run: lset,
		Since: "1.0.0", Cost: "O(N) with N chunks of elements in the list", Summary: "Replaces the element at a place.",
		Syntax: "key index element",
	},
	{
		Name: "ltrim", Arity: 4, Flags: Write, Group: GroupList, Keys: oneKey(RW | Delete), Run: ltrim,
		Since: "1.0.0", Cost: "O(N) with N chunks of elements removed", Summary: "Removes the elements outside a range of places.",
		Syntax: "key start stop",
	},
	{
		Name: "rpop", Arity: -2, Flags: Write | Fast, Group: GroupList, Keys: oneKey(RW | Access | Delete), Run: rpop,
		Since: "1.0.0", Cost: "O(N) with N elements removed", Summary: "Removes and answers the last elements.", Syntax: "key [count]",
	},
	{
		Name: "rpoplpush", Arity: 3, Flags: Write | DenyOOM, Group: GroupList, Keys: moveKeys, Run: rpoplpush,
		Since: "1.2.0", Cost: "O(1)", Summary: "Moves the last element of a list to the front of another.", Syntax: "source destination",
	},
	{
		Name: "rpush", Arity: -3, Flags: Write | DenyOOM | Fast, Group: GroupList, Keys: oneKey(RW | Insert), Run: rpush,
		Since: "1.0.0", Cost: "O(N) with N elements named", Summary: "Adds elements behind.", Syntax: "key element [element ...]",
	},
	{
		Name: "rpushx", Arity: -3, Flags: Write | DenyOOM | Fast, Group: GroupList, Keys: oneKey(RW | Insert), Run: rpushx,
		Since: "2.2.0", Cost: "O(N) with N elements named", Summary: "Adds elements behind those of a list that is there.",
		Syntax: "key element [element ...]",
	},
}

var (
	// moveKeys are the list that gives and the list that takes.
	moveKeys = []KeySpec{keyAt(1, RW|Access|Delete), keyAt(2, RW|Insert)}
	// waitKeys are all arguments but the timeout.
	waitKeys = []KeySpec{{Flags: RW | Access | Delete, Index: 1, Last: -2, Step: 1}}
)

// listEnd is one of the two ends of a list.
type listEnd struct {
	push, pop string // the events
	right     bool
}

var (
	left  = listEnd{"lpush", "lpop", false}
	right = listEnd{"rpush", "rpop", true}
)

// listEnd parses argument i as one.
func (c *Call) listEnd(i int) (listEnd, error) {
	switch {
	case c.is(i, "LEFT"):
		return left, nil
	case c.is(i, "RIGHT"):
		return right, nil
	}
	return listEnd{}, errSyntax
}

func lpush(c *Call) error { return c.push(left, true) }

func rpush(c *Call) error { return c.push(right, true) }

func lpushx(c *Call) error { return c.push(left, false) }

func rpushx(c *Call) error { return c.push(right, false) }

func (c *Call) push(to listEnd, create bool) error {
	key := c.Args[1]
	l, err := find[*list.List](c, key)
	if err != nil {
		return err
	}
	if l == nil && !create {
		c.Int(0)
		return nil
	}
	l = c.listGrow(l, to, key, c.Args[2:])
	c.Int(int64(l.Len()))
	return nil
}

// listGrow adds elements at an end of the list of a key, making it when it is
// not there.
func (c *Call) listGrow(l *list.List, to listEnd, key []byte, elements [][]byte) *list.List {
	isNew := l == nil
	if isNew {
		l = new(list.List)
	}
	for _, e := range elements {
		if to.right {
			l.PushBack(argAtom(e))
		} else {
			l.PushFront(argAtom(e))
		}
	}
	if isNew {
		c.DB.Put(view(key), keyspace.NewObject(keyspace.List, keyspace.Quicklist, l))
	}
	c.changed(eventList, to.push, key)
	return l
}

// listShrunk is called when a command has taken elements out of the list of a
// key. No key holds an empty list.
func (c *Call) listShrunk(l *list.List, event string, key []byte) {
	c.changed(eventList, event, key)
	if l.Len() == 0 && c.DB.Delete(view(key)) {
		c.changed(eventGeneric, "del", key)
	}
}
