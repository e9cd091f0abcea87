package keyspace

import "math"

// What is kept of accesses: 24 bits in each object. Under an LRU policy it is
// the second of the last access. Under an LFU policy it is the minute of the
// last decay in the upper 16 bits, and in the lower 8 a logarithmic counter
// (evict.c; Morris 1978).

const (
	accessMask = 1<<accessBits - 1
	minuteMask = 1<<16 - 1
	// lfuStart is the counter of a new key, so that it is not the first to be
	// evicted.
	lfuStart = 5
)

// LFU makes the keyspace count accesses; nil keeps the time of the last one.
type LFU struct {
	LogFactor int // the larger, the slower the counter grows
	DecayTime int // minutes after which it loses one; 0: never
}

// created starts the record of an object that is stored.
func (ks *Keyspace) created(o *Object) {
	if ks.LFU == nil {
		o.SetAccess(ks.seconds())
		return
	}
	o.SetAccess(ks.minutes()<<8 | lfuStart)
}

// replaced starts the record of an object that takes the place of one with the
// given record. Redis lets it inherit a counter, so that a key that is written
// often counts as used often (db.c, dbOverwrite).
func (ks *Keyspace) replaced(o *Object, old uint32) {
	if ks.LFU == nil {
		o.SetAccess(ks.seconds())
		return
	}
	o.SetAccess(old)
}

// accessed notes an access.
func (ks *Keyspace) accessed(o *Object) {
	switch {
	case ks.NoTouch:
	case ks.LFU == nil:
		o.SetAccess(ks.seconds())
	default:
		o.SetAccess(ks.minutes()<<8 | ks.increment(ks.Frequency(o)))
	}
}

// Idle returns how long ago the object was last accessed, in seconds.
func (ks *Keyspace) Idle(o *Object) int64 {
	return int64((ks.seconds() - o.Access()) & accessMask)
}

// Frequency returns the access counter as it has decayed by now, 0 to 255.
func (ks *Keyspace) Frequency(o *Object) uint32 {
	count := o.Access() & 0xff
	if ks.LFU == nil || ks.LFU.DecayTime == 0 {
		return count
	}
	elapsed := (ks.minutes() - o.Access()>>8) & minuteMask
	return count - min(count, elapsed/uint32(ks.LFU.DecayTime))
}

// SetIdle makes the object one that was last accessed so many seconds ago.
func (ks *Keyspace) SetIdle(o *Object, seconds int64) { o.SetAccess(ks.seconds() - uint32(seconds)) }

// SetFrequency makes the object one whose access counter is count, 0 to 255.
func (ks *Keyspace) SetFrequency(o *Object, count uint32) { o.SetAccess(ks.minutes()<<8 | count) }

// increment adds one with a probability that falls as the counter grows.
func (ks *Keyspace) increment(count uint32) uint32 {
	if count == 255 {
		return count
	}
	above := math.Max(0, float64(count)-lfuStart)
	if ks.rng.Float64() < 1/(above*float64(ks.LFU.LogFactor)+1) {
		count++
	}
	return count
}

func (ks *Keyspace) seconds() uint32 { return uint32(ks.Now/1000) & accessMask }

func (ks *Keyspace) minutes() uint32 { return uint32(ks.Now/60_000) & minuteMask }
