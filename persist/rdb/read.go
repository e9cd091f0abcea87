package rdb

import (
	"bytes"
	"math"
	"strconv"

	"myredis/internal/atom"
	"myredis/keyspace"
	"myredis/keyspace/hash"
	"myredis/keyspace/list"
	"myredis/keyspace/set"
	"myredis/sortedset"
)

// Limits are those up to which a collection keeps a compact encoding, as they
// are configured. What was written under others is converted, as Redis does
// (rdb.c, rdbLoadObject): by the number of elements in any case, by their
// length only where the value is not packed.
type Limits struct {
	HashEntries, HashValue int64
	SetIntegers            int64
	ZSetEntries, ZSetValue int64
}

// Decoder reads values.
type Decoder struct {
	Limits
	source
}

// NewDecoder returns a decoder of bytes in memory, which must not change
// meanwhile.
func NewDecoder(b []byte, limits Limits) *Decoder {
	return &Decoder{Limits: limits, source: source{rest: b}}
}

// Undump returns the value in a dump without its trailer.
func Undump(body []byte, limits Limits) (*keyspace.Object, error) {
	d := NewDecoder(body, limits)
	kind, err := d.byte()
	if err != nil {
		return nil, err
	}
	return d.value(kind)
}

// More reports whether there is more to read.
func (d *Decoder) More() bool { return len(d.rest) > 0 }

// String reads a string, which is good for as long as what is read.
func (d *Decoder) String() ([]byte, error) { return d.string() }

// value reads a value of a type.
func (d *Decoder) value(kind byte) (*keyspace.Object, error) {
	switch kind {
	case typeString:
		a, err := d.element()
		return stringObject(a), err
	case typeList:
		return d.list()
	case typeListOfZiplists, typeListOfListpacks:
		return d.nodes(kind)
	case typeSet:
		return d.set()
	case typeHash:
		return d.hash()
	case typeZSet, typeZSetText:
		return d.zset(kind)
	case typeModule, typeModule2:
		return nil, errModule
	case typeStream, typeStream2:
		return d.stream(kind)
	}
	return d.packedValue(kind)
}

// packedValue reads a value that is one string.
func (d *Decoder) packedValue(kind byte) (*keyspace.Object, error) {
	var open func([]byte) (pack, error)
	var unpack func(pack) (*keyspace.Object, error)
	switch kind {
	case typeSetIntset:
		return d.intset()
	case typeHashListpack:
		open, unpack = openListpack, d.unpackHash
	case typeHashZiplist:
		open, unpack = openZiplist, d.unpackHash
	case typeHashZipmap:
		open, unpack = openZipmap, d.unpackZipmap
	case typeListZiplist:
		open, unpack = openZiplist, unpackList
	case typeZSetListpack:
		open, unpack = openListpack, d.unpackZSet
	case typeZSetZiplist:
		open, unpack = openZiplist, d.unpackZSet
	default:
		return nil, errType
	}
	b, err := d.string()
	if err != nil {
		return nil, err
	}
	p, err := open(b)
	if err != nil {
		return nil, err
	}
	if p.n == 0 {
		return nil, ErrEmpty
	}
	return unpack(p)
}

// stringObject keeps a string as Redis does: as an integer if it spells one.
func stringObject(a atom.Atom) *keyspace.Object {
	const longestEmbstr = 44
	if n, ok := a.Int(); ok {
		return keyspace.NewObject(keyspace.String, keyspace.Int, n)
	}
	text, _ := a.Text()
	encoding := keyspace.Raw
	if len(text) <= longestEmbstr {
		encoding = keyspace.Embstr
	}
	return keyspace.NewObject(keyspace.String, encoding, bytes.Clone(bytesOf(text)))
}

func (d *Decoder) list() (*keyspace.Object, error) {
	n, err := d.elements()
	if err != nil {
		return nil, err
	}
	l := new(list.List)
	for range n {
		a, err := d.element()
		if err != nil {
			return nil, err
		}
		l.PushBack(a)
	}
	return listObject(l), nil
}

// nodes reads a list node by node: ziplists, or what they are written before
// each of them.
func (d *Decoder) nodes(kind byte) (*keyspace.Object, error) {
	n, err := d.elements()
	if err != nil {
		return nil, err
	}
	l := new(list.List)
	for range n {
		open := openZiplist
		if kind == typeListOfListpacks {
			if open, err = d.container(); err != nil {
				return nil, err
			}
		}
		b, err := d.string()
		if err != nil {
			return nil, err
		}
		p, err := open(b)
		if err != nil {
			return nil, err
		}
		for a := range p.all {
			l.PushBack(a)
		}
	}
	if l.Len() == 0 {
		return nil, ErrEmpty
	}
	return listObject(l), nil
}

// container reads how a node is written.
func (d *Decoder) container() (open func([]byte) (pack, error), err error) {
	switch kind, err := d.count(); {
	case err != nil:
		return nil, err
	case kind == nodePacked:
		return openListpack, nil
	case kind == nodePlain:
		return openPlain, nil
	}
	return nil, errNode
}

func unpackList(p pack) (*keyspace.Object, error) {
	l := new(list.List)
	for a := range p.all {
		l.PushBack(a)
	}
	return listObject(l), nil
}

func listObject(l *list.List) *keyspace.Object {
	return keyspace.NewObject(keyspace.List, keyspace.Quicklist, l)
}

func (d *Decoder) set() (*keyspace.Object, error) {
	n, err := d.elements()
	if err != nil {
		return nil, err
	}
	s := new(set.Set)
	if n > uint64(d.SetIntegers) {
		s.Spread()
	}
	for range n {
		member, err := d.element()
		if err != nil {
			return nil, err
		}
		if !s.Add(member) {
			return nil, errDuplicate
		}
	}
	return setObject(s), nil
}

// elements reads how many elements there are.
func (d *Decoder) elements() (uint64, error) {
	n, err := d.count()
	if err == nil && n == 0 {
		err = ErrEmpty
	}
	return n, err
}

func (d *Decoder) intset() (*keyspace.Object, error) {
	b, err := d.string()
	if err != nil {
		return nil, err
	}
	s, err := readIntset(b)
	if err != nil {
		return nil, err
	}
	if int64(s.Len()) > d.SetIntegers {
		s.Spread()
	}
	return setObject(s), nil
}

func setObject(s *set.Set) *keyspace.Object {
	encoding := keyspace.Hashtable
	if s.Sorted() {
		encoding = keyspace.Intset
	}
	return keyspace.NewObject(keyspace.Set, encoding, s)
}

// newHash returns a hash for so many fields: spread from the start if they are
// more than a packed one may have.
func (d *Decoder) newHash(n uint64) *hash.Hash {
	var h *hash.Hash
	if n > uint64(d.HashEntries) {
		h = h.Spread()
	}
	return h
}

func (d *Decoder) hash() (*keyspace.Object, error) {
	n, err := d.elements()
	if err != nil {
		return nil, err
	}
	h := d.newHash(n)
	long := func(a atom.Atom) bool { return int64(a.Len()) > d.HashValue }
	for range n {
		field, err := d.element()
		if err != nil {
			return nil, err
		}
		value, err := d.element()
		if err != nil {
			return nil, err
		}
		if h.Packed() && (long(field) || long(value)) {
			h = h.Spread()
		}
		var added bool
		if h, added = h.Set(field, value); !added {
			return nil, errDuplicate
		}
	}
	return hashObject(h), nil
}

func (d *Decoder) unpackHash(p pack) (*keyspace.Object, error) {
	h := d.newHash(uint64(p.n / 2))
	err := eachPair(p, func(field, value atom.Atom) error {
		var added bool
		if h, added = h.Set(field, value); !added {
			return errDuplicate
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return hashObject(h), nil
}

// unpackZipmap is unpackHash of a form that is not Redis's any more, so that
// the length of its elements counts too.
func (d *Decoder) unpackZipmap(p pack) (*keyspace.Object, error) {
	o, err := d.unpackHash(p)
	if err != nil {
		return nil, err
	}
	h := o.Value.(*hash.Hash)
	for a := range p.all {
		if int64(a.Len()) > d.HashValue {
			return hashObject(h.Spread()), nil
		}
	}
	return o, nil
}

func hashObject(h *hash.Hash) *keyspace.Object {
	encoding := keyspace.Hashtable
	if h.Packed() {
		encoding = keyspace.Listpack
	}
	return keyspace.NewObject(keyspace.Hash, encoding, h)
}

// eachPair calls fn for the elements two by two.
func eachPair(p pack, fn func(first, second atom.Atom) error) (err error) {
	if p.n%2 != 0 {
		return errPairs
	}
	var first atom.Atom
	second := false
	for a := range p.all {
		if second {
			if err := fn(first, a); err != nil {
				return err
			}
		}
		first, second = a, !second
	}
	return nil
}

// zset reads members with scores that are not packed. Those that are few enough
// to be a listpack wait until it is known that none is too long for it.
func (d *Decoder) zset(kind byte) (*keyspace.Object, error) {
	n, err := d.elements()
	if err != nil {
		return nil, err
	}
	few := n <= uint64(d.ZSetEntries)
	longest := int64(0)
	var waiting []sortedset.Item
	s := sortedset.New()
	for range n {
		member, err := d.string()
		if err != nil {
			return nil, err
		}
		score, err := d.score(kind)
		if err != nil {
			return nil, err
		}
		longest = max(longest, int64(len(member)))
		if few {
			waiting = append(waiting, sortedset.Item{Score: score, Member: view(member)})
		} else if s.Add(view(member), score) != sortedset.Added {
			return nil, errDuplicate
		}
	}
	encoding := keyspace.Skiplist
	if few && longest <= d.ZSetValue {
		encoding = keyspace.Listpack
	}
	for _, item := range waiting {
		if item.Score == 0 && encoding == keyspace.Listpack {
			item.Score = 0 // a listpack has no -0
		}
		if s.Add(item.Member, item.Score) != sortedset.Added {
			return nil, errDuplicate
		}
	}
	return keyspace.NewObject(keyspace.ZSet, encoding, s), nil
}

// score reads a score: in binary, or as text with its length before it, which
// for what is no number is a number by itself.
func (d *Decoder) score(kind byte) (float64, error) {
	if kind == typeZSet {
		f, err := d.double()
		if err == nil && math.IsNaN(f) {
			err = errScore
		}
		return f, err
	}
	n, err := d.byte()
	if err != nil {
		return 0, err
	}
	switch n {
	case 255:
		return math.Inf(-1), nil
	case 254:
		return math.Inf(1), nil
	case 253: // not a number
		return 0, errScore
	}
	b, err := d.take(uint64(n))
	if err != nil {
		return 0, err
	}
	return parseScore(atom.Of(view(b)))
}

func parseScore(a atom.Atom) (float64, error) {
	if n, ok := a.Int(); ok {
		return float64(n), nil
	}
	text, _ := a.Text()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) || math.IsNaN(f) { // too large a number is infinite
		return 0, errScore
	}
	return f, nil
}

func (d *Decoder) unpackZSet(p pack) (*keyspace.Object, error) {
	s := sortedset.New()
	err := eachPair(p, func(member, score atom.Atom) error {
		f, err := parseScore(score)
		if err != nil {
			return err
		}
		var room atom.Digits
		if s.Add(member.View(&room), f) != sortedset.Added {
			return errDuplicate
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	encoding := keyspace.Listpack
	if int64(s.Len()) > d.ZSetEntries {
		encoding = keyspace.Skiplist
	}
	return keyspace.NewObject(keyspace.ZSet, encoding, s), nil
}
