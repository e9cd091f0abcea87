package stream

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plain is an entry as a person would write it down.
type plain struct {
	id    ID
	pairs []string
}

// model is a stream that is a sorted slice.
type model struct {
	entries       []plain
	last, deleted ID
	added         int64
}

func (m *model) first() ID {
	if len(m.entries) == 0 {
		return ID{}
	}
	return m.entries[0].id
}

func (m *model) between(from, to ID) (found []plain) {
	for _, e := range m.entries {
		if from.Compare(e.id) <= 0 && e.id.Compare(to) <= 0 {
			found = append(found, e)
		}
	}
	return found
}

func (m *model) delete(id ID) bool {
	before := len(m.entries)
	m.entries = slices.DeleteFunc(m.entries, func(e plain) bool { return e.id == id })
	if len(m.entries) == before {
		return false
	}
	if id.After(m.deleted) {
		m.deleted = id
	}
	return true
}

func plainly(e Entry) plain {
	p := plain{id: e.ID}
	for field, value := range e.Pairs() {
		p.pairs = append(p.pairs, strings.Clone(field.String()), strings.Clone(value.String()))
	}
	return p
}

func collect(seq func(func(Entry) bool)) (all []plain) {
	for e := range seq {
		all = append(all, plainly(e))
	}
	return all
}

func raw(texts []string) (b [][]byte) {
	for _, text := range texts {
		b = append(b, []byte(text))
	}
	return b
}

// texts are chosen so that small nodes are filled by a few of them, and so that
// integers of every size are among them.
var texts = rapid.OneOf(
	rapid.SampledFrom([]string{"", "field", "7", "-1", "007", "2305843009213693951", "2305843009213693952", "-2305843009213693952",
		"-2305843009213693953", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "\x00\xff", strings.Repeat("long", 50)}),
	rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.Int64().Draw(t, "n")) }),
)

var anyPairs = rapid.OneOf(
	rapid.Just([]string{"a", "1", "b", "2"}),
	rapid.Custom(func(t *rapid.T) []string { return []string{"a", texts.Draw(t, "value"), "b", texts.Draw(t, "value")} }),
	rapid.Custom(func(t *rapid.T) []string {
		n := rapid.IntRange(1, 3).Draw(t, "fields")
		return rapid.SliceOfN(texts, 2*n, 2*n).Draw(t, "pairs")
	}),
)

// Random histories leave a stream as they leave a sorted slice.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := Limits{
			Bytes:   rapid.SampledFrom([]int64{0, 50, 300}).Draw(t, "bytes"),
			Entries: rapid.SampledFrom([]int64{0, 1, 3, 10}).Draw(t, "entries"),
		}
		s, m := new(Stream), new(model)
		someID := rapid.Custom(func(t *rapid.T) ID {
			if len(m.entries) > 0 && rapid.Bool().Draw(t, "known") {
				return rapid.SampledFrom(m.entries).Draw(t, "entry").id
			}
			return ID{rapid.Uint64Range(0, 60).Draw(t, "ms"), rapid.Uint64Range(0, 3).Draw(t, "seq")}
		})
		trimmed := func(t *rapid.T, trim Trim, keep int) {
			removed := s.Trim(trim)
			require.EqualValues(t, len(m.entries)-keep, removed)
			m.entries = slices.Clone(m.entries[len(m.entries)-keep:])
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "n") {
					id, pairs := nextID(t, m.last), anyPairs.Draw(t, "pairs")
					s.Append(id, raw(pairs), limits)
					m.entries = append(m.entries, plain{id, pairs})
					m.last, m.added = id, m.added+1
				}
			},
			"delete": func(t *rapid.T) {
				id := someID.Draw(t, "id")
				require.Equal(t, m.delete(id), s.Delete(id))
			},
			"keep some": func(t *rapid.T) {
				n := rapid.IntRange(0, len(m.entries)+1).Draw(t, "n")
				trimmed(t, Trim{MaxLen: int64(n)}, min(n, len(m.entries)))
			},
			"keep young": func(t *rapid.T) {
				id := someID.Draw(t, "id")
				trimmed(t, Trim{MinID: id, ByID: true}, len(m.between(id, Max)))
			},
			"keep about some": func(t *rapid.T) {
				n, limit := rapid.IntRange(0, len(m.entries)+1).Draw(t, "n"), rapid.Int64Range(0, 9).Draw(t, "limit")
				removed := s.Trim(Trim{MaxLen: int64(n), Approx: true, Limit: limit})
				require.True(t, limit == 0 || removed <= limit)
				m.entries = slices.Clone(m.entries[removed:])
				require.True(t, removed == 0 || len(m.entries) >= n)
			},
			"range": func(t *rapid.T) {
				from, to := someID.Draw(t, "from"), someID.Draw(t, "to")
				want := m.between(from, to)
				same(t, want, collect(s.Range(from, to)))
				slices.Reverse(want)
				same(t, want, collect(s.Backward(from, to)))
			},
			"entry": func(t *rapid.T) {
				id := someID.Draw(t, "id")
				e, ok := s.Entry(id)
				want := m.between(id, id)
				require.Equal(t, len(want) == 1, ok)
				if ok {
					require.Equal(t, want[0], plainly(e))
				}
			},
			"clone": func(*rapid.T) {
				old := s
				s = s.Clone()
				old.Trim(Trim{})
			},
			"rebuild": func(*rapid.T) {
				old := s
				s = rebuilt(old)
				same(t, collect(old.Range(ID{}, Max)), collect(s.Range(ID{}, Max)))
			},
			"": func(t *rapid.T) {
				require.EqualValues(t, len(m.entries), s.Len())
				same(t, m.entries, collect(s.Range(ID{}, Max)))
				require.Equal(t, m.first(), s.First())
				require.Equal(t, m.last, s.Last())
				require.Equal(t, m.deleted, s.MaxDeleted())
				require.Equal(t, m.added, s.Added())
				checkNodes(t, s, limits)
			},
		})
	})
}

// same compares entries; none are none, nil or not.
func same(t *rapid.T, want, got []plain) {
	require.Len(t, got, len(want))
	if len(want) > 0 {
		require.Equal(t, want, got)
	}
}

// rebuilt is a stream made of what another one is made of.
func rebuilt(old *Stream) *Stream {
	s := new(Stream)
	for _, entries := range old.Runs() {
		first := Limits{Entries: 1}
		for e := range entries {
			s.Append(e.ID, raw(plainly(e).pairs), first)
			first = Limits{}
		}
	}
	s.SetLast(old.Last())
	s.SetAdded(old.Added())
	s.SetMaxDeleted(old.MaxDeleted())
	return s
}

// nextID draws an ID after another, of the same millisecond or of a later one,
// with a smaller or greater number.
func nextID(t *rapid.T, last ID) ID {
	if rapid.Bool().Draw(t, "same ms") {
		return ID{last.MS, last.Seq + rapid.Uint64Range(1, 3).Draw(t, "step")}
	}
	return ID{last.MS + rapid.Uint64Range(1, 300).Draw(t, "ms"), rapid.Uint64Range(0, 3).Draw(t, "seq")}
}

func checkNodes(t *rapid.T, s *Stream, limits Limits) {
	total := 0
	for i, n := range s.nodes {
		count := 0
		for _, e := range n.entries() {
			require.False(t, n.first.After(e.ID) || e.ID.After(n.last))
			count++
		}
		require.EqualValues(t, n.live, count)
		require.True(t, limits.Entries == 0 || int64(n.live+n.dead) <= limits.Entries)
		require.True(t, i == 0 || n.first.After(s.nodes[i-1].last))
		total += count
	}
	require.EqualValues(t, s.length, total)
}

// What is pending for a group is what is pending for its consumers.
func TestGroupModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := new(Stream)
		s.CreateGroup("g", ID{}, Unknown)
		owners := map[ID]string{}
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		someID := rapid.Custom(func(t *rapid.T) ID { return ID{1, rapid.Uint64Range(1, 200).Draw(t, "seq")} })
		now := int64(0)
		t.Repeat(map[string]func(*rapid.T){
			"assign": func(t *rapid.T) {
				now++
				g := s.Group("g")
				id, owner := someID.Draw(t, "id"), name.Draw(t, "name")
				c, _ := g.CreateConsumer(owner, now)
				p := g.Assign(id, c, now)
				require.Equal(t, Pending{id, c, now, 1}, *p)
				owners[id] = owner
			},
			"expect and give": func(t *rapid.T) {
				g := s.Group("g")
				id, owner := someID.Draw(t, "id"), name.Draw(t, "name")
				p := g.Pending().At(id)
				_, there := owners[id]
				require.Equal(t, there, p != nil)
				if !there {
					p = g.Expect(id)
				}
				c, _ := g.CreateConsumer(owner, now)
				g.Give(p, c)
				owners[id] = owner
			},
			"forget": func(t *rapid.T) {
				id := someID.Draw(t, "id")
				if p := s.Group("g").Pending().Seek(id); p != nil {
					s.Group("g").Forget(p)
					delete(owners, p.ID)
				}
			},
			"delete consumer": func(t *rapid.T) {
				owner := name.Draw(t, "name")
				if c := s.Group("g").Consumer(owner); c != nil {
					s.Group("g").DeleteConsumer(c)
				}
				for id, o := range owners {
					if o == owner {
						delete(owners, id)
					}
				}
			},
			"clone": func(*rapid.T) {
				old := s.Group("g")
				s = s.Clone()
				for _, c := range slices.Clone(old.Consumers()) {
					old.DeleteConsumer(c)
				}
			},
			"": func(t *rapid.T) {
				g := s.Group("g")
				found := map[ID]string{}
				last := ID{}
				for p := range g.Pending().From(ID{}) {
					require.True(t, p.ID.After(last))
					require.Same(t, p, p.Consumer.Pending().At(p.ID))
					require.Same(t, p.Consumer, g.Consumer(p.Consumer.Name))
					found[p.ID], last = p.Consumer.Name, p.ID
				}
				require.Equal(t, owners, found)
				total := 0
				for _, c := range g.Consumers() {
					total += c.Pending().Len()
				}
				require.Equal(t, len(owners), total)
			},
		})
	})
}

func TestNeighboursOfAnID(t *testing.T) {
	for _, c := range []struct{ before, after ID }{
		{ID{0, 0}, ID{0, 1}},
		{ID{5, math.MaxUint64}, ID{6, 0}},
		{ID{math.MaxUint64, math.MaxUint64 - 1}, Max},
	} {
		next, ok := c.before.Next()
		require.True(t, ok)
		require.Equal(t, c.after, next)
		previous, ok := c.after.Previous()
		require.True(t, ok)
		require.Equal(t, c.before, previous)
		require.True(t, c.after.After(c.before))
	}
	_, ok := Max.Next()
	require.False(t, ok)
	_, ok = ID{}.Previous()
	require.False(t, ok)
}

func TestAppendRefusesWhatIsNotAfterTheLast(t *testing.T) {
	s := new(Stream)
	s.Append(ID{1, 1}, raw([]string{"a", "b"}), Limits{})
	require.Panics(t, func() { s.Append(ID{1, 1}, raw([]string{"a", "b"}), Limits{}) })
}

// A deleted entry that is the last of its node counts when the node is judged
// by its age, as in Redis.
func TestApproximateTrimmingByID(t *testing.T) {
	s := new(Stream)
	for ms := range uint64(4) {
		s.Append(ID{ms + 1, 0}, raw([]string{"a", "b"}), Limits{Entries: 2})
	}
	s.Delete(ID{2, 0})
	require.Zero(t, s.Trim(Trim{ByID: true, MinID: ID{2, 0}, Approx: true}))
	require.EqualValues(t, 1, s.Trim(Trim{ByID: true, MinID: ID{2, 1}, Approx: true}))
}
