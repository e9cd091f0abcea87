package queue

import (
	"context"
	"strconv"
	"time"
)

// The line: one sorted set of visitors by ticket, one of seats by expiry.
// Several strategies share it and differ only in how they move people from the
// first to the second.
//
// A seat is visible to its visitor when its score is a whole number. An entry
// that a strategy has put in before it knows whether there is room carries a
// half (see provisional), so that nobody reads "admitted" in it who may yet be
// taken back; confirming is one ZADD XX that removes the half and fails if the
// entry is gone. ZCARD counts both, as the strategy must.
//
// Between ZPOPMIN and ZADD a visitor is in no set, only in an instance's hand:
// that is the weak point of every strategy that pops first. What the instance
// can do about it, it does: hand lists them until the store has acknowledged
// where they went, and settle works the list off, however long the store was
// away. A crash, or a ZPOPMIN whose reply is lost, still loses them. A visitor
// who leaves while in hand gets the seat all the same, for one TTL; one who
// joins again while in hand has two places, of which seat drops the second.

// provisional is added to the score of an entry that is not confirmed.
const provisional = 0.5

// looks is how often status looks for a visitor who is in no set.
const looks = 3

// held is a visitor in an instance's hand.
type held struct {
	visitor string
	ticket  int64
	expiry  int64 // Unix milliseconds: the seat's score, if it has been given
	// back says that no seat is left of this admission: all that remains is to
	// return to the line. What is found under the visitor's name from then on
	// is another instance's, even with the same expiry.
	back bool
}

// line has the Room's fields at hand because it is the room's state in the
// store; only hand is its own, used under Room.admitting.
type line struct {
	*Room
	hand []held
	last instant // the latest store time seen, for events

	// seated, if set, is told of each admission of this instance.
	seated func(held)
}

func (l *line) inHand() []held { return l.hand }

func (l *line) memory() any { return l.hand }

func (l *line) join(ctx context.Context, visitor string) (Status, error) {
	s, err := l.status(ctx, visitor)
	if err != nil || s.State != StateUnknown {
		return s, err
	}
	ticket, err := l.asked.integer(ctx, "INCR", l.keys.seq)
	if err != nil {
		return Status{}, err
	}
	if _, err := l.asked.integer(ctx, "ZADD", l.keys.waiting, "NX", ticket, visitor); err != nil {
		return Status{}, err
	}
	s, err = l.status(ctx, visitor)
	if err == nil && s.State == StateUnknown {
		s = waitingAt(visitor, 1) // joined, and in an instance's hand already
	}
	return s, err
}

func waitingAt(visitor string, position int64) Status {
	return Status{State: StateWaiting, Visitor: visitor, Position: position, Ahead: position - 1}
}

// admittedUntil is the status of who is inside until expiry, Unix milliseconds.
func admittedUntil(visitor string, expiry int64, now instant) Status {
	expires := time.UnixMilli(expiry)
	return Status{State: StateAdmitted, Visitor: visitor, Expires: expires, TTL: expires.Sub(now.time())}
}

func (l *line) status(ctx context.Context, visitor string) (s Status, err error) {
	for range looks {
		s, err = l.look(ctx, visitor)
		if err != nil || s.State != StateUnknown {
			break
		}
	}
	return s, err
}

func (l *line) look(ctx context.Context, visitor string) (Status, error) {
	score, found, err := l.asked.score(ctx, "ZSCORE", l.keys.active, visitor)
	if err != nil {
		return Status{}, err
	}
	if found {
		now, err := l.asked.now(ctx)
		if err != nil {
			return Status{}, err
		}
		if expiry := int64(score); expiry > now.ms() {
			if score != float64(expiry) {
				return waitingAt(visitor, 1), nil
			}
			return admittedUntil(visitor, expiry, now), nil
		}
	}
	rank, found, err := l.asked.integerOrNil(ctx, "ZRANK", l.keys.waiting, visitor)
	if err != nil {
		return Status{}, err
	}
	if found {
		return waitingAt(visitor, rank+1), nil
	}
	return Status{State: StateUnknown, Visitor: visitor}, nil
}

func (l *line) leave(ctx context.Context, visitor string) (Status, error) {
	s, _, err := l.vacate(ctx, visitor)
	return s, err
}

// vacate removes the place before the seat, the way visitors move, so that one
// who is being admitted is not missed in both. It reports whether there was a
// seat, over or not. An entry that was provisional when looked at may have been
// confirmed since, so its removal is announced as a release: of a seat nobody
// was told of, that changes no replay.
func (l *line) vacate(ctx context.Context, visitor string) (s Status, seated bool, err error) {
	s = Status{State: StateUnknown, Visitor: visitor}
	score, found, err := l.begun.score(ctx, "ZSCORE", l.keys.active, visitor)
	if err != nil {
		return s, false, err
	}
	now, err := l.begun.now(ctx)
	if err != nil {
		return s, false, err
	}
	place, err := l.begun.integer(ctx, "ZREM", l.keys.waiting, visitor)
	if err != nil {
		return s, false, err
	}
	seat, err := l.begun.integer(ctx, "ZREM", l.keys.active, visitor)
	if err != nil {
		return s, false, err
	}
	over := found && int64(score) <= now.ms()
	switch {
	case seat == 1 && !over:
		s.State = StateAdmitted
		e := Event{Kind: Released, At: now.time(), Visitor: visitor}
		if found {
			e.Expires = time.UnixMilli(int64(score))
		}
		l.emit(e)
	case place == 1:
		s.State = StateWaiting
		l.emit(Event{Kind: Left, At: now.time(), Visitor: visitor})
	}
	return s, seat == 1, nil
}

func (l *line) count(ctx context.Context) (waiting, active int64, err error) {
	return countLine(ctx, l.Room)
}

func (l *line) census(ctx context.Context) ([]Status, error) { return censusOfLine(ctx, l.Room) }

// countLine counts the two sets.
func countLine(ctx context.Context, r *Room) (waiting, active int64, err error) {
	if waiting, err = r.asked.integer(ctx, "ZCARD", r.keys.waiting); err != nil {
		return 0, 0, err
	}
	active, err = r.asked.integer(ctx, "ZCARD", r.keys.active)
	return waiting, active, err
}

// censusOfLine lists everybody in the line, and everybody who has a seat that
// is confirmed and not over.
func censusOfLine(ctx context.Context, r *Room) ([]Status, error) {
	waiting, err := r.asked.members(ctx, "ZRANGE", r.keys.waiting, 0, -1, "WITHSCORES")
	if err != nil {
		return nil, err
	}
	active, err := r.asked.members(ctx, "ZRANGE", r.keys.active, 0, -1, "WITHSCORES")
	if err != nil {
		return nil, err
	}
	now, err := r.asked.now(ctx)
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, a := range active {
		if expiry := int64(a.score); a.score == float64(expiry) && expiry > now.ms() {
			all = append(all, admittedUntil(a.member, expiry, now))
		}
	}
	for i, w := range waiting {
		all = append(all, waitingAt(w.member, int64(i)+1))
	}
	return all, nil
}

// now reads the store's clock for an admission.
func (l *line) now(ctx context.Context) (instant, error) {
	now, err := l.begun.now(ctx)
	if err == nil {
		l.last = now
	}
	return now, err
}

// expiry is the score of a seat given at now.
func (l *line) expiry(now instant) int64 { return now.ms() + l.cfg.TTL.Milliseconds() }

// reclaim frees the seats whose time is over and returns the time it went by.
func (l *line) reclaim(ctx context.Context) (instant, error) {
	now, err := l.now(ctx)
	if err != nil || !l.cfg.Reclaim {
		return now, err
	}
	n, err := l.begun.integer(ctx, "ZREMRANGEBYSCORE", l.keys.active, "-inf", now.ms())
	if err != nil {
		return now, err
	}
	if n > 0 {
		l.emit(Event{Kind: Reclaimed, At: now.time(), Count: n})
	}
	return now, nil
}

// pop takes up to n visitors out of the line into the hand, for seats that are
// to expire at expiry.
func (l *line) pop(ctx context.Context, n, expiry int64) error {
	popped, err := l.begun.members(ctx, "ZPOPMIN", l.keys.waiting, n)
	if err != nil {
		return err
	}
	for _, p := range popped {
		l.hand = append(l.hand, held{visitor: p.member, ticket: int64(p.score), expiry: expiry})
	}
	return nil
}

// drop takes the first visitor out of the hand: the store has acknowledged
// where they went.
func (l *line) drop() { l.hand = l.hand[1:] }

// seat enters h into a set of seats with mark added to the score. It reports
// false if h has a live one already, from another of two places: that seat
// stays as it is, and the place is spent.
func (l *line) seat(ctx context.Context, set string, h held, mark float64) (bool, error) {
	score := strconv.FormatFloat(float64(h.expiry)+mark, 'f', -1, 64)
	n, err := l.begun.integer(ctx, "ZADD", set, "NX", score, h.visitor)
	if err != nil || n == 1 {
		return n == 1, err
	}
	old, found, err := l.begun.score(ctx, "ZSCORE", set, h.visitor)
	if err != nil {
		return false, err
	}
	now, err := l.now(ctx)
	if err != nil {
		return false, err
	}
	if found && int64(old) > now.ms() {
		return false, nil
	}
	// The entry is of a session that is over and has not been reclaimed. GT
	// raises it, or adds one if it has been reclaimed meanwhile.
	n, err = l.begun.integer(ctx, "ZADD", set, "GT", "CH", score, h.visitor)
	return n == 1, err
}

// fill admits up to free visitors without looking again: whoever calls has
// decided that there is room.
func (l *line) fill(ctx context.Context, free int64) error {
	if free <= 0 || ctx.Err() != nil {
		return nil
	}
	now, err := l.now(ctx)
	if err != nil {
		return err
	}
	if err := l.pop(ctx, free, l.expiry(now)); err != nil {
		return err
	}
	for len(l.hand) > 0 {
		h := l.hand[0]
		seated, err := l.seat(ctx, l.keys.active, h, 0)
		if err != nil {
			return err
		}
		l.drop()
		if seated {
			l.tell(h, now)
		}
	}
	return nil
}

// tell announces an admission.
func (l *line) tell(h held, at instant) {
	l.emit(Event{Kind: Admitted, At: at.time(), Visitor: h.visitor, Ticket: h.ticket, Expires: time.UnixMilli(h.expiry)})
	if l.seated != nil {
		l.seated(h)
	}
}

// requeue puts the first visitor in hand back into the line, at the place they
// had.
func (l *line) requeue(ctx context.Context, kind Kind) error {
	l.hand[0].back = true
	h := l.hand[0]
	if _, err := l.begun.integer(ctx, "ZADD", l.keys.waiting, h.ticket, h.visitor); err != nil {
		return err
	}
	l.drop()
	l.emit(Event{Kind: kind, At: l.last.time(), Visitor: h.visitor, Ticket: h.ticket})
	return nil
}

func (l *line) settle(ctx context.Context) error { return l.settleBy(ctx, l.settleFirst) }

// settleBy works the hand off: first decides about its first visitor, unless
// nothing but the way back is left.
func (l *line) settleBy(ctx context.Context, first func(context.Context) error) (err error) {
	for len(l.hand) > 0 && err == nil {
		if l.hand[0].back {
			err = l.requeue(ctx, Restored)
		} else {
			err = first(ctx)
		}
	}
	return err
}

// settleFirst finds out how far the admission of the first visitor in hand got
// before it failed. The score tells, because it is the very one that this
// instance wrote.
func (l *line) settleFirst(ctx context.Context) error {
	h := l.hand[0]
	score, found, err := l.begun.score(ctx, "ZSCORE", l.keys.active, h.visitor)
	if err != nil {
		return err
	}
	switch {
	case found && score == float64(h.expiry): // done: only the reply was lost
		now, err := l.now(ctx)
		if err != nil {
			return err
		}
		l.drop()
		l.tell(h, now)
		return nil
	case found && score == float64(h.expiry)+provisional:
		if _, err := l.begun.integer(ctx, "ZREM", l.keys.active, h.visitor); err != nil {
			return err
		}
	case found: // has come in by another place meanwhile
		l.drop()
		return nil
	}
	return l.requeue(ctx, Restored)
}
