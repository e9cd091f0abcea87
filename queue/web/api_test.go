package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

func TestVisitorJoinsWaitsGetsInAndLeaves(t *testing.T) {
	f := newFixture(t)
	for i, v := range []string{"ann", "bob", "cem"} {
		a := f.join(`{"visitor":"` + v + `"}`)
		require.Equal(t, 200, a.status, a.text)
		require.Equal(t, "waiting", a.json["state"])
		require.EqualValues(t, i+1, a.json["position"])
		require.EqualValues(t, i, a.json["ahead"])
		require.Equal(t, visitors+"/"+v, a.header.Get("Location"))
	}
	state := f.do("GET", "/api/v1/rooms/demo").json
	require.EqualValues(t, 3, state["waiting"])
	require.EqualValues(t, 0, state["active"])
	require.EqualValues(t, 2, state["slot"])
	require.EqualValues(t, 0.2, state["period"])
	require.EqualValues(t, 300, state["ttl"])
	require.Equal(t, "optimistic", state["strategy"])

	f.admit()
	f.admit()
	a := f.do("GET", visitors+"/ann")
	require.Equal(t, "admitted", a.json["state"])
	require.InDelta(t, 300, a.json["expiresIn"], 5)
	expires, err := time.Parse(time.RFC3339Nano, a.json["expires"].(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(5*time.Minute), expires, 5*time.Second)
	require.Equal(t, "admitted", f.do("GET", visitors+"/bob").json["state"])
	require.EqualValues(t, 1, f.do("GET", visitors+"/cem").json["position"], "two seats, two inside")
	require.Equal(t, "admitted", f.join(`{"visitor":"ann"}`).json["state"], "joining again from inside changes nothing")

	require.Equal(t, "admitted", f.do("DELETE", visitors+"/ann").json["ended"])
	require.Equal(t, "unknown", f.do("DELETE", visitors+"/ann").json["ended"], "leaving twice is harmless")
	f.do("GET", visitors+"/ann").problem(t, unknownVisitor)
	f.admit()
	require.Equal(t, "admitted", f.do("GET", visitors+"/cem").json["state"])

	state = f.do("GET", "/api/v1/rooms/demo").json
	require.EqualValues(t, 0, state["waiting"])
	require.EqualValues(t, 2, state["active"])
	require.EqualValues(t, 3, state["instance"].(map[string]any)["admitted"])
	require.EqualValues(t, 1, state["instance"].(map[string]any)["released"])

	f.join(`{"visitor":"dan"}`)
	require.Equal(t, "waiting", f.do("DELETE", visitors+"/dan").json["ended"])
}

func TestJoinIssuesAVisitorThatCannotBeGuessed(t *testing.T) {
	f := newFixture(t)
	seen := map[string]bool{}
	for _, body := range []string{"", "{}", `{"visitor":null}`, " {} \n"} {
		v := f.join(body).json["visitor"].(string)
		require.GreaterOrEqual(t, len(v), 26, "26 characters of base 32 are 130 bits")
		require.False(t, seen[v])
		seen[v] = true
	}
	require.EqualValues(t, 4, f.do("GET", "/api/v1/rooms/demo").json["waiting"])
}

func TestJoiningAgainKeepsThePlace(t *testing.T) {
	f := newFixture(t)
	f.join(`{"visitor":"ann"}`)
	f.join(`{"visitor":"bob"}`)
	require.EqualValues(t, 1, f.join(`{"visitor":"ann"}`).json["position"])
	require.EqualValues(t, 2, f.do("GET", "/api/v1/rooms/demo").json["waiting"])
}

func TestIdempotencyKey(t *testing.T) {
	f := newFixture(t)
	with := func(key, body string) answer {
		return f.send(f.client, request{method: "POST", path: visitors, body: body, header: map[string]string{"Idempotency-Key": key}})
	}
	first := with("8e03978e-40d5-43dd-bc93-6894a57f9324", "")
	again := with("8e03978e-40d5-43dd-bc93-6894a57f9324", "{}")
	require.Equal(t, first.json, again.json, "the same key, the same answer")
	quoted := with(`"8e03978e-40d5-43dd-bc93-6894a57f9324"`, "")
	require.Equal(t, first.json["visitor"], quoted.json["visitor"])
	require.EqualValues(t, 1, f.do("GET", "/api/v1/rooms/demo").json["waiting"])

	with("8e03978e-40d5-43dd-bc93-6894a57f9324", `{"visitor":"ann"}`).problem(t, idempotencyKeyReused)
	require.Equal(t, "ann", with("k2", `{"visitor":"ann"}`).json["visitor"])
	require.Equal(t, "ann", with("k2", `{"visitor":"ann"}`).json["visitor"])
	with("k2", `{"visitor":"bob"}`).problem(t, idempotencyKeyReused)
	with("k2", "").problem(t, idempotencyKeyReused)
	require.EqualValues(t, 2, f.do("GET", "/api/v1/rooms/demo").json["waiting"], "refused requests join nobody")

	for _, key := range []string{"", `""`, "a b", "키", strings.Repeat("x", 256)} {
		with(key, "").problem(t, invalidIdempotencyKey)
	}
}

func TestSimultaneousRequestsWithOneKeyAreOneVisitor(t *testing.T) {
	f := newFixture(t)
	var mu sync.Mutex
	seen := map[any]int{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			a := f.send(f.client, request{method: "POST", path: visitors, header: map[string]string{"Idempotency-Key": "one"}})
			mu.Lock()
			defer mu.Unlock()
			seen[a.json["visitor"]]++
		})
	}
	wg.Wait()
	require.Len(t, seen, 1)
	require.EqualValues(t, 1, f.do("GET", "/api/v1/rooms/demo").json["waiting"])
}

func TestErrors(t *testing.T) {
	f := newFixture(t)
	long := strings.Repeat("v", 129)
	for _, c := range []struct {
		request
		want *kind
	}{
		{request{method: "POST", path: visitors, body: "{"}, malformedBody},
		{request{method: "POST", path: visitors, body: "null"}, malformedBody},
		{request{method: "POST", path: visitors, body: "[]"}, malformedBody},
		{request{method: "POST", path: visitors, body: `"ann"`}, malformedBody},
		{request{method: "POST", path: visitors, body: `{"visitor":7}`}, malformedBody},
		{request{method: "POST", path: visitors, body: `{"vistor":"ann"}`}, malformedBody},
		{request{method: "POST", path: visitors, body: `{"visitor":"ann"} {}`}, malformedBody},
		{request{method: "POST", path: visitors, body: `{"visitor":"ann"}]`}, malformedBody},
		{request{method: "POST", path: visitors, body: `{"visitor":""}`}, invalidVisitor},
		{request{method: "POST", path: visitors, body: `{"visitor":"a b"}`}, invalidVisitor},
		{request{method: "POST", path: visitors, body: `{"visitor":"앤"}`}, invalidVisitor},
		{request{method: "POST", path: visitors, body: `{"visitor":"` + long + `"}`}, invalidVisitor},
		{request{method: "POST", path: visitors, body: strings.Repeat(" ", maxBody+1)}, bodyTooLarge},
		{request{method: "POST", path: visitors, body: "visitor=ann", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, unsupportedMediaType},
		{request{method: "POST", path: visitors, body: "{}", header: map[string]string{"Content-Type": "text/plain"}}, unsupportedMediaType},
		{request{method: "POST", path: visitors, body: "{}", header: map[string]string{"Content-Type": ""}}, unsupportedMediaType},
		{request{method: "POST", path: visitors, header: map[string]string{"Sec-Fetch-Site": "cross-site"}}, crossOrigin},
		{request{method: "POST", path: visitors, header: map[string]string{"Origin": "https://elsewhere.example"}}, crossOrigin},
		{request{method: "DELETE", path: visitors + "/ann", header: map[string]string{"Origin": "null"}}, crossOrigin},
		{request{method: "POST", path: "/api/v1/rooms/none/visitors"}, unknownRoom},
		{request{method: "GET", path: "/api/v1/rooms/none"}, unknownRoom},
		{request{method: "GET", path: "/api/v1/rooms/none/visitors/ann"}, unknownRoom},
		{request{method: "GET", path: "/api/v1/rooms/none/visitors/ann/events"}, unknownRoom},
		{request{method: "DELETE", path: "/api/v1/rooms/none/visitors/ann"}, unknownRoom},
		{request{method: "GET", path: visitors + "/nobody"}, unknownVisitor},
		{request{method: "GET", path: visitors + "/nobody/events"}, unknownVisitor},
		{request{method: "GET", path: visitors + "/a%20b"}, invalidVisitor},
		{request{method: "GET", path: visitors + "/a%2Fb"}, invalidVisitor},
		{request{method: "GET", path: visitors + "/a%0D%0Ab/events"}, invalidVisitor},
		{request{method: "DELETE", path: visitors + "/" + long}, invalidVisitor},
		{request{method: "GET", path: visitors}, methodNotAllowed},
		{request{method: "PATCH", path: visitors + "/ann"}, methodNotAllowed},
		{request{method: "PUT", path: "/healthz"}, methodNotAllowed},
		{request{method: "POST", path: "/"}, methodNotAllowed},
		{request{method: "GET", path: "/join"}, methodNotAllowed},
		{request{method: "GET", path: "/nothing"}, notFound},
		{request{method: "GET", path: "/api/v1/rooms"}, notFound},
		{request{method: "GET", path: "/api/v2/rooms/demo"}, notFound},
		{request{method: "GET", path: "/problems/none"}, notFound},
		{request{method: "POST", path: "/join", body: "{}"}, unsupportedMediaType},
		{request{method: "POST", path: "/join", body: "a=%zz", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, malformedBody},
		{request{method: "POST", path: "/leave", body: "a=" + strings.Repeat("b", maxBody), header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, bodyTooLarge},
		{request{method: "POST", path: "/leave", header: map[string]string{"Sec-Fetch-Site": "cross-site"}}, crossOrigin},
	} {
		name := fmt.Sprintf("%s %.60s %.30q", c.method, c.path, c.body)
		t.Run(name, func(t *testing.T) {
			a := f.send(f.client, c.request)
			a.problem(t, c.want)
			require.Equal(t, strings.Split(c.path, "?")[0], a.json["instance"])
			if c.want == methodNotAllowed {
				require.NotContains(t, a.header.Get("Allow"), c.method)
			}
		})
	}
	require.EqualValues(t, 0, f.do("GET", "/api/v1/rooms/demo").json["waiting"], "refused requests join nobody")
	require.Equal(t, "GET, HEAD", f.do("POST", "/healthz").header.Get("Allow"))
	require.Equal(t, "DELETE, GET, HEAD", f.do("POST", visitors+"/ann").header.Get("Allow"))
}

func TestEveryProblemTypeCanBeRead(t *testing.T) {
	f := newFixture(t)
	for _, k := range kinds {
		a := f.do("GET", "/problems/"+k.name)
		require.Equal(t, 200, a.status)
		require.Contains(t, a.text, k.explanation)
	}
}

// A path that is not clean leads to the clean one, as net/http does it.
func TestUncleanPathIsRedirected(t *testing.T) {
	f := newFixture(t)
	res, err := f.client.Get(f.server.URL + "/api//v1/rooms/demo")
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, 3, res.StatusCode/100)
	require.Equal(t, "/api/v1/rooms/demo", res.Header.Get("Location"))
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{"/", "/healthz", "/nothing", visitors + "/nobody"} {
		h := f.do("GET", path).header
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "same-origin", h.Get("Cross-Origin-Resource-Policy"), path)
		require.Equal(t, "no-store", h.Get("Cache-Control"), path)
		require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.Contains(t, h.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
	}
}

func TestSlowBodyIsGivenUp(t *testing.T) {
	f := newFixture(t, func(s *setup) {
		s.http = func(server *http.Server) { server.ReadTimeout = 200 * time.Millisecond }
	})
	c, err := net.Dial("tcp", f.server.Listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{", visitors)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
	line := make([]byte, 12)
	_, err = c.Read(line)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 408", string(line))
}

// panicking is a room with a mistake in it.
type panicking struct{ *queue.Room }

func (panicking) State(context.Context) (queue.State, error) { panic("a mistake") }

func TestPanicBecomesAProblem(t *testing.T) {
	f := newFixture(t)
	s := New(Config{Rooms: []Room{panicking{f.room}}, Store: f.service.cfg.Store})
	defer s.Close()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/rooms/demo", nil))
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), "/problems/internal")
}

func TestPollAfter(t *testing.T) {
	waiting := func(ahead int64) time.Duration {
		return pollAfter(queue.Status{State: queue.StateWaiting, Visitor: "ann", Position: ahead + 1, Ahead: ahead}, 100)
	}
	near := func(want, got time.Duration) { t.Helper(); require.InEpsilon(t, want, got, 0.1001) }
	near(time.Second, waiting(0))
	near(time.Second, waiting(99))
	near(2*time.Second, waiting(100))
	near(11*time.Second, waiting(1000))
	near(15*time.Second, waiting(1_000_000))
	inside := func(left time.Duration) time.Duration {
		return pollAfter(queue.Status{State: queue.StateAdmitted, Visitor: "ann", TTL: left}, 100)
	}
	require.Equal(t, 30*time.Second, inside(5*time.Minute))
	require.Equal(t, 1050*time.Millisecond, inside(time.Second))
	require.Positive(t, inside(-time.Second))
}

func TestPollAfterSpreadsVisitors(t *testing.T) {
	spread := map[time.Duration]bool{}
	for i := range 100 {
		spread[pollAfter(queue.Status{State: queue.StateWaiting, Visitor: "v" + strconv.Itoa(i)}, 100)] = true
	}
	require.Greater(t, len(spread), 50)
}

func TestReadiness(t *testing.T) {
	f := newFixture(t)
	require.Equal(t, 200, f.do("GET", "/healthz").status)
	require.Equal(t, 200, f.do("GET", "/readyz").status)
	f.service.Close()
	f.do("GET", "/readyz").problem(t, shuttingDown)
	f.join(`{"visitor":"ann"}`)
	f.do("GET", visitors+"/ann/events").problem(t, shuttingDown)
	require.Equal(t, 200, f.do("GET", "/healthz").status, "still alive")
	require.Equal(t, "waiting", f.do("GET", visitors+"/ann").json["state"], "who is connected already is still answered")
}
