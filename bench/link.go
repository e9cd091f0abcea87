package bench

import (
	"io"
	"net"
	"sync"
	"time"
)

// link is a slow way to a store: what the store says arrives later by a fixed
// time, as over a network.
type link struct {
	addr     string
	listener net.Listener

	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
	ends   sync.WaitGroup
}

func newLink(to string, delay time.Duration) (*link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &link{addr: listener.Addr().String(), listener: listener, conns: map[net.Conn]bool{}}
	l.ends.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			l.ends.Go(func() { l.connect(client, to, delay) })
		}
	})
	return l, nil
}

func (l *link) connect(client net.Conn, to string, delay time.Duration) {
	defer client.Close()
	store, err := net.DialTimeout("tcp", to, 5*time.Second)
	if err != nil {
		return
	}
	defer store.Close()
	if !l.keep(client, store) {
		return
	}
	defer l.forget(client, store)
	l.ends.Go(func() {
		io.Copy(store, client)
		store.Close()
	})
	buf := make([]byte, 64<<10)
	for {
		n, err := store.Read(buf)
		if n > 0 {
			time.Sleep(delay)
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (l *link) keep(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		l.conns[c] = true
	}
	return !l.closed
}

func (l *link) forget(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		delete(l.conns, c)
	}
}

func (l *link) close() {
	l.listener.Close()
	l.mu.Lock()
	l.closed = true
	for c := range l.conns {
		c.Close()
	}
	l.mu.Unlock()
	l.ends.Wait()
}
