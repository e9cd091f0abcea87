package server

import (
	"time"

	"myredis/commands"
	"myredis/wire"
)

// conn is what both front doors know of a connection. Its fields are touched
// by the executor only.
type conn struct {
	srv    *Server
	client *commands.Client
	dec    wire.Decoder
	link   link
	softAt time.Time // since when Out has been over the soft limit
	gone   bool
	// executing says that a command of this connection runs, and lets others
	// in meanwhile (Engine.OnBusy): its arguments are views of dec.
	executing bool
	request   int // bytes of the request that is being executed
	held      int // what the server's clientMemory has for this connection
}

// link is the way to the peer, which differs by front door.
type link interface {
	// send takes over the client's Out, and sees to it that it is written.
	send(c *conn)
	// unsent returns how many bytes it has taken over and not yet written.
	unsent() int
	// refuse writes a text, as far as the peer takes it at once, and closes.
	refuse(text string)
	// finish closes the connection once everything is written.
	finish()
	// hangUp closes the connection at once.
	hangUp()
	fd() int
}

// FD implements commands.Conn.
func (c *conn) FD() int { return c.link.fd() }

// QueryBuffer implements commands.Conn.
func (c *conn) QueryBuffer() (used, args, free int) {
	args, used = c.dec.Unfinished()
	free = c.dec.Cap() - c.dec.Buffered()
	if c.executing { // Redis counts the request that asks
		used += c.request
		free = max(0, free-c.request)
	}
	return used, args, free
}

// Unsent implements commands.Conn.
func (c *conn) Unsent() int { return c.link.unsent() }

// limit bounds the size of requests as the settings say.
func (c *conn) limit() { c.dec.SetLimits(wire.Limits{Bulk: c.srv.cfg.ProtoMaxBulkLen}) }

// turn runs the requests that have arrived whole, sends the replies, and then
// what those requests have written to other clients.
func (c *conn) turn(received int) {
	e := c.srv.engine
	c.client.NetIn += int64(received)
	e.Stats.NetIn += int64(received)
	if c.srv.account(c); c.srv.evictClients() && c.gone {
		return
	}
	e.Turn()
	c.requests()
	if limit := c.srv.cfg.ClientQueryBufferLimit; int64(c.dec.Buffered()) > limit {
		e.Stats.QueryBufferLimit++
		c.srv.log.Warn("Closing client that reached max query buffer length", "client", c.client.ID, "bytes", c.dec.Buffered())
		c.client.Killed = true
	}
	c.flush()
	c.srv.flushOthers()
	c.srv.account(c)
	c.srv.evictClients()
}

// requests runs requests until there is no whole one left, or the client is
// not to have another.
func (c *conn) requests() {
	for !c.executing && !c.client.Closing && !c.client.Killed && !c.client.Blocked() {
		c.dec.SetUnauthenticated(!c.client.Authenticated())
		held := c.dec.Buffered()
		args, err := c.dec.Next()
		if err != nil {
			c.srv.engine.Refuse(c.client, err)
			return
		}
		if args == nil {
			c.dec.Release() // an idle connection holds no buffer
			return
		}
		c.request = held - c.dec.Buffered()
		c.executing = true
		c.srv.engine.Exec(c.client, args)
		c.executing = false
		if c.client.Out.Len() > readSize && c.client.Overflows() {
			c.srv.engine.Overflowed(c.client)
		}
	}
}

// flush sends what the client has been answered and ends the connection when
// that was asked for.
func (c *conn) flush() {
	if c.gone {
		return
	}
	if c.client.Overflows() {
		c.srv.engine.Overflowed(c.client)
	}
	if c.client.Killed {
		if !c.srv.stopping() { // who has sent SHUTDOWN sees the end when nobody can connect any more
			c.close()
		}
		return
	}
	if c.client.Out.Len() > 0 {
		c.link.send(c)
	}
	if c.client.Closing {
		c.leave()
		c.link.finish()
		return
	}
	c.checkSoftLimit()
}

// checkSoftLimit ends the client if it has let too much wait for too long
// (client-output-buffer-limit).
func (c *conn) checkSoftLimit() {
	limit := c.srv.cfg.ClientOutputBufferLimit[c.client.Class()]
	switch {
	case limit.Soft == 0 || c.client.Output() < limit.Soft:
		c.softAt = time.Time{}
	case c.softAt.IsZero():
		c.softAt = time.Now()
	case time.Since(c.softAt) > time.Duration(limit.SoftSeconds)*time.Second:
		c.srv.engine.Overflowed(c.client)
		c.close()
	}
}

// leave takes the client off the engine's list.
func (c *conn) leave() {
	c.gone = true
	c.srv.forget(c)
	c.srv.engine.Disconnect(c.client)
}

// close ends the client and the connection at once.
func (c *conn) close() {
	if !c.gone {
		c.leave()
		c.link.hangUp()
	}
}

// inspect is the timed look at a client: silent for longer than the timeout
// setting allows, or not reading.
func (c *conn) inspect(now time.Time) {
	limit := time.Duration(c.srv.cfg.Timeout) * time.Second
	if limit > 0 && !c.client.MayIdle() && now.Sub(time.UnixMilli(c.client.LastUsed)) > limit {
		c.close()
		return
	}
	c.checkSoftLimit()
}
