package commands

import (
	"myredis/keyspace"
	"myredis/keyspace/hash"
	"myredis/keyspace/list"
	"myredis/keyspace/stream"
)

// Where Redis frees memory in a thread beside the commands, here the garbage
// collector does, in its own time. For those who say that they mean to free
// memory (UNLINK, FLUSHALL ASYNC) it is asked to do it soon.

// lazyfree counts objects that have been given up.
type lazyfree struct {
	waiting    int64 // for the next collection
	collecting int64 // before the one that runs
	freed      int64
}

// manyParts is from how many parts on a value is left to be freed beside the
// commands (Redis: LAZYFREE_THRESHOLD).
const manyParts = 64

// giveUp notes that a value is removed whose memory is wanted back.
func (l *lazyfree) giveUp(o *keyspace.Object) {
	if parts(o) > manyParts {
		l.waiting++
	}
}

// parts is of how many allocations Redis makes a value, about.
func parts(o *keyspace.Object) int {
	switch v := o.Value.(type) {
	case *list.List:
		return v.Chunks()
	case *hash.Hash:
		if v.Packed() {
			return 1
		}
		return v.Len()
	case *stream.Stream:
		n := v.RadixNodes()
		if groups := v.Groups(); len(groups) > 0 {
			n += len(groups) * (1 + groups[0].Pending().Len())
		}
		return n
	case interface{ Len() int }: // sets of either kind
		if o.Encoding() == keyspace.Hashtable || o.Encoding() == keyspace.Skiplist {
			return v.Len()
		}
	}
	return 1
}

// Reclaim reports whether a garbage collection is wanted. It is asked when none
// that it has asked for runs.
func (e *Engine) Reclaim() bool {
	l := &e.lazyfree
	l.freed += l.collecting
	l.collecting, l.waiting = l.waiting, 0
	return l.collecting > 0
}
