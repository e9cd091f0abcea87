package commands

import (
	"slices"

	"myredis/internal/atom"
	"myredis/keyspace"
	"myredis/keyspace/hash"
)

// Hashes.
//
// How fields are kept is package hash's. What is here is the rest of what Redis
// says about hashes: arguments, replies, which key comes and goes, and when a
// hash is no longer small. The family's files:
//
//	hash.go         the rows, how a hash is changed and shrunk, what changes fields
//	hash_number.go  HINCRBY, HINCRBYFLOAT
//	hash_read.go    what asks for fields, one by one, all, or a step at a time
//	hash_random.go  HRANDFIELD

var hashCommands = []*Command{
	{
		Name: "hdel", Arity: -3, Flags: Write | Fast, Group: GroupHash, Keys: oneKey(RW | Delete), Run: hdel,
		Since: "2.0.0", Cost: "O(N) with N fields named", Summary: "Removes fields.", Syntax: "key field [field ...]",
	},
	{
		Name: "hexists", Arity: 3, Flags: ReadOnly | Fast, Group: GroupHash, Keys: oneKey(RO), Run: hexists,
		Since: "2.0.0", Cost: "O(1)", Summary: "Tells whether there is a field.", Syntax: "key field",
	},
	{
		Name: "hget", Arity: 3, Flags: ReadOnly | Fast, Group: GroupHash, Keys: oneKey(RO | Access), Run: hget,
		Since: "2.0.0", Cost: "O(1)", Summary: "Answers the value of a field.", Syntax: "key field",
	},
	{
		Name: "hgetall", Arity: 2, Flags: ReadOnly, Group: GroupHash, Keys: oneKey(RO | Access), Run: hgetall,
		Since: "2.0.0", Cost: "O(N) with N fields in the hash", Summary: "Answers all fields and their values.", Syntax: "key",
		Tips: []string{"nondeterministic_output_order"},
	},
	{
		Name: "hincrby", Arity: 4, Flags: Write | DenyOOM | Fast, Group: GroupHash, Keys: oneKey(RW | Access | Update), Run: hincrby,
		Since: "2.0.0", Cost: "O(1)", Summary: "Adds to the integer in a field.", Syntax: "key field increment",
	},
	{
		Name: "hincrbyfloat", Arity: 4, Flags: Write | DenyOOM | Fast, Group: GroupHash, Keys: oneKey(RW | Access | Update), Run: hincrbyfloat,
		Since: "2.6.0", Cost: "O(1)", Summary: "Adds to the number in a field.", Syntax: "key field increment",
	},
	{
		Name: "hkeys", Arity: 2, Flags: ReadOnly, Group: GroupHash, Keys: oneKey(RO | Access), Run: hkeys,
		Since: "2.0.0", Cost: "O(N) with N fields in the hash", Summary: "Answers all fields.", Syntax: "key",
		Tips: []string{"nondeterministic_output_order"},
	},
	{
		Name: "hlen", Arity: 2, Flags: ReadOnly | Fast, Group: GroupHash, Keys: oneKey(RO), Run: hlen,
		Since: "2.0.0", Cost: "O(1)", Summary: "Counts the fields.", Syntax: "key",
	},
	{
		Name: "hmget", Arity: -3, Flags: ReadOnly | Fast, Group: GroupHash, Keys: oneKey(RO | Access), Run: hmget,
		Since: "2.0.0", Cost: "O(N) with N fields named", Summary: "Answers the values of fields.", Syntax: "key field [field ...]",
	},
	{
		Name: "hmset", Arity: -4, Flags: Write | DenyOOM | Fast, Group: GroupHash, Keys: oneKey(RW | Update), Run: hmset,
		Since: "2.0.0", Cost: "O(N) with N fields named", Summary: "Gives fields values; HSET does it too.",
		Syntax: "key field value [field value ...]",
	},
	{
		Name: "hrandfield", Arity: -2, Flags: ReadOnly, Group: GroupHash, Keys: oneKey(RO | Access), Run: hrandfield,
		Since: "6.2.0", Cost: "O(N) with N fields answered", Summary: "Answers fields chosen at random.",
		Syntax: "key [count [WITHVALUES]]", Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "hscan", Arity: -3, Flags: ReadOnly, Group: GroupHash, Keys: oneKey(RO | Access), Run: hscan,
		Since: "2.8.0", Cost: "O(1) for each call, O(N) for all of N fields", Summary: "Goes through the fields a step at a time.",
		Syntax: "key cursor [MATCH pattern] [COUNT count]", Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "hset", Arity: -4, Flags: Write | DenyOOM | Fast, Group: GroupHash, Keys: oneKey(RW | Update), Run: hset,
		Since: "2.0.0", Cost: "O(N) with N fields named", Summary: "Gives fields values.", Syntax: "key field value [field value ...]",
	},
	{
		Name: "hsetnx", Arity: 4, Flags: Write | DenyOOM | Fast, Group: GroupHash, Keys: oneKey(RW | Insert), Run: hsetnx,
		Since: "2.0.0", Cost: "O(1)", Summary: "Gives a field a value if there is no such field.", Syntax: "key field value",
	},
	{
		Name: "hstrlen", Arity: 3, Flags: ReadOnly | Fast, Group: GroupHash, Keys: oneKey(RO), Run: hstrlen,
		Since: "3.2.0", Cost: "O(1)", Summary: "Answers the length of the value of a field.", Syntax: "key field",
	},
	{
		Name: "hvals", Arity: 2, Flags: ReadOnly, Group: GroupHash, Keys: oneKey(RO | Access), Run: hvals,
		Since: "2.0.0", Cost: "O(N) with N fields in the hash", Summary: "Answers all values.", Syntax: "key",
		Tips: []string{"nondeterministic_output_order"},
	},
}

// argAtom is an argument as what collections hold: a view, as it is.
func argAtom(arg []byte) atom.Atom { return atom.Of(view(arg)) }

// replyAtom replies with the bytes of what a collection holds.
func (c *Call) replyAtom(a atom.Atom) {
	if text, ok := a.Text(); ok {
		c.BulkString(text)
	} else if n, ok := a.Int(); ok {
		c.BulkInt(n)
	}
}

// hashAt is the hash of a key, to be changed. No key holds an empty hash, so
// what is changed goes back to the key by store or shrunk.
type hashAt struct {
	*hash.Hash
	call   *Call
	key    []byte
	object *keyspace.Object // nil: there is no such key
}

// findHash is find for a command that changes fields.
func (c *Call) findHash(key []byte) (hashAt, error) {
	o := c.DB.Find(view(key))
	h, err := as[*hash.Hash](o)
	return hashAt{h, c, key, o}, err
}

// set gives a field a value and reports whether it is new. A packed hash is
// what Redis calls a listpack, and is one no longer under the same conditions
// (t_hash.c, hashTypeSet).
func (h *hashAt) set(field, value atom.Atom) (added bool) {
	cfg := h.call.Engine.Config
	long := func(a atom.Atom) bool { return int64(a.Len()) > cfg.HashMaxListpackValue }
	if h.Packed() && (long(field) || long(value)) {
		h.Hash = h.Spread()
	}
	h.Hash, added = h.Set(field, value)
	if h.Packed() && int64(h.Len()) > cfg.HashMaxListpackEntries {
		h.Hash = h.Spread()
	}
	return added
}

// setAll is set for each of the fields, which stand with their values by turns,
// and returns how many are new.
func (h *hashAt) setAll(args [][]byte) (added int) {
	cfg := h.call.Engine.Config
	long := func(arg []byte) bool { return int64(len(arg)) > cfg.HashMaxListpackValue }
	if int64(h.Len()+len(args)/2) <= cfg.HashMaxListpackEntries && !slices.ContainsFunc(args, long) {
		h.Hash, added = h.SetAll(len(args)/2, func(i int) (field, value atom.Atom) {
			return argAtom(args[2*i]), argAtom(args[2*i+1])
		})
		return added
	}
	for i := 0; i < len(args); i += 2 { // it may cross a limit on the way
		if h.set(argAtom(args[i]), argAtom(args[i+1])) {
			added++
		}
	}
	return added
}

// store puts the hash back after set.
func (h *hashAt) store(event string) {
	encoding := keyspace.Hashtable
	if h.Packed() {
		encoding = keyspace.Listpack
	}
	if h.object == nil {
		h.call.DB.Put(view(h.key), keyspace.NewObject(keyspace.Hash, encoding, h.Hash))
	} else {
		h.object.Value = h.Hash
		h.object.SetEncoding(encoding)
	}
	h.call.changed(eventHash, event, h.key)
}

func hset(c *Call) error {
	added, err := c.setFields()
	if err != nil {
		return err
	}
	c.Int(int64(added))
	return nil
}

func hmset(c *Call) error {
	if _, err := c.setFields(); err != nil {
		return err
	}
	return c.ok()
}

// setFields gives the fields their values and returns how many are new.
func (c *Call) setFields() (added int, err error) {
	if len(c.Args)%2 != 0 {
		return 0, errorf("ERR wrong number of arguments for '%s' command", c.Cmd.full)
	}
	h, err := c.findHash(c.Args[1])
	if err != nil {
		return 0, err
	}
	added = h.setAll(c.Args[2:])
	h.store("hset")
	return added, nil
}

func hsetnx(c *Call) error {
	h, err := c.findHash(c.Args[1])
	if err != nil {
		return err
	}
	field := argAtom(c.Args[2])
	_, there := h.Get(field)
	if !there {
		h.set(field, argAtom(c.Args[3]))
		h.store("hset")
	}
	c.truth(!there)
	return nil
}

func hdel(c *Call) error {
	h, err := c.findHash(c.Args[1])
	if err != nil {
		return err
	}
	deleted := int64(0)
	for _, field := range c.Args[2:] {
		var ok bool
		if h.Hash, ok = h.Delete(argAtom(field)); ok {
			deleted++
		}
	}
	if deleted > 0 {
		h.store("hdel")
		if h.Len() == 0 && c.DB.Delete(view(h.key)) {
			c.changed(eventGeneric, "del", h.key)
		}
	}
	c.Int(deleted)
	return nil
}
