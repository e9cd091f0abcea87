package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const second = time.Second

// on is an event of a visitor, seconds after noon.
func on(message, visitor string, ticket int64, at, expires float64) event {
	after := func(s float64) time.Time { return noon.Add(time.Duration(s * float64(second))) }
	return event{Message: message, Visitor: visitor, Ticket: ticket, At: after(at), Expires: after(expires), Received: time.Duration(at * float64(second))}
}

func TestReplayCountsTheCrowdInside(t *testing.T) {
	events := []event{
		on("admitted", "a", 1, 1, 9), on("released", "a", 1, 3, 9),
		on("admitted", "b", 2, 3, 9), // in the instant in which a left
		on("admitted", "c", 3, 4, 9),
	}
	require.Equal(t, 2, replay(nil, events, 8*second).Peak)
	unlogged := &visit{Visitor: "d", Joined: second, Told: 5 * second, ToldAt: noon.Add(5 * second), Expires: noon.Add(13 * second), Over: 13 * second}
	f := replay([]*visit{unlogged}, events, 8*second)
	require.Equal(t, 3, f.Peak, "a killed instance has not logged d")
	require.Equal(t, 1, f.Unlogged)
	require.Equal(t, 1, f.PeakTold)
}

func TestReplayFindsTheLost(t *testing.T) {
	gone := func(v visit) *visit {
		v.Visitor, v.Joined, v.Seen = "v", second, second
		return &v
	}
	for name, c := range map[string]struct {
		visit  *visit
		events []event
		lost   int
		trace  int // untraced
	}{
		"unknown soon after":        {visit: gone(visit{Missing: 2 * second}), lost: 1},
		"and waiting in the end":    {visit: gone(visit{Missing: 2 * second, Final: waiting})},
		"and admitted by the log":   {visit: gone(visit{Missing: 2 * second}), events: []event{on("admitted", "v", 1, 2, 10)}},
		"away for a whole session":  {visit: gone(visit{Missing: 30 * second}), trace: 1},
		"leaves and was not there":  {visit: gone(visit{LeaveSent: 2 * second, Ended: unknown}), lost: 1},
		"leaves at the second try":  {visit: gone(visit{LeaveSent: 2 * second, Ended: unknown, Retried: true})},
		"leaves the line":           {visit: gone(visit{LeaveSent: 2 * second, Ended: waiting})},
		"goes, and waits in theory": {visit: gone(visit{Final: waiting})},
	} {
		f := replay([]*visit{c.visit}, c.events, 8*second)
		require.Equal(t, c.lost, f.Lost, name)
		require.Equal(t, c.trace, f.Untraced, name)
	}
}

func TestReplayFindsWhoIsAdmittedTwice(t *testing.T) {
	place := []*visit{{Visitor: "v", Joined: second}}
	twice := func(events ...event) int { return replay(place, events, 8*second).Twice }
	require.Zero(t, twice(on("admitted", "v", 1, 1, 9)))
	require.Equal(t, 1, twice(on("admitted", "v", 1, 1, 9), on("admitted", "v", 1, 12, 20)), "one ticket")
	require.Equal(t, 1, twice(on("admitted", "v", 1, 1, 9), on("admitted", "v", 2, 5, 13)), "two seats at once")
	require.Zero(t, twice(on("admitted", "v", 1, 1, 9), on("released", "v", 1, 4, 9), on("admitted", "v", 2, 5, 13)))

	v := &visit{Visitor: "v", Joined: second}
	v.take(reading{State: admitted, ExpiresIn: 8, Expires: noon, sent: 2 * second, received: 3 * second})
	v.take(reading{State: unknown, sent: 11 * second, received: 12 * second})
	require.Zero(t, v.Twice, "the session is over")
	v.take(reading{State: waiting, sent: 4 * second, received: 5 * second})
	require.Equal(t, 1, v.Twice, "the seat was taken back")
}

func TestReplayFindsInversions(t *testing.T) {
	a := &visit{Visitor: "a", JoinSent: second, Joined: 2 * second, Waited: 6 * second}
	b := &visit{Visitor: "b", JoinSent: 3 * second, Joined: 4 * second}
	inversions := func(told float64) int {
		return replay([]*visit{b, a}, []event{on("admitted", "b", 2, told, told+8)}, 8*second).Inversions
	}
	require.Equal(t, 1, inversions(5), "a asked after b was known to be inside")
	require.Zero(t, inversions(7))
	b.JoinSent = 1500 * time.Millisecond
	require.Zero(t, inversions(5), "a's join had not returned")
}
