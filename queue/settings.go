package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// Settings are what operators change while a room is open. They stand in the
// store ({room}:settings) and go before what instances were started with, so
// all instances follow a change with their next step.
//
// A lower slot throws nobody out: nobody is admitted until enough have left.
type Settings struct {
	// Slot is how many may be inside; zero means what each instance was started
	// with.
	Slot int
	// Paused admits nobody; waiters keep their places.
	Paused bool
	// PerMinute bounds admissions as [Config.PerMinute]; nil means what each
	// instance was started with.
	PerMinute *int
}

// ErrNoSettings is that the room's strategy does not follow settings.
var ErrNoSettings = errors.New("the strategy of this room follows no settings: only its flags")

// Settings reads what operators have set.
func (r *Room) Settings(ctx context.Context) (s Settings, err error) {
	if !r.strategy.Tends {
		return s, ErrNoSettings
	}
	reply, err := r.asked.do(ctx, "HMGET", r.keys.settings, "slot", "paused", "per_minute")
	if err != nil {
		return s, err
	}
	values, ok := reply.([]any)
	if !ok || len(values) != 3 {
		return s, misshapen([]any{"HMGET"}, reply)
	}
	if n, ok := number(values[0]); ok {
		s.Slot = int(n)
	}
	s.Paused = fmt.Sprint(values[1]) == "1"
	if n, ok := number(values[2]); ok {
		perMinute := int(n)
		s.PerMinute = &perMinute
	}
	return s, nil
}

// Set replaces what operators have set. It is one step of the store.
func (r *Room) Set(ctx context.Context, s Settings) error {
	switch {
	case !r.strategy.Tends:
		return ErrNoSettings
	case s.Slot < 0:
		return &InvalidError{Field: "slot", Value: strconv.Itoa(s.Slot), Rule: "0 or more"}
	case s.PerMinute != nil && *s.PerMinute < 0:
		return &InvalidError{Field: "per-minute", Value: strconv.Itoa(*s.PerMinute), Rule: "0 or more"}
	}
	slot, paused, perMinute := "", "0", ""
	if s.Slot > 0 {
		slot = strconv.Itoa(s.Slot)
	}
	if s.Paused {
		paused = "1"
	}
	if s.PerMinute != nil {
		perMinute = strconv.Itoa(*s.PerMinute)
	}
	_, err := r.begun.do(ctx, "HSET", r.keys.settings, "slot", slot, "paused", paused, "per_minute", perMinute)
	return err
}
