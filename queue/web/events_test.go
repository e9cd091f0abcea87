package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// follower reads a stream as a browser does.
type follower struct {
	t    *testing.T
	res  *http.Response
	read *bufio.Scanner
}

type event struct {
	id, name string
	data     map[string]any
}

func (f *fixture) follow(visitor string, header map[string]string) *follower {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	f.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", f.server.URL+visitors+"/"+visitor+"/events", nil)
	require.NoError(f.t, err)
	for k, v := range header {
		req.Header.Set(k, v)
	}
	client := f.browser()
	client.Timeout = 0
	res, err := client.Do(req)
	require.NoError(f.t, err)
	f.t.Cleanup(func() { res.Body.Close() })
	openapi().check(f.t, req, res, nil)
	require.Equal(f.t, "text/event-stream", res.Header.Get("Content-Type"))
	return &follower{t: f.t, res: res, read: bufio.NewScanner(res.Body)}
}

// next returns the next event, and false at the end of the stream. A status is
// held against the document.
func (s *follower) next() (e event, ok bool) {
	s.t.Helper()
	for s.read.Scan() {
		field, value, _ := strings.Cut(s.read.Text(), ": ")
		switch field {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			require.NoError(s.t, json.Unmarshal([]byte(value), &e.data))
		case "":
			if e.name == "status" {
				require.NoError(s.t, openapi().fits(map[string]any{"$ref": "#/components/schemas/Status"}, any(e.data)))
			}
			return e, true
		}
	}
	require.NoError(s.t, s.read.Err())
	return event{}, false
}

// until returns the next event of a name, passing over others.
func (s *follower) until(name string) event {
	s.t.Helper()
	for {
		e, ok := s.next()
		require.True(s.t, ok, "the stream ended before %s", name)
		if e.name == name {
			return e
		}
	}
}

func (s *follower) status(state string) event {
	s.t.Helper()
	e := s.until("status")
	require.Equal(s.t, state, e.data["state"], "%v", e.data)
	return e
}

func TestStreamFollowsAVisitorToTheEnd(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.room.Slot = 1 })
	f.join(`{"visitor":"ann"}`)
	f.join(`{"visitor":"bob"}`)
	s := f.follow("bob", nil)
	require.EqualValues(t, 2, s.status("waiting").data["position"])
	f.admit()
	require.EqualValues(t, 1, s.status("waiting").data["position"])
	f.do("DELETE", visitors+"/ann")
	f.admit()
	require.InDelta(t, 300, s.status("admitted").data["expiresIn"], 5)
	f.do("DELETE", visitors+"/bob")
	s.status("unknown")
	require.Equal(t, "over", s.until("end").data["reason"])
	_, more := s.next()
	require.False(t, more)
}

// An admission by the stream's own instance is told at once, long before the
// next look, which is 15 s away for the last of a long line.
func TestStreamTellsAdmissionAtOnce(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.room.Slot = 1 })
	for _, v := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "ann"} {
		f.join(`{"visitor":"` + v + `"}`)
	}
	s := f.follow("ann", nil)
	first := s.status("waiting")
	require.Greater(t, first.data["pollAfter"], 10.0)
	for _, v := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"} {
		f.do("DELETE", visitors+"/"+v)
	}
	began := time.Now()
	f.admit()
	s.status("admitted")
	require.Less(t, time.Since(began), 5*time.Second)
}

func TestStreamStartsWithThePresentWhateverTheClientSaw(t *testing.T) {
	f := newFixture(t)
	f.join(`{"visitor":"ann"}`)
	for _, id := range []string{"1", "99999", "", "\t", "other instance's"} {
		e := f.follow("ann", map[string]string{"Last-Event-ID": id}).status("waiting")
		require.EqualValues(t, 1, e.data["position"])
		require.Equal(t, "1", e.id)
	}
}

func TestStreamSaysThatItLives(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.web.Heartbeat = 20 * time.Millisecond })
	f.join(`{"visitor":"ann"}`)
	s := f.follow("ann", nil)
	s.until("heartbeat")
	s.until("heartbeat")
}

func TestStreamOutlivesTheServersReadAndWriteTimeouts(t *testing.T) {
	f := newFixture(t, func(s *setup) {
		s.web.Heartbeat = 50 * time.Millisecond
		s.http = func(server *http.Server) {
			server.ReadTimeout, server.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
		}
	})
	f.join(`{"visitor":"ann"}`)
	began := time.Now()
	for s := f.follow("ann", nil); time.Since(began) < time.Second; {
		s.until("heartbeat")
	}
}

func TestShutdownEndsStreamsWithAWord(t *testing.T) {
	f := newFixture(t)
	f.join(`{"visitor":"ann"}`)
	s := f.follow("ann", nil)
	s.status("waiting")
	done := make(chan error, 1)
	go func() { done <- f.server.Config.Shutdown(context.Background()) }()
	require.Equal(t, "shutdown", s.until("end").data["reason"])
	_, more := s.next()
	require.False(t, more)
	require.NoError(t, <-done)
}

func TestStreamOfAClientWhoGoesAwayEnds(t *testing.T) {
	f := newFixture(t)
	f.join(`{"visitor":"ann"}`)
	s := f.follow("ann", nil)
	s.status("waiting")
	s.res.Body.Close()
	watching := func() int {
		w := &f.service.front.watchers
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.streams)
	}
	require.Eventually(t, func() bool { return watching() == 0 }, 10*time.Second, 5*time.Millisecond)
}

// To a client that asked for the header only nothing can be written.
func TestHeadOfAStreamEnds(t *testing.T) {
	f := newFixture(t)
	f.join(`{"visitor":"ann"}`)
	res, err := f.client.Head(f.server.URL + visitors + "/ann/events")
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode)
	require.Empty(t, body)
}
