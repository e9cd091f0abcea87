package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"myredis/internal/redistest"
	"myredis/queue"
)

func TestMain(m *testing.M) {
	redis.SetLogger(silent{})
	goleak.VerifyTestMain(m)
}

// silent keeps go-redis from writing a line for each refused connection.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// fixture is a service on a real room on a real Redis. The room admits when a
// test says so, unless the test runs it.
type fixture struct {
	t       *testing.T
	redis   *redistest.Server
	room    *queue.Room
	service *Service
	server  *httptest.Server
	client  *http.Client
}

type setup struct {
	room  queue.Config
	web   Config
	http  func(*http.Server)
	redis []string
}

func newFixture(t *testing.T, changes ...func(*setup)) *fixture {
	t.Helper()
	set := setup{room: queue.Defaults()}
	set.room.Room, set.room.Instance, set.room.Slot = "demo", "one", 2
	set.room.Strategy = "optimistic" // in which nobody gets in before a test says so
	set.room.CommandTimeout = 500 * time.Millisecond
	set.web.RequestTimeout = 2 * time.Second
	for _, change := range changes {
		change(&set)
	}
	f := &fixture{t: t, redis: redistest.Start(t, set.redis...)}
	client := redis.NewClient(&redis.Options{Addr: f.redis.Addr, ContextTimeoutEnabled: true, DialerRetries: 1})
	t.Cleanup(func() { client.Close() })
	backend := queue.NewRedis(client, set.room.Room)
	room, err := queue.Open(t.Context(), backend, set.room)
	require.NoError(t, err)
	set.web.Rooms, set.web.Store = []Room{room}, backend
	f.room, f.service = room, New(set.web)
	f.server = httptest.NewUnstartedServer(f.service)
	f.server.Config = f.service.Server()
	if set.http != nil {
		set.http(f.server.Config)
	}
	f.server.Start()
	t.Cleanup(func() {
		f.service.Close()
		f.server.Close()
	})
	f.client = f.browser()
	return f
}

// browser is a client with cookies that does not follow redirects.
func (f *fixture) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	require.NoError(f.t, err)
	transport := &http.Transport{}
	f.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport, Timeout: 20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// admit does one cycle.
func (f *fixture) admit() {
	f.t.Helper()
	_, err := f.room.Admit(f.t.Context())
	require.NoError(f.t, err)
}

// run lets the room admit by itself until the test ends.
func (f *fixture) run() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.room.Run(ctx)
	}()
	f.t.Cleanup(func() {
		stop()
		<-done
	})
}

// answer is what the service said.
type answer struct {
	status int
	header http.Header
	text   string
	json   map[string]any
}

// request is what a test asks.
type request struct {
	method, path, body string
	header             map[string]string
}

const visitors = "/api/v1/rooms/demo/visitors"

// do sends a request and holds the answer against the document.
func (f *fixture) do(method, path string) answer {
	f.t.Helper()
	return f.send(f.client, request{method: method, path: path})
}

func (f *fixture) join(body string) answer {
	f.t.Helper()
	return f.send(f.client, request{method: "POST", path: visitors, body: body})
}

func (f *fixture) send(client *http.Client, r request) answer {
	f.t.Helper()
	req, err := http.NewRequest(r.method, f.server.URL+r.path, strings.NewReader(r.body))
	require.NoError(f.t, err)
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	require.NoError(f.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(f.t, err)
	openapi().check(f.t, req, res, body)
	a := answer{status: res.StatusCode, header: res.Header, text: string(body)}
	if strings.HasSuffix(strings.Split(res.Header.Get("Content-Type"), ";")[0], "json") && len(body) > 0 {
		require.NoError(f.t, json.Unmarshal(body, &a.json))
	}
	return a
}

// problem checks that an answer is a problem of a kind.
func (a answer) problem(t *testing.T, k *kind) {
	t.Helper()
	require.Equal(t, k.status, a.status, a.text)
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	require.Equal(t, "/problems/"+k.name, a.json["type"])
	require.Equal(t, k.title, a.json["title"])
	require.EqualValues(t, k.status, a.json["status"])
}
