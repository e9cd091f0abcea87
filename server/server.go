package server

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"myredis/commands"
	"myredis/internal/config"
)

// Options are what a server is given besides its configuration.
type Options struct {
	// Logger receives what the server has to say; nil is slog.Default().
	Logger *slog.Logger
	// Addr, when set, is the one TCP address to listen on ("127.0.0.1:0" for
	// a free port), in the place of the bind and port settings.
	Addr string
}

// Server is a running server. Make one with Start.
type Server struct {
	cfg       *config.Config
	log       *slog.Logger
	engine    *commands.Engine
	door      door
	doorName  string
	workers   int
	listeners []net.Listener
	inspected time.Time // when every client was last looked at

	stop     chan struct{} // closed when the server is to end
	stopOnce sync.Once
	done     chan struct{} // closed when it has ended
}

// door is a front door: it brings connections and their requests to the
// executor.
type door interface {
	// run serves until the server's stop channel is closed and then ends
	// every connection.
	run()
	// do runs f in the executor and waits for it.
	do(f func())
	// wake makes run notice that stop was closed.
	wake()
	// serveOthers does what there is to do for other connections from inside a
	// command, and does not wait.
	serveOthers()
}

// Start opens the listeners that cfg asks for and serves on them. It returns
// once clients can connect. cfg belongs to the server from then on: CONFIG SET
// changes it.
func Start(cfg *config.Config, opts Options) (*Server, error) {
	s := &Server{
		cfg: cfg, log: opts.Logger, workers: cfg.Workers,
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.engine = commands.New(cfg, s, s.log)
	if err := s.engine.LoadUsers(); err != nil {
		return nil, err
	}
	cfg.OnChange("proto-max-bulk-len", func() error {
		s.engine.EachClient(func(c *commands.Client) { c.Conn.(*conn).limit() })
		return nil
	})
	if err := s.listen(opts.Addr); err != nil {
		return nil, fmt.Errorf("failed listening: %w", err)
	}
	var err error
	if s.door, s.doorName, err = s.openDoor(); err != nil {
		s.closeListeners()
		return nil, err
	}
	s.engine.OnBusy = s.busy
	go func() {
		defer close(s.done)
		s.door.run()
		s.closeListeners()
	}()
	return s, nil
}

// openDoor chooses the front door: epoll where it can be had and one worker
// runs commands, the goroutines otherwise.
func (s *Server) openDoor() (door, string, error) {
	wanted := s.cfg.FrontDoor
	if wanted == "epoll" && s.workers > 1 {
		return nil, "", fmt.Errorf("front-door epoll has one executor and cannot have %d workers", s.workers)
	}
	if wanted == "epoll" || wanted == "auto" && s.workers == 1 && epollAvailable {
		d, err := newEpollDoor(s)
		return d, "epoll", err
	}
	d, err := newGoroutineDoor(s)
	return d, "goroutine", err
}

// busy is called from inside a command that takes long.
func (s *Server) busy() {
	if s.stopping() {
		s.engine.StopScripts()
		return
	}
	s.door.serveOthers()
}

func (s *Server) stopping() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// Addr returns the address of the first TCP listener, as "host:port", or the
// path of the Unix socket when there is no other.
func (s *Server) Addr() string {
	if len(s.listeners) == 0 {
		return ""
	}
	return s.listeners[0].Addr().String()
}

// Port implements commands.Host.
func (s *Server) Port() int {
	for _, l := range s.listeners {
		if a, ok := l.Addr().(*net.TCPAddr); ok {
			return a.Port
		}
	}
	return 0
}

// Mode implements commands.Host.
func (s *Server) Mode() (door string, workers int) { return s.doorName, s.workers }

// Shutdown implements commands.Host: it begins the end and returns.
func (s *Server) Shutdown() {
	s.stopOnce.Do(func() {
		close(s.stop)
		s.door.wake()
	})
}

// Do runs f in the executor, between two commands, and waits for it. It must
// not be called from inside a command.
func (s *Server) Do(f func(*commands.Engine)) {
	s.door.do(func() { f(s.engine) })
}

// Done is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.done }

// Close ends the server: no more connections, the turn under way finished,
// replies handed to the operating system, connections closed. It waits until
// that is done or ctx ends.
func (s *Server) Close(ctx context.Context) error {
	s.Shutdown()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// admit makes a client for a new connection, or returns nil when there are
// maxclients already; the peer is told so then.
func (s *Server) admit(l link, local, remote net.Addr) *conn {
	c := &conn{srv: s, link: l}
	c.limit()
	if text := s.refusal(remote); text != "" {
		s.engine.Stats.Rejected++
		l.refuse(text)
		return nil
	}
	c.client = s.engine.Connect(c, remote.Network(), address(remote, local), address(local, local))
	return c
}

// denied answers strangers in protected mode. The code is Redis's.
const denied = "-DENIED The server is in protected mode: no password is set for the default user, and connections are accepted from the loopback interface only. Set one with requirepass, or turn protected-mode off if nobody can reach the server who should not.\r\n"

// refusal says why a connection is not accepted; "" if it is.
func (s *Server) refusal(remote net.Addr) string {
	tcp, _ := remote.(*net.TCPAddr)
	switch {
	case s.engine.Clients() >= s.cfg.MaxClients:
		return "-ERR max number of clients reached\r\n"
	case s.cfg.ProtectedMode && s.engine.OpenToAll() && tcp != nil && !tcp.IP.IsLoopback():
		return denied
	}
	return ""
}

// address prints an address as CLIENT LIST does. The peer of a Unix socket has
// no name of its own and is shown by the socket's.
func address(a, local net.Addr) string {
	if a.Network() == "unix" {
		return local.String() + ":0"
	}
	return a.String()
}

// tick does the timed work and returns when it is due again.
func (s *Server) tick(last *time.Time) (due time.Time) {
	now := time.Now()
	due = now.Add(s.engine.Tick(now.Sub(*last)))
	*last = now
	if now.Sub(s.inspected) >= time.Second {
		s.inspected = now
		s.engine.EachClient(func(c *commands.Client) { c.Conn.(*conn).inspect(now) })
	}
	s.flushOthers()
	return due
}

// untilTick returns how long the timed work can wait: until it is due, or
// until a client that waits for a key gives up.
func (s *Server) untilTick(due time.Time) time.Duration {
	wait := time.Until(due)
	if at, ok := s.engine.NextDeadline(); ok {
		wait = min(wait, time.Until(time.UnixMilli(at)))
	}
	return max(0, wait)
}

// flushOthers sends what has been written to clients out of their turn, and
// goes on with the requests of those that have waited.
func (s *Server) flushOthers() {
	s.engine.Pending(func(c *commands.Client) {
		conn := c.Conn.(*conn)
		if conn.dec.Buffered() > 0 && !c.Blocked() {
			conn.requests()
		}
		conn.flush()
	})
}

const (
	// finishing bounds how long ending connections may wait for peers that do
	// not read.
	finishing = time.Second
	// readSize is the room for one read, as Redis has it (PROTO_IOBUF_LEN);
	// readLeast is what is asked of a decoder, which rounds it up to that.
	readSize  = 16 << 10
	readLeast = 4 << 10
	// keepBuffer bounds what is kept of a buffer once it is written.
	keepBuffer = 64 << 10
)
