package server

import (
	"errors"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"myredis/internal/config"
)

// listener is a listener and what it was asked for.
type listener struct {
	net.Listener
	endpoint
}

// endpoint is something to listen on.
type endpoint struct {
	network, addr string
	optional      bool // it is no error if the address is not there
}

// listen opens the listeners that the settings ask for, or one for addr in the
// place of those for TCP.
func (s *Server) listen(addr string) error {
	wanted := tcpEndpoints(s.cfg)
	if addr != "" {
		wanted = []endpoint{{network: "tcp", addr: addr}}
	}
	opened, err := openAll(wanted)
	if err != nil {
		return err
	}
	s.listeners.Store(&opened)
	if s.cfg.UnixSocket != "" {
		if err := s.listenUnix(s.cfg.UnixSocket); err != nil {
			s.closeListeners()
			return err
		}
	}
	if addr == "" {
		s.followAddresses()
	}
	return nil
}

// tcpEndpoints are what the bind and port settings ask for, as redis.conf
// describes them: "*" is every IPv4 address, "::*" every IPv6 one, and after a
// minus an address that is not there is no error.
func tcpEndpoints(cfg *config.Config) (wanted []endpoint) {
	if cfg.Port == 0 {
		return nil
	}
	for _, bind := range cfg.Bind {
		host, optional := strings.CutPrefix(bind, "-")
		network := "tcp4"
		switch {
		case host == "*":
			host = "0.0.0.0"
		case host == "::*":
			host, network = "::", "tcp6"
		case strings.Contains(host, ":"):
			network = "tcp6"
		}
		wanted = append(wanted, endpoint{network, net.JoinHostPort(host, strconv.Itoa(cfg.Port)), optional})
	}
	return wanted
}

// openAll listens on all endpoints, or on none and says why. Families of
// addresses that this machine does not know are passed over.
func openAll(wanted []endpoint) (opened []*listener, err error) {
	for _, at := range wanted {
		l, err := net.Listen(at.network, at.addr)
		switch {
		case err == nil:
			opened = append(opened, &listener{l, at})
		case errors.Is(err, syscall.EAFNOSUPPORT), errors.Is(err, syscall.EPROTONOSUPPORT):
		case errors.Is(err, syscall.EADDRNOTAVAIL) && at.optional:
		default:
			closeAll(opened)
			return nil, err
		}
	}
	return opened, nil
}

func closeAll(listeners []*listener) {
	for _, l := range listeners {
		l.Close()
	}
}

func (s *Server) listenUnix(path string) error {
	// A socket that an earlier server left behind would be in the way. Redis
	// removes it too.
	os.Remove(path)
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	all := append(s.bound(), &listener{l, endpoint{network: "unix", addr: path}})
	s.listeners.Store(&all)
	if perm := s.cfg.UnixSocketPerm; perm != 0 {
		return os.Chmod(path, os.FileMode(perm))
	}
	return nil
}

// bound returns the listeners.
func (s *Server) bound() []*listener { return *s.listeners.Load() }

func (s *Server) closeListeners() { closeAll(s.bound()) }

// followAddresses moves the listeners when CONFIG SET changes port or bind.
// Connections that there are stay.
func (s *Server) followAddresses() {
	move := func(refusal string) func() error {
		return func() error {
			if err := s.move(tcpEndpoints(s.cfg)); err != nil {
				s.log.Warn("cannot listen", "err", err)
				return errors.New(refusal)
			}
			return nil
		}
	}
	s.cfg.OnChange("port", move("Unable to listen on this port. Check server logs."))
	s.cfg.OnChange("bind", move("Failed to bind to specified addresses."))
}

// move makes the server listen on other TCP endpoints. What stays the same
// stays open. When a new one cannot be had, everything is as it was.
func (s *Server) move(wanted []endpoint) error {
	var keep, drop []*listener
	for _, l := range s.bound() {
		if l.network == "unix" || slices.Contains(wanted, l.endpoint) {
			keep = append(keep, l)
		} else {
			drop = append(drop, l)
		}
	}
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(at endpoint) bool {
		return slices.ContainsFunc(keep, func(l *listener) bool { return l.endpoint == at })
	})
	opened, err := openAll(wanted)
	if errors.Is(err, syscall.EADDRINUSE) && len(drop) > 0 {
		// One's own may be in the way: every address of a port, say, where
		// there was one.
		return s.exchange(keep, drop, wanted)
	}
	if err != nil {
		return err
	}
	return s.settle(keep, drop, opened)
}

// exchange gives up listeners before it opens others, and opens them again if
// that fails.
func (s *Server) exchange(keep, drop []*listener, wanted []endpoint) error {
	if err := s.settle(keep, drop, nil); err != nil {
		return err
	}
	opened, err := openAll(wanted)
	if err == nil {
		return s.settle(keep, nil, opened)
	}
	before := make([]endpoint, len(drop))
	for i, l := range drop {
		before[i] = l.endpoint
	}
	again, lost := openAll(before)
	if lost == nil {
		lost = s.settle(keep, nil, again)
	}
	if lost != nil {
		s.log.Error("cannot listen again where the server did", "err", lost)
	}
	return err
}

// settle makes the door accept at the listeners that are kept and those that
// are new, and at no others.
func (s *Server) settle(keep, drop, opened []*listener) error {
	all := slices.Concat(opened, keep)
	if err := s.door.accept(all); err != nil {
		closeAll(opened)
		return err
	}
	s.listeners.Store(&all)
	closeAll(drop)
	return nil
}
