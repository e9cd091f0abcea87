package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The values of [Status.State].
const (
	StateWaiting  = "waiting"  // in the line
	StateAdmitted = "admitted" // inside, until Expires
	StateUnknown  = "unknown"  // neither: never joined, left, or the session is over
)

// Status is where a visitor stands.
type Status struct {
	State   string // StateWaiting, StateAdmitted or StateUnknown
	Visitor string
	// Position counts from 1 and Ahead is Position-1; both are for waiting
	// visitors only, zero otherwise.
	Position, Ahead int64
	// Expires is the end of an admitted visitor's session by the store's clock,
	// and TTL what was left of it when the store was asked.
	Expires time.Time
	TTL     time.Duration
}

// Counters are this instance's, since it started.
type Counters struct {
	Admitted      int64 // visitors this instance confirmed
	RolledBack    int64 // unconfirmed visitors it took back to the line
	Reclaimed     int64 // seats it freed because the TTL had run out
	Released      int64 // admitted visitors who left through it
	LeaderChanges int64 // times it became the leader
	Errors        int64 // admit cycles that failed
}

// State is a room at a glance.
type State struct {
	Room     string
	Instance string
	Strategy string
	Slot     int
	Period   time.Duration
	TTL      time.Duration
	// Waiting is the length of the line. Active is the size of the active set,
	// which includes visitors not confirmed yet and, until they are reclaimed,
	// sessions that are over.
	Waiting, Active int64
	// AdmittedPerSecond is the whole room's rate, of all instances, over the
	// last ten seconds.
	AdmittedPerSecond float64
	// InHand is how many visitors this instance holds because the store failed
	// in the middle of an admission; they go back as soon as it answers.
	InHand   int
	Counters Counters
}

// Room is a waiting room as one instance serves it. Its methods may be called
// from several goroutines.
type Room struct {
	cfg      Config
	keys     keys
	strategy *Strategy
	protocol protocol

	asked store // commands on behalf of a caller, who may give up
	begun store // commands that are finished once begun

	random *rand.Rand // used under admitting only
	hub    hub
	meter  meter

	admitting sync.Mutex // one cycle at a time
	handSize  atomic.Int64
	tallied   int64  // admissions that Run has added to the room's total
	failing   string // the last cycle's error, under admitting

	admitted, rolledBack, reclaimed, released, leaderChanges, errors atomic.Int64
}

// Open checks cfg and that the store answers. Its errors are an
// [*InvalidError] or a [*StoreError]. Nothing is written.
func Open(ctx context.Context, backend Backend, cfg Config) (*Room, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	seed := cfg.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	r := &Room{
		cfg:      cfg,
		keys:     newKeys(cfg.Room),
		strategy: lookup(cfg.Strategy),
		asked:    store{backend: backend},
		begun:    store{backend: backend, patience: cfg.CommandTimeout},
		random:   rand.New(rand.NewPCG(seed, 0)),
	}
	if cfg.OnEvent != nil {
		r.Subscribe(cfg.OnEvent)
	}
	r.protocol = r.strategy.open(r)
	if _, leads := r.protocol.(*leader); cfg.LeaderHint && !leads {
		r.protocol = &hinted{protocol: r.protocol, lease: newLease(r)}
	}
	if err := r.Ping(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// Config returns the room's configuration, zero fields filled in.
func (r *Room) Config() Config { return r.cfg }

// Strategy returns the room's strategy.
func (r *Room) Strategy() Strategy { return *r.strategy }

// Ping returns nil if the store answers, else a [*StoreError].
func (r *Room) Ping(ctx context.Context) error {
	_, err := r.asked.now(ctx)
	return err
}

// Join puts visitor at the end of the line and returns their status. Who is in
// the line already keeps the first place, and who is inside is told so.
func (r *Room) Join(ctx context.Context, visitor string) (Status, error) {
	if err := checkVisitor(visitor); err != nil {
		return Status{}, err
	}
	return r.protocol.join(ctx, visitor)
}

// Status returns where visitor stands, without changing anything. A visitor
// whom an instance has taken out of the line and not yet given a seat is in no
// set of the store; Status looks several times before it says unknown.
func (r *Room) Status(ctx context.Context, visitor string) (Status, error) {
	if err := checkVisitor(visitor); err != nil {
		return Status{}, err
	}
	return r.protocol.status(ctx, visitor)
}

// Leave releases visitor's seat or place in the line. The status it returns
// says which: its State is what has ended, StateUnknown if there was nothing
// to leave, and no other field is set but Visitor. Leaving twice is harmless.
// It is finished even if ctx is cancelled meanwhile.
func (r *Room) Leave(ctx context.Context, visitor string) (Status, error) {
	if err := checkVisitor(visitor); err != nil {
		return Status{}, err
	}
	return r.protocol.leave(ctx, visitor)
}

// ErrFixedSession is that the room's strategy cannot prolong a session.
var ErrFixedSession = errors.New("sessions of this room have a fixed length")

// Renew prolongs the session of an admitted visitor to a whole TTL from now and
// returns their status; of anybody else it changes nothing. With a strategy
// that does not renew it returns [ErrFixedSession].
func (r *Room) Renew(ctx context.Context, visitor string) (Status, error) {
	if err := checkVisitor(visitor); err != nil {
		return Status{}, err
	}
	renewing, ok := r.protocol.(renewer)
	if !ok {
		return Status{}, ErrFixedSession
	}
	return renewing.renew(ctx, visitor)
}

// Census lists everybody who stands in the line or is inside, in no order; not
// those in an instance's hand. It reads whole sets, and not at one instant: for
// tests and operators, not for a long line.
func (r *Room) Census(ctx context.Context) ([]Status, error) { return r.protocol.census(ctx) }

// checkpoint tells a checker what the rest of the cycle depends on.
func (r *Room) checkpoint(local ...any) {
	if r.cfg.Checkpoint != nil {
		r.cfg.Checkpoint(fmt.Sprint(local...))
	}
}

// State asks the store for the room's numbers. They are read one after the
// other, not at one instant.
func (r *Room) State(ctx context.Context) (State, error) {
	waiting, active, err := r.protocol.count(ctx)
	if err != nil {
		return State{}, err
	}
	if err := r.readTotal(ctx, r.asked); err != nil {
		return State{}, err
	}
	return State{
		Room:              r.cfg.Room,
		Instance:          r.cfg.Instance,
		Strategy:          r.cfg.Strategy,
		Slot:              r.cfg.Slot,
		Period:            r.cfg.Period,
		TTL:               r.cfg.TTL,
		Waiting:           waiting,
		Active:            active,
		AdmittedPerSecond: r.meter.rate(time.Now()),
		InHand:            int(r.handSize.Load()),
		Counters:          r.Counters(),
	}, nil
}

// Counters returns this instance's counters.
func (r *Room) Counters() Counters {
	return Counters{
		Admitted:      r.admitted.Load(),
		RolledBack:    r.rolledBack.Load(),
		Reclaimed:     r.reclaimed.Load(),
		Released:      r.released.Load(),
		LeaderChanges: r.leaderChanges.Load(),
		Errors:        r.errors.Load(),
	}
}

// Subscribe calls fn for each event of this instance from then on, in the
// goroutine in which it happens: fn must return soon and must not call the
// room. cancel ends it; a call under way may still finish.
func (r *Room) Subscribe(fn func(Event)) (cancel func()) { return r.hub.subscribe(fn) }

// Run admits: one cycle at once and then one every Period, until ctx ends. An
// admission in hand at that time is finished. Run returns nil, or an error
// that names those visitors whom a failing store did not take back within
// CommandTimeout. The failure of a cycle does not end Run.
func (r *Room) Run(ctx context.Context) error {
	listening := r.listen(ctx)
	defer listening.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-timer.C:
			next, _ := r.Admit(ctx) // reported as an event
			r.tally(ctx)
			timer.Reset(next)
		}
	}
	return r.finish(ctx)
}

// listen passes on what other instances announce, if the store can be listened
// to. Without it a visitor learns of it by asking.
func (r *Room) listen(ctx context.Context) *sync.WaitGroup {
	var done sync.WaitGroup
	if listener, ok := r.begun.backend.(Listener); ok && r.strategy.Immediate {
		done.Go(func() {
			listener.Listen(ctx, r.keys.news, func(message string) {
				for visitor := range strings.FieldsSeq(message) {
					r.emit(Event{Kind: News, Visitor: visitor})
				}
			})
		})
	}
	return &done
}

// Admit does one cycle of the admit loop: it brings back whoever an earlier
// failure left in hand, reclaims, and admits. It returns how long to wait
// before the next cycle.
func (r *Room) Admit(ctx context.Context) (next time.Duration, err error) {
	r.admitting.Lock()
	defer r.admitting.Unlock()
	r.checkpoint("cycle", r.protocol.memory())
	err = r.protocol.settle(ctx)
	if err == nil {
		if next, err = r.protocol.admit(ctx); err != nil {
			err = errors.Join(err, r.protocol.settle(ctx))
		}
	}
	r.handSize.Store(int64(len(r.protocol.inHand())))
	r.report(err)
	if next <= 0 {
		next = r.cfg.Period
	}
	return next, err
}

// report counts a failed cycle, and logs only the change: a store that is down
// for an hour is two lines.
func (r *Room) report(err error) {
	if err == nil {
		if r.failing != "" {
			r.failing = ""
			r.cfg.Logger.Info("admission works again", "room", r.cfg.Room, "instance", r.cfg.Instance)
		}
		return
	}
	r.emit(Event{Kind: Failed, Err: err})
}

// finish brings back whoever is in hand, trying for CommandTimeout.
func (r *Room) finish(ctx context.Context) error {
	r.admitting.Lock()
	defer r.admitting.Unlock()
	deadline := time.Now().Add(r.cfg.CommandTimeout)
	err := r.protocol.settle(ctx)
	for err != nil && time.Now().Before(deadline) {
		time.Sleep(min(r.cfg.Period, r.cfg.CommandTimeout))
		err = r.protocol.settle(ctx)
	}
	if err == nil {
		return nil
	}
	var lost []string
	for _, h := range r.protocol.inHand() {
		r.emit(Event{Kind: Lost, Visitor: h.visitor, Ticket: h.ticket, Err: err})
		lost = append(lost, fmt.Sprintf("%s (ticket %d)", h.visitor, h.ticket))
	}
	return fmt.Errorf("stopped with visitors in hand: %s: %w", strings.Join(lost, ", "), err)
}

// emit counts, logs and publishes an event.
func (r *Room) emit(e Event) {
	e.Room, e.Instance, e.Strategy = r.cfg.Room, r.cfg.Instance, r.cfg.Strategy
	level := slog.LevelInfo
	switch e.Kind {
	case Admitted:
		r.admitted.Add(1)
	case RolledBack:
		r.rolledBack.Add(1)
	case Reclaimed:
		r.reclaimed.Add(e.Count)
	case Released:
		r.released.Add(1)
	case LeaderWon:
		r.leaderChanges.Add(1)
	case Restored:
		level = slog.LevelWarn
	case News:
		r.hub.publish(e)
		return
	case Lost:
		level = slog.LevelError
	case Failed:
		r.errors.Add(1)
		level = slog.LevelWarn
		if text := e.Err.Error(); text == r.failing {
			level = slog.LevelDebug
		} else {
			r.failing = text
		}
	}
	r.cfg.Logger.LogAttrs(context.Background(), level, string(e.Kind), e.attrs()...)
	r.hub.publish(e)
}

// token is a value that no other holder of a lease has: not another instance,
// and not an earlier life of this one.
func (r *Room) token() string {
	return r.cfg.Instance + "#" + strconv.FormatUint(r.random.Uint64(), 36)
}
