package rdb

import "errors"

// Version is the version of the format that is written, and the last one that
// is read.
const Version = 10

// Types of values as they are written, named after what is in them.
const (
	typeString          = 0
	typeList            = 1
	typeSet             = 2
	typeZSetText        = 3 // scores in decimal
	typeHash            = 4
	typeZSet            = 5 // scores in binary
	typeModule          = 6
	typeModule2         = 7
	typeHashZipmap      = 9
	typeListZiplist     = 10
	typeSetIntset       = 11
	typeZSetZiplist     = 12
	typeHashZiplist     = 13
	typeListOfZiplists  = 14
	typeStream          = 15
	typeHashListpack    = 16
	typeZSetListpack    = 17
	typeListOfListpacks = 18
	typeStream2         = 19
)

// Opcodes stand where a snapshot could have the type of a value.
const (
	opFunction   = 245
	opFunctionRC = 246 // of a release candidate of 7.0
	opModuleAux  = 247
	opIdle       = 248
	opFrequency  = 249
	opAux        = 250
	opResize     = 251
	opExpireMS   = 252
	opExpire     = 253
	opSelect     = 254
	opEOF        = 255
)

// How a string is encoded whose length is not a length.
const (
	encodedInt8  = 0
	encodedInt16 = 1
	encodedInt32 = 2
	encodedLZF   = 3

	// encoded marks a byte that says so.
	encoded = 3 << 6
)

// The nodes of a list are listpacks, or one large element as it is.
const (
	nodePlain  = 1
	nodePacked = 2
)

var (
	// ErrEmpty says that a collection without elements was read, which a bug
	// of old versions could write and which no key may hold.
	ErrEmpty = errors.New("rdb: a collection without elements")

	errShort      = errors.New("rdb: ends early")
	errLength     = errors.New("rdb: not a length")
	errString     = errors.New("rdb: not a string")
	errLZF        = errors.New("rdb: not compressed by LZF")
	errType       = errors.New("rdb: no type of value")
	errModule     = errors.New("rdb: a module's value")
	errStream     = errors.New("rdb: no stream")
	errScore      = errors.New("rdb: not a score")
	errDuplicate  = errors.New("rdb: an element stands twice")
	errPairs      = errors.New("rdb: an odd number of elements where pairs should be")
	errNode       = errors.New("rdb: no node of a list")
	errListpack   = errors.New("rdb: no listpack")
	errZiplist    = errors.New("rdb: no ziplist")
	errZipmap     = errors.New("rdb: no zipmap")
	errIntset     = errors.New("rdb: no intset")
	errNoSnapshot = errors.New("rdb: no snapshot")
	errVersion    = errors.New("rdb: a version that cannot be read")
	errChecksum   = errors.New("rdb: wrong checksum")
)
