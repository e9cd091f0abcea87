package queue

import (
	"log/slog"
	"sync"
	"time"
)

// Kind says what happened. It is also the message of the event's log line.
type Kind string

// The kinds of events.
const (
	Admitted   Kind = "admitted"        // a visitor was confirmed: Visitor, Ticket, Expires
	RolledBack Kind = "rolled back"     // an unconfirmed visitor went back to the line: Visitor, Ticket
	Restored   Kind = "restored"        // a visitor left in hand by a failure went back to the line: Visitor, Ticket
	Lost       Kind = "lost"            // shutdown with a visitor in hand whom the store would not take back: Visitor, Ticket
	Released   Kind = "released"        // an admitted visitor left: Visitor, Expires
	Left       Kind = "left"            // a waiting visitor left the line: Visitor
	Abandoned  Kind = "abandoned"       // a waiter of whom nothing was heard for the grace gave up the place: Visitor
	News       Kind = "news"            // some instance changed how a visitor stands: Visitor. Not logged
	Reclaimed  Kind = "reclaimed"       // seats whose TTL had run out were freed: Count
	LeaderWon  Kind = "leader won"      // this instance became the leader
	LeaderLost Kind = "leader lost"     // this instance found that it is no longer the leader
	Failed     Kind = "admission error" // a cycle ended with an error: Err
)

// Event is one thing that happened in this instance. Its log line carries the
// same fields as attributes (room, instance, strategy, at, visitor, ticket,
// expires, count, err; absent ones left out), so that a log can be replayed:
// a visitor is inside from the At of "admitted" until the earlier of its
// Expires and the At of "released".
//
// At is the store's clock, microseconds. It is read so that replaying the
// events of all instances never shows more visitors inside than there were:
// after the command that confirmed an admission, and before the command that
// released a seat. For other kinds it is the latest time this instance had
// read, and zero if it had read none.
type Event struct {
	Kind     Kind
	Room     string
	Instance string
	Strategy string
	At       time.Time
	Visitor  string
	Ticket   int64
	Expires  time.Time
	Count    int64
	Err      error
}

// attrs are the attributes of the event's log line.
func (e Event) attrs() []slog.Attr {
	a := []slog.Attr{slog.String("room", e.Room), slog.String("instance", e.Instance), slog.String("strategy", e.Strategy)}
	if !e.At.IsZero() {
		a = append(a, slog.Time("at", e.At))
	}
	if e.Visitor != "" {
		a = append(a, slog.String("visitor", e.Visitor))
	}
	if e.Ticket != 0 {
		a = append(a, slog.Int64("ticket", e.Ticket))
	}
	if !e.Expires.IsZero() {
		a = append(a, slog.Time("expires", e.Expires))
	}
	if e.Count != 0 {
		a = append(a, slog.Int64("count", e.Count))
	}
	if e.Err != nil {
		a = append(a, slog.Any("err", e.Err))
	}
	return a
}

// hub hands events to subscribers.
type hub struct {
	mu   sync.Mutex
	next int
	fns  map[int]func(Event)
}

func (h *hub) subscribe(fn func(Event)) (cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fns == nil {
		h.fns = map[int]func(Event){}
	}
	id := h.next
	h.next++
	h.fns[id] = fn
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.fns, id)
	}
}

func (h *hub) publish(e Event) {
	h.mu.Lock()
	fns := make([]func(Event), 0, len(h.fns))
	for id := range h.next {
		if fn, ok := h.fns[id]; ok {
			fns = append(fns, fn)
		}
	}
	h.mu.Unlock()
	for _, fn := range fns {
		fn(e)
	}
}
