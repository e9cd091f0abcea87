package live

import (
	"context"
	"math/rand/v2"
	"time"

	"myredis/bench/load"
)

// visit is one visitor's way through the room as the visitor knows it. The
// times without a date are by this process's clock.
type visit struct {
	Visitor string `json:"visitor"`
	Streams bool   `json:"streams,omitempty"`

	JoinSent time.Duration `json:"joinSent"` // the first attempt
	Joined   time.Duration `json:"joined"`   // the answer's arrival; zero if there was none
	Seen     time.Duration `json:"seen"`     // sending of the last request answered with a place or a seat
	Waited   time.Duration `json:"waited"`   // sending of the last request answered with a place

	Told    time.Duration `json:"told,omitempty"` // arrival of the first answer with a seat
	ToldAt  time.Time     `json:"toldAt,omitzero"`
	Expires time.Time     `json:"expires,omitzero"`
	Over    time.Duration `json:"over,omitempty"` // the session is not over before

	Missing time.Duration `json:"missing,omitempty"` // arrival of the first of the latest answers with neither
	Blinks  int           `json:"blinks,omitempty"`  // times that neither was followed by a place or a seat
	Twice   int           `json:"twice,omitempty"`   // answers that take a seat back or give a second one

	LeaveSent time.Duration `json:"leaveSent,omitempty"` // the first attempt
	LeaveAt   time.Time     `json:"leaveAt,omitzero"`
	Ended     string        `json:"ended,omitempty"`
	Retried   bool          `json:"retried,omitempty"` // an attempt at leaving that failed may have succeeded

	Final string `json:"final,omitempty"` // where the visitor stood after the run, if it was looked up
}

// gone reports that the visitor was never told of a seat, and did not leave.
func (v *visit) gone() bool {
	return v.Joined > 0 && v.Told == 0 && (v.LeaveSent == 0 || v.Ended == unknown && !v.Retried)
}

// take draws the conclusions from an answer to a request of this visitor, who
// asks one thing at a time.
func (v *visit) take(r reading) {
	if r.State != unknown {
		if v.Missing > 0 {
			v.Blinks++
		}
		v.Missing, v.Seen = 0, r.sent
	}
	switch r.State {
	case waiting:
		v.Waited = r.sent
		if v.Told > 0 && r.received < v.Over {
			v.Twice++
		}
	case admitted:
		v.seat(r)
	case unknown:
		if v.Missing == 0 {
			v.Missing = r.received
		}
		if v.Told > 0 && r.received < v.Over {
			v.Twice++
		}
	}
}

func (v *visit) seat(r reading) {
	switch {
	case v.Told == 0:
		v.Told, v.ToldAt, v.Expires = r.received, time.Now(), r.Expires
		// Who was still waiting then was let in after it, on a stream as old as
		// it may be.
		v.Over = max(r.sent, v.Waited) + time.Duration(r.ExpiresIn*float64(time.Second))
	case !r.Expires.Equal(v.Expires):
		v.Twice++
	}
}

// manners are how the visitors of a crowd behave.
type manners struct {
	stay    time.Duration // mean time inside
	streams float64       // share of those who follow a stream
	vanish  float64       // share of those who close the browser, in the line or inside
	bored   float64       // share of those who leave the line
	look    time.Duration // the longest time between two looks
}

// patience is how long a visitor of whom nothing is known asks again.
const patience = 3 * time.Second

// crowd is the visitors of one run.
type crowd struct {
	*client
	manners
	fleet *fleet
}

// walk takes a visitor through the room. Waiting ends with open; whatever is
// asked is asked to its end within life, so that every answer is known.
func (c *crowd) walk(open, life context.Context, v *visit, random *rand.Rand) {
	v.Streams = random.Float64() < c.streams
	vanishes, bored := random.Float64() < c.vanish, random.Float64() < c.bored
	if !c.enter(open, life, v, random) {
		return
	}
	limit := open
	if bored || vanishes && random.IntN(2) == 0 {
		var cancel context.CancelFunc
		limit, cancel = context.WithTimeout(open, time.Duration(random.Int64N(int64(10*time.Second))))
		defer cancel()
	}
	c.wait(limit, life, v, random)
	switch {
	case v.Missing > 0:
		return
	case v.Told == 0 && vanishes && open.Err() == nil:
		return
	case v.Told > 0:
		c.remain(life, v, random)
		if vanishes {
			return
		}
	}
	c.depart(life, v, random)
}

// enter joins, and repeats it until there is an answer.
func (c *crowd) enter(open, life context.Context, v *visit, random *rand.Rand) bool {
	for open.Err() == nil {
		r, err := c.join(life, c.fleet.any(random), v.Visitor)
		if v.JoinSent == 0 {
			v.JoinSent = r.sent
		}
		if err == nil {
			v.Joined = r.received
			v.take(r)
			return true
		}
		_ = load.Pause(open, retryAfter(random))
	}
	return false
}

func retryAfter(random *rand.Rand) time.Duration {
	return 50*time.Millisecond + time.Duration(random.Int64N(int64(200*time.Millisecond)))
}

// wait looks until the visitor is inside or lost sight of. Who follows a stream
// also looks, less often: a stopped instance's stream is just quiet.
func (c *crowd) wait(limit, life context.Context, v *visit, random *rand.Rand) {
	limit, cancel := context.WithCancel(limit)
	defer cancel()
	var news chan reading
	if v.Streams && v.Told == 0 {
		news = make(chan reading, 1)
		source := rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
		go c.follow(limit, v.Visitor, source, news)
	}
	next := c.look
	for v.Told == 0 && limit.Err() == nil {
		timer := time.NewTimer(next)
		select {
		case <-limit.Done():
			timer.Stop()
			return
		case r := <-news:
			timer.Stop()
			v.seat(r)
			return
		case <-timer.C:
		}
		r, err := c.status(life, c.fleet.any(random), v.Visitor)
		if err != nil {
			next = retryAfter(random)
			continue
		}
		v.take(r)
		next = min(time.Duration(r.PollAfter*float64(time.Second)), c.look)
		if v.Missing > 0 {
			if r.received-v.Missing > patience {
				return
			}
			next = retryAfter(random)
		}
	}
}

// follow passes on the seat that a stream tells of. It connects again, to
// another instance, as a browser does.
func (c *crowd) follow(ctx context.Context, visitor string, random *rand.Rand, news chan<- reading) {
	for ctx.Err() == nil {
		_ = c.stream(ctx, c.fleet.any(random), visitor, func(r reading) {
			if r.State == admitted {
				select {
				case news <- r:
				default:
				}
			}
		})
		_ = load.Pause(ctx, retryAfter(random))
	}
}

// remain stays inside, between half and one and a half of the mean, and looks
// once whether the seat is still there.
func (c *crowd) remain(life context.Context, v *visit, random *rand.Rand) {
	half := c.stay/4 + time.Duration(random.Int64N(int64(c.stay/2)+1))
	_ = load.Pause(life, half)
	if r, err := c.status(life, c.fleet.any(random), v.Visitor); err == nil {
		v.take(r)
		v.Missing = 0 // from here on that means: the session is over
	}
	_ = load.Pause(life, half)
}

// depart leaves, and repeats it until there is an answer.
func (c *crowd) depart(life context.Context, v *visit, random *rand.Rand) {
	for life.Err() == nil {
		at := time.Now()
		r, err := c.leave(life, c.fleet.any(random), v.Visitor)
		if v.LeaveSent == 0 {
			v.LeaveSent, v.LeaveAt = r.sent, at
		}
		if err == nil {
			v.Ended = r.Ended
			return
		}
		v.Retried = true
		_ = load.Pause(life, retryAfter(random))
	}
}
