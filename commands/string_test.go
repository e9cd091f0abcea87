package commands

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// request cuts a line into the arguments of a command.
func request(line string) (args [][]byte) {
	for _, word := range strings.Fields(line) {
		args = append(args, []byte(word))
	}
	return args
}

// A command that sets a key looks once, before it leaps: what it decides by is
// what it saw then, and several workers show it.
func TestSetLooksOnce(t *testing.T) {
	for _, line := range []string{"SET k v", "SET k v NX", "SET k v XX", "SET k v GET", "SET k v NX GET", "SET k v PX 100000", "SET k v KEEPTTL", "SETNX k v", "SETEX k 100 v", "GETSET k v", "GETDEL k", "INCR n", "APPEND k v"} {
		for _, there := range []bool{false, true} {
			c := zsetClient()
			if there {
				c.ask("MSET k old n 1")
			}
			looks := 0
			c.engine.Keys.Gap = func() { looks++ }
			c.ask(line)
			require.Equal(t, 1, looks, "%s, key there: %t", line, there)
		}
	}
}

// Two who have both looked before either leaps both set the key: the second one
// does so inside the first one's look.
func TestSetNXDecidesByWhatItSaw(t *testing.T) {
	for _, line := range []string{"SET leader %s NX", "SETNX leader %s"} {
		c := zsetClient()
		other := c.engine.Connect(nil, "tcp", "127.0.0.1:3", "127.0.0.1:2")
		var otherReply string
		c.engine.Keys.Gap = func() {
			c.engine.Keys.Gap = nil
			otherReply = other.ask(strings.Replace(line, "%s", "second", 1))
		}
		reply := c.ask(strings.Replace(line, "%s", "first", 1))
		require.Contains(t, []string{"+OK", ":1"}, reply)
		require.Equal(t, reply, otherReply)
		require.Equal(t, "$5 first", c.ask("GET leader"))
	}
}

// What was found may be gone, or be another kind of value, when a command gets
// to set the key. It must then be set all the same.
func TestSetOverWhatChangedAfterTheLook(t *testing.T) {
	for _, meanwhile := range []string{"DEL k", "FLUSHALL", "SWAPDB 0 1", "RENAME k other", "SET k longer-value", "SET k 7 PX 100000", "SET k 1 EXAT 1"} {
		c := zsetClient()
		other := c.engine.Connect(nil, "tcp", "127.0.0.1:3", "127.0.0.1:2")
		c.ask("SET k old EX 1000")
		c.engine.Keys.Gap = func() {
			c.engine.Keys.Gap = nil
			other.ask(meanwhile)
		}
		require.Equal(t, "+OK", c.ask("SET k new"), meanwhile)
		require.Equal(t, "$3 new", c.ask("GET k"), meanwhile)
		require.Equal(t, ":-1", c.ask("TTL k"), meanwhile)
	}
}

// Values are changed in place, and nothing else may change with them: a reply
// that was not sent yet, a copy, the argument that they came from.
func TestSetInPlaceIsSeenNowhereElse(t *testing.T) {
	c := zsetClient()
	for _, change := range []string{"SET k other", "SETRANGE k 0 other", "GETSET k other", "MSET k other", "SETEX k 100 other"} {
		c.ask("SET k value")
		c.ask("COPY k copy REPLACE")
		mark := c.Out.Len()
		c.engine.Exec(c, request("GET k"))
		args := request(change)
		c.engine.Exec(c, args)
		require.Equal(t, "$5\r\nvalue\r\n", string(c.Out.Buf[mark:mark+11]), change)
		for _, arg := range args {
			clear(arg)
		}
		require.Equal(t, "$5 other", c.ask("GET k"), change)
		require.Equal(t, "$5 value", c.ask("GET copy"), change)
	}
}

// The encoding is that of the value and not of the one before.
func TestEncodingAfterSetInPlace(t *testing.T) {
	c := zsetClient()
	for _, before := range []string{"SET k 12345", "SET k abcde", "APPEND k x", "SET k " + strings.Repeat("l", 45), "SETRANGE k 3 y"} {
		for value, encoding := range map[string]string{
			"67890": "int", "vwxyz": "embstr", strings.Repeat("e", 44): "embstr", strings.Repeat("r", 45): "raw", "067890": "embstr",
		} {
			c.ask(before)
			c.ask("SET k " + value)
			require.Equal(t, encoding, strings.Fields(c.ask("OBJECT ENCODING k"))[1], "%s, then %s", before, value)
			require.Equal(t, value, strings.Fields(c.ask("GET k"))[1])
		}
	}
}

func TestHotPathsAllocateNothing(t *testing.T) {
	c := zsetClient()
	c.ask("MSET k value n 41 big 1000000")
	for _, command := range []struct {
		line   string
		stored float64
	}{
		{"SET k other", 0}, {"SET k other NX", 0}, {"SET k other XX", 0}, {"SET k other PX 100000", 0}, {"SET k other KEEPTTL", 0},
		{"SETNX k other", 0}, {"GET k", 0}, {"EXISTS k", 0}, {"TTL k", 0}, {"TYPE k", 0}, {"EXPIRE k 1000", 0}, {"PERSIST k", 0},
		{"SET n 7", 0}, {"GET n", 0}, {"INCRBY n 0", 0},
		{"INCR big", 1}, // the integer, which is stored
	} {
		line, stored := command.line, command.stored
		args := request(line)
		c.engine.Exec(c, args) // so that what the buffers need is there
		mark := c.Out.Len()
		allocations := testing.AllocsPerRun(100, func() {
			c.engine.Exec(c, args)
			c.Out.Truncate(mark)
		})
		require.Equal(t, stored, allocations, line)
	}
}

// SET over a key marks it as used when it is, for who asked for no such marks
// too: it is another value.
func TestSetBeginsAnAccessRecord(t *testing.T) {
	c := zsetClient()
	c.ask("SET k value")
	c.engine.Keys.DB(0).Peek("k").SetAccess(1)
	c.ask("CLIENT NO-TOUCH on")
	c.ask("GET k")
	require.EqualValues(t, 1, c.engine.Keys.DB(0).Peek("k").Access())
	c.ask("SET k other")
	require.Equal(t, ":0", c.ask("OBJECT IDLETIME k"))
}

func TestRenameAndCopyKeepAccessRecordsApart(t *testing.T) {
	c := zsetClient()
	c.ask("CONFIG SET maxmemory-policy allkeys-lfu")
	c.ask("CONFIG SET lfu-decay-time 0")
	c.ask("MSET k value dst value")
	db := c.engine.Keys.DB(0)
	db.Peek("k").SetAccess(200)
	db.Peek("dst").SetAccess(100)
	require.Equal(t, ":1", c.ask("COPY k dst REPLACE"))
	require.Equal(t, ":5", c.ask("OBJECT FREQ dst"), "a copy is a key like any that is made")
	db.Peek("k").SetAccess(255)
	require.Equal(t, "+OK", c.ask("RENAME k dst"))
	require.Equal(t, ":255", c.ask("OBJECT FREQ dst"))
	require.Equal(t, ":1", c.ask("MOVE dst 1"))
	c.ask("SELECT 1")
	require.Equal(t, ":255", c.ask("OBJECT FREQ dst"))
	require.Equal(t, "+OK", c.ask("SET dst other"))
	require.Equal(t, ":255", c.ask("OBJECT FREQ dst"), "a key that is written often is used often")
}
