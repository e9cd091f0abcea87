package commands

import (
	"bytes"
	"slices"
)

// CLIENT PAUSE holds requests back, all or those that may change something,
// until a time or until CLIENT UNPAUSE. A request that is held back is kept and
// run when the pause ends, in the order in which requests came. No key expires
// meanwhile: what is looked at under a pause must not change.

// pause is the pause under way; the zero pause is none.
type pause struct {
	until int64      // Unix ms
	all   bool       // reads too
	held  []*blocked // for a migration too
}

func (p *pause) on(now int64) bool { return p.until > now }

// holds reports whether a request has to wait for the end of the pause.
func (e *Engine) holds(c *Client, cmd *Command, args [][]byte) bool {
	if e.pause.until == 0 {
		return false
	}
	if !e.pause.on(e.Keys.Now) {
		e.unpause()
		return false
	}
	if e.pause.all {
		return true
	}
	mayChange := func(q queuedCommand) bool { return e.scriptFlags(q.cmd, q.args)&(Write|MayReplicate) != 0 }
	if cmd.full == "exec" && c.tx.open() {
		return slices.ContainsFunc(c.tx.queued, mayChange)
	}
	return mayChange(queuedCommand{cmd, args})
}

// hold keeps a request until the pause ends.
func (e *Engine) hold(c *Client, args [][]byte) {
	b := &blocked{client: c}
	for _, arg := range args {
		b.args = append(b.args, bytes.Clone(arg))
	}
	c.blocked = b
	e.waiters.count++
	e.pause.held = append(e.pause.held, b)
}

// unpause ends the pause and runs what it held back.
func (e *Engine) unpause() {
	e.pause = pause{held: e.pause.held}
	e.Keys.NoExpire = false
	e.resume()
}

// resume runs the requests that were held back, in the order in which they
// came. What has to wait for something else is held back again.
func (e *Engine) resume() {
	held := e.pause.held
	e.pause.held = nil
	for _, b := range held {
		if b.client.blocked == b {
			e.waiters.count--
			b.client.blocked = nil
			e.Exec(b.client, b.args)
			e.wrote(b.client)
		}
	}
}

func clientPause(c *Call) error {
	all := true
	if len(c.Args) == 4 {
		if all = c.is(3, "ALL"); !all && !c.is(3, "WRITE") {
			return Error("ERR CLIENT PAUSE mode must be WRITE or ALL")
		}
	}
	if len(c.Args) > 4 {
		return c.wrongSubcommand()
	}
	ms, err := c.milliseconds(2)
	if err != nil {
		return err
	}
	// Two pauses are one that is as strict and as long as either.
	p := &c.Engine.pause
	p.all = p.all || all
	p.until = max(p.until, c.Now()+ms)
	c.Engine.Keys.NoExpire = true
	return c.ok()
}

func clientUnpause(c *Call) error {
	c.Engine.unpause()
	return c.ok()
}
