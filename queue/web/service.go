package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"myredis/queue"
)

// Room is what this package needs of a waiting room; [*queue.Room] is one.
// Errors are [*queue.InvalidError], [*queue.StoreError], or the context's.
type Room interface {
	Config() queue.Config
	Ping(ctx context.Context) error
	Join(ctx context.Context, visitor string) (queue.Status, error)
	Status(ctx context.Context, visitor string) (queue.Status, error)
	Leave(ctx context.Context, visitor string) (queue.Status, error)
	// Renew also returns [queue.ErrFixedSession].
	Renew(ctx context.Context, visitor string) (queue.Status, error)
	State(ctx context.Context) (queue.State, error)
	Subscribe(fn func(queue.Event)) (cancel func())
}

// Config is what a [Service] is made of.
type Config struct {
	// Rooms are the rooms served, by their configured names; at least one. The
	// page at / is the first one's.
	Rooms []Room
	// Store keeps idempotency keys.
	Store queue.Backend
	// RequestTimeout bounds what one request may spend in the store. Zero means
	// 5s.
	RequestTimeout time.Duration
	// Heartbeat is the longest silence on an event stream. Zero means 15s.
	Heartbeat time.Duration
	// Logger takes faults, and changes between a working and a failing store.
	// Nil means no log.
	Logger *slog.Logger
}

// Service is the HTTP face of waiting rooms. It is an [http.Handler].
type Service struct {
	cfg     Config
	rooms   map[string]*servedRoom
	front   *servedRoom
	mux     *http.ServeMux
	handler http.Handler

	failing atomic.Bool // the last answer of the store was a failure

	ending  sync.Mutex    // orders the start of a stream and Close
	closing chan struct{} // closed when the service ends
	streams sync.WaitGroup
}

// servedRoom is a room with the streams that are open on it.
type servedRoom struct {
	Room
	name     string
	slot     int
	watchers watchers
	cancel   func()
}

// New returns a service for the given rooms. It panics without a room or a
// store. Close ends it.
func New(cfg Config) *Service {
	if len(cfg.Rooms) == 0 || cfg.Store == nil {
		panic("web: a service needs at least one room and a store")
	}
	if cfg.RequestTimeout == 0 {
		cfg.RequestTimeout = 5 * time.Second
	}
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = 15 * time.Second
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Service{cfg: cfg, rooms: map[string]*servedRoom{}, mux: http.NewServeMux(), closing: make(chan struct{})}
	for _, r := range cfg.Rooms {
		c := r.Config()
		served := &servedRoom{Room: r, name: c.Room, slot: c.Slot}
		served.cancel = r.Subscribe(func(e queue.Event) { served.watchers.wake(e.Visitor) })
		s.rooms[served.name] = served
		if s.front == nil {
			s.front = served
		}
	}
	for _, route := range routes {
		s.mux.Handle(route.method+" "+route.pattern, s.endpoint(route))
	}
	s.handler = s.guard(http.HandlerFunc(s.route))
	return s
}

// Close ends every event stream with a last event, waits until they have
// ended, and lets go of the rooms. /readyz says from then on that the service
// is going away; other requests are still answered.
func (s *Service) Close() {
	s.ending.Lock()
	if !s.isClosing() {
		close(s.closing)
		for _, r := range s.rooms {
			r.cancel()
		}
	}
	s.ending.Unlock()
	s.streams.Wait()
}

// Server returns an HTTP server for the service with every timeout set: a
// client that is slow to send or to read is let go. Its Shutdown closes the
// service.
func (s *Service) Server() *http.Server {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      s.cfg.RequestTimeout + 10*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.cfg.Logger.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(s.Close)
	return server
}

// ServeHTTP implements [http.Handler].
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// route is the mux with its own plain-text answers turned into problems.
func (s *Service) route(w http.ResponseWriter, r *http.Request) {
	unmatched, pattern := s.mux.Handler(r)
	if pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	answer := probe{header: http.Header{}}
	unmatched.ServeHTTP(&answer, r)
	switch {
	case answer.code == http.StatusMethodNotAllowed:
		allow := answer.header.Get("Allow")
		w.Header().Set("Allow", allow)
		s.fail(w, r, methodNotAllowed.because("%s is not allowed here; %s is.", r.Method, allow))
	case answer.code/100 == 3:
		w.Header().Set("Location", answer.header.Get("Location"))
		w.WriteHeader(answer.code)
	default:
		s.fail(w, r, notFound.because("There is nothing at %s.", r.URL.Path))
	}
}

// probe is a ResponseWriter that keeps only the status and the header.
type probe struct {
	header http.Header
	code   int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(code int)        { p.code = code }

// endpoint runs a route's handler under the request timeout, and answers with
// the error it returns.
func (s *Service) endpoint(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !rt.stream {
			ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
			defer cancel()
			r = r.WithContext(ctx)
		}
		if err := rt.handle(s, w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

// guard puts around every answer what they have in common: security headers,
// refusal of cross-origin changes, and an answer where a handler panics.
func (s *Service) guard(next http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, crossOrigin.because("Another site's page may not change anything here."))
	}))
	protected := origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		// Not no-referrer, under which a browser sends "Origin: null" with the
		// page's own forms, and these would be refused.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		answer := &begun{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				s.recovered(answer, r, p)
			}
		}()
		protected.ServeHTTP(answer, r)
	})
}

func (s *Service) recovered(w *begun, r *http.Request, p any) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	s.cfg.Logger.Error("panic in a request", "method", r.Method, "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.yes {
		panic(http.ErrAbortHandler) // half an answer must not look like a whole one
	}
	s.fail(w, r, internal.because("The service made a mistake; it has been logged."))
}

// begun is a ResponseWriter that knows whether the answer has begun.
type begun struct {
	http.ResponseWriter
	yes bool
}

func (b *begun) WriteHeader(code int) {
	b.yes = true
	b.ResponseWriter.WriteHeader(code)
}

func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.ResponseWriter.Write(p)
}

// Unwrap is for [http.ResponseController].
func (b *begun) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// storeAnswered logs the change between a working and a failing store: one
// line each, however many requests there are.
func (s *Service) storeAnswered(err error) {
	switch {
	case err != nil && !s.failing.Swap(true):
		s.cfg.Logger.Warn("requests fail: the store does not answer", "err", err)
	case err == nil && s.failing.Load() && s.failing.Swap(false):
		s.cfg.Logger.Info("requests work again: the store answers")
	}
}

func (s *Service) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}
