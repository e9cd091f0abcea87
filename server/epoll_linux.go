package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const epollAvailable = true

// epollDoor is the front door in which the executor goroutine does everything
// itself: it waits for sockets that have something to say, reads, executes,
// writes. System calls that cannot block are made raw, behind the back of Go's
// scheduler (socket_linux.go); only the wait is made in the way that lets
// others run meanwhile.
type epollDoor struct {
	srv       *Server
	ep        int
	wakeup    int // eventfd: a job is queued, or the end has come
	listeners map[int]*listening
	deaf      bool // the listeners are out of the epoll set until the next tick
	links     map[int]*fdLink

	// out is lent to the client whose turn it is, so that an idle one holds
	// no reply buffer.
	out []byte

	mu   sync.Mutex
	jobs []func()
}

func newEpollDoor(s *Server) (door, error) {
	d := &epollDoor{srv: s, ep: -1, wakeup: -1, listeners: map[int]*listening{}, links: map[int]*fdLink{}}
	if err := d.open(); err != nil {
		d.release()
		return nil, err
	}
	return d, nil
}

func (d *epollDoor) open() (err error) {
	if d.ep, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("epoll_create1: %w", err)
	}
	if d.wakeup, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	if err := d.watch(d.wakeup, unix.EPOLLIN); err != nil {
		return err
	}
	return d.accept(d.srv.bound())
}

// listening is a listener of the door's own: a duplicate, since Go's poller
// keeps the original.
type listening struct {
	*os.File
	fd int // File.Fd would make it blocking each time that it is asked
	of *listener
}

func duplicate(l *listener) (*listening, error) {
	f, err := l.Listener.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		return nil, err
	}
	fd := int(f.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		f.Close()
		return nil, fmt.Errorf("set a listener non-blocking: %w", err)
	}
	return &listening{f, fd, l}, nil
}

// accept implements door.
func (d *epollDoor) accept(listeners []*listener) error {
	next := map[int]*listening{}
	for fd, l := range d.listeners {
		if slices.Contains(listeners, l.of) {
			next[fd] = l
		}
	}
	for _, l := range listeners {
		if d.hears(l) {
			continue
		}
		own, err := duplicate(l)
		if err != nil {
			for fd, l := range next {
				if d.listeners[fd] != l {
					l.Close()
				}
			}
			return err
		}
		next[own.fd] = own
	}
	d.deafen()
	for fd, l := range d.listeners {
		if next[fd] != l {
			l.Close()
		}
	}
	d.listeners = next
	return d.listen()
}

func (d *epollDoor) hears(l *listener) bool {
	for _, own := range d.listeners {
		if own.of == l {
			return true
		}
	}
	return false
}

// listen puts the listeners into the epoll set.
func (d *epollDoor) listen() error {
	d.deaf = false
	for fd := range d.listeners {
		if err := d.watch(fd, unix.EPOLLIN); err != nil {
			return err
		}
	}
	return nil
}

// deafen takes them out of it: when descriptors have run out, a waiting
// connection would be reported again and again.
func (d *epollDoor) deafen() {
	d.deaf = true
	for fd := range d.listeners {
		unix.EpollCtl(d.ep, unix.EPOLL_CTL_DEL, fd, nil)
	}
}

func (d *epollDoor) release() {
	for _, f := range d.listeners {
		f.Close()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, fd := range []int{d.ep, d.wakeup} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	d.wakeup = -1
}

func (d *epollDoor) watch(fd int, events uint32) error {
	if err := unix.EpollCtl(d.ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)}); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

func (d *epollDoor) run() {
	events := make([]unix.EpollEvent, 512)
	last := time.Now()
	due := last
	for !d.srv.stopping() {
		for _, ev := range events[:d.wait(events, d.srv.untilTick(due))] {
			d.handle(ev)
		}
		if d.srv.untilTick(due) == 0 {
			if d.deaf {
				d.warn("listen again", d.listen())
			}
			due = d.srv.tick(&last)
		}
	}
	d.end(events)
	d.release()
}

// serveOthers implements door. The events have a buffer of their own: that of
// run is in use.
func (d *epollDoor) serveOthers() {
	var events [64]unix.EpollEvent
	for _, ev := range events[:pollEvents(d.ep, events[:])] {
		if l := d.links[int(ev.Fd)]; l == nil || !l.conn.executing {
			d.handle(ev)
		}
	}
}

// wait returns how many events there are. It looks first without waiting:
// under load there is always something, and a look costs less than telling the
// scheduler of a wait.
func (d *epollDoor) wait(events []unix.EpollEvent, atMost time.Duration) int {
	if n := pollEvents(d.ep, events); n > 0 {
		return n
	}
	// Round up: a wait of 0.4 ms must not become a spin of zero.
	ms := max(0, int((atMost+time.Millisecond-1)/time.Millisecond))
	n, err := unix.EpollWait(d.ep, events, ms)
	if err != nil && err != unix.EINTR {
		d.warn("epoll_wait", err)
	}
	return max(n, 0)
}

func (d *epollDoor) warn(what string, err error) {
	if err != nil {
		d.srv.log.Warn(what, "err", err)
	}
}

func (d *epollDoor) handle(ev unix.EpollEvent) {
	fd := int(ev.Fd)
	switch {
	case fd == d.wakeup:
		d.runJobs()
	case d.links[fd] != nil:
		d.links[fd].handle(ev.Events)
	case d.listeners[fd] != nil:
		d.connectAll(fd)
	}
	// Otherwise an event of a connection that was closed by an earlier event
	// of the same wait.
}

func (d *epollDoor) do(f func()) {
	ran := make(chan struct{})
	d.mu.Lock()
	d.jobs = append(d.jobs, func() { f(); close(ran) })
	d.mu.Unlock()
	d.wake()
	select {
	case <-ran:
	case <-d.srv.done:
	}
}

// wake may come when the door has been released: its descriptors may be
// somebody else's then.
func (d *epollDoor) wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wakeup >= 0 {
		one := [8]byte{1}
		unix.Write(d.wakeup, one[:])
	}
}

func (d *epollDoor) runJobs() {
	var count [8]byte
	unix.Read(d.wakeup, count[:])
	d.mu.Lock()
	jobs := d.jobs
	d.jobs = nil
	d.mu.Unlock()
	for _, job := range jobs {
		job()
	}
	d.srv.flushOthers()
}

// acceptBatch bounds how many connections are accepted before others get a
// turn.
const acceptBatch = 1000

// connectAll accepts the connections that wait at a listener.
func (d *epollDoor) connectAll(listener int) {
	for range acceptBatch {
		fd, peer, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case err == nil:
			d.connect(fd, peer)
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
		case errors.Is(err, unix.EAGAIN):
			return
		default:
			d.warn("cannot accept a connection", err)
			d.deafen()
			return
		}
	}
}

func (d *epollDoor) connect(fd int, peer unix.Sockaddr) {
	local, _ := unix.Getsockname(fd)
	l := &fdLink{door: d, sock: fd}
	d.links[fd] = l
	if c := d.srv.admit(l, netAddr(local), netAddr(peer)); c != nil {
		l.conn = c
		setSocketOptions(fd, peer, d.srv.cfg.TCPKeepAlive)
		if err := d.watch(fd, unix.EPOLLIN); err != nil {
			d.warn("cannot watch a connection", err)
			c.close()
		}
	}
}

// end finishes every connection: what was answered is written first, as far as
// the peers take it in time.
func (d *epollDoor) end(events []unix.EpollEvent) {
	d.srv.closeListeners()
	for fd, f := range d.listeners {
		f.Close()
		delete(d.listeners, fd)
	}
	for _, l := range d.links {
		if l.conn != nil && !l.conn.gone {
			l.conn.leave()
		}
		l.finish()
	}
	deadline := time.Now().Add(finishing)
	for len(d.links) > 0 && time.Now().Before(deadline) {
		for _, ev := range events[:d.wait(events, time.Until(deadline))] {
			if l := d.links[int(ev.Fd)]; l != nil {
				l.handle(ev.Events)
			}
		}
	}
	for _, l := range d.links {
		l.hangUp()
	}
}

// fdLink is a connection of the epoll door.
type fdLink struct {
	door  *epollDoor
	sock  int
	conn  *conn
	out   []byte // taken over from the client, written up to sent
	sent  int
	armed bool // waits for the socket to take more
	final bool // close when everything is written
}

func (l *fdLink) handle(events uint32) {
	if events&unix.EPOLLOUT != 0 || l.final {
		if l.write(); l.unsent() == 0 {
			l.out, l.sent = nil, 0
		}
	}
	if events&^uint32(unix.EPOLLOUT) != 0 && !l.final && !l.conn.gone {
		l.read()
	}
}

// readInARow bounds how much is read from a connection before others get a
// turn.
const readInARow = 1 << 20

// read reads what has arrived: once, unless the room for it was filled in the
// middle of a request, so that there is likely to be more of it.
func (l *fdLink) read() {
	for total := 0; total < readInARow; {
		n, more := l.readOnce()
		if total += n; !more {
			return
		}
	}
}

func (l *fdLink) readOnce() (n int, more bool) {
	c, d := l.conn, l.door
	space := c.dec.Space(readLeast)
	n, err := readSocket(l.sock, space)
	if err == unix.EAGAIN || err == unix.EINTR {
		return 0, false
	}
	if err != nil || n == 0 {
		c.close()
		return 0, false
	}
	c.dec.Advance(n)
	if c.client.Out.Buf == nil {
		c.client.Out.Buf, d.out = d.out, nil
	}
	c.turn(n)
	if buf := c.client.Out.Buf; len(buf) == 0 {
		c.client.Out.Buf = nil
		if cap(buf) > cap(d.out) {
			d.out = buf
		}
	}
	return n, n == len(space) && !c.gone && !l.final && !c.executing && c.dec.Buffered() > 0
}

// send implements link: it writes at once what the socket takes.
func (l *fdLink) send(c *conn) {
	out := &c.client.Out
	if l.unsent() > 0 {
		l.out = append(slices.Delete(l.out, 0, l.sent), out.Buf...)
		l.sent = 0
		out.Buf = out.Buf[:0]
		return
	}
	l.out, l.sent = out.Buf, 0
	out.Buf = nil
	l.write()
	if l.unsent() == 0 {
		if cap(l.out) <= keepBuffer {
			out.Buf = l.out[:0]
		}
		l.out, l.sent = nil, 0
	}
}

// write writes what is left. What the socket does not take waits for the
// socket, and nobody waits for it.
func (l *fdLink) write() {
	for l.unsent() > 0 {
		n, err := writeSocket(l.sock, l.out[l.sent:])
		if err == unix.EAGAIN {
			break
		}
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			l.lost()
			return
		}
		l.sent += n
		l.conn.client.NetOut += int64(n)
		l.door.srv.engine.Stats.NetOut += int64(n)
	}
	switch left := l.unsent() > 0; {
	case !left && l.final:
		l.hangUp()
	case left != l.armed:
		l.armed = left
		l.arm()
	}
}

// arm tells epoll what to wait for.
func (l *fdLink) arm() {
	ev := unix.EpollEvent{Fd: int32(l.sock)}
	if !l.final {
		ev.Events = unix.EPOLLIN
	}
	if l.armed {
		ev.Events |= unix.EPOLLOUT
	}
	unix.EpollCtl(l.door.ep, unix.EPOLL_CTL_MOD, l.sock, &ev)
}

// lost ends a connection whose peer is no more.
func (l *fdLink) lost() {
	l.out, l.sent = nil, 0
	if l.final {
		l.hangUp()
	} else {
		l.conn.close()
	}
}

func (l *fdLink) unsent() int { return len(l.out) - l.sent }

// finish implements link.
func (l *fdLink) finish() {
	l.final = true
	if l.unsent() == 0 {
		l.hangUp()
	} else {
		l.arm()
	}
}

// refuse implements link.
func (l *fdLink) refuse(text string) {
	writeSocket(l.sock, []byte(text))
	l.hangUp()
}

// hangUp implements link.
func (l *fdLink) hangUp() {
	if l.door.links[l.sock] == l {
		delete(l.door.links, l.sock)
		unix.Close(l.sock)
	}
	l.out, l.sent = nil, 0
}

func (l *fdLink) fd() int { return l.sock }

// netAddr is a socket address as package net has it.
func netAddr(sa unix.Sockaddr) net.Addr {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: sa.Addr[:], Port: sa.Port}
	case *unix.SockaddrInet6:
		return &net.TCPAddr{IP: sa.Addr[:], Port: sa.Port}
	case *unix.SockaddrUnix:
		return &net.UnixAddr{Net: "unix", Name: sa.Name}
	}
	return &net.UnixAddr{Net: "unix"}
}
