package commands

import (
	"bytes"
	"strconv"

	"myredis/keyspace"
)

// Strings.
//
// A value is an int64, where Redis would keep an integer, or a []byte. What
// OBJECT ENCODING says follows Redis: "embstr" for what was stored whole and is
// short, "raw" for what is long or has been changed in place. Bytes are changed
// in place, so whoever keeps a value beyond the command that found it copies it.
//
//	string.go       the rows, the value, SET and its kin
//	string_part.go  APPEND, STRLEN, GETRANGE, SETRANGE
//	counter.go      INCR and its kin
//	long_double.go  INCRBYFLOAT's arithmetic
//	lcs.go          LCS

var stringCommands = []*Command{
	{Name: "set", Arity: -3, Flags: Write | DenyOOM, Group: GroupString, Keys: []KeySpec{{Flags: RW | Access | Update | VariableFlags, Index: 1, Step: 1, Notes: "RW and ACCESS due to the optional `GET` argument"}}, KeysOf: setKeys, Run: set, Since: "1.0.0", Cost: "O(1)", Summary: "Sets a key to a string.", Syntax: "key value [NX|XX] [GET] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL]"},
	{Name: "get", Arity: 2, Flags: ReadOnly | Fast, Group: GroupString, Keys: oneKey(RO | Access), Run: get, Since: "1.0.0", Cost: "O(1)", Summary: "Answers the string of a key.", Syntax: "key"},
	{Name: "getset", Arity: 3, Flags: Write | DenyOOM | Fast, Group: GroupString, Keys: oneKey(RW | Access | Update), Run: getset, Since: "1.0.0", Cost: "O(1)", Summary: "Sets a key and answers what it was.", Syntax: "key value"},
	{Name: "getdel", Arity: 2, Flags: Write | Fast, Group: GroupString, Keys: oneKey(RW | Access | Delete), Run: getdel, Since: "6.2.0", Cost: "O(1)", Summary: "Removes a key and answers what it was.", Syntax: "key"},
	{Name: "getex", Arity: -2, Flags: Write | Fast, Group: GroupString, Keys: []KeySpec{{Flags: RW | Access | Update, Index: 1, Step: 1, Notes: "RW and UPDATE because it changes the TTL"}}, Run: getex, Since: "6.2.0", Cost: "O(1)", Summary: "Answers the string of a key and changes when it expires.", Syntax: "key [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|PERSIST]"},
	{Name: "setnx", Arity: 3, Flags: Write | DenyOOM | Fast, Group: GroupString, Keys: oneKey(OW | Insert), Run: setnx, Since: "1.0.0", Cost: "O(1)", Summary: "Sets a key that is not there.", Syntax: "key value"},
	{Name: "setex", Arity: 4, Flags: Write | DenyOOM, Group: GroupString, Keys: oneKey(OW | Update), Run: setex, Since: "2.0.0", Cost: "O(1)", Summary: "Sets a key that expires.", Syntax: "key seconds value"},
	{Name: "psetex", Arity: 4, Flags: Write | DenyOOM, Group: GroupString, Keys: oneKey(OW | Update), Run: psetex, Since: "2.6.0", Cost: "O(1)", Summary: "Sets a key that expires.", Syntax: "key milliseconds value"},
	{Name: "mget", Arity: -2, Flags: ReadOnly | Fast, Group: GroupString, Keys: allKeys(RO | Access), Run: mget, Since: "1.0.0", Cost: "O(N) with N keys", Summary: "Answers the strings of keys.", Syntax: "key [key ...]", Tips: []string{"request_policy:multi_shard"}},
	{Name: "mset", Arity: -3, Flags: Write | DenyOOM, Group: GroupString, Keys: []KeySpec{{Flags: OW | Update, Index: 1, Last: -1, Step: 2}}, Run: mset, Since: "1.0.1", Cost: "O(N) with N keys", Summary: "Sets keys.", Syntax: "key value [key value ...]", Tips: []string{"request_policy:multi_shard", "response_policy:all_succeeded"}},
	{Name: "msetnx", Arity: -3, Flags: Write | DenyOOM, Group: GroupString, Keys: []KeySpec{{Flags: OW | Insert, Index: 1, Last: -1, Step: 2}}, Run: msetnx, Since: "1.0.1", Cost: "O(N) with N keys", Summary: "Sets keys if none is there.", Syntax: "key value [key value ...]", Tips: []string{"request_policy:multi_shard", "response_policy:agg_min"}},
	{Name: "append", Arity: 3, Flags: Write | DenyOOM | Fast, Group: GroupString, Keys: oneKey(RW | Insert), Run: appendTo, Since: "2.0.0", Cost: "O(N) with N bytes appended", Summary: "Appends to a string.", Syntax: "key value"},
	{Name: "strlen", Arity: 2, Flags: ReadOnly | Fast, Group: GroupString, Keys: oneKey(RO), Run: strlen, Since: "2.2.0", Cost: "O(1)", Summary: "Counts the bytes of a string.", Syntax: "key"},
	{Name: "getrange", Arity: 4, Flags: ReadOnly, Group: GroupString, Keys: oneKey(RO | Access), Run: getrange, Since: "2.4.0", Cost: "O(N) with N bytes answered", Summary: "Answers a part of a string.", Syntax: "key start end"},
	{Name: "substr", Arity: 4, Flags: ReadOnly, Group: GroupString, Keys: oneKey(RO | Access), Run: getrange, Since: "1.0.0", Cost: "O(N) with N bytes answered", Summary: "Answers a part of a string.", Syntax: "key start end"},
	{Name: "setrange", Arity: 4, Flags: Write | DenyOOM, Group: GroupString, Keys: oneKey(RW | Update), Run: setrange, Since: "2.2.0", Cost: "O(N) with N bytes written", Summary: "Overwrites a part of a string.", Syntax: "key offset value"},
	{Name: "incr", Arity: 2, Flags: Write | DenyOOM | Fast, Group: GroupString, Keys: oneKey(RW | Access | Update), Run: incr, Since: "1.0.0", Cost: "O(1)", Summary: "Adds one to an integer.", Syntax: "key"},
	{Name: "decr", Arity: 2, Flags: Write | DenyOOM | Fast, Group: GroupString, Keys: oneKey(RW | Access | Update), Run: decr, Since: "1.0.0", Cost: "O(1)", Summary: "Takes one from an integer.", Syntax: "key"},
	{Name: "incrby", Arity: 3, Flags: Write | DenyOOM | Fast, Group: GroupString, Keys: oneKey(RW | Access | Update), Run: incrby, Since: "1.0.0", Cost: "O(1)", Summary: "Adds to an integer.", Syntax: "key increment"},
	{Name: "incrbyfloat", Arity: 3, Flags: Write | DenyOOM | Fast, Group: GroupString, Keys: oneKey(RW | Access | Update), Run: incrbyfloat, Since: "2.6.0", Cost: "O(1)", Summary: "Adds to a number.", Syntax: "key increment"},
	{Name: "lcs", Arity: -3, Flags: ReadOnly, Group: GroupString, Keys: []KeySpec{{Flags: RO | Access, Index: 1, Last: 1, Step: 1}}, Run: lcs, Since: "7.0.0", Cost: "O(N*M) with strings of N and M bytes", Summary: "Answers the longest common subsequence of two strings.", Syntax: "key1 key2 [LEN] [IDX] [MINMATCHLEN len] [WITHMATCHLEN]"},
	{Name: "decrby", Arity: 3, Flags: Write | DenyOOM | Fast, Group: GroupString, Keys: oneKey(RW | Access | Update), Run: decrby, Since: "1.0.0", Cost: "O(1)", Summary: "Takes from an integer.", Syntax: "key decrement"},
}

// embstrMax is the longest string that Redis keeps in one allocation with its
// object, which OBJECT ENCODING shows.
const embstrMax = 44

// stringObject makes a value of bytes, which it copies.
func stringObject(b []byte) *keyspace.Object {
	if n, ok := parseInt(b); ok {
		return keyspace.NewObject(keyspace.String, keyspace.Int, n)
	}
	return keyspace.NewObject(keyspace.String, wholeEncoding(b), bytes.Clone(b))
}

// wholeEncoding is the encoding of bytes that are stored in one go.
func wholeEncoding(b []byte) keyspace.Encoding {
	if len(b) <= embstrMax {
		return keyspace.Embstr
	}
	return keyspace.Raw
}

// bulkString replies with a string value.
func (c *Call) bulkString(o *keyspace.Object) error {
	switch v := o.Value.(type) {
	case int64:
		c.BulkInt(v)
	case []byte:
		c.Bulk(v)
	default:
		return errWrongType
	}
	return nil
}

// stringBytes returns a string value's bytes; nil for no object.
func stringBytes(o *keyspace.Object) ([]byte, error) {
	if o == nil {
		return nil, nil
	}
	switch v := o.Value.(type) {
	case int64:
		return strconv.AppendInt(nil, v, 10), nil
	case []byte:
		return v, nil
	}
	return nil, errWrongType
}

// setString stores a string, which it copies, without a deadline. A string that
// is there already lends its object, and its bytes when the length is the same:
// so the commonest SET of all, over a key with a value like the one before,
// leaves nothing for the garbage collector. Whatever else is there is replaced.
func (c *Call) setString(key, value []byte) {
	o := c.DB.Renew(view(key), keyspace.String)
	if o == nil {
		c.DB.Put(view(key), stringObject(value))
		return
	}
	if n, ok := parseInt(value); ok {
		o.Value = n
		o.SetEncoding(keyspace.Int)
		return
	}
	if old, ok := o.Value.([]byte); ok && len(old) == len(value) {
		copy(old, value)
	} else {
		o.Value = bytes.Clone(value)
	}
	o.SetEncoding(wholeEncoding(value))
}

// setKeys says what SET does with its key, which depends on GET.
func setKeys(args [][]byte) ([]keyPlace, bool) {
	for _, arg := range args[3:] {
		if equalFold(arg, "GET") {
			return []keyPlace{{1, RW | Access | Update}}, true
		}
	}
	return []keyPlace{{1, OW | Update}}, true
}

// lifetime is what SET and GETEX say about when a key expires.
type lifetime struct {
	word   string // EX, PX, EXAT, PXAT, KEEPTTL, PERSIST; "" for nothing
	at     int    // the argument with the time
	getOld bool
	nx, xx bool
}

// lifetimeWords take an argument; the value says whether it is counted from
// the present, and in which unit.
var lifetimeWords = []struct {
	word     string
	unit     int64
	relative bool
}{{"EX", 1000, true}, {"PX", 1, true}, {"EXAT", 1000, false}, {"PXAT", 1, false}}

// lifetime parses the options from argument i on. A word may be repeated, and
// its last time counts, as in Redis.
func (c *Call) lifetime(i int, setting bool) (l lifetime, err error) {
	for ; i < len(c.Args); i++ {
		switch {
		case setting && c.is(i, "NX") && !l.xx:
			l.nx = true
		case setting && c.is(i, "XX") && !l.nx:
			l.xx = true
		case setting && c.is(i, "GET"):
			l.getOld = true
		case setting && c.is(i, "KEEPTTL") && l.may("KEEPTTL"):
		case !setting && c.is(i, "PERSIST") && l.may("PERSIST"):
		default:
			if i = c.lifetimeWord(i, &l); i < 0 {
				return l, errSyntax
			}
		}
	}
	return l, nil
}

// may takes a word, unless another one was given.
func (l *lifetime) may(word string) bool {
	if l.word != "" && l.word != word {
		return false
	}
	l.word = word
	return true
}

// lifetimeWord takes a word with a time at argument i and returns where the
// time stands, or -1 if it is none.
func (c *Call) lifetimeWord(i int, l *lifetime) int {
	for _, w := range lifetimeWords {
		if c.is(i, w.word) && i+1 < len(c.Args) && l.may(w.word) {
			l.at = i + 1
			return l.at
		}
	}
	return -1
}

// lifetimeDeadline returns the time that is asked for in Unix milliseconds, 0 for none.
func (c *Call) lifetimeDeadline(l lifetime) (int64, error) {
	for _, w := range lifetimeWords {
		if w.word == l.word {
			base := int64(0)
			if w.relative {
				base = c.Now()
			}
			return c.deadline(l.at, w.unit, base)
		}
	}
	return 0, nil
}

func set(c *Call) error {
	opts, err := c.lifetime(3, true)
	if err != nil {
		return err
	}
	at, err := c.lifetimeDeadline(opts)
	if err != nil {
		return err
	}
	key := c.Args[1]
	var o *keyspace.Object
	if opts.getOld {
		if o, err = c.replyOld(key); err != nil {
			return err
		}
	} else {
		o = c.DB.Find(view(key))
	}
	if opts.nx && o != nil || opts.xx && o == nil {
		if !opts.getOld {
			c.Null()
		}
		return nil
	}
	if opts.word == "KEEPTTL" && o != nil {
		at = o.ExpireAt()
	}
	c.setString(key, c.Args[2])
	c.changed(eventString, "set", key)
	if at != 0 {
		c.DB.SetExpire(view(key), at)
		if opts.word != "KEEPTTL" {
			c.changed(eventGeneric, "expire", key)
		}
	}
	if !opts.getOld {
		c.Simple("OK")
	}
	return nil
}

func get(c *Call) error {
	o := c.DB.Look(view(c.Args[1]))
	if o == nil {
		c.Null()
		return nil
	}
	return c.bulkString(o)
}

// replyOld replies with the string that a command is about to replace or remove,
// which Redis counts as a hit or a miss like any reading.
func (c *Call) replyOld(key []byte) (*keyspace.Object, error) {
	o := c.DB.Look(view(key))
	if o == nil {
		c.Null()
		return nil, nil
	}
	return o, c.bulkString(o)
}

func getset(c *Call) error {
	if _, err := c.replyOld(c.Args[1]); err != nil {
		return err
	}
	c.setString(c.Args[1], c.Args[2])
	c.changed(eventString, "set", c.Args[1])
	return nil
}

func getdel(c *Call) error {
	o, err := c.replyOld(c.Args[1])
	if o == nil || err != nil {
		return err
	}
	if c.DB.Delete(view(c.Args[1])) {
		c.changed(eventGeneric, "del", c.Args[1])
	}
	return nil
}

func getex(c *Call) error {
	opts, err := c.lifetime(2, false)
	if err != nil {
		return err
	}
	key := view(c.Args[1])
	o := c.DB.Look(key)
	if o == nil {
		c.Null()
		return nil
	}
	if err := c.bulkString(o); err != nil {
		return err
	}
	at, err := c.lifetimeDeadline(opts)
	switch {
	case err != nil:
		return err
	case at != 0 && at <= c.Now():
		c.DB.Delete(key)
		c.changed(eventGeneric, "del", c.Args[1])
	case at != 0:
		c.DB.SetExpire(key, at)
		c.changed(eventGeneric, "expire", c.Args[1])
	case opts.word == "PERSIST" && o.ExpireAt() != 0:
		c.DB.SetExpire(key, 0)
		c.changed(eventGeneric, "persist", c.Args[1])
	}
	return nil
}

func setnx(c *Call) error {
	if c.DB.Find(view(c.Args[1])) != nil {
		c.Int(0)
		return nil
	}
	c.setString(c.Args[1], c.Args[2])
	c.changed(eventString, "set", c.Args[1])
	c.Int(1)
	return nil
}

func setex(c *Call) error  { return c.setex(1000) }
func psetex(c *Call) error { return c.setex(1) }

func (c *Call) setex(unit int64) error {
	at, err := c.deadline(2, unit, c.Now())
	if err != nil {
		return err
	}
	c.DB.Find(view(c.Args[1])) // one that has fallen due goes as expired
	c.setString(c.Args[1], c.Args[3])
	c.DB.SetExpire(view(c.Args[1]), at)
	c.changed(eventString, "set", c.Args[1])
	c.changed(eventGeneric, "expire", c.Args[1])
	return c.ok()
}

func mget(c *Call) error {
	c.Array(len(c.Args) - 1)
	for _, key := range c.Args[1:] {
		if o := c.DB.Look(view(key)); o == nil || c.bulkString(o) != nil {
			c.Null()
		}
	}
	return nil
}

func mset(c *Call) error {
	if len(c.Args)%2 == 0 {
		return errorf("ERR wrong number of arguments for '%s' command", c.Cmd.full)
	}
	c.msetAll()
	return c.ok()
}

// msetAll sets key after key. None of it can fail, so no key needs to be looked
// at before another one changes, and one that has fallen due goes as expired
// when its turn comes, as in Redis.
func (c *Call) msetAll() {
	for i := 1; i < len(c.Args); i += 2 {
		c.DB.Find(view(c.Args[i]))
		c.setString(c.Args[i], c.Args[i+1])
		c.changed(eventString, "set", c.Args[i])
	}
}

func msetnx(c *Call) error {
	if len(c.Args)%2 == 0 {
		return errorf("ERR wrong number of arguments for '%s' command", c.Cmd.full)
	}
	for i := 1; i < len(c.Args); i += 2 {
		if c.DB.Find(view(c.Args[i])) != nil {
			c.Int(0)
			return nil
		}
	}
	c.msetAll()
	c.Int(1)
	return nil
}
