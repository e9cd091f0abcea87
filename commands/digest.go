package commands

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"myredis/internal/atom"
	"myredis/keyspace"
	"myredis/keyspace/hash"
	"myredis/keyspace/list"
	setkind "myredis/keyspace/set"
	"myredis/keyspace/stream"
	"myredis/sortedset"
	"myredis/wire"
)

// DEBUG DIGEST and DIGEST-VALUE: by the rules of Redis (debug.c,
// computeDatasetDigest), so that two servers with the same data give the same
// digest, whichever of them is Redis.

// digest is of data whose parts are added, or mixed in where their order
// counts. Where it does not, the digests of the parts are added.
type digest [sha1.Size]byte

func (d *digest) xor(b []byte) {
	for i := range d {
		d[i] ^= b[i]
	}
}

// add adds the digest of b, in no order.
func (d *digest) add(b []byte) {
	sum := sha1.Sum(b)
	d.xor(sum[:])
}

// mix is add after which the order counts.
func (d *digest) mix(b []byte) {
	d.add(b)
	*d = sha1.Sum(d[:])
}

func (d *digest) mixNumber(n int) { d.mix(binary.BigEndian.AppendUint32(nil, uint32(n))) }

func (d *digest) String() string { return hex.EncodeToString(d[:]) }

// pair is the digest of two strings, for an element that is made of them.
func pair(first, second []byte) *digest {
	var d digest
	d.mix(first)
	d.mix(second)
	return &d
}

// addValue adds a key's value.
func (d *digest) addValue(o *keyspace.Object) {
	var a, b []byte // scratch
	d.mixNumber(int(o.Kind()))
	switch v := o.Value.(type) {
	case int64:
		d.mix(atom.OfInt(v).Append(a))
	case []byte:
		d.mix(v)
	case *list.List:
		for e := range v.Forward(0) {
			a = e.Append(a[:0])
			d.mix(a)
		}
	case *setkind.Set:
		for m := range v.All() {
			a = m.Append(a[:0])
			d.add(a)
		}
	case *sortedset.Set:
		for item := range v.All() {
			a, b = append(a[:0], item.Member...), wire.AppendScore(b[:0], item.Score)
			d.add(pair(a, b)[:])
		}
	case *hash.Hash:
		for field, value := range v.All() {
			a, b = field.Append(a[:0]), value.Append(b[:0])
			d.add(pair(a, b)[:])
		}
	case *stream.Stream:
		for e := range v.Range(stream.ID{}, stream.Max) {
			d.mix(fmt.Appendf(a[:0], "%d.%d", e.ID.MS, e.ID.Seq))
			for field, value := range e.Pairs() {
				a, b = field.Append(a[:0]), value.Append(b[:0])
				d.mix(a)
				d.mix(b)
			}
		}
	}
	if o.ExpireAt() != 0 {
		d.add([]byte("!!expire!!"))
	}
}

// digestOf is the digest of a whole keyspace.
func digestOf(ks *keyspace.Keyspace) *digest {
	var all digest
	for i := range ks.Len() {
		db := ks.DB(i)
		if db.Len() == 0 {
			continue
		}
		all.mixNumber(i)
		db.All(func(o *keyspace.Object) bool {
			var d digest
			d.mix([]byte(o.Key()))
			d.addValue(o)
			all.add(d[:])
			return true
		})
	}
	return &all
}

func debugDigest(c *Call) error {
	c.Simple(digestOf(c.Engine.Keys).String())
	return nil
}

func debugDigestValue(c *Call) error {
	keys := c.Args[2:]
	c.Array(len(keys))
	for _, key := range keys {
		var d digest
		if o := c.DB.Stored(view(key)); o != nil {
			d.addValue(o)
		}
		c.Simple(d.String())
	}
	return nil
}
