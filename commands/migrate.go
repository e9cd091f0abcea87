package commands

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"myredis/keyspace"
	"myredis/wire"
)

// MIGRATE moves keys to another server: it sends what DUMP would answer as
// RESTOREs, and removes the keys that the target has acknowledged.
//
// Redis stops for as long as that takes. Here a Courier does it meanwhile, the
// caller waits, and requests that could tell the difference wait with it (see
// migration_hold.go); all others go on.

// migrateCommands is MIGRATE.
var migrateCommands = []*Command{{
	Name: "migrate", Arity: -6, Flags: Write, Group: GroupGeneric, Categories: CatKeyspace | CatDangerous,
	Keys: []KeySpec{
		keyAt(3, RW|Access|Delete),
		{Flags: RW | Access | Delete | Incomplete, Index: -2, Keyword: "KEYS", Last: -1, Step: 1},
	},
	KeysOf: migrateKeys, Run: migrate, Since: "2.6.0",
	Cost:    "That of DUMP and DEL here and of RESTORE there, and O(N) with the bytes between",
	Summary: "Moves keys to another server.",
	Syntax:  `host port <key|""> destination-db timeout [COPY] [REPLACE] [[AUTH password]|[AUTH2 username password]] [KEYS key [key ...]]`,
	Tips:    []string{"nondeterministic_output"},
}}

// migrateOptions are those of MIGRATE.
type migrateOptions struct {
	copy, replace bool
	auth          [][]byte // the arguments of AUTH
	keys          [][]byte
	secret        []int // places of what no log may show
}

func parseMigrate(args [][]byte) (o migrateOptions, err error) {
	o.keys = args[3:4]
	for i := 6; i < len(args); i++ {
		more := len(args) - 1 - i
		switch {
		case equalFold(args[i], "COPY"):
			o.copy = true
		case equalFold(args[i], "REPLACE"):
			o.replace = true
		case equalFold(args[i], "AUTH") && more >= 1:
			o.auth = o.credentials(args[i+1:i+2], i+1)
			i++
		case equalFold(args[i], "AUTH2") && more >= 2:
			o.auth = o.credentials(args[i+1:i+3], i+1)
			i += 2
		case equalFold(args[i], "KEYS"):
			if len(args[3]) > 0 {
				return o, Error("ERR When using MIGRATE KEYS option, the key argument must be set to the empty string")
			}
			o.keys = args[i+1:]
			return o, nil
		default:
			return o, errSyntax
		}
	}
	return o, nil
}

// credentials notes the words from place i on. A name that AUTH2 gave stays
// for a password that a later AUTH gives, as in Redis.
func (o *migrateOptions) credentials(words [][]byte, i int) [][]byte {
	for j := range words {
		o.secret = append(o.secret, i+j)
	}
	if len(words) == 1 && len(o.auth) == 2 {
		return [][]byte{o.auth[0], words[0]}
	}
	return words
}

// migrateKeys finds the keys as Redis does: it does not mind what else is wrong.
func migrateKeys(args [][]byte) ([]keyPlace, bool) {
	const flags = RW | Access | Delete
	for i := 6; i < len(args); i++ {
		switch {
		case equalFold(args[i], "AUTH"):
			i++
		case equalFold(args[i], "AUTH2"):
			i += 2
		case equalFold(args[i], "KEYS"):
			if len(args[3]) > 0 {
				return nil, true
			}
			var places []keyPlace
			for j := i + 1; j < len(args); j++ {
				places = append(places, keyPlace{j, flags})
			}
			return places, true
		}
	}
	return []keyPlace{{3, flags}}, true
}

// migration is a MIGRATE under way.
type migration struct {
	client *Client
	db     *keyspace.DB
	keys   [][]byte
	copy   bool
	began  int64    // Unix microseconds
	caller *blocked // the request that waits for it
}

func migrate(c *Call) error {
	o, err := parseMigrate(c.Args)
	if err != nil {
		return err
	}
	timeout, err := c.int(5)
	if err != nil {
		return err
	}
	db, err := c.int(4)
	if err != nil {
		return err
	}
	m := &migration{client: c.Client, db: c.DB, copy: o.copy, began: c.Engine.clock.last}
	restores := c.restores(m, &o)
	if len(m.keys) == 0 {
		c.Simple("NOKEY")
		return nil
	}
	p := &Parcel{
		Host: string(c.Args[1]), Port: string(c.Args[2]), DB: db, Timeout: patience(timeout),
		Select: appendRequest(nil, []byte("SELECT"), strconv.AppendInt(nil, db, 10)), Restores: restores, Count: len(m.keys),
	}
	if o.auth != nil {
		p.Auth = appendRequest(nil, append([][]byte{[]byte("AUTH")}, o.auth...)...)
	}
	return c.send(m, p)
}

// patience is a timeout in milliseconds; Redis takes one that is not positive for a
// second.
func patience(ms int64) time.Duration {
	if ms <= 0 {
		ms = 1000
	}
	return time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

// restores looks the keys up, notes those that are there, and returns the
// requests that make them on the target.
func (c *Call) restores(m *migration, o *migrateOptions) (requests []byte) {
	for _, key := range o.keys {
		object := c.DB.Look(view(key))
		if object == nil {
			continue
		}
		ttl := int64(0)
		if at := object.ExpireAt(); at != 0 {
			ttl = max(1, at-c.Now())
		}
		request := [][]byte{[]byte("RESTORE"), key, strconv.AppendInt(nil, ttl, 10), c.Engine.encoder().Dump(object)}
		if o.replace {
			request = append(request, []byte("REPLACE"))
		}
		requests = appendRequest(requests, request...)
		m.keys = append(m.keys, bytes.Clone(key))
	}
	return requests
}

// appendRequest appends a request as clients send it.
func appendRequest(dst []byte, args ...[]byte) []byte {
	e := wire.Encoder{Buf: dst}
	e.Array(len(args))
	for _, arg := range args {
		e.Bulk(arg)
	}
	return e.Buf
}

// send sends the parcel. Where the caller cannot wait, in a transaction or a
// script, everybody does until the target has answered: as in Redis, nothing
// may run in between.
func (c *Call) send(m *migration, p *Parcel) error {
	e := c.Engine
	switch {
	case e.Courier == nil:
		return (&Delivery{Failure: NotConnected}).err()
	case !c.mayBlock():
		d := e.Courier.Deliver(p)
		e.removeStored(m, &d)
		if err := d.err(); err != nil {
			return err
		}
		return c.ok()
	}
	m.caller = &blocked{client: c.Client, cmd: c.Cmd, db: c.DB.Index()}
	for _, arg := range c.Args {
		m.caller.args = append(m.caller.args, bytes.Clone(arg))
	}
	e.waiters.add(m.caller)
	e.leaving.add(m.keys)
	e.Courier.Send(p, func(d Delivery) { e.arrived(m, d) })
	return errBlocked
}

// arrived ends a migration.
func (e *Engine) arrived(m *migration, d Delivery) {
	if e.scripts.busyScript() != nil {
		// It let others in, but no key may change under it.
		e.landed = append(e.landed, func() { e.arrived(m, d) })
		return
	}
	e.Turn()
	e.Keys.Now = e.clock.last / 1000
	e.removeStored(m, &d)
	if b := m.caller; b.client.blocked == b {
		e.answerMigrate(m, d.err())
		e.release(b)
	}
	e.leaving.remove(m.keys)
	e.resume()
	e.serveLate()
}

// land ends the migrations that ended under a script.
func (e *Engine) land() {
	landed := e.landed
	e.landed = nil
	for _, arrived := range landed {
		arrived()
	}
}

// answerMigrate answers the caller. As in Redis the command has taken all the
// time that the target took.
func (e *Engine) answerMigrate(m *migration, err error) {
	b := m.caller
	c := b.client
	if err != nil {
		e.fail(c, err)
		b.cmd.stats.Failed++
	} else {
		c.Out.Simple("OK")
	}
	if c.tracking != nil {
		e.sendOwn(c)
	}
	took := e.clock.read() - m.began
	b.cmd.stats.Microseconds += took - b.took
	e.measured(b.cmd, took)
	e.logSlow(&Call{Client: c, Cmd: b.cmd, Args: b.args}, took)
}

// removeStored removes the keys that the target has acknowledged.
func (e *Engine) removeStored(m *migration, d *Delivery) {
	for i, stored := range d.Stored {
		if key := m.keys[i]; stored && !m.copy && m.db.Delete(view(key)) {
			e.changed(m.client, m.db, eventGeneric, "del", key)
		}
	}
}
