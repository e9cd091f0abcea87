package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// room is a waiting room with nothing behind it: who leaves makes the first in
// line come in at once.
type room struct {
	mu      sync.Mutex
	seats   int
	line    []string // the first seats of them are inside
	changed chan struct{}
}

func newRoom(t *testing.T, seats int) (*room, string) {
	r := &room{seats: seats, changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/rooms/r/visitors", func(w http.ResponseWriter, req *http.Request) {
		var body struct{ Visitor string }
		_ = json.NewDecoder(req.Body).Decode(&body)
		r.mu.Lock()
		r.line = append(r.line, body.Visitor)
		r.mu.Unlock()
		r.tell(w, body.Visitor)
	})
	mux.HandleFunc("GET /api/v1/rooms/r/visitors/{v}", func(w http.ResponseWriter, req *http.Request) { r.tell(w, req.PathValue("v")) })
	mux.HandleFunc("DELETE /api/v1/rooms/r/visitors/{v}", func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.line = slices.DeleteFunc(r.line, func(v string) bool { return v == req.PathValue("v") })
		close(r.changed)
		r.changed = make(chan struct{})
		fmt.Fprint(w, "{}")
	})
	mux.HandleFunc("GET /api/v1/rooms/r/visitors/{v}/events", func(w http.ResponseWriter, req *http.Request) {
		for {
			r.mu.Lock()
			changed := r.changed
			r.mu.Unlock()
			fmt.Fprint(w, "event: status\ndata: ")
			r.tell(w, req.PathValue("v"))
			w.(http.Flusher).Flush()
			select {
			case <-changed:
			case <-req.Context().Done():
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return r, server.URL
}

func (r *room) tell(w io.Writer, visitor string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := "waiting"
	if i := slices.Index(r.line, visitor); i >= 0 && i < r.seats {
		state = "admitted"
	}
	fmt.Fprintf(w, `{"state":"%s","pollAfter":0.05}`+"\n", state)
}

func TestCrowdIsTold(t *testing.T) {
	for _, stream := range []bool{false, true} {
		_, url := newRoom(t, 3)
		var out bytes.Buffer
		c := Crowd{URL: url, Room: "r", Seats: 3, Waiters: 20, Stream: stream, For: 200 * time.Millisecond, Releases: 10}
		require.NoError(t, c.Run(t.Context(), &out))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Equal(t, Ready, lines[0])
		require.JSONEq(t, `{"line":"waiting","failed":0}`, lines[1])
		require.NotEmpty(t, lines[2:])
		for _, line := range lines[2:] {
			var told Told
			require.NoError(t, json.Unmarshal([]byte(line), &told))
			require.GreaterOrEqual(t, told.Told, told.Released, line)
		}
		if stream {
			require.Len(t, lines[2:], 10)
		}
	}
}

func TestGenerateSendsWhatIsDue(t *testing.T) {
	r, url := newRoom(t, 1000)
	var out bytes.Buffer
	require.NoError(t, Generate(t.Context(), Stage{URL: url, Room: "r", Rate: 200, For: 500 * time.Millisecond, First: 10}, &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Equal(t, Ready, lines[0])
	ops := map[string]int{}
	for _, line := range lines[1:] {
		var op Op
		require.NoError(t, json.Unmarshal([]byte(line), &op))
		require.Equal(t, "200", op.Outcome)
		require.GreaterOrEqual(t, op.Done, op.Sent)
		ops[op.Op]++
	}
	require.Equal(t, map[string]int{"join": 25, "status": 50, "leave": 25}, ops)
	require.Equal(t, "r10", r.line[0])
}
