package commands

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"myredis/internal/config"
	"myredis/keyspace"
)

// debugCommands is DEBUG, which tests of servers use. It is no container: its
// first argument chooses, and COMMAND INFO knows nothing of that. It needs
// enable-debug-command. What Redis's DEBUG says of its own internals, or does
// to its files, is not here.
var debugCommands = []*Command{{
	Name: "debug", Arity: -2, Flags: Admin | NoScript | Loading | Stale | Protected, Group: GroupServer, Categories: CatNone, Run: debugCmd,
	Since: "1.0.0", Cost: "Depends on the subcommand", Summary: "Does what tests of a server ask for.", Syntax: "subcommand [arg [arg ...]]",
}}

// debugAction is one of DEBUG's.
type debugAction struct {
	name     string
	min, max int // arguments after the name
	syntax   string
	run      func(*Call) error
}

// debugActions is made by a function, since DEBUG HELP lists it.
func debugActions() []debugAction {
	return []debugAction{
		{"CHANGE-REPL-ID", 0, 0, "", debugChangeReplID},
		{"CONFIG-REWRITE-FORCE-ALL", 0, 0, "", debugConfigRewriteForceAll},
		{"DIGEST", 0, 0, "", debugDigest},
		{"DIGEST-VALUE", 0, math.MaxInt, "<key> [<key> ...]", debugDigestValue},
		{"ERROR", 1, 1, "<text>", debugError},
		{"HTSTATS", 1, 1, "<db>", debugHtstats},
		{"HTSTATS-KEY", 1, 1, "<key>", debugHtstatsKey},
		{"LISTPACK", 1, 1, "<key>", debugListpack},
		{"LOG", 1, 1, "<text>", debugLog},
		{"OBJECT", 1, 1, "<key>", debugObject},
		{"PAUSE-CRON", 1, 1, "<0|1>", debugPauseCron},
		{"POPULATE", 1, 3, "<count> [<prefix> [<size>]]", debugPopulate},
		{"PROTOCOL", 1, 1, "<type>", debugProtocol},
		{"QUICKLIST", 1, 2, "<key> [<0|1>]", debugQuicklist},
		{"QUICKLIST-PACKED-THRESHOLD", 1, 1, "<size>", debugPackedThreshold},
		{"RELOAD", 0, math.MaxInt, "[MERGE] [NOFLUSH] [NOSAVE]", debugReload},
		{"REPLYBUFFER", 2, 2, "PEAK-RESET-TIME <NEVER|RESET|milliseconds> | RESIZING <0|1>", debugReplybuffer},
		{"SEGFAULT", 0, 0, "", debugSegfault},
		{"SET-ACTIVE-EXPIRE", 1, 1, "<0|1>", debugSetActiveExpire},
		{"SET-DISABLE-DENY-SCRIPTS", 1, 1, "<0|1>", debugSetDisableDenyScripts},
		{"SET-SKIP-CHECKSUM-VALIDATION", 1, 1, "<0|1>", debugSetSkipChecksumValidation},
		{"SLEEP", 1, 1, "<seconds>", debugSleep},
	}
}

func debugCmd(c *Call) error {
	actions := debugActions()
	if len(c.Args) == 2 && c.is(1, "HELP") {
		c.Array(len(actions) + 1)
		c.Simple("DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
		for _, a := range actions {
			c.Simple(strings.TrimSpace(a.name + " " + a.syntax))
		}
		return nil
	}
	for _, a := range actions {
		if n := len(c.Args) - 2; c.is(1, a.name) && n >= a.min && n <= a.max {
			return a.run(c)
		}
	}
	return errorf("ERR unknown subcommand or wrong number of arguments for '%.128s'. Try DEBUG HELP.", cString(c.Args[1]))
}

// protected reports whether a client may run what enable-debug-command
// protects.
func (e *Engine) protected(c *Client) bool {
	setting := e.Config.EnableDebugCommand
	return setting == "yes" || setting == "local" && c.local()
}

const errProtected Error = "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server."

func debugChangeReplID(c *Call) error {
	c.Engine.Log.Info("Changing replication IDs after receiving change-repl-id")
	c.Engine.runID = newRunID()
	return c.ok()
}

func debugError(c *Call) error { return Error(c.Args[2]) }

func debugHtstats(c *Call) error {
	n, err := c.cInt(2)
	if err != nil {
		return err
	}
	db := c.db(n)
	if db == nil {
		return Error("ERR Out of range database")
	}
	c.Verbatim("txt", "[Dictionary HT]\n"+describeTable(db.DictStats()))
	return nil
}

func debugLog(c *Call) error {
	c.Engine.Log.Warn("DEBUG LOG: " + string(c.Args[2]))
	return c.ok()
}

func debugPauseCron(c *Call) error {
	n, err := c.int(2)
	if err != nil {
		return err
	}
	c.Engine.idle = n != 0
	return c.ok()
}

// debugPackedThreshold takes what in Redis is the size from which an element of a
// list is not packed. Here it means nothing: an element that fills a chunk by
// itself needs no other form.
func debugPackedThreshold(c *Call) error {
	const most = 1<<32 - 1<<20
	if n, ok := config.ParseMemory(view(c.Args[2])); !ok || n > most {
		return Error("ERR argument must be a memory value bigger than 1 and smaller than 4gb")
	}
	return c.ok()
}

// debugPopulate adds keys with values of their own name or of a size.
func debugPopulate(c *Call) error {
	count, err := c.int(2)
	if err != nil {
		return err
	}
	prefix, size := "key", int64(0)
	if len(c.Args) > 3 {
		prefix = string(c.Args[3])
	}
	if len(c.Args) > 4 {
		if size, err = c.int(4); err != nil {
			return err
		}
	}
	if count < 0 || size < 0 || size > c.Engine.Config.ProtoMaxBulkLen {
		return errNotInteger
	}
	for i := range count {
		key := prefix + ":" + strconv.FormatInt(i, 10)
		if c.DB.Peek(key) != nil {
			continue
		}
		value := []byte("value:" + strconv.FormatInt(i, 10))
		if size > 0 {
			value = append(value[:min(len(value), int(size))], make([]byte, max(0, int(size)-len(value)))...)
		}
		c.DB.Put(key, keyspace.NewObject(keyspace.String, wholeEncoding(value), value))
		c.changed(eventString, "set", []byte(key))
	}
	return c.ok()
}

// debugReply is a type of the protocol and a reply of it.
type debugReply struct {
	name  string
	reply func()
}

// debugProtocol replies with a type of the protocol.
func debugProtocol(c *Call) error {
	types := []debugReply{
		{"string", func() { c.BulkString("Hello World") }},
		{"integer", func() { c.Int(12345) }},
		{"double", func() { c.Double(3.141) }},
		{"bignum", func() { c.BigNumber("1234567999999999999999999999999999999") }},
		{"null", func() { c.Null() }},
		{"array", func() { c.Array(3); c.countTo(3) }},
		{"set", func() { c.Set(3); c.countTo(3) }},
		{"map", func() {
			c.Map(3)
			for i := range 3 {
				c.Int(int64(i))
				c.Bool(i == 1)
			}
		}},
		{"attrib", c.attributeReply},
		{"push", c.pushReply},
		{"verbatim", func() { c.Verbatim("txt", "This is a verbatim\nstring") }},
		{"true", func() { c.Bool(true) }},
		{"false", func() { c.Bool(false) }},
	}
	i := slices.IndexFunc(types, func(t debugReply) bool { return strings.EqualFold(t.name, view(c.Args[2])) })
	switch {
	case i < 0:
		return Error("ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false")
	case types[i].name == "push" && c.Proto < 3:
		return Error("ERR RESP2 is not supported by this command")
	}
	types[i].reply()
	return nil
}

func (c *Call) countTo(n int) {
	for i := range n {
		c.Int(int64(i))
	}
}

// attributeReply is a reply with an attribute before it, which RESP2 has not.
func (c *Call) attributeReply() {
	if c.Proto >= 3 {
		c.Attribute(1)
		c.BulkString("key-popularity")
		c.Array(2)
		c.BulkString("key:123")
		c.Int(90)
	}
	c.BulkString("Some real reply following the attribute")
}

func (c *Call) pushReply() {
	c.Push(2)
	c.BulkString("server-cpu-usage")
	c.Int(42)
	c.BulkString("Some real reply following the push reply")
}

// debugReplybuffer changes nothing: a client that is not answered holds no
// reply buffer, of whatever size, so that there is none to be resized in time.
func debugReplybuffer(c *Call) error {
	switch {
	case c.is(2, "PEAK-RESET-TIME"):
		if !c.is(3, "NEVER") && !c.is(3, "RESET") {
			if _, err := c.int(3); err != nil {
				return err
			}
		}
	case !c.is(2, "RESIZING"):
		return c.wrongSubcommand()
	}
	return c.ok()
}

func debugSetActiveExpire(c *Call) error {
	n, err := c.int(2)
	if err != nil {
		return err
	}
	c.Engine.passive = n == 0
	return c.ok()
}

func debugSetDisableDenyScripts(c *Call) error {
	n, err := c.int(2)
	if err != nil {
		return err
	}
	c.Engine.scripts.anyCommand = n != 0
	return c.ok()
}

func debugSetSkipChecksumValidation(c *Call) error {
	n, err := c.int(2)
	if err != nil {
		return err
	}
	c.Engine.unverified = n != 0
	return c.ok()
}

// debugSleep holds up everybody, which is what it is for.
func debugSleep(c *Call) error {
	seconds, err := c.float(2)
	if err != nil {
		return err
	}
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	return c.ok()
}

// debugSegfault ends the process as a fault would.
func debugSegfault(c *Call) error {
	if err := crash(); err != nil {
		return errorf("ERR %s", err.Error())
	}
	select {} // no reply, and no other command
}
