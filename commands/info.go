package commands

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"myredis/keyspace"
)

// infoCommands is INFO, what the server tells of itself.
var infoCommands = []*Command{{
	Name: "info", Arity: -1, Flags: Loading | Stale, Group: GroupServer, Categories: CatDangerous, Run: info,
	Since: "1.0.0", Cost: "O(1)", Summary: "Tells about the server and its figures.", Syntax: "[section [section ...]]",
	Tips: []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
}}

// infoSections are in the order in which INFO prints them. Those that are not
// in the default answer are printed when they are named, or with "all", or
// with "everything".
var infoSections = []struct {
	name      string
	byDefault bool
	write     func(*Engine, *infoText)
}{
	{"Server", true, (*Engine).infoServer},
	{"Clients", true, (*Engine).infoClients},
	{"Memory", true, (*Engine).infoMemory},
	{"Persistence", true, (*Engine).infoPersistence},
	{"Stats", true, (*Engine).infoStats},
	{"Replication", true, (*Engine).infoReplication},
	{"CPU", true, (*Engine).infoCPU},
	{"Modules", true, func(*Engine, *infoText) {}},
	{"Commandstats", false, (*Engine).infoCommandstats},
	{"Errorstats", true, (*Engine).infoErrorstats},
	{"Cluster", true, func(_ *Engine, t *infoText) { t.field("cluster_enabled", 0) }},
	{"Keyspace", true, (*Engine).infoKeyspace},
}

// infoText collects the lines of INFO.
type infoText struct{ strings.Builder }

func (t *infoText) section(name string) {
	if t.Len() > 0 {
		t.WriteString("\r\n")
	}
	t.WriteString("# " + name + "\r\n")
}

func (t *infoText) field(name string, value any) { fmt.Fprintf(t, "%s:%v\r\n", name, value) }

func (t *infoText) bytes(name string, n uint64) {
	t.field(name, n)
	t.field(name+"_human", humanBytes(n))
}

func info(c *Call) error {
	wanted := map[string]bool{}
	for _, arg := range c.Args[1:] {
		wanted[strings.ToLower(string(arg))] = true
	}
	everything := wanted["all"] || wanted["everything"]
	standard := len(wanted) == 0 || wanted["default"]
	var text infoText
	for _, s := range infoSections {
		if everything || standard && s.byDefault || wanted[strings.ToLower(s.name)] {
			text.section(s.name)
			s.write(c.Engine, &text)
		}
	}
	c.Verbatim("txt", text.String())
	return nil
}

func (e *Engine) infoServer(t *infoText) {
	door, workers, port := "none", 1, 0
	if e.Host != nil {
		door, workers = e.Host.Mode()
		port = e.Host.Port()
	}
	executable, _ := os.Executable()
	now := e.clock.read()
	uptime := int64(time.Since(e.started).Seconds())
	t.field("redis_version", RedisVersion)
	t.field("redis_git_sha1", "00000000")
	t.field("redis_git_dirty", 0)
	t.field("redis_build_id", "0")
	t.field("redis_mode", "standalone")
	t.field("myredis_version", Version)
	t.field("myredis_workers", workers)
	t.field("myredis_gap", e.Config.Gap)
	t.field("os", operatingSystem())
	t.field("arch_bits", 32<<(^uint(0)>>63))
	t.field("monotonic_clock", "Go runtime")
	t.field("multiplexing_api", door)
	t.field("atomicvar_api", "none")
	t.field("gcc_version", "0.0.0")
	t.field("go_version", runtime.Version())
	t.field("process_id", os.Getpid())
	t.field("process_supervised", "no")
	t.field("run_id", e.runID)
	t.field("tcp_port", port)
	t.field("server_time_usec", now)
	t.field("uptime_in_seconds", uptime)
	t.field("uptime_in_days", uptime/86400)
	t.field("hz", e.Config.Hz)
	t.field("configured_hz", e.Config.Hz)
	t.field("lru_clock", now/1_000_000&(1<<24-1))
	t.field("executable", executable)
	t.field("config_file", e.Config.File)
	t.field("io_threads_active", 0)
}

func (e *Engine) infoClients(t *infoText) {
	in, out := 0, 0
	e.EachClient(func(c *Client) {
		if c.Conn != nil {
			used, _ := c.Conn.QueryBuffer()
			in, out = max(in, used), max(out, c.Conn.Unsent())
		}
	})
	t.field("connected_clients", e.Clients())
	t.field("cluster_connections", 0)
	t.field("maxclients", e.Config.MaxClients)
	t.field("client_recent_max_input_buffer", in)
	t.field("client_recent_max_output_buffer", out)
	t.field("blocked_clients", e.waiters.count)
	t.field("tracking_clients", 0)
	t.field("clients_in_timeout_table", len(e.waiters.timed))
}

// memory is what the Go runtime says of its heap.
type memory struct{ used, heap, total uint64 }

func readMemory() memory {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/total:bytes"},
	}
	metrics.Read(samples)
	used := samples[0].Value.Uint64()
	return memory{used: used, heap: used + samples[1].Value.Uint64(), total: samples[2].Value.Uint64()}
}

func (e *Engine) infoMemory(t *infoText) {
	m := readMemory()
	rss := residentMemory()
	e.Stats.PeakMemory = max(e.Stats.PeakMemory, m.used)
	ratio := func(a, b uint64) string { return fmt.Sprintf("%.2f", float64(a)/float64(max(b, 1))) }
	t.bytes("used_memory", m.used)
	t.bytes("used_memory_rss", rss)
	t.bytes("used_memory_peak", e.Stats.PeakMemory)
	t.field("used_memory_peak_perc", fmt.Sprintf("%.2f%%", 100*float64(m.used)/float64(e.Stats.PeakMemory)))
	t.field("used_memory_overhead", m.total-m.heap)
	t.field("used_memory_startup", e.startMemory)
	dataset := m.used - min(m.used, e.startMemory)
	t.field("used_memory_dataset", dataset)
	t.field("used_memory_dataset_perc", fmt.Sprintf("%.2f%%", 100*float64(dataset)/float64(m.used)))
	t.field("allocator_allocated", m.used)
	t.field("allocator_active", m.heap)
	t.field("allocator_resident", m.total)
	t.bytes("total_system_memory", systemMemory())
	t.bytes("used_memory_lua", 0)
	t.bytes("used_memory_scripts", 0)
	t.field("number_of_cached_scripts", 0)
	t.bytes("maxmemory", uint64(e.Config.Maxmemory))
	t.field("maxmemory_policy", e.Config.MaxmemoryPolicy)
	t.field("allocator_frag_ratio", ratio(m.heap, m.used))
	t.field("allocator_frag_bytes", m.heap-m.used)
	t.field("allocator_rss_ratio", ratio(m.total, m.heap))
	t.field("mem_fragmentation_ratio", ratio(rss, m.used))
	t.field("mem_fragmentation_bytes", int64(rss)-int64(m.used))
	t.field("mem_not_counted_for_evict", 0)
	t.field("mem_replication_backlog", 0)
	t.field("mem_clients_slaves", 0)
	t.field("mem_clients_normal", 0)
	t.field("mem_aof_buffer", 0)
	t.field("mem_allocator", "go")
	t.field("active_defrag_running", 0)
	t.field("lazyfree_pending_objects", 0)
	t.field("lazyfreed_objects", 0)
}

func (e *Engine) infoPersistence(t *infoText) {
	t.field("loading", 0)
	t.field("async_loading", 0)
	t.field("rdb_changes_since_last_save", e.dirty)
	t.field("rdb_bgsave_in_progress", 0)
	t.field("rdb_last_save_time", e.started.Unix())
	t.field("rdb_last_bgsave_status", "ok")
	t.field("rdb_last_bgsave_time_sec", -1)
	t.field("rdb_current_bgsave_time_sec", -1)
	t.field("aof_enabled", 0)
	t.field("aof_rewrite_in_progress", 0)
	t.field("aof_rewrite_scheduled", 0)
	t.field("aof_last_bgrewrite_status", "ok")
	t.field("aof_last_write_status", "ok")
}

func (e *Engine) infoStats(t *infoText) {
	s, ks := &e.Stats, &e.Keys.Stats
	t.field("total_connections_received", s.Connections)
	t.field("total_commands_processed", s.Commands)
	t.field("instantaneous_ops_per_sec", int64(math.Round(s.InstantOps.PerSecond())))
	t.field("total_net_input_bytes", s.NetIn)
	t.field("total_net_output_bytes", s.NetOut)
	t.field("instantaneous_input_kbps", fmt.Sprintf("%.2f", s.InstantIn.PerSecond()/1024))
	t.field("instantaneous_output_kbps", fmt.Sprintf("%.2f", s.InstantOut.PerSecond()/1024))
	t.field("rejected_connections", s.Rejected)
	t.field("sync_full", 0)
	t.field("sync_partial_ok", 0)
	t.field("sync_partial_err", 0)
	t.field("expired_keys", ks.Expired)
	t.field("expired_stale_perc", "0.00")
	t.field("expired_time_cap_reached_count", s.ActiveExpireStopped)
	t.field("expire_cycle_cpu_milliseconds", s.ExpireCycleMicros/1000)
	t.field("evicted_keys", 0)
	t.field("evicted_clients", 0)
	t.field("client_query_buffer_limit_disconnections", s.QueryBufferLimit)
	t.field("client_output_buffer_limit_disconnections", s.OutputBufferLimit)
	t.field("keyspace_hits", ks.Hits)
	t.field("keyspace_misses", ks.Misses)
	t.field("pubsub_channels", len(e.topics[channels]))
	t.field("pubsub_patterns", len(e.topics[patterns]))
	t.field("pubsubshard_channels", len(e.topics[shardChannels]))
	t.field("latest_fork_usec", 0)
	t.field("total_forks", 0)
	t.field("tracking_total_keys", 0)
	t.field("tracking_total_items", 0)
	t.field("tracking_total_prefixes", 0)
	t.field("unexpected_error_replies", s.PanickedCommands)
	t.field("total_error_replies", s.ErrorReplies)
}

func (e *Engine) infoReplication(t *infoText) {
	t.field("role", "master")
	t.field("connected_slaves", 0)
	t.field("master_failover_state", "no-failover")
	t.field("master_replid", e.runID)
	t.field("master_replid2", strings.Repeat("0", 40))
	t.field("master_repl_offset", 0)
	t.field("second_repl_offset", -1)
	t.field("repl_backlog_active", 0)
	t.field("repl_backlog_size", e.Config.ReplBacklogSize)
	t.field("repl_backlog_first_byte_offset", 0)
	t.field("repl_backlog_histlen", 0)
}

func (e *Engine) infoCPU(t *infoText) {
	user, sys := processTimes()
	t.field("used_cpu_sys", fmt.Sprintf("%.6f", sys.Seconds()))
	t.field("used_cpu_user", fmt.Sprintf("%.6f", user.Seconds()))
	t.field("used_cpu_sys_children", "0.000000")
	t.field("used_cpu_user_children", "0.000000")
}

func (e *Engine) infoCommandstats(t *infoText) {
	for _, cmd := range e.allRows() {
		s := cmd.stats
		if s.Calls+s.Rejected+s.Failed == 0 {
			continue
		}
		t.field("cmdstat_"+cmd.full, fmt.Sprintf("calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
			s.Calls, s.Microseconds, float64(s.Microseconds)/float64(max(s.Calls, 1)), s.Rejected, s.Failed))
	}
}

func (e *Engine) infoErrorstats(t *infoText) {
	var codes []string
	for code := range e.errors {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		t.field("errorstat_"+code, fmt.Sprintf("count=%d", e.errors[code]))
	}
}

func (e *Engine) infoKeyspace(t *infoText) {
	for i := range e.Keys.Len() {
		db := e.Keys.DB(i)
		if db.Len() > 0 {
			t.field(fmt.Sprintf("db%d", i), fmt.Sprintf("keys=%d,expires=%d,avg_ttl=%d", db.Len(), db.Volatile(), meanTTL(db, e.Keys.Now)))
		}
	}
}

// meanTTL is the mean of the times to live, in milliseconds, of up to sixteen
// keys that have one. Redis reports an average of samples too.
func meanTTL(db *keyspace.DB, now int64) int64 {
	sum, n := int64(0), int64(0)
	db.Volatiles(16, func(o *keyspace.Object) {
		sum += max(0, o.ExpireAt()-now)
		n++
	})
	return sum / max(n, 1)
}

// allRows returns every row that counts calls: containers' subcommands in the
// place of the containers.
func (e *Engine) allRows() (rows []*Command) {
	for _, cmd := range e.rows {
		if cmd.Run != nil {
			rows = append(rows, cmd)
		}
		rows = append(rows, cmd.Sub...)
	}
	return rows
}

// humanBytes prints a size as INFO's *_human fields do.
func humanBytes(n uint64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%dB", n)
	}
	f, i := float64(n)/1024, 0
	for f >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	return fmt.Sprintf("%.2f%c", f, units[i])
}
