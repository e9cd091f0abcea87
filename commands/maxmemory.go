package commands

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// maxmemory. Before the first command of a turn, and at every tick, the memory
// in use is compared with the limit; while it is above, keys are evicted as
// maxmemory-policy says (evict.go), and when there is none that may be,
// commands that may need memory are refused.
//
// Redis knows what each key that it frees gives back. Here memory comes back
// when the garbage collector has run, and what is counted as in use is the Go
// heap, with what is no longer referenced and not yet collected. What evicted
// keys will give back is therefore estimated, as MEMORY USAGE does, and taken
// off until the collector has had its turn; what it finds then settles the
// difference.

// memoryGauge reads what maxmemory is compared with.
type memoryGauge struct {
	samples [2]metrics.Sample
	given   uint64 // by evicted keys that may not be collected yet, estimated
	cycle   uint64 // of the collector, when the last key was evicted
	percent int    // that GOGC is set to for the sake of the limit; 0: it is not
	usual   int    // what it was before
}

// read returns the bytes in use and the number of collections so far.
func (g *memoryGauge) read() (used, cycle uint64) {
	g.samples[0].Name = "/memory/classes/heap/objects:bytes"
	g.samples[1].Name = "/gc/cycles/total:gc-cycles"
	metrics.Read(g.samples[:])
	used, cycle = g.samples[0].Value.Uint64(), g.samples[1].Value.Uint64()
	if cycle >= g.cycle+2 { // one that began after the eviction has ended
		g.given = 0
	}
	return used - min(used, g.given), cycle
}

// leastGC and mostGC bound by how many percent the heap may grow between two
// collections: the first keeps the collector from running all the time where
// what is alive reaches the limit.
const leastGC, mostGC = 10, 100

// paceGC lets the collector run the more often, the nearer what is alive comes
// to the limit, so that it is data that fills the memory allowed and not what
// nobody refers to any more. It sets what GOGC sets, for the whole process.
func (e *Engine) paceGC() {
	g := &e.gauge
	limit := float64(e.Config.Maxmemory)
	if limit == 0 {
		if g.percent != 0 {
			debug.SetGCPercent(g.usual)
			g.percent = 0
		}
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	alive := float64(max(live[0].Value.Uint64(), 1))
	percent := int(min(max((limit/alive-1)*100, leastGC), mostGC))
	const step = 5 // smaller changes are not worth stopping for
	if g.percent == 0 || max(percent-g.percent, g.percent-percent) >= step {
		before := debug.SetGCPercent(percent)
		if g.percent == 0 {
			g.usual = before
		}
		g.percent = percent
	}
}

// checkMemory compares memory with the limit and makes room if it may. It
// reports whether there is more to be evicted, which is left for later.
func (e *Engine) checkMemory() (more bool) {
	limit := e.Config.Maxmemory
	if limit == 0 {
		e.overMemory = false
		e.noteExceeded(false)
		return false
	}
	used, cycle := e.gauge.read()
	switch {
	case used <= limit:
		e.overMemory = false
	case e.pause.on(e.Keys.Now): // nothing is to change
	default:
		e.overMemory, more = e.makeRoom(used, cycle)
	}
	e.noteExceeded(e.overMemory || more)
	return more
}

// noteExceeded keeps the time for which memory has been above the limit.
func (e *Engine) noteExceeded(exceeded bool) {
	switch now := e.clock.last; {
	case exceeded && e.exceededSince == 0:
		e.exceededSince = now
	case !exceeded && e.exceededSince != 0:
		e.Stats.ExceededMicros += now - e.exceededSince
		e.exceededSince = 0
	}
}

// makeRoom evicts keys until those that are left fit, or a slice of time is
// over. It reports whether there is no key left to evict, and whether there is
// more to do.
func (e *Engine) makeRoom(used, cycle uint64) (full, more bool) {
	if e.Config.MaxmemoryPolicy == "noeviction" {
		return true, false
	}
	began := time.Now()
	slice := evictionSlice(e.Config.EvictionTenacity)
	for n := 1; used > e.Config.Maxmemory; n++ {
		bytes, ok := e.evictOne()
		if !ok {
			full = true
			break
		}
		e.gauge.given += uint64(bytes)
		e.gauge.cycle = cycle
		used -= min(used, uint64(bytes))
		if n%16 == 0 && time.Since(began) > slice {
			more = true
			break
		}
	}
	e.sampleLatency("eviction-cycle", time.Since(began).Microseconds())
	return full, more
}

// evictionSlice is how long evicting may hold commands up at a time, by
// maxmemory-eviction-tenacity: up to half a millisecond by the default of 10,
// 15 percent more with each step above, without end at 100.
func evictionSlice(tenacity int) time.Duration {
	switch {
	case tenacity <= 10:
		return time.Duration(tenacity) * 50 * time.Microsecond
	case tenacity >= 100:
		return time.Duration(1<<63 - 1)
	}
	slice := 500 * float64(time.Microsecond)
	for range tenacity - 10 {
		slice *= 1.15
	}
	return time.Duration(slice)
}

// followMaxmemory looks again when the limit has changed, before the next
// command: not in the middle of a transaction that changes it.
func (e *Engine) followMaxmemory() {
	e.memoryDue = e.Config.Maxmemory > 0
	due := func() error {
		e.memoryDue = true
		return nil
	}
	e.Config.OnChange("maxmemory", due)
	e.Config.OnChange("maxmemory-policy", func() error {
		e.evictor.pool = nil // its scores are those of another policy
		return due()
	})
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
