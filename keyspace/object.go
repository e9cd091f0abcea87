package keyspace

// Kind is the type of a value as TYPE names it.
type Kind uint8

// The kinds of values, in the order of Redis's type numbers (OBJ_STRING …).
const (
	String Kind = iota
	List
	Set
	ZSet
	Hash
	Module
	Stream
)

var kindNames = [...]string{"string", "list", "set", "zset", "hash", "module", "stream"}

func (k Kind) String() string { return kindNames[k] }

// KindNamed returns the kind that TYPE prints as name.
func KindNamed(name string) (Kind, bool) {
	for k, n := range kindNames {
		if n == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// Encoding is the representation that OBJECT ENCODING reports. It follows
// Redis's rules for the same content and configuration, because clients and
// tools read it; how a value is laid out here is another matter.
type Encoding uint8

// Encodings, named as OBJECT ENCODING prints them.
const (
	Raw Encoding = iota
	Int
	Embstr
	Listpack
	Quicklist
	Skiplist
	Hashtable
	Intset
	StreamEncoding
)

var encodingNames = [...]string{"raw", "int", "embstr", "listpack", "quicklist", "skiplist", "hashtable", "intset", "stream"}

func (e Encoding) String() string { return encodingNames[e] }

// Object is a key's value and what is kept about it. Its size is 48 bytes, a
// size class of Go's allocator: a field more costs every key 16 bytes.
type Object struct {
	// Value holds the Go type of the kind: int64 or []byte for strings,
	// *sortedset.Set for sorted sets, and so on.
	Value any

	key      string
	expireAt int64  // Unix ms; 0: never
	heapAt   int32  // place in the deadline heap; -1: not in it
	access   uint32 // LRU clock or LFU counter: 24 bits; kind and encoding: 4 bits each
}

const accessBits = 24

// NewObject returns a value that belongs to no key yet.
func NewObject(kind Kind, enc Encoding, value any) *Object {
	return &Object{Value: value, heapAt: -1, access: uint32(kind)<<accessBits | uint32(enc)<<(accessBits+4)}
}

// Kind returns the value's type.
func (o *Object) Kind() Kind { return Kind(o.access >> accessBits & 0xf) }

// Encoding returns what OBJECT ENCODING reports.
func (o *Object) Encoding() Encoding { return Encoding(o.access >> (accessBits + 4)) }

// SetEncoding changes what OBJECT ENCODING reports.
func (o *Object) SetEncoding(e Encoding) {
	o.access = o.access&(1<<(accessBits+4)-1) | uint32(e)<<(accessBits+4)
}

// Access returns the 24-bit access record: seconds (LRU) or minutes and
// counter (LFU), as the eviction policy has it.
func (o *Object) Access() uint32 { return o.access & (1<<accessBits - 1) }

// SetAccess replaces the access record.
func (o *Object) SetAccess(a uint32) {
	o.access = o.access&^(1<<accessBits-1) | a&(1<<accessBits-1)
}

// Key returns the key the object is stored under.
func (o *Object) Key() string { return o.key }

// ExpireAt returns when the key falls due in Unix milliseconds; 0 is never.
func (o *Object) ExpireAt() int64 { return o.expireAt }
