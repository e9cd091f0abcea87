package commands

import (
	"iter"

	"myredis/internal/atom"
	"myredis/keyspace"
	"myredis/keyspace/list"
	setkind "myredis/keyspace/set"
	"myredis/sortedset"
)

// SORT.
//
//	sort.go        the rows, the arguments, and what becomes of the result
//	sort_order.go  what elements are sorted by, and patterns

var sortCommands = []*Command{
	{
		Name: "sort", Arity: -2, Flags: Write | DenyOOM, Group: GroupGeneric, Categories: CatSet | CatSortedSet | CatList | CatDangerous,
		Keys:   []KeySpec{keyAt(1, RO|Access), sortPatternKeys, {Flags: OW | Update, Unknown: true, Notes: "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear anywhere in the argument array"}},
		KeysOf: sortKeys, Run: sort, Since: "1.0.0", Cost: sortCost,
		Summary: "Sorts the elements of a list, set or sorted set.",
		Syntax:  "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC|DESC] [ALPHA] [STORE destination]",
	},
	{
		Name: "sort_ro", Arity: -2, Flags: ReadOnly, Group: GroupGeneric, Categories: CatSet | CatSortedSet | CatList | CatDangerous,
		Keys: []KeySpec{keyAt(1, RO|Access), sortPatternKeys}, KeysOf: sortROKeys, Run: sortRO, Since: "7.0.0", Cost: sortCost,
		Summary: "Sorts the elements of a list, set or sorted set, and stores nothing.",
		Syntax:  "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC|DESC] [ALPHA]",
	},
}

const sortCost = "O(N + M*log(M)) with N elements, M of which are answered; O(N) when they are not sorted"

var sortPatternKeys = KeySpec{Flags: RO | Access, Unknown: true, Notes: "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the content of the key we sort"}

// sortKeys finds the key and, of several STORE, the last one's. It takes
// whatever it does not know for a word without arguments.
func sortKeys(args [][]byte) ([]keyPlace, bool) {
	places := []keyPlace{{1, RO | Access}}
	for i := 2; i < len(args); i++ {
		switch {
		case equalFold(args[i], "LIMIT"):
			i += 2
		case equalFold(args[i], "GET"), equalFold(args[i], "BY"):
			i++
		case equalFold(args[i], "STORE") && i+1 < len(args):
			places = append(places[:1], keyPlace{i + 1, OW | Update})
		}
	}
	return places, true
}

func sortROKeys([][]byte) ([]keyPlace, bool) { return []keyPlace{{1, RO | Access}}, true }

// sorting is a SORT at work, and what it is asked for.
type sorting struct {
	*Call
	by            *sortPattern // nil for the element itself
	unordered     bool         // BY a pattern that is the same for all elements
	gets          []sortPattern
	alpha, desc   bool
	offset, count int64  // a count below 0 is all
	store         []byte // nil for a reply
	name          []byte // room for the key that a pattern names
}

// parse reads the words behind the key.
func (s *sorting) parse(storing bool) (err error) {
	s.count = -1
	for i := 2; i < len(s.Args); i++ {
		after := len(s.Args) - i - 1 // arguments
		switch {
		case s.is(i, "ASC"):
			s.desc = false
		case s.is(i, "DESC"):
			s.desc = true
		case s.is(i, "ALPHA"):
			s.alpha = true
		case s.is(i, "LIMIT") && after >= 2:
			if s.offset, err = s.int(i + 1); err != nil {
				return err
			}
			if s.count, err = s.int(i + 2); err != nil {
				return err
			}
			i += 2
		case storing && s.is(i, "STORE") && after >= 1:
			i++
			s.store = s.Args[i]
		case s.is(i, "BY") && after >= 1:
			i++
			by := parseSortPattern(s.Args[i])
			if by.star && !s.mayReadAnyKey() {
				return Error("ERR BY option of SORT denied due to insufficient ACL permissions.")
			}
			s.by = &by
			// A later BY with a star does not take this back, as in Redis.
			s.unordered = s.unordered || !by.star
		case s.is(i, "GET") && after >= 1:
			if !s.mayReadAnyKey() {
				return Error("ERR GET option of SORT denied due to insufficient ACL permissions.")
			}
			i++
			s.gets = append(s.gets, parseSortPattern(s.Args[i]))
		default:
			return errSyntax
		}
	}
	return nil
}

// window returns which of n elements are asked for: from start up to, and
// without, end.
func (s *sorting) window(n int) (start, end int) {
	start, end = int(min(max(s.offset, 0), int64(n))), n
	if s.count >= 0 {
		end = start + int(min(s.count, int64(n-start)))
	}
	return start, end
}

// sortable is a collection to be sorted. If it is ordered, walk goes through n
// elements from start on, in reverse counted from the last; if not, through all.
type sortable struct {
	length  int
	ordered bool
	walk    func(start, n int, reverse bool) iter.Seq[atom.Atom]
}

// collection looks up the key; one that is not there is an empty list.
func (s *sorting) collection() (sortable, error) {
	o := s.DB.Look(view(s.Args[1]))
	if o == nil {
		return sortableList(nil), nil
	}
	switch v := o.Value.(type) {
	case *list.List:
		return sortableList(v), nil
	case *setkind.Set:
		return sortable{v.Len(), false, func(int, int, bool) iter.Seq[atom.Atom] { return v.All() }}, nil
	case *sortedset.Set:
		o.SetEncoding(keyspace.Skiplist) // which Redis needs for sorting, and then shows
		return sortableZSet(v), nil
	}
	return sortable{}, errWrongType
}

func sortableList(l *list.List) sortable {
	return sortable{l.Len(), true, func(start, n int, reverse bool) iter.Seq[atom.Atom] {
		return func(yield func(atom.Atom) bool) {
			if n == 0 {
				return
			}
			all := l.Forward(start)
			if reverse {
				all = l.Backward(l.Len() - 1 - start)
			}
			for a := range all {
				if n--; !yield(a) || n == 0 {
					return
				}
			}
		}
	}}
}

func sortableZSet(z *sortedset.Set) sortable {
	return sortable{z.Len(), true, func(start, n int, reverse bool) iter.Seq[atom.Atom] {
		return func(yield func(atom.Atom) bool) {
			for item := range z.ByRank(start, start+n-1, reverse) {
				if !yield(atom.Of(item.Member)) {
					return
				}
			}
		}
	}}
}

func sort(c *Call) error   { return c.sort(true) }
func sortRO(c *Call) error { return c.sort(false) }

func (c *Call) sort(storing bool) error {
	s := sorting{Call: c}
	if err := s.parse(storing); err != nil {
		return err
	}
	from, err := s.collection()
	if err != nil {
		return err
	}
	if s.unordered && !from.ordered && (s.store != nil || c.Client.script) {
		// What a set happens to have first must not decide what is stored.
		s.unordered, s.alpha, s.by = false, true, nil
	}
	elements, err := s.elements(from)
	if err != nil {
		return err
	}
	if s.store == nil {
		c.Array(len(elements) * max(1, len(s.gets)))
		s.result(elements, s.replyFound)
		return nil
	}
	var stored list.List
	s.result(elements, func(value atom.Atom, _ bool) { stored.PushBack(value) })
	s.put(&stored)
	return nil
}

// elements returns those that are asked for, in their order.
func (s *sorting) elements(from sortable) ([]string, error) {
	start, end := s.window(from.length)
	if s.unordered && from.ordered {
		return copyAtoms(from.walk(start, end-start, s.desc)), nil
	}
	elements := copyAtoms(from.walk(0, from.length, false))
	if !s.unordered {
		if err := s.order(elements); err != nil {
			return nil, err
		}
	}
	return elements[start:end], nil
}

// copyAtoms copies elements: while they are sorted other keys are looked up, and
// with several workers the collection may change meanwhile.
func copyAtoms(atoms iter.Seq[atom.Atom]) []string {
	var text []byte
	var ends []int
	for a := range atoms {
		text = a.Append(text)
		ends = append(ends, len(text))
	}
	whole, begin := view(text), 0
	elements := make([]string, len(ends))
	for i, end := range ends {
		elements[i] = whole[begin:end]
		begin = end
	}
	return elements
}

// result calls emit for each element, or for what each GET finds for it.
func (s *sorting) result(elements []string, emit func(value atom.Atom, found bool)) {
	for _, element := range elements {
		if len(s.gets) == 0 {
			emit(atom.Of(element), true)
		}
		for i := range s.gets {
			emit(s.follow(&s.gets[i], element))
		}
	}
}

func (s *sorting) replyFound(value atom.Atom, found bool) {
	if found {
		s.replyAtom(value)
	} else {
		s.Null()
	}
}

// put stores the result in the place of whatever the destination holds, its
// deadline included. An empty result removes the key.
func (s *sorting) put(result *list.List) {
	key := view(s.store)
	if result.Len() > 0 {
		s.DB.Find(key) // one that has fallen due goes as expired
		s.DB.Put(key, keyspace.NewObject(keyspace.List, keyspace.Quicklist, result))
		s.changed(eventList, "sortstore", s.store)
	} else if s.DB.Take(key) != nil { // in Redis this one goes as deleted
		s.changed(eventGeneric, "del", s.store)
	}
	s.Int(int64(result.Len()))
}
