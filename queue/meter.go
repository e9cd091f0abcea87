package queue

import (
	"context"
	"sync"
	"time"
)

// The rate of admissions is for people to look at and decides nothing, so it
// is kept apart from the cycle: after a cycle that admitted, an instance adds
// to a total in the store, and every instance samples that total. Durations
// between samples are the instance's own; no moment is taken from its clock.

const (
	meterWindow = 10 * time.Second
	meterSample = time.Second // an idle instance looks at the total this often
)

// meter turns samples of a growing total into a rate.
type meter struct {
	mu      sync.Mutex
	samples []sample // oldest first; at most one is older than the window
}

type sample struct {
	at    time.Time
	total int64
}

func (m *meter) observe(at time.Time, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.samples); n > 0 && total < m.samples[n-1].total {
		m.samples = m.samples[:0] // the store has been emptied, or answers arrived out of order
	}
	m.samples = append(m.samples, sample{at, total})
	m.forget(at)
}

func (m *meter) forget(now time.Time) {
	for len(m.samples) > 1 && now.Sub(m.samples[1].at) >= meterWindow {
		m.samples = m.samples[1:]
	}
}

// rate is the growth per second over the window, or over what part of it has
// been seen, at least a second.
func (m *meter) rate(now time.Time) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(now)
	if len(m.samples) < 2 {
		return 0
	}
	first, last := m.samples[0], m.samples[len(m.samples)-1]
	span := min(max(now.Sub(first.at), time.Second), meterWindow)
	return float64(last.total-first.total) / span.Seconds()
}

// due reports whether the last sample is older than an idle instance's period.
func (m *meter) due(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.samples)
	return n == 0 || now.Sub(m.samples[n-1].at) >= meterSample
}

// tally adds what this instance has admitted since the last time to the room's
// total. A failure only makes the rate too low, and the cycle reports a store
// that is down.
func (r *Room) tally(ctx context.Context) {
	now := r.admitted.Load()
	admitted := now - r.tallied
	r.tallied = now
	if admitted == 0 {
		if r.meter.due(time.Now()) {
			_ = r.readTotal(ctx, r.begun)
		}
		return
	}
	if total, err := r.begun.integer(ctx, "INCRBY", r.keys.total, admitted); err == nil {
		r.meter.observe(time.Now(), total)
	}
}

func (r *Room) readTotal(ctx context.Context, s store) error {
	total, _, err := s.score(ctx, "GET", r.keys.total)
	if err == nil {
		r.meter.observe(time.Now(), int64(total))
	}
	return err
}
