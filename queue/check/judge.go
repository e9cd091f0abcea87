package check

import (
	"context"
	"fmt"
	"strings"

	"myredis/queue"
)

// broken has the invariants that a state breaks, and how.
type broken map[queue.Invariant]string

// view is what anybody would be told who asked in a state.
type view struct {
	waiting  []bool  // by visitor
	admitted []int64 // by visitor: the end of the session, Unix milliseconds; zero for none
	entitled []bool  // by visitor: inside with a session that has not begun; nobody has told them
	active   int64
}

// look asks the room, past everybody, and remembers the answer.
func (x *search) look(st *state) view {
	key := fmt.Sprint(st.jumped, st.store)
	if v, ok := x.views[key]; ok {
		return v
	}
	x.jumped = st.jumped
	x.store.restore(st.store)
	v := x.ask()
	if len(x.views) > 1<<16 {
		clear(x.views)
	}
	x.views[key] = v
	return v
}

func (x *search) ask() view {
	v := view{waiting: make([]bool, len(x.names)), entitled: make([]bool, len(x.names)), admitted: make([]int64, len(x.names))}
	all, err := x.desk.Census(context.Background())
	if err != nil {
		panic(fmt.Sprintf("check: %v", err))
	}
	state, err := x.desk.State(context.Background())
	if err != nil {
		panic(fmt.Sprintf("check: %v", err))
	}
	v.active = state.Active
	for _, s := range all {
		for i, name := range x.names {
			switch {
			case name != s.Visitor:
			case s.State == queue.StateAdmitted && s.Expires.IsZero():
				v.entitled[i] = true
			case s.State == queue.StateAdmitted:
				v.admitted[i] = s.Expires.UnixMilli()
			default:
				v.waiting[i] = true
			}
		}
	}
	return v
}

// judge notes what visitors now know and holds the state against the
// invariants that can be seen in it; asked is who has asked and been answered,
// -1 for nobody.
func (x *search) judge(st *state, n news, asked int) broken {
	out := broken{}
	v, now := x.look(st), x.at(st).UnixMilli()
	in := x.tell(st, n, v, now, out)
	if asked >= 0 && n.err == nil && n.status.State == queue.StateAdmitted {
		st.visitors[asked].learn(n.status.Expires.UnixMilli(), now)
	}
	inside, free := 0, x.Slot
	for i := range st.visitors {
		if x.inside(st, i) {
			inside++
			x.inOrder(st, v, i, out)
		}
		if v.entitled[i] || v.admitted[i] > now {
			free--
		}
	}
	if inside > x.Slot {
		out[queue.Cap] = fmt.Sprintf("%d inside for %d seats", inside, x.Slot)
	}
	if v.active > int64(x.Slot) {
		out[queue.CapObserved] = fmt.Sprintf("the active count is %d for %d seats", v.active, x.Slot)
	}
	st.idle = in || free <= 0 || !anyone(v.waiting) || st.leaving()
	if st.quiet() {
		x.atRest(st, v, now, out)
	}
	return out
}

// tell notes who learns that they are inside, and reports whether an admission
// was announced.
func (x *search) tell(st *state, n news, v view, now int64, out broken) (in bool) {
	for _, e := range n.events {
		if e.Kind != queue.Admitted {
			continue
		}
		in = true
		for i, name := range x.names {
			if name != e.Visitor {
				continue
			}
			known := &st.visitors[i]
			if known.event {
				out[queue.OnePlace] = name + " is admitted twice"
			}
			known.event = true
			known.learn(e.Expires.UnixMilli(), now)
		}
	}
	for i, end := range v.admitted {
		if end > now {
			st.visitors[i].learn(end, now)
		}
	}
	return in
}

func (v *visitor) learn(end, now int64) {
	v.told = max(v.told, end)
	v.served = v.served || end > now
}

// inOrder looks for somebody in the line who joined before one who is inside.
// Those who were in the line at the start joined in their order, before all
// late ones; late ones have no order among themselves.
func (x *search) inOrder(st *state, v view, in int, out broken) {
	for i, waits := range v.waiting {
		if waits && i < in && i < x.Visitors && st.visitors[i].joined && !st.visitors[i].gone {
			out[queue.FIFO] = fmt.Sprintf("%s is inside while %s, who joined before, is in the line", x.names[in], x.names[i])
		}
	}
}

func anyone(set []bool) bool {
	for _, b := range set {
		if b {
			return true
		}
	}
	return false
}

// leaving reports whether a seat is being given back at the moment.
func (st *state) leaving() bool {
	for i := range st.actors {
		if st.actors[i].role == leaver && !st.actors[i].ended {
			return true
		}
	}
	return false
}

// quiet reports whether nobody is in the middle of anything.
func (st *state) quiet() bool {
	for i := range st.actors {
		if a := &st.actors[i]; !a.ended && !a.fresh() {
			return false
		}
	}
	return true
}

// atRest judges what must hold when no instance is in a cycle.
func (x *search) atRest(st *state, v view, now int64, out broken) {
	for i, name := range x.names {
		known := st.visitors[i]
		if v.waiting[i] && v.admitted[i] > now {
			out[queue.OnePlace] = name + " is in the line and inside"
		}
		if known.joined && !known.gone && !known.served && !v.waiting[i] && !v.entitled[i] && !st.holds(name) {
			out[queue.NoneLost] = name + " is nowhere and was never inside"
		}
	}
	if x.Fault != queue.NoFault && st.down == 0 && !x.resumes(st) {
		out[queue.Progress] = "a seat stays free with somebody in the line, when all leases have run out and each instance has done two cycles"
	}
}

// holds reports whether an instance has the visitor in hand, by what it
// remembers.
func (st *state) holds(name string) bool {
	for i := range st.actors {
		if !st.actors[i].ended && strings.Contains(st.actors[i].point, "{"+name+" ") {
			return true
		}
	}
	return false
}

// resumes goes on from a state in the best of worlds: two rounds of cycles, all
// sessions and leases run out, two rounds more. It reports whether the room is
// then full or the line empty.
func (x *search) resumes(st *state) bool {
	points := ""
	for i := range st.actors {
		if st.actors[i].role == instance {
			points += st.actors[i].point + "\x02"
		}
	}
	key := digest(st.store, fmt.Sprint(st.jumped), points)
	if ok, known := x.calm[key]; known {
		return ok
	}
	x.store.restore(st.store)
	x.jumped = st.jumped
	rooms := make([]*queue.Room, 0, len(st.actors))
	for i := range st.actors {
		if a := &st.actors[i]; a.role == instance {
			rooms = append(rooms, a.revive(x.Scenario, x.clocked))
		}
	}
	for range 2 {
		x.rounds(rooms)
		x.jumped++
		x.store.text("DEL", tag+"leader")
	}
	x.jumped--
	x.rounds(rooms)
	v, now := x.ask(), x.now().UnixMilli()
	inside := 0
	for i, end := range v.admitted {
		if end > now || v.entitled[i] {
			inside++
		}
	}
	x.calm[key] = inside >= x.Slot || !anyone(v.waiting)
	x.store.now = ""
	return x.calm[key]
}

func (x *search) rounds(rooms []*queue.Room) {
	for range 2 {
		for _, r := range rooms {
			_, _ = r.Admit(context.Background())
		}
	}
}

// revive makes an instance that has had the actor's life and goes on with a
// live store.
func (a *actor) revive(s Scenario, live queue.Backend) *queue.Room {
	p := &past{answers: a.answers, live: live}
	r, err := queue.Open(context.Background(), p, s.config(strings.Fields(a.name)[0], a.seed))
	if err != nil {
		panic(err)
	}
	for p.at < len(p.answers) {
		_, _ = r.Admit(context.Background())
	}
	return r
}
