package commands

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"strconv"
)

// FUNCTION DUMP and RESTORE.
//
// A dump is made of what an RDB file has for each library, the version of that
// format, and a checksum over all before it (rdb.c, rdbSaveFunctions;
// functions.c, functionDumpCommand). It can be taken to Redis and back. Redis
// compresses long strings; that is read here, but not written.

const (
	rdbVersion = 10

	opcodeFunction2       = 245
	opcodeFunctionPreGA   = 246 // of a release candidate of 7.0
	dumpTrailer           = 2 + 8
	rdbEncodedInt8        = 0
	rdbEncodedInt16       = 1
	rdbEncodedInt32       = 2
	rdbEncodedLZF         = 3
	maxUncompressedLength = 512 << 20
)

// redisCRC64 is the polynomial of Jones, reflected. Redis begins with 0 and
// does not invert, which package crc64 does before and after.
var redisCRC64 = crc64.MakeTable(0x95AC9329AC4BC9B5)

func checksum(b []byte) uint64 { return ^crc64.Update(^uint64(0), redisCRC64, b) }

// sealDump appends the version and the checksum.
func sealDump(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, rdbVersion)
	return binary.LittleEndian.AppendUint64(b, checksum(b))
}

// openDump returns a dump without its trailer; ok is false when that does not
// fit. A checksum of 0 stands for none.
func openDump(b []byte) (body []byte, ok bool) {
	if len(b) < dumpTrailer {
		return nil, false
	}
	body = b[:len(b)-dumpTrailer]
	version := binary.LittleEndian.Uint16(b[len(body):])
	sum := binary.LittleEndian.Uint64(b[len(b)-8:])
	return body, version <= rdbVersion && (sum == 0 || sum == checksum(b[:len(b)-8]))
}

func functionDump(c *Call) error {
	l := &c.Engine.scripts.lib
	var b []byte
	for _, name := range l.names() {
		b = append(b, opcodeFunction2)
		b = appendDumpString(b, l.byName[name].Code)
	}
	c.Bulk(sealDump(b))
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
	body, ok := openDump(c.Args[2])
	if !ok {
		return Error("ERR DUMP payload version or checksum are wrong")
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
	for len(body) > 0 {
		opcode := body[0]
		if opcode != opcodeFunction2 && opcode != opcodeFunctionPreGA {
			return nil, Error("ERR given type is not a function")
		}
		read := readDumpString
		if opcode == opcodeFunctionPreGA {
			read = readPreGA
		}
		code, rest, err := read(body[1:])
		if err != nil {
			return nil, Error("ERR Failed loading library payload")
		}
		if _, err := e.loadLibrary(set, string(code), false); err != nil {
			return nil, err
		}
		body = rest
	}
	return set, nil
}

// readPreGA reads a library as the release candidates of Redis 7.0 wrote it,
// its name and engine outside of its code.
func readPreGA(b []byte) (code, rest []byte, err error) {
	var parts [2][]byte
	for i := range parts {
		if parts[i], b, err = readDumpString(b); err != nil {
			return nil, nil, err
		}
	}
	described, _, b, err := readDumpLength(b)
	if err == nil && described != 0 {
		_, b, err = readDumpString(b)
	}
	if err != nil {
		return nil, nil, err
	}
	code, b, err = readDumpString(b)
	return fmt.Appendf(nil, "#!%s name=%s\n%s", parts[1], parts[0], code), b, err
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

// appendDumpString appends a string with its length before it.
func appendDumpString(b []byte, s string) []byte {
	switch n := len(s); {
	case n < 1<<6:
		b = append(b, byte(n))
	case n < 1<<14:
		b = append(b, 1<<6|byte(n>>8), byte(n))
	case n <= 1<<32-1:
		b = binary.BigEndian.AppendUint32(append(b, 0x80), uint32(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x81), uint64(n))
	}
	return append(b, s...)
}

var errShortDump = errors.New("dump ends early")

// readDumpLength reads a length, or how a string is encoded that is not
// written as it is.
func readDumpLength(b []byte) (n uint64, encoded bool, rest []byte, err error) {
	if len(b) == 0 {
		return 0, false, nil, errShortDump
	}
	first := b[0]
	b = b[1:]
	size := 0
	switch {
	case first>>6 == 0:
		return uint64(first & 0x3f), false, b, nil
	case first>>6 == 3:
		return uint64(first & 0x3f), true, b, nil
	case first>>6 == 1:
		if len(b) < 1 {
			return 0, false, nil, errShortDump
		}
		return uint64(first&0x3f)<<8 | uint64(b[0]), false, b[1:], nil
	case first == 0x80:
		size = 4
	case first == 0x81:
		size = 8
	default:
		return 0, false, nil, errors.New("unknown length encoding " + strconv.Itoa(int(first)))
	}
	if len(b) < size {
		return 0, false, nil, errShortDump
	}
	for _, c := range b[:size] {
		n = n<<8 | uint64(c)
	}
	return n, false, b[size:], nil
}

func readDumpString(b []byte) (s, rest []byte, err error) {
	n, encoded, b, err := readDumpLength(b)
	if err != nil {
		return nil, nil, err
	}
	if encoded {
		return readEncodedString(n, b)
	}
	if n > uint64(len(b)) {
		return nil, nil, errShortDump
	}
	return b[:n], b[n:], nil
}

func readEncodedString(encoding uint64, b []byte) (s, rest []byte, err error) {
	size := 0
	switch encoding {
	case rdbEncodedInt8:
		size = 1
	case rdbEncodedInt16:
		size = 2
	case rdbEncodedInt32:
		size = 4
	case rdbEncodedLZF:
		return readCompressed(b)
	default:
		return nil, nil, errors.New("unknown string encoding")
	}
	if len(b) < size {
		return nil, nil, errShortDump
	}
	var n int64
	switch size {
	case 1:
		n = int64(int8(b[0]))
	case 2:
		n = int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		n = int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return strconv.AppendInt(nil, n, 10), b[size:], nil
}

func readCompressed(b []byte) (s, rest []byte, err error) {
	compressed, _, b, err := readDumpLength(b)
	if err != nil {
		return nil, nil, err
	}
	length, _, b, err := readDumpLength(b)
	if err != nil {
		return nil, nil, err
	}
	if compressed > uint64(len(b)) || length > maxUncompressedLength {
		return nil, nil, errShortDump
	}
	s, err = uncompress(b[:compressed], int(length))
	return s, b[compressed:], err
}

// uncompress undoes LZF: a byte below 32 is followed by one more than so many
// bytes to take over, any other tells how far back to repeat how much.
func uncompress(b []byte, length int) ([]byte, error) {
	out := make([]byte, 0, length)
	for i := 0; i < len(b); {
		c := int(b[i])
		i++
		if c < 1<<5 {
			if i+c+1 > len(b) || len(out)+c+1 > length {
				return nil, errShortDump
			}
			out = append(out, b[i:i+c+1]...)
			i += c + 1
			continue
		}
		n := c >> 5
		if n == 7 {
			if i >= len(b) {
				return nil, errShortDump
			}
			n += int(b[i])
			i++
		}
		if i >= len(b) {
			return nil, errShortDump
		}
		from := len(out) - (c&0x1f)<<8 - int(b[i]) - 1
		i++
		if from < 0 || len(out)+n+2 > length {
			return nil, errShortDump
		}
		for range n + 2 {
			out = append(out, out[from])
			from++
		}
	}
	if len(out) != length {
		return nil, errShortDump
	}
	return out, nil
}
