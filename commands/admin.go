package commands

import (
	"errors"
	"strconv"

	"myredis/internal/config"
	"myredis/keyspace"
)

// adminCommands are those that look after the server as a whole.
var adminCommands = []*Command{
	{
		Name: "config", Arity: -2, Group: GroupServer, Categories: CatNone, Since: "2.0.0", Summary: "Reads and changes the configuration.",
		Sub: []*Command{
			{Name: "get", Arity: -3, Flags: Admin | NoScript | Loading | Stale, Group: GroupServer, Categories: CatNone, Run: configGet, Since: "2.0.0", Cost: "O(N) with N parameters", Summary: "Answers the parameters that match a pattern.", Syntax: "parameter [parameter ...]"},
			{Name: "set", Arity: -4, Flags: Admin | NoScript | Loading | Stale, Group: GroupServer, Categories: CatNone, Run: configSet, Since: "2.0.0", Cost: "O(N) with N parameters", Summary: "Changes parameters, all or none.", Syntax: "parameter value [parameter value ...]", Tips: []string{"request_policy:all_nodes", "response_policy:all_succeeded"}},
			{Name: "resetstat", Arity: 2, Flags: Admin | NoScript | Loading | Stale, Group: GroupServer, Categories: CatNone, Run: configResetstat, Since: "2.0.0", Cost: "O(1)", Summary: "Sets the figures of INFO back to zero."},
			{Name: "rewrite", Arity: 2, Flags: Admin | NoScript | Loading | Stale, Group: GroupServer, Categories: CatNone, Run: configRewrite, Since: "2.8.0", Cost: "O(1)", Summary: "Writes the configuration to its file."},
		},
	},
	{
		Name: "dbsize", Arity: 1, Flags: ReadOnly | Fast, Group: GroupServer, Categories: CatKeyspace, Run: dbsize,
		Since: "1.0.0", Cost: "O(1)", Summary: "Answers how many keys the database has.",
		Tips: []string{"request_policy:all_shards", "response_policy:agg_sum"},
	},
	{
		Name: "flushdb", Arity: -1, Flags: Write, Group: GroupServer, Categories: CatKeyspace | CatDangerous, Run: flushdb,
		Since: "1.0.0", Cost: "O(1)", Summary: "Removes all keys of the database.", Syntax: "[ASYNC|SYNC]",
		Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"},
	},
	{
		Name: "flushall", Arity: -1, Flags: Write, Group: GroupServer, Categories: CatKeyspace | CatDangerous, Run: flushall,
		Since: "1.0.0", Cost: "O(1)", Summary: "Removes all keys of all databases.", Syntax: "[ASYNC|SYNC]",
		Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"},
	},
	{
		Name: "swapdb", Arity: 3, Flags: Write | Fast, Group: GroupServer, Categories: CatKeyspace | CatDangerous, Run: swapdb,
		Since: "4.0.0", Cost: "O(N) with N clients that watch keys", Summary: "Exchanges two databases.", Syntax: "index1 index2",
	},
	{
		Name: "time", Arity: 1, Flags: Loading | Stale | Fast, Group: GroupServer, Categories: CatNone, Run: timeOfDay,
		Since: "2.6.0", Cost: "O(1)", Summary: "Answers the server's time.", Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "lolwut", Arity: -1, Flags: ReadOnly | Fast, Group: GroupServer, Run: lolwut,
		Since: "5.0.0", Summary: "Shows the version.", Syntax: "[VERSION version]",
	},
	{
		Name: "shutdown", Arity: -1, Flags: Admin | NoScript | Loading | Stale | NoMulti | AllowBusy, Group: GroupServer, Categories: CatNone, Run: shutdown,
		Since: "1.0.0", Cost: "O(1)", Summary: "Ends the server.", Syntax: "[NOSAVE|SAVE] [NOW] [FORCE] [ABORT]",
	},
}

func configGet(c *Call) error {
	patterns := make([]string, len(c.Args)-2)
	for i, arg := range c.Args[2:] {
		patterns[i] = string(arg)
	}
	pairs := c.Engine.Config.Get(patterns...)
	c.Map(len(pairs))
	for _, p := range pairs {
		c.BulkString(p.Name)
		c.BulkString(p.Value)
	}
	return nil
}

func configSet(c *Call) error {
	if len(c.Args)%2 != 0 {
		return errSyntax
	}
	var pairs []config.Pair
	for i := 2; i < len(c.Args); i += 2 {
		pairs = append(pairs, config.Pair{Name: string(c.Args[i]), Value: string(c.Args[i+1])})
	}
	set := c.Engine.Config.Set
	if c.Client.local() {
		set = c.Engine.Config.SetLocal
	}
	switch err := set(pairs); {
	case errors.Is(err, config.ErrLoading):
		return err
	case err != nil:
		return Error("ERR " + err.Error())
	}
	return c.ok()
}

func configResetstat(c *Call) error {
	e := c.Engine
	e.Stats = Stats{PeakMemory: readMemory().used}
	e.Keys.Stats = keyspace.Stats{}
	clear(e.errors)
	for _, cmd := range e.allRows() {
		cmd.stats = CommandStats{}
		if cmd.latency != nil {
			cmd.latency.Reset()
		}
	}
	return c.ok()
}

func configRewrite(c *Call) error {
	if c.Engine.Config.File == "" {
		return Error("ERR The server is running without a config file")
	}
	if err := c.Engine.Config.RewriteFile(); err != nil {
		return errorf("ERR Rewriting config file: %v", err)
	}
	return c.ok()
}

func dbsize(c *Call) error {
	c.Int(int64(c.DB.Len()))
	return nil
}

// flushOptions checks the options of the FLUSH commands. Both ways are one:
// the keys are given up at once and the memory is collected in the background.
func (c *Call) flushOptions() error {
	if len(c.Args) == 1 || len(c.Args) == 2 && (c.is(1, "SYNC") || c.is(1, "ASYNC")) {
		return nil
	}
	return errSyntax
}

func flushdb(c *Call) error {
	if err := c.flushOptions(); err != nil {
		return err
	}
	c.Engine.flush(c.DB)
	c.Engine.invalidateAll()
	return c.ok()
}

func flushall(c *Call) error {
	if err := c.flushOptions(); err != nil {
		return err
	}
	for i := range c.Engine.Keys.Len() {
		c.Engine.flush(c.Engine.Keys.DB(i))
	}
	c.Engine.invalidateAll()
	return c.ok()
}

func (e *Engine) flush(db *keyspace.DB) {
	e.watched.touchAll(db, nil)
	e.dirty += int64(db.Len())
	db.Clear()
	e.waiters.touchAll(db)
}

func swapdb(c *Call) error {
	first, err := c.cInt(1)
	if err != nil {
		return Error("ERR invalid first DB index")
	}
	second, err := c.cInt(2)
	if err != nil {
		return Error("ERR invalid second DB index")
	}
	a, b := c.db(first), c.db(second)
	if a == nil || b == nil {
		return errDBIndex
	}
	if a != b {
		c.Engine.watched.touchAll(a, b)
		c.Engine.watched.touchAll(b, a)
		c.Engine.Keys.Swap(a.Index(), b.Index())
		c.Engine.waiters.touchAll(a)
		c.Engine.waiters.touchAll(b)
		c.Engine.dirty++
	}
	return c.ok()
}

func timeOfDay(c *Call) error {
	now := c.Engine.clock.read()
	c.Array(2)
	c.BulkString(strconv.FormatInt(now/1_000_000, 10))
	c.BulkString(strconv.FormatInt(now%1_000_000, 10))
	return nil
}

// lolwut answers with the version alone, as Redis does where it has no picture
// for the version that is asked for.
func lolwut(c *Call) error {
	if len(c.Args) >= 3 && c.is(1, "VERSION") {
		if _, err := c.int(2); err != nil {
			return err
		}
	}
	c.Verbatim("txt", "Redis ver. "+RedisVersion+"\n")
	return nil
}

func shutdown(c *Call) error {
	var save, nosave, abort, other bool
	for i := 1; i < len(c.Args); i++ {
		switch {
		case c.is(i, "NOSAVE"):
			nosave = true
		case c.is(i, "SAVE"):
			save = true
		case c.is(i, "NOW"), c.is(i, "FORCE"):
			other = true
		case c.is(i, "ABORT"):
			abort = true
		default:
			return errSyntax
		}
	}
	switch {
	case abort && (save || nosave || other), save && nosave:
		return errSyntax
	case abort:
		return Error("ERR No shutdown in progress.")
	case !nosave && c.Engine.scripts.busyError() != nil:
		return c.Engine.scripts.busyError()
	case save:
		// Redis would write a snapshot. There are none here, and to end
		// without one is to lose what the client asked to keep.
		return Error("ERR Errors trying to SHUTDOWN. Check logs.")
	}
	c.Engine.Log.Info("User requested shutdown...")
	c.Engine.Host.Shutdown()
	// There is no reply: the client sees the connection end.
	c.Client.Killed = true
	return nil
}
