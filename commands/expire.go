package commands

import "math"

// expireCommands are about when keys go away.
var expireCommands = []*Command{
	{Name: "expire", Arity: -3, Flags: Write | Fast, Group: GroupGeneric, Keys: oneKey(RW | Update), Run: expire, Since: "1.0.0", Cost: "O(1)", Summary: "Lets a key expire after seconds.", Syntax: "key seconds [NX|XX|GT|LT]"},
	{Name: "pexpire", Arity: -3, Flags: Write | Fast, Group: GroupGeneric, Keys: oneKey(RW | Update), Run: pexpire, Since: "2.6.0", Cost: "O(1)", Summary: "Lets a key expire after milliseconds.", Syntax: "key milliseconds [NX|XX|GT|LT]"},
	{Name: "expireat", Arity: -3, Flags: Write | Fast, Group: GroupGeneric, Keys: oneKey(RW | Update), Run: expireat, Since: "1.2.0", Cost: "O(1)", Summary: "Lets a key expire at a time in seconds.", Syntax: "key unix-time-seconds [NX|XX|GT|LT]"},
	{Name: "pexpireat", Arity: -3, Flags: Write | Fast, Group: GroupGeneric, Keys: oneKey(RW | Update), Run: pexpireat, Since: "2.6.0", Cost: "O(1)", Summary: "Lets a key expire at a time in milliseconds.", Syntax: "key unix-time-milliseconds [NX|XX|GT|LT]"},
	{Name: "ttl", Arity: 2, Flags: ReadOnly | Fast, Group: GroupGeneric, Keys: oneKey(RO | Access), Run: ttl, Since: "1.0.0", Cost: "O(1)", Summary: "Answers in how many seconds a key expires.", Syntax: "key", Tips: []string{"nondeterministic_output"}},
	{Name: "pttl", Arity: 2, Flags: ReadOnly | Fast, Group: GroupGeneric, Keys: oneKey(RO | Access), Run: pttl, Since: "2.6.0", Cost: "O(1)", Summary: "Answers in how many milliseconds a key expires.", Syntax: "key", Tips: []string{"nondeterministic_output"}},
	{Name: "expiretime", Arity: 2, Flags: ReadOnly | Fast, Group: GroupGeneric, Keys: oneKey(RO | Access), Run: expiretime, Since: "7.0.0", Cost: "O(1)", Summary: "Answers at which second a key expires.", Syntax: "key"},
	{Name: "pexpiretime", Arity: 2, Flags: ReadOnly | Fast, Group: GroupGeneric, Keys: oneKey(RO | Access), Run: pexpiretime, Since: "7.0.0", Cost: "O(1)", Summary: "Answers at which millisecond a key expires.", Syntax: "key"},
	{Name: "persist", Arity: 2, Flags: Write | Fast, Group: GroupGeneric, Keys: oneKey(RW | Update), Run: persist, Since: "2.2.0", Cost: "O(1)", Summary: "Lets a key never expire.", Syntax: "key"},
}

func expire(c *Call) error    { return c.expire(1000, c.Now()) }
func pexpire(c *Call) error   { return c.expire(1, c.Now()) }
func expireat(c *Call) error  { return c.expire(1000, 0) }
func pexpireat(c *Call) error { return c.expire(1, 0) }

// expireCondition is what a new deadline depends on.
type expireCondition struct{ nx, xx, gt, lt bool }

func (c *Call) expireCondition() (e expireCondition, err error) {
	for i := 3; i < len(c.Args); i++ {
		switch {
		case c.is(i, "NX"):
			e.nx = true
		case c.is(i, "XX"):
			e.xx = true
		case c.is(i, "GT"):
			e.gt = true
		case c.is(i, "LT"):
			e.lt = true
		default:
			return e, errorf("ERR Unsupported option %s", c.Args[i])
		}
	}
	switch {
	case e.nx && (e.xx || e.gt || e.lt):
		return e, Error("ERR NX and XX, GT or LT options at the same time are not compatible")
	case e.gt && e.lt:
		return e, Error("ERR GT and LT options at the same time are not compatible")
	}
	return e, nil
}

// allows reports whether a deadline may take the place of another one; 0 is
// none, which counts as infinitely far.
func (e expireCondition) allows(old, at int64) bool {
	switch {
	case e.nx && old != 0, e.xx && old == 0, e.gt && (old == 0 || at <= old), e.lt && old != 0 && at >= old:
		return false
	}
	return true
}

// expire sets the deadline that argument 2 says, in units of milliseconds from
// base.
func (c *Call) expire(unit, base int64) error {
	condition, err := c.expireCondition()
	if err != nil {
		return err
	}
	at, err := c.int(2)
	if err != nil {
		return err
	}
	if at > math.MaxInt64/unit || at < math.MinInt64/unit || at*unit > math.MaxInt64-base {
		return c.invalidExpire()
	}
	at = at*unit + base
	key := c.Args[1]
	o := c.DB.Find(view(key))
	switch {
	case o == nil || !condition.allows(o.ExpireAt(), at):
		c.Int(0)
	case at <= c.Now():
		c.DB.Delete(view(key))
		c.changed(eventGeneric, "del", key)
		c.Int(1)
	default:
		c.DB.SetExpire(view(key), at)
		c.changed(eventGeneric, "expire", key)
		c.Int(1)
	}
	return nil
}

// invalidExpire is the error for a time that does not fit.
func (c *Call) invalidExpire() error {
	return errorf("ERR invalid expire time in '%s' command", c.Cmd.full)
}

// deadline parses argument i as a time to live, or a time, that must be
// positive, and returns it in Unix milliseconds.
func (c *Call) deadline(i int, unit, base int64) (at int64, err error) {
	n, err := c.int(i)
	if err != nil {
		return 0, err
	}
	if n <= 0 || n > math.MaxInt64/unit || n*unit > math.MaxInt64-base {
		return 0, c.invalidExpire()
	}
	return n*unit + base, nil
}

func ttl(c *Call) error         { return c.replyDeadline(1000, c.Now()) }
func pttl(c *Call) error        { return c.replyDeadline(1, c.Now()) }
func expiretime(c *Call) error  { return c.replyDeadline(1000, 0) }
func pexpiretime(c *Call) error { return c.replyDeadline(1, 0) }

// replyDeadline replies with a key's deadline from base on, rounded to the
// unit: -2 for no key, -1 for one that does not expire.
func (c *Call) replyDeadline(unit, base int64) error {
	o := c.DB.Glance(view(c.Args[1]))
	switch {
	case o == nil:
		c.Int(-2)
	case o.ExpireAt() == 0:
		c.Int(-1)
	default:
		left := uint64(max(0, o.ExpireAt()-base)) // unsigned, for the sum may not fit
		c.Int(int64((left + uint64(unit/2)) / uint64(unit)))
	}
	return nil
}

func persist(c *Call) error {
	key := c.Args[1]
	o := c.DB.Find(view(key))
	if o == nil || o.ExpireAt() == 0 {
		c.Int(0)
		return nil
	}
	c.DB.SetExpire(view(key), 0)
	c.changed(eventGeneric, "persist", key)
	c.Int(1)
	return nil
}
