package keyspace

import (
	"math/rand/v2"
	"time"
	"unsafe"

	"myredis/internal/dict"
	"myredis/internal/heap"
)

// Keyspace is the set of numbered databases.
type Keyspace struct {
	// Now is the present in Unix milliseconds. The caller sets it before
	// each command.
	Now int64

	// Gap, when set, is called inside every look-up, after the key has been
	// looked for and before the caller learns the answer. With one executor
	// it is nil and commands are atomic. With several, it hands the right to
	// run to another worker at exactly the place where a store that locks
	// each access, but not each command, would lose it: between a command's
	// look and its leap.
	Gap func()

	// OnExpire, when set, is told of each key that was removed because it
	// had fallen due, after its removal.
	OnExpire func(db *DB, key string)

	// OnNew, when set, is told of each key that is stored where there was none,
	// after it has been stored.
	OnNew func(db *DB, key string)

	// NoExpire keeps keys that have fallen due from being removed by a
	// look-up (they still look absent). Used while something else decides
	// when they go.
	NoExpire bool

	// LFU, when set, makes objects count their accesses.
	LFU *LFU

	// NoTouch keeps look-ups from being noted as accesses.
	NoTouch bool

	Stats Stats

	dbs []*DB
	rng *rand.Rand
}

// Stats counts what INFO stats reports about look-ups and expiry.
type Stats struct {
	Hits, Misses, Expired int64
}

// New returns n empty databases.
func New(n int) *Keyspace {
	ks := &Keyspace{rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
	for i := range n {
		ks.dbs = append(ks.dbs, newDB(ks, i))
	}
	return ks
}

// Len returns how many databases there are.
func (ks *Keyspace) Len() int { return len(ks.dbs) }

// DB returns database i, which must be in range.
func (ks *Keyspace) DB(i int) *DB { return ks.dbs[i] }

// Swap exchanges the contents of databases i and j: whoever has selected i
// sees what was in j.
func (ks *Keyspace) Swap(i, j int) {
	ks.dbs[i].Exchange(ks.dbs[j])
}

// Exchange exchanges the contents of two databases, which may be of two
// keyspaces.
func (db *DB) Exchange(other *DB) {
	db.keys, other.keys = other.keys, db.keys
	db.due, other.due = other.due, db.due
}

// ExpireDue removes keys that have fallen due, the oldest first, until none is
// left or the time allowed is used up. It reports how many it removed and
// whether some are left.
func (ks *Keyspace) ExpireDue(allowed time.Duration) (removed int, more bool) {
	start := time.Now()
	for _, db := range ks.dbs {
		for len(db.due) > 0 && db.due[0].expireAt <= ks.Now {
			// The clock is read every 16 keys: a removal costs less than a
			// microsecond, unless the value is large.
			if removed%16 == 15 && time.Since(start) > allowed {
				return removed, true
			}
			db.expire(db.due[0])
			removed++
		}
	}
	return removed, false
}

// DB is one numbered database.
type DB struct {
	ks    *Keyspace
	index int
	keys  *dict.Dict[*Object]
	due   deadlines
}

func newDB(ks *Keyspace, index int) *DB {
	return &DB{ks: ks, index: index, keys: dict.New[*Object]()}
}

// Index returns the database's number.
func (db *DB) Index() int { return db.index }

// Len returns how many keys there are, those that have fallen due and are not
// yet removed included, as DBSIZE counts.
func (db *DB) Len() int { return db.keys.Len() }

// Volatile returns how many keys have a deadline.
func (db *DB) Volatile() int { return len(db.due) }

// NextDue returns the earliest deadline in Unix milliseconds.
func (db *DB) NextDue() (at int64, ok bool) {
	if len(db.due) == 0 {
		return 0, false
	}
	return db.due[0].expireAt, true
}

// Find returns the key's object, or nil when there is none or it has fallen
// due, in which case it is removed. Key may be a view of a buffer.
func (db *DB) Find(key string) *Object {
	o := db.Peek(key)
	if o != nil {
		db.ks.accessed(o)
	}
	return o
}

// Peek is Find that is not noted as an access.
func (db *DB) Peek(key string) *Object {
	o, _ := db.keys.Get(key)
	if o != nil && o.expireAt != 0 && o.expireAt <= db.ks.Now {
		if !db.ks.NoExpire {
			db.expire(o)
		}
		o = nil
	}
	if db.ks.Gap != nil {
		db.ks.Gap()
	}
	return o
}

// Look is Find for a command that reads: it counts a hit or a miss.
func (db *DB) Look(key string) *Object { return db.count(db.Find(key)) }

// Glance is Look that is not noted as an access: it is for commands that ask
// about a key and not for its value.
func (db *DB) Glance(key string) *Object { return db.count(db.Peek(key)) }

func (db *DB) count(o *Object) *Object {
	if o == nil {
		db.ks.Stats.Misses++
	} else {
		db.ks.Stats.Hits++
	}
	return o
}

// Put stores an object under a key, in the place of what was there. The
// object's deadline is what it was given (none, for a new one): Put does not
// inherit the old one's. Key may be a view; it is copied when it is new.
func (db *DB) Put(key string, o *Object) {
	if old := db.store(key, o); old == nil {
		db.ks.created(o)
	} else {
		db.ks.replaced(o, old.Access())
	}
}

// Renew returns the object of a key for its value to be replaced, in the state
// in which Put would leave an object that took its place: without a deadline.
// It is nil when there is no such key, or one of another kind. It is part of a
// leap and no look-up: nobody gets a turn, and a key that has fallen due is as
// good as any.
func (db *DB) Renew(key string, kind Kind) *Object {
	o, _ := db.keys.Get(key)
	if o == nil || o.Kind() != kind {
		return nil
	}
	db.forget(o)
	o.expireAt = 0
	db.ks.replaced(o, o.Access())
	return o
}

// store puts an object in a key's place and returns the one that was there.
func (db *DB) store(key string, o *Object) (old *Object) {
	ref, stored, added := db.keys.Upsert(key)
	if !added {
		old = *ref
		db.forget(old)
	}
	o.key = stored
	*ref = o
	if o.expireAt != 0 {
		db.due.push(o)
	}
	if added && db.ks.OnNew != nil {
		db.ks.OnNew(db, stored)
	}
	return old
}

// Delete removes the key and reports whether it was there and alive. A key
// that has fallen due is removed as expired and counts as absent.
func (db *DB) Delete(key string) bool {
	o, _ := db.keys.Get(key)
	if o == nil {
		return false
	}
	if o.expireAt != 0 && o.expireAt <= db.ks.Now {
		db.expire(o)
		return false
	}
	db.drop(o)
	return true
}

// Take removes the key and returns its object, deadline and access record kept,
// for it to be stored somewhere else by Give.
func (db *DB) Take(key string) *Object {
	o, _ := db.keys.Get(key)
	if o != nil {
		db.drop(o)
	}
	return o
}

// Give stores an object that was taken from another key or database, in the
// place of what is there. It is the same object under another name: its deadline
// and access record stay what they were.
func (db *DB) Give(key string, o *Object) { db.store(key, o) }

// SetExpire gives the key a deadline in Unix milliseconds; 0 takes it away. It
// reports whether the key exists.
func (db *DB) SetExpire(key string, at int64) bool {
	o, _ := db.keys.Get(key)
	if o == nil {
		return false
	}
	switch {
	case at == 0:
		db.forget(o)
		o.expireAt = 0
	case o.heapAt >= 0:
		o.expireAt = at
		db.due.fix(int(o.heapAt))
	default:
		o.expireAt = at
		db.due.push(o)
	}
	return true
}

// Clear removes every key.
func (db *DB) Clear() {
	db.keys = dict.New[*Object]()
	db.due = nil
}

// Scan calls fn for the keys of one step of an incremental iteration and
// returns the cursor of the next; it starts and ends with 0. A key that is
// present from the first step to the last is met at least once. Keys that have
// fallen due are met too: the caller looks.
func (db *DB) Scan(cursor uint64, fn func(o *Object)) (next uint64) {
	return db.keys.Scan(cursor, func(_ string, o *Object) { fn(o) })
}

// All calls fn for every key until it returns false. Nothing may be written
// meanwhile. Keys that have fallen due are left out.
func (db *DB) All(fn func(o *Object) bool) {
	for _, o := range db.keys.All() {
		if o.expireAt != 0 && o.expireAt <= db.ks.Now {
			continue
		}
		if !fn(o) {
			return
		}
	}
}

// Random returns a key chosen uniformly among those that have not fallen due.
// Those that it meets which have are removed, unless NoExpire keeps them.
func (db *DB) Random() (o *Object, ok bool) {
	for tries := 0; db.keys.Len() > 0; tries++ {
		_, o, _ = db.keys.Random(db.ks.rng)
		switch {
		case o.expireAt == 0 || o.expireAt > db.ks.Now:
			return o, true
		case !db.ks.NoExpire:
			db.expire(o)
		case tries == randomTries:
			return db.first()
		}
	}
	return nil, false
}

// RandomVolatile returns a key chosen uniformly among those that have a
// deadline, fallen due or not.
func (db *DB) RandomVolatile() (o *Object, ok bool) {
	if len(db.due) == 0 {
		return nil, false
	}
	return db.due[db.ks.rng.IntN(len(db.due))], true
}

// randomTries is after how many keys that are dead and must stay Random gives
// up chance: where nearly all are, it might never meet one alive.
const randomTries = 100

// first returns some key that has not fallen due.
func (db *DB) first() (found *Object, ok bool) {
	db.All(func(o *Object) bool {
		found = o
		return false
	})
	return found, found != nil
}

// Overhead returns how much memory the table of keys takes and how much the heap
// of deadlines, both without the objects.
func (db *DB) Overhead() (keys, deadlines int) {
	return db.keys.Bytes(), heap.Size(cap(db.due) * int(unsafe.Sizeof((*Object)(nil))))
}

// DictStats describes the hash table of the database's keys.
func (db *DB) DictStats() dict.Stats { return db.keys.Stats() }

// Rand is the store's source of chance.
func (ks *Keyspace) Rand() *rand.Rand { return ks.rng }

func (db *DB) expire(o *Object) {
	key := o.key
	db.drop(o)
	db.ks.Stats.Expired++
	if db.ks.OnExpire != nil {
		db.ks.OnExpire(db, key)
	}
}

func (db *DB) drop(o *Object) {
	db.forget(o)
	db.keys.Delete(o.key)
}

// forget takes an object out of the deadline heap.
func (db *DB) forget(o *Object) {
	if o.heapAt >= 0 {
		db.due.remove(o)
	}
}

// Has reports whether the key is stored, fallen due or not. It is not a
// look-up: nothing is removed and nobody gets a turn.
func (db *DB) Has(key string) bool {
	_, ok := db.keys.Get(key)
	return ok
}

// Stored returns the object of a key, fallen due or not. Like Has, it is not a
// look-up.
func (db *DB) Stored(key string) *Object {
	o, _ := db.keys.Get(key)
	return o
}

// Overdue reports whether the key is still stored though it has fallen due.
func (db *DB) Overdue(key string) bool {
	o, _ := db.keys.Get(key)
	return o != nil && o.expireAt != 0 && o.expireAt <= db.ks.Now
}

// Volatiles calls fn for up to n keys that have a deadline, those due soonest
// among them.
func (db *DB) Volatiles(n int, fn func(o *Object)) {
	for _, o := range db.due[:min(n, len(db.due))] {
		fn(o)
	}
}
