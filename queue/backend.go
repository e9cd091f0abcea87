package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Backend is a store that speaks Redis's commands. It is the only way in which
// this package touches the world.
//
// Do sends one command, args[0] being its name, and returns its reply: nil for
// a null, int64 for an integer, string for a simple or bulk string, float64
// for a RESP3 double, []any for an array. An error reply is an error.
//
// Do executes the command at most once. After an error that is not an error
// reply the command may or may not have taken effect; Do does not try again,
// because a ZPOPMIN tried twice takes two visitors out of the line and tells
// of one. Do is called from several goroutines at once.
type Backend interface {
	Do(ctx context.Context, args ...any) (any, error)
}

// Listener is a [Backend] that can also be listened to. Messages may be missed:
// they are hints, and nothing rests on them.
type Listener interface {
	// Listen calls fn with each message of a channel, one after the other, until
	// ctx ends. It connects again by itself.
	Listen(ctx context.Context, channel string, fn func(message string))
}

// BackendFunc is a function as a [Backend], for decorators.
type BackendFunc func(ctx context.Context, args ...any) (any, error)

// Do calls f.
func (f BackendFunc) Do(ctx context.Context, args ...any) (any, error) { return f(ctx, args...) }

// StoreError is a command that the store did not answer, or answered with an
// error or with a reply of the wrong shape.
type StoreError struct {
	Command string // the command's name
	Err     error
}

func (e *StoreError) Error() string { return fmt.Sprintf("store: %s: %v", e.Command, e.Err) }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

var errShape = errors.New("unexpected reply")

// instant is a moment by the store's clock, in Unix microseconds.
type instant int64

func (t instant) ms() int64 { return int64(t) / 1000 }

func (t instant) time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(t))
}

// store reads the replies of a backend, in RESP2's forms and in RESP3's.
//
// With a patience each command runs to its end within that time, whether or
// not the caller's context is cancelled meanwhile: an admission that has begun
// is not abandoned half way.
type store struct {
	backend  Backend
	patience time.Duration
}

func (s store) do(ctx context.Context, args ...any) (any, error) {
	if s.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), s.patience)
		defer cancel()
	}
	reply, err := s.backend.Do(ctx, args...)
	if err != nil {
		return nil, &StoreError{Command: fmt.Sprint(args[0]), Err: err}
	}
	return reply, nil
}

// integer runs a command that replies with an integer.
func (s store) integer(ctx context.Context, args ...any) (int64, error) {
	reply, err := s.do(ctx, args...)
	if err != nil {
		return 0, err
	}
	n, ok := reply.(int64)
	if !ok {
		return 0, misshapen(args, reply)
	}
	return n, nil
}

// integerOrNil runs a command that replies with an integer or with null.
func (s store) integerOrNil(ctx context.Context, args ...any) (n int64, ok bool, err error) {
	reply, err := s.do(ctx, args...)
	if err != nil || reply == nil {
		return 0, false, err
	}
	n, ok = reply.(int64)
	if !ok {
		return 0, false, misshapen(args, reply)
	}
	return n, true, nil
}

// text runs a command that replies with a string or with null.
func (s store) text(ctx context.Context, args ...any) (v string, ok bool, err error) {
	reply, err := s.do(ctx, args...)
	if err != nil || reply == nil {
		return "", false, err
	}
	v, ok = reply.(string)
	if !ok {
		return "", false, misshapen(args, reply)
	}
	return v, true, nil
}

// score runs a command that replies with a score or with null.
func (s store) score(ctx context.Context, args ...any) (v float64, ok bool, err error) {
	reply, err := s.do(ctx, args...)
	if err != nil || reply == nil {
		return 0, false, err
	}
	v, ok = number(reply)
	if !ok {
		return 0, false, misshapen(args, reply)
	}
	return v, true, nil
}

// scores runs a command that replies with an array of scores and nulls; a null
// becomes NaN.
func (s store) scores(ctx context.Context, args ...any) ([]float64, error) {
	reply, err := s.do(ctx, args...)
	if err != nil {
		return nil, err
	}
	list, ok := reply.([]any)
	if !ok {
		return nil, misshapen(args, reply)
	}
	out := make([]float64, len(list))
	for i, e := range list {
		if e == nil {
			out[i] = math.NaN()
		} else if out[i], ok = number(e); !ok {
			return nil, misshapen(args, reply)
		}
	}
	return out, nil
}

// scored is a member of a sorted set with its score.
type scored struct {
	member string
	score  float64
}

// members runs a command that replies with members and scores: a flat array in
// RESP2, an array of pairs in RESP3.
func (s store) members(ctx context.Context, args ...any) ([]scored, error) {
	reply, err := s.do(ctx, args...)
	if err != nil {
		return nil, err
	}
	list, ok := reply.([]any)
	if !ok {
		return nil, misshapen(args, reply)
	}
	var flat []any
	for _, e := range list {
		if pair, ok := e.([]any); ok {
			flat = append(flat, pair...)
		} else {
			flat = append(flat, e)
		}
	}
	if len(flat)%2 != 0 {
		return nil, misshapen(args, reply)
	}
	out := make([]scored, 0, len(flat)/2)
	for i := 0; i < len(flat); i += 2 {
		member, ok1 := flat[i].(string)
		score, ok2 := number(flat[i+1])
		if !ok1 || !ok2 {
			return nil, misshapen(args, reply)
		}
		out = append(out, scored{member, score})
	}
	return out, nil
}

// now is the store's TIME.
func (s store) now(ctx context.Context) (instant, error) {
	reply, err := s.do(ctx, "TIME")
	if err != nil {
		return 0, err
	}
	list, ok := reply.([]any)
	if !ok || len(list) != 2 {
		return 0, misshapen([]any{"TIME"}, reply)
	}
	sec, ok1 := number(list[0])
	usec, ok2 := number(list[1])
	if !ok1 || !ok2 {
		return 0, misshapen([]any{"TIME"}, reply)
	}
	return instant(int64(sec)*1_000_000 + int64(usec)), nil
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, !math.IsNaN(v)
	case int64:
		return float64(v), true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil && !math.IsNaN(f)
	}
	return 0, false
}

func misshapen(args []any, reply any) error {
	return &StoreError{Command: fmt.Sprint(args[0]), Err: fmt.Errorf("%w %T", errShape, reply)}
}
