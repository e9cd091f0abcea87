package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// Overshoot starts several real queue-service processes on one store, drives
// visitors who join, stay a while and leave, and reports, for each strategy,
// how many were inside at the worst instant: in the active set after any
// command (replayed from MONITOR, so that no peak is missed), and confirmed to
// visitors (from the instances' own logs).
type Overshoot struct {
	Redis      string        // run on this store; "" starts a MyRedis
	RealRedis  bool          // start a redis-server too, and run on both
	Strategies []string      // one after another, each in a room of its own
	Instances  int           // queue-service processes
	Slot       int           // seats
	Visitors   int           // in flight at any time: who leaves is replaced
	Stay       time.Duration // mean time inside
	Period     time.Duration // between two cycles of an instance
	TTL        time.Duration // of a seat
	Duration   time.Duration // of one strategy's run
	Seed       uint64
	Out        string // folder for the raw lines
}

// Outcome is what one strategy did on one store.
type Outcome struct {
	Store         string  `json:"store"`
	Strategy      string  `json:"strategy"`
	Instances     int     `json:"instances"`
	Slot          int     `json:"slot"`
	PeakActive    int     `json:"peak_active"`    // ZCARD after the worst command
	PeakConfirmed int     `json:"peak_confirmed"` // told and unexpired, at the worst instant
	Admitted      int     `json:"admitted"`
	PerSecond     float64 `json:"admitted_per_second"`
	RolledBack    int     `json:"rolled_back"`
	Failures      int64   `json:"failed_visits"`
}

// Run runs every strategy on every store, prints a table to w and returns the
// outcomes.
func (o Overshoot) Run(ctx context.Context, w io.Writer) (outcomes []Outcome, err error) {
	rec, err := NewRecord(o.Out, "overshoot", map[string]any{
		"strategies": o.Strategies, "instances": o.Instances, "slot": o.Slot, "visitors": o.Visitors, "stay": o.Stay.String(),
		"period": o.Period.String(), "ttl": o.TTL.String(), "duration": o.Duration.String(), "redis": o.Redis, "real_redis": o.RealRedis,
	}, o.Seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	stores, err := o.stores(ctx)
	for _, s := range stores {
		defer s.Stop()
	}
	if err != nil {
		return nil, err
	}
	for _, store := range stores {
		for _, strategy := range o.Strategies {
			out, err := o.strategy(ctx, rec, store, strategy)
			if err != nil {
				return outcomes, fmt.Errorf("%s on %s: %w", strategy, store.Name, err)
			}
			outcomes = append(outcomes, out)
		}
	}
	o.print(w, outcomes, rec.Path)
	return outcomes, nil
}

func (o Overshoot) stores(ctx context.Context) (stores []*Store, err error) {
	add := func(s *Store, e error) {
		if err = errors.Join(err, e); e == nil {
			stores = append(stores, s)
		}
	}
	if o.Redis != "" {
		add(Reach(o.Redis))
	} else {
		add(StartMyRedis(ctx))
	}
	if o.RealRedis {
		add(StartRedis(ctx))
	}
	return stores, err
}

// strategy runs one strategy in a room of its own.
func (o Overshoot) strategy(ctx context.Context, rec *Record, store *Store, strategy string) (out Outcome, err error) {
	out = Outcome{Store: store.Name, Strategy: strategy, Instances: o.Instances, Slot: o.Slot}
	room := fmt.Sprintf("bench-%s-%d", strategy, time.Now().UnixNano())
	active := "{" + room + "}:active"
	log := &eventLog{}
	monitor, err := Follow(store.Addr, active, nil)
	if err != nil {
		return out, err
	}
	var instances []*Instance
	stop := func() {
		for _, i := range instances {
			i.Stop()
		}
		instances = nil
	}
	defer stop()
	for i := range o.Instances {
		in, err := StartInstance(ctx, log.add, "--redis", "redis://"+store.Addr, "--instance", "i"+strconv.Itoa(i+1), "--room", room,
			"--slot", strconv.Itoa(o.Slot), "--period", o.Period.String(), "--ttl", o.TTL.String(), "--strategy", strategy)
		if err != nil {
			return out, err
		}
		instances = append(instances, in)
	}
	began := time.Now()
	out.Failures, err = o.crowd(ctx, fmt.Sprintf("%s on %s", strategy, store.Name), room, instances)
	took := time.Since(began)
	stop()
	if err != nil {
		return out, err
	}
	if out.PeakActive, _, err = monitor.Stop(store.Addr); err != nil {
		return out, err
	}
	if err := log.err(); err != nil {
		return out, err
	}
	for _, e := range log.events {
		if err := rec.Write(struct {
			Store string `json:"store"`
			Event
		}{store.Name, e}); err != nil {
			return out, err
		}
	}
	out.PeakConfirmed = peakInside(log.events)
	out.Admitted = log.count("admitted")
	out.RolledBack = log.count("rolled back")
	out.PerSecond = float64(out.Admitted) / took.Seconds()
	return out, errors.Join(rec.Write(out), forget(store, room))
}

// forget removes what the run has left in the store.
func forget(store *Store, room string) error {
	c, err := Dial(store.Addr)
	if err != nil {
		return err
	}
	defer c.Close()
	v, err := c.Do("KEYS", "{"+room+"}*")
	if err != nil || len(v.Array()) == 0 {
		return err
	}
	args := []string{"DEL"}
	for _, key := range v.Array() {
		args = append(args, key.String())
	}
	_, err = c.Do(args...)
	return err
}

// crowd keeps the visitors coming until the time is over, and returns how many
// of their visits failed.
func (o Overshoot) crowd(ctx context.Context, what, room string, instances []*Instance) (failures int64, err error) {
	crowd, end := context.WithTimeout(ctx, o.Duration)
	defer end()
	var failed atomic.Int64
	var wg sync.WaitGroup
	for n := range o.Visitors {
		random := rand.New(rand.NewPCG(o.Seed, uint64(n)))
		wg.Go(func() {
			for visit := 0; crowd.Err() == nil; visit++ {
				in := instances[random.IntN(len(instances))]
				if err := o.visit(crowd, in, room, fmt.Sprintf("v%d-%d", n, visit), random); err != nil && crowd.Err() == nil {
					failed.Add(1)
				}
			}
		})
	}
	progress := NewProgress(what, int(o.Duration.Seconds()))
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for second := 1; crowd.Err() == nil; second++ {
		select {
		case <-ticker.C:
			progress.At(second)
		case <-crowd.Done():
		}
	}
	progress.Done()
	wg.Wait()
	return failed.Load(), ctx.Err()
}

// pollEvery is how often a visitor of the bench asks for news.
const pollEvery = 100 * time.Millisecond

// patience is how many times a visitor of whom nothing is known asks again
// before it counts as lost.
const patience = 50

var errLost = errors.New("nothing is known of the visitor")

// visit is one visitor's way through the room: join, wait, stay, leave.
func (o Overshoot) visit(ctx context.Context, in *Instance, room, visitor string, random *rand.Rand) error {
	state, err := in.Join(ctx, room, visitor)
	for unknown := 0; err == nil && state != "admitted"; {
		if state == "unknown" {
			if unknown++; unknown > patience {
				return errLost
			}
		}
		if err = pause(ctx, pollEvery); err == nil {
			state, err = in.Status(ctx, room, visitor)
		}
	}
	if err != nil {
		return err
	}
	// Between half and one and a half of the mean.
	if err := pause(ctx, o.Stay/2+time.Duration(random.Int64N(int64(o.Stay)))); err != nil {
		return err
	}
	return in.Leave(ctx, room, visitor)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o Overshoot) print(w io.Writer, outcomes []Outcome, path string) {
	fmt.Fprintf(w, "overshoot: %d instances, %d seats, %d visitors, period %v\n\n", o.Instances, o.Slot, o.Visitors, o.Period)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "store\tstrategy\tmost in the active set\tmost confirmed\tadmitted\tper second\trolled back\tfailed visits\t")
	for _, r := range outcomes {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%.1f\t%d\t%d\t\n", r.Store, r.Strategy, against(r.PeakActive, r.Slot), against(r.PeakConfirmed, r.Slot),
			r.Admitted, r.PerSecond, r.RolledBack, r.Failures)
	}
	t.Flush()
	fmt.Fprintf(w, "\nraw lines: %s\n", path)
}

// against shows a count, marked when it is over the cap.
func against(n, slot int) string {
	if n > slot {
		return fmt.Sprintf("%d (+%d)", n, n-slot)
	}
	return strconv.Itoa(n)
}
