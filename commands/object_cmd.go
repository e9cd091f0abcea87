package commands

import "myredis/keyspace"

const objectTip = "nondeterministic_output"

// objectCommands is OBJECT, which looks at how a value is kept.
var objectCommands = []*Command{{
	Name: "object", Arity: -2, Group: GroupGeneric, Categories: CatNone, Since: "2.2.3", Summary: "Tells how a value is kept.",
	Sub: []*Command{
		{Name: "encoding", Arity: 3, Flags: ReadOnly, Group: GroupGeneric, Keys: []KeySpec{keyAt(2, RO)}, Run: objectEncoding, Since: "2.2.3", Cost: "O(1)", Summary: "Answers the representation.", Syntax: "key", Tips: []string{objectTip}},
		{Name: "refcount", Arity: 3, Flags: ReadOnly, Group: GroupGeneric, Keys: []KeySpec{keyAt(2, RO)}, Run: objectRefcount, Since: "2.2.3", Cost: "O(1)", Summary: "Answers the number of references.", Syntax: "key", Tips: []string{objectTip}},
		{Name: "idletime", Arity: 3, Flags: ReadOnly, Group: GroupGeneric, Keys: []KeySpec{keyAt(2, RO)}, Run: objectIdletime, Since: "2.2.3", Cost: "O(1)", Summary: "Answers how many seconds ago the key was accessed.", Syntax: "key", Tips: []string{objectTip}},
		{Name: "freq", Arity: 3, Flags: ReadOnly, Group: GroupGeneric, Keys: []KeySpec{keyAt(2, RO)}, Run: objectFreq, Since: "4.0.0", Cost: "O(1)", Summary: "Answers how often the key is accessed, on a logarithmic scale.", Syntax: "key", Tips: []string{objectTip}},
	},
}}

const (
	errLFU   Error = "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."
	errNoLFU Error = "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."
)

// object calls reply with the key's object, or replies with a null.
func (c *Call) object(reply func(o *keyspace.Object) error) error {
	o := c.DB.Glance(view(c.Args[2]))
	if o == nil {
		c.Null()
		return nil
	}
	return reply(o)
}

func objectEncoding(c *Call) error {
	return c.object(func(o *keyspace.Object) error {
		c.BulkString(o.Encoding().String())
		return nil
	})
}

// Redis shares the objects of the integers below 10000, unless a policy keeps
// a record of accesses in each object, and shows that as this count. It follows
// from the value here, and so is true of a copy too, which Redis does not share.
const (
	sharedIntegers = 10_000
	sharedRefcount = 1<<31 - 1
)

func objectRefcount(c *Call) error {
	return c.object(func(o *keyspace.Object) error {
		c.Int(c.Engine.refcount(o))
		return nil
	})
}

func (e *Engine) refcount(o *keyspace.Object) int64 {
	n, isInt := o.Value.(int64)
	if isInt && n >= 0 && n < sharedIntegers && e.sharesIntegers() {
		return sharedRefcount
	}
	return 1
}

func objectIdletime(c *Call) error {
	return c.object(func(o *keyspace.Object) error {
		if c.Engine.Keys.LFU != nil {
			return errLFU
		}
		c.Int(c.Engine.Keys.Idle(o))
		return nil
	})
}

func objectFreq(c *Call) error {
	return c.object(func(o *keyspace.Object) error {
		if c.Engine.Keys.LFU == nil {
			return errNoLFU
		}
		c.Int(int64(c.Engine.Keys.Frequency(o)))
		return nil
	})
}

// sharesIntegers reports whether Redis would share small integers under the
// present policy (maxmemory set and the policy one of LRU or LFU: it would
// not).
func (e *Engine) sharesIntegers() bool {
	if e.Config.Maxmemory == 0 {
		return true
	}
	switch e.Config.MaxmemoryPolicy {
	case "allkeys-lru", "volatile-lru", "allkeys-lfu", "volatile-lfu":
		return false
	}
	return true
}

// followPolicy makes objects keep what the eviction policy asks for.
func (e *Engine) followPolicy() {
	set := func() error {
		switch e.Config.MaxmemoryPolicy {
		case "allkeys-lfu", "volatile-lfu":
			e.Keys.LFU = &keyspace.LFU{LogFactor: e.Config.LFULogFactor, DecayTime: e.Config.LFUDecayTime}
		default:
			e.Keys.LFU = nil
		}
		return nil
	}
	set()
	for _, name := range []string{"maxmemory-policy", "lfu-log-factor", "lfu-decay-time"} {
		e.Config.OnChange(name, set)
	}
}
