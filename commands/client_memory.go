package commands

import "unsafe"

// What a client holds: CLIENT LIST shows it, client-output-buffer-limit and
// maxmemory-clients bound it. Package server watches over the bounds; here is
// what is counted.

// entryOverhead is roughly what a map or a list needs for an entry beside its
// text.
const entryOverhead = 64

// clientMemory are the parts of what a client holds, in bytes.
type clientMemory struct {
	query, queryFree int // requests that have arrived, and room for more
	args             int // of a request that waits, or has not arrived whole
	queued           int // by MULTI
	reply            int // not handed to the connection yet: the buffer's size
	unsent           int // handed to the connection
	other            int // the client itself; what it watches, listens to and follows
}

func (m clientMemory) total() int {
	return m.query + m.queryFree + m.args + m.queued + m.reply + m.unsent + m.other
}

// Memory returns how many bytes the client holds.
func (c *Client) Memory() int { return c.memory().total() }

func (c *Client) memory() (m clientMemory) {
	if c.Conn != nil {
		m.query, m.args, m.queryFree = c.Conn.QueryBuffer()
		m.unsent = c.Conn.Unsent()
	}
	if c.Out.Len() > 0 { // an empty buffer is only lent
		m.reply = cap(c.Out.Buf)
	}
	if c.blocked != nil {
		for _, arg := range c.blocked.args {
			m.args += len(arg)
		}
	}
	m.other = int(unsafe.Sizeof(*c))
	if tx := c.tx; tx != nil {
		m.queued = tx.bytes
		for _, w := range tx.watches {
			m.other += len(w.key) + entryOverhead
		}
	}
	for _, names := range c.subs {
		for _, name := range names {
			m.other += len(name) + entryOverhead
		}
	}
	if c.tracking != nil {
		for _, prefix := range c.tracking.prefixes {
			m.other += len(prefix) + entryOverhead
		}
	}
	return m
}

// MayBeEvicted reports whether maxmemory-clients may end the client.
func (c *Client) MayBeEvicted() bool { return !c.noEvict && c.Class() != Replica }

// smallOutput is how much may wait for a client without its being asked whether
// that is too much. The question is put to all once a turn.
const smallOutput = 16 << 10

// Output returns how many bytes of replies wait to be sent.
func (c *Client) Output() uint64 {
	waiting := c.Out.Len()
	if c.Conn != nil {
		waiting += c.Conn.Unsent()
	}
	return uint64(waiting)
}

// Overflows reports whether more waits to be sent than the hard limit allows.
// The client is then to be ended, and what it waits for to be thrown away. It
// does not concern the client of a script, which has no connection.
func (c *Client) Overflows() bool {
	limit := c.engine.Config.ClientOutputBufferLimit[c.Class()].Hard
	return limit > 0 && c.Conn != nil && c.Output() >= limit
}

// pointless reports whether a command need not go on with its reply, since the
// client is going to be ended for the size of it.
func (c *Call) pointless() bool { return c.Len() > smallOutput && c.Client.Overflows() }

// Overflowed ends a client whose replies are too many.
func (e *Engine) Overflowed(c *Client) {
	c.Out.Truncate(0)
	if c.Killed {
		return
	}
	e.Stats.OutputBufferLimit++
	e.Log.Warn("Client closed for overcoming of output buffer limits", "client", c.ID)
	c.Killed = true
}
