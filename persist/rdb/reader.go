package rdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Reader reads a snapshot.
type Reader struct {
	// Unverified leaves the checksum unchecked.
	Unverified bool
	// Empty counts the keys that were passed over because they hold nothing.
	Empty int

	d       Decoder
	version int
	db      int
	next    Key // what is known of the next key
	ended   bool
}

// NewReader begins to read a snapshot. It may read more than the snapshot.
func NewReader(stream io.Reader, limits Limits) (*Reader, error) {
	r := &Reader{d: Decoder{Limits: limits, source: source{stream: stream}}}
	header, err := r.d.take(uint64(headerSize))
	if err != nil || string(header[:len(magic)]) != magic {
		return nil, errNoSnapshot
	}
	r.version, err = strconv.Atoi(string(header[len(magic):]))
	if err != nil || r.version < 1 || r.version > Version {
		return nil, fmt.Errorf("%w: %q", errVersion, header[len(magic):])
	}
	r.forget()
	return r, nil
}

// forget forgets what was said of the last key.
func (r *Reader) forget() { r.next = Key{Use: UnknownUse} }

// Next returns the next part: an [Aux], a [Library] or a *[Key]. After the last
// one it returns io.EOF if all is as it should be.
func (r *Reader) Next() (part any, err error) {
	for !r.ended {
		op, err := r.d.byte()
		if err != nil {
			return nil, r.fault(err)
		}
		switch part, err := r.part(op); {
		case errors.Is(err, ErrEmpty):
			r.Empty++
			r.forget()
		case err != nil:
			return nil, r.fault(err)
		case part != nil:
			return part, nil
		}
	}
	return nil, io.EOF
}

// fault returns an error with what the stream failed with, if that is why.
func (r *Reader) fault(err error) error {
	if cause := r.d.err; errors.Is(err, errShort) && cause != nil && cause != io.EOF {
		return cause
	}
	return err
}

// part reads what follows an opcode. Part is nil when nothing is to be told.
func (r *Reader) part(op byte) (part any, err error) {
	switch op {
	case opEOF:
		r.ended = true
		return nil, r.verify()
	case opAux:
		return r.aux()
	case opFunction, opFunctionRC:
		code, err := r.d.library(op)
		return Library{string(code)}, err
	case opModuleAux:
		return nil, errModule
	case opSelect:
		n, err := r.d.count()
		r.db = int(n)
		return nil, err
	case opResize: // how large the table will be: it grows step by step here
		if _, err := r.d.count(); err != nil {
			return nil, err
		}
		_, err := r.d.count()
		return nil, err
	case opExpire, opExpireMS, opIdle, opFrequency:
		return nil, r.attribute(op)
	}
	return r.key(op)
}

func (r *Reader) aux() (part any, err error) {
	name, err := r.d.string()
	if err != nil {
		return nil, err
	}
	value, err := r.d.string()
	return Aux{string(name), string(value)}, err
}

// attribute reads something about the next key.
func (r *Reader) attribute(op byte) error {
	switch op {
	case opExpire:
		seconds, err := r.d.int(4)
		r.next.ExpireAt = max(1, seconds*1000)
		return err
	case opExpireMS:
		ms, err := r.d.int(8)
		r.next.ExpireAt = max(1, ms) // long ago, but not never
		return err
	case opIdle:
		seconds, err := r.d.count()
		r.next.Use.Idle = int64(min(seconds, 1<<62))
		return err
	}
	counter, err := r.d.byte()
	r.next.Use.Frequency = int64(counter)
	return err
}

func (r *Reader) key(kind byte) (part any, err error) {
	name, err := r.d.string()
	if err != nil {
		return nil, err
	}
	o, err := r.d.value(kind)
	if err != nil {
		return nil, err
	}
	key := r.next
	key.DB, key.Name, key.Object = r.db, string(name), o
	r.forget()
	return &key, nil
}

// verify reads the checksum. Old versions have none.
func (r *Reader) verify() error {
	if r.version < firstWithChecksum {
		return nil
	}
	r.d.addSum()
	sum := r.d.sum
	b, err := r.d.take(8)
	if err != nil {
		return err
	}
	said := binary.LittleEndian.Uint64(b)
	if said != 0 && said != sum && !r.Unverified {
		return errChecksum
	}
	return nil
}
