package queue

import (
	"context"
	"time"
)

// optimistic seats one visitor provisionally, counts, and takes the visitor
// back if that is one too many.
//
// Why at most slot are confirmed: take slot+1 visitors confirmed and unexpired
// at one instant, and the last of their counts. Each of them was in the active
// set before its own count, none has expired and none was removed, since only
// its own instance takes an unexpired entry back and it did not. So that last
// count saw slot+1 and its instance rolled back: a contradiction. It rests on
// single commands being atomic, on one clock, and on the confirmed expiry
// being the counted one.
//
// What it does not keep: the set shows more than slot for a moment (slot plus
// instances, plus one per crash); a crash loses the visitor in hand; one who is
// being taken back can be overtaken, although the place is restored exactly;
// and instances that seat one each for the last seat can all roll back.

// A reply lost while a visitor is taken back can leave a second place behind.
var optimisticPromises = map[Fault]Promise{
	NoFault:    {Cap: true, NoneLost: true, OnePlace: true},
	Crash:      {Cap: true, OnePlace: true},
	LostReply:  {Cap: true},
	StoreDown:  {Cap: true, NoneLost: true, OnePlace: true},
	Stall:      {Cap: true, OnePlace: true},
	LostWrites: {Progress: true},
}

type optimistic struct{ line }

func openOptimistic(r *Room) protocol { return &optimistic{line{Room: r}} }

func (o *optimistic) admit(ctx context.Context) (time.Duration, error) {
	now, err := o.reclaim(ctx)
	if err != nil {
		return 0, err
	}
	for ctx.Err() == nil {
		o.checkpoint("popping", now)
		if full, err := o.looksFull(ctx); err != nil || full {
			return 0, err
		}
		if err := o.pop(ctx, 1, o.expiry(now)); err != nil || len(o.hand) == 0 {
			return 0, err
		}
		full, err := o.place(ctx)
		if err != nil || full {
			return o.backOff(), err
		}
		now = o.last
	}
	return 0, nil
}

// looksFull is the pre-check: it spares a full room the pop and the roll-back of
// every cycle, and lowers how far the active set can exceed the slot by one. It
// guards nothing.
func (o *optimistic) looksFull(ctx context.Context) (bool, error) {
	if !o.cfg.Precheck {
		return false, nil
	}
	n, err := o.begun.integer(ctx, "ZCARD", o.keys.active)
	return n >= int64(o.cfg.Slot), err
}

// backOff is when to come back after giving way: about a period, and never the
// same for two, so that those who have rolled each other back once seldom meet
// again.
func (r *Room) backOff() time.Duration {
	return r.cfg.Period/2 + time.Duration(r.random.Int64N(int64(r.cfg.Period)))
}

// place seats the visitor in hand or takes them back to the line. It reports
// whether the room was found full.
func (o *optimistic) place(ctx context.Context) (full bool, err error) {
	h := o.hand[0]
	seated, err := o.seat(ctx, o.keys.active, h, provisional)
	if err != nil {
		return false, err
	}
	if !seated {
		o.drop()
		return false, nil
	}
	count, err := o.begun.integer(ctx, "ZCARD", o.keys.active)
	if err != nil {
		return false, err
	}
	if count > int64(o.cfg.Slot) {
		return true, o.rollBack(ctx)
	}
	// This time is after the count, as the event must be; it also is the base
	// of the next visitor's expiry.
	now, err := o.now(ctx)
	if err != nil {
		return false, err
	}
	if now.ms() >= h.expiry {
		return false, o.rollBack(ctx) // stalled for longer than the session
	}
	confirmed, err := o.begun.integer(ctx, "ZADD", o.keys.active, "XX", "CH", h.expiry, h.visitor)
	if err != nil {
		return false, err
	}
	if confirmed == 0 {
		return false, o.entryGone(ctx)
	}
	o.drop()
	o.tell(h, now)
	return false, nil
}

func (o *optimistic) rollBack(ctx context.Context) error {
	n, err := o.begun.integer(ctx, "ZREM", o.keys.active, o.hand[0].visitor)
	if err != nil {
		return err
	}
	if n == 0 {
		return o.entryGone(ctx)
	}
	return o.requeue(ctx, RolledBack)
}

// entryGone decides about a visitor whose provisional entry somebody else has
// removed: the visitor, by leaving, or a reclaim, if the session has run out.
func (o *optimistic) entryGone(ctx context.Context) error {
	now, err := o.now(ctx)
	if err != nil {
		return err
	}
	if now.ms() >= o.hand[0].expiry {
		return o.requeue(ctx, RolledBack)
	}
	o.drop()
	return nil
}
