package commands

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"math/big"
	"slices"

	"myredis/keyspace"
	"myredis/wire"
)

// Commands that wait for a key.
//
// A command that finds nothing returns c.block(...). Its request is kept and
// run again, from the beginning, each time one of its keys changes: there is
// no second code path that serves a waiting client. Clients that wait for the
// same key are served in the order in which they began to wait. Keys that
// change inside a transaction or a script are looked at when it has ended, as
// in Redis.

// errBlocked is returned by a command that waits; it has not replied.
var errBlocked = errors.New("blocked")

// errWrongDestination is errWrongType where it ends the waiting: there is
// something to take, but nowhere to put it.
var errWrongDestination = errors.New(string(errWrongType))

// blocked is a request that waits.
type blocked struct {
	client   *Client
	cmd      *Command
	args     [][]byte
	db       int
	keys     []string
	deadline int64 // Unix ms; 0: never
	giveUp   func(*wire.Encoder)
	ready    []byte // the key that has changed, while the request runs again
	took     int64  // microseconds, until it found that it had to wait
}

// waiters are the requests that wait, by key and by deadline.
type waiters struct {
	onKey   map[dbKey][]*blocked
	timed   []*blocked // by deadline
	changed []dbKey    // keys that somebody waits for and that have changed
	count   int
}

// block makes the command wait until one of the keys changes, for at most
// timeout milliseconds (0 is for ever); giveUp replies when that time is over.
// Where waiting is not allowed, in a transaction or a script, it gives up at once.
func (c *Call) block(keys [][]byte, timeout int64, giveUp func(*wire.Encoder)) error {
	return c.blockAs(c.Args, keys, timeout, giveUp)
}

// blockAs is block for a command that is to be run again with other arguments
// than it has.
func (c *Call) blockAs(args, keys [][]byte, timeout int64, giveUp func(*wire.Encoder)) error {
	switch {
	case !c.mayBlock():
		giveUp(c.Encoder)
		return nil
	case c.Client.blocked != nil:
		return errBlocked // run again, and again in vain
	}
	b := &blocked{client: c.Client, cmd: c.Cmd, db: c.DB.Index(), giveUp: giveUp}
	for _, arg := range args {
		b.args = append(b.args, bytes.Clone(arg))
	}
	for _, key := range keys {
		if name := string(key); !slices.Contains(b.keys, name) {
			b.keys = append(b.keys, name)
		}
	}
	if timeout > 0 {
		b.deadline = c.Now() + min(timeout, math.MaxInt64-c.Now())
	}
	c.Engine.waiters.add(b)
	return errBlocked
}

// mayBlock reports whether the command may wait.
func (c *Call) mayBlock() bool {
	return !c.Client.script && (c.Client.tx == nil || !c.Client.tx.running)
}

// ready returns which of the keys that a command takes the first of are to be
// looked at: all of them, or the one that has changed while it waited. Redis does
// not mind then what the others hold.
func (c *Call) ready(keys [][]byte) [][]byte {
	if b := c.Client.blocked; b != nil {
		return [][]byte{b.ready}
	}
	return keys
}

func (w *waiters) add(b *blocked) {
	if w.onKey == nil {
		w.onKey = map[dbKey][]*blocked{}
	}
	b.client.blocked = b
	w.count++
	for _, key := range b.keys {
		at := dbKey{b.db, key}
		w.onKey[at] = append(w.onKey[at], b)
	}
	if b.deadline != 0 {
		i, _ := slices.BinarySearchFunc(w.timed, b.deadline, func(o *blocked, at int64) int {
			return cmp.Or(cmp.Compare(o.deadline, at), -1) // after those of the same instant
		})
		w.timed = slices.Insert(w.timed, i, b)
	}
}

func (w *waiters) remove(b *blocked) {
	b.client.blocked = nil
	w.count--
	same := func(o *blocked) bool { return o == b }
	for _, key := range b.keys {
		at := dbKey{b.db, key}
		if rest := slices.DeleteFunc(w.onKey[at], same); len(rest) > 0 {
			w.onKey[at] = rest
		} else {
			delete(w.onKey, at)
		}
	}
	if b.deadline != 0 {
		w.timed = slices.DeleteFunc(w.timed, same)
	}
}

// touch notes that a key has changed that somebody may wait for.
func (w *waiters) touch(db *keyspace.DB, key []byte) {
	if w.count == 0 {
		return
	}
	at := dbKey{db.Index(), view(key)}
	if len(w.onKey[at]) > 0 && !slices.Contains(w.changed, at) {
		w.changed = append(w.changed, dbKey{at.db, string(key)})
	}
}

// touchAll is touch for every key of a database whose contents have been
// replaced.
func (w *waiters) touchAll(db *keyspace.DB) {
	for at := range w.onKey {
		if at.db == db.Index() {
			w.touch(db, []byte(at.key))
		}
	}
}

// serveWaiters runs the requests that wait for keys that have changed, until
// no change is left that one of them has made. The command before it may have
// taken its time, in which a key that it made can have fallen due.
func (e *Engine) serveWaiters() {
	w := &e.waiters
	e.Keys.Now = e.clock.last / 1000
	for len(w.changed) > 0 {
		at := w.changed[0]
		w.changed = w.changed[1:]
		for _, b := range slices.Clone(w.onKey[at]) {
			switch {
			case b.client.blocked != b:
			case e.bars(b.cmd, b.args):
				e.leaving.late = append(e.leaving.late, at)
			default:
				b.ready = []byte(at.key)
				e.retry(b)
			}
		}
	}
	w.changed = nil
}

// retry runs a waiting request again. It goes on waiting if there is nothing
// for it, or the key has become something that it cannot take from.
func (e *Engine) retry(b *blocked) {
	c := b.client
	mark := c.Out.Len()
	call := &Call{Encoder: &c.Out, Args: b.args, Client: c, Engine: e, DB: e.Keys.DB(b.db), Cmd: b.cmd}
	began := e.clock.read()
	outer := e.current
	e.current = c
	err := e.protect(call)
	e.current = outer
	if errors.Is(err, errBlocked) || errors.Is(err, errWrongType) {
		c.Out.Truncate(mark)
		return
	}
	if err != nil {
		c.Out.Truncate(mark)
		e.fail(c, err)
		b.cmd.stats.Failed++
	}
	if c.tracking != nil {
		e.sendOwn(c)
	}
	served := e.clock.read() - began
	b.cmd.stats.Microseconds += served
	e.measured(b.cmd, b.took+served)
	e.logSlow(call, b.took+served)
	e.sampleLatency("command-unblocking", served)
	e.release(b)
}

// release ends the waiting; the connection goes on with what the client has
// sent meanwhile.
func (e *Engine) release(b *blocked) {
	e.waiters.remove(b)
	e.wrote(b.client)
}

// expireWaiters gives up for those whose time is over.
func (e *Engine) expireWaiters() {
	for len(e.waiters.timed) > 0 && e.waiters.timed[0].deadline <= e.Keys.Now {
		b := e.waiters.timed[0]
		b.giveUp(&b.client.Out)
		e.release(b)
	}
}

// unblock ends a client's waiting as if its time were over, or with an error.
func (e *Engine) unblock(b *blocked, withError bool) {
	if withError {
		e.fail(b.client, Error("UNBLOCKED client unblocked via CLIENT UNBLOCK"))
		b.cmd.stats.Failed++
	} else {
		b.giveUp(&b.client.Out)
	}
	e.release(b)
}

// Blocked reports whether the client waits: no request of it is to be run
// before it has been answered.
func (c *Client) Blocked() bool { return c.blocked != nil }

// NextDeadline returns when, in Unix milliseconds, Tick is needed at the
// latest for the sake of a client that waits.
func (e *Engine) NextDeadline() (at int64, ok bool) {
	at = e.pause.until
	if timed := e.waiters.timed; len(timed) > 0 && (at == 0 || timed[0].deadline < at) {
		at = timed[0].deadline
	}
	return at, at != 0
}

// timeout parses argument i as seconds to wait, with fractions; 0 is for ever.
// As in Redis it is a long double, rounded up to milliseconds; so what is above
// a negative millisecond is 0.
func (c *Call) timeout(i int) (ms int64, err error) {
	if n, ok := parseInt(c.Args[i]); ok && 0 <= n && n <= math.MaxInt64/1000 {
		return n * 1000, nil
	}
	seconds, ok := parseLongDouble(c.Args[i])
	if !ok {
		return 0, Error("ERR timeout is not a float or out of range")
	}
	product := new(big.Float).SetPrec(longDoubleBits).Mul(seconds, big.NewFloat(1000))
	ms, rounded := product.Int64()
	if rounded == big.Below {
		ms++ // in Redis too a number too large for an integer comes out negative
	}
	if ms < 0 {
		return 0, Error("ERR timeout is negative")
	}
	return ms, nil
}

// milliseconds parses argument i as milliseconds to wait.
func (c *Call) milliseconds(i int) (int64, error) {
	ms, ok := parseInt(c.Args[i])
	switch {
	case !ok:
		return 0, Error("ERR timeout is not an integer or out of range")
	case ms < 0:
		return 0, Error("ERR timeout is negative")
	}
	return ms, nil
}
