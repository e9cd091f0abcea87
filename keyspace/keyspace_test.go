package keyspace

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func value() *Object { return NewObject(String, Raw, []byte("v")) }

// model is a keyspace of one database as a person would write it down.
type model map[string]int64 // deadline; 0: none

func (m model) alive(key string, now int64) bool {
	at, ok := m[key]
	return ok && (at == 0 || at > now)
}

// Random histories leave the keyspace as they leave the model, and the heap a
// heap whose objects know their places.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ks := New(2)
		ks.Now = 1000
		db := ks.DB(0)
		m := model{}
		key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				k := key.Draw(t, "key")
				db.Put(k, value())
				m[k] = 0
			},
			"renew": func(t *rapid.T) {
				k := key.Draw(t, "key")
				_, there := m[k]
				require.Equal(t, there, db.Renew(k, String) != nil)
				if there {
					m[k] = 0
				}
			},
			"delete": func(t *rapid.T) {
				k := key.Draw(t, "key")
				require.Equal(t, m.alive(k, ks.Now), db.Delete(k))
				delete(m, k)
			},
			"expire": func(t *rapid.T) {
				k, at := key.Draw(t, "key"), rapid.Int64Range(0, 3000).Draw(t, "at")
				_, there := m[k]
				require.Equal(t, there, db.SetExpire(k, at))
				if there {
					m[k] = at
				}
			},
			"move": func(t *rapid.T) {
				k, to := key.Draw(t, "key"), key.Draw(t, "to")
				if !m.alive(k, ks.Now) || k == to {
					return
				}
				o := db.Take(k)
				require.Equal(t, m[k], o.ExpireAt(), "a key takes its deadline along")
				db.Give(to, o)
				m[to] = m[k]
				delete(m, k)
			},
			"find": func(t *rapid.T) {
				k := key.Draw(t, "key")
				o := db.Find(k)
				require.Equal(t, m.alive(k, ks.Now), o != nil)
				if o == nil {
					delete(m, k)
				} else {
					require.Equal(t, k, o.Key())
				}
			},
			"pass time": func(t *rapid.T) { ks.Now += rapid.Int64Range(0, 500).Draw(t, "ms") },
			"expire due": func(t *rapid.T) {
				_, more := ks.ExpireDue(time.Hour)
				require.False(t, more)
				for k := range m {
					if !m.alive(k, ks.Now) {
						delete(m, k)
					}
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(m), db.Len())
				volatile := 0
				for _, at := range m {
					if at != 0 {
						volatile++
					}
				}
				require.Equal(t, volatile, db.Volatile())
				for i, o := range db.due {
					require.EqualValues(t, i, o.heapAt)
					require.LessOrEqual(t, db.due[max(0, i-1)/heapWidth].expireAt, o.expireAt)
				}
			},
		})
	})
}

// The heap is deep enough here for every way through it: a deadline moves up and
// down, and what takes a removed one's place comes from another branch.
func TestDeadlinesStayInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		ks := New(1)
		db := ks.DB(0)
		for range 2000 {
			key := fmt.Sprint(rng.IntN(200))
			switch rng.IntN(8) {
			case 0:
				db.Delete(key)
			case 1:
				db.SetExpire(key, 0)
			case 2:
				db.Put(key, value())
			default:
				if !db.Has(key) {
					db.Put(key, value())
				}
				db.SetExpire(key, 1+rng.Int64N(1000))
			}
			for i, o := range db.due {
				if int(o.heapAt) != i || i > 0 && db.due[(i-1)/heapWidth].expireAt > o.expireAt {
					t.Fatalf("the heap is out of order at %d of %d", i, len(db.due))
				}
			}
		}
		last := int64(0)
		for at, ok := db.NextDue(); ok; at, ok = db.NextDue() {
			require.LessOrEqual(t, last, at, "what is due first goes first")
			last, ks.Now = at, at
			ks.ExpireDue(time.Hour)
		}
		require.Zero(t, db.Volatile())
	})
}

func TestExpireDueKeepsToItsTime(t *testing.T) {
	ks := New(1)
	db := ks.DB(0)
	for i := range 1000 {
		db.Put(fmt.Sprint(i), value())
		db.SetExpire(fmt.Sprint(i), int64(i+1))
	}
	ks.Now = 500
	removed, more := ks.ExpireDue(0)
	require.True(t, more, "the time allowed was used up")
	require.Less(t, removed, 32)
	for more {
		_, more = ks.ExpireDue(0)
	}
	require.Equal(t, 500, db.Len())
	require.EqualValues(t, 500, ks.Stats.Expired)
	at, ok := db.NextDue()
	require.True(t, ok)
	require.EqualValues(t, 501, at)
}

func TestOnExpireIsToldOnceAfterTheKeyIsGone(t *testing.T) {
	ks := New(1)
	db := ks.DB(0)
	var gone []string
	ks.OnExpire = func(db *DB, key string) {
		require.False(t, db.Has(key))
		gone = append(gone, key)
	}
	db.Put("k", value())
	db.SetExpire("k", 10)
	ks.Now = 10
	require.True(t, db.Overdue("k"))
	require.Nil(t, db.Look("k"))
	require.Nil(t, db.Look("k"))
	require.Equal(t, []string{"k"}, gone)
	require.Equal(t, Stats{Misses: 2, Expired: 1}, ks.Stats)
}

func TestNoExpireHidesAndKeeps(t *testing.T) {
	ks := New(1)
	ks.NoExpire = true
	db := ks.DB(0)
	db.Put("k", value())
	db.SetExpire("k", 10)
	ks.Now = 11
	require.Nil(t, db.Find("k"))
	require.Equal(t, 1, db.Len())
}

// The gap is inside every look-up: the answer is known, the caller not yet told.
func TestGapIsInsideEveryLookUp(t *testing.T) {
	ks := New(1)
	db := ks.DB(0)
	gaps := 0
	ks.Gap = func() {
		gaps++
		db.Put("k", value())
	}
	require.Nil(t, db.Find("k"), "it came after the look")
	require.NotNil(t, db.Look("k"))
	require.NotNil(t, db.Peek("k"))
	require.NotNil(t, db.Glance("k"))
	require.Equal(t, 4, gaps)
	require.NotNil(t, db.Renew("k", String))
	require.NotNil(t, db.Take("k"))
	require.Equal(t, 4, gaps, "a leap is no look-up")
}

func TestSwap(t *testing.T) {
	ks := New(2)
	ks.DB(0).Put("a", value())
	ks.DB(0).SetExpire("a", 100)
	ks.Swap(0, 1)
	require.False(t, ks.DB(0).Has("a"))
	require.True(t, ks.DB(1).Has("a"))
	ks.Now = 100
	ks.ExpireDue(time.Hour)
	require.Zero(t, ks.DB(1).Len())
}

func TestAccess(t *testing.T) {
	ks := New(1)
	db := ks.DB(0)
	ks.Now = 1_000_000
	db.Put("k", value())
	ks.Now += 7000
	require.EqualValues(t, 7, ks.Idle(db.Peek("k")), "a peek is no access")
	require.EqualValues(t, 7, ks.Idle(db.Glance("k")), "nor is a glance")
	ks.NoTouch = true
	require.EqualValues(t, 7, ks.Idle(db.Find("k")), "nor is a look-up for who asked for none")
	ks.NoTouch = false
	require.EqualValues(t, 0, ks.Idle(db.Find("k")))
	ks.LFU = &LFU{LogFactor: 10, DecayTime: 1}
	db.Put("f", value())
	require.EqualValues(t, lfuStart, ks.Frequency(db.Peek("f")))
	for range 100_000 {
		db.Find("f")
	}
	high := ks.Frequency(db.Peek("f"))
	require.Greater(t, high, uint32(50))
	ks.Now += 20 * 60_000
	require.Equal(t, high-20, ks.Frequency(db.Peek("f")), "one less for each minute")
}

// What becomes of the access record when a value is replaced, changed in place
// or given another name: a time begins again with a value, a counter stays with
// the key, and both go along with an object that moves.
func TestAccessOfReplacedObjects(t *testing.T) {
	for _, policy := range []string{"LRU", "LFU"} {
		ks := New(2)
		if policy == "LFU" {
			ks.LFU = &LFU{LogFactor: 10, DecayTime: 1}
		}
		db := ks.DB(0)
		record := func(key string) uint32 { return db.Peek(key).Access() }
		fresh := func() uint32 {
			db.Put("fresh", value())
			defer db.Delete("fresh")
			return record("fresh")
		}
		for name, replace := range map[string]func(){
			"Put":   func() { db.Put("k", value()) },
			"Renew": func() { require.NotNil(t, db.Renew("k", String)) },
		} {
			db.Put("k", value())
			db.Peek("k").SetAccess(12345<<8 | 200)
			ks.Now += 100_000
			replace()
			if policy == "LFU" {
				require.EqualValues(t, 12345<<8|200, record("k"), name)
			} else {
				require.Equal(t, fresh(), record("k"), name)
			}
		}
		db.Peek("k").SetAccess(777)
		ks.Now += 100_000
		db.Put("other", value())
		db.Give("other", db.Take("k"))
		require.EqualValues(t, 777, record("other"), policy)
		ks.DB(1).Give("k", db.Take("other"))
		require.EqualValues(t, 777, ks.DB(1).Peek("k").Access(), policy)
	}
}

func TestRenewIsForTheSameKindOnly(t *testing.T) {
	ks := New(1)
	db := ks.DB(0)
	require.Nil(t, db.Renew("k", String))
	db.Put("k", value())
	db.SetExpire("k", 100)
	require.Nil(t, db.Renew("k", ZSet))
	require.EqualValues(t, 100, db.Peek("k").ExpireAt())
	require.Same(t, db.Peek("k"), db.Renew("k", String))
	require.Zero(t, db.Peek("k").ExpireAt())
	require.Zero(t, db.Volatile())
}

// Keys that are dead and must stay are neither chosen nor removed.
func TestRandomUnderNoExpire(t *testing.T) {
	ks := New(1)
	ks.NoExpire = true
	db := ks.DB(0)
	for i := range 5000 {
		db.Put(fmt.Sprint(i), value())
		db.SetExpire(fmt.Sprint(i), 1)
	}
	ks.Now = 1
	_, ok := db.Random()
	require.False(t, ok)
	db.Put("alive", value())
	for range 20 {
		o, ok := db.Random()
		require.True(t, ok)
		require.Equal(t, "alive", o.Key())
	}
	require.Equal(t, 5001, db.Len())
}

func TestRandomIsAmongTheLiving(t *testing.T) {
	ks := New(1)
	db := ks.DB(0)
	_, ok := db.Random()
	require.False(t, ok)
	db.Put("dead", value())
	db.SetExpire("dead", 1)
	db.Put("alive", value())
	ks.Now = 1
	for range 20 {
		o, ok := db.Random()
		require.True(t, ok)
		require.Equal(t, "alive", o.Key())
	}
}
