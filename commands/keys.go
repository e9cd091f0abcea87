package commands

import (
	"bytes"

	"myredis/internal/glob"
	"myredis/keyspace"
	"myredis/keyspace/hash"
	"myredis/keyspace/list"
	setkind "myredis/keyspace/set"
	"myredis/keyspace/stream"
	"myredis/sortedset"
)

// keyCommands concern keys, whatever they hold.
var keyCommands = []*Command{
	{Name: "del", Arity: -2, Flags: Write, Group: GroupGeneric, Keys: allKeys(RM | Delete), Run: del, Since: "1.0.0", Cost: "O(N) with N keys", Summary: "Removes keys.", Syntax: "key [key ...]", Tips: []string{"request_policy:multi_shard", "response_policy:agg_sum"}},
	// Redis frees what UNLINK removes in the background. Here the garbage collector frees everything there.
	{Name: "unlink", Arity: -2, Flags: Write | Fast, Group: GroupGeneric, Keys: allKeys(RM | Delete), Run: del, Since: "4.0.0", Cost: "O(N) with N keys", Summary: "Removes keys.", Syntax: "key [key ...]", Tips: []string{"request_policy:multi_shard", "response_policy:agg_sum"}},
	{Name: "exists", Arity: -2, Flags: ReadOnly | Fast, Group: GroupGeneric, Keys: allKeys(RO), Run: exists, Since: "1.0.0", Cost: "O(N) with N keys", Summary: "Counts the keys that are there.", Syntax: "key [key ...]", Tips: []string{"request_policy:multi_shard", "response_policy:agg_sum"}},
	{Name: "touch", Arity: -2, Flags: ReadOnly | Fast, Group: GroupGeneric, Keys: allKeys(RO), Run: touch, Since: "3.2.1", Cost: "O(N) with N keys", Summary: "Notes an access of keys and counts them.", Syntax: "key [key ...]", Tips: []string{"request_policy:multi_shard", "response_policy:agg_sum"}},
	{Name: "type", Arity: 2, Flags: ReadOnly | Fast, Group: GroupGeneric, Keys: oneKey(RO), Run: typeOf, Since: "1.0.0", Cost: "O(1)", Summary: "Answers the type of a key.", Syntax: "key"},
	{Name: "keys", Arity: 2, Flags: ReadOnly, Group: GroupGeneric, Categories: CatKeyspace | CatDangerous, Run: keysLike, Since: "1.0.0", Cost: "O(N) with N keys in the database", Summary: "Answers all keys that match.", Syntax: "pattern", Tips: []string{"request_policy:all_shards", "nondeterministic_output_order"}},
	{Name: "randomkey", Arity: 1, Flags: ReadOnly, Group: GroupGeneric, Run: randomkey, Since: "1.0.0", Cost: "O(1)", Summary: "Answers a key chosen at random.", Tips: []string{"request_policy:all_shards", "nondeterministic_output"}},
	{Name: "rename", Arity: 3, Flags: Write, Group: GroupGeneric, Keys: []KeySpec{keyAt(1, RW|Access|Delete), keyAt(2, OW|Update)}, Run: rename, Since: "1.0.0", Cost: "O(1)", Summary: "Renames a key, over what was there.", Syntax: "key newkey"},
	{Name: "renamenx", Arity: 3, Flags: Write | Fast, Group: GroupGeneric, Keys: []KeySpec{keyAt(1, RW|Access|Delete), keyAt(2, OW|Insert)}, Run: renamenx, Since: "1.0.0", Cost: "O(1)", Summary: "Renames a key if the new name is free.", Syntax: "key newkey"},
	{Name: "move", Arity: 3, Flags: Write | Fast, Group: GroupGeneric, Keys: oneKey(RW | Access | Update), Run: move, Since: "1.0.0", Cost: "O(1)", Summary: "Moves a key to another database.", Syntax: "key db"},
	{Name: "copy", Arity: -3, Flags: Write | DenyOOM, Group: GroupGeneric, Keys: []KeySpec{keyAt(1, RO|Access), keyAt(2, OW|Update)}, Run: copyKey, Since: "6.2.0", Cost: "O(N) with N elements in the value", Summary: "Copies a key.", Syntax: "source destination [DB destination-db] [REPLACE]"},
}

const errSameObject Error = "ERR source and destination objects are the same"

func del(c *Call) error {
	removed := int64(0)
	for _, key := range c.Args[1:] {
		if c.DB.Peek(view(key)) != nil && c.DB.Delete(view(key)) {
			removed++
			c.changed(eventGeneric, "del", key)
		}
	}
	c.Int(removed)
	return nil
}

func exists(c *Call) error {
	n := int64(0)
	for _, key := range c.Args[1:] {
		if c.DB.Glance(view(key)) != nil {
			n++
		}
	}
	c.Int(n)
	return nil
}

// touch notes an access even for a client that asked for none to be noted.
func touch(c *Call) error {
	was := c.Engine.Keys.NoTouch
	c.Engine.Keys.NoTouch = false
	n := int64(0)
	for _, key := range c.Args[1:] {
		if c.DB.Look(view(key)) != nil {
			n++
		}
	}
	c.Engine.Keys.NoTouch = was
	c.Int(n)
	return nil
}

func typeOf(c *Call) error {
	if o := c.DB.Glance(view(c.Args[1])); o != nil {
		c.Simple(o.Kind().String())
	} else {
		c.Simple("none")
	}
	return nil
}

func keysLike(c *Call) error {
	pattern := c.Args[1]
	var found []string
	c.DB.All(func(o *keyspace.Object) bool {
		if key := o.Key(); string(pattern) == "*" || glob.Match(pattern, key, false) {
			found = append(found, key)
		}
		return true
	})
	c.Array(len(found))
	for _, key := range found {
		if c.pointless() {
			break
		}
		c.BulkString(key)
	}
	return nil
}

func randomkey(c *Call) error {
	if o, ok := c.DB.Random(); ok {
		c.BulkString(o.Key())
	} else {
		c.Null()
	}
	return nil
}

func rename(c *Call) error {
	if _, err := c.renameKey(false); err != nil {
		return err
	}
	return c.ok()
}

func renamenx(c *Call) error {
	done, err := c.renameKey(true)
	if err != nil {
		return err
	}
	c.truth(done)
	return nil
}

// truth replies 1 or 0.
func (c *Call) truth(yes bool) {
	if yes {
		c.Int(1)
	} else {
		c.Int(0)
	}
}

// renameKey reports whether the key has another name than before.
func (c *Call) renameKey(onlyFree bool) (done bool, err error) {
	from, to := c.Args[1], c.Args[2]
	if c.DB.Find(view(from)) == nil {
		return false, errNoSuchKey
	}
	if bytes.Equal(from, to) {
		return false, nil
	}
	if c.DB.Find(view(to)) != nil && onlyFree {
		return false, nil
	}
	o := c.DB.Take(view(from))
	if o == nil {
		return false, errNoSuchKey // it went while the other was looked up
	}
	c.DB.Take(view(to)) // what stands there ends: the name is that of a new key
	c.DB.Give(view(to), o)
	c.changed(eventGeneric, "rename_from", from)
	c.changed(eventGeneric, "rename_to", to)
	return true, nil
}

func move(c *Call) error {
	n, err := c.cInt(2)
	if err != nil {
		return err
	}
	key, to := c.Args[1], c.db(n)
	switch {
	case to == nil:
		return errDBIndex
	case to == c.DB:
		return errSameObject
	}
	if c.DB.Find(view(key)) == nil || to.Find(view(key)) != nil {
		c.Int(0)
		return nil
	}
	o := c.DB.Take(view(key))
	if o == nil {
		c.Int(0)
		return nil
	}
	to.Give(view(key), o)
	c.changed(eventGeneric, "move_from", key)
	c.changedIn(to, eventGeneric, "move_to", key)
	c.Int(1)
	return nil
}

func copyKey(c *Call) error {
	to, replace := c.DB, false
	for i := 3; i < len(c.Args); i++ {
		switch {
		case c.is(i, "REPLACE"):
			replace = true
		case c.is(i, "DB") && i+1 < len(c.Args):
			n, err := c.cInt(i + 1)
			if err != nil {
				return err
			}
			if to = c.db(n); to == nil {
				return errDBIndex
			}
			i++
		default:
			return errSyntax
		}
	}
	source, destination := c.Args[1], c.Args[2]
	if to == c.DB && bytes.Equal(source, destination) {
		return errSameObject
	}
	o := c.DB.Look(view(source))
	if o == nil || to.Find(view(destination)) != nil && !replace {
		c.Int(0)
		return nil
	}
	at := o.ExpireAt()
	to.Delete(view(destination)) // so that the copy does not inherit its access record
	to.Put(view(destination), keyspace.NewObject(o.Kind(), o.Encoding(), cloneValue(o.Value)))
	if at != 0 {
		to.SetExpire(view(destination), at)
	}
	c.changedIn(to, eventGeneric, "copy_to", destination)
	c.Int(1)
	return nil
}

// cloneValue returns a value that shares nothing with the one given. It is the
// one place that knows how each kind is copied.
func cloneValue(value any) any {
	switch v := value.(type) {
	case int64:
		return v
	case []byte:
		return bytes.Clone(v)
	case *sortedset.Set:
		return v.Clone()
	case *setkind.Set:
		return v.Clone()
	case *hash.Hash:
		return v.Clone()
	case *stream.Stream:
		return v.Clone()
	case *list.List:
		return v.Clone()
	}
	panic("commands: a kind of value that cannot be copied")
}
