package live

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"myredis/bench"
	"myredis/bench/load"
)

// fleet is the instances that serve one room, some of them dead or stopped at
// times.
type fleet struct {
	members []*member
	kills   atomic.Int64
	pauses  atomic.Int64
}

// member is one instance through all its lives.
type member struct {
	args []string
	log  func(string)
	url  atomic.Value // string; of the last life that could be reached

	instance *bench.Instance
}

// newFleet starts n instances with these flags.
func newFleet(ctx context.Context, n int, log func(string), args ...string) (*fleet, error) {
	f := &fleet{}
	for i := range n {
		m := &member{log: log, args: append([]string{"--instance", fmt.Sprint("i", i+1)}, args...)}
		if err := m.start(ctx); err != nil {
			f.stop()
			return nil, err
		}
		f.members = append(f.members, m)
	}
	return f, nil
}

func (m *member) start(ctx context.Context) error {
	in, err := bench.StartInstance(ctx, m.log, m.args...)
	if err != nil {
		return err
	}
	m.instance = in
	m.url.Store(in.URL)
	return nil
}

// any returns the address of some instance; it may be dead or stopped, as a
// visitor's load balancer may not have noticed yet.
func (f *fleet) any(random *rand.Rand) string {
	return f.members[random.IntN(len(f.members))].url.Load().(string)
}

// stop ends the instances. There must be nobody left to disturb them.
func (f *fleet) stop() {
	var all sync.WaitGroup
	for _, m := range f.members {
		all.Go(m.instance.Stop)
	}
	all.Wait()
}

// strain is how instances are disturbed.
type strain struct {
	every time.Duration // mean time between two faults of an instance
	lease time.Duration // what a leader's lease lasts
	ttl   time.Duration
	seed  uint64
}

// disturb kills and stops instances until ctx ends, and leaves all of them
// running. One instance at least is always left alone. The lives that begin
// meanwhile end with life.
func (f *fleet) disturb(ctx, life context.Context, s strain) error {
	if s.every <= 0 {
		return nil
	}
	left := make(chan struct{}, max(len(f.members)-1, 1))
	errs := make([]error, len(f.members))
	var all sync.WaitGroup
	for i, m := range f.members {
		random := rand.New(rand.NewPCG(s.seed, 1<<32+uint64(i)))
		all.Go(func() {
			for errs[i] == nil && load.Pause(ctx, time.Duration(random.ExpFloat64()*float64(s.every))) == nil {
				select {
				case left <- struct{}{}:
					errs[i] = f.strike(ctx, life, m, s, random)
					<-left
				case <-ctx.Done():
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (f *fleet) strike(ctx, life context.Context, m *member, s strain, random *rand.Rand) error {
	if random.IntN(2) == 0 || stopSignal == nil {
		f.kills.Add(1)
		m.instance.Kill()
		_ = load.Pause(ctx, time.Duration(random.Int64N(int64(time.Second))))
		return m.start(life)
	}
	d := s.pause(random)
	f.pauses.Add(1)
	if err := m.instance.Signal(stopSignal); err != nil {
		return err
	}
	_ = load.Pause(ctx, d)
	return m.instance.Signal(continueSignal)
}

// pause is half the times too short for anybody to take over, and now and then
// longer than a whole session.
func (s strain) pause(random *rand.Rand) time.Duration {
	share := random.Float64()
	switch n := random.IntN(6); {
	case n < 3:
		return time.Duration(share * float64(s.lease))
	case n < 5:
		return s.lease + time.Duration(share*float64(3*s.lease))
	}
	return s.ttl + time.Duration(share*float64(s.ttl/4))
}
