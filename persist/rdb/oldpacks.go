package rdb

import (
	"encoding/binary"

	"myredis/internal/atom"
)

// The packed lists of versions before 7.0. They are read and not written.

// A ziplist is a header, entries and a byte 255. The header is the size in
// bytes, the place of the last entry, each of 4 bytes, and the number of
// entries in 2. An entry is the size of the one before it, in one byte, or in 4
// after a byte 254, and an element:
//
//	00nnnnnn            a string of n bytes
//	01nnnnnn nnnnnnnn   a string of n bytes
//	10......            4 bytes of length, big-endian, and a string
//	110.0000 1110 1111  an integer of 2, 4, 8 or 3 bytes
//	11111110            an integer of 1 byte
//	1111nnnn            an integer of 0 to 12: n-1
const ziplistHeader = 4 + 4 + 2

func openZiplist(b []byte) (pack, error) {
	const least = ziplistHeader + 1
	if len(b) < least || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)) || b[len(b)-1] != packEnd {
		return pack{}, errZiplist
	}
	entries := b[ziplistHeader : len(b)-1]
	last := uint64(binary.LittleEndian.Uint32(b[4:]))
	if last > uint64(len(b)-1) || !ziplistLinked(entries, last) {
		return pack{}, errZiplist
	}
	p, err := openPack(entries, readZiplistEntry, errZiplist)
	if n := int(binary.LittleEndian.Uint16(b[8:])); err == nil && n != manyEntries && n != p.n {
		err = errZiplist
	}
	return p, err
}

// ziplistLinked reports whether each entry says of the one before it how long
// that is, and the last one is where the header says.
func ziplistLinked(entries []byte, last uint64) bool {
	previous, at := uint64(0), uint64(ziplistHeader)
	rest := entries
	for len(rest) > 0 {
		said, head := ziplistPrevious(rest)
		_, size := readZiplistEntry(rest)
		if size == 0 || head == 0 || said != previous {
			return false
		}
		at += previous
		previous = uint64(size)
		rest = rest[size:]
	}
	return len(entries) == 0 || at == last
}

// ziplistPrevious reads how long the previous entry is, and in how many bytes
// that is written; 0 if it is not.
func ziplistPrevious(b []byte) (n uint64, size int) {
	switch {
	case b[0] < 254:
		return uint64(b[0]), 1
	case b[0] == 254 && len(b) >= 5:
		return uint64(binary.LittleEndian.Uint32(b[1:])), 5
	}
	return 0, 0
}

func readZiplistEntry(b []byte) (a atom.Atom, size int) {
	_, skip := ziplistPrevious(b)
	if skip == 0 || skip >= len(b) {
		return a, 0
	}
	head, length, isInt := ziplistHead(b[skip:])
	from := skip + head
	size = from + length
	switch {
	case head == 0 || size < 0 || size > len(b):
		return a, 0
	case !isInt:
		return atom.Of(view(b[from:size])), size
	case length == 0: // 0 to 12
		return atom.OfInt(int64(b[skip]&0xf) - 1), size
	}
	return atom.OfInt(littleInt(b[from:size])), size
}

// ziplistHead tells of the element that b begins with how many bytes come
// before what it says, 0 if it is none, and how many that has.
func ziplistHead(b []byte) (head, length int, isInt bool) {
	first := b[0]
	switch {
	case first>>6 == 0:
		return 1, int(first & 0x3f), false
	case first>>6 == 1 && len(b) >= 2:
		return 2, int(first&0x3f)<<8 | int(b[1]), false
	case first>>6 == 2 && len(b) >= 5:
		return 5, int(binary.BigEndian.Uint32(b[1:])), false
	case first == 0xfe:
		return 1, 1, true
	case first >= 0xf1 && first <= 0xfd:
		return 1, 0, true
	case first == 0xc0 || first == 0xd0 || first == 0xe0 || first == 0xf0:
		return 1, [...]int{2, 4, 8, 3}[first>>4-0xc], true
	}
	return 0, 0, false
}

// A zipmap is the number of its fields, 254 for that many or more, the fields
// with their values, and a byte 255. Lengths take a byte, or 4 after a byte
// 254. Between the length of a value and the value is a byte that says how many
// bytes behind the value are not used.
func openZipmap(b []byte) (pack, error) {
	const many, least = 254, 2
	if len(b) < least || b[len(b)-1] != packEnd {
		return pack{}, errZipmap
	}
	isValue := false
	var p pack
	for rest := b[1 : len(b)-1]; len(rest) > 0; p.n++ {
		_, size := readZipmapEntry(rest, isValue)
		if size == 0 {
			return pack{}, errZipmap
		}
		rest = rest[size:]
		isValue = !isValue
	}
	if isValue || b[0] < many && int(b[0]) != p.n/2 {
		return pack{}, errZipmap
	}
	p.all = func(yield func(atom.Atom) bool) {
		isValue := false
		for rest := b[1 : len(b)-1]; len(rest) > 0; isValue = !isValue {
			a, size := readZipmapEntry(rest, isValue)
			if !yield(a) {
				return
			}
			rest = rest[size:]
		}
	}
	return p, nil
}

func readZipmapEntry(b []byte, isValue bool) (a atom.Atom, size int) {
	length, head := int(b[0]), 1
	switch {
	case b[0] == 254 && len(b) >= 5:
		length, head = int(binary.LittleEndian.Uint32(b[1:])), 5
	case b[0] >= 254:
		return a, 0
	}
	unused := 0
	if isValue {
		if head >= len(b) {
			return a, 0
		}
		unused = int(b[head])
		head++
	}
	if n := head + length; n >= head && n+unused <= len(b) {
		return atom.Of(view(b[head:n])), n + unused
	}
	return a, 0
}
