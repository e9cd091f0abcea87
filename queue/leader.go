package queue

import (
	"context"
	"fmt"
	"time"
)

// leader lets only the holder of a lease do naive's cycle. It keeps the cap as
// long as nobody holds the lease who is not its holder, and that is just what
// a lease cannot say: a leader that stalls between two commands for longer
// than the lease goes on admitting beside the next one. On a store that splits
// SET NX into a look and a write there are two from the start.

// A crash loses those whom the leader had in hand, a lost reply those of the
// ZPOPMIN, and a stall brings two leaders.
var leaderPromises = map[Fault]Promise{
	NoFault:    {Cap: true, CapObserved: true, NoneLost: true, OnePlace: true, FIFO: true, Progress: true},
	Crash:      {Cap: true, CapObserved: true, OnePlace: true, FIFO: true, Progress: true},
	LostReply:  {Cap: true, CapObserved: true, OnePlace: true, FIFO: true, Progress: true},
	StoreDown:  {Cap: true, CapObserved: true, NoneLost: true, OnePlace: true, Progress: true},
	Stall:      {OnePlace: true, FIFO: true, Progress: true},
	LostWrites: {Progress: true},
}

type leader struct {
	naive
	lease lease
}

func openLeader(r *Room) protocol {
	return &leader{naive: naive{line{Room: r}}, lease: newLease(r)}
}

func (l *leader) memory() any { return fmt.Sprint(l.hand, l.lease.token, l.lease.held) }

func (l *leader) admit(ctx context.Context) (time.Duration, error) {
	holds, next, err := l.lease.hold(ctx)
	if err != nil || !holds {
		return next, err
	}
	return l.naive.admit(ctx)
}

// lease is one key that expires by itself, taken with SET NX PX. It stands
// apart from the cycle so that it can save work in front of any strategy.
//
// The holder renews it each period with PEXPIRE and then GET: if GET still
// returns the holder's own token after PEXPIRE has returned 1, then the lease
// had not lapsed in between, for a successor would have written another token.
// The other order would prove nothing. A PEXPIRE that hits a successor's lease
// lengthens it once and does no harm.
//
// A loser comes back when the lease would lapse, if that is before its next
// period, so a dead leader is replaced after at most Period + LeaderMargin.
type lease struct {
	*Room
	token string
	held  bool
}

func newLease(r *Room) lease { return lease{Room: r, token: r.token()} }

// hold takes or renews the lease. If another has it, next is when to try again.
func (l *lease) hold(ctx context.Context) (holds bool, next time.Duration, err error) {
	if l.held {
		renewed, err := l.renew(ctx)
		if err != nil || renewed {
			return renewed, 0, err
		}
		l.held = false
		l.emit(Event{Kind: LeaderLost})
	}
	reply, won, err := l.begun.text(ctx, "SET", l.keys.leader, l.token, "NX", "PX", l.length())
	if err != nil {
		return false, 0, err
	}
	if won && reply == "OK" {
		l.held = true
		now, err := l.begun.now(ctx)
		l.emit(Event{Kind: LeaderWon, At: now.time()})
		return err == nil, 0, err
	}
	next, err = l.lapse(ctx)
	return false, next, err
}

func (l *lease) length() int64 {
	return (l.cfg.Period + l.cfg.LeaderMargin).Milliseconds()
}

func (l *lease) renew(ctx context.Context) (bool, error) {
	n, err := l.begun.integer(ctx, "PEXPIRE", l.keys.leader, l.length())
	if err != nil || n == 0 {
		return false, err
	}
	holder, found, err := l.begun.text(ctx, "GET", l.keys.leader)
	return found && holder == l.token, err
}

// lapse says how long the lease of another still runs, at most one period. A
// store drops a key up to a millisecond after its time.
func (l *lease) lapse(ctx context.Context) (time.Duration, error) {
	left, err := l.begun.integer(ctx, "PTTL", l.keys.leader)
	if err != nil {
		return 0, err
	}
	if left == -1 {
		return 0, fmt.Errorf("%s does not expire: nobody will lead until it is deleted", l.keys.leader)
	}
	wait := time.Duration(max(left, 0)+1) * time.Millisecond
	return min(wait, l.cfg.Period), nil
}

// hinted puts the lease in front of another strategy, as a hint that spares all
// but one instance the work of a cycle. It guards nothing: when two hold the
// lease, or nobody does, what is behind it keeps what it promises.
type hinted struct {
	protocol
	lease lease
}

func (h *hinted) memory() any { return fmt.Sprint(h.protocol.memory(), h.lease.token, h.lease.held) }

func (h *hinted) admit(ctx context.Context) (time.Duration, error) {
	holds, next, err := h.lease.hold(ctx)
	if err != nil || !holds {
		return next, err
	}
	return h.protocol.admit(ctx)
}

func (h *hinted) renew(ctx context.Context, visitor string) (Status, error) {
	if r, ok := h.protocol.(renewer); ok {
		return r.renew(ctx, visitor)
	}
	return Status{}, ErrFixedSession
}
