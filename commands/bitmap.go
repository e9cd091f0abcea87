package commands

import (
	"bytes"
	"math"

	"myredis/internal/bitmap"
	"myredis/keyspace"
)

// Strings as rows of bits.
//
//	bitmap.go    the rows, single bits, BITCOUNT, BITPOS, BITOP
//	bitfield.go  BITFIELD

var bitmapCommands = []*Command{
	{Name: "setbit", Arity: 4, Flags: Write | DenyOOM, Group: GroupBitmap, Keys: oneKey(RW | Access | Update), Run: setbit, Since: "2.2.0", Cost: "O(1)", Summary: "Sets a bit of a string and answers what it was.", Syntax: "key offset value"},
	{Name: "getbit", Arity: 3, Flags: ReadOnly | Fast, Group: GroupBitmap, Keys: oneKey(RO | Access), Run: getbit, Since: "2.2.0", Cost: "O(1)", Summary: "Answers a bit of a string.", Syntax: "key offset"},
	{Name: "bitcount", Arity: -2, Flags: ReadOnly, Group: GroupBitmap, Keys: oneKey(RO | Access), Run: bitcount, Since: "2.6.0", Cost: "O(N) with N bytes", Summary: "Counts the bits of a string that are set.", Syntax: "key [start end [BYTE|BIT]]"},
	{Name: "bitpos", Arity: -3, Flags: ReadOnly, Group: GroupBitmap, Keys: oneKey(RO | Access), Run: bitpos, Since: "2.8.7", Cost: "O(N) with N bytes", Summary: "Finds the first bit of a string that is set, or that is not.", Syntax: "key bit [start [end [BYTE|BIT]]]"},
	{Name: "bitop", Arity: -4, Flags: Write | DenyOOM, Group: GroupBitmap, Keys: []KeySpec{keyAt(2, OW|Update), {Flags: RO | Access, Index: 3, Last: -1, Step: 1}}, Run: bitop, Since: "2.6.0", Cost: "O(N) with N bytes of the longest string", Summary: "Combines strings bit by bit and stores the result.", Syntax: "<AND|OR|XOR|NOT> destkey key [key ...]"},
	{Name: "bitfield", Arity: -2, Flags: Write | DenyOOM, Group: GroupBitmap, Keys: []KeySpec{{Flags: RW | Access | Update | VariableFlags, Index: 1, Step: 1, Notes: "This command allows both access and modification of the key"}}, KeysOf: bitfieldKeys, Run: bitfield, Since: "3.2.0", Cost: "O(1) for each operation", Summary: "Reads and changes integers of any width in a string.", Syntax: "key [<GET encoding offset>|<[OVERFLOW <WRAP|SAT|FAIL>] <SET encoding offset value>|<INCRBY encoding offset increment>> [...]]"},
	{Name: "bitfield_ro", Arity: -2, Flags: ReadOnly | Fast, Group: GroupBitmap, Keys: oneKey(RO | Access), Run: bitfieldRO, Since: "6.0.0", Cost: "O(1) for each operation", Summary: "Reads integers of any width in a string.", Syntax: "key [<GET encoding offset> [...]]"},
}

const (
	errBitOffset Error = "ERR bit offset is not an integer or out of range"
	errBit       Error = "ERR bit is not an integer or out of range"
)

// bitOffset checks the place of a bit, which must lie in a string of permitted
// length.
func (c *Call) bitOffset(n int64, ok bool) (int64, error) {
	if !ok || n < 0 || n>>3 >= c.Engine.Config.ProtoMaxBulkLen {
		return 0, errBitOffset
	}
	return n, nil
}

func setbit(c *Call) error {
	at, err := c.bitOffset(parseInt(c.Args[2]))
	if err != nil {
		return err
	}
	bit, ok := parseInt(c.Args[3])
	if !ok || bit != 0 && bit != 1 {
		return errBit
	}
	key := c.Args[1]
	b, grown, err := c.writableBits(key, at)
	if err != nil {
		return err
	}
	old := bitmap.Get(b, at)
	if on := bit == 1; grown || old != on {
		bitmap.Set(b, at, on)
		c.changed(eventString, "setbit", key)
	}
	c.replyBit(old)
	return nil
}

func (c *Call) replyBit(on bool) {
	if on {
		c.Int(1)
	} else {
		c.Int(0)
	}
}

// writableBits returns a string's bytes for changing them in place, with room
// for bit last. It makes or lengthens the string if need be, and like Redis
// turns it into raw bytes even if nothing is then changed.
func (c *Call) writableBits(key []byte, last int64) (b []byte, grown bool, err error) {
	o := c.DB.Find(view(key))
	if b, err = stringBytes(o); err != nil {
		return nil, false, err
	}
	if missing := int(last>>3) + 1 - len(b); missing > 0 {
		b = append(b, make([]byte, missing)...)
		grown = true
	}
	switch {
	case o == nil:
		c.DB.Put(view(key), keyspace.NewObject(keyspace.String, keyspace.Raw, b))
	case grown || o.Encoding() != keyspace.Raw:
		o.Value = b
		o.SetEncoding(keyspace.Raw)
	}
	return b, grown, nil
}

func getbit(c *Call) error {
	at, err := c.bitOffset(parseInt(c.Args[2]))
	if err != nil {
		return err
	}
	b, err := stringBytes(c.DB.Look(view(c.Args[1])))
	if err != nil {
		return err
	}
	c.replyBit(bitmap.Get(b, at))
	return nil
}

// bitUnit parses the unit of a range at argument i: how many bits it has.
func (c *Call) bitUnit(i int) (unit int64, err error) {
	switch {
	case c.is(i, "BIT"):
		return 1, nil
	case c.is(i, "BYTE"):
		return 8, nil
	}
	return 0, errSyntax
}

// bitRange returns the bits of n bytes that lie between start and end, both
// included and negative when counted from the end of the string, in a unit.
func bitRange(start, end, unit int64, n int) (from, to int64) {
	total := int64(n) * 8 / unit
	if start < 0 {
		start = max(0, start+total)
	}
	if end < 0 {
		end = max(0, end+total)
	}
	end = min(end, total-1)
	if start > end {
		return 0, 0
	}
	return start * unit, (end + 1) * unit
}

// bitcount looks before it parses, as Redis does: of a key that is not there it
// takes any arguments.
func bitcount(c *Call) error {
	o := c.DB.Look(view(c.Args[1]))
	b, err := stringBytes(o)
	if err != nil {
		return err
	}
	if o == nil {
		c.Int(0)
		return nil
	}
	from, to, err := c.bitcountRange(len(b))
	if err != nil {
		return err
	}
	c.Int(bitmap.Count(b, from, to))
	return nil
}

func (c *Call) bitcountRange(n int) (from, to int64, err error) {
	switch len(c.Args) {
	case 2:
		return 0, int64(n) * 8, nil
	case 4, 5:
	default:
		return 0, 0, errSyntax
	}
	start, err := c.int(2)
	if err != nil {
		return 0, 0, err
	}
	end, err := c.int(3)
	if err != nil {
		return 0, 0, err
	}
	if start < 0 && end < 0 && start > end {
		return 0, 0, nil // whatever the unit, which Redis does not read then
	}
	unit := int64(8)
	if len(c.Args) == 5 {
		if unit, err = c.bitUnit(4); err != nil {
			return 0, 0, err
		}
	}
	from, to = bitRange(start, end, unit, n)
	return from, to, nil
}

// bitpos parses the range after the look, as Redis does: of a key that is not
// there it takes any.
func bitpos(c *Call) error {
	bit, err := c.int(2)
	if err != nil {
		return err
	}
	if bit != 0 && bit != 1 {
		return Error("ERR The bit argument must be 1 or 0.")
	}
	o := c.DB.Look(view(c.Args[1]))
	b, err := stringBytes(o)
	if err != nil {
		return err
	}
	if o == nil {
		c.Int(-bit) // endless zeros
		return nil
	}
	from, to, open, err := c.bitposRange(len(b))
	if err != nil {
		return err
	}
	i := bitmap.Index(b, bit == 1, from, to)
	if i < 0 && bit == 0 && open && from < to {
		i = to // the first zero is behind the end
	}
	c.Int(i)
	return nil
}

// bitposRange parses the range; it is open when no end was given.
func (c *Call) bitposRange(n int) (from, to int64, open bool, err error) {
	start, end, unit := int64(0), int64(math.MaxInt64), int64(8)
	if len(c.Args) > 6 {
		return 0, 0, false, errSyntax
	}
	if len(c.Args) > 3 {
		if start, err = c.int(3); err != nil {
			return 0, 0, false, err
		}
	}
	if len(c.Args) > 5 {
		if unit, err = c.bitUnit(5); err != nil {
			return 0, 0, false, err
		}
	}
	if len(c.Args) > 4 {
		if end, err = c.int(4); err != nil {
			return 0, 0, false, err
		}
	}
	from, to = bitRange(start, end, unit, n)
	return from, to, len(c.Args) <= 4, nil
}

var bitLogic = []struct {
	word string
	do   func(dst, src []byte) // no longer than dst
}{{"AND", bitmap.And}, {"OR", bitmap.Or}, {"XOR", bitmap.Xor}, {"NOT", nil}}

func bitop(c *Call) error {
	i := 0
	for i < len(bitLogic) && !c.is(1, bitLogic[i].word) {
		i++
	}
	if i == len(bitLogic) {
		return errSyntax
	}
	do := bitLogic[i].do
	if do == nil && len(c.Args) != 4 {
		return Error("ERR BITOP NOT must be called with a single source key.")
	}
	sources := make([][]byte, len(c.Args)-3)
	longest := 0
	for i, key := range c.Args[3:] {
		var err error
		if sources[i], err = stringBytes(c.DB.Look(view(key))); err != nil {
			return err
		}
		longest = max(longest, len(sources[i]))
	}
	target := c.Args[2]
	if longest > 0 {
		c.DB.Find(view(target)) // one that has fallen due goes as expired
		result := combineBits(do, sources, longest)
		c.DB.Put(view(target), keyspace.NewObject(keyspace.String, keyspace.Raw, result))
		c.changed(eventString, "set", target)
	} else if c.DB.Take(view(target)) != nil { // in Redis this one goes as deleted
		c.changed(eventGeneric, "del", target)
	}
	c.Int(int64(longest))
	return nil
}

// combineBits returns n new bytes; shorter sources go on with zeros.
func combineBits(do func(dst, src []byte), sources [][]byte, n int) []byte {
	result := append(bytes.Clone(sources[0]), make([]byte, n-len(sources[0]))...)
	if do == nil {
		bitmap.Not(result)
	}
	for _, src := range sources[1:] {
		do(result, src)
	}
	return result
}
