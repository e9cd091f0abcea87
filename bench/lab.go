package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"myredis/queue"
)

// Lab is where experiments run: the stores, where the records go, and the
// settings that all of them share.
type Lab struct {
	Redis  string // host:port of a Redis to run on beside MyRedis; "" starts a redis-server
	On     Where
	Seed   uint64
	Rounds int           // how often each case is run
	Budget time.Duration // of all experiments together; zero means each one's own
	Out    string        // folder for the records
	Say    func(string)  // takes lines for people

	stores []*Store
}

// Where says on which stores to run.
type Where string

// The values of Where.
const (
	OnBoth    Where = "both" // the second only where there is one
	OnMyRedis Where = "myredis"
	OnRedis   Where = "redis"
)

// Open starts the stores that the experiments share.
func (l *Lab) Open(ctx context.Context) error {
	if l.On != OnRedis {
		s, err := StartMyRedis(ctx)
		if err != nil {
			return err
		}
		l.stores = append(l.stores, s)
	}
	if l.On == OnMyRedis {
		return nil
	}
	switch {
	case l.Redis != "":
		s, err := Reach(l.Redis)
		if err != nil {
			return err
		}
		l.stores = append(l.stores, s)
	case Installed("redis-server"):
		s, err := StartRedis(ctx)
		if err != nil {
			return err
		}
		l.stores = append(l.stores, s)
	case l.On == OnRedis:
		return errors.New("there is no redis-server on the PATH; name a store with --redis host:port")
	default:
		l.Say("There is no redis-server on the PATH and no --redis: the columns beside MyRedis are missing.")
	}
	return nil
}

// Close ends the stores that Open has started.
func (l *Lab) Close() {
	for _, s := range l.stores {
		s.Stop()
	}
	l.stores = nil
}

// Stores returns the stores, MyRedis first.
func (l *Lab) Stores() []*Store { return l.stores }

// Plan is an experiment with the settings it is to be run with.
type Plan struct {
	Experiment
	Settings Settings
}

// Run runs experiments one after another and writes a record of each. What was
// finished before ctx ended or a case failed is in the records.
func (l *Lab) Run(ctx context.Context, plans []Plan) (paths []string, err error) {
	total := time.Duration(0)
	for _, p := range plans {
		total += p.Budget
	}
	if total == 0 {
		return nil, nil
	}
	planned := total
	if l.Budget > 0 {
		planned = l.Budget
	}
	progress := NewProgress(planned)
	defer progress.Done()
	for _, p := range plans {
		budget := time.Duration(float64(p.Budget) * float64(planned) / float64(total))
		path, err := l.experiment(ctx, p, budget, progress)
		if path != "" {
			paths = append(paths, path)
		}
		if err != nil {
			return paths, fmt.Errorf("%s: %w", p.Name, err)
		}
		progress.Pass(budget)
	}
	return paths, nil
}

func (l *Lab) experiment(ctx context.Context, p Plan, budget time.Duration, progress *Progress) (path string, err error) {
	cases, err := p.Settings.Cases(l)
	if err != nil {
		return "", err
	}
	rec, err := newRecord(l, p, budget)
	if err != nil {
		return "", err
	}
	progress.Done()
	l.Say(fmt.Sprintf("%s: %d cases, about %v", p.Name, len(cases)*l.Rounds, budget.Round(time.Second)))
	complete := false
	defer func() { err = errors.Join(err, rec.close(complete)) }()
	clock := newBudget(budget, cases, l.Rounds)
	for round := range l.Rounds {
		for _, c := range cases {
			run := &Run{Lab: l, For: clock.next(c), Round: round, Seed: l.Seed + uint64(round), rec: rec}
			began := time.Now()
			ending := progress.Follow(p.Name+": "+c.Name, clock.done)
			err := c.Run(ctx, run)
			ending()
			clock.took(c, run.For, time.Since(began))
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return rec.Path, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
	}
	complete = true
	return rec.Path, nil
}

// budget divides an experiment's time among its cases. What starting and
// ending processes costs it learns from the cases that have run.
type budget struct {
	total, done time.Duration
	shares      float64 // of what is still to run
	cases       int
	overhead    time.Duration // of one case, the mean so far
	ran         int
}

func newBudget(total time.Duration, cases []Case, rounds int) *budget {
	b := &budget{total: total, cases: len(cases) * rounds, overhead: 500 * time.Millisecond}
	for _, c := range cases {
		b.shares += c.share() * float64(rounds)
	}
	return b
}

// next says for how long a case is to measure.
func (b *budget) next(c Case) time.Duration {
	left := max(b.total-b.done-time.Duration(b.cases)*b.overhead, 0)
	least := c.Least
	if least == 0 {
		least = time.Second
	}
	return max(time.Duration(float64(left)*c.share()/b.shares), least)
}

func (b *budget) took(c Case, measured, all time.Duration) {
	b.done += all
	b.shares -= c.share()
	b.cases--
	over := max(all-measured, 0)
	b.overhead = (b.overhead*time.Duration(b.ran) + over) / time.Duration(b.ran+1)
	b.ran++
}

// Run is one run of a case.
type Run struct {
	Lab   *Lab
	For   time.Duration // measure for this long
	Round int
	Seed  uint64

	rec *record
}

// Random returns a generator of its own for each stream of choices.
func (r *Run) Random(stream int) *rand.Rand {
	return rand.New(rand.NewPCG(r.Seed, uint64(stream)))
}

// Result writes a row of a table.
func (r *Run) Result(table string, row Row) error {
	row["line"], row["table"], row["round"] = "result", table, r.Round
	return r.rec.write(row)
}

// Curve writes how a value changed. Only the first round's curves are kept.
func (r *Run) Curve(c Curve) error {
	if r.Round > 0 || len(c.Points) == 0 {
		return nil
	}
	return r.rec.write(struct {
		Line string `json:"line"`
		Curve
	}{"curve", c})
}

// Raw writes a raw line of a kind.
func (r *Run) Raw(kind string, fields Row) error {
	fields["line"], fields["round"] = kind, r.Round
	return r.rec.write(fields)
}

// defaultStrategy is what a room gets that is told nothing.
func defaultStrategy() string { return queue.Defaults().Strategy }

// promises returns what a strategy says it keeps under a fault.
func promises(strategy string, fault queue.Fault) queue.Promise {
	s, _ := queue.FindStrategy(strategy)
	return s.Promises[fault]
}

// RunFolder is a new folder's name for the records of a run.
func RunFolder(parent string, now time.Time) string {
	path := filepath.Join(parent, now.Format("20060102-150405"))
	for n := 2; ; n++ {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return path
		}
		path = filepath.Join(parent, fmt.Sprintf("%s-%d", now.Format("20060102-150405"), n))
	}
}
