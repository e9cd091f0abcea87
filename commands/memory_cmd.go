package commands

import (
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"unsafe"

	"myredis/internal/heap"
	"myredis/keyspace"
	"myredis/keyspace/hash"
	"myredis/keyspace/list"
	setkind "myredis/keyspace/set"
	"myredis/keyspace/stream"
	"myredis/sortedset"
)

// memoryCommands are MEMORY. What is told is of the Go heap and of the
// structures here, under Redis's names.
var memoryCommands = []*Command{{
	Name: "memory", Arity: -2, Group: GroupServer, Categories: CatNone, Since: "4.0.0", Summary: "Tells how memory is used.",
	Sub: []*Command{
		{Name: "doctor", Arity: 2, Group: GroupServer, Categories: CatNone, Run: memoryDoctor, Since: "4.0.0", Cost: "O(1)", Summary: "Tells what is wrong with the use of memory.", Tips: []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"}},
		{Name: "malloc-stats", Arity: 2, Group: GroupServer, Categories: CatNone, Run: memoryMallocStats, Since: "4.0.0", Cost: "O(1)", Summary: "Answers what the allocator tells of itself.", Tips: []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"}},
		{Name: "purge", Arity: 2, Group: GroupServer, Categories: CatNone, Run: memoryPurge, Since: "4.0.0", Cost: "O(N) with the size of the heap", Summary: "Gives memory that is not in use back to the system.", Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}},
		{Name: "stats", Arity: 2, Group: GroupServer, Categories: CatNone, Run: memoryStats, Since: "4.0.0", Cost: "O(1)", Summary: "Tells what memory is used for.", Tips: []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"}},
		{Name: "usage", Arity: -3, Flags: ReadOnly, Group: GroupServer, Categories: CatNone, Keys: []KeySpec{keyAt(2, RO)}, Run: memoryUsage, Since: "4.0.0", Cost: "O(N) with N samples", Summary: "Estimates how much memory a key and its value take.", Syntax: "key [SAMPLES count]"},
	},
}}

// perKey is what a key takes in the table of its database beside its string and
// its object: its share of a bucket.
const perKey = 40

// objectSize is the size of an object without what it points to.
var objectSize = heap.Size(int(unsafe.Sizeof(keyspace.Object{})))

// valueBytes estimates what a value takes, by so many of its elements.
func valueBytes(o *keyspace.Object, samples int) int {
	switch v := o.Value.(type) {
	case int64:
		return heap.Size(int(unsafe.Sizeof(v)))
	case []byte:
		return heap.Size(int(unsafe.Sizeof(v))) + heap.Size(cap(v))
	case *list.List:
		return v.Bytes()
	case *setkind.Set:
		return v.Bytes(samples)
	case *sortedset.Set:
		return v.Bytes(samples)
	case *hash.Hash:
		return v.Bytes(samples)
	case *stream.Stream:
		return v.Bytes(samples)
	}
	return 0
}

// usualSamples is by how many elements a value is judged where nobody says.
const usualSamples = 5

// keyBytes estimates what a key and its value take.
func keyBytes(o *keyspace.Object, samples int) int {
	return valueBytes(o, samples) + objectSize + perKey + heap.Size(len(o.Key()))
}

func memoryUsage(c *Call) error {
	samples := usualSamples
	for i := 3; i < len(c.Args); i++ {
		if !c.is(i, "SAMPLES") || i+1 == len(c.Args) {
			return errSyntax
		}
		i++
		n, err := c.int(i)
		switch {
		case err != nil:
			return err
		case n < 0:
			return errSyntax
		case n == 0:
			n = math.MaxInt
		}
		samples = int(n)
	}
	o := c.DB.Stored(view(c.Args[2]))
	if o == nil {
		c.Null()
		return nil
	}
	c.Int(int64(keyBytes(o, samples)))
	return nil
}

// databaseOverhead is what the tables of a database take.
type databaseOverhead struct{ index, main, expires int }

// memoryReport is what MEMORY STATS and DOCTOR go by.
type memoryReport struct {
	memory
	rss, peak         uint64
	clients, overhead uint64
	scripts           uint64 // code of functions
	keys              uint64
	databases         []databaseOverhead
}

func (e *Engine) memoryReport() memoryReport {
	r := memoryReport{memory: readMemory(), rss: residentMemory(), overhead: e.startMemory}
	e.Stats.PeakMemory = max(e.Stats.PeakMemory, r.used)
	r.peak = e.Stats.PeakMemory
	e.EachClient(func(c *Client) { r.clients += uint64(c.Memory()) })
	for _, lib := range e.scripts.lib.byName {
		r.scripts += uint64(len(lib.Code))
	}
	r.overhead += r.clients + r.scripts
	for i := range e.Keys.Len() {
		if db := e.Keys.DB(i); db.Len() > 0 {
			o := databaseOverhead{index: i}
			o.main, o.expires = db.Overhead()
			o.main += db.Len() * objectSize
			r.overhead += uint64(o.main + o.expires)
			r.keys += uint64(db.Len())
			r.databases = append(r.databases, o)
		}
	}
	return r
}

// dataset is what is in use for data alone.
func (r *memoryReport) dataset() uint64 { return r.used - min(r.used, r.overhead) }

// memoryStats replies with a map of figures. Those of what there is nothing of
// here are zero.
func memoryStats(c *Call) error {
	r := c.Engine.memoryReport()
	start := c.Engine.startMemory
	net := float64(max(1, r.used-min(r.used, start)))
	ratio := func(a, b uint64) float64 { return float64(a) / float64(max(b, 1)) }
	c.Map(27 + len(r.databases))
	c.figure("peak.allocated", r.peak)
	c.figure("total.allocated", r.used)
	c.figure("startup.allocated", start)
	c.figure("replication.backlog", 0)
	c.figure("clients.slaves", 0)
	c.figure("clients.normal", r.clients)
	c.figure("cluster.links", 0)
	c.figure("aof.buffer", 0)
	c.figure("lua.caches", 0)
	c.figure("functions.caches", r.scripts)
	for _, db := range r.databases {
		c.BulkString("db." + strconv.Itoa(db.index))
		c.Map(3)
		c.figure("overhead.hashtable.main", uint64(db.main))
		c.figure("overhead.hashtable.expires", uint64(db.expires))
		c.figure("overhead.hashtable.slot-to-keys", 0)
	}
	c.figure("overhead.total", r.overhead)
	c.figure("keys.count", r.keys)
	each := uint64(0)
	if r.keys > 0 {
		each = uint64(net) / r.keys
	}
	c.figure("keys.bytes-per-key", each)
	c.figure("dataset.bytes", r.dataset())
	c.fraction("dataset.percentage", 100*float64(r.dataset())/net)
	c.fraction("peak.percentage", 100*ratio(r.used, r.peak))
	c.figure("allocator.allocated", r.used)
	c.figure("allocator.active", r.heap)
	c.figure("allocator.resident", r.total)
	c.fraction("allocator-fragmentation.ratio", ratio(r.heap, r.used))
	c.figure("allocator-fragmentation.bytes", r.heap-r.used)
	c.fraction("allocator-rss.ratio", ratio(r.total, r.heap))
	c.figure("allocator-rss.bytes", r.total-r.heap)
	c.fraction("rss-overhead.ratio", ratio(r.rss, r.total))
	c.difference("rss-overhead.bytes", r.rss, r.total)
	c.fraction("fragmentation", ratio(r.rss, r.used))
	c.difference("fragmentation.bytes", r.rss, r.used)
	return nil
}

// figure replies with a name and a number of bytes.
func (c *Call) figure(name string, n uint64) {
	c.BulkString(name)
	c.Int(int64(n))
}

// difference replies with a name and by how much a is more than b.
func (c *Call) difference(name string, a, b uint64) {
	c.BulkString(name)
	c.Int(int64(a) - int64(b))
}

func (c *Call) fraction(name string, f float64) {
	c.BulkString(name)
	c.Double(f)
}

// memoryMallocStats replies with what the Go runtime tells of its memory.
func memoryMallocStats(c *Call) error {
	var b strings.Builder
	for _, d := range metrics.All() {
		if d.Kind == metrics.KindUint64 && (strings.HasPrefix(d.Name, "/memory/") || strings.HasPrefix(d.Name, "/gc/heap/")) {
			sample := []metrics.Sample{{Name: d.Name}}
			metrics.Read(sample)
			fmt.Fprintf(&b, "%s %d\n", d.Name, sample[0].Value.Uint64())
		}
	}
	c.Verbatim("txt", b.String())
	return nil
}

func memoryPurge(c *Call) error {
	debug.FreeOSMemory()
	return c.ok()
}

// memoryDoctor replies as Redis's doctor where there is nothing to tell. What
// it finds is about Go's heap, and so are its words.
func memoryDoctor(c *Call) error {
	const little, large = 5 << 20, 10 << 20
	r := c.Engine.memoryReport()
	var findings []string
	find := func(yes bool, text string) {
		if yes {
			findings = append(findings, " * "+text+"\n\n")
		}
	}
	if r.used < little {
		c.Verbatim("txt", "Hi Sam, this instance is empty or is using very little memory, my issues detector can't be used in these conditions. Please, leave for your mission on Earth and fill it with some data. The new Sam and I will be back to our programming as soon as I finished rebooting.\n")
		return nil
	}
	find(2*r.peak > 3*r.used, "Peak memory: once more than one and a half times as much memory was in use as is. MEMORY PURGE gives what is left of it back to the system.")
	find(10*r.rss > 14*r.used && r.rss > r.used+large, "Resident memory: the process holds much more memory than is in use. Garbage that is not collected yet is part of it; MEMORY PURGE collects it.")
	find(r.clients/uint64(max(1, c.Engine.Clients())) > 200<<10, "Clients: their buffers take more than 200 KB for each. CLIENT LIST tells which of them do not read their replies.")
	if len(findings) == 0 {
		c.Verbatim("txt", "Hi Sam, I can't find any memory issue in your instance. I can only account for what occurs on this base.\n")
		return nil
	}
	c.Verbatim("txt", "Sam, I detected a few issues in this instance:\n\n"+strings.Join(findings, ""))
	return nil
}
