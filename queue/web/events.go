package web

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"myredis/queue"
)

// A stream of a visitor's events (text/event-stream).
//
//	event: status     the visitor's status, whole; sent at once and at each change
//	event: trouble    the store does not answer; the next status ends the trouble
//	event: heartbeat  nothing has happened for a while
//	event: end        {"reason":"over"}: neither in the line nor inside any more;
//	                  {"reason":"shutdown"}: connect again, another instance answers
//
// Every status is whole, so that nothing has to be replayed: a client that
// comes back, with whatever Last-Event-ID, is sent the present status first.
//
// A stream looks into the store at the pace that a polling client is told
// (pollAfter), and at once when its room announces something about the
// visitor. A heartbeat is an event and not a comment, because a browser shows
// comments to nobody, and a page could not tell a dead connection from a quiet
// one.

const (
	// In the moment of being admitted a visitor may be in no set of the store.
	// A stream tells that a visitor is gone after so many looks in a row.
	looksBeforeGone   = 4
	lookAgain         = 500 * time.Millisecond
	streamWriteWithin = 10 * time.Second
)

// watchers are the open streams of a room, by visitor.
type watchers struct {
	mu      sync.Mutex
	streams map[string]map[chan struct{}]struct{}
}

// watch returns a channel that receives when something about visitor has been
// announced. Announcements that come together are one.
func (w *watchers) watch(visitor string) (news <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.streams == nil {
		w.streams = map[string]map[chan struct{}]struct{}{}
	}
	if w.streams[visitor] == nil {
		w.streams[visitor] = map[chan struct{}]struct{}{}
	}
	w.streams[visitor][c] = struct{}{}
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.streams[visitor], c)
		if len(w.streams[visitor]) == 0 {
			delete(w.streams, visitor)
		}
	}
}

// wake never blocks: it is called from within an admission.
func (w *watchers) wake(visitor string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.streams[visitor] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (s *Service) events(w http.ResponseWriter, r *http.Request) error {
	room, visitor, err := s.visitor(r)
	if err != nil {
		return err
	}
	if !s.enter() {
		return shuttingDown.because("This instance is going away.")
	}
	defer s.streams.Done()
	news, cancel := room.watchers.watch(visitor) // before the first look, so that nothing falls between
	defer cancel()
	status, err := s.look(r.Context(), room, visitor)
	if err != nil {
		return err
	}
	if status.State == queue.StateUnknown {
		return unknownVisitor.because("%q is neither in the line nor inside.", visitor)
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would hold the events back
	out := &stream{w: w, control: http.NewResponseController(w)}
	out.begin(room.statusBody(status))
	s.follow(r.Context(), room, out, status, news)
	return nil
}

// enter counts a stream in, unless the service is closing: after the last one
// has been waited for, none may begin.
func (s *Service) enter() bool {
	s.ending.Lock()
	defer s.ending.Unlock()
	if s.isClosing() {
		return false
	}
	s.streams.Add(1)
	return true
}

func (s *Service) look(ctx context.Context, room *servedRoom, visitor string) (queue.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.RequestTimeout)
	defer cancel()
	status, err := room.Status(ctx, visitor)
	if err == nil {
		s.storeAnswered(nil)
	}
	return status, err
}

// follow writes events until the visitor is gone, the client is gone, or the
// service closes.
func (s *Service) follow(ctx context.Context, room *servedRoom, out *stream, last queue.Status, news <-chan struct{}) {
	look := time.NewTimer(pollAfter(last, room.slot))
	defer look.Stop()
	heartbeat := time.NewTicker(s.cfg.Heartbeat)
	defer heartbeat.Stop()
	missing, trouble := 0, false
	for out.err == nil {
		select {
		case <-ctx.Done():
			return
		case <-s.closing:
			out.send("end", map[string]string{"reason": "shutdown"})
			return
		case <-heartbeat.C:
			out.send("heartbeat", struct{}{})
			continue
		case <-news:
		case <-look.C:
		}
		status, err := s.look(ctx, room, last.Visitor)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.storeAnswered(err)
			if !trouble {
				out.send("trouble", map[string]string{"reason": storeUnavailable.name})
			}
			trouble = true
			look.Reset(time.Duration(storeUnavailable.retryAfter) * time.Second)
			continue
		case status.State == queue.StateUnknown:
			if missing++; missing == looksBeforeGone {
				out.send("status", room.statusBody(status))
				out.send("end", map[string]string{"reason": "over"})
				return
			}
			look.Reset(lookAgain)
			continue
		}
		if trouble || changed(last, status) {
			out.send("status", room.statusBody(status))
			heartbeat.Reset(s.cfg.Heartbeat)
		}
		missing, trouble, last = 0, false, status
		look.Reset(pollAfter(status, room.slot))
	}
}

func changed(a, b queue.Status) bool {
	return a.State != b.State || a.Position != b.Position || !a.Expires.Equal(b.Expires)
}

// stream writes events. After an error it writes nothing more.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	sent    int
	err     error
}

// begin sends the first status, and how long to wait before connecting again:
// not the same for all, for the time when an instance with many streams ends.
func (o *stream) begin(status statusBody) {
	o.write(fmt.Sprintf("retry: %d\n", 1000+rand.IntN(2000)))
	o.send("status", status)
}

func (o *stream) send(event string, data any) {
	body, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("web: encode %T: %v", data, err))
	}
	o.sent++
	o.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", o.sent, event, body))
	if o.err == nil {
		o.err = o.control.Flush()
	}
}

func (o *stream) write(text string) {
	if o.err != nil {
		return
	}
	_ = o.control.SetWriteDeadline(time.Now().Add(streamWriteWithin)) // in the place of the server's write timeout
	_, o.err = o.w.Write([]byte(text))
}
