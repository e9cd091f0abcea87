package commands

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"myredis/keyspace"
	"myredis/persist/rdb"
)

// Snapshots: all that there is, written to a stream and read back. Where the
// stream goes is not known here.

// save writes a snapshot.
func (e *Engine) save(stream io.Writer) error {
	w := rdb.NewWriter(stream, e.encoder())
	w.Unsummed = !e.Config.RDBChecksum
	w.Aux("redis-ver", RedisVersion)
	w.Aux("redis-bits", "64")
	w.Aux("ctime", strconv.FormatInt(time.Now().Unix(), 10))
	w.Aux("used-mem", strconv.FormatUint(readMemory().used, 10))
	w.Aux("aof-base", "0")
	for _, name := range e.scripts.lib.names() {
		w.Library(e.scripts.lib.byName[name].Code)
	}
	for i := range e.Keys.Len() {
		db := e.Keys.DB(i)
		if db.Len() == 0 {
			continue
		}
		w.Select(i, db.Len(), db.Volatile())
		db.All(func(o *keyspace.Object) bool {
			w.Key(o, e.useOf(o))
			return true
		})
	}
	return w.Close()
}

// useOf is what is written of an object's record of accesses: what the eviction
// policy goes by.
func (e *Engine) useOf(o *keyspace.Object) rdb.Use {
	use := rdb.UnknownUse
	switch {
	case e.Keys.LFU != nil:
		use.Frequency = int64(e.Keys.Frequency(o))
	case strings.HasSuffix(e.Config.MaxmemoryPolicy, "-lru"):
		use.Idle = e.Keys.Idle(o)
	}
	return use
}

// snapshot is what was read of one, not yet in anybody's sight.
type snapshot struct {
	keys      *keyspace.Keyspace
	libraries *libraries
}

// read reads a snapshot. It changes nothing.
func (e *Engine) read(stream io.Reader) (*snapshot, error) {
	r, err := rdb.NewReader(stream, e.limits())
	if err != nil {
		return nil, err
	}
	r.Unverified = e.unverified || !e.Config.RDBChecksum
	s := &snapshot{keyspace.New(e.Keys.Len()), (&libraries{}).clone()}
	s.keys.Now, s.keys.LFU = e.Keys.Now, e.Keys.LFU
	for {
		part, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = e.readPart(s, part)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.Empty > 0 {
		e.Log.Warn("a snapshot has empty keys, which were passed over", "keys", r.Empty)
	}
	return s, nil
}

func (e *Engine) readPart(s *snapshot, part any) error {
	switch part := part.(type) {
	case rdb.Library:
		_, err := e.loadLibrary(s.libraries, part.Code, false)
		return err
	case *rdb.Key:
		return s.add(part)
	}
	return nil
}

// add adds a key, unless it has fallen due.
func (s *snapshot) add(key *rdb.Key) error {
	if key.DB >= s.keys.Len() {
		return fmt.Errorf("a snapshot has a key in database %d", key.DB)
	}
	if key.ExpireAt != 0 && key.ExpireAt <= s.keys.Now {
		return nil
	}
	db := s.keys.DB(key.DB)
	if db.Has(key.Name) {
		return fmt.Errorf("a snapshot has the key %q twice", key.Name)
	}
	db.Put(key.Name, key.Object)
	if key.ExpireAt != 0 {
		db.SetExpire(key.Name, key.ExpireAt)
	}
	note(s.keys, key.Object, key.Use)
	return nil
}

// replaceWith puts a snapshot in the place of all that there is.
func (e *Engine) replaceWith(s *snapshot) {
	for i := range e.Keys.Len() {
		db := e.Keys.DB(i)
		e.flush(db, false)
		db.Exchange(s.keys.DB(i))
	}
	e.scripts.lib.replaceWith(s.libraries)
}

// merge adds a snapshot to what there is: over it, or if nothing of it is
// there.
func (e *Engine) merge(s *snapshot, over bool) error {
	set, err := e.scripts.lib.join(s.libraries, over)
	if err != nil {
		return err
	}
	var moving [][]string
	for i := range s.keys.Len() {
		var keys []string
		s.keys.DB(i).All(func(o *keyspace.Object) bool {
			keys = append(keys, o.Key())
			return true
		})
		moving = append(moving, keys)
	}
	for i, keys := range moving {
		for _, key := range keys {
			if !over && e.Keys.DB(i).Has(key) {
				return fmt.Errorf("the key %q of a snapshot is there", key)
			}
		}
	}
	for i, keys := range moving {
		for _, key := range keys {
			e.Keys.DB(i).Give(key, s.keys.DB(i).Take(key))
		}
	}
	e.scripts.lib.replaceWith(set)
	return nil
}

// debugReload writes a snapshot and reads it back. In the place of the file that
// Redis writes is the memory; NOSAVE is for the snapshot of the last time.
func debugReload(c *Call) error {
	e := c.Engine
	save, flush, over := true, true, false
	for i := 2; i < len(c.Args); i++ {
		switch {
		case c.is(i, "NOSAVE"):
			save = false
		case c.is(i, "NOFLUSH"):
			flush = false
		case c.is(i, "MERGE"):
			over = true
		default:
			return Error("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.")
		}
	}
	if save {
		var b bytes.Buffer
		if err := e.save(&b); err != nil {
			return err
		}
		e.saved = b.Bytes()
		e.dirty = 0
	}
	s, err := e.read(bytes.NewReader(e.saved))
	switch {
	case err != nil:
	case flush:
		e.replaceWith(s)
	default:
		err = e.merge(s, over)
	}
	if err != nil {
		e.Log.Warn("a snapshot could not be loaded", "error", err)
		return Error("ERR Error trying to load the RDB dump")
	}
	e.Log.Warn("DB reloaded by DEBUG RELOAD")
	return c.ok()
}
