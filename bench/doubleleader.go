package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"
)

// DoubleLeader contests a lease: per round, candidates ask for it at once with
// SET NX, and the round counts how many were told that they have it. A store
// that runs commands one at a time tells one, always. MyRedis with several
// workers does not: see package server.
type DoubleLeader struct {
	Redis      string        // contest on this store too; "" for none
	Workers    []int         // MyRedis is started with each number of workers ...
	Gaps       []string      // ... and, where there are several, each gap
	Rounds     int           // rounds of a contest
	Candidates int           // who ask for the lease, a connection each
	Budget     time.Duration // of one contest; it ends early when this is used up
	Out        string        // folder for the raw lines
}

// Contest is the outcome of one series of rounds on one store.
type Contest struct {
	Store     string  `json:"store"`
	Workers   int     `json:"workers,omitempty"` // 0: not known
	Gap       string  `json:"gap,omitempty"`
	Rounds    int     `json:"rounds"`
	Double    int     `json:"double"` // rounds with more than one winner
	None      int     `json:"none"`   // rounds without a winner
	Most      int     `json:"most"`   // winners of the worst round
	PerSecond float64 `json:"rounds_per_second"`
}

// Run runs the contests, prints a table to w and returns the outcomes.
func (d DoubleLeader) Run(ctx context.Context, w io.Writer) (contests []Contest, err error) {
	rec, err := NewRecord(d.Out, "double-leader", map[string]any{
		"workers": d.Workers, "gap": d.Gaps, "rounds": d.Rounds, "candidates": d.Candidates, "budget": d.Budget.String(), "redis": d.Redis,
	}, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	for _, workers := range d.Workers {
		for _, gap := range d.gaps(workers) {
			c, err := d.onMyRedis(ctx, rec, workers, gap)
			if err != nil {
				return contests, err
			}
			contests = append(contests, c)
		}
	}
	if d.Redis != "" {
		store, err := Reach(d.Redis)
		if err != nil {
			return contests, err
		}
		c, err := d.contest(ctx, rec, store, Contest{Store: store.Name})
		if err != nil {
			return contests, err
		}
		contests = append(contests, c)
	}
	d.print(w, contests, rec.Path)
	return contests, nil
}

// gaps returns the gaps to try: one worker has none.
func (d DoubleLeader) gaps(workers int) []string {
	if workers == 1 {
		return []string{"none"}
	}
	return d.Gaps
}

func (d DoubleLeader) onMyRedis(ctx context.Context, rec *Record, workers int, gap string) (Contest, error) {
	store, err := StartMyRedis(ctx, "--workers", strconv.Itoa(workers), "--gap", gap)
	if err != nil {
		return Contest{}, err
	}
	defer store.Stop()
	return d.contest(ctx, rec, store, Contest{Store: store.Name, Workers: workers, Gap: gap})
}

// candidate asks for the lease each time it is told to.
type candidate struct {
	conn *Conn
	ask  chan string // the lease's key
	won  chan result
}

type result struct {
	won bool
	err error
}

func (c *candidate) run(id string) {
	for key := range c.ask {
		v, err := c.conn.Do("SET", key, id, "NX", "PX", "60000")
		c.won <- result{err == nil && v.String() == "OK", err}
	}
}

type roundLine struct {
	Contest int     `json:"workers"`
	Gap     string  `json:"gap"`
	Store   string  `json:"store"`
	Round   int     `json:"round"`
	Winners int     `json:"winners"`
	Took    float64 `json:"took_us"`
}

func (d DoubleLeader) contest(ctx context.Context, rec *Record, store *Store, c Contest) (Contest, error) {
	candidates := make([]*candidate, d.Candidates)
	for i := range candidates {
		conn, err := Dial(store.Addr)
		if err != nil {
			return c, err
		}
		defer conn.Close()
		candidates[i] = &candidate{conn: conn, ask: make(chan string), won: make(chan result)}
		go candidates[i].run(strconv.Itoa(i))
		defer close(candidates[i].ask)
	}
	admin, err := Dial(store.Addr)
	if err != nil {
		return c, err
	}
	defer admin.Close()
	what := fmt.Sprintf("%s, %d workers, gap %s", store.Name, c.Workers, c.Gap)
	progress := NewProgress(what, d.Rounds)
	defer progress.Done()
	const key = "{bench}:leader"
	began := time.Now()
	for c.Rounds < d.Rounds && time.Since(began) < d.Budget {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		if _, err := admin.Do("DEL", key); err != nil {
			return c, err
		}
		start := time.Now()
		winners, err := round(candidates, key)
		if err != nil {
			return c, err
		}
		c.Rounds++
		c.Most = max(c.Most, winners)
		switch {
		case winners == 0:
			c.None++
		case winners > 1:
			c.Double++
		}
		line := roundLine{c.Workers, c.Gap, c.Store, c.Rounds, winners, float64(time.Since(start).Nanoseconds()) / 1e3}
		if err := rec.Write(line); err != nil {
			return c, err
		}
		progress.At(c.Rounds)
	}
	if _, err := admin.Do("DEL", key); err != nil {
		return c, err
	}
	c.PerSecond = float64(c.Rounds) / time.Since(began).Seconds()
	return c, nil
}

// round releases the candidates together and counts who won.
func round(candidates []*candidate, key string) (winners int, err error) {
	for _, c := range candidates {
		c.ask <- key
	}
	for _, c := range candidates {
		r := <-c.won
		err = errors.Join(err, r.err)
		if r.won {
			winners++
		}
	}
	return winners, err
}

func (d DoubleLeader) print(w io.Writer, contests []Contest, path string) {
	fmt.Fprintf(w, "double-leader: %d candidates ask for one lease with SET NX\n\n", d.Candidates)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "store\tworkers\tgap\trounds\ttwo leaders\tmost winners\trounds/s\t")
	for _, c := range contests {
		workers := strconv.Itoa(c.Workers)
		if c.Workers == 0 {
			workers = "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%.0f\t\n", c.Store, workers, c.Gap, c.Rounds, c.Double, c.Most, c.PerSecond)
	}
	t.Flush()
	fmt.Fprintf(w, "\nraw lines: %s\n", path)
}
