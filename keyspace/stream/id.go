package stream

import (
	"cmp"
	"math"
	"strconv"
)

// ID is the place of an entry in its stream: a time in Unix milliseconds, and
// a number among the entries of that millisecond. The zero ID is before all.
type ID struct{ MS, Seq uint64 }

// Max is the greatest ID.
var Max = ID{math.MaxUint64, math.MaxUint64}

// Compare returns -1, 0 or 1 as the ID is before, at or after another.
func (id ID) Compare(other ID) int {
	return cmp.Or(cmp.Compare(id.MS, other.MS), cmp.Compare(id.Seq, other.Seq))
}

// After reports whether the ID is greater than another.
func (id ID) After(other ID) bool { return id.Compare(other) > 0 }

// IsZero reports whether it is the ID 0-0, which no entry has.
func (id ID) IsZero() bool { return id == ID{} }

// Next returns the ID that follows; after the greatest there is none.
func (id ID) Next() (next ID, ok bool) {
	switch {
	case id.Seq < math.MaxUint64:
		return ID{id.MS, id.Seq + 1}, true
	case id.MS < math.MaxUint64:
		return ID{id.MS + 1, 0}, true
	}
	return ID{}, false
}

// Previous returns the ID before; there is none before 0-0.
func (id ID) Previous() (previous ID, ok bool) {
	switch {
	case id.Seq > 0:
		return ID{id.MS, id.Seq - 1}, true
	case id.MS > 0:
		return ID{id.MS - 1, math.MaxUint64}, true
	}
	return ID{}, false
}

// Append appends the ID as clients see it, "1526919030474-55".
func (id ID) Append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, id.MS, 10)
	dst = append(dst, '-')
	return strconv.AppendUint(dst, id.Seq, 10)
}

// String returns the ID as clients see it.
func (id ID) String() string { return string(id.Append(nil)) }
