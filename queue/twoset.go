package queue

import (
	"context"
	"time"
)

// two-set keeps those who ask for a seat apart from those who have one. A
// visitor is claimed first (set claims), counted among the claims, and only
// then put among the active, with the very expiry of the claim. So the active
// set never shows anybody who may yet be taken back, and holds no more
// unexpired members than slot: they are a subset of the claims that were
// counted.
//
// Of those who count too many, the better ones count again and the others roll
// back, so that contenders do not all give way to each other. Better is who
// has fewer unconfirmed claims before them than there are seats free. A look
// before the pop keeps an instance from claiming into a full room, without
// which two could go on keeping a third from ever counting right.
//
// Seats are given back in the opposite order, active first: a claim without a
// seat only keeps others out, a seat without a claim would not be counted.
//
// What it does not keep: a crash loses the visitor in hand and leaves the claim
// standing until it expires; a stall longer than the session gives a seat that
// is over already; and who is taken back can be overtaken. (PROTOCOLS: D2-tie.)

// A lost reply leaves a claim that nobody answers for, or, when a visitor is
// taken back, a second place.
var twoSetPromises = map[Fault]Promise{
	NoFault:    {Cap: true, CapObserved: true, NoneLost: true, OnePlace: true, Progress: true},
	Crash:      {Cap: true, CapObserved: true, OnePlace: true, Progress: true},
	LostReply:  {Cap: true, Progress: true},
	StoreDown:  {Cap: true, CapObserved: true, NoneLost: true, OnePlace: true, Progress: true},
	Stall:      {Cap: true, OnePlace: true, Progress: true},
	LostWrites: {Progress: true},
}

// contention is how long a better claim waits for the others to give way.
const contention = 50 * time.Millisecond

type twoSet struct{ line }

func openTwoSet(r *Room) protocol { return &twoSet{line{Room: r}} }

func (w *twoSet) admit(ctx context.Context) (time.Duration, error) {
	now, err := w.sweep(ctx)
	if err != nil {
		return 0, err
	}
	for ctx.Err() == nil {
		w.checkpoint("claiming", now)
		claims, err := w.begun.integer(ctx, "ZCARD", w.keys.claims)
		if err != nil || claims >= int64(w.cfg.Slot) {
			return 0, err
		}
		if err := w.pop(ctx, 1, w.expiry(now)); err != nil || len(w.hand) == 0 {
			return 0, err
		}
		seated, err := w.place(ctx)
		if err != nil || !seated {
			return w.backOff(), err
		}
		if now, err = w.now(ctx); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// sweep frees what has expired in both sets, by one time.
func (w *twoSet) sweep(ctx context.Context) (instant, error) {
	now, err := w.reclaim(ctx)
	if err != nil || !w.cfg.Reclaim {
		return now, err
	}
	_, err = w.begun.integer(ctx, "ZREMRANGEBYSCORE", w.keys.claims, "-inf", now.ms())
	return now, err
}

// place claims a seat for the visitor in hand and gives it, or takes the
// visitor back to the line.
func (w *twoSet) place(ctx context.Context) (seated bool, err error) {
	h := w.hand[0]
	claimed, err := w.seat(ctx, w.keys.claims, h, 0)
	if err != nil {
		return false, err
	}
	if !claimed {
		w.drop()
		return true, nil
	}
	began := w.last
	for {
		w.checkpoint("counting", began, h)
		count, err := w.begun.integer(ctx, "ZCARD", w.keys.claims)
		if err != nil {
			return false, err
		}
		if count <= int64(w.cfg.Slot) {
			return w.confirm(ctx)
		}
		better, err := w.better(ctx, h)
		if err != nil {
			return false, err
		}
		// Who gives way does so within some commands. One who is not gone after
		// this long is dead, and the claim stays until it expires.
		if !better || w.last.time().Sub(began.time()) > contention {
			return false, w.rollBack(ctx)
		}
	}
}

// better reports whether fewer unconfirmed claims stand before h than there
// are seats free.
func (w *twoSet) better(ctx context.Context, h held) (bool, error) {
	active, err := w.begun.members(ctx, "ZRANGE", w.keys.active, 0, -1, "WITHSCORES")
	if err != nil {
		return false, err
	}
	claims, err := w.begun.members(ctx, "ZRANGE", w.keys.claims, 0, -1, "WITHSCORES")
	if err != nil {
		return false, err
	}
	confirmed := map[string]bool{}
	for _, a := range active {
		confirmed[a.member] = true
	}
	before := 0
	for _, c := range claims {
		if c.member == h.visitor {
			break
		}
		if !confirmed[c.member] {
			before++
		}
	}
	if _, err := w.now(ctx); err != nil {
		return false, err
	}
	return before < w.cfg.Slot-len(active), nil
}

// confirm gives the seat. The event's time is read first: the entry that
// follows is what lets the visitor in.
func (w *twoSet) confirm(ctx context.Context) (bool, error) {
	h := w.hand[0]
	now, err := w.now(ctx)
	if err != nil {
		return false, err
	}
	if now.ms() >= h.expiry { // stalled for longer than the session
		return false, w.rollBack(ctx)
	}
	if _, err := w.begun.integer(ctx, "ZADD", w.keys.active, h.expiry, h.visitor); err != nil {
		return false, err
	}
	w.drop()
	w.tell(h, now)
	return true, nil
}

func (w *twoSet) rollBack(ctx context.Context) error {
	if _, err := w.begun.integer(ctx, "ZREM", w.keys.claims, w.hand[0].visitor); err != nil {
		return err
	}
	return w.requeue(ctx, RolledBack)
}

// leave gives back the seat, then the claim.
func (w *twoSet) leave(ctx context.Context, visitor string) (Status, error) {
	s, seated, err := w.vacate(ctx, visitor)
	if err == nil && seated {
		_, err = w.begun.integer(ctx, "ZREM", w.keys.claims, visitor)
	}
	return s, err
}

func (w *twoSet) settle(ctx context.Context) error { return w.settleBy(ctx, w.settleFirst) }

// settleFirst finds out how far the admission of the first visitor in hand got.
// A claim with this instance's expiry and no seat is its own.
func (w *twoSet) settleFirst(ctx context.Context) error {
	h := w.hand[0]
	score, found, err := w.begun.score(ctx, "ZSCORE", w.keys.active, h.visitor)
	if err != nil {
		return err
	}
	if found {
		now, err := w.now(ctx)
		if err != nil {
			return err
		}
		w.drop()
		if score == float64(h.expiry) {
			w.tell(h, now)
		}
		return nil
	}
	claim, found, err := w.begun.score(ctx, "ZSCORE", w.keys.claims, h.visitor)
	if err != nil {
		return err
	}
	if found && claim == float64(h.expiry) {
		if _, err := w.begun.integer(ctx, "ZREM", w.keys.claims, h.visitor); err != nil {
			return err
		}
	}
	return w.requeue(ctx, Restored)
}
