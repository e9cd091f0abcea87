package queuetest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"myredis/queue"
)

// Scenario is a small world: some instances, a line, and one kind of fault.
type Scenario struct {
	Room      string // must be fresh
	Strategy  string
	Fault     queue.Fault
	Instances int
	Slot      int
	Visitors  int // in the line from the start
	Late      int // who may join meanwhile
	Leavers   int // how many of those inside may leave meanwhile
	Cycles    int // of each instance, before the calm at the end
}

// Small is a scenario of three instances that is enough to show every known
// violation of the strategies.
func Small(room, strategy string, fault queue.Fault) Scenario {
	return Scenario{
		Room: room, Strategy: strategy, Fault: fault,
		Instances: 3, Slot: 2, Visitors: 8, Late: 1, Leavers: 2, Cycles: 3,
	}
}

// Violation is an invariant seen broken.
type Violation struct {
	Invariant queue.Invariant
	Step      int // commands executed until then
	What      string
}

// Outcome is what a run showed.
type Outcome struct {
	// Violations has the first violation of each invariant that was broken.
	Violations map[queue.Invariant]Violation
	// Trace has one line for each command and each fault.
	Trace []string
}

// String lists the trace, the violations in their places.
func (o Outcome) String() string {
	at := map[int][]string{}
	for _, v := range o.Violations {
		at[v.Step] = append(at[v.Step], fmt.Sprintf("      ^ %s broken: %s", v.Invariant, v.What))
	}
	var b strings.Builder
	for i, line := range o.Trace {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, line)
		for _, v := range at[i+1] {
			fmt.Fprintln(&b, v)
		}
	}
	return b.String()
}

// Sessions and leases last long enough in real time never to end by
// themselves; a jump ends all of them.
const (
	session = 10 * time.Hour
	period  = time.Hour
	jump    = 24 * time.Hour
)

// Play runs a scenario to its end, c choosing. An error means that the store
// failed, not the strategy.
func Play(backend queue.Backend, s Scenario, c Chooser) (Outcome, error) {
	w := &world{Scenario: s, chooser: c, store: backend}
	w.clocked = Clocked(backend, w.clock.ask)
	w.judge = newJudge(w)
	w.scheduler = NewScheduler(w.clocked)
	w.scheduler.Trace = w.trace
	if err := w.begin(); err != nil {
		return w.outcome(), err
	}
	for w.err == nil && w.move() {
		w.judge.look()
	}
	w.calm()
	for _, a := range w.actors {
		for !a.Ended() {
			a.Step(Die)
		}
	}
	return w.outcome(), w.err
}

// world is a scenario in play.
type world struct {
	Scenario
	chooser   Chooser
	store     queue.Backend
	scheduler *Scheduler
	judge     *judge
	clock     virtual
	clocked   queue.Backend
	desk      *queue.Room // asks past the scheduler, and for the time without its passing

	actors    []*actor // all that were started, in that order
	running   *actor
	faults    int // left to strike
	jumps     int
	downFor   int // commands the store still refuses
	late      int // joined so far, after the beginning
	leaving   int
	restarted int
	lines     []string
	err       error
}

// actor is an instance, or a visitor's request.
type actor struct {
	*Actor
	instance bool
	room     *queue.Room
	dead     bool // has crashed
	fresh    bool // at the start of a cycle, nothing done yet
}

func (w *world) outcome() Outcome { return Outcome{Violations: w.judge.violations, Trace: w.lines} }

func (w *world) begin() error {
	ctx := context.Background()
	entrance, err := w.open("entrance", w.clocked, w.judge.event)
	if err != nil {
		return err
	}
	if w.desk, err = w.open("desk", Clocked(w.store, w.clock.now), nil); err != nil {
		return err
	}
	for i := range w.Visitors {
		visitor := fmt.Sprintf("v%d", i+1)
		if _, err := entrance.Join(ctx, visitor); err != nil {
			return err
		}
		w.judge.joined(visitor, i+1)
	}
	w.judge.look()
	w.faults, w.jumps = 1, 2
	for i := range w.Instances {
		w.startInstance(fmt.Sprintf("i%d", i+1), w.Cycles)
	}
	return w.err
}

func (w *world) open(name string, b queue.Backend, on func(queue.Event)) (*queue.Room, error) {
	cfg := queue.Defaults()
	cfg.Room, cfg.Instance, cfg.Strategy = w.Room, name, w.Strategy
	cfg.Slot, cfg.TTL, cfg.Period = w.Slot, session, period
	cfg.CommandTimeout = time.Hour // a parked command has all the time in the world
	cfg.Seed = uint64(len(w.actors) + 1)
	cfg.OnEvent = on
	return queue.Open(context.Background(), b, cfg)
}

func (w *world) newActor(name string, instance bool) *actor {
	a := &actor{Actor: w.scheduler.NewActor(name), instance: instance}
	room, err := w.open(strings.Split(name, " ")[0], a.Actor, w.judge.event)
	if err != nil {
		w.err = err
		return nil
	}
	a.room = room
	w.actors = append(w.actors, a)
	return a
}

func (w *world) startInstance(name string, cycles int) *actor {
	a := w.newActor(name, true)
	if a != nil {
		w.cycle(a, cycles)
	}
	return a
}

// cycle has an instance do some cycles of its admit loop.
func (w *world) cycle(a *actor, cycles int) {
	a.Start(func() {
		for range cycles {
			a.fresh = true
			_, _ = a.room.Admit(context.Background()) // its errors are injected
		}
		a.fresh = true
	})
}

// move makes one choice; it reports false when nothing is left to do.
func (w *world) move() bool {
	var ready []*actor
	for _, a := range w.actors {
		if !a.Ended() {
			ready = append(ready, a)
		}
	}
	if len(ready) == 0 {
		return false
	}
	// Special moves are rare, so that they fall anywhere in a run.
	special, seldom := w.special(ready)
	if len(special) > 0 && w.chooser.Choose(seldom) == 0 {
		special[w.chooser.Choose(len(special))]()
		return true
	}
	// Staying with one actor for a while finds stalls; uniform choice does not.
	if w.running == nil || w.running.Ended() || w.chooser.Choose(4) == 0 {
		w.running = ready[w.chooser.Choose(len(ready))]
	}
	w.step(w.running, Go)
	return true
}

func (w *world) step(a *actor, v Verdict) {
	a.fresh = false
	if w.downFor > 0 && v == Go {
		w.downFor--
		v = Refuse
	}
	a.Step(v)
}

// special lists what can happen besides the next command of an actor, and how
// seldom it should: one time in so many.
func (w *world) special(ready []*actor) (moves []func(), seldom int) {
	seldom = 12
	quiet := true
	for _, a := range ready {
		if !a.instance {
			quiet = false // a request that time passes in has stalled
			continue
		}
		quiet = quiet && a.fresh
		if w.faults == 0 || a.fresh {
			continue
		}
		switch w.Fault {
		case queue.Crash:
			moves = append(moves, func() { w.faults--; w.crash(a) })
		case queue.LostReply:
			moves = append(moves, func() { w.faults--; w.step(a, LoseReply) })
		case queue.StoreDown:
			moves = append(moves, func() {
				w.faults--
				w.downFor = 1 + w.chooser.Choose(8)
				w.say("the store refuses %d commands", w.downFor)
			})
		}
	}
	mayJump := w.Fault == queue.Stall || w.Fault != queue.NoFault && w.faults == 0 && quiet
	if mayJump && w.jumps > 0 {
		if quiet { // itself a rare moment
			seldom = 2
		}
		moves = append(moves, func() { w.jumps--; w.jump() })
	}
	if w.late < w.Late {
		moves = append(moves, w.joinLate)
	}
	if inside := w.judge.inside(); w.leaving < w.Leavers && len(inside) > 0 {
		moves = append(moves, func() { w.leave(inside[w.chooser.Choose(len(inside))]) })
	}
	return moves, seldom
}

func (w *world) crash(a *actor) {
	w.say("%s crashes before %s", a.Name, Show(a.Next...))
	a.dead = true
	a.Step(Die)
	if w.chooser.Choose(2) == 0 {
		w.restart(a.room.Config().Instance, w.Cycles)
	}
}

func (w *world) restart(instance string, cycles int) *actor {
	w.restarted++
	w.say("%s starts again", instance)
	return w.startInstance(fmt.Sprintf("%s (life %d)", instance, w.restarted+1), cycles)
}

// jump lets more time pass than any lease or session lasts.
func (w *world) jump() {
	w.clock.jumped += jump
	w.say("%v pass", jump)
	w.judge.stale = true
	if _, err := w.store.Do(context.Background(), "DEL", w.key("leader")); err != nil {
		w.err = err
	}
}

func (w *world) joinLate() {
	w.late++
	visitor := fmt.Sprintf("late%d", w.late)
	a := w.newActor(visitor, false)
	if a == nil {
		return
	}
	a.Start(func() {
		if _, err := a.room.Join(context.Background(), visitor); err == nil {
			w.judge.joined(visitor, w.Visitors+1)
		}
	})
}

func (w *world) leave(visitor string) {
	w.leaving++
	a := w.newActor(visitor+" leaving", false)
	if a == nil {
		return
	}
	w.judge.leaves(visitor)
	a.Start(func() { _, _ = a.room.Leave(context.Background(), visitor) })
}

// calm ends a run: the faults are over, and every instance, those that crashed
// started again, does two cycles one after the other, and two more when all
// leases and sessions have run out.
func (w *world) calm() {
	if w.err != nil {
		return
	}
	w.faults, w.downFor = 0, 0
	w.say("calm")
	w.rounds(2)
	w.judge.settled()
	w.jump()
	w.rounds(2)
	w.judge.resumed()
}

func (w *world) rounds(n int) {
	for range n {
		for i := range w.Instances {
			a := w.instance(fmt.Sprintf("i%d", i+1))
			for w.err == nil && !a.Ended() {
				w.step(a, Go)
				w.judge.look()
			}
		}
	}
}

// instance starts one cycle of the instance, in its latest life, or in another
// if that has crashed.
func (w *world) instance(name string) *actor {
	var latest *actor
	for _, a := range w.actors {
		if a.instance && a.room.Config().Instance == name {
			latest = a
		}
	}
	if latest.dead {
		return w.restart(name, 1)
	}
	w.cycle(latest, 1)
	return latest
}

func (w *world) key(name string) string { return "{" + w.Room + "}:" + name }

func (w *world) say(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *world) trace(a *Actor, v Verdict, args []any, reply any, err error) {
	line := fmt.Sprintf("%-4s  %s", a.Name, Show(args...))
	switch args[0] {
	case "ZADD", "ZREM", "ZPOPMIN", "ZREMRANGEBYSCORE", "INCR", "EVAL", "EVALSHA":
		w.judge.stale = true // the commands of strategies that change what the judge reads
	}
	switch {
	case v == Refuse:
		line += "  refused"
	case v == LoseReply:
		line += "  executed, its reply is lost"
	case err != nil:
		line += "  error: " + err.Error()
		w.err = err
	default:
		line += "  -> " + Show(reply)
	}
	w.say("%s", strings.ReplaceAll(line, "{"+w.Room+"}:", ""))
}

// Show is a command or a reply on one line.
func Show(args ...any) string {
	words := make([]string, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case float64: // RESP3's scores, not as powers of ten
			words[i] = strconv.FormatFloat(a, 'f', -1, 64)
		case []any:
			words[i] = "[" + Show(a...) + "]"
		case nil:
			words[i] = "(nil)"
		default:
			words[i] = fmt.Sprint(a)
		}
	}
	return strings.Join(words, " ")
}
