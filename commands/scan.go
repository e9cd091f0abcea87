package commands

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"myredis/internal/glob"
	"myredis/keyspace"
)

// scanCommands is SCAN; the types' own scans are in their families and share
// the options here.
var scanCommands = []*Command{
	{Name: "scan", Arity: -2, Flags: ReadOnly, Group: GroupGeneric, Run: scan, Since: "2.8.0", Cost: "O(1) for each call, O(N) for all of N keys", Summary: "Goes through the keys a step at a time.", Syntax: "cursor [MATCH pattern] [COUNT count] [TYPE type]", Tips: []string{"nondeterministic_output", "request_policy:special"}},
}

// scanOptions are the words that may follow the cursor.
type scanOptions struct {
	pattern []byte // nil: everything
	count   int64
	kind    []byte // nil: any
}

// scanOptions parses the arguments from i on.
func (c *Call) scanOptions(i int, withType bool) (o scanOptions, err error) {
	o.count = 10
	for ; i < len(c.Args); i += 2 {
		switch {
		case i+1 == len(c.Args):
			return o, errSyntax
		case c.is(i, "COUNT"):
			if o.count, err = c.int(i + 1); err != nil {
				return o, err
			}
			if o.count < 1 {
				return o, errSyntax
			}
		case c.is(i, "MATCH"):
			o.pattern = c.Args[i+1]
		case withType && c.is(i, "TYPE"):
			o.kind = c.Args[i+1]
		default:
			return o, errSyntax
		}
	}
	return o, nil
}

// matches reports whether a name is to be answered. "*" matches the empty name
// here and in Redis, though it does not by the rules of patterns.
func (o *scanOptions) matches(name string) bool {
	return o.pattern == nil || string(o.pattern) == "*" || glob.Match(o.pattern, name, false)
}

// parseCursor reads a cursor as C's strtoul does: a sign is allowed, and
// nothing at all is 0.
func parseCursor(b []byte) (cursor uint64, ok bool) {
	b, _, _ = bytes.Cut(b, []byte{0})
	if len(b) == 0 {
		return 0, true
	}
	digits, negative := b, b[0] == '-'
	if negative || b[0] == '+' {
		digits = b[1:]
	}
	cursor, err := strconv.ParseUint(view(digits), 10, 64)
	if negative {
		cursor = -cursor
	}
	return cursor, err == nil
}

// scan visits whole buckets of the table until it has seen count keys, which
// bounds what one call costs whatever the pattern lets through.
func scan(c *Call) error {
	cursor, ok := parseCursor(c.Args[1])
	if !ok {
		return errInvalidCursor
	}
	opts, err := c.scanOptions(2, true)
	if err != nil {
		return err
	}
	var found, overdue []string
	seen := int64(0)
	for {
		cursor = c.DB.Scan(cursor, func(o *keyspace.Object) {
			seen++
			switch {
			case !opts.matches(o.Key()):
			case o.ExpireAt() != 0 && o.ExpireAt() <= c.Now():
				overdue = append(overdue, o.Key())
			default:
				found = append(found, o.Key())
			}
		})
		if cursor == 0 || seen >= opts.count {
			break
		}
	}
	if opts.kind != nil {
		found = c.ofKind(found, opts.kind)
		c.ofKind(overdue, opts.kind)
	}
	for _, key := range overdue {
		c.DB.Peek(key) // which removes it
	}
	c.Array(2)
	c.BulkString(strconv.FormatUint(cursor, 10))
	c.Array(len(found))
	for _, key := range found {
		c.BulkString(key)
	}
	return nil
}

// ofKind returns those of the keys whose values have the type. It looks each up,
// which Redis counts as hits and misses.
func (c *Call) ofKind(keys []string, kind []byte) []string {
	return slices.DeleteFunc(keys, func(key string) bool {
		o := c.DB.Glance(key)
		return o == nil || !strings.EqualFold(o.Kind().String(), view(kind))
	})
}
