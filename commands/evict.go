package commands

import (
	"cmp"
	"slices"

	"myredis/keyspace"
)

// Eviction (Redis documentation, "Key eviction"). Which key was used longest
// ago, or least often, is not known exactly: of a few that are drawn at random
// the best is taken, and those that were nearly as good are kept for the next
// time. The more are drawn (maxmemory-samples), the nearer to the truth.

// evictor remembers good candidates.
type evictor struct {
	pool   []candidate // the best last
	nextDB int         // whose turn it is under a random policy
}

const evictionPool = 16

// candidate is a key that may be evicted next.
type candidate struct {
	db    int
	key   string
	score int64 // the larger, the better to evict
}

// evictionPolicy says which keys may be evicted and which are the best to be.
type evictionPolicy struct {
	volatile bool                                             // only those with a deadline
	score    func(*keyspace.Keyspace, *keyspace.Object) int64 // nil: any is as good
}

func idleScore(ks *keyspace.Keyspace, o *keyspace.Object) int64 { return ks.Idle(o) }

func rarityScore(ks *keyspace.Keyspace, o *keyspace.Object) int64 { return -int64(ks.Frequency(o)) }

func deadlineScore(_ *keyspace.Keyspace, o *keyspace.Object) int64 { return -o.ExpireAt() }

var evictionPolicies = map[string]evictionPolicy{
	"allkeys-lru":     {false, idleScore},
	"allkeys-lfu":     {false, rarityScore},
	"allkeys-random":  {false, nil},
	"volatile-lru":    {true, idleScore},
	"volatile-lfu":    {true, rarityScore},
	"volatile-random": {true, nil},
	"volatile-ttl":    {true, deadlineScore},
}

// draw returns a key at random that the policy allows.
func (p evictionPolicy) draw(db *keyspace.DB) (*keyspace.Object, bool) {
	if p.volatile {
		return db.RandomVolatile()
	}
	return db.Random()
}

// evictOne removes the key that the policy thinks least of, and estimates how
// many bytes that gives. It reports false when there is none that may be
// removed.
func (e *Engine) evictOne() (bytes int, ok bool) {
	policy := evictionPolicies[e.Config.MaxmemoryPolicy]
	choose := e.bestOfSamples
	if policy.score == nil {
		choose = e.anyKey
	}
	db, key, ok := choose(policy)
	if !ok {
		return 0, false
	}
	bytes = keyBytes(db.Stored(key), usualSamples)
	if db.Delete(key) { // or it was overdue, and has expired
		e.Stats.EvictedKeys++
		e.changed(nil, db, eventEvicted, "evicted", []byte(key))
	}
	return bytes, true
}

// anyKey chooses a key at random, from one database after the other.
func (e *Engine) anyKey(policy evictionPolicy) (*keyspace.DB, string, bool) {
	v := &e.evictor
	for range e.Keys.Len() {
		v.nextDB = (v.nextDB + 1) % e.Keys.Len()
		db := e.Keys.DB(v.nextDB)
		if o, ok := policy.draw(db); ok {
			return db, o.Key(), true
		}
	}
	return nil, "", false
}

// bestOfSamples chooses the best of some keys drawn from every database and of
// those left from earlier draws.
func (e *Engine) bestOfSamples(policy evictionPolicy) (*keyspace.DB, string, bool) {
	for e.drawCandidates(policy) {
		for {
			best, ok := e.evictor.take()
			if !ok {
				break
			}
			db := e.Keys.DB(best.db)
			if o := db.Stored(best.key); o != nil && (!policy.volatile || o.ExpireAt() != 0) {
				return db, best.key, true
			}
			// It has gone meanwhile, or become what may not be evicted.
		}
	}
	return nil, "", false
}

// drawCandidates draws maxmemory-samples keys from each database. It reports
// whether there were any.
func (e *Engine) drawCandidates(policy evictionPolicy) (drawn bool) {
	for i := range e.Keys.Len() {
		db := e.Keys.DB(i)
		for range e.Config.MaxmemorySamples {
			o, ok := policy.draw(db)
			if !ok {
				break
			}
			drawn = true
			e.evictor.add(candidate{i, o.Key(), policy.score(e.Keys, o)})
		}
	}
	return drawn
}

// add puts a candidate into the pool, in the place of the worst if there is no
// room, unless it is no better itself.
func (v *evictor) add(c candidate) {
	same := func(o candidate) bool { return o.db == c.db && o.key == c.key }
	v.pool = slices.DeleteFunc(v.pool, same)
	i, _ := slices.BinarySearchFunc(v.pool, c, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	switch {
	case len(v.pool) < evictionPool:
		v.pool = slices.Insert(v.pool, i, c)
	case i > 0:
		copy(v.pool, v.pool[1:i])
		v.pool[i-1] = c
	}
}

// take takes the best candidate out of the pool.
func (v *evictor) take() (best candidate, ok bool) {
	n := len(v.pool)
	if n == 0 {
		return best, false
	}
	best, v.pool[n-1] = v.pool[n-1], candidate{}
	v.pool = v.pool[:n-1]
	return best, true
}
