package commands

import (
	"myredis/keyspace"
	"myredis/persist/rdb"
)

// dumpCommands are DUMP and RESTORE. How values are written is package rdb's.
var dumpCommands = []*Command{
	{
		Name: "dump", Arity: 2, Flags: ReadOnly, Group: GroupGeneric, Keys: oneKey(RO | Access), Run: dump, Since: "2.6.0",
		Cost: "O(N) with the size of the value", Summary: "Answers the value of a key in a form that RESTORE takes.", Syntax: "key",
		Tips: []string{"nondeterministic_output"},
	},
	{
		Name: "restore", Arity: -4, Flags: Write | DenyOOM, Group: GroupGeneric, Categories: CatKeyspace | CatDangerous,
		Keys: oneKey(OW | Update), Run: restore, Since: "2.6.0",
		Cost: "O(N) with the size of the value, O(N*log(N)) for a sorted set", Summary: "Makes a key of what DUMP answered.",
		Syntax: "key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]",
	},
}

const (
	errBusyKey     Error = "BUSYKEY Target key name already exists."
	errDumpTrailer Error = "ERR DUMP payload version or checksum are wrong"
	errDumpData    Error = "ERR Bad data format"
)

// encoder returns what writes values and libraries, as it is configured.
func (e *Engine) encoder() *rdb.Encoder {
	e.rdb.Compress = e.Config.RDBCompression
	return &e.rdb
}

// limits are those of the compact encodings, as they are configured.
func (e *Engine) limits() rdb.Limits {
	return rdb.Limits{
		HashEntries: e.Config.HashMaxListpackEntries, HashValue: e.Config.HashMaxListpackValue,
		SetIntegers: e.Config.SetMaxIntsetEntries,
		ZSetEntries: e.Config.ZsetMaxListpackEntries, ZSetValue: e.Config.ZsetMaxListpackValue,
	}
}

func dump(c *Call) error {
	o := c.DB.Look(view(c.Args[1]))
	if o == nil {
		c.Null()
		return nil
	}
	c.Bulk(c.Engine.encoder().Dump(o))
	return nil
}

// note makes the object one that was used like that, as far as the present
// policy has use for it.
func note(ks *keyspace.Keyspace, o *keyspace.Object, use rdb.Use) {
	switch {
	case ks.LFU != nil && use.Frequency >= 0:
		ks.SetFrequency(o, uint32(use.Frequency))
	case ks.LFU == nil && use.Idle >= 0:
		ks.SetIdle(o, use.Idle)
	}
}

// restoreOptions are those of RESTORE.
type restoreOptions struct {
	replace, absolute bool
	use               rdb.Use
}

func (c *Call) restoreOptions() (o restoreOptions, err error) {
	o.use = rdb.UnknownUse
	for i := 4; i < len(c.Args); i++ {
		more := i+1 < len(c.Args)
		switch {
		case c.is(i, "REPLACE"):
			o.replace = true
		case c.is(i, "ABSTTL"):
			o.absolute = true
		case c.is(i, "IDLETIME") && more && o.use.Frequency < 0:
			i++
			if o.use.Idle, err = c.int(i); err == nil && o.use.Idle < 0 {
				err = Error("ERR Invalid IDLETIME value, must be >= 0")
			}
		case c.is(i, "FREQ") && more && o.use.Idle < 0:
			i++
			if o.use.Frequency, err = c.int(i); err == nil && (o.use.Frequency < 0 || o.use.Frequency > 255) {
				err = Error("ERR Invalid FREQ value, must be >= 0 and <= 255")
			}
		default:
			err = errSyntax
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

func restore(c *Call) error {
	options, err := c.restoreOptions()
	if err != nil {
		return err
	}
	key := c.Args[1]
	if !options.replace && c.DB.Find(view(key)) != nil {
		return errBusyKey
	}
	at, err := c.int(2)
	switch {
	case err != nil:
		return err
	case at < 0:
		return Error("ERR Invalid TTL value, must be >= 0")
	}
	body, ok := rdb.Open(c.Args[3], c.Engine.unverified)
	if !ok {
		return errDumpTrailer
	}
	o, err := rdb.Undump(body, c.Engine.limits())
	if err != nil {
		return errDumpData
	}
	if at != 0 && !options.absolute {
		at += c.Now()
	}
	deleted := options.replace && c.DB.Delete(view(key))
	if at != 0 && at <= c.Now() {
		if deleted {
			c.changed(eventGeneric, "del", key)
		}
		return c.ok()
	}
	c.DB.Put(view(key), o)
	if at != 0 {
		c.DB.SetExpire(view(key), at)
	}
	note(c.Engine.Keys, o, options.use)
	c.changed(eventGeneric, "restore", key)
	return c.ok()
}
