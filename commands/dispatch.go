package commands

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strings"

	"myredis/internal/acl"
)

// Exec runs one request of a client and appends the reply to its Out. This is
// the one door to every command; what is decided from the row is decided here,
// in the order in which Redis decides it (server.c, processCommand).
func (e *Engine) Exec(c *Client, args [][]byte) {
	if !e.settled {
		e.clock.read()
	}
	e.Keys.Now = e.clock.last / 1000
	c.LastUsed = e.Keys.Now
	e.Keys.NoTouch = c.noTouch
	e.settled = false
	if c.debug != nil {
		e.debugCommand(c, args)
		return
	}
	if fromBrowser(args[0]) {
		e.Log.Warn("an HTTP request was sent to this port: the connection is closed", "client", c.Addr)
		c.Killed = true
		return
	}
	mark := c.Out.Len()
	cmd := e.lookup(args)
	c.lastCommand = cmd
	if err := e.admit(c, cmd, args); err != nil {
		e.reject(c, cmd, err)
	} else if e.holds(c, cmd, args) {
		e.hold(c, args)
		return
	} else if c.tx.queues(cmd) {
		c.tx.queue(cmd, args)
		c.Out.Simple("QUEUED")
	} else {
		call := &c.call
		*call = Call{Encoder: &c.Out, Args: args, Client: c, Engine: e, DB: e.Keys.DB(c.db), Cmd: cmd}
		e.run(call)
		if len(e.waiters.changed) > 0 && e.scripts.busyScript() == nil {
			e.serveWaiters()
		}
	}
	if c.reply != ReplyOn {
		e.silence(c, mark)
	}
}

// fromBrowser recognizes the lines of an HTTP request: a web page could make a
// browser send one here, with commands in its body.
func fromBrowser(word []byte) bool { return equalFold(word, "POST") || equalFold(word, "HOST:") }

// admit decides whether the command may run.
func (e *Engine) admit(c *Client, cmd *Command, args [][]byte) error {
	switch {
	case cmd == nil:
		return e.unknown(args)
	case !cmd.arity(len(args)):
		return errorf("ERR wrong number of arguments for '%s' command", cmd.full)
	case cmd.Flags&Protected != 0 && !e.protected(c):
		return errProtected
	case cmd.Flags&NoAuth == 0 && !c.Authenticated():
		return errNoAuth
	case cmd.Flags&NoMulti != 0 && c.tx.open():
		return errNoMulti
	}
	if !c.user.Unrestricted() {
		if why := e.authorize(c, cmd, args, c.aclContext()); why != acl.Allowed {
			return errRefused(why, cmd)
		}
	}
	switch {
	case e.oom(c, cmd, args):
		return errOOM
	case c.Out.Proto == 2 && c.listens() && !cmd.mayListen():
		return errorf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", cmd.full)
	}
	return e.scripts.refuse(cmd)
}

func (e *Engine) unknown(args [][]byte) error {
	if cmd := e.byName(args[0]); cmd != nil && len(args) > 1 {
		return errorf("ERR unknown subcommand '%.128s'. Try %s HELP.", cString(args[1]), strings.ToUpper(string(args[0])))
	}
	var rest strings.Builder
	for _, arg := range args[1:] {
		if rest.Len() >= 128 {
			break
		}
		fmt.Fprintf(&rest, "'%.*s' ", 128-rest.Len(), cString(arg))
	}
	return errorf("ERR unknown command '%.128s', with args beginning with: %s", cString(args[0]), rest.String())
}

// cString is what C prints of b: nothing from a zero byte on.
func cString(b []byte) []byte {
	b, _, _ = bytes.Cut(b, []byte{0})
	return b
}

// reject answers a command that was not run. Inside a transaction it spoils
// the transaction, and EXEC itself answers why it gives up.
func (e *Engine) reject(c *Client, cmd *Command, err error) {
	c.tx.spoil()
	if cmd != nil {
		cmd.stats.Rejected++
		if cmd.full == "exec" {
			e.resetTransaction(c)
			err = errorf("EXECABORT Transaction discarded because of: %s", strings.TrimPrefix(err.Error(), "ERR "))
		}
	}
	e.fail(c, err)
}

// fail appends an error reply and counts it by its code.
func (e *Engine) fail(c *Client, err error) {
	text := err.Error()
	c.Out.Error(text)
	e.countError(text)
}

// countError counts an error by its code.
func (e *Engine) countError(text string) {
	e.Stats.ErrorReplies++
	code, _, found := strings.Cut(text, " ")
	if !found || len(code) > 32 {
		code = "ERR"
	}
	e.errors[code]++
}

// run calls the command's function and accounts for it. Errors become replies
// here and nowhere else, and take the place of whatever the function had
// already appended.
func (e *Engine) run(call *Call) {
	c, cmd, started := call.Client, call.Cmd, e.clock.last
	mark := c.Out.Len()
	if err := e.protect(call); err != nil && err != errBlocked {
		c.Out.Truncate(mark)
		e.fail(c, err)
		cmd.stats.Failed++
	}
	if len(e.monitors) > 0 {
		e.feedMonitors(c, cmd, call.Args, started)
	}
	c.Commands++
	e.Stats.Commands++
	cmd.stats.Calls++
	took := e.clock.read() - started
	e.settled = true
	cmd.stats.Microseconds += took
	if took >= int64(e.Config.SlowlogLogSlowerThan) {
		e.logSlow(call, took)
	}
}

// protect turns a panic, which is a fault of ours, into an error reply and a
// logged stack: one broken command must not end everybody's server.
func (e *Engine) protect(call *Call) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			e.Stats.PanickedCommands++
			e.Log.Error("a command panicked", "command", call.Cmd.full, "panic", fault, "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	return call.Cmd.Run(call)
}

// silence drops what a command appended for a client that asked for no
// replies.
func (e *Engine) silence(c *Client, mark int) {
	if c.reply != ReplySkipNext && !c.pushed {
		c.Out.Truncate(min(mark, c.Out.Len()))
	}
	c.pushed = false
	switch c.reply {
	case ReplySkip:
		c.reply = ReplyOn
	case ReplySkipNext:
		c.reply = ReplySkip
	}
}

// Refuse answers a request that could not be read, as wire describes it, and
// asks for the end of the connection.
func (e *Engine) Refuse(c *Client, err error) {
	e.fail(c, Error("ERR "+err.Error()))
	c.Closing = true
}
