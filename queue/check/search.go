package check

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"myredis/queue"
	"myredis/queue/queuetest"
)

// Result is what a search has found.
type Result struct {
	Scenario Scenario
	States   int
	Steps    int  // transitions
	Complete bool // false: cut off at the limit
	// Broken has a shortest schedule for each invariant that can be broken.
	Broken map[queue.Invariant]*Schedule
}

// visitor is what has become of one, as the world knows it.
type visitor struct {
	joined bool  // Join has returned
	gone   bool  // has begun to leave
	served bool  // was inside with time left
	event  bool  // an instance has announced the admission
	told   int64 // until when they may believe to be inside, Unix milliseconds
}

// state is a moment of the world.
type state struct {
	node     int32
	store    string
	jumped   int
	frozen   string // what a lagging replica has; "" before it lags
	actors   []actor
	visitors []visitor

	faults, down, jumps, late, leavers, askers int // left to happen

	idle bool // somebody has just got in, or nothing is to be done
}

// move is one choice of the search.
type move struct {
	kind  moveKind
	actor int // of a step
	n     int // commands refused; visitor who leaves
}

type moveKind byte

const (
	goOn       moveKind = iota // the actor's command is executed
	refuse                     // it is not, and fails
	loseReply                  // it is, and fails
	dieBefore                  // the actor dies before it
	dieAfter                   // the actor dies before the reply
	goDown                     // the store refuses the next n commands
	passTime                   // sessions and leases run out
	joinLate                   // a late visitor begins to join
	leave                      // a visitor inside begins to leave
	ask                        // a visitor begins to ask for the status
	fallBehind                 // a replica stops following
	failOver                   // the replica takes over
)

type node struct {
	parent int32
	move   move
}

// search is one in progress.
type search struct {
	Scenario
	store   *store
	desk    *queue.Room
	clocked queue.Backend
	jumped  int
	names   []string

	nodes  []node
	edges  []edge // without faults: for livelocks
	seen   map[[16]byte]int32
	views  map[string]view
	calm   map[[16]byte]bool
	answer answer // the last one given
	result *Result
}

// Search explores the scenario.
func Search(s Scenario) (*Result, error) {
	x, first, err := begin(s)
	if err != nil {
		return nil, err
	}
	x.result = &Result{Scenario: s, Broken: map[queue.Invariant]*Schedule{}}
	frontier := []*state{first}
	x.add(first, -1, move{})
	for len(frontier) > 0 {
		var next []*state
		for _, st := range frontier {
			for _, m := range x.moves(st) {
				x.result.Steps++
				after, broken := x.apply(st, m)
				if x.add(after, st.node, m) {
					next = append(next, after)
				}
				x.connect(st, after, m)
				if err := x.report(broken, st.node, m); err != nil {
					return nil, err
				}
				if s.Limit > 0 && len(x.nodes) >= s.Limit {
					x.result.States = len(x.nodes)
					return x.result, x.livelock()
				}
			}
		}
		frontier = next
	}
	x.result.States, x.result.Complete = len(x.nodes), true
	return x.result, x.livelock()
}

func begin(s Scenario) (*search, *state, error) {
	x := &search{
		Scenario: s, store: newStore(), names: s.names(),
		seen: map[[16]byte]int32{}, views: map[string]view{}, calm: map[[16]byte]bool{},
	}
	x.clocked = queuetest.Clocked(steady{x.store}, x.now)
	ctx := context.Background()
	var err error
	if x.desk, err = queue.Open(ctx, x.clocked, s.config("desk", 1)); err != nil {
		return nil, nil, err
	}
	if _, err := x.desk.Join(ctx, "nobody"); err != nil { // so that the store knows the scripts
		return nil, nil, err
	}
	x.store.text("FLUSHALL")
	st := &state{visitors: make([]visitor, len(x.names)), faults: 1, jumps: s.Jumps, late: s.Late, leavers: s.Leavers, askers: s.Askers}
	var told []queue.Event
	cfg := s.config("entrance", 2)
	cfg.OnEvent = func(e queue.Event) { told = append(told, e) }
	entrance, err := queue.Open(ctx, x.clocked, cfg)
	if err != nil {
		return nil, nil, err
	}
	for i := range s.Visitors {
		if _, err := entrance.Join(ctx, x.names[i]); err != nil {
			return nil, nil, err
		}
		st.visitors[i].joined = true
	}
	st.store = x.store.snapshot()
	for i := range s.Instances {
		a := actor{name: fmt.Sprint("i", i+1), seed: uint64(i+1) * 100}
		a.run(s)
		st.actors = append(st.actors, a)
	}
	x.judge(st, news{events: told}, -1)
	return x, st, nil
}

// steady is a store whose leases never show their age.
type steady struct{ *store }

func (s steady) Do(ctx context.Context, args ...any) (any, error) {
	reply, err := s.store.Do(ctx, args...)
	if n, ok := reply.(int64); ok && args[0] == "PTTL" && n > 0 {
		return period.Milliseconds(), err
	}
	return reply, err
}

func (x *search) now() time.Time { return dawn.Add(time.Duration(x.jumped) * jump) }

func (x *search) add(st *state, parent int32, m move) bool {
	key := x.key(st)
	if node, seen := x.seen[key]; seen {
		st.node = node
		return false
	}
	st.node = int32(len(x.nodes))
	x.seen[key] = st.node
	x.nodes = append(x.nodes, node{parent, m})
	return true
}

// key is the state with the names of the instances forgotten: which of two that
// stand at the same point goes next makes no difference. A livelock, though, is
// a loop in which each of them goes on, so the names are kept where these are
// looked for.
func (x *search) key(st *state) [16]byte {
	actors := make([]string, len(st.actors))
	for i := range st.actors {
		actors[i] = st.actors[i].key()
	}
	if x.Fault != queue.NoFault {
		slices.Sort(actors)
		actors = slices.DeleteFunc(actors, func(k string) bool { return k == "ended" })
	}
	return digest(st.store, st.frozen, strings.Join(actors, "\x02"),
		fmt.Sprint(st.visitors, st.jumped, st.faults, st.down, st.jumps, st.late, st.leavers, st.askers, st.idle))
}

func digest(parts ...string) [16]byte {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x03")))
	return [16]byte(sum[:16])
}

// moves lists what can happen next.
func (x *search) moves(st *state) (moves []move) {
	quiet := true
	for i := range st.actors {
		a := &st.actors[i]
		if a.ended {
			continue
		}
		quiet = quiet && a.fresh()
		if st.down > 0 {
			moves = append(moves, move{kind: refuse, actor: i})
			continue
		}
		moves = append(moves, move{kind: goOn, actor: i})
		if st.faults > 0 {
			switch x.Fault {
			case queue.Crash:
				moves = append(moves, move{kind: dieAfter, actor: i})
				if !a.fresh() {
					moves = append(moves, move{kind: dieBefore, actor: i})
				}
			case queue.LostReply:
				moves = append(moves, move{kind: loseReply, actor: i})
			}
		}
	}
	if st.faults > 0 {
		switch {
		case x.Fault == queue.StoreDown:
			moves = append(moves, move{kind: goDown, n: 1}, move{kind: goDown, n: 4})
		case x.Fault == queue.LostWrites && st.frozen == "":
			moves = append(moves, move{kind: fallBehind})
		case x.Fault == queue.LostWrites:
			moves = append(moves, move{kind: failOver})
		}
	}
	mayPass := x.Fault == queue.Stall || x.Fault != queue.NoFault && st.faults == 0 && quiet
	if mayPass && st.jumps > 0 {
		moves = append(moves, move{kind: passTime})
	}
	if st.late > 0 {
		moves = append(moves, move{kind: joinLate})
	}
	if st.askers > 0 {
		for v := range st.visitors {
			if st.visitors[v].joined && !st.visitors[v].gone {
				moves = append(moves, move{kind: ask, n: v})
			}
		}
	}
	if st.leavers > 0 {
		for v := range st.visitors {
			if x.inside(st, v) {
				moves = append(moves, move{kind: leave, n: v})
			}
		}
	}
	return moves
}

func (x *search) inside(st *state, v int) bool {
	return !st.visitors[v].gone && st.visitors[v].told > x.at(st).UnixMilli()
}

func (x *search) at(st *state) time.Time { return dawn.Add(time.Duration(st.jumped) * jump) }

// apply makes a move and judges the state it leads to.
func (x *search) apply(before *state, m move) (*state, broken) {
	st := *before
	st.actors, st.visitors = slices.Clone(before.actors), slices.Clone(before.visitors)
	var n news
	asked := -1
	switch m.kind {
	case goOn, refuse, loseReply, dieBefore, dieAfter:
		n = x.step(&st, m)
		if a := st.actors[m.actor]; a.role == asker && a.ended && m.kind == goOn {
			asked = a.visitor
		}
	case goDown:
		st.faults, st.down = st.faults-1, m.n
	case passTime:
		st.jumps--
		st.jumped++
		x.store.restore(st.store)
		x.store.text("DEL", tag+"leader")
		st.store = x.store.snapshot()
	case joinLate:
		v := x.Visitors + x.Late - st.late
		st.late--
		x.spawn(&st, actor{name: x.names[v], role: joiner, visitor: v, seed: 7})
	case leave:
		st.leavers--
		st.visitors[m.n].gone = true
		x.spawn(&st, actor{name: x.names[m.n] + " leaving", role: leaver, visitor: m.n, seed: 8})
	case ask:
		st.askers--
		x.spawn(&st, actor{name: x.names[m.n] + " asking", role: asker, visitor: m.n, seed: 9})
	case fallBehind:
		st.frozen = st.store
	case failOver:
		st.faults--
		st.store, st.frozen = st.frozen, ""
	}
	return &st, x.judge(&st, n, asked)
}

func (x *search) spawn(st *state, a actor) {
	a.run(x.Scenario)
	st.actors = append(st.actors, a)
}

// step lets an actor's command go, in one of the ways there are.
func (x *search) step(st *state, m move) news {
	a := &st.actors[m.actor]
	if m.kind == dieBefore {
		return x.die(st, a)
	}
	var ans answer
	if m.kind == refuse {
		st.down--
		ans.err = queue.ErrDown
	} else {
		x.jumped = st.jumped
		x.store.restore(st.store)
		ans.reply, ans.err = x.clocked.Do(context.Background(), a.next...)
		st.store = x.store.snapshot()
	}
	switch m.kind {
	case dieAfter:
		return x.die(st, a)
	case loseReply:
		st.faults--
		ans = answer{err: queue.ErrLostReply}
	}
	a.answers = append(slices.Clip(a.answers), ans)
	x.answer = ans
	n := a.run(x.Scenario)
	if a.ended && a.role == joiner && n.err == nil {
		st.visitors[a.visitor].joined = true
	}
	return n
}

// die ends an actor. An instance is born again, without its memory; that it
// stays dead is the same as its never being chosen.
func (x *search) die(st *state, a *actor) news {
	st.faults--
	if a.role != instance {
		a.ended = true
		return news{}
	}
	*a = actor{name: strings.Fields(a.name)[0] + " (again)", seed: a.seed + 1}
	a.run(x.Scenario)
	return news{}
}
