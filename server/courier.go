package server

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"myredis/commands"
)

// courier implements commands.Courier: it takes parcels to other servers, over
// connections that it keeps for a while. Each parcel has a connection to
// itself.
type courier struct {
	srv  *Server
	idle time.Duration // how long a connection is kept
	ctx  context.Context
	end  context.CancelFunc

	mu    sync.Mutex
	kept  map[string]*route // by "host:port"
	taken map[*route]bool
}

// As in Redis (cluster.c, MIGRATE_SOCKET_CACHE_*).
const (
	routesKept = 64
	routeIdle  = 10 * time.Second
)

func newCourier(s *Server) *courier {
	c := &courier{srv: s, idle: routeIdle, kept: map[string]*route{}, taken: map[*route]bool{}}
	c.ctx, c.end = context.WithCancel(context.Background())
	return c
}

// Send implements commands.Courier.
func (c *courier) Send(p *commands.Parcel, arrived func(commands.Delivery)) {
	go func() {
		d := c.Deliver(p)
		c.srv.door.do(func() {
			arrived(d)
			c.srv.flushOthers()
		})
	}()
}

// Deliver implements commands.Courier. A connection that was kept may have been
// closed by the target meanwhile: unless time ran out or the target has done
// something already, it is tried once more.
func (c *courier) Deliver(p *commands.Parcel) commands.Delivery {
	d, again := c.attempt(p)
	if again {
		d, _ = c.attempt(p)
	}
	return d
}

func (c *courier) attempt(p *commands.Parcel) (d commands.Delivery, again bool) {
	r, err := c.route(p)
	if err != nil {
		return commands.Delivery{Failure: unreached(err)}, false
	}
	if d, err = r.deliver(p); err == nil {
		c.keep(r)
		return d, false
	}
	c.drop(r)
	return d, len(d.Stored) == 0 && !errors.Is(err, os.ErrDeadlineExceeded)
}

// unreached words a failed connection as Redis does: it does not find out that it
// was refused before it writes.
func unreached(err error) commands.Failure {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return commands.NotWritten
	}
	return commands.NotConnected
}

// Connections implements commands.Courier.
func (c *courier) Connections() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.kept)
}

// route returns a connection to where the parcel goes.
func (c *courier) route(p *commands.Parcel) (*route, error) {
	addr := net.JoinHostPort(p.Host, portNumber(p.Port))
	c.mu.Lock()
	r := c.kept[addr]
	if r != nil {
		delete(c.kept, addr)
		r.expire.Stop()
		c.taken[r] = true
	}
	c.mu.Unlock()
	if r != nil {
		return r, nil
	}
	dialer := net.Dialer{Timeout: p.Timeout}
	nc, err := dialer.DialContext(c.ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	r = &route{addr: addr, nc: nc, in: bufio.NewReader(nc), db: unselected}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken[r] = true
	if c.ctx.Err() != nil {
		nc.Close()
	}
	return r, nil
}

// portNumber is the port as Redis reads it, which knows no names of services.
func portNumber(port string) string {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		n = 0
	}
	return strconv.FormatUint(n, 10)
}

// keep keeps a connection for the next parcel to the same place, unless there
// is one already.
func (c *courier) keep(r *route) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.taken, r)
	if c.kept[r.addr] != nil || c.ctx.Err() != nil {
		r.nc.Close()
		return
	}
	if len(c.kept) >= routesKept {
		for _, any := range c.kept {
			c.forget(any)
			break
		}
	}
	c.kept[r.addr] = r
	r.expire = time.AfterFunc(c.idle, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.kept[r.addr] == r {
			c.forget(r)
		}
	})
}

// forget closes a connection that is kept.
func (c *courier) forget(r *route) {
	r.expire.Stop()
	r.nc.Close()
	delete(c.kept, r.addr)
}

// drop closes a connection that a parcel has.
func (c *courier) drop(r *route) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.taken, r)
	r.nc.Close()
}

// close closes every connection; deliveries under way fail.
func (c *courier) close() {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range slices.Collect(maps.Values(c.kept)) {
		c.forget(r)
	}
	for r := range c.taken {
		r.nc.Close()
	}
}

// route is a connection to another server.
type route struct {
	addr   string
	nc     net.Conn
	in     *bufio.Reader
	db     int64 // the database that it is in, or unselected
	expire *time.Timer
}

// unselected is no database's number.
const unselected = -1

// chunk bounds what is written within one timeout.
const chunk = 64 << 10

// deliver sends the requests and reads the answers. An error means that the
// connection is of no use any more.
func (r *route) deliver(p *commands.Parcel) (d commands.Delivery, err error) {
	selects := r.db != p.DB
	r.db, d.Failure = unselected, commands.NotWritten
	requests := [][]byte{p.Auth, nil, p.Restores}
	if selects {
		requests[1] = p.Select
	}
	if err := r.write(bytes.Join(requests, nil), p.Timeout); err != nil {
		return d, err
	}
	d.Failure = commands.NotAnswered
	refusal := ""
	for _, request := range requests[:2] {
		if request == nil {
			continue
		}
		said, err := r.answer(p.Timeout)
		if err != nil {
			return d, err
		}
		refusal = cmp.Or(refusal, said)
	}
	for range p.Count {
		said, err := r.answer(p.Timeout)
		if err != nil {
			return d, err
		}
		said = cmp.Or(refusal, said)
		d.Refusal = cmp.Or(d.Refusal, said)
		d.Stored = append(d.Stored, said == "")
	}
	d.Failure = commands.Arrived
	if d.Refusal == "" {
		r.db = p.DB
	}
	return d, nil
}

func (r *route) write(b []byte, timeout time.Duration) error {
	for part := range slices.Chunk(b, chunk) {
		r.nc.SetWriteDeadline(time.Now().Add(timeout))
		if _, err := r.nc.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// answer reads one line. It returns what an error says, and "" for other
// answers.
func (r *route) answer(timeout time.Duration) (refusal string, err error) {
	r.nc.SetReadDeadline(time.Now().Add(timeout))
	line, err := r.in.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 {
		return "", io.ErrUnexpectedEOF
	}
	if line[0] != '-' {
		return "", nil
	}
	return string(line[1:]), nil
}
