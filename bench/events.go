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
	At       time.Time `json:"at,omitzero"`   // by the store's clock
	Logged   time.Time `json:"time,omitzero"` // by the instance's
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
func (l *eventLog) add(line string) (e Event, ok bool) {
	if !strings.HasPrefix(line, "{") {
		return e, false
	}
	err := json.Unmarshal([]byte(line), &e)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.bad = errors.Join(l.bad, err)
		return e, false
	}
	l.events = append(l.events, e)
	return e, true
}

func (l *eventLog) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bad
}

// all returns the events so far.
func (l *eventLog) all() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// count returns how many events of a kind there have been.
func count(events []Event, message string) (n int) {
	for _, e := range events {
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
	inside := 0
	for _, s := range changes(events) {
		inside += s.delta
		peak = max(peak, inside)
	}
	return peak
}

// step is one visitor more or less inside.
type step struct {
	at    time.Time
	delta int
}

// changes lists them in the order in which they happened.
func changes(events []Event) (steps []step) {
	released := map[string]time.Time{}
	for _, e := range events {
		if e.Message == "released" {
			released[e.Visitor] = e.At
		}
	}
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
	return steps
}
