package commands

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"myredis/internal/acl"
	"myredis/script"
)

// A running script.
//
// It runs in the goroutine that executes commands, inside its caller's
// command, so that nothing happens in between: that is what makes it atomic.
// Its commands go through the same door as any other (run), in the name of a
// client of its own, whose database it can change without the caller's being
// changed.
//
// A script that takes longer than busy-reply-threshold lets others in, by
// OnBusy, between two of its instructions. They are told that the server is
// busy, and can end the script, unless it has written: half of it would then
// have happened.

const (
	errBusyScript   Error = "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
	errBusyFunction Error = "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."
	errNotBusy      Error = "NOTBUSY No scripts in execution right now."
	errUnkillable   Error = "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command."
)

// scriptRun is a script or function that runs. It is what the script asks for
// commands.
type scriptRun struct {
	engine     *Engine
	caller     *Client
	args       [][]byte // the caller's command
	cmd        *Command
	client     *Client // in whose name commands run
	inv        script.Invocation
	function   bool
	readOnly   bool
	denyOOM    bool // it may not call what needs memory
	wrote      bool
	killed     bool
	busy       bool // it has run longer than busy-reply-threshold
	began      time.Time
	servedLast time.Time // when OnBusy was called last
}

// beginScript prepares to run a script, unless what it says of itself forbids
// that at present. endScript must follow.
func (c *Call) beginScript(name string, flags script.Flags) (*scriptRun, error) {
	e := c.Engine
	ro := c.Cmd.Flags&ReadOnly != 0
	declared := flags&script.Undeclared == 0
	if declared {
		switch {
		case ro && flags&script.NoWrites == 0:
			return nil, errROScript
		case e.overMemory && flags&(script.AllowOOM|script.NoWrites) == 0:
			return nil, errOOMScript
		}
	}
	run := e.scripts.acquire(e)
	client := run.client
	*run = scriptRun{
		engine: e, caller: c.Client, args: c.Args, cmd: c.Cmd, client: client, began: time.Now(),
		readOnly: ro || declared && flags&script.NoWrites != 0,
		denyOOM:  e.overMemory && (!declared || flags&script.AllowOOM == 0),
	}
	client.db, client.user, client.authenticated = c.Client.db, c.Client.user, c.Client.authenticated
	e.scripts.running = append(e.scripts.running, run)
	return run, nil
}

func (e *Engine) endScript(run *scriptRun) {
	s := &e.scripts
	s.running = slices.DeleteFunc(s.running, func(r *scriptRun) bool { return r == run })
	run.caller, run.args, run.cmd, run.inv = nil, nil, nil, script.Invocation{}
	run.client.call = Call{}
	if cap(run.client.Out.Buf) > keptReply {
		run.client.Out.Buf = nil
	}
	s.idle = append(s.idle, run)
}

// keptReply is how large a buffer for the replies of commands may be and be
// kept for the next script.
const keptReply = 64 << 10

func (s *scripting) acquire(e *Engine) *scriptRun {
	if n := len(s.idle); n > 0 {
		run := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return run
	}
	return &scriptRun{client: &Client{engine: e, Addr: "lua", script: true}}
}

// Call implements script.Host.
func (r *scriptRun) Call(args [][]byte, proto int) ([]byte, error) {
	e, c := r.engine, r.client
	c.Out.Truncate(0)
	c.Out.Proto = proto
	cmd := e.lookup(args)
	if err := r.admit(cmd, args); err != nil {
		if cmd != nil {
			cmd.stats.Rejected++
		}
		e.fail(c, err)
		return nil, err
	}
	r.wrote = r.wrote || cmd.Flags&Write != 0
	c.lastCommand = cmd
	c.call = Call{Encoder: &c.Out, Args: args, Client: c, Engine: e, DB: e.Keys.DB(c.db), Cmd: cmd}
	e.run(&c.call)
	return c.Out.Buf, nil
}

// admit decides whether the script may run the command (script.c,
// scriptCall).
func (r *scriptRun) admit(cmd *Command, args [][]byte) error {
	switch {
	case cmd == nil:
		return Error("ERR Unknown Redis command called from script")
	case !cmd.arity(len(args)):
		return Error("ERR Wrong number of args calling Redis command from script")
	case cmd.Flags&NoScript != 0 && !r.engine.scripts.anyCommand:
		return Error("ERR This Redis command is not allowed from script")
	}
	if why := r.engine.authorize(r.client, cmd, args, acl.InScript); why != acl.Allowed {
		return errScriptRefused(why)
	}
	switch {
	case r.readOnly && cmd.Flags&(Write|MayReplicate) != 0:
		return Error("ERR Write commands are not allowed from read-only scripts.")
	case r.denyOOM && !r.wrote && cmd.Flags&DenyOOM != 0:
		return errOOM
	}
	return nil
}

// Permitted implements script.Host.
func (r *scriptRun) Permitted(args [][]byte) (allowed, known bool) {
	cmd := r.engine.lookup(args)
	if cmd == nil {
		return false, false
	}
	why, _ := cmd.permitted(r.client.user, args)
	return why == acl.Allowed, true
}

// Log implements script.Host.
func (r *scriptRun) Log(level int, text string) { r.engine.scriptLog(level, text) }

func (e *Engine) scriptLog(level int, text string) {
	levels := [...]slog.Level{
		script.LogDebug: slog.LevelDebug, script.LogVerbose: slog.LevelDebug, script.LogNotice: slog.LevelInfo, script.LogWarning: slog.LevelWarn,
	}
	e.Log.Log(context.Background(), levels[level], text)
}

// Failed implements script.Host.
func (r *scriptRun) Failed(text string, counted bool) {
	r.cmd.stats.Failed++
	if !counted {
		r.engine.countError(text)
	}
}

// busyAfter is how long a script may run before others are let in; 0 is for
// ever.
func (e *Engine) busyAfter() time.Duration {
	return time.Duration(e.Config.BusyReplyThreshold) * time.Millisecond
}

// Interrupt implements script.Host.
func (r *scriptRun) Interrupt() (kill bool) {
	if !r.busy {
		limit := r.engine.busyAfter()
		took := time.Since(r.began)
		if limit <= 0 || took < limit {
			return false
		}
		r.busy = true
		r.engine.Log.Warn(fmt.Sprintf("Slow script detected: still in execution after %d milliseconds. "+
			"You can try killing the script using the %s command. Script name is: %s.", took.Milliseconds(), r.killer(), r.inv.Name))
	}
	r.serveOthers()
	return r.killed
}

// serveEvery is the pace at which a busy script lets others in.
const serveEvery = time.Millisecond

func (r *scriptRun) serveOthers() {
	e := r.engine
	if e.OnBusy == nil || time.Since(r.servedLast) < serveEvery {
		return
	}
	now := e.Keys.Now
	e.OnBusy()
	// To the script no time passes.
	e.Keys.Now, e.settled = now, false
	r.servedLast = time.Now()
}

func (r *scriptRun) killer() string {
	if r.function {
		return "FUNCTION KILL"
	}
	return "SCRIPT KILL"
}

// busyScript returns the script that keeps others waiting, or nil.
func (s *scripting) busyScript() *scriptRun {
	for _, r := range s.running {
		if r.busy {
			return r
		}
	}
	return nil
}

// refuse is what a client is told that wants something while a script keeps it
// waiting; nil when none does, or for what is allowed then.
func (s *scripting) refuse(cmd *Command) error {
	if len(s.running) == 0 || cmd.Flags&AllowBusy != 0 {
		return nil
	}
	return s.busyError()
}

// StopScripts ends the scripts that run, whatever they have done: the process
// is about to end.
func (e *Engine) StopScripts() {
	for _, r := range e.scripts.running {
		r.killed = true
	}
}

// busyError says which script keeps others waiting; nil for none.
func (s *scripting) busyError() error {
	switch r := s.busyScript(); {
	case r == nil:
		return nil
	case r.function:
		return errBusyFunction
	default:
		return errBusyScript
	}
}

// killScript is SCRIPT KILL and FUNCTION KILL.
func (c *Call) killScript(function bool) error {
	r := c.Engine.scripts.busyScript()
	switch {
	case r == nil:
		return errNotBusy
	case r.wrote:
		return errUnkillable
	case r.function && !function:
		return errBusyFunction
	case !r.function && function:
		return errBusyScript
	}
	r.killed = true
	return c.ok()
}

// showScript shows the command to monitors before those that the script calls;
// run does not, by its flag.
func (c *Call) showScript() {
	if len(c.Engine.monitors) > 0 {
		shown := *c.Cmd
		shown.Flags &^= SkipMonitor
		c.Engine.feedMonitors(c.Client, &shown, c.Args, c.Engine.clock.last)
	}
}
