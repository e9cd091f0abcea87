package commands

import "slices"

// While a key is on its way to another server it is here and may be there too.
// Redis lets nobody see that, as it runs nothing else meanwhile; here requests
// that name the key wait, and those that may change a key that they do not
// name: FLUSHALL, scripts. The database does not count: MOVE and COPY reach
// into others.

// leaving are the keys on their way.
type leaving struct {
	keys map[string]int // how often: a request may name a key twice
	late []dbKey        // keys that have changed for somebody who waits for them and for one of these
}

func (l *leaving) add(keys [][]byte) {
	if l.keys == nil {
		l.keys = map[string]int{}
	}
	for _, key := range keys {
		l.keys[string(key)]++
	}
}

func (l *leaving) remove(keys [][]byte) {
	for _, key := range keys {
		if l.keys[view(key)]--; l.keys[view(key)] <= 0 {
			delete(l.keys, view(key))
		}
	}
}

// bars reports whether a command has to wait until the keys have left.
func (e *Engine) bars(cmd *Command, args [][]byte) bool {
	if len(e.leaving.keys) == 0 {
		return false
	}
	places, _ := cmd.keyPlaces(args)
	named := func(p keyPlace) bool { return e.leaving.keys[view(args[p.arg])] > 0 }
	if slices.ContainsFunc(places, named) {
		return true
	}
	switch {
	case !cmd.hasKeys():
		return cmd.Flags&Write != 0
	case cmd.Flags&NoMandatoryKeys != 0:
		return e.scriptFlags(cmd, args)&(Write|MayReplicate) != 0
	}
	return false
}

// barsRequest is bars for a client's request, which may be EXEC, or only to be
// queued.
func (e *Engine) barsRequest(c *Client, cmd *Command, args [][]byte) bool {
	switch {
	case len(e.leaving.keys) == 0, c.tx.queues(cmd):
		return false
	case cmd.full == "exec" && c.tx.open():
		return slices.ContainsFunc(c.tx.queued, func(q queuedCommand) bool { return e.bars(q.cmd, q.args) })
	}
	return e.bars(cmd, args)
}

// serveLate lets those try again that could not while the keys were on their way.
func (e *Engine) serveLate() {
	late := e.leaving.late
	e.leaving.late = nil
	for _, at := range late {
		e.waiters.touch(e.Keys.DB(at.db), []byte(at.key))
	}
	if len(e.waiters.changed) > 0 {
		e.serveWaiters()
	}
}
