package queuetest

import (
	"context"
	"math/rand/v2"
	"runtime"

	"myredis/queue"
)

// Chooser makes every choice of a run: which actor goes next, where a fault
// strikes, when time passes. The same choices give the same run.
type Chooser interface {
	// Choose returns a number from 0 to n-1; n is at least 1.
	Choose(n int) int
}

// Random chooses by a seed.
func Random(seed uint64) Chooser { return random{rand.New(rand.NewPCG(seed, 0))} }

type random struct{ *rand.Rand }

func (r random) Choose(n int) int { return r.IntN(n) }

// Verdict is what happens to a parked command.
type Verdict int

// The verdicts.
const (
	Go        Verdict = iota // execute, reply
	LoseReply                // execute, answer with an error
	Refuse                   // do not execute, answer with an error
	Die                      // do not execute; the actor ends here, as in a crash
)

// Scheduler runs actors one command at a time. An actor is a goroutine whose
// store commands wait until [Scheduler.Step] lets them go; between two steps
// no actor runs, so what they share needs no lock.
type Scheduler struct {
	backend queue.Backend
	// Trace, if set, is called after each command that was let go.
	Trace func(a *Actor, v Verdict, args []any, reply any, err error)
}

// NewScheduler makes a scheduler of commands on b.
func NewScheduler(b queue.Backend) *Scheduler { return &Scheduler{backend: b} }

// Actor is a goroutine under a [Scheduler].
type Actor struct {
	Name string
	// Next is the command the actor is parked at; nil when it has ended.
	Next []any

	scheduler *Scheduler
	parked    chan []any
	turn      chan Verdict
	ended     chan struct{}
	free      bool
}

// NewActor makes an actor that has nothing to do yet: its commands are executed
// at once, by whoever calls, until [Actor.Start].
func (s *Scheduler) NewActor(name string) *Actor {
	return &Actor{
		Name:      name,
		scheduler: s,
		parked:    make(chan []any),
		turn:      make(chan Verdict),
		free:      true,
	}
}

// Start runs fn as the actor and returns when it is parked at its first
// command or has ended. An actor that has ended may be started again.
func (a *Actor) Start(fn func()) {
	a.free, a.ended = false, make(chan struct{})
	go func() {
		defer close(a.ended)
		fn()
	}()
	a.await()
}

func (a *Actor) await() {
	select {
	case a.Next = <-a.parked:
	case <-a.ended:
		a.Next = nil
	}
}

// Step lets the actor's command go and returns when the actor is parked at the
// next one or has ended.
func (a *Actor) Step(v Verdict) {
	a.turn <- v
	a.await()
}

// Ended reports whether the actor's function has returned or died.
func (a *Actor) Ended() bool { return a.Next == nil && !a.free }

// Do implements [queue.Backend] for the actor's code.
func (a *Actor) Do(ctx context.Context, args ...any) (any, error) {
	s := a.scheduler
	if a.free {
		return s.backend.Do(ctx, args...)
	}
	a.parked <- args
	v := <-a.turn
	var reply any
	var err error
	switch v {
	case Die:
		runtime.Goexit()
	case Refuse:
		err = queue.ErrDown
	default:
		reply, err = s.backend.Do(ctx, args...)
		if v == LoseReply && err == nil {
			reply, err = nil, queue.ErrLostReply
		}
	}
	if s.Trace != nil {
		s.Trace(a, v, args, reply, err)
	}
	return reply, err
}
