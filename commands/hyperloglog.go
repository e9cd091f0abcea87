package commands

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"myredis/keyspace"
	"myredis/keyspace/hyperloglog"
)

// HyperLogLogs.
//
// One is a string that package hyperloglog understands, so GET, SET and every
// other string command work on it too, and whatever they leave behind is looked
// at with suspicion here.

var hyperloglogCommands = []*Command{
	{
		Name: "pfadd", Arity: -2, Flags: Write | DenyOOM | Fast, Group: GroupHyperLogLog, Keys: oneKey(RW | Insert), Run: pfadd,
		Since: "2.8.9", Cost: "O(1) for each element", Summary: "Adds elements to those to be counted.", Syntax: "key [element [element ...]]",
	},
	{
		Name: "pfcount", Arity: -2, Flags: ReadOnly | MayReplicate, Group: GroupHyperLogLog,
		Keys: []KeySpec{{Flags: RW | Access, Index: 1, Last: -1, Step: 1, Notes: "RW because it may change the internal representation of the key, and propagate to replicas"}}, Run: pfcount,
		Since: "2.8.9", Cost: "O(1) for one key, O(N) and much slower for N keys",
		Summary: "Estimates how many different elements were added to any of the keys.", Syntax: "key [key ...]",
	},
	{
		Name: "pfdebug", Arity: 3, Flags: Write | DenyOOM | Admin, Group: GroupHyperLogLog, Keys: []KeySpec{keyAt(2, RW|Access)}, Run: pfdebug,
		Since: "2.8.9", Cost: "O(1)", Summary: "Shows or changes how a HyperLogLog is stored.", Syntax: "GETREG|DECODE|ENCODING|TODENSE key",
	},
	{
		Name: "pfmerge", Arity: -2, Flags: Write | DenyOOM, Group: GroupHyperLogLog,
		Keys: []KeySpec{keyAt(1, RW|Access|Insert), {Flags: RO | Access, Index: 2, Last: -1, Step: 1}}, Run: pfmerge,
		Since: "2.8.9", Cost: "O(N) with N keys, and slow", Summary: "Adds the elements of other HyperLogLogs.",
		Syntax: "destkey [sourcekey [sourcekey ...]]",
	},
	{
		Name: "pfselftest", Arity: 1, Flags: Admin, Group: GroupHyperLogLog, Run: pfselftest,
		Since: "2.8.9", Cost: "O(1), about a tenth of a second", Summary: "Tests the estimates of HyperLogLogs.",
	},
}

const (
	errNotHyperLogLog     Error = "WRONGTYPE Key is not a valid HyperLogLog string value."
	errCorruptHyperLogLog Error = "INVALIDOBJ Corrupted HLL object detected"
)

// asSketch is as for a string that is a HyperLogLog; no object is no sketch.
func asSketch(o *keyspace.Object) (hyperloglog.Sketch, error) {
	if o == nil {
		return nil, nil
	}
	switch v := o.Value.(type) {
	case []byte:
		if s, ok := hyperloglog.Open(v); ok {
			return s, nil
		}
	case int64:
	default:
		return nil, errWrongType
	}
	return nil, errNotHyperLogLog
}

// setSketch keeps what became of a key's sketch.
func setSketch(o *keyspace.Object, s hyperloglog.Sketch) {
	o.Value = []byte(s)
	o.SetEncoding(keyspace.Raw)
}

// newSketch stores an empty sketch.
func (c *Call) newSketch(key []byte) (*keyspace.Object, hyperloglog.Sketch) {
	s := hyperloglog.New()
	o := keyspace.NewObject(keyspace.String, keyspace.Raw, []byte(s))
	c.DB.Put(view(key), o)
	return o, s
}

func (c *Call) sparseMax() int { return int(c.Engine.Config.HLLSparseMaxBytes) }

func pfadd(c *Call) error {
	key := c.Args[1]
	o := c.DB.Find(view(key))
	s, err := asSketch(o)
	if err != nil {
		return err
	}
	changed := o == nil
	if o == nil {
		o, s = c.newSketch(key)
	}
	s, raised, err := addElements(s, c.Args[2:], c.sparseMax())
	setSketch(o, s)
	if err != nil {
		return errCorruptHyperLogLog // Redis: the elements before the one that shows it stay too
	}
	if changed = changed || raised; changed {
		s.Invalidate()
		c.changed(eventString, "pfadd", key)
	}
	c.truth(changed)
	return nil
}

func addElements(s hyperloglog.Sketch, elements [][]byte, sparseMax int) (_ hyperloglog.Sketch, changed bool, err error) {
	for _, element := range elements {
		var raised bool
		if s, raised, err = s.Add(element, sparseMax); err != nil {
			return s, changed, err
		}
		changed = changed || raised
	}
	return s, changed, nil
}

func pfcount(c *Call) error {
	if len(c.Args) > 2 {
		merged, _, err := c.mergeSketches(c.Args[1:])
		if err != nil {
			return err
		}
		c.Int(int64(merged.Count()))
		return nil
	}
	key := c.Args[1]
	o := c.DB.Look(view(key))
	s, err := asSketch(o)
	switch {
	case err != nil:
		return err
	case s == nil:
		c.Int(0)
		return nil
	}
	o.SetEncoding(keyspace.Raw)
	n, ok := s.Cached()
	if !ok {
		if n, err = s.Count(); err != nil {
			return errCorruptHyperLogLog
		}
		s.Keep(n)
		c.changed(0, "", key) // the string is another, though no event says so
	}
	c.Int(int64(n))
	return nil
}

// mergeSketches looks keys up and merges what they hold. One that is missing
// holds nothing.
func (c *Call) mergeSketches(keys [][]byte) (merged *hyperloglog.Registers, anyDense bool, err error) {
	merged = new(hyperloglog.Registers)
	for _, key := range keys {
		s, err := asSketch(c.DB.Look(view(key)))
		if err != nil {
			return nil, false, err
		}
		if s == nil {
			continue
		}
		anyDense = anyDense || s.Dense()
		if merged.Merge(s) != nil {
			return nil, false, errCorruptHyperLogLog
		}
	}
	return merged, anyDense, nil
}

func pfmerge(c *Call) error {
	merged, anyDense, err := c.mergeSketches(c.Args[1:])
	if err != nil {
		return err
	}
	key := c.Args[1]
	o := c.DB.Find(view(key))
	s, err := asSketch(o)
	if err != nil {
		return err
	}
	if o == nil {
		o, s = c.newSketch(key)
	}
	if anyDense {
		if s, err = s.ToDense(); err != nil {
			return errCorruptHyperLogLog
		}
	}
	for i, n := range merged {
		if n == 0 {
			continue
		}
		if s, _, err = s.Raise(i, n, c.sparseMax()); err != nil {
			return errCorruptHyperLogLog
		}
	}
	s.Invalidate()
	setSketch(o, s)
	c.changed(eventString, "pfadd", key)
	return c.ok()
}

func pfdebug(c *Call) error {
	o := c.DB.Find(view(c.Args[2]))
	s, err := asSketch(o)
	switch {
	case err != nil:
		return err
	case s == nil:
		return Error("ERR The specified key does not exist")
	}
	o.SetEncoding(keyspace.Raw)
	switch {
	case c.is(1, "GETREG"):
		if s, err = c.makeDense(o, s); err != nil {
			return err
		}
		var all hyperloglog.Registers
		if err := all.Merge(s); err != nil {
			return errCorruptHyperLogLog
		}
		c.Array(len(all))
		for _, n := range all {
			c.Int(int64(n))
		}
	case c.is(1, "DECODE"):
		if s.Dense() {
			return Error("ERR HLL encoding is not sparse")
		}
		c.BulkString(decodeRuns(s))
	case c.is(1, "ENCODING"):
		if s.Dense() {
			c.Simple("dense")
		} else {
			c.Simple("sparse")
		}
	case c.is(1, "TODENSE"):
		was := s.Dense()
		if _, err := c.makeDense(o, s); err != nil {
			return err
		}
		c.truth(!was)
	default:
		return errorf("ERR Unknown PFDEBUG subcommand '%s'", cString(c.Args[1]))
	}
	return nil
}

// makeDense stores the same registers in the dense form. That is a change to be
// saved, but as in Redis none that WATCH is told of.
func (c *Call) makeDense(o *keyspace.Object, s hyperloglog.Sketch) (hyperloglog.Sketch, error) {
	if s.Dense() {
		return s, nil
	}
	s, err := s.ToDense()
	if err != nil {
		return nil, errCorruptHyperLogLog
	}
	setSketch(o, s)
	c.Engine.dirty++
	return s, nil
}

// decodeRuns prints a sparse sketch: z:n and Z:n are n registers of 0 in the short
// and the long form, v:x,n are n registers of x.
func decodeRuns(s hyperloglog.Sketch) string {
	var b strings.Builder
	for run := range s.Runs() {
		switch {
		case run.Value > 0:
			fmt.Fprintf(&b, " v:%d,%d", run.Value, run.Len)
		case run.Long:
			fmt.Fprintf(&b, " Z:%d", run.Len)
		default:
			fmt.Fprintf(&b, " z:%d", run.Len)
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}

func pfselftest(c *Call) error {
	if err := hyperloglog.SelfTest(rand.Uint64(), c.sparseMax()); err != nil {
		return errorf("ERR TESTFAILED %s", err)
	}
	return c.ok()
}
