package commands

import (
	"errors"

	"myredis/persist/rdb"
)

// FUNCTION DUMP and RESTORE.
//
// A dump is made of what an RDB file has for each library, the version of that
// format, and a checksum over all before it (functions.c, functionDumpCommand).
// It can be taken to Redis and back.

func functionDump(c *Call) error {
	l := &c.Engine.scripts.lib
	enc := c.Engine.encoder()
	var b []byte
	for _, name := range l.names() {
		b = enc.AppendLibrary(b, l.byName[name].Code)
	}
	c.Bulk(rdb.Seal(b))
	return nil
}

func functionRestore(c *Call) error {
	if len(c.Args) > 4 {
		return c.wrongSubcommand()
	}
	flush, replace := false, false
	if len(c.Args) == 4 {
		switch {
		case c.is(3, "APPEND"):
		case c.is(3, "REPLACE"):
			replace = true
		case c.is(3, "FLUSH"):
			flush = true
		default:
			return Error("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.")
		}
	}
	body, ok := rdb.Open(c.Args[2], c.Engine.unverified)
	if !ok {
		return errDumpTrailer
	}
	e := c.Engine
	restored, err := e.restoreLibraries(body)
	if err != nil {
		return err
	}
	set := restored
	if !flush {
		if set, err = e.scripts.lib.join(restored, replace); err != nil {
			return err
		}
	}
	e.scripts.lib.replaceWith(set)
	e.dirty++
	return c.ok()
}

// restoreLibraries makes a set of the libraries in a dump.
func (e *Engine) restoreLibraries(body []byte) (*libraries, error) {
	set := (&libraries{}).clone()
	for d := rdb.NewDecoder(body, rdb.Limits{}); d.More(); {
		code, err := d.Library()
		switch {
		case errors.Is(err, rdb.ErrNoLibrary):
			return nil, Error("ERR given type is not a function")
		case err != nil:
			return nil, Error("ERR Failed loading library payload")
		}
		if _, err := e.loadLibrary(set, string(code), false); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// join adds the libraries of another set to those of this one. Libraries of
// the same name are replaced if that is asked for; functions of the same name
// in different ones are an error.
func (l *libraries) join(other *libraries, replace bool) (*libraries, error) {
	set := l.clone()
	for _, name := range other.names() {
		if old := set.byName[name]; old != nil {
			if !replace {
				return nil, errorf("ERR Library %s already exists", name)
			}
			set.unlink(old)
		}
	}
	for _, name := range other.names() {
		if err := set.add(other.byName[name]); err != nil {
			return nil, err
		}
	}
	return set, nil
}
