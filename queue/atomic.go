package queue

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"time"
)

// atomic does each step as one script in the store (atomic.lua): reclaim,
// count, pop and add are one command that nobody else's falls into, by the
// store's own clock, and a visitor reads in the store whether the seat is
// theirs. An instance holds nobody in its hand, so its crash loses nobody, and
// a reply that is lost changes nothing that the visitor will read.
//
// A seat that is given back, and a visitor who joins while seats are free, are
// followed by an admission in the same step; the admit cycle is left with
// seats whose time has run out and waiters who have gone silent.
//
// It rests on a store that isolates scripts, and on one that does not lose
// what it has acknowledged.
var atomicPromises = map[Fault]Promise{
	NoFault:    everything,
	Crash:      everything,
	LostReply:  everything,
	StoreDown:  everything,
	Stall:      everything,
	LostWrites: {Progress: true},
}

//go:embed atomic.lua
var atomicSource string

var atomicScript = newScript(atomicSource)

type scripted struct {
	*Room
	scriptKeys []string
}

func openAtomic(r *Room) protocol {
	k := r.keys
	return &scripted{Room: r, scriptKeys: []string{k.seq, k.waiting, k.active, k.heard, k.clock, k.settings}}
}

// paceWindow is the least time over which a limit of admissions per minute may
// be used up at once.
const paceWindow = time.Second

// step runs one operation of the script.
func (a *scripted) step(ctx context.Context, s store, operation, visitor string) (Status, outcome, error) {
	reclaim := 0
	if a.cfg.Reclaim {
		reclaim = 1
	}
	reply, err := atomicScript.run(ctx, s, a.scriptKeys, operation, visitor, a.cfg.Slot, a.cfg.TTL.Milliseconds(),
		a.cfg.Grace.Milliseconds(), a.cfg.PerMinute, reclaim, max(paceWindow, a.cfg.Period).Milliseconds(), a.keys.news)
	if err != nil {
		return Status{}, outcome{}, err
	}
	out, ok := parseOutcome(reply)
	if !ok {
		return Status{}, outcome{}, misshapen([]any{"EVALSHA"}, reply)
	}
	return out.status(visitor), out, nil
}

// ask is step with what it did announced.
func (a *scripted) ask(ctx context.Context, s store, operation, visitor string) (Status, error) {
	status, out, err := a.step(ctx, s, operation, visitor)
	if err == nil {
		a.announce(out)
	}
	return status, err
}

func (a *scripted) announce(out outcome) {
	at := out.now.time()
	if out.freed > 0 {
		a.emit(Event{Kind: Reclaimed, At: at, Count: out.freed})
	}
	for _, visitor := range out.abandoned {
		a.emit(Event{Kind: Abandoned, At: at, Visitor: visitor})
	}
	for _, h := range out.admitted {
		a.emit(Event{Kind: Admitted, At: at, Visitor: h.visitor, Ticket: h.ticket, Expires: time.UnixMilli(h.expiry)})
	}
}

func (a *scripted) join(ctx context.Context, visitor string) (Status, error) {
	return a.ask(ctx, a.asked, "join", visitor)
}

func (a *scripted) status(ctx context.Context, visitor string) (Status, error) {
	return a.ask(ctx, a.asked, "status", visitor)
}

func (a *scripted) renew(ctx context.Context, visitor string) (Status, error) {
	return a.ask(ctx, a.begun, "renew", visitor)
}

func (a *scripted) leave(ctx context.Context, visitor string) (Status, error) {
	was, out, err := a.step(ctx, a.begun, "leave", visitor)
	if err != nil {
		return Status{State: StateUnknown, Visitor: visitor}, err
	}
	switch was.State {
	case StateAdmitted:
		a.emit(Event{Kind: Released, At: out.now.time(), Visitor: visitor, Expires: was.Expires})
	case StateWaiting:
		a.emit(Event{Kind: Left, At: out.now.time(), Visitor: visitor})
	}
	a.announce(out) // after the release that made room
	return Status{State: was.State, Visitor: visitor}, nil
}

func (a *scripted) count(ctx context.Context) (waiting, active int64, err error) {
	return countLine(ctx, a.Room)
}

func (a *scripted) census(ctx context.Context) ([]Status, error) { return censusOfLine(ctx, a.Room) }

func (a *scripted) admit(ctx context.Context) (time.Duration, error) {
	_, err := a.ask(ctx, a.begun, "admit", "")
	return 0, err
}

func (a *scripted) settle(context.Context) error { return nil }

func (a *scripted) inHand() []held { return nil }

func (a *scripted) memory() any { return nil }

// outcome is the script's reply.
type outcome struct {
	now       instant
	state     int64
	detail    int64 // rank of who waits, expiry of who is inside
	freed     int64
	admitted  []held
	abandoned []string
}

func parseOutcome(reply any) (o outcome, ok bool) {
	parts, ok := reply.([]any)
	if !ok || len(parts) != 6 {
		return o, false
	}
	for i, to := range []*int64{(*int64)(&o.now), &o.state, &o.detail, &o.freed} {
		if *to, ok = parts[i].(int64); !ok {
			return o, false
		}
	}
	admitted, ok1 := parts[4].([]any)
	abandoned, ok2 := parts[5].([]any)
	if !ok1 || !ok2 || len(admitted)%3 != 0 {
		return o, false
	}
	for i := 0; i < len(admitted); i += 3 {
		ticket, err := strconv.ParseFloat(fmt.Sprint(admitted[i+1]), 64)
		expiry, isInt := admitted[i+2].(int64)
		if err != nil || !isInt {
			return o, false
		}
		o.admitted = append(o.admitted, held{visitor: fmt.Sprint(admitted[i]), ticket: int64(ticket), expiry: expiry})
	}
	for _, v := range abandoned {
		o.abandoned = append(o.abandoned, fmt.Sprint(v))
	}
	return o, true
}

func (o outcome) status(visitor string) Status {
	switch o.state {
	case 1:
		return waitingAt(visitor, o.detail+1)
	case 2:
		return admittedUntil(visitor, o.detail, o.now)
	}
	return Status{State: StateUnknown, Visitor: visitor}
}
