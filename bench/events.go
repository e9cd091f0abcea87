package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// Event is a line that a queue-service instance has logged.
type Event struct {
	Message  string    `json:"msg"`
	Room     string    `json:"room,omitempty"`
	Instance string    `json:"instance,omitempty"`
	At       time.Time `json:"at,omitzero"` // by the store's clock
	Visitor  string    `json:"visitor,omitempty"`
	Expires  time.Time `json:"expires,omitzero"`
	Count    int64     `json:"count,omitempty"`
}

// eventLog collects the events of several instances.
type eventLog struct {
	mu     sync.Mutex
	events []Event
	bad    error
}

// add takes a line of an instance's output. Lines that are not JSON are what
// the instance says to people.
func (l *eventLog) add(line string) {
	if !strings.HasPrefix(line, "{") {
		return
	}
	var e Event
	err := json.Unmarshal([]byte(line), &e)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.bad = errors.Join(l.bad, err)
		return
	}
	l.events = append(l.events, e)
}

func (l *eventLog) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bad
}

func (l *eventLog) count(message string) (n int) {
	for _, e := range l.events {
		if e.Message == message {
			n++
		}
	}
	return n
}

// peakInside sweeps over admissions and departures and returns how many
// visitors had been told that they are in, and were neither out nor expired,
// at the worst instant. Of two things at one microsecond the departure counts
// first, so the figure is never too high.
func peakInside(events []Event) (peak int) {
	type step struct {
		at    time.Time
		delta int
	}
	released := map[string]time.Time{}
	for _, e := range events {
		if e.Message == "released" {
			released[e.Visitor] = e.At
		}
	}
	var steps []step
	for _, e := range events {
		if e.Message != "admitted" {
			continue
		}
		end := e.Expires
		if r, ok := released[e.Visitor]; ok && r.Before(end) {
			end = r
		}
		if end.After(e.At) {
			steps = append(steps, step{e.At, 1}, step{end, -1})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.delta, b.delta)) })
	inside := 0
	for _, s := range steps {
		inside += s.delta
		peak = max(peak, inside)
	}
	return peak
}
