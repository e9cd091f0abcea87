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
)

// Release gives seats up one after the other, with many visitors following
// their streams, and measures how long it takes from sending the request to
// leave until the next visitor's stream says admitted. No cycle of the
// instances should be needed for it: with a long Period none helps.
type Release struct {
	Stores     Stores
	Strategies []string
	Instances  int
	Slot       int
	Streams    int // visitors in the line, each with a stream
	Releases   int // at most Streams; zero for all of them
	Period     time.Duration
	Seed       uint64
	Out        string
}

// Promptness is how soon the next in line knew, with one strategy on one store.
type Promptness struct {
	Store    string        `json:"store"`
	Strategy string        `json:"strategy"`
	Streams  int           `json:"streams"`
	Releases int           `json:"releases"`
	P50      time.Duration `json:"p50"`
	P99      time.Duration `json:"p99"`
	Max      time.Duration `json:"max"`
	Late     int           `json:"late"`    // not within lateAfter, and left out of the others
	Another  int           `json:"another"` // somebody else than the next in line
}

const lateAfter = 15 * time.Second

// Run measures every strategy on every store and prints a table to w.
func (m Release) Run(ctx context.Context, w io.Writer) (measured []Promptness, err error) {
	rec, err := newRecord(m.Out, "release", map[string]any{
		"strategies": m.Strategies, "instances": m.Instances, "slot": m.Slot, "streams": m.Streams, "period": m.Period.String(), "seed": m.Seed,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rec.close()) }()
	stores, err := m.Stores.open(ctx)
	defer stores.close()
	if err != nil {
		return nil, err
	}
	for _, store := range stores {
		for _, strategy := range m.Strategies {
			p, err := m.one(ctx, rec, store, strategy)
			if err != nil {
				return measured, fmt.Errorf("%s on %s: %w", strategy, store.Name, err)
			}
			measured = append(measured, p)
		}
	}
	fmt.Fprintf(w, "release: %d streams on %d instances, %d seats, admit period %v; from sending DELETE to the next stream's \"admitted\"\n\n",
		m.Streams, m.Instances, m.Slot, m.Period)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "store\tstrategy\treleases\tp50\tp99\tmax\tlate\tout of turn\t")
	for _, p := range measured {
		fmt.Fprintf(t, "%s\t%s\t%d\t%.1f ms\t%.1f ms\t%.1f ms\t%d\t%d\t\n", p.Store, p.Strategy, p.Releases, ms(p.P50), ms(p.P99), ms(p.Max), p.Late, p.Another)
	}
	t.Flush()
	fmt.Fprintf(w, "\nraw lines: %s\n", rec.path)
	return measured, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// audience is the visitors of one room, each with a stream.
type audience struct {
	*client
	fleet  *fleet
	random *rand.Rand
	told   chan arrival
}

// arrival is a stream's word that its visitor is inside.
type arrival struct {
	visitor string
	at      time.Duration
}

func (m Release) one(ctx context.Context, rec *record, store *bench.Store, strategy string) (p Promptness, err error) {
	c := newClient(fmt.Sprintf("release-%s-%d", strategy, time.Now().UnixNano()))
	defer c.close()
	fleet, err := newFleet(ctx, m.Instances, nil, "--redis", "redis://"+store.Addr, "--room", c.room, "--slot", strconv.Itoa(m.Slot),
		"--period", m.Period.String(), "--ttl", "1h", "--strategy", strategy)
	if err != nil {
		return p, err
	}
	defer fleet.stop()
	streams, end := context.WithCancel(ctx)
	var open sync.WaitGroup
	defer open.Wait()
	defer end()
	a := &audience{client: c, fleet: fleet, random: rand.New(rand.NewPCG(m.Seed, 0)), told: make(chan arrival, m.Streams)}
	inside, line, err := a.gather(streams, &open, m.Slot, m.Streams)
	if err != nil {
		return p, err
	}
	p = Promptness{Store: store.Name, Strategy: strategy, Streams: m.Streams}
	releases := m.Releases
	if releases <= 0 || releases > len(line) {
		releases = len(line)
	}
	var took []time.Duration
	for _, next := range line[:releases] {
		at, by, err := a.release(ctx, inside[0])
		if err != nil {
			return p, err
		}
		p.Releases++
		rec.write(map[string]any{"store": store.Name, "strategy": strategy, "left": inside[0], "next": next, "told": by, "took": at})
		if by == "" {
			p.Late++
			by = next
		} else {
			took = append(took, at)
		}
		if by != next {
			p.Another++
		}
		inside = append(inside[1:], by)
	}
	slices.Sort(took)
	p.P50, p.P99, p.Max = quantile(took, 0.5), quantile(took, 0.99), quantile(took, 1)
	rec.write(map[string]any{"measured": p})
	return p, forget(store, c.room)
}

// gather fills the seats and then the line, each in order, and returns who is
// where when every stream has shown its first status.
func (a *audience) gather(ctx context.Context, open *sync.WaitGroup, slot, streams int) (inside, line []string, err error) {
	for n := range slot + streams {
		visitor := "v" + strconv.Itoa(n)
		if _, err := a.join(ctx, a.fleet.any(a.random), visitor); err != nil {
			return nil, nil, err
		}
		if n < slot {
			inside = append(inside, visitor)
			continue
		}
		line = append(line, visitor)
	}
	for _, visitor := range inside { // where a cycle admits, it has been by now
		if err := a.seated(ctx, visitor); err != nil {
			return nil, nil, err
		}
	}
	begun := make(chan struct{}, streams)
	failed := make(chan error, streams)
	for _, visitor := range line {
		instance := a.fleet.any(a.random)
		open.Go(func() {
			first := true
			err := a.stream(ctx, instance, visitor, func(r reading) {
				if first {
					first = false
					begun <- struct{}{}
				}
				if r.State == admitted {
					a.told <- arrival{visitor, r.received}
				}
			})
			if ctx.Err() == nil {
				failed <- fmt.Errorf("the stream of %s broke off: %w", visitor, err)
			}
		})
	}
	for range line {
		select {
		case <-begun:
		case err := <-failed:
			return nil, nil, err
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return inside, line, nil
}

func (a *audience) seated(ctx context.Context, visitor string) error {
	for began := time.Now(); ; {
		r, err := a.status(ctx, a.fleet.any(a.random), visitor)
		if err == nil && r.State == admitted {
			return nil
		}
		if time.Since(began) > time.Minute {
			return fmt.Errorf("%s is %q and should be inside, with seats free: %v", visitor, r.State, err)
		}
		if err := load.Pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// release has a visitor leave and waits for a stream to tell of the seat. by is
// "" if none did in time.
func (a *audience) release(ctx context.Context, visitor string) (took time.Duration, by string, err error) {
	began := a.now()
	if _, err := a.leave(ctx, a.fleet.any(a.random), visitor); err != nil {
		return 0, "", err
	}
	late := time.NewTimer(lateAfter)
	defer late.Stop()
	select {
	case told := <-a.told:
		return told.at - began, told.visitor, nil
	case <-late.C:
		return 0, "", nil
	case <-ctx.Done():
		return 0, "", ctx.Err()
	}
}

// quantile of sorted durations; zero of none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}
