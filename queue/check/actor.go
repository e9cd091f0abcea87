package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"myredis/queue"
)

// role is what an actor does.
type role byte

const (
	instance role = iota // admit cycles, for ever
	joiner               // one Join
	leaver               // one Leave
	asker                // one Status
)

// answer is what a command was answered.
type answer struct {
	reply any
	err   error
}

// actor is an instance, or a visitor's request, at a point of its life. It is a
// value: answers is only ever appended to by copying.
type actor struct {
	name    string
	role    role
	visitor int // of a joiner or leaver
	seed    uint64
	answers []answer // since its birth
	ended   bool

	// What follows from running the code with the answers.
	next  []any  // the command it is parked at
	point string // its latest checkpoint
	since int    // how many answers it had there
	born  string // the checkpoint at which its life began
}

// fresh reports whether an instance is between two cycles.
func (a *actor) fresh() bool {
	return a.role == instance && a.since == len(a.answers) && strings.HasPrefix(a.point, "cycle")
}

// key says everything that an actor's future depends on.
func (a *actor) key() string {
	if a.ended {
		return "ended"
	}
	var b strings.Builder
	fmt.Fprint(&b, a.role, a.visitor, a.point)
	for _, ans := range a.answers[a.since:] {
		fmt.Fprint(&b, "\x01", ans.reply, ans.err)
	}
	return b.String()
}

// parked is how the code of an actor is stopped at a command.
type parked struct{ args []any }

// past answers commands from an actor's past. When it is at an end, the code is
// parked, or, if there is a live store, goes on with that.
type past struct {
	answers []answer
	at      int
	opened  bool
	live    queue.Backend
}

// Do implements [queue.Backend].
func (p *past) Do(ctx context.Context, args ...any) (any, error) {
	if !p.opened { // Open asks whether the store answers
		p.opened = true
		return []any{"1700000000", "0"}, nil
	}
	if p.at < len(p.answers) {
		a := p.answers[p.at]
		p.at++
		return a.reply, a.err
	}
	if p.live != nil {
		return p.live.Do(ctx, args...)
	}
	panic(parked{slices.Clone(args)})
}

// news is what an actor did after its last answer.
type news struct {
	events []queue.Event
	status queue.Status // of a visitor's request that has ended
	err    error
}

// run brings the actor up to date with its answers and returns what it did
// after the last of them.
func (a *actor) run(s Scenario) (n news) {
	p := &past{answers: a.answers}
	a.next, a.point, a.since = nil, "", 0
	latest := func() bool { return p.at == len(a.answers) }
	cfg := s.config(strings.Fields(a.name)[0], a.seed)
	cfg.OnEvent = func(e queue.Event) {
		if latest() {
			n.events = append(n.events, e)
		}
	}
	cfg.Checkpoint = func(local string) { a.point, a.since = local, p.at }
	defer func() {
		if stop, ok := recover().(parked); ok {
			a.next = stop.args
		} else {
			a.ended = true
		}
		if len(p.answers) == 0 {
			a.born = a.point
		}
		if a.fresh() && a.point == a.born {
			a.answers, a.since = nil, 0 // as good as new
		}
	}()
	r, err := queue.Open(context.Background(), p, cfg)
	if err != nil {
		panic(err)
	}
	n.status, n.err = a.act(r, s)
	return n
}

func (a *actor) act(r *queue.Room, s Scenario) (queue.Status, error) {
	ctx := context.Background()
	switch a.role {
	case joiner:
		return r.Join(ctx, s.names()[a.visitor])
	case leaver:
		return r.Leave(ctx, s.names()[a.visitor])
	case asker:
		return r.Status(ctx, s.names()[a.visitor])
	}
	for {
		_, _ = r.Admit(ctx) // its errors are injected
	}
}
