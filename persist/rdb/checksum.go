package rdb

import (
	"encoding/binary"
	"hash/crc64"
)

// jones is the polynomial of Redis's CRC64, reflected. Redis begins with 0 and
// does not invert, which package crc64 does before and after.
var jones = crc64.MakeTable(0x95AC9329AC4BC9B5)

// Checksum adds bytes to a checksum, which begins with 0.
func Checksum(sum uint64, b []byte) uint64 { return ^crc64.Update(^sum, jones, b) }

// trailerSize is that of the version and the checksum.
const trailerSize = 2 + 8

// Seal appends to a dump the version of the format and a checksum over all.
func Seal(dump []byte) []byte {
	dump = binary.LittleEndian.AppendUint16(dump, Version)
	return binary.LittleEndian.AppendUint64(dump, Checksum(0, dump))
}

// Open returns a dump without what Seal appended; ok is false when that does
// not fit. Unverified leaves the checksum unchecked.
func Open(dump []byte, unverified bool) (body []byte, ok bool) {
	if len(dump) < trailerSize {
		return nil, false
	}
	body = dump[:len(dump)-trailerSize]
	version := binary.LittleEndian.Uint16(dump[len(body):])
	sum := binary.LittleEndian.Uint64(dump[len(dump)-8:])
	return body, version <= Version && (unverified || sum == Checksum(0, dump[:len(dump)-8]))
}
