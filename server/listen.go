package server

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// listen opens a TCP listener for addr, or for each address of the bind
// setting, and one for the Unix socket.
func (s *Server) listen(addr string) (err error) {
	defer func() {
		if err != nil {
			s.closeListeners()
		}
	}()
	switch {
	case addr != "":
		if err := s.listenOn("tcp", addr); err != nil {
			return err
		}
	case s.cfg.Port != 0:
		for _, bind := range s.cfg.Bind {
			if err := s.bind(bind); err != nil {
				return err
			}
		}
	}
	if path := s.cfg.UnixSocket; path != "" {
		return s.listenUnix(path)
	}
	return nil
}

// bind opens one address of the bind setting, as redis.conf describes it: "*"
// is every IPv4 address, "::*" every IPv6 one, and after a minus an address
// that is not there is no error.
func (s *Server) bind(host string) error {
	host, optional := strings.CutPrefix(host, "-")
	network := "tcp4"
	switch {
	case host == "*":
		host = "0.0.0.0"
	case host == "::*":
		host, network = "::", "tcp6"
	case strings.Contains(host, ":"):
		network = "tcp6"
	}
	err := s.listenOn(network, net.JoinHostPort(host, strconv.Itoa(s.cfg.Port)))
	missing := errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) || errors.Is(err, syscall.EPROTONOSUPPORT)
	if optional && missing {
		return nil
	}
	return err
}

func (s *Server) listenOn(network, addr string) error {
	l, err := net.Listen(network, addr)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, l)
	return nil
}

func (s *Server) listenUnix(path string) error {
	// A socket that an earlier server left behind would be in the way. Redis
	// removes it too.
	os.Remove(path)
	if err := s.listenOn("unix", path); err != nil {
		return err
	}
	if perm := s.cfg.UnixSocketPerm; perm != 0 {
		return os.Chmod(path, os.FileMode(perm))
	}
	return nil
}

func (s *Server) closeListeners() {
	for _, l := range s.listeners {
		l.Close()
	}
}
