package live

import (
	"cmp"
	"slices"
	"time"
)

// findings are what a run comes to.
type findings struct {
	Peak       int `json:"peak"`       // most inside at once, by the store's clock
	PeakTold   int `json:"peakTold"`   // most who had read that they are in, by this process's clock
	Joined     int `json:"joined"`     // visitors whose join was answered
	Admitted   int `json:"admitted"`   // sessions
	Unlogged   int `json:"unlogged"`   // of these, known from what visitors read only
	Lost       int `json:"lost"`       // neither waiting nor ever admitted nor left
	Untraced   int `json:"untraced"`   // may have had a session that nobody was left to tell of
	Twice      int `json:"twice"`      // visitors with two seats for one place, or a seat taken back
	Inversions int `json:"inversions"` // admitted before somebody who was in the line when they came
	Blinks     int `json:"blinks"`     // visitors of whom nothing was known for a moment
}

// session is a visitor's time inside by the store's clock.
type session struct {
	visitor    string
	ticket     int64
	begin, end time.Time
	known      time.Duration // by when, on this process's clock, it had begun
}

// replay judges a run by what was logged and read in it.
func replay(visits []*visit, events []event, ttl time.Duration) (f findings) {
	sessions, unlogged := sessions(visits, events)
	f.Admitted, f.Unlogged = len(sessions), unlogged
	f.Peak = peak(sessions, func(s session) (from, to int64) { return s.begin.UnixMicro(), s.end.UnixMicro() })
	f.PeakTold = peak(visits, func(v *visit) (from, to int64) {
		end := v.Over
		if v.LeaveSent > 0 {
			end = min(end, v.LeaveSent)
		}
		return int64(v.Told), int64(end)
	})
	of := map[string][]session{}
	for _, s := range sessions {
		of[s.visitor] = append(of[s.visitor], s)
	}
	for _, v := range visits {
		if v.Joined > 0 {
			f.Joined++
		}
		if v.Blinks > 0 {
			f.Blinks++
		}
		if v.Twice > 0 || twice(of[v.Visitor]) {
			f.Twice++
		}
		switch {
		case !v.gone() || len(of[v.Visitor]) > 0 || v.Final == waiting || v.Final == admitted:
		case v.Missing == 0 && v.Ended == "" && v.Final == "": // nobody could ask any more
			f.Untraced++
		case v.lastSought()-v.Seen >= ttl:
			f.Untraced++
		default:
			f.Lost++
		}
	}
	f.Inversions = inversions(visits, of)
	return f
}

// lastSought is the earliest time by which the visitor was known to be gone.
func (v *visit) lastSought() time.Duration {
	switch {
	case v.Missing > 0:
		return v.Missing
	case v.LeaveSent > 0:
		return v.LeaveSent
	}
	return 1<<63 - 1
}

// sessions are those logged and those that visitors read of. A session ends
// with the first release logged in it, or, where an instance was killed before
// it could log that, when the visitor began to leave.
func sessions(visits []*visit, events []event) (all []session, unlogged int) {
	type key struct {
		visitor string
		expires int64
	}
	visitOf := map[string]*visit{}
	for _, v := range visits {
		visitOf[v.Visitor] = v
	}
	released := map[string][]time.Time{}
	logged := map[key]bool{}
	for _, e := range events {
		switch e.Message {
		case "released":
			released[e.Visitor] = append(released[e.Visitor], e.At)
		case "admitted":
			logged[key{e.Visitor, e.Expires.UnixMilli()}] = true
			all = append(all, session{visitor: e.Visitor, ticket: e.Ticket, begin: e.At, end: e.Expires, known: e.Received})
		}
	}
	for _, v := range visits {
		if v.Told > 0 && !logged[key{v.Visitor, v.Expires.UnixMilli()}] {
			all = append(all, session{visitor: v.Visitor, begin: v.ToldAt, end: v.Expires, known: v.Told})
			unlogged++
		}
	}
	for i := range all {
		s := &all[i]
		for _, at := range released[s.visitor] {
			if !at.Before(s.begin) && at.Before(s.end) {
				s.end = at
			}
		}
		v := visitOf[s.visitor]
		if v == nil || v.Told == 0 || v.Expires.UnixMilli() != s.end.UnixMilli() {
			continue
		}
		if s.known = min(s.known, v.Told); v.LeaveSent > 0 && v.LeaveAt.Before(s.end) {
			s.end = v.LeaveAt
		}
	}
	return all, unlogged
}

// twice reports whether one place has led to two sessions, or a second one has
// begun in the first.
func twice(of []session) bool {
	slices.SortFunc(of, func(a, b session) int { return a.begin.Compare(b.begin) })
	for i := 1; i < len(of); i++ {
		if of[i].ticket != 0 && of[i].ticket == of[i-1].ticket || of[i].begin.Before(of[i-1].end) {
			return true
		}
	}
	return false
}

// peak sweeps over stays and returns how many there were at the worst instant.
// Of two things at one instant the departure counts first, so that the figure
// is never too high.
func peak[T any](stays []T, span func(T) (from, to int64)) (most int) {
	type step struct {
		at    int64
		delta int
	}
	var steps []step
	for _, s := range stays {
		if from, to := span(s); from < to && from != 0 {
			steps = append(steps, step{from, 1}, step{to, -1})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta)) })
	inside := 0
	for _, s := range steps {
		inside += s.delta
		most = max(most, inside)
	}
	return most
}

// inversions counts visitors who were known to be inside when another one, who
// had joined before they came, asked and was told to wait.
func inversions(visits []*visit, of map[string][]session) (n int) {
	earlier := slices.Clone(visits)
	earlier = slices.DeleteFunc(earlier, func(v *visit) bool { return v.Joined == 0 })
	slices.SortFunc(earlier, func(a, b *visit) int { return cmp.Compare(a.Joined, b.Joined) })
	waited := make([]time.Duration, len(earlier)+1) // the latest of the first so many
	for i, v := range earlier {
		waited[i+1] = max(waited[i], v.Waited)
	}
	for _, v := range earlier {
		if len(of[v.Visitor]) == 0 {
			continue
		}
		inside := of[v.Visitor][0].known
		if v.Told > 0 {
			inside = min(inside, v.Told)
		}
		before, _ := slices.BinarySearchFunc(earlier, v.JoinSent, func(a *visit, at time.Duration) int { return cmp.Compare(a.Joined, at) })
		if waited[before] > inside {
			n++
		}
	}
	return n
}
