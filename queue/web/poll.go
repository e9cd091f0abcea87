package web

import (
	"hash/fnv"
	"time"

	"myredis/queue"
)

const (
	soonestPoll = time.Second
	latestPoll  = 15 * time.Second
	insidePoll  = 30 * time.Second
)

// pollAfter is when a visitor should ask again. One who may get in with the
// next seats asks every second; further back it is a second more for every
// slot's worth of people ahead, to 15 seconds: news travels fast where it can
// happen, and a long line costs the store little. Who is inside asks at the end
// of the session, at the latest every 30 seconds.
//
// A tenth more or less, fixed for each visitor, keeps those who joined together
// from asking together.
func pollAfter(s queue.Status, slot int) time.Duration {
	if s.State == queue.StateAdmitted {
		return min(max(s.TTL+50*time.Millisecond, 50*time.Millisecond), insidePoll)
	}
	after := min(soonestPoll+time.Duration(s.Ahead/int64(slot))*time.Second, latestPoll)
	h := fnv.New32a()
	h.Write([]byte(s.Visitor))
	return after*9/10 + after/5*time.Duration(h.Sum32()%1000)/1000
}
