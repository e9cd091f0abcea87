package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"text/tabwriter"
	"time"

	"myredis/bench"
	"myredis/bench/load"
	"myredis/queue"
)

// Soak keeps real instances busy with visitors, kills and stops them at
// random, and judges what happened.
type Soak struct {
	Stores     Stores
	Strategies []string // one after another, each in a room of its own
	Instances  int
	Slot       int
	Visitors   int           // in flight at any time
	Stay       time.Duration // mean time inside
	Period     time.Duration // between two cycles of an instance
	TTL        time.Duration // of a seat
	Every      time.Duration // mean time between two faults of an instance; zero for none
	Duration   time.Duration // of each strategy's run
	Seed       uint64
	Out        string // folder for the raw lines
}

// Outcome is what one strategy did on one store.
type Outcome struct {
	Store    string `json:"store"`
	Strategy string `json:"strategy"`
	Slot     int    `json:"slot"`
	findings
	Kills  int64    `json:"kills"`
	Pauses int64    `json:"pauses"`
	Broken []string `json:"broken,omitempty"` // what the strategy promises and did not keep
}

// ErrBroken is that a strategy did not keep what it promises.
var ErrBroken = errors.New("a promise was broken")

// Run runs every strategy on every store and prints a table to w. Its error is
// [ErrBroken] if a strategy broke a promise.
func (s Soak) Run(ctx context.Context, w io.Writer) (outcomes []Outcome, err error) {
	rec, err := newRecord(s.Out, "soak", map[string]any{
		"strategies": s.Strategies, "instances": s.Instances, "slot": s.Slot, "visitors": s.Visitors, "stay": s.Stay.String(),
		"period": s.Period.String(), "ttl": s.TTL.String(), "every": s.Every.String(), "duration": s.Duration.String(), "seed": s.Seed,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rec.close()) }()
	stores, err := s.Stores.open(ctx)
	defer stores.close()
	if err != nil {
		return nil, err
	}
	for _, store := range stores {
		for _, strategy := range s.Strategies {
			fmt.Fprintf(w, "soak: %s on %s for %v\n", strategy, store.Name, s.Duration)
			out, err := s.one(ctx, rec, store, strategy)
			if err != nil {
				return outcomes, fmt.Errorf("%s on %s: %w", strategy, store.Name, err)
			}
			outcomes = append(outcomes, out)
		}
	}
	s.print(w, outcomes, rec.path)
	for _, out := range outcomes {
		if len(out.Broken) > 0 {
			return outcomes, ErrBroken
		}
	}
	return outcomes, nil
}

// one runs one strategy in a room of its own.
func (s Soak) one(ctx context.Context, rec *record, store *bench.Store, strategy string) (out Outcome, err error) {
	out = Outcome{Store: store.Name, Strategy: strategy, Slot: s.Slot}
	c := newClient(fmt.Sprintf("soak-%s-%d", strategy, time.Now().UnixNano()))
	defer c.close()
	log := &journal{clock: c.clock}
	fleet, err := newFleet(ctx, s.Instances, log.add, "--redis", "redis://"+store.Addr, "--room", c.room, "--slot", strconv.Itoa(s.Slot),
		"--period", s.Period.String(), "--ttl", s.TTL.String(), "--strategy", strategy)
	if err != nil {
		return out, err
	}
	visits, err := s.load(ctx, c, fleet)
	fleet.stop()
	if err = errors.Join(err, log.err, ctx.Err()); err != nil {
		return out, err
	}
	out.findings = replay(visits, log.events, s.TTL)
	out.Kills, out.Pauses = fleet.kills.Load(), fleet.pauses.Load()
	out.judge()
	for _, v := range visits {
		rec.write(map[string]any{"store": store.Name, "strategy": strategy, "visit": v})
	}
	for _, e := range log.events {
		rec.write(map[string]any{"store": store.Name, "strategy": strategy, "event": e})
	}
	rec.write(map[string]any{"outcome": out})
	return out, forget(store, c.room)
}

// load sends the visitors in and disturbs the instances until the time is over.
// Then, with every instance running again, those inside finish their stay, those
// in the line leave it, and it is looked up where everybody else is.
func (s Soak) load(ctx context.Context, c *client, fleet *fleet) (visits []*visit, err error) {
	open, end := context.WithTimeout(ctx, s.Duration)
	defer end()
	people := &crowd{client: c, fleet: fleet, manners: manners{stay: s.Stay, streams: 0.25, vanish: 0.02, bored: 0.05, look: 3 * time.Second}}
	paths := make([][]*visit, s.Visitors)
	calm := make(chan error, 1)
	go func() {
		calm <- fleet.disturb(open, ctx, strain{every: s.Every, lease: s.Period * 3 / 2, ttl: s.TTL, seed: s.Seed})
	}()
	var all sync.WaitGroup
	for n := range s.Visitors {
		random := rand.New(rand.NewPCG(s.Seed, uint64(n)))
		all.Go(func() {
			_ = load.Pause(open, time.Duration(random.Int64N(int64(min(2*time.Second, s.Duration/4))))) // not all in one instant
			for i := 0; open.Err() == nil; i++ {
				v := &visit{Visitor: fmt.Sprintf("v%d-%d", n, i)}
				paths[n] = append(paths[n], v)
				people.walk(open, ctx, v, random)
			}
		})
	}
	err = <-calm
	all.Wait()
	if err != nil {
		return nil, err
	}
	visits = slices.Concat(paths...)
	return visits, people.seek(ctx, visits, s.Seed)
}

// seek looks up where those are who have gone away without a word, or of whom
// nothing was known.
func (c *crowd) seek(ctx context.Context, visits []*visit, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1<<33))
	for _, v := range visits {
		for try := 0; v.gone() && v.Final == "" && try < 10; try++ {
			r, err := c.status(ctx, c.fleet.any(random), v.Visitor)
			if err == nil {
				v.Final = r.State
				if v.Final == unknown && v.Missing == 0 {
					v.Missing = r.received
				}
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// judge holds the findings against what the strategy promises under the faults
// of a soak.
func (o *Outcome) judge() {
	promise := map[queue.Invariant]bool{}
	s, _ := queue.FindStrategy(o.Strategy)
	for _, i := range queue.Invariants() {
		promise[i] = s.Promises[queue.NoFault].Holds(i) && s.Promises[queue.Crash].Holds(i) && s.Promises[queue.Stall].Holds(i)
	}
	for _, b := range []struct {
		invariant queue.Invariant
		broken    bool
		says      string
	}{
		{queue.Cap, o.Peak > o.Slot || o.PeakTold > o.Slot, fmt.Sprintf("%d inside, %d told, with %d seats", o.Peak, o.PeakTold, o.Slot)},
		{queue.NoneLost, o.Lost > 0, fmt.Sprintf("%d lost", o.Lost)},
		{queue.OnePlace, o.Twice > 0, fmt.Sprintf("%d admitted twice", o.Twice)},
		{queue.FIFO, o.Inversions > 0, fmt.Sprintf("%d before their turn", o.Inversions)},
	} {
		if b.broken && promise[b.invariant] {
			o.Broken = append(o.Broken, b.says)
		}
	}
}

func (s Soak) print(w io.Writer, outcomes []Outcome, path string) {
	fmt.Fprintf(w, "\nsoak: %d instances, %d seats, %d visitors, %v each; an instance is killed or stopped every %v\n\n",
		s.Instances, s.Slot, s.Visitors, s.Duration, s.Every)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "store\tstrategy\tkilled\tstopped\tjoined\tadmitted\tunlogged\tmost inside\tmost told\tlost\ttwice\tbefore turn\tunseen\tuntraced\tpromises\t")
	for _, o := range outcomes {
		verdict := "kept"
		if len(o.Broken) > 0 {
			verdict = "BROKEN"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", o.Store, o.Strategy, o.Kills, o.Pauses, o.Joined, o.Admitted,
			o.Unlogged, o.Peak, o.PeakTold, o.Lost, o.Twice, o.Inversions, o.Blinks, o.Untraced, verdict)
	}
	t.Flush()
	fmt.Fprintf(w, `
most inside: by the store's clock, from logs and readings; most told: from readings alone. lost: joined, and neither in the line nor ever
inside nor left. before turn: inside while one who had joined before they came was told to wait. unseen: unknown for a moment. untraced:
away for longer than a session, so perhaps admitted by an instance that was killed before it could log that.

raw lines: %s
`, path)
}
