package commands

import (
	"math"

	"myredis/internal/bitmap"
)

// fieldOverflow is what becomes of a value that does not fit its field.
type fieldOverflow uint8

const (
	overflowWrap fieldOverflow = iota // its lowest bits stay
	overflowSat                       // it becomes the nearest that fits
	overflowFail                      // nothing is written
)

// fieldOp is one operation of BITFIELD.
type fieldOp struct {
	word     string // GET, SET, INCRBY
	kind     fieldKind
	at       int64
	operand  int64
	overflow fieldOverflow
}

// fieldKind is an integer's shape: i8, u63.
type fieldKind struct {
	signed bool
	width  int
}

func (op *fieldOp) last() int64 { return op.at + int64(op.kind.width) - 1 }

// fieldWords are the operations and how many arguments follow each.
var fieldWords = []struct {
	word  string
	after int
}{{"GET", 2}, {"SET", 3}, {"INCRBY", 3}, {"OVERFLOW", 1}}

// fieldWord returns the operation that begins at argument i of a request and
// the place of the next, or "" if there is none or it is cut short.
func fieldWord(args [][]byte, i int) (word string, next int) {
	for _, w := range fieldWords {
		if equalFold(args[i], w.word) && i+w.after < len(args) {
			return w.word, i + 1 + w.after
		}
	}
	return "", i
}

// bitfieldKeys says what BITFIELD does with its key: reads, if all it has is
// GET.
func bitfieldKeys(args [][]byte) ([]keyPlace, bool) {
	for i := 2; i < len(args); {
		var word string
		if word, i = fieldWord(args, i); word != "GET" && word != "OVERFLOW" {
			return []keyPlace{{1, RW | Access | Update}}, true
		}
	}
	return []keyPlace{{1, RO | Access}}, true
}

// fieldOps parses the operations; end is the last bit that one of them writes,
// or -1.
func (c *Call) fieldOps() (ops []fieldOp, end int64, err error) {
	end = -1
	overflow := overflowWrap
	for i := 2; i < len(c.Args); {
		word, next := fieldWord(c.Args, i)
		switch word {
		case "":
			return nil, 0, errSyntax
		case "OVERFLOW":
			if overflow, err = c.fieldOverflow(i + 1); err != nil {
				return nil, 0, err
			}
		default:
			op := fieldOp{word: word, overflow: overflow}
			if err := c.fieldOp(i+1, &op); err != nil {
				return nil, 0, err
			}
			if word != "GET" {
				end = max(end, op.last())
			}
			ops = append(ops, op)
		}
		i = next
	}
	return ops, end, nil
}

func (c *Call) fieldOverflow(i int) (fieldOverflow, error) {
	for o, word := range []string{"WRAP", "SAT", "FAIL"} {
		if c.is(i, word) {
			return fieldOverflow(o), nil
		}
	}
	return 0, Error("ERR Invalid OVERFLOW type specified")
}

// fieldOp parses what follows an operation's word.
func (c *Call) fieldOp(i int, op *fieldOp) (err error) {
	if op.kind, err = c.fieldKind(i); err != nil {
		return err
	}
	if op.at, err = c.fieldOffset(i+1, op.kind.width); err != nil {
		return err
	}
	if op.word != "GET" {
		op.operand, err = c.int(i + 2)
	}
	return err
}

func (c *Call) fieldKind(i int) (k fieldKind, err error) {
	text := cString(c.Args[i])
	if len(text) > 0 && (text[0] == 'i' || text[0] == 'u') {
		k.signed = text[0] == 'i'
		widest := int64(63) // RESP has no unsigned integers of 64 bits
		if k.signed {
			widest = 64
		}
		if n, ok := parseInt(text[1:]); ok && 1 <= n && n <= widest {
			k.width = int(n)
			return k, nil
		}
	}
	return k, Error("ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.")
}

// fieldOffset parses the place of a field: a bit, or with # a number of fields
// of the same width.
func (c *Call) fieldOffset(i, width int) (int64, error) {
	text := c.Args[i]
	if len(text) == 0 || text[0] != '#' {
		return c.bitOffset(parseInt(text))
	}
	n, ok := parseInt(text[1:])
	return c.bitOffset(n*int64(width), ok)
}

func bitfield(c *Call) error {
	ops, end, err := c.fieldOps()
	if err != nil {
		return err
	}
	if end < 0 {
		return c.readFields(ops)
	}
	key := c.Args[1]
	b, grown, err := c.writableBits(key, end)
	if err != nil {
		return err
	}
	changed := false
	c.Array(len(ops))
	for i := range ops {
		written, differs := c.runField(b, &ops[i])
		changed = changed || differs || written && grown
	}
	if changed {
		c.changed(eventString, "setbit", key)
	}
	return nil
}

func bitfieldRO(c *Call) error {
	ops, end, err := c.fieldOps()
	if err != nil {
		return err
	}
	if end >= 0 {
		return Error("ERR BITFIELD_RO only supports the GET subcommand")
	}
	return c.readFields(ops)
}

func (c *Call) readFields(ops []fieldOp) error {
	b, err := stringBytes(c.DB.Look(view(c.Args[1])))
	if err != nil {
		return err
	}
	c.Array(len(ops))
	for i := range ops {
		c.Int(ops[i].kind.read(b, ops[i].at))
	}
	return nil
}

// runField does one operation and replies.
func (c *Call) runField(b []byte, op *fieldOp) (written, differs bool) {
	old := op.kind.read(b, op.at)
	value, reply := op.operand, old
	fits := true
	switch op.word {
	case "GET":
		c.Int(old)
		return false, false
	case "SET":
		value, fits = op.kind.fit(op.operand, 0, op.overflow)
	case "INCRBY":
		value, fits = op.kind.fit(old, op.operand, op.overflow)
		reply = value
	}
	if !fits && op.overflow == overflowFail {
		c.Null()
		return false, false
	}
	bitmap.SetField(b, op.at, op.kind.width, uint64(value))
	c.Int(reply)
	return true, value != old
}

// read returns the integer that begins at bit at.
func (k fieldKind) read(b []byte, at int64) int64 { return k.cut(bitmap.Field(b, at, k.width)) }

// cut takes the lowest bits as an integer of this kind.
func (k fieldKind) cut(v uint64) int64 {
	unused := 64 - k.width
	if k.signed {
		return int64(v<<unused) >> unused
	}
	return int64(v << unused >> unused)
}

// limits returns the least and the greatest integer of this kind.
func (k fieldKind) limits() (least, greatest int64) {
	if !k.signed {
		return 0, 1<<k.width - 1
	}
	greatest = math.MaxInt64 >> (64 - k.width)
	return -greatest - 1, greatest
}

// fit adds to a value and brings the sum into the limits as overflow says; ok
// tells that it was within them.
func (k fieldKind) fit(value, add int64, overflow fieldOverflow) (sum int64, ok bool) {
	above, below := k.exceeds(value, add)
	least, greatest := k.limits()
	switch {
	case overflow == overflowWrap || !above && !below:
		return k.cut(uint64(value) + uint64(add)), !above && !below
	case above:
		return greatest, false
	}
	return least, false
}

// exceeds tells on which side the sum leaves the limits. A negative value for an
// unsigned field is one too great, and so is, as in Redis, one for a signed
// field that is so far below that the distance to the greatest is no int64.
func (k fieldKind) exceeds(value, add int64) (above, below bool) {
	least, greatest := k.limits()
	switch {
	case !k.signed && value < 0, value > greatest:
		return true, false
	case !k.signed:
		return add > greatest-value, add < -value
	case k.width == 64:
		return value >= 0 && add > greatest-value, value < 0 && add < least-value
	case add > greatest-value: // may wrap round
		return true, false
	}
	return false, value < least || add < least-value
}
