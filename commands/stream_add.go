package commands

import (
	"bytes"
	"math"

	"myredis/keyspace/stream"
)

const (
	errTwoTrims       Error = "ERR syntax error, MAXLEN and MINID options at the same time are not compatible"
	errNegativeMaxLen Error = "ERR The MAXLEN argument must be >= 0."
	errNegativeLimit  Error = "ERR The LIMIT argument must be >= 0."
	errLimitAlone     Error = "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy"
	errLimitExact     Error = "ERR syntax error, LIMIT cannot be used without the special ~ option"
	errNoTrim         Error = "ERR syntax error, XTRIM must be called with a trimming strategy"
	errIDZero         Error = "ERR The ID specified in XADD must be greater than 0-0"
	errIDsExhausted   Error = "ERR The stream has exhausted the last possible ID, unable to add more items"
	errIDTooSmall     Error = "ERR The ID specified in XADD is equal or smaller than the target stream top item"
	errEntryTooLarge  Error = "ERR Elements are too large to be stored"
)

func xadd(c *Call) error {
	a, err := c.addArgs()
	if err != nil {
		return err
	}
	key, pairs := c.Args[1], c.Args[min(a.idAt+1, len(c.Args)):]
	switch {
	case len(pairs) < 2 || len(pairs)%2 == 1:
		return errorf("ERR wrong number of arguments for '%s' command", c.Cmd.full)
	case a.form == wholeID && a.id.IsZero():
		return errIDZero
	}
	s, err := find[*stream.Stream](c, key)
	if err != nil {
		return err
	}
	if s == nil && a.noMkStream {
		c.Null()
		return nil
	}
	id, err := a.nextID(s, c.Now())
	if err != nil {
		return err
	}
	if stream.Size(pairs) > stream.MaxEntryBytes {
		return errEntryTooLarge
	}
	if s == nil {
		s = c.putStream(key)
	}
	config := c.Engine.Config
	s.Append(id, pairs, stream.Limits{Bytes: config.StreamNodeMaxBytes, Entries: config.StreamNodeMaxEntries})
	c.replyID(id)
	c.changed(eventStream, "xadd", key)
	if a.trims && s.Trim(a.Trim) > 0 {
		c.streamEvent("xtrim", key)
	}
	return nil
}

// idForm is how much of an entry's ID is left to the server.
type idForm uint8

const (
	anyID   idForm = iota // all: *
	msID                  // the number within the millisecond: ms-*
	wholeID               // nothing
)

// trimArgs are the arguments that XADD and XTRIM have in common.
type trimArgs struct {
	stream.Trim
	trims   bool // there is a strategy
	limited bool
}

// addArgs are the arguments of XADD.
type addArgs struct {
	trimArgs
	noMkStream bool
	idAt       int
	id         stream.ID
	form       idForm
}

// addArgs reads the options up to the ID.
func (c *Call) addArgs() (a addArgs, err error) {
	for a.idAt = 2; a.idAt < len(c.Args); a.idAt++ {
		if string(c.Args[a.idAt]) == "*" {
			break
		}
		n, err := c.trimOption(&a.trimArgs, a.idAt)
		switch {
		case err != nil:
			return a, err
		case n > 0:
			a.idAt += n - 1
			continue
		case c.is(a.idAt, "NOMKSTREAM"):
			a.noMkStream = true
			continue
		}
		var ok bool
		if a.id, a.form, ok = parseNewID(c.Args[a.idAt]); !ok {
			return a, errStreamID
		}
		break
	}
	return a, c.settle(&a.trimArgs)
}

// parseNewID reads an ID of which the number within the millisecond may be left
// to the server.
func parseNewID(arg []byte) (id stream.ID, form idForm, ok bool) {
	if ms, seq, _ := bytes.Cut(cString(arg), []byte{'-'}); string(seq) == "*" {
		id.MS, ok = parseUint(ms)
		return id, msID, ok
	}
	id, ok = parseStreamID(arg, 0)
	return id, wholeID, ok
}

// trimOption reads an option of trimming at argument i, and returns how many
// arguments it takes; 0 if there is none.
func (c *Call) trimOption(a *trimArgs, i int) (n int, err error) {
	more := len(c.Args) - 1 - i
	switch {
	case more == 0:
		return 0, nil
	case c.is(i, "LIMIT"):
		if a.Limit, err = c.int(i + 1); err != nil {
			return 0, err
		}
		if a.Limit < 0 {
			return 0, errNegativeLimit
		}
		a.limited = true
		return 2, nil
	case !c.is(i, "MAXLEN") && !c.is(i, "MINID"):
		return 0, nil
	case a.trims:
		return 0, errTwoTrims
	}
	a.trims, a.ByID = true, c.is(i, "MINID")
	n = 1
	if sign := string(c.Args[i+1]); more >= 2 && (sign == "~" || sign == "=") {
		a.Approx = sign == "~"
		n++
	}
	if a.ByID {
		a.MinID, err = c.id(i + n)
	} else if a.MaxLen, err = c.int(i + n); err == nil && a.MaxLen < 0 {
		err = errNegativeMaxLen
	}
	return n + 1, err
}

// settle checks what is said about a limit, and sets the one that approximate
// trimming has if nothing is said: a hundred nodes full of entries.
func (c *Call) settle(a *trimArgs) error {
	switch {
	case a.Limit > 0 && !a.trims:
		return errLimitAlone
	case !a.trims && !a.limited:
		return nil
	case a.limited && !a.Approx:
		return errLimitExact
	case a.Approx && !a.limited:
		const nodes, least, most = 100, 10_000, 1_000_000
		entries := c.Engine.Config.StreamNodeMaxEntries
		switch {
		case entries > most/nodes:
			a.Limit = most
		case entries == 0:
			a.Limit = least
		default:
			a.Limit = nodes * entries
		}
	}
	return nil
}

// nextID returns the ID of a new entry.
func (a *addArgs) nextID(s *stream.Stream, now int64) (stream.ID, error) {
	var last stream.ID
	if s != nil {
		last = s.Last()
	}
	if last == stream.Max {
		return last, errIDsExhausted
	}
	id := a.id
	switch {
	case a.form == anyID && now > 0 && uint64(now) > last.MS:
		id = stream.ID{MS: uint64(now)}
	case a.form == anyID:
		id, _ = last.Next()
	case a.form == msID && id.MS == last.MS:
		if last.Seq == math.MaxUint64 {
			return id, errIDTooSmall
		}
		id.Seq = last.Seq + 1
	}
	if !id.After(last) {
		return id, errIDTooSmall
	}
	return id, nil
}

func xtrim(c *Call) error {
	var a trimArgs
	for i := 2; i < len(c.Args); {
		n, err := c.trimOption(&a, i)
		if err != nil {
			return err
		}
		if n == 0 {
			return errSyntax
		}
		i += n
	}
	if a.Limit == 0 && !a.trims {
		return errNoTrim
	}
	if err := c.settle(&a); err != nil {
		return err
	}
	key := c.Args[1]
	s, err := find[*stream.Stream](c, key)
	if err != nil {
		return err
	}
	removed := int64(0)
	if s != nil {
		removed = s.Trim(a.Trim)
	}
	c.streamShrunk(removed, "xtrim", key)
	c.Int(removed)
	return nil
}

// streamShrunk is called with how many entries a command has taken out of the
// stream of a key.
func (c *Call) streamShrunk(n int64, event string, key []byte) {
	if n > 0 {
		c.changed(eventStream, event, key)
		c.Engine.dirty += n - 1
	}
}

func xdel(c *Call) error {
	key := c.Args[1]
	s, err := find[*stream.Stream](c, key)
	if err != nil {
		return err
	}
	if s == nil { // as in Redis, nobody looks at the IDs when there is no such key
		c.Int(0)
		return nil
	}
	ids, err := c.ids(2)
	if err != nil {
		return err
	}
	removed := int64(0)
	for _, id := range ids {
		if s.Delete(id) {
			removed++
		}
	}
	c.streamShrunk(removed, "xdel", key)
	c.Int(removed)
	return nil
}

func xlen(c *Call) error {
	s, err := look[*stream.Stream](c, c.Args[1])
	if err != nil {
		return err
	}
	if s == nil {
		c.Int(0)
		return nil
	}
	c.Int(s.Len())
	return nil
}

// idSettings are the arguments of XSETID.
type idSettings struct {
	last, deleted stream.ID
	added         int64 // -1: as it is
}

func (c *Call) idSettings() (a idSettings, err error) {
	a.added = -1
	if a.last, err = c.id(2); err != nil {
		return a, err
	}
	for i := 3; i < len(c.Args); i += 2 {
		switch {
		case i+1 < len(c.Args) && c.is(i, "ENTRIESADDED"):
			if a.added, err = c.int(i + 1); err != nil {
				return a, err
			}
			if a.added < 0 {
				return a, Error("ERR entries_added must be positive")
			}
		case i+1 < len(c.Args) && c.is(i, "MAXDELETEDID"):
			if a.deleted, err = c.id(i + 1); err != nil {
				return a, err
			}
			if a.deleted.After(a.last) {
				return a, Error("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id")
			}
		default:
			return a, errSyntax
		}
	}
	return a, nil
}

func xsetid(c *Call) error {
	a, err := c.idSettings()
	if err != nil {
		return err
	}
	key := c.Args[1]
	s, err := find[*stream.Stream](c, key)
	if err != nil {
		return err
	}
	if s == nil {
		return errNoSuchKey
	}
	if top, ok := s.Top(); ok {
		if top.After(a.last) {
			return Error("ERR The ID specified in XSETID is smaller than the target stream top item")
		}
		if a.added >= 0 && a.added < s.Len() {
			return Error("ERR The entries_added specified in XSETID is smaller than the target stream length")
		}
	}
	s.SetLast(a.last)
	if a.added >= 0 {
		s.SetAdded(a.added)
	}
	if !a.deleted.IsZero() {
		s.SetMaxDeleted(a.deleted)
	}
	c.noted("xsetid", key)
	return c.ok()
}
