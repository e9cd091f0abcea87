package rdb

import "myredis/keyspace"

// A snapshot is a header, auxiliary fields, libraries of functions, the keys
// database by database, and a checksum over all.
const (
	magic      = "REDIS"
	headerSize = len(magic) + 4 // and the version in decimal

	firstWithChecksum = 5 // version
)

// Aux is a field that says something of how a snapshot came to be. Fields that
// are not known are to be passed over.
type Aux struct{ Name, Value string }

// Library is a library of functions.
type Library struct{ Code string }

// Key is a key with its value.
type Key struct {
	DB       int
	Name     string
	Object   *keyspace.Object
	ExpireAt int64 // Unix ms; 0: never
	Use      Use
}

// Use tells how a value has been used, -1 where nothing is known.
type Use struct {
	Idle      int64 // seconds since the last access
	Frequency int64 // the logarithmic counter of accesses, 0 to 255
}

// UnknownUse is that of a value of which nothing is known.
var UnknownUse = Use{Idle: -1, Frequency: -1}
