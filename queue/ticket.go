package queue

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync/atomic"
	"time"
)

// ticket has no admission at all. A place in the line is a number from INCR,
// and its holder is inside exactly while fewer than slot undeparted tickets
// are ahead: admission is a question that anyone may ask, not a step that
// somebody takes. Nothing is popped, so nobody is ever in an instance's hand,
// nothing can be taken back, and a freed seat is its next holder's at once.
//
// Why at most slot are inside: the undeparted tickets t1 < t2 < … satisfy
// tk - |departed below tk| = k, so exactly the first slot are inside at any
// instant. The set of departed tickets only grows, so a rank only falls, and
// who is inside stays so until they depart. (PROTOCOLS: F5t.)
//
// What is left to instances is the clock: to stamp those who are inside with
// the end of their session, and to record as departed those whose stamp has
// run out. Both are idempotent. A stamp is set once and never moved; there is
// no compare-and-delete for it in plain commands, so sessions cannot be
// renewed, and a ticket whose holder never came (a join that broke off) keeps
// a seat for one session.
//
// Departed tickets are forgotten from the bottom: member "base" of the set says
// that all up to it have departed. Whoever counts with a base that has since
// been raised counts too few departed, and so lets in too few, never too many.
var ticketPromises = map[Fault]Promise{
	NoFault:   everything,
	Crash:     everything,
	LostReply: everything,
	StoreDown: everything,
	// Whoever stalls for a whole session between reading the time and writing the
	// stamp ends a session before it has begun.
	Stall:      {Cap: true, CapObserved: true, OnePlace: true, FIFO: true, Progress: true},
	LostWrites: {Progress: true},
}

type ticketed struct {
	*Room
	base atomic.Int64 // the last one seen; it only saves a command when it is right
}

func openTicket(r *Room) protocol { return &ticketed{Room: r} }

// retries bounds how often a join that meets another one for the same visitor
// looks again.
const retries = 4

var errContended = errors.New("the same visitor keeps joining elsewhere")

func (t *ticketed) join(ctx context.Context, visitor string) (Status, error) {
	for range retries {
		number, found, err := t.held(ctx, t.asked, visitor)
		if err != nil {
			return Status{}, err
		}
		if found {
			s, err := t.stands(ctx, t.asked, visitor, number)
			if err != nil || s.State != StateUnknown {
				return s, err
			}
			if err := t.depart(ctx, t.asked, number); err != nil { // the session is over
				return Status{}, err
			}
		}
		if number, err = t.asked.integer(ctx, "INCR", t.keys.seq); err != nil {
			return Status{}, err
		}
		added, err := t.asked.integer(ctx, "ZADD", t.keys.tickets, "NX", number, visitor)
		if err != nil {
			return Status{}, err
		}
		if added == 1 {
			return t.stands(ctx, t.asked, visitor, number)
		}
		// Another join was first. This ticket must not keep a seat.
		if _, err := t.asked.integer(ctx, "ZADD", t.keys.done, number, number); err != nil {
			return Status{}, err
		}
	}
	return Status{}, &StoreError{Command: "ZADD", Err: errContended}
}

func (t *ticketed) held(ctx context.Context, s store, visitor string) (number int64, found bool, err error) {
	score, found, err := s.score(ctx, "ZSCORE", t.keys.tickets, visitor)
	return int64(score), found, err
}

func (t *ticketed) status(ctx context.Context, visitor string) (Status, error) {
	number, found, err := t.held(ctx, t.asked, visitor)
	if err != nil || !found {
		return Status{State: StateUnknown, Visitor: visitor}, err
	}
	return t.stands(ctx, t.asked, visitor, number)
}

// stands says where the holder of a ticket stands, and starts the session of
// one who learns by it that they are inside. That the ticket has not departed
// is looked at last: what was found before holds until then.
func (t *ticketed) stands(ctx context.Context, s store, visitor string, number int64) (Status, error) {
	unknown := Status{State: StateUnknown, Visitor: visitor}
	now, err := s.now(ctx)
	if err != nil {
		return unknown, err
	}
	expiry, stamped, err := s.score(ctx, "ZSCORE", t.keys.stamps, number)
	if err != nil {
		return unknown, err
	}
	if stamped {
		departed, _, err := t.departed(ctx, s, number)
		if err != nil || departed || int64(expiry) <= now.ms() {
			return unknown, err
		}
		return admittedUntil(visitor, int64(expiry), now), nil
	}
	rank, err := t.rank(ctx, s, number)
	switch {
	case err != nil || rank == 0:
		return unknown, err
	case rank > int64(t.cfg.Slot):
		return waitingAt(visitor, rank-int64(t.cfg.Slot)), nil
	}
	end, now, err := t.stamp(ctx, s, visitor, number)
	if err != nil || end == 0 || end <= now.ms() {
		return unknown, err
	}
	return admittedUntil(visitor, end, now), nil
}

// rank is a ticket's place among the undeparted, counted from 1; 0 if it has
// departed. It may be too high while the base is raised, never too low.
func (t *ticketed) rank(ctx context.Context, s store, number int64) (int64, error) {
	for base := t.base.Load(); ; {
		below, err := s.integer(ctx, "ZCOUNT", t.keys.done, exclusive(base), exclusive(number))
		if err != nil {
			return 0, err
		}
		departed, latest, err := t.departed(ctx, s, number)
		if err != nil || departed {
			return 0, err
		}
		if latest == base {
			return number - base - below, nil
		}
		base = latest
	}
}

// departed reports whether a ticket has departed, and the base.
func (t *ticketed) departed(ctx context.Context, s store, number int64) (departed bool, base int64, err error) {
	scores, err := s.scores(ctx, "ZMSCORE", t.keys.done, number, "base")
	if err != nil {
		return false, 0, err
	}
	if len(scores) != 2 {
		return false, 0, misshapen([]any{"ZMSCORE"}, scores)
	}
	if !math.IsNaN(scores[1]) {
		base = int64(scores[1])
	}
	t.base.Store(base)
	return !math.IsNaN(scores[0]) || number <= base, base, nil
}

// exclusive is a bound of a range of scores.
func exclusive(n int64) string { return "(" + strconv.FormatInt(n, 10) }

// stamp sets the end of the session of a ticket that was found inside, unless it
// is set already, and returns it and the time it went by; zero if the ticket has
// departed. The time is read here, after the ticket was found inside: with one
// read before, whoever stalls in between would begin the session while the seat
// was still somebody else's, and could end it before it has begun.
//
// A stamp is removed only after its ticket has been recorded as departed. So if
// this one is the first, either there never was another and it is the
// session's end, or the ticket is found departed afterwards.
func (t *ticketed) stamp(ctx context.Context, s store, visitor string, number int64) (expiry int64, now instant, err error) {
	if now, err = s.now(ctx); err != nil {
		return 0, 0, err
	}
	expiry = now.ms() + t.cfg.TTL.Milliseconds()
	first, err := s.integer(ctx, "ZADD", t.keys.stamps, "NX", expiry, number)
	if err != nil {
		return 0, 0, err
	}
	if first == 0 {
		score, found, err := s.score(ctx, "ZSCORE", t.keys.stamps, number)
		if err != nil || !found {
			return 0, 0, err
		}
		expiry = int64(score)
	}
	departed, _, err := t.departed(ctx, s, number)
	if err != nil || departed {
		return 0, 0, err
	}
	if first == 1 && visitor != "" {
		t.emit(Event{Kind: Admitted, At: now.time(), Visitor: visitor, Ticket: number, Expires: time.UnixMilli(expiry)})
	}
	return expiry, now, nil
}

func (t *ticketed) leave(ctx context.Context, visitor string) (Status, error) {
	s := Status{State: StateUnknown, Visitor: visitor}
	number, found, err := t.held(ctx, t.begun, visitor)
	if err != nil || !found {
		return s, err
	}
	was, err := t.stands(ctx, t.begun, visitor, number)
	if err != nil {
		return s, err
	}
	now, err := t.begun.now(ctx)
	if err != nil {
		return s, err
	}
	if err := t.depart(ctx, t.begun, number); err != nil {
		return s, err
	}
	s.State = was.State
	switch was.State {
	case StateAdmitted:
		t.emit(Event{Kind: Released, At: now.time(), Visitor: visitor, Ticket: number, Expires: was.Expires})
	case StateWaiting:
		t.emit(Event{Kind: Left, At: now.time(), Visitor: visitor, Ticket: number})
	}
	_ = t.start(ctx, nextSeats) // the seat is free whether or not its next holder is told now
	return s, nil
}

// depart records a ticket as departed and then forgets what else there is of
// it. Numbers are never used twice, so removing by number removes no other's.
func (t *ticketed) depart(ctx context.Context, s store, number int64) error {
	if _, err := s.integer(ctx, "ZADD", t.keys.done, number, number); err != nil {
		return err
	}
	if _, err := s.integer(ctx, "ZREMRANGEBYSCORE", t.keys.tickets, number, number); err != nil {
		return err
	}
	_, err := s.integer(ctx, "ZREM", t.keys.stamps, number)
	return err
}

// admit does what the clock asks for: it reaps, starts the sessions of those
// who have come inside, and forgets what is long past.
func (t *ticketed) admit(ctx context.Context) (time.Duration, error) {
	now, err := t.begun.now(ctx)
	if err != nil {
		return 0, err
	}
	if err := t.reap(ctx, now); err != nil {
		return 0, err
	}
	t.checkpoint("reaped", t.base.Load())
	if err := t.start(ctx, t.cfg.Slot); err != nil {
		return 0, err
	}
	t.checkpoint("started", t.base.Load())
	return 0, t.trim(ctx)
}

// batch bounds how much of a set one command reads.
const batch = 1000

func (t *ticketed) reap(ctx context.Context, now instant) error {
	if !t.cfg.Reclaim {
		return nil
	}
	over, err := t.begun.members(ctx, "ZRANGEBYSCORE", t.keys.stamps, "-inf", now.ms(), "WITHSCORES", "LIMIT", 0, batch)
	if err != nil || len(over) == 0 {
		return err
	}
	done := []any{"ZADD", t.keys.done}
	stamps := []any{"ZREM", t.keys.stamps}
	for _, o := range over {
		done = append(done, o.member, o.member)
		stamps = append(stamps, o.member)
	}
	freed, err := t.begun.integer(ctx, done...)
	if err != nil {
		return err
	}
	if freed > 0 {
		t.emit(Event{Kind: Reclaimed, At: now.time(), Count: freed})
	}
	_, err = t.begun.integer(ctx, stamps...)
	return err
}

// nextSeats is how many of the latest to come inside a leave looks at: its own
// seat's next holder, and those of some that were left at the same time. The
// admit cycle looks at all.
const nextSeats = 4

// start stamps those among the last few inside who have no stamp.
func (t *ticketed) start(ctx context.Context, last int) error {
	inside, err := t.inside(ctx)
	if err != nil || len(inside) == 0 {
		return err
	}
	inside = inside[max(0, len(inside)-last):]
	args := []any{"ZMSCORE", t.keys.stamps}
	for _, number := range inside {
		args = append(args, number)
	}
	stamps, err := t.begun.scores(ctx, args...)
	if err != nil {
		return err
	}
	news := ""
	for i, number := range inside {
		if i >= len(stamps) || !math.IsNaN(stamps[i]) {
			continue
		}
		t.checkpoint("stamping", t.base.Load(), inside[i:], stamps[i:], news)
		holder, err := t.holder(ctx, number)
		if err != nil {
			return err
		}
		end, _, err := t.stamp(ctx, t.begun, holder, number)
		if err != nil {
			return err
		}
		if end != 0 && holder != "" {
			news += " " + holder
		}
	}
	if news != "" {
		_, err = t.begun.integer(ctx, "PUBLISH", t.keys.news, news[1:])
	}
	return err
}

// holder is who has a ticket; "" for one that nobody came to have.
func (t *ticketed) holder(ctx context.Context, number int64) (string, error) {
	found, err := t.begun.members(ctx, "ZRANGEBYSCORE", t.keys.tickets, number, number, "WITHSCORES", "LIMIT", 0, 1)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].member, nil
}

// inside lists the first slot undeparted tickets.
func (t *ticketed) inside(ctx context.Context) ([]int64, error) {
	last, err := t.lastTicket(ctx, t.begun)
	if err != nil {
		return nil, err
	}
	_, base, err := t.departed(ctx, t.begun, 0)
	if err != nil {
		return nil, err
	}
	next := base + 1
	var inside []int64
	for next <= last && len(inside) < t.cfg.Slot {
		departed, err := t.begun.members(ctx, "ZRANGEBYSCORE", t.keys.done, next, "+inf", "WITHSCORES", "LIMIT", 0, batch)
		if err != nil {
			return nil, err
		}
		upTo := last // nothing has departed between the last of a short batch and there
		if len(departed) == batch {
			upTo = min(last, int64(departed[batch-1].score))
		}
		gone := map[int64]bool{}
		for _, d := range departed {
			gone[int64(d.score)] = true
		}
		for ; next <= upTo && len(inside) < t.cfg.Slot; next++ {
			if !gone[next] {
				inside = append(inside, next)
			}
		}
	}
	return inside, nil
}

func (t *ticketed) lastTicket(ctx context.Context, s store) (int64, error) {
	last, _, err := s.score(ctx, "GET", t.keys.seq)
	return int64(last), err
}

// trim raises the base over the departed tickets above it that leave no gap,
// and then removes what is below. The base goes first: who counts in between
// counts from the new base and finds the same. GT keeps a slow instance from
// lowering it.
func (t *ticketed) trim(ctx context.Context) error {
	_, base, err := t.departed(ctx, t.begun, 0)
	if err != nil {
		return err
	}
	above, err := t.begun.members(ctx, "ZRANGEBYSCORE", t.keys.done, exclusive(base), "+inf", "WITHSCORES", "LIMIT", 0, batch)
	if err != nil {
		return err
	}
	raised := base
	for _, d := range above {
		if int64(d.score) != raised+1 {
			break
		}
		raised++
	}
	if raised == base {
		return nil
	}
	if _, err := t.begun.integer(ctx, "ZADD", t.keys.done, "GT", "CH", raised, "base"); err != nil {
		return err
	}
	if _, err := t.begun.integer(ctx, "ZREMRANGEBYSCORE", t.keys.done, "-inf", exclusive(raised)); err != nil {
		return err
	}
	_, err = t.begun.integer(ctx, "ZREMRANGEBYSCORE", t.keys.tickets, "-inf", raised)
	return err
}

func (t *ticketed) count(ctx context.Context) (waiting, active int64, err error) {
	last, err := t.lastTicket(ctx, t.asked)
	if err != nil {
		return 0, 0, err
	}
	_, base, err := t.departed(ctx, t.asked, 0)
	if err != nil {
		return 0, 0, err
	}
	above, err := t.asked.integer(ctx, "ZCOUNT", t.keys.done, exclusive(base), "+inf")
	if err != nil {
		return 0, 0, err
	}
	present := max(0, last-base-above)
	active = min(present, int64(t.cfg.Slot))
	return present - active, active, nil
}

// census asks for each holder; it is not for long lines.
func (t *ticketed) census(ctx context.Context) ([]Status, error) {
	holders, err := t.asked.members(ctx, "ZRANGE", t.keys.tickets, 0, -1, "WITHSCORES")
	if err != nil {
		return nil, err
	}
	done, err := t.asked.members(ctx, "ZRANGE", t.keys.done, 0, -1, "WITHSCORES")
	if err != nil {
		return nil, err
	}
	stamps, err := t.asked.members(ctx, "ZRANGE", t.keys.stamps, 0, -1, "WITHSCORES")
	if err != nil {
		return nil, err
	}
	now, err := t.asked.now(ctx)
	if err != nil {
		return nil, err
	}
	return t.assess(holders, done, stamps, now), nil
}

func (t *ticketed) assess(holders, done, stamps []scored, now instant) (all []Status) {
	base, departed, ends := int64(0), map[int64]bool{}, map[string]int64{}
	for _, d := range done {
		if d.member == "base" {
			base = int64(d.score)
		} else {
			departed[int64(d.score)] = true
		}
	}
	for _, s := range stamps {
		ends[s.member] = int64(s.score)
	}
	below := int64(0) // departed tickets above the base and below the one looked at
	next := base + 1
	for _, h := range holders {
		number := int64(h.score)
		for ; next < number; next++ {
			if departed[next] {
				below++
			}
		}
		rank := number - base - below
		end, stamped := ends[strconv.FormatInt(number, 10)]
		switch {
		case number <= base || departed[number] || stamped && end <= now.ms():
		case rank > int64(t.cfg.Slot):
			all = append(all, waitingAt(h.member, rank-int64(t.cfg.Slot)))
		case stamped:
			all = append(all, admittedUntil(h.member, end, now))
		default: // whoever asks for the status first starts the session
			all = append(all, Status{State: StateAdmitted, Visitor: h.member})
		}
	}
	return all
}

func (t *ticketed) settle(context.Context) error { return nil }

func (t *ticketed) inHand() []held { return nil }

func (t *ticketed) memory() any { return t.base.Load() }
