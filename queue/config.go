package queue

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Config describes one room as one instance of the service sees it. All
// instances of a room must agree on Room, Slot, TTL and Strategy; Instance
// must differ. Start from [Defaults].
type Config struct {
	// Room names the room and its keys in the store: 1 to 64 of A-Z a-z 0-9 . _ -
	Room string
	// Instance names this process among those that serve the room, in logs and
	// in the leader's lease: 1 to 64 of A-Z a-z 0-9 . _ -
	Instance string
	// Slot is how many visitors may be inside at once; at least 1.
	Slot int
	// Period is the time from the end of one admit cycle to the start of the
	// next; at least 1ms.
	Period time.Duration
	// TTL is how long an admitted visitor may stay. The store keeps it in whole
	// milliseconds; at least 1ms.
	TTL time.Duration
	// Strategy is the name of one of [Strategies].
	Strategy string
	// Reclaim frees the seats of visitors whose TTL has run out, before each
	// admission. Without it a visitor who goes away without leaving holds the
	// seat for ever.
	Reclaim bool
	// Precheck has strategy optimistic look whether the room is full before it
	// pops.
	Precheck bool
	// LeaderHint puts a leader's lease in front of the strategy: the others
	// leave the cycle to the leader. It saves work and guards nothing.
	LeaderHint bool
	// Grace is how long a waiter may be silent, neither asking for the status
	// nor following a stream, before the place is given up. Zero means for
	// ever. Admit cycles should be at least four times as frequent. Only
	// strategies that tend the line know it.
	Grace time.Duration
	// PerMinute bounds admissions: evenly spread, at most so many in any minute
	// and one second's or one Period's share more. Zero means no bound. Only
	// strategies that tend the line know it.
	PerMinute int
	// LeaderMargin is added to Period to make the leader's lease: how late a
	// leader may be before another takes over. Zero means half a Period; at
	// least 1ms and at most one Period otherwise, so that a dead leader is
	// replaced within two periods.
	LeaderMargin time.Duration
	// CommandTimeout bounds each store command of an admission that has begun,
	// which no cancelled context interrupts. Zero means 3s.
	CommandTimeout time.Duration
	// Seed makes an instance's random choices repeatable. Zero means a random
	// seed.
	Seed uint64
	// Logger takes one line per event and per change between a working and a
	// failing store. Nil means no log.
	Logger *slog.Logger
	// OnEvent, if set, is the first subscriber; see [Room.Subscribe].
	OnEvent func(Event)
	// Checkpoint, if set, is told at certain points of a cycle all that the
	// rest of it depends on, besides what the store will answer. It is for
	// checkers, which can then tell that two runs have come to the same point.
	Checkpoint func(local string)
}

// Defaults is the configuration of a fresh service: 100 seats for 5 minutes,
// a cycle every 200ms, strategy atomic, reclaim on. Room and Instance are for
// the caller to fill in.
func Defaults() Config {
	return Config{
		Slot:     100,
		Period:   200 * time.Millisecond,
		TTL:      5 * time.Minute,
		Strategy: "atomic",
		Reclaim:  true,
	}
}

// InvalidError says which field of a [Config] or which argument breaks which
// rule. Field is spelled as the command-line flag is.
type InvalidError struct {
	Field string
	Value string
	Rule  string
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("%s %q: must be %s", e.Field, e.Value, e.Rule)
}

const (
	nameRule    = "1 to 64 of A-Z a-z 0-9 . _ -"
	visitorRule = "1 to 128 of A-Z a-z 0-9 . _ - ~ : @"
)

// ValidName reports whether s may name a room or an instance. Braces are
// excluded because the room's name is a hash tag: {room}.
func ValidName(s string) bool { return valid(s, 64, "._-") }

// ValidVisitor reports whether s may name a visitor.
func ValidVisitor(s string) bool { return valid(s, 128, "._-~:@") }

func valid(s string, limit int, punctuation string) bool {
	if len(s) == 0 || len(s) > limit {
		return false
	}
	for _, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		digit := '0' <= c && c <= '9'
		if !letter && !digit && strings.IndexByte(punctuation, c) < 0 {
			return false
		}
	}
	return true
}

func checkVisitor(visitor string) error {
	if ValidVisitor(visitor) {
		return nil
	}
	return &InvalidError{Field: "visitor", Value: visitor, Rule: visitorRule}
}

// complete checks every field and fills in what zero stands for.
func (c Config) complete() (Config, error) {
	if c.LeaderMargin == 0 {
		c.LeaderMargin = max(c.Period/2, time.Millisecond)
	}
	if c.CommandTimeout == 0 {
		c.CommandTimeout = 3 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	for _, f := range []struct {
		ok    bool
		field string
		value any
		rule  string
	}{
		{ValidName(c.Room), "room", c.Room, nameRule},
		{ValidName(c.Instance), "instance", c.Instance, nameRule},
		{c.Slot >= 1, "slot", c.Slot, "at least 1"},
		{c.Period >= time.Millisecond, "period", c.Period, "at least 1ms"},
		{c.TTL >= time.Millisecond, "ttl", c.TTL, "at least 1ms"},
		{c.LeaderMargin >= time.Millisecond && c.LeaderMargin <= max(c.Period, time.Millisecond), "leader-margin", c.LeaderMargin, "at least 1ms and at most one period"},
		{c.CommandTimeout > 0, "command-timeout", c.CommandTimeout, "more than 0"},
		{lookup(c.Strategy) != nil, "strategy", c.Strategy, "one of " + strings.Join(StrategyNames(), ", ")},
		{c.Grace >= 0, "grace", c.Grace, "0 or more"},
		{c.PerMinute >= 0, "per-minute", c.PerMinute, "0 or more"},
		{c.Grace == 0 || c.tends(), "grace", c.Grace, "0 for strategy " + c.Strategy + ", which does not hear waiters"},
		{c.PerMinute == 0 || c.tends(), "per-minute", c.PerMinute, "0 for strategy " + c.Strategy + ", which has no pace"},
		{!c.Precheck || c.Strategy == "optimistic", "precheck", c.Precheck, "false for strategy " + c.Strategy},
	} {
		if !f.ok {
			return c, &InvalidError{Field: f.field, Value: fmt.Sprint(f.value), Rule: f.rule}
		}
	}
	return c, nil
}

func (c Config) tends() bool {
	s := lookup(c.Strategy)
	return s == nil || s.Tends
}
