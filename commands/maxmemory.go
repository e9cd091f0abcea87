package commands

// maxmemory. Commands that may need memory are refused while the heap is over
// the limit. Redis measures at every command; here the heap is measured at
// every tick, and when the limit changes: it is what the Go runtime counts,
// what is no longer referenced and not yet collected included. Redis would
// evict keys under the other policies than noeviction; nothing is evicted here.

// measureMemory decides whether there is memory left.
func (e *Engine) measureMemory() {
	e.overMemory = false
	if limit := e.Config.Maxmemory; limit > 0 {
		e.overMemory = readMemory().used > limit
	}
}

func (e *Engine) followMaxmemory() {
	measure := func() error {
		e.measureMemory()
		return nil
	}
	measure()
	e.Config.OnChange("maxmemory", measure)
}

// oom reports whether a command is to be refused for want of memory. Queueing
// needs memory too, whatever is queued.
func (e *Engine) oom(c *Client, cmd *Command, args [][]byte) bool {
	if !e.overMemory {
		return false
	}
	if cmd.full == "exec" && c.tx.open() {
		for _, q := range c.tx.queued {
			if e.scriptFlags(q.cmd, q.args)&DenyOOM != 0 {
				return true
			}
		}
	}
	return e.scriptFlags(cmd, args)&DenyOOM != 0 || c.tx.queues(cmd) || c.tx.open() && (cmd.full == "multi" || cmd.full == "watch")
}
