package commands

import (
	"bytes"
	"math"

	"myredis/keyspace"
	"myredis/keyspace/stream"
)

// Streams.
//
// Entries and groups are package stream's. What is here is the rest of what
// Redis says about streams: arguments, replies, which clock, and whom a change
// concerns. A stream, unlike other collections, may be empty. The family's
// files:
//
//	stream.go          the rows, IDs, and how an entry is answered
//	stream_add.go      what adds and removes entries
//	stream_range.go    XRANGE, XREVRANGE
//	stream_read.go     XREAD, XREADGROUP
//	stream_group.go    XGROUP, XACK
//	stream_pending.go  XPENDING, XCLAIM, XAUTOCLAIM
//	stream_info.go     XINFO

var streamCommands = []*Command{
	{
		Name: "xack", Arity: -4, Flags: Write | Fast, Group: GroupStream, Keys: oneKey(RW | Update), Run: xack,
		Since: "5.0.0", Cost: "O(log N) for each ID, with N entries pending", Summary: "Says that entries have been dealt with.",
		Syntax: "key group id [id ...]",
	},
	{
		Name: "xadd", Arity: -5, Flags: Write | DenyOOM | Fast, Group: GroupStream, Run: xadd,
		Keys:  []KeySpec{{Flags: RW | Update, Index: 1, Step: 1, Notes: "UPDATE instead of INSERT because of the optional trimming feature"}},
		Since: "5.0.0", Cost: "O(1), and O(N) with N entries trimmed", Summary: "Adds an entry.",
		Syntax: "key [NOMKSTREAM] [<MAXLEN|MINID> [=|~] threshold [LIMIT count]] *|id field value [field value ...]",
		Tips:   []string{"nondeterministic_output"},
	},
	{
		Name: "xautoclaim", Arity: -6, Flags: Write | Fast, Group: GroupStream, Keys: oneKey(RW | Delete), Run: xautoclaim,
		Since: "6.2.0", Cost: "O(1) for a COUNT that is small", Summary: "Makes a consumer the owner of entries that have been pending for long.",
		Syntax: "key group consumer min-idle-time start [COUNT count] [JUSTID]", Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "xclaim", Arity: -6, Flags: Write | Fast, Group: GroupStream, Keys: oneKey(RW | Update), Run: xclaim,
		Since: "5.0.0", Cost: "O(log N) for each ID, with N entries pending", Summary: "Makes a consumer the owner of pending entries.",
		Syntax: "key group consumer min-idle-time id [id ...] [IDLE milliseconds] [TIME unix-time-milliseconds] [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID id]",
		Tips:   []string{"nondeterministic_output"},
	},
	{
		Name: "xdel", Arity: -3, Flags: Write | Fast, Group: GroupStream, Keys: oneKey(RW | Delete), Run: xdel,
		Since: "5.0.0", Cost: "O(log N) for each ID, with N entries", Summary: "Removes entries.", Syntax: "key id [id ...]",
	},
	xgroupRow,
	xinfoRow,
	{
		Name: "xlen", Arity: 2, Flags: ReadOnly | Fast, Group: GroupStream, Keys: oneKey(RO), Run: xlen,
		Since: "5.0.0", Cost: "O(1)", Summary: "Counts the entries.", Syntax: "key",
	},
	{
		Name: "xpending", Arity: -3, Flags: ReadOnly, Group: GroupStream, Keys: oneKey(RO | Access), Run: xpending,
		Since: "5.0.0", Cost: "O(N) with N entries answered, or N consumers", Summary: "Answers the entries that are delivered and not acknowledged.",
		Syntax: "key group [[IDLE min-idle-time] start end count [consumer]]", Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "xrange", Arity: -4, Flags: ReadOnly, Group: GroupStream, Keys: oneKey(RO | Access), Run: xrange,
		Since: "5.0.0", Cost: "O(log N + M) with M entries answered", Summary: "Answers the entries in a range of IDs.",
		Syntax: "key start end [COUNT count]",
	},
	{
		Name: "xread", Arity: -4, Flags: ReadOnly | Blocking, Group: GroupStream, Run: xread,
		Keys:  []KeySpec{{Flags: RO | Access, Keyword: "STREAMS", Index: 1, Last: -1, Step: 1, Limit: 2}},
		Since: "5.0.0", Cost: "O(log N + M) for each stream, with M entries answered",
		Summary: "Answers the entries after given ones of several streams, waiting for them if asked to.",
		Syntax:  "[COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]",
	},
	{
		Name: "xreadgroup", Arity: -7, Flags: Write | Blocking, Group: GroupStream, Run: xreadgroup,
		Keys:  []KeySpec{{Flags: RO | Access, Keyword: "STREAMS", Index: 4, Last: -1, Step: 1, Limit: 2}},
		Since: "5.0.0", Cost: "O(log N + M) for each stream, with M entries answered",
		Summary: "Answers the entries that no consumer of a group has been given yet, or those pending for one.",
		Syntax:  "GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK] STREAMS key [key ...] id [id ...]",
	},
	{
		Name: "xrevrange", Arity: -4, Flags: ReadOnly, Group: GroupStream, Keys: oneKey(RO | Access), Run: xrevrange,
		Since: "5.0.0", Cost: "O(log N + M) with M entries answered", Summary: "Answers the entries in a range of IDs, the last first.",
		Syntax: "key end start [COUNT count]",
	},
	{
		Name: "xsetid", Arity: -3, Flags: Write | DenyOOM | Fast, Group: GroupStream, Keys: oneKey(RW | Update), Run: xsetid,
		Since: "5.0.0", Cost: "O(1)", Summary: "Sets the ID of the last entry.",
		Syntax: "key last-id [ENTRIESADDED entries-added] [MAXDELETEDID max-deleted-id]",
	},
	{
		Name: "xtrim", Arity: -4, Flags: Write, Group: GroupStream, Keys: oneKey(RW | Delete), Run: xtrim,
		Since: "5.0.0", Cost: "O(N) with N entries removed", Summary: "Removes the oldest entries.",
		Syntax: "key MAXLEN|MINID [=|~] threshold [LIMIT count]", Tips: []string{"nondeterministic_output"},
	},
}

const (
	errStreamID      Error = "ERR Invalid stream ID specified as stream command argument"
	errIntervalStart Error = "ERR invalid start ID for the interval"
	errIntervalEnd   Error = "ERR invalid end ID for the interval"
)

// parseStreamID reads an ID; a missing number is the one given.
func parseStreamID(arg []byte, missing uint64) (stream.ID, bool) {
	const longest = 127
	if len(arg) > longest {
		return stream.ID{}, false
	}
	ms, seq, whole := bytes.Cut(cString(arg), []byte{'-'})
	id := stream.ID{Seq: missing}
	var ok bool
	if id.MS, ok = parseUint(ms); ok && whole {
		id.Seq, ok = parseUint(seq)
	}
	return id, ok
}

// parseUint reads an unsigned integer as Redis does (util.c, string2ull): what
// is no integer in its strict form may be one that C reads, with blanks before
// it, a sign and leading zeros.
func parseUint(b []byte) (uint64, bool) {
	if n, ok := parseInt(b); ok {
		return uint64(n), n >= 0
	}
	digits := bytes.TrimLeft(b, " \t\n\v\f\r")
	negative := bytes.HasPrefix(digits, []byte{'-'})
	if negative || bytes.HasPrefix(digits, []byte{'+'}) {
		digits = digits[1:]
	}
	n := uint64(0)
	for _, ch := range digits {
		d := uint64(ch - '0')
		if d > 9 || n > (math.MaxUint64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	if negative {
		n = -n
	}
	return n, len(digits) > 0
}

// id parses argument i as an ID.
func (c *Call) id(i int) (stream.ID, error) {
	id, ok := parseStreamID(c.Args[i], 0)
	if !ok {
		return id, errStreamID
	}
	return id, nil
}

// ids parses all arguments from the i-th on as IDs.
func (c *Call) ids(i int) ([]stream.ID, error) {
	ids := make([]stream.ID, 0, len(c.Args)-i)
	for ; i < len(c.Args); i++ {
		id, err := c.id(i)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// intervalID parses argument i as an end of an interval: an ID, one behind a
// parenthesis, which is left out, or the least or greatest of all.
func (c *Call) intervalID(i int, missing uint64) (id stream.ID, open bool, err error) {
	arg := cString(c.Args[i])
	switch {
	case string(arg) == "-":
		return stream.ID{}, false, nil
	case string(arg) == "+":
		return stream.Max, false, nil
	case len(c.Args[i]) > 1 && c.Args[i][0] == '(':
		arg, open = c.Args[i][1:], true
	}
	id, ok := parseStreamID(arg, missing)
	if !ok {
		err = errStreamID
	}
	return id, open, err
}

// intervalStart parses argument i as the least ID of an interval.
func (c *Call) intervalStart(i int) (stream.ID, error) {
	id, open, err := c.intervalID(i, 0)
	if err == nil && open {
		var ok bool
		if id, ok = id.Next(); !ok {
			err = errIntervalStart
		}
	}
	return id, err
}

// interval parses arguments as both ends of an interval.
func (c *Call) interval(start, end int) (from, to stream.ID, err error) {
	if from, err = c.intervalStart(start); err != nil {
		return from, to, err
	}
	to, open, err := c.intervalID(end, math.MaxUint64)
	if err == nil && open {
		var ok bool
		if to, ok = to.Previous(); !ok {
			err = errIntervalEnd
		}
	}
	return from, to, err
}

// replyID replies with an ID.
func (c *Call) replyID(id stream.ID) {
	var room [41]byte
	c.Bulk(id.Append(room[:0]))
}

// replyEntry replies with an entry: its ID, and its fields and values by turns.
func (c *Call) replyEntry(e stream.Entry) {
	c.Array(2)
	c.replyID(e.ID)
	c.Array(2 * e.Len())
	for field, value := range e.Pairs() {
		c.replyAtom(field)
		c.replyAtom(value)
	}
}

// putStream makes a key that holds an empty stream.
func (c *Call) putStream(key []byte) *stream.Stream {
	s := new(stream.Stream)
	c.DB.Put(view(key), keyspace.NewObject(keyspace.Stream, keyspace.StreamEncoding, s))
	return s
}

// noted is told of a change that leaves the entries of a stream as they are. As
// in Redis, it is none to WATCH nor to those who wait for the key.
func (c *Call) noted(event string, key []byte) {
	c.Engine.dirty++
	c.streamEvent(event, key)
}

// streamEvent sends a keyspace event.
func (c *Call) streamEvent(event string, key []byte) {
	if c.Engine.events&eventStream != 0 {
		c.Engine.notify(c.DB, event, key)
	}
}
