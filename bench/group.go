package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// roomSettings are a room's, the same for each of its instances.
type roomSettings struct {
	Strategy  string
	Instances int
	Slot      int
	Period    time.Duration
	TTL       time.Duration
	NoReclaim bool
	// Margin is how late a leader may be; zero is half a period. Where nothing
	// is to fail it is a whole one, so that a busy machine is not a fault.
	Margin time.Duration
	// Via, if set, is where instance i finds the store, in the place of the
	// store's own address.
	Via func(i int) string
}

// group is a room on a store, with the instances that serve it.
type group struct {
	roomSettings
	store     *Store
	room      string
	instances []*Instance
	log       *eventLog
	local     bool // the store runs on this machine, by the same clock

	mu    sync.Mutex
	down  map[int]bool
	heard func(Event)
}

var rooms atomic.Int64

// newGroup makes a room that no instance serves yet. Each event of its
// instances goes to heard, which may be nil.
func newGroup(store *Store, s roomSettings, heard func(Event)) *group {
	host, _, _ := net.SplitHostPort(store.Addr)
	ip := net.ParseIP(host)
	return &group{
		roomSettings: s, store: store, log: &eventLog{}, down: map[int]bool{}, heard: heard, local: ip != nil && ip.IsLoopback(),
		room: fmt.Sprintf("bench-%d-%d", time.Now().UnixNano(), rooms.Add(1)),
	}
}

// start starts the room's instances together.
func (g *group) start(ctx context.Context) error {
	g.instances = make([]*Instance, g.Instances)
	errs := make([]error, g.Instances)
	var wg sync.WaitGroup
	for i := range g.Instances {
		wg.Go(func() { g.instances[i], errs[i] = g.launch(ctx, i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (g *group) launch(ctx context.Context, i int) (*Instance, error) {
	addr := g.store.Addr
	if g.Via != nil {
		addr = g.Via(i)
	}
	return StartInstance(ctx, g.hear, "--redis", "redis://"+addr, "--instance", name(i), "--room", g.room,
		"--slot", strconv.Itoa(g.Slot), "--period", g.Period.String(), "--ttl", g.TTL.String(), "--strategy", g.Strategy,
		"--leader-margin", g.Margin.String(), "--reclaim="+strconv.FormatBool(!g.NoReclaim))
}

// name is an instance's.
func name(i int) string { return "i" + strconv.Itoa(i+1) }

func (g *group) hear(line string) {
	if e, ok := g.log.add(line); ok && g.heard != nil {
		g.heard(e)
	}
}

// events are the room's so far. An instance that admits several at once reads
// the time before the first, and so says of the last that it was inside before
// it was. Where the clock is the same, the time of the log line is nearer, and
// never early.
func (g *group) events() []Event {
	events := g.log.all()
	for i, e := range events {
		if g.local && e.Message == "admitted" && e.Logged.After(e.At) {
			events[i].At = e.Logged
		}
	}
	return events
}

// mark says whether an instance answers, as a load balancer would know it.
func (g *group) mark(i int, down bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.down[i] = down
}

// index returns which instance has that name, -1 for none.
func (g *group) index(instance string) int {
	for i := range g.Instances {
		if name(i) == instance {
			return i
		}
	}
	return -1
}

// pick returns an instance that answers: the n-th or the next.
func (g *group) pick(n int) *Instance {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.instances {
		at := (n + i) % len(g.instances)
		if !g.down[at] {
			return g.instances[at]
		}
	}
	return g.instances[n%len(g.instances)]
}

// stop ends the instances, all at once.
func (g *group) stop() {
	var wg sync.WaitGroup
	for _, in := range g.instances {
		if in != nil {
			wg.Go(in.Stop)
		}
	}
	wg.Wait()
	g.instances = nil
}

// forget removes what the room has left in the store. It scans, because KEYS
// would hold up whoever else uses a store that was there before.
func (g *group) forget() error {
	c, err := Dial(g.store.Addr)
	if err != nil {
		return err
	}
	defer c.Close()
	for cursor := ""; cursor != "0"; {
		page, err := c.Do("SCAN", cmp.Or(cursor, "0"), "MATCH", "{"+g.room+"}*", "COUNT", "1000")
		if err != nil {
			return err
		}
		parts := page.Array()
		if len(parts) != 2 {
			return fmt.Errorf("SCAN returned %d parts", len(parts))
		}
		cursor = parts[0].String()
		for _, key := range parts[1].Array() {
			if _, err := c.Do("DEL", key.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// labels are what tells this room's results from others'.
func (g *group) labels() Row {
	return Row{"store": g.store.Name, "strategy": g.Strategy, "instances": g.Instances, "slot": g.Slot}
}

// writeEvents writes the raw lines of the room.
func (g *group) writeEvents(r *Run, what Row) error {
	if err := g.log.err(); err != nil {
		return err
	}
	for _, e := range g.events() {
		fields := Row{"store": g.store.Name, "strategy": g.Strategy, "instances": g.Instances, "msg": e.Message, "instance": e.Instance}
		for k, v := range what {
			fields[k] = v
		}
		if !e.At.IsZero() {
			fields["at"] = e.At
		}
		if e.Visitor != "" {
			fields["visitor"] = e.Visitor
		}
		if !e.Expires.IsZero() {
			fields["expires"] = e.Expires
		}
		if e.Count != 0 {
			fields["count"] = e.Count
		}
		if err := r.Raw("event", fields); err != nil {
			return err
		}
	}
	return nil
}

// together runs something for each room at once, and returns what failed.
func together(groups []*group, do func(*group) error) error {
	errs := make([]error, len(groups))
	var wg sync.WaitGroup
	for i, g := range groups {
		wg.Go(func() {
			if err := do(g); err != nil {
				errs[i] = fmt.Errorf("%s on %s: %w", g.Strategy, g.store.Name, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// eachOf does something for each room, one after another in their order, so
// that records list them in that order.
func eachOf(groups []*group, do func(*group) error) error {
	for _, g := range groups {
		if err := do(g); err != nil {
			return fmt.Errorf("%s on %s: %w", g.Strategy, g.store.Name, err)
		}
	}
	return nil
}

// stopAll ends every room and removes what it has left.
func stopAll(groups []*group) error {
	return together(groups, func(g *group) error { g.stop(); return g.forget() })
}
