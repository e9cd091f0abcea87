package commands

import (
	"bytes"
	"cmp"
	"runtime/debug"
	"time"

	"myredis/script"
	"myredis/wire"
)

// The debugger of scripts.
//
// A script that is debugged stops between two lines and waits for its client's
// next request. The goroutine that executes commands cannot wait: so the
// script runs in a goroutine of its own, and the two take turns. Exactly one of
// them runs at any time, and each hands over by a channel.
//
// Redis runs the script in the only process there is and lets everybody wait
// (SYNC), or in a copy of it, whose changes are lost (YES). Here others are
// served while the script waits, and what it changes stays.

const (
	errDebugPipeline Error = "ERR SCRIPT DEBUG must be called outside a pipeline"
	errDebugForked   Error = "ERR Only synchronous debugging is supported. Use SCRIPT DEBUG SYNC"
	errDebugSHA      Error = "ERR Please use EVAL instead of EVALSHA for debugging"
)

// debugging is a script that stands still in the debugger.
type debugging struct {
	commands chan []string // to the script; closed when the client has gone
	said     chan []string // from the script; closed when it has ended
	rest     []string      // what was said last
	out      wire.Encoder  // its reply
}

func scriptDebug(c *Call) error {
	client := c.Client
	if client.Out.Len() > 0 || client.Conn != nil && client.Conn.Unsent() > 0 {
		return errDebugPipeline
	}
	switch {
	case c.is(2, "NO"):
		client.debugEval = false
	case c.is(2, "SYNC"):
		client.debugEval = true
	case c.is(2, "YES"):
		return errDebugForked
	default:
		return Error("ERR Use SCRIPT DEBUG YES/SYNC/NO")
	}
	return c.ok()
}

// debugScript begins to run the script of an EVAL in the debugger. What is
// said at its first stop is the reply.
func (c *Call) debugScript() error {
	e := c.Engine
	own := *c // outlives the command, and so must its arguments
	own.Args = nil
	for _, arg := range c.Args {
		own.Args = append(own.Args, bytes.Clone(arg))
	}
	keys, args, err := own.splitKeys(errNotInteger)
	var stored *storedScript
	var run *scriptRun
	if err == nil {
		stored, err = e.scripts.compile(own.Args[1])
	}
	if err == nil {
		run, err = own.beginScript(stored.name, stored.program.Flags)
	}
	d := &debugging{commands: make(chan []string), said: make(chan []string)}
	d.out.Proto = c.Proto
	if err != nil {
		d.out.Error(err.Error())
		e.countError(err.Error())
		close(d.said)
	} else {
		run.inv = script.Invocation{Name: stored.name, Keys: keys, Args: args, Host: run}
		go d.run(run, stored.program, string(own.Args[1]))
	}
	c.Client.debug = d
	c.Client.debugReply()
	return nil
}

// debugTimeout is how long a script in the debugger may run unasked when
// busy-reply-threshold is not set.
const debugTimeout = 5 * time.Second

func (d *debugging) run(run *scriptRun, program *script.Program, source string) {
	defer close(d.said)
	e := run.engine
	defer e.endScript(run)
	defer func() {
		if fault := recover(); fault != nil {
			e.Stats.PanickedCommands++
			e.Log.Error("a script panicked in the debugger", "panic", fault, "stack", string(debug.Stack()))
			d.out.Error(errInternal.Error())
		}
	}()
	session := &script.Session{Timeout: cmp.Or(e.busyAfter(), debugTimeout), Ask: d.ask}
	d.rest = e.scripts.interpreter().Debug(program, source, &run.inv, session, &d.out)
}

// ask is called by the script: it says what it has to say and waits.
func (d *debugging) ask(said []string) (command []string, ok bool) {
	d.said <- said
	command, ok = <-d.commands
	return command, ok
}

// debugCommand hands a request of a client to its script.
func (e *Engine) debugCommand(c *Client, args [][]byte) {
	command := make([]string, len(args))
	for i, arg := range args {
		command[i] = string(arg)
	}
	c.debug.commands <- command
	c.debugReply()
}

// debugReply waits until the script stops or ends and replies with what it
// says. At its end its own reply follows, and the connection is closed, as in
// Redis.
func (c *Client) debugReply() {
	d := c.debug
	said, stopped := <-d.said
	if !stopped {
		said = append(d.rest, "<endsession>")
	}
	c.Out.Array(len(said))
	for _, line := range said {
		c.Out.Simple(line)
	}
	if !stopped {
		c.Out.Buf = append(c.Out.Buf, d.out.Buf...)
		c.debug, c.Closing = nil, true
	}
}

// leaveDebugger lets the script of a client that has gone run to its end.
func (c *Client) leaveDebugger() {
	if d := c.debug; d != nil {
		c.debug = nil
		close(d.commands)
		for range d.said {
		}
	}
}
