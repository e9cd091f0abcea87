package web

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// persistent makes Redis keep what it has acknowledged through a SIGKILL.
func persistent(s *setup) { s.redis = []string{"--appendonly", "yes", "--appendfsync", "always"} }

func TestStoreDownIsAClearAnswerAndNobodyIsLost(t *testing.T) {
	f := newFixture(t, persistent)
	f.run()
	for _, v := range []string{"ann", "bob"} {
		f.join(`{"visitor":"` + v + `"}`)
	}
	inside := func(v string) func() bool {
		return func() bool { return f.do("GET", visitors+"/"+v).json["state"] == "admitted" }
	}
	require.Eventually(t, inside("ann"), 10*time.Second, 10*time.Millisecond)
	require.Eventually(t, inside("bob"), 10*time.Second, 10*time.Millisecond)
	f.join(`{"visitor":"cem"}`)
	s := f.follow("cem", nil)
	s.status("waiting")

	f.redis.Kill()
	a := f.join("")
	a.problem(t, storeUnavailable)
	issued := a.json["visitor"].(string)
	require.NotEmpty(t, issued, "whoever was issued a name can repeat with it")
	f.join(`{"visitor":"dan"}`).problem(t, storeUnavailable)
	f.send(f.client, request{method: "POST", path: visitors, header: map[string]string{"Idempotency-Key": "k"}}).problem(t, storeUnavailable)
	f.do("GET", visitors+"/cem").problem(t, storeUnavailable)
	f.do("GET", visitors+"/cem/events").problem(t, storeUnavailable)
	f.do("DELETE", visitors+"/cem").problem(t, storeUnavailable)
	f.do("GET", "/api/v1/rooms/demo").problem(t, storeUnavailable)
	f.do("GET", "/readyz").problem(t, storeUnavailable)
	require.Equal(t, 200, f.do("GET", "/healthz").status, "a restart of the service would not mend the store")
	page := f.do("GET", "/")
	require.Equal(t, 503, page.status)
	require.Contains(t, page.text, `data-state="trouble"`)
	require.Equal(t, "store-unavailable", s.until("trouble").data["reason"])

	f.redis.Restart()
	require.Eventually(t, func() bool { return f.do("GET", "/readyz").status == 200 }, 20*time.Second, 20*time.Millisecond)
	require.Equal(t, "admitted", f.do("GET", visitors+"/ann").json["state"])
	require.Equal(t, "admitted", f.do("GET", visitors+"/bob").json["state"])
	require.EqualValues(t, 1, f.do("GET", visitors+"/cem").json["position"])
	require.EqualValues(t, 1, s.status("waiting").data["position"], "the stream lives on, and says that the trouble is over")
	require.EqualValues(t, 2, f.join(`{"visitor":"` + issued + `"}`).json["position"])
	require.Equal(t, "admitted", f.do("DELETE", visitors+"/ann").json["ended"])
	require.Equal(t, "admitted", s.status("admitted").data["state"])
}

// A store that accepts connections and says nothing is worse than none.
func TestStoreThatStallsIsAnsweredInTime(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.web.RequestTimeout = 300 * time.Millisecond })
	f.join(`{"visitor":"ann"}`)
	require.NoError(t, f.redis.Signal(syscall.SIGSTOP))
	began := time.Now()
	f.do("GET", visitors+"/ann").problem(t, storeUnavailable)
	f.do("GET", "/readyz").problem(t, storeUnavailable)
	require.Less(t, time.Since(began), 5*time.Second)
	require.NoError(t, f.redis.Signal(syscall.SIGCONT))
	require.Eventually(t, func() bool { return f.do("GET", visitors+"/ann").status == 200 }, 10*time.Second, 10*time.Millisecond)
}
