package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Crowd is visitors who wait in a room's line while the seats turn over.
type Crowd struct {
	URL      string
	Room     string
	Seats    int
	Waiters  int
	Stream   bool          // they hold an event stream open; else they ask as often as they are told to
	Settle   time.Duration // between the last one's arrival and the first release
	For      time.Duration // of the releases
	Releases int
}

// Told is a release of a seat and the time at which the next in line knew.
// They are matched in order: the first to know after the first release.
type Told struct {
	Line     string  `json:"line"`     // "told"
	Released float64 `json:"released"` // milliseconds since the first release
	Told     float64 `json:"told"`
}

// Waiting is the line that says that everybody stands and waits.
type Waiting struct {
	Line   string `json:"line"` // "waiting"
	Failed int    `json:"failed"`
}

// crowd is a Crowd at work.
type crowd struct {
	Crowd
	client *http.Client
	open   sync.WaitGroup
	failed atomic.Int64

	mu    sync.Mutex
	in    []string // who is inside, in the order in which they knew
	known []time.Time
}

// Run lets the crowd wait and writes what it saw.
func (c Crowd) Run(ctx context.Context, w io.Writer) error {
	r := &crowd{Crowd: c, client: &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{MaxConnsPerHost: 128, MaxIdleConnsPerHost: 128}}}
	fmt.Fprintln(w, Ready)
	if err := r.assemble(ctx); err != nil {
		return err
	}
	waiting, stop := context.WithCancel(ctx)
	defer func() { stop(); r.open.Wait() }()
	if c.Stream {
		r.stream(waiting)
	} else {
		r.poll(waiting)
	}
	enc := json.NewEncoder(w)
	if err := enc.Encode(Waiting{"waiting", int(r.failed.Load())}); err != nil {
		return err
	}
	if err := Pause(ctx, c.Settle); err != nil {
		return err
	}
	released, err := r.release(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, at := range released {
		told := Told{Line: "told", Released: millis(at.Sub(released[0])), Told: -1}
		if i < len(r.known) {
			told.Told = millis(r.known[i].Sub(released[0]))
		}
		if err := enc.Encode(told); err != nil {
			return err
		}
	}
	return nil
}

func visitor(i int) string { return "w" + strconv.Itoa(i) }

// assemble fills the seats and then the line.
func (c *crowd) assemble(ctx context.Context) error {
	for i := range c.Seats {
		if _, err := c.join(ctx, visitor(i)); err != nil {
			return err
		}
		c.in = append(c.in, visitor(i))
	}
	for i := range c.Seats {
		for {
			s, err := c.status(ctx, visitor(i))
			if err != nil {
				return err
			}
			if s.State == "admitted" {
				break
			}
			if err := Pause(ctx, 10*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return c.each(func(i int) error {
		_, err := c.join(ctx, visitor(c.Seats+i))
		return err
	})
}

// each does something for every waiter, many at a time.
func (c *crowd) each(do func(i int) error) error {
	var wg sync.WaitGroup
	var next atomic.Int64
	errs := make([]error, 64)
	for worker := range errs {
		wg.Go(func() {
			for errs[worker] == nil {
				i := int(next.Add(1)) - 1
				if i >= c.Waiters {
					return
				}
				errs[worker] = do(i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

type status struct {
	State     string  `json:"state"`
	PollAfter float64 `json:"pollAfter"`
}

func (c *crowd) visitors() string {
	return c.URL + "/api/v1/rooms/" + url.PathEscape(c.Room) + "/visitors"
}

func (c *crowd) join(ctx context.Context, v string) (status, error) {
	return c.ask(ctx, http.MethodPost, c.visitors(), `{"visitor":"`+v+`"}`)
}

func (c *crowd) status(ctx context.Context, v string) (status, error) {
	return c.ask(ctx, http.MethodGet, c.visitors()+"/"+v, "")
}

func (c *crowd) ask(ctx context.Context, method, target, body string) (s status, err error) {
	req, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		return s, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.client.Do(req)
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotFound: // in an instance's hand
		return status{State: "unknown", PollAfter: 0.2}, nil
	case res.StatusCode >= 300:
		return s, fmt.Errorf("%s %s: %s", method, target, res.Status)
	}
	return s, json.NewDecoder(res.Body).Decode(&s)
}

// knows notes that a waiter has learned to be in.
func (c *crowd) knows(v string) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in = append(c.in, v)
	c.known = append(c.known, now)
}

// release lets those inside go, one by one at a steady pace, and waits until
// as many know that they are in. It returns when each seat was given up.
func (c *crowd) release(ctx context.Context) (released []time.Time, err error) {
	began := time.Now()
	for i := range c.Releases {
		if err := Pause(ctx, time.Until(began.Add(c.For*time.Duration(i)/time.Duration(c.Releases)))); err != nil {
			return nil, err
		}
		c.mu.Lock()
		if i >= len(c.in) {
			c.mu.Unlock()
			break // nobody is inside: the next have not been told yet
		}
		v := c.in[i]
		c.mu.Unlock()
		released = append(released, time.Now())
		if _, err := c.ask(ctx, http.MethodDelete, c.visitors()+"/"+v, ""); err != nil {
			return nil, err
		}
	}
	patience := time.Now().Add(20 * time.Second)
	for time.Now().Before(patience) {
		c.mu.Lock()
		done := len(c.known) >= len(released)
		c.mu.Unlock()
		if done {
			break
		}
		if err := Pause(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
	return released, nil
}

// stream opens an event stream for each waiter and returns when all are open.
func (c *crowd) stream(ctx context.Context) {
	address := strings.TrimPrefix(c.URL, "http://")
	_ = c.each(func(i int) error {
		v := visitor(c.Seats + i)
		conn, r, err := c.connect(ctx, address, v, i)
		if err != nil {
			c.failed.Add(1)
			return nil
		}
		c.open.Go(func() {
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			defer stop()
			defer conn.Close()
			if follow(r) {
				c.knows(v)
			}
		})
		return nil
	})
}

// perSource is how many connections one address of our own can have to one
// port, with a margin: Linux gives out 28 000 ports.
const perSource = 20_000

// connect opens a waiter's stream and reads the header of the answer. It does
// without an HTTP client, of which each connection would cost this process
// more than the service's side of it costs the service.
func (c *crowd) connect(ctx context.Context, address, v string, i int) (net.Conn, *bufio.Reader, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	if source := i / perSource; source > 0 {
		dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+source))}
	}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, nil, err
	}
	target := strings.TrimPrefix(c.visitors(), c.URL) + "/" + v + "/events"
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", target, address)
	r := bufio.NewReaderSize(conn, 512)
	first, err := r.ReadString('\n')
	if err == nil && !strings.Contains(first, " 200 ") {
		err = errors.New(strings.TrimSpace(first))
	}
	if err != nil {
		conn.Close()
	}
	return conn, r, err
}

var admitted = []byte(`"state":"admitted"`)

// follow reads a stream until it says that the visitor is in.
func follow(r *bufio.Reader) bool {
	for {
		line, err := r.ReadSlice('\n')
		if bytes.Contains(line, admitted) {
			return true
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
	}
}

// poll lets each waiter ask for its status when the last answer said to.
func (c *crowd) poll(ctx context.Context) {
	var first sync.WaitGroup
	first.Add(c.Waiters)
	slots := make(chan struct{}, 128) // requests under way
	for i := range c.Waiters {
		c.open.Go(func() {
			asked := false
			seen := func() {
				if !asked {
					asked = true
					first.Done()
				}
			}
			defer seen()
			for ctx.Err() == nil {
				slots <- struct{}{}
				s, err := c.status(ctx, visitor(c.Seats+i))
				<-slots
				seen()
				switch {
				case err != nil && ctx.Err() == nil:
					c.failed.Add(1)
					s.PollAfter = 1
				case s.State == "admitted":
					c.knows(visitor(c.Seats + i))
					return
				}
				if Pause(ctx, time.Duration(s.PollAfter*float64(time.Second))) != nil {
					return
				}
			}
		})
	}
	first.Wait()
}

// Pause waits for as long as d, or until ctx ends, whose error it returns.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
