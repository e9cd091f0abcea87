package rdb

import (
	"errors"
	"fmt"
)

// ErrNoLibrary says that something else stands where a library of functions
// should.
var ErrNoLibrary = errors.New("rdb: no library of functions")

// AppendLibrary appends a library of functions.
func (e *Encoder) AppendLibrary(dst []byte, code string) []byte {
	return e.AppendString(append(dst, opFunction), bytesOf(code))
}

// Library reads a library of functions and returns its code, the first line of
// which names it.
func (d *Decoder) Library() (code []byte, err error) {
	op, err := d.byte()
	if err != nil {
		return nil, err
	}
	return d.library(op)
}

func (d *Decoder) library(op byte) (code []byte, err error) {
	switch op {
	case opFunction:
		return d.string()
	case opFunctionRC:
		return d.libraryRC()
	}
	return nil, ErrNoLibrary
}

// libraryRC reads a library as the release candidates of Redis 7.0 wrote it,
// its name and engine outside of its code.
func (d *Decoder) libraryRC() (code []byte, err error) {
	var parts [2][]byte
	for i := range parts {
		if parts[i], err = d.string(); err != nil {
			return nil, err
		}
	}
	described, err := d.count()
	if err == nil && described != 0 {
		_, err = d.string()
	}
	if err != nil {
		return nil, err
	}
	code, err = d.string()
	return fmt.Appendf(nil, "#!%s name=%s\n%s", parts[1], parts[0], code), err
}
