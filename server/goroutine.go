package server

import (
	"errors"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// goroutineDoor is the front door that runs everywhere: per connection one
// goroutine that reads and one that writes, and a queue to the executor, or to
// several workers.
type goroutineDoor struct {
	srv   *Server
	turns chan func()
	baton *baton // held by whoever runs; with one worker nobody ever waits for it

	mu    sync.Mutex
	heard map[*listener]bool   // those with an acceptor
	links map[*goLink]struct{} // nil once the door is closed
	wg    sync.WaitGroup       // readers, writers, acceptors
}

func newGoroutineDoor(s *Server) (*goroutineDoor, error) {
	b, err := newBaton(s.cfg.Gap)
	if err != nil {
		return nil, err
	}
	d := &goroutineDoor{srv: s, turns: make(chan func(), 1024), baton: b, links: map[*goLink]struct{}{}, heard: map[*listener]bool{}}
	if s.workers > 1 {
		s.engine.Keys.Gap = b.pass
	}
	return d, d.accept(s.bound())
}

func (d *goroutineDoor) run() {
	var workers sync.WaitGroup
	for range d.srv.workers {
		workers.Go(d.work)
	}
	workers.Wait()
	d.close()
}

// work is an executor. Each does the timed work when it finds the time come.
func (d *goroutineDoor) work() {
	last := time.Now()
	due := last
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case turn := <-d.turns:
			d.baton.Lock()
			turn()
			next := d.srv.untilTick(due)
			d.baton.Unlock()
			timer.Reset(next)
		case <-timer.C:
			d.baton.Lock()
			due = d.srv.tick(&last)
			next := d.srv.untilTick(due)
			d.baton.Unlock()
			timer.Reset(next)
		case <-d.srv.stop:
			return
		}
	}
}

// submit queues a turn. It reports false when the door has closed and the turn
// will not be run.
func (d *goroutineDoor) submit(turn func()) bool {
	select {
	case d.turns <- turn:
		return true
	case <-d.srv.stop:
		return false
	}
}

func (d *goroutineDoor) do(f func()) {
	ran := make(chan struct{})
	if d.submit(func() { f(); close(ran) }) {
		select {
		case <-ran:
		case <-d.srv.done:
		}
	}
}

func (d *goroutineDoor) wake() {}

// serveOthers implements door: with several workers the others do it.
func (d *goroutineDoor) serveOthers() {
	if d.srv.workers > 1 {
		d.baton.pass()
		return
	}
	for {
		select {
		case turn := <-d.turns:
			turn()
		default:
			return
		}
	}
}

// accept implements door. An acceptor ends when its listener is closed.
func (d *goroutineDoor) accept(listeners []*listener) error {
	for _, l := range listeners {
		if !d.heard[l] {
			d.heard[l] = true
			d.wg.Go(func() { d.acceptAt(l) })
		}
	}
	maps.DeleteFunc(d.heard, func(l *listener, _ bool) bool { return !slices.Contains(listeners, l) })
	return nil
}

func (d *goroutineDoor) acceptAt(l *listener) {
	for {
		nc, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			select {
			case <-d.srv.stop:
				return
			default:
			}
			if nerr, ok := err.(net.Error); ok && nerr.Timeout() {
				continue
			}
			d.srv.log.Warn("cannot accept a connection", "err", err)
			select {
			case <-time.After(100 * time.Millisecond): // out of descriptors, say: let some be closed
				continue
			case <-d.srv.stop:
				return
			}
		}
		d.Serve(nc)
	}
}

// Serve takes over a connection of any kind.
func (d *goroutineDoor) Serve(nc net.Conn) {
	l := &goLink{door: d, nc: nc, out: make(chan struct{}, 1), turned: make(chan struct{}, 1)}
	d.mu.Lock()
	if d.links == nil {
		d.mu.Unlock()
		nc.Close()
		return
	}
	d.links[l] = struct{}{}
	d.wg.Add(2)
	d.mu.Unlock()
	go l.read()
	go l.write()
}

// close ends every connection: what was answered is written first, as far as
// the peers take it within a second.
func (d *goroutineDoor) close() {
	d.srv.closeListeners()
	d.mu.Lock()
	links := d.links
	d.links = nil
	d.mu.Unlock()
	deadline := time.Now().Add(finishing)
	for l := range links {
		l.nc.SetWriteDeadline(deadline)
		l.finish()
	}
	d.wg.Wait()
}

// goLink is a connection of the goroutine door.
type goLink struct {
	door   *goroutineDoor
	nc     net.Conn
	turned chan struct{} // a turn of this connection is over; never waited for by the executor

	mu     sync.Mutex
	queue  []byte        // taken over from the client's Out, not yet written
	flying int           // bytes being written
	ended  bool          // write what is queued, then close
	out    chan struct{} // something is queued, or the end has come
}

// read brings what arrives to the executor, one turn after another.
func (l *goLink) read() {
	d := l.door
	defer d.wg.Done()
	var c *conn
	joined := l.turn(func() { c = d.srv.admit(l, l.nc.LocalAddr(), l.nc.RemoteAddr()) })
	if !joined || c == nil {
		l.finish()
		return
	}
	buf := make([]byte, readSize)
	for {
		n, err := l.nc.Read(buf)
		gone := false
		if !l.turn(func() {
			if n > 0 && !c.gone {
				copy(c.dec.Space(n), buf[:n])
				c.dec.Advance(n)
				c.turn(n)
			}
			if err != nil {
				c.close()
			}
			gone = c.gone
		}) || gone {
			l.finish()
			return
		}
	}
}

// turn runs f in the executor and waits until it has run.
func (l *goLink) turn(f func()) bool {
	if !l.door.submit(func() { f(); l.turned <- struct{}{} }) {
		return false
	}
	select {
	case <-l.turned:
		return true
	case <-l.door.srv.stop:
		return false
	}
}

// write writes what the executor has handed over.
func (l *goLink) write() {
	defer l.door.wg.Done()
	defer l.forget()
	defer l.nc.Close()
	var spare []byte
	for range l.out {
		l.mu.Lock()
		batch := l.queue
		l.queue, l.flying = spare[:0], len(batch)
		ended := l.ended
		l.mu.Unlock()
		if len(batch) > 0 {
			if _, err := l.nc.Write(batch); err != nil {
				return
			}
		}
		l.mu.Lock()
		l.flying = 0
		more := len(l.queue) > 0
		l.mu.Unlock()
		if ended && !more {
			return
		}
		if spare = batch; cap(spare) > keepBuffer {
			spare = nil
		}
	}
}

func (l *goLink) forget() {
	l.door.mu.Lock()
	delete(l.door.links, l)
	l.door.mu.Unlock()
}

func (l *goLink) signal() {
	select {
	case l.out <- struct{}{}:
	default:
	}
}

// send implements link.
func (l *goLink) send(c *conn) {
	buf := c.client.Out.Buf
	l.mu.Lock()
	if len(l.queue) == 0 {
		l.queue, c.client.Out.Buf = buf, l.queue[:0]
	} else {
		l.queue = append(l.queue, buf...)
		c.client.Out.Buf = buf[:0]
	}
	l.mu.Unlock()
	c.client.NetOut += int64(len(buf))
	c.srv.engine.Stats.NetOut += int64(len(buf))
	l.signal()
}

// unsent implements link.
func (l *goLink) unsent() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) + l.flying
}

// finish implements link.
func (l *goLink) finish() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.signal()
	if nc, ok := l.nc.(interface{ CloseRead() error }); ok {
		nc.CloseRead()
	}
}

// refuse implements link.
func (l *goLink) refuse(text string) {
	l.mu.Lock()
	l.queue = append(l.queue, text...)
	l.mu.Unlock()
	l.finish()
}

// hangUp implements link.
func (l *goLink) hangUp() { l.nc.Close(); l.finish() }

func (l *goLink) fd() int { return 0 }
