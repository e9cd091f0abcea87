package stream

import (
	"iter"

	"github.com/tidwall/btree"
)

// Pending is an entry that was delivered to a consumer who has not yet
// acknowledged it. The entry itself may be gone.
type Pending struct {
	ID         ID
	Consumer   *Consumer
	Delivered  int64 // when it was last delivered, in Unix milliseconds
	Deliveries int64
}

// PendingList is pending entries in the order of their IDs. Each of a group is
// in the group's list and in that of its consumer.
type PendingList struct{ tree *btree.BTreeG[*Pending] }

func newPendingList() PendingList {
	less := func(a, b *Pending) bool { return b.ID.After(a.ID) }
	return PendingList{btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

// Len returns how many there are.
func (l PendingList) Len() int { return l.tree.Len() }

// At returns the one of an ID, or nil.
func (l PendingList) At(id ID) *Pending {
	p, _ := l.tree.Get(&Pending{ID: id})
	return p
}

// From yields those of an ID and of later ones.
func (l PendingList) From(id ID) iter.Seq[*Pending] {
	return func(yield func(*Pending) bool) { l.tree.Ascend(&Pending{ID: id}, yield) }
}

// Seek returns the first of an ID or later, or nil.
func (l PendingList) Seek(id ID) *Pending {
	for p := range l.From(id) {
		return p
	}
	return nil
}

// First returns the one of the least ID, or nil.
func (l PendingList) First() *Pending {
	p, _ := l.tree.Min()
	return p
}

// Last returns the one of the greatest ID, or nil.
func (l PendingList) Last() *Pending {
	p, _ := l.tree.Max()
	return p
}

func (l PendingList) add(p *Pending) { l.tree.Set(p) }

func (l PendingList) remove(p *Pending) { l.tree.Delete(p) }
