package rdb

import (
	"encoding/binary"
	"fmt"
	"io"

	"myredis/keyspace"
)

// Writer writes a snapshot. The first error stops it, and Close returns it.
type Writer struct {
	// Unsummed leaves the checksum out.
	Unsummed bool

	w   io.Writer
	enc *Encoder
	buf []byte
	sum uint64
	err error
}

// NewWriter begins a snapshot, whose values the encoder writes.
func NewWriter(w io.Writer, enc *Encoder) *Writer {
	return &Writer{w: w, enc: enc, buf: fmt.Appendf(nil, "%s%04d", magic, Version)}
}

// flushAt is how many bytes are held back at most, a value aside.
const flushAt = 64 << 10

func (w *Writer) flush(atLeast int) {
	if len(w.buf) < atLeast {
		return
	}
	if w.err == nil {
		if !w.Unsummed {
			w.sum = Checksum(w.sum, w.buf)
		}
		_, w.err = w.w.Write(w.buf)
	}
	w.buf = keep(w.buf)
}

// Aux writes an auxiliary field.
func (w *Writer) Aux(name, value string) {
	w.buf = w.enc.AppendString(append(w.buf, opAux), bytesOf(name))
	w.buf = w.enc.AppendString(w.buf, bytesOf(value))
}

// Library writes a library of functions.
func (w *Writer) Library(code string) {
	w.buf = w.enc.AppendLibrary(w.buf, code)
	w.flush(flushAt)
}

// Select begins a database, and tells how many keys it has and how many of them
// expire.
func (w *Writer) Select(db, keys, volatile int) {
	w.buf = appendLength(append(w.buf, opSelect), uint64(db))
	w.buf = appendLength(append(w.buf, opResize), uint64(keys))
	w.buf = appendLength(w.buf, uint64(volatile))
}

// Key writes an object with its key and deadline.
func (w *Writer) Key(o *keyspace.Object, use Use) {
	if at := o.ExpireAt(); at != 0 {
		w.buf = binary.LittleEndian.AppendUint64(append(w.buf, opExpireMS), uint64(at))
	}
	if use.Idle >= 0 {
		w.buf = appendLength(append(w.buf, opIdle), uint64(use.Idle))
	}
	if use.Frequency >= 0 {
		w.buf = append(w.buf, opFrequency, byte(use.Frequency))
	}
	w.buf = w.enc.AppendString(append(w.buf, typeOf(o)), bytesOf(o.Key()))
	w.buf = w.enc.AppendValue(w.buf, o)
	w.flush(flushAt)
}

// Close ends the snapshot. It does not close what is written to.
func (w *Writer) Close() error {
	w.buf = append(w.buf, opEOF)
	w.flush(0)
	sum := w.sum // 0 stands for none
	w.Unsummed = true
	w.buf = binary.LittleEndian.AppendUint64(w.buf, sum)
	w.flush(0)
	return w.err
}
