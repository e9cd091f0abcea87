package commands

import (
	"bytes"

	"myredis/internal/acl"
	"myredis/keyspace"
)

// transactionCommands are MULTI and what belongs to it.
var transactionCommands = []*Command{
	{
		Name: "multi", Arity: 1, Flags: NoScript | Loading | Stale | Fast | AllowBusy | Immediate, Group: GroupTransactions,
		Run: multi, Since: "1.2.0", Cost: "O(1)", Summary: "Starts a transaction.",
	},
	{
		Name: "exec", Arity: 1, Flags: NoScript | Loading | Stale | SkipSlowlog | Immediate, Group: GroupTransactions,
		Run: exec, Since: "1.2.0", Cost: "Depends on commands in the transaction", Summary: "Runs all commands of a transaction.",
	},
	{
		Name: "discard", Arity: 1, Flags: NoScript | Loading | Stale | Fast | AllowBusy | Immediate, Group: GroupTransactions,
		Run: discard, Since: "2.0.0", Cost: "O(N), when N is the number of queued commands", Summary: "Gives up a transaction.",
	},
	{
		Name: "watch", Arity: -2, Flags: NoScript | Loading | Stale | Fast | AllowBusy | Immediate, Group: GroupTransactions,
		Keys: allKeys(RO), Run: watch, Since: "2.2.0", Cost: "O(1) for every key.",
		Summary: "Makes the next transaction depend on keys not changing.", Syntax: "key [key ...]",
	},
	{
		Name: "unwatch", Arity: 1, Flags: NoScript | Loading | Stale | Fast | AllowBusy, Group: GroupTransactions,
		Run: unwatch, Since: "2.2.0", Cost: "O(1)", Summary: "Forgets the watched keys.",
	},
}

// transaction is what MULTI and WATCH keep for a client; nil when it has used
// neither.
type transaction struct {
	multi   bool
	dirty   bool // a watched key was changed
	spoiled bool // a command was refused while queueing
	queued  []queuedCommand
	bytes   int // size of the queued arguments
	watches []*watched
	running bool // EXEC is under way
}

type queuedCommand struct {
	cmd  *Command
	args [][]byte
}

// watched is one client's interest in one key.
type watched struct {
	client  *Client
	db      int
	key     string
	expired bool // the key had already fallen due at WATCH: its removal is no change
}

// watchers finds the watched by key. It is empty, and costs nothing, unless
// somebody uses WATCH.
type watchers map[dbKey][]*watched

// dbKey is a key in a numbered database.
type dbKey struct {
	db  int
	key string
}

func (t *transaction) open() bool { return t != nil && t.multi }

// queues reports whether a command is to be queued and not run.
func (t *transaction) queues(cmd *Command) bool { return t.open() && cmd.Flags&Immediate == 0 }

func (t *transaction) spoil() {
	if t.open() {
		t.spoiled = true
	}
}

// queue keeps a request for EXEC. The arguments are copied: they are views of
// a buffer that will be read into again.
func (t *transaction) queue(cmd *Command, args [][]byte) {
	own := make([][]byte, len(args))
	for i, arg := range args {
		own[i] = bytes.Clone(arg)
		t.bytes += len(arg)
	}
	t.queued = append(t.queued, queuedCommand{cmd, own})
}

func (c *Client) transaction() *transaction {
	if c.tx == nil {
		c.tx = &transaction{}
	}
	return c.tx
}

func multi(c *Call) error {
	if c.Client.tx.open() {
		return Error("ERR MULTI calls can not be nested")
	}
	c.Client.transaction().multi = true
	return c.ok()
}

func discard(c *Call) error {
	if !c.Client.tx.open() {
		return Error("ERR DISCARD without MULTI")
	}
	c.Engine.resetTransaction(c.Client)
	return c.ok()
}

func exec(c *Call) error {
	client, e := c.Client, c.Engine
	tx := client.tx
	if !tx.open() {
		return Error("ERR EXEC without MULTI")
	}
	tx.dirty = tx.dirty || e.watchedExpired(tx)
	if tx.spoiled || tx.dirty {
		e.resetTransaction(client)
		if tx.spoiled {
			return errExecAbort
		}
		c.NullArray()
		return nil
	}
	e.unwatch(tx)
	tx.running = true
	c.Array(len(tx.queued))
	for _, q := range tx.queued {
		if why := e.authorize(client, q.cmd, q.args, acl.InTransaction); why != acl.Allowed {
			e.fail(client, errRevoked(why))
			continue
		}
		// A queued command replies into the same buffer, but with a Call of
		// its own: a database that one selects is seen by the next.
		inner := &Call{Encoder: c.Encoder, Args: q.args, Client: client, Engine: e, DB: e.Keys.DB(client.db), Cmd: q.cmd}
		e.run(inner)
	}
	e.resetTransaction(client)
	return nil
}

func watch(c *Call) error {
	if c.Client.tx.open() {
		return Error("ERR WATCH inside MULTI is not allowed")
	}
	tx := c.Client.transaction()
	if tx.dirty {
		// Nothing that is watched now could make it run.
		return c.ok()
	}
	for _, key := range c.Args[1:] {
		c.Engine.watch(c.Client, c.DB, string(key))
	}
	return c.ok()
}

func unwatch(c *Call) error {
	if tx := c.Client.tx; tx != nil {
		c.Engine.unwatch(tx)
		tx.dirty = false
	}
	return c.ok()
}

// resetTransaction forgets everything that MULTI and WATCH have kept.
func (e *Engine) resetTransaction(c *Client) {
	if c.tx != nil {
		e.unwatch(c.tx)
		c.tx = nil
	}
}

func (e *Engine) watch(c *Client, db *keyspace.DB, key string) {
	for _, w := range c.tx.watches {
		if w.db == db.Index() && w.key == key {
			return
		}
	}
	w := &watched{client: c, db: db.Index(), key: key, expired: db.Overdue(key)}
	if e.watched == nil {
		e.watched = watchers{}
	}
	at := dbKey{w.db, key}
	e.watched[at] = append(e.watched[at], w)
	c.tx.watches = append(c.tx.watches, w)
}

func (e *Engine) unwatch(tx *transaction) {
	for _, w := range tx.watches {
		at := dbKey{w.db, w.key}
		rest := e.watched[at][:0]
		for _, other := range e.watched[at] {
			if other != w {
				rest = append(rest, other)
			}
		}
		if len(rest) == 0 {
			delete(e.watched, at)
		} else {
			e.watched[at] = rest
		}
	}
	tx.watches = nil
}

// watchedExpired reports whether a key that was alive at WATCH has fallen due,
// removed or not.
func (e *Engine) watchedExpired(tx *transaction) bool {
	for _, w := range tx.watches {
		if !w.expired && e.Keys.DB(w.db).Overdue(w.key) {
			return true
		}
	}
	return false
}

// touch marks the transactions that depend on a key. The removal of a key that
// had already fallen due when it was watched changes nothing for the watcher.
func (ws watchers) touch(db *keyspace.DB, key []byte) {
	if len(ws) == 0 {
		return
	}
	for _, w := range ws[dbKey{db.Index(), view(key)}] {
		if w.expired && !db.Has(w.key) {
			w.expired = false
			continue
		}
		w.client.tx.dirty = true
	}
}

// touchAll marks the transactions that depend on any key of a database which
// is emptied, or whose contents are replaced by another's (nil for none).
func (ws watchers) touchAll(db, replacement *keyspace.DB) {
	for at, interested := range ws {
		if at.db != db.Index() {
			continue
		}
		before, after := db.Has(at.key), replacement != nil && replacement.Has(at.key)
		if !before && !after {
			continue
		}
		overdue := replacement != nil && replacement.Overdue(at.key)
		for _, w := range interested {
			switch {
			case w.expired && !after:
				w.expired = false
			case w.expired && overdue:
			case !w.expired && !before && overdue:
				w.expired = true
			default:
				w.client.tx.dirty = true
			}
		}
	}
}
