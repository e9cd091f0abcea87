// Package redislog is a slog.Handler that writes lines as redis-server writes
// them: "pid:role date level message", so that tools that read Redis's log, and
// people used to it, find what they look for. Attributes follow the message as
// key=value.
package redislog

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Handler writes records to one writer, a line each.
type Handler struct {
	mu    *sync.Mutex
	w     io.Writer
	level slog.Leveler
	attrs string
	group string
}

// New returns a handler that writes records of at least the level.
func New(w io.Writer, level slog.Leveler) *Handler {
	return &Handler{mu: &sync.Mutex{}, w: w, level: level}
}

// Level returns the slog level for one of Redis's loglevel names: debug,
// verbose, notice, warning.
func Level(name string) slog.Level {
	switch name {
	case "debug":
		return slog.LevelDebug
	case "verbose":
		return slog.LevelDebug + 2
	case "warning":
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// Enabled implements slog.Handler.
func (h *Handler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level.Level() }

// Handle implements slog.Handler.
func (h *Handler) Handle(_ context.Context, r slog.Record) error {
	line := fmt.Appendf(nil, "%d:M %s %c %s%s", os.Getpid(), r.Time.Format("02 Jan 2006 15:04:05.000"), mark(r.Level), r.Message, h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		line = append(line, h.attr(a)...)
		return true
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.w.Write(append(line, '\n'))
	return err
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	n := *h
	for _, a := range attrs {
		n.attrs += h.attr(a)
	}
	return &n
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	n := *h
	n.group += name + "."
	return &n
}

func (h *Handler) attr(a slog.Attr) string {
	value := a.Value.Resolve().String()
	if t, ok := a.Value.Any().(time.Time); ok {
		value = t.Format(time.RFC3339Nano)
	}
	if strings.ContainsAny(value, " \"=\n") {
		value = strconv.Quote(value)
	}
	return " " + h.group + a.Key + "=" + value
}

// mark is the character that Redis shows a level by.
func mark(level slog.Level) byte {
	switch {
	case level >= slog.LevelWarn:
		return '#'
	case level >= slog.LevelInfo:
		return '*'
	case level > slog.LevelDebug:
		return '-'
	}
	return '.'
}
