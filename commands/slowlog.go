package commands

import (
	"fmt"
	"slices"
)

// slowlogCommands is SLOWLOG, which shows the commands that took long.
var slowlogCommands = []*Command{{
	Name: "slowlog", Arity: -2, Group: GroupServer, Categories: CatNone, Since: "2.2.12", Summary: "Shows commands that took long.",
	Sub: []*Command{
		{Name: "get", Arity: -2, Flags: Admin | Loading | Stale, Group: GroupServer, Categories: CatNone, Run: slowlogGet, Since: "2.2.12", Cost: "O(N) with N entries", Summary: "Answers the latest entries.", Syntax: "[count]", Tips: []string{"request_policy:all_nodes", "nondeterministic_output"}},
		{Name: "len", Arity: 2, Flags: Admin | Loading | Stale, Group: GroupServer, Categories: CatNone, Run: slowlogLen, Since: "2.2.12", Cost: "O(1)", Summary: "Answers how many entries there are.", Tips: []string{"request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"}},
		{Name: "reset", Arity: 2, Flags: Admin | Loading | Stale, Group: GroupServer, Categories: CatNone, Run: slowlogReset, Since: "2.2.12", Cost: "O(N) with N entries", Summary: "Forgets the entries.", Tips: []string{"request_policy:all_nodes", "response_policy:all_succeeded"}},
	},
}}

// slowEntry is a command that took longer than slowlog-log-slower-than.
type slowEntry struct {
	id     int64
	at     int64 // Unix seconds
	micros int64
	args   []string
	addr   string
	name   string
}

// slowlog keeps the latest slowlog-max-len entries, the newest first.
type slowlog struct {
	entries []slowEntry
	nextID  int64
}

// What is kept of a command, so that a large one does not fill memory.
const (
	slowArgs  = 32
	slowBytes = 128
)

// logSlow notes a command that took long, passwords left out.
func (e *Engine) logSlow(call *Call, micros int64) {
	if limit := e.Config.SlowlogLogSlowerThan; limit < 0 || micros < int64(limit) || call.Cmd.Flags&SkipSlowlog != 0 {
		return
	}
	l := &e.slowlog
	entry := slowEntry{id: l.nextID, at: e.clock.last / 1_000_000, micros: micros, addr: call.Client.Addr, name: call.Client.Name}
	l.nextID++
	secret := e.secrets(call.Cmd, call.Args)
	for i, arg := range call.Args {
		if i == slowArgs-1 && len(call.Args) > slowArgs {
			entry.args = append(entry.args, fmt.Sprintf("... (%d more arguments)", len(call.Args)-i))
			break
		}
		switch {
		case slices.Contains(secret, i):
			entry.args = append(entry.args, redacted)
		case len(arg) > slowBytes:
			entry.args = append(entry.args, fmt.Sprintf("%s... (%d more bytes)", arg[:slowBytes], len(arg)-slowBytes))
		default:
			entry.args = append(entry.args, string(arg))
		}
	}
	l.entries = slices.Insert(l.entries, 0, entry)
	l.entries = l.entries[:min(len(l.entries), int(e.Config.SlowlogMaxLen))]
}

func slowlogGet(c *Call) error {
	entries, count := c.Engine.slowlog.entries, int64(10)
	switch len(c.Args) {
	case 2:
	case 3:
		var ok bool
		if count, ok = parseInt(c.Args[2]); !ok || count < -1 {
			return Error("ERR count should be greater than or equal to -1")
		}
	default:
		return c.wrongSubcommand()
	}
	if count >= 0 {
		entries = entries[:min(int64(len(entries)), count)]
	}
	c.Array(len(entries))
	for _, entry := range entries {
		c.Array(6)
		c.Int(entry.id)
		c.Int(entry.at)
		c.Int(entry.micros)
		c.Array(len(entry.args))
		for _, arg := range entry.args {
			c.BulkString(arg)
		}
		c.BulkString(entry.addr)
		c.BulkString(entry.name)
	}
	return nil
}

func slowlogLen(c *Call) error {
	c.Int(int64(len(c.Engine.slowlog.entries)))
	return nil
}

func slowlogReset(c *Call) error {
	c.Engine.slowlog.entries = nil
	return c.ok()
}
