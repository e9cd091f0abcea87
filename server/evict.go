package server

import (
	"cmp"
	"slices"

	"myredis/commands"
)

// maxmemory-clients. What every client holds is added up as it changes, and
// when the sum is too large, the clients that hold most are ended first.
// Without a limit nothing is counted.

// leastClientLimit keeps a limit from being so low that nobody could say
// anything to the server any more.
const leastClientLimit = 128 << 10

// followClientLimit keeps the limit up to the settings, of which one can be in
// percent of the other.
func (s *Server) followClientLimit() {
	set := func() error {
		s.clientLimit = 0
		switch most := s.cfg.MaxmemoryClients; {
		case most > 0:
			s.clientLimit = max(int(most), leastClientLimit)
		case most < 0 && s.cfg.Maxmemory > 0:
			s.clientLimit = max(int(float64(s.cfg.Maxmemory)*float64(-most)/100), leastClientLimit)
		}
		s.engine.EachClient(func(c *commands.Client) { s.account(c.Conn.(*conn)) })
		return nil
	}
	set()
	s.cfg.OnChange("maxmemory-clients", set)
	s.cfg.OnChange("maxmemory", set)
}

// account looks again at what a client holds.
func (s *Server) account(c *conn) {
	held := 0
	if s.clientLimit > 0 && !c.gone && c.client.MayBeEvicted() {
		held = c.client.Memory()
	}
	s.clientMemory += held - c.held
	c.held = held
}

// forget leaves a client that has gone out of the sum.
func (s *Server) forget(c *conn) {
	s.clientMemory -= c.held
	c.held = 0
}

// evictClients ends clients, those that hold most first, until the others hold
// no more than is allowed. It reports whether it has ended any.
func (s *Server) evictClients() (evicted bool) {
	if s.clientLimit == 0 || s.clientMemory < s.clientLimit {
		return false
	}
	var conns []*conn
	s.engine.EachClient(func(c *commands.Client) {
		if conn := c.Conn.(*conn); conn.held > 0 && !conn.executing {
			conns = append(conns, conn)
		}
	})
	slices.SortStableFunc(conns, func(a, b *conn) int { return cmp.Compare(b.held, a.held) })
	for _, c := range conns {
		if s.clientMemory < s.clientLimit {
			break
		}
		s.log.Info("Evicting client", "client", c.client.ID, "addr", c.client.Addr, "name", c.client.Name, "bytes", c.held)
		s.engine.Stats.EvictedClients++
		c.close()
		evicted = true
	}
	return evicted
}
