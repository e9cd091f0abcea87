package config

import "math"

// flags say how a parameter may be read and set.
type flags uint8

const (
	immutable   flags = 1 << iota // set at start only
	protected                     // CONFIG SET needs enable-protected-configs
	sensitive                     // its value is a secret
	hidden                        // no pattern finds it
	multi                         // takes several arguments
	volatileRow                   // names something that may change behind the name: each SET counts as a change
	denyLoading                   // not while a data set is being loaded
)

// A param is one parameter: a row of the table.
type param struct {
	name, alias string
	flags       flags
	value       value
}

// params returns the table. Names, types, bounds and defaults are those of
// Redis 7.0.15's config.c, and its order within each kind is kept so that the
// two can be laid side by side. A value with no field of its own has no meaning
// here: it is accepted, kept and reported.
func (c *Config) params() []*param {
	var table []*param
	for _, part := range [][]*param{c.own(), c.switches(), c.texts(), c.choices(), c.numbers(), c.sizes(), c.tls(), c.specials()} {
		table = append(table, part...)
	}
	return table
}

// own are the parameters that Redis does not have. No pattern finds them: tools
// that read all parameters of a Redis set them again.
func (c *Config) own() []*param {
	return []*param{
		{"workers", "", immutable | hidden, integer(&c.Workers, 1, 1, 64)},
		{"gap", "", immutable | hidden, text(&c.Gap, "none").checked(isGap)},
		{"front-door", "", immutable | hidden, choice(&c.FrontDoor, "auto", "auto", "epoll", "goroutine")},
	}
}

func (c *Config) switches() []*param {
	return []*param{
		{"rdbchecksum", "", immutable, yesno(&c.RDBChecksum, true)},
		{"daemonize", "", immutable, yesno(&c.Daemonize, false)},
		{"io-threads-do-reads", "", immutable, yesno(new(bool), false)},
		{"always-show-logo", "", immutable, yesno(&c.AlwaysShowLogo, false)},
		{"protected-mode", "", 0, yesno(&c.ProtectedMode, true)},
		{"rdbcompression", "", 0, yesno(&c.RDBCompression, true)},
		{"rdb-del-sync-files", "", 0, yesno(&c.RDBDelSyncFiles, false)},
		{"activerehashing", "", 0, yesno(&c.ActiveRehashing, true)},
		{"stop-writes-on-bgsave-error", "", 0, yesno(&c.StopWritesOnError, true)},
		{"set-proc-title", "", immutable, yesno(&c.SetProcTitle, true)},
		{"dynamic-hz", "", 0, yesno(&c.DynamicHz, true)},
		{"lazyfree-lazy-eviction", "", 0, yesno(&c.LazyfreeLazyEviction, false)},
		{"lazyfree-lazy-expire", "", 0, yesno(&c.LazyfreeLazyExpire, false)},
		{"lazyfree-lazy-server-del", "", 0, yesno(&c.LazyfreeLazyServerDel, false)},
		{"lazyfree-lazy-user-del", "", 0, yesno(&c.LazyfreeLazyUserDel, false)},
		{"lazyfree-lazy-user-flush", "", 0, yesno(&c.LazyfreeLazyUserFlush, false)},
		{"repl-disable-tcp-nodelay", "", 0, yesno(&c.ReplDisableTCPNoDelay, false)},
		{"repl-diskless-sync", "", 0, yesno(&c.ReplDisklessSync, true)},
		{"aof-rewrite-incremental-fsync", "", 0, yesno(&c.AOFRewriteIncremental, true)},
		{"no-appendfsync-on-rewrite", "", 0, yesno(&c.NoAppendfsyncRewrite, false)},
		{"cluster-require-full-coverage", "", 0, yesno(new(bool), true)},
		{"rdb-save-incremental-fsync", "", 0, yesno(&c.RDBSaveIncremental, true)},
		{"aof-load-truncated", "", 0, yesno(&c.AOFLoadTruncated, true)},
		{"aof-use-rdb-preamble", "", 0, yesno(&c.AOFUseRDBPreamble, true)},
		{"aof-timestamp-enabled", "", 0, yesno(&c.AOFTimestamps, false)},
		{"cluster-replica-no-failover", "cluster-slave-no-failover", 0, yesno(new(bool), false)},
		{"replica-lazy-flush", "slave-lazy-flush", 0, yesno(&c.ReplicaLazyFlush, false)},
		{"replica-serve-stale-data", "slave-serve-stale-data", 0, yesno(&c.ReplicaServeStaleData, true)},
		{"replica-read-only", "slave-read-only", 0, yesno(&c.ReplicaReadOnly, true)},
		{"replica-ignore-maxmemory", "slave-ignore-maxmemory", 0, yesno(&c.ReplicaIgnoreMaxmemory, true)},
		{"jemalloc-bg-thread", "", 0, yesno(new(bool), true)},
		{"activedefrag", "", 0, yesno(new(bool), false).checked(noDefrag)},
		{"syslog-enabled", "", immutable, yesno(&c.SyslogEnabled, false)},
		{"cluster-enabled", "", immutable, yesno(new(bool), false).checked(noCluster)},
		{"appendonly", "", denyLoading, yesno(&c.Appendonly, false).checked(noAppendonly)},
		{"cluster-allow-reads-when-down", "", 0, yesno(new(bool), false)},
		{"cluster-allow-pubsubshard-when-down", "", 0, yesno(new(bool), true)},
		{"crash-log-enabled", "", 0, yesno(&c.CrashLogEnabled, true)},
		{"crash-memcheck-enabled", "", 0, yesno(new(bool), true)},
		{"use-exit-on-panic", "", hidden, yesno(new(bool), false)},
		{"disable-thp", "", immutable, yesno(new(bool), true)},
		{"cluster-allow-replica-migration", "", 0, yesno(new(bool), true)},
		{"replica-announced", "", 0, yesno(&c.ReplicaAnnounced, true)},
		{"latency-tracking", "", 0, yesno(&c.LatencyTracking, true)},
		{"aof-disable-auto-gc", "", 0, yesno(&c.AOFDisableAutoGC, false)},
		{"replica-ignore-disk-write-errors", "", 0, yesno(&c.ReplicaIgnoreDiskErrors, false)},
	}
}

func (c *Config) texts() []*param {
	return []*param{
		{"aclfile", "", immutable, text(&c.ACLFile, "")},
		{"unixsocket", "", immutable, optional(&c.UnixSocket)},
		{"pidfile", "", immutable, optional(&c.Pidfile)},
		{"replica-announce-ip", "slave-announce-ip", 0, optional(&c.ReplicaAnnounceIP)},
		{"masteruser", "", sensitive, optional(&c.MasterUser)},
		{"cluster-announce-ip", "", 0, optional(new(string))},
		{"cluster-config-file", "", immutable, text(new(string), "nodes.conf")},
		{"cluster-announce-hostname", "", 0, optional(new(string)).checked(isHostname)},
		{"syslog-ident", "", immutable, text(&c.SyslogIdent, "redis")},
		{"dbfilename", "", protected, text(&c.DBFilename, "dump.rdb").checked(isBaseName("dbfilename", "filename", true))},
		{"appendfilename", "", immutable, text(&c.AppendFilename, "appendonly.aof").checked(isBaseName("appendfilename", "filename", false))},
		{"appenddirname", "", immutable, text(&c.AppendDirname, "appendonlydir").checked(isBaseName("appenddirname", "dirname", false))},
		{"server_cpulist", "", immutable, optional(new(string))},
		{"bio_cpulist", "", immutable, optional(new(string))},
		{"aof_rewrite_cpulist", "", immutable, optional(new(string))},
		{"bgsave_cpulist", "", immutable, optional(new(string))},
		{"ignore-warnings", "", 0, text(new(string), "")},
		{"proc-title-template", "", 0, text(&c.ProcTitleTemplate, "{title} {listen-addr} {server-mode}").checked(c.isProcTitle)},
		{"bind-source-addr", "", 0, optional(new(string))},
		{"logfile", "", immutable, text(&c.LogFile, "")},
		{"masterauth", "", sensitive, optional(&c.MasterAuth)},
		{"requirepass", "", sensitive, optional(&c.Requirepass)},
	}
}

func (c *Config) choices() []*param {
	return []*param{
		{"supervised", "", immutable, choice(&c.Supervised, "no", "upstart", "systemd", "auto", "no")},
		{"syslog-facility", "", immutable, choice(&c.SyslogFacility, "local0",
			"user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7")},
		{"repl-diskless-load", "", denyLoading, choice(&c.ReplDisklessLoad, "disabled", "disabled", "on-empty-db", "swapdb")},
		{"loglevel", "", 0, choice(&c.LogLevel, "notice", "debug", "verbose", "notice", "warning")},
		{"maxmemory-policy", "", 0, choice(&c.MaxmemoryPolicy, "noeviction",
			"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction")},
		{"appendfsync", "", 0, choice(&c.AppendFsync, "everysec", "everysec", "always", "no")},
		{"oom-score-adj", "", 0, choice(new(string), "no", "no", "yes", "relative", "absolute").alias("relative", "yes")},
		{"acl-pubsub-default", "", 0, choice(&c.ACLPubsubDefault, "resetchannels", "allchannels", "resetchannels")},
		{"sanitize-dump-payload", "", 0, choice(&c.SanitizeDumpPayload, "no", "no", "yes", "clients")},
		{"enable-protected-configs", "", immutable, choice(&c.EnableProtected, "no", "no", "yes", "local")},
		{"enable-debug-command", "", immutable, choice(&c.EnableDebugCommand, "no", "no", "yes", "local")},
		{"enable-module-command", "", immutable, choice(&c.EnableModuleCmd, "no", "no", "yes", "local")},
		{"cluster-preferred-endpoint-type", "", 0, choice(new(string), "ip", "ip", "hostname", "unknown-endpoint")},
		{"propagation-error-behavior", "", 0, choice(&c.PropagationErrorAction, "ignore", "ignore", "panic", "panic-on-replicas")},
		{"shutdown-on-sigint", "", multi, shutdownFlags(&c.ShutdownSigint)},
		{"shutdown-on-sigterm", "", multi, shutdownFlags(&c.ShutdownSigterm)},
	}
}

func (c *Config) numbers() []*param {
	const most = math.MaxInt32
	return []*param{
		{"databases", "", immutable, integer(&c.Databases, 16, 1, most)},
		{"port", "", 0, integer(&c.Port, DefaultPort, 0, 65535)}, // Redis: 6379
		{"io-threads", "", immutable, integer(new(int), 1, 1, 128)},
		{"auto-aof-rewrite-percentage", "", 0, integer(&c.AOFRewritePercentage, 100, 0, most)},
		{"cluster-replica-validity-factor", "cluster-slave-validity-factor", 0, integer(new(int), 10, 0, most)},
		{"list-max-listpack-size", "list-max-ziplist-size", 0, integer(&c.ListMaxListpackSize, -2, math.MinInt32, most)},
		{"tcp-keepalive", "", 0, integer(&c.TCPKeepAlive, 300, 0, most)},
		{"cluster-migration-barrier", "", 0, integer(new(int), 1, 0, most)},
		{"active-defrag-cycle-min", "", 0, integer(new(int), 1, 1, 99)},
		{"active-defrag-cycle-max", "", 0, integer(new(int), 25, 1, 99)},
		{"active-defrag-threshold-lower", "", 0, integer(new(int), 10, 0, 1000)},
		{"active-defrag-threshold-upper", "", 0, integer(new(int), 100, 0, 1000)},
		{"lfu-log-factor", "", 0, integer(&c.LFULogFactor, 10, 0, most)},
		{"lfu-decay-time", "", 0, integer(&c.LFUDecayTime, 1, 0, most)},
		{"replica-priority", "slave-priority", 0, integer(&c.ReplicaPriority, 100, 0, most)},
		{"repl-diskless-sync-delay", "", 0, integer(&c.ReplDisklessSyncDelay, 5, 0, most)},
		{"maxmemory-samples", "", 0, integer(&c.MaxmemorySamples, 5, 1, most)},
		{"maxmemory-eviction-tenacity", "", 0, integer(&c.EvictionTenacity, 10, 0, 100)},
		{"timeout", "", 0, integer(&c.Timeout, 0, 0, most)},
		{"replica-announce-port", "slave-announce-port", 0, integer(&c.ReplicaAnnouncePort, 0, 0, 65535)},
		{"tcp-backlog", "", immutable, integer(&c.TCPBacklog, 511, 0, most)},
		{"cluster-port", "", immutable, integer(new(int), 0, 0, 65535)},
		{"cluster-announce-bus-port", "", 0, integer(new(int), 0, 0, 65535)},
		{"cluster-announce-port", "", 0, integer(new(int), 0, 0, 65535)},
		{"cluster-announce-tls-port", "", 0, integer(new(int), 0, 0, 65535)},
		{"repl-timeout", "", 0, integer(&c.ReplTimeout, 60, 1, most)},
		{"repl-ping-replica-period", "repl-ping-slave-period", 0, integer(&c.ReplPingReplicaPeriod, 10, 1, most)},
		{"list-compress-depth", "", 0, integer(&c.ListCompressDepth, 0, 0, most)},
		{"rdb-key-save-delay", "", hidden, integer(&c.RDBKeySaveDelay, 0, math.MinInt32, most)},
		{"key-load-delay", "", hidden, integer(&c.KeyLoadDelay, 0, math.MinInt32, most)},
		{"active-expire-effort", "", 0, integer(&c.ActiveExpireEffort, 1, 1, 10)},
		{"hz", "", 0, integer(&c.Hz, 10, 0, most).clamped(1, 500)},
		{"min-replicas-to-write", "min-slaves-to-write", 0, integer(&c.MinReplicasToWrite, 0, 0, most)},
		{"min-replicas-max-lag", "min-slaves-max-lag", 0, integer(&c.MinReplicasMaxLag, 10, 0, most)},
		{"watchdog-period", "", hidden, integer(new(int), 0, 0, most)},
		{"shutdown-timeout", "", 0, integer(&c.ShutdownTimeout, 10, 0, most)},
		{"repl-diskless-sync-max-replicas", "", 0, integer(&c.ReplDisklessSyncMax, 0, 0, most)},

		{"maxclients", "", 0, integer(&c.MaxClients, 10000, 1, math.MaxUint32).unsigned()},
		{"unixsocketperm", "", immutable, integer(&c.UnixSocketPerm, 0, 0, 0o777).unsigned().octal()},
		{"socket-mark-id", "", immutable, integer(&c.SocketMarkID, 0, 0, math.MaxUint32).unsigned()},
	}
}

func (c *Config) sizes() []*param {
	const most = math.MaxInt64
	return []*param{
		{"active-defrag-max-scan-fields", "", 0, integer(new(int64), 1000, 1, most)},
		{"slowlog-max-len", "", 0, integer(&c.SlowlogMaxLen, 128, 0, most)},
		{"acllog-max-len", "", 0, integer(&c.ACLLogMaxLen, 128, 0, most)},

		{"busy-reply-threshold", "lua-time-limit", 0, integer(&c.BusyReplyThreshold, 5000, 0, most)},
		{"cluster-node-timeout", "", 0, integer(new(int64), 15000, 0, most)},
		{"slowlog-log-slower-than", "", 0, integer(&c.SlowlogLogSlowerThan, 10000, -1, most)},
		{"latency-monitor-threshold", "", 0, integer(&c.LatencyMonitorThreshold, 0, 0, most)},
		{"proto-max-bulk-len", "", 0, integer(&c.ProtoMaxBulkLen, 512<<20, 1<<20, most).memory()},
		{"stream-node-max-entries", "", 0, integer(&c.StreamNodeMaxEntries, 100, 0, most)},
		{"repl-backlog-size", "", 0, integer(&c.ReplBacklogSize, 1<<20, 1, most).memory().clamped(16<<10, most)},

		{"maxmemory", "", 0, integer(&c.Maxmemory, 0, 0, math.MaxUint64).unsigned().memory()},
		{"cluster-link-sendbuf-limit", "", 0, integer(new(uint64), 0, 0, math.MaxUint64).unsigned().memory()},

		{"hash-max-listpack-entries", "hash-max-ziplist-entries", 0, integer(&c.HashMaxListpackEntries, 512, 0, most).unsigned()},
		{"set-max-intset-entries", "", 0, integer(&c.SetMaxIntsetEntries, 512, 0, most).unsigned()},
		{"zset-max-listpack-entries", "zset-max-ziplist-entries", 0, integer(&c.ZsetMaxListpackEntries, 128, 0, most).unsigned()},
		{"active-defrag-ignore-bytes", "", 0, integer(new(int64), 100<<20, 1, most).unsigned().memory()},
		{"hash-max-listpack-value", "hash-max-ziplist-value", 0, integer(&c.HashMaxListpackValue, 64, 0, most).unsigned().memory()},
		{"stream-node-max-bytes", "", 0, integer(&c.StreamNodeMaxBytes, 4096, 0, most).unsigned().memory()},
		{"zset-max-listpack-value", "zset-max-ziplist-value", 0, integer(&c.ZsetMaxListpackValue, 64, 0, most).unsigned().memory()},
		{"hll-sparse-max-bytes", "", 0, integer(&c.HLLSparseMaxBytes, 3000, 0, most).unsigned().memory()},
		{"tracking-table-max-keys", "", 0, integer(&c.TrackingTableMaxKeys, 1000000, 0, most).unsigned()},
		{"client-query-buffer-limit", "", 0, integer(&c.ClientQueryBufferLimit, 1<<30, 1<<20, most).unsigned().memory()},
		{"maxmemory-clients", "", 0, integer(&c.MaxmemoryClients, 0, -100, most).memory().percent()},

		{"repl-backlog-ttl", "", 0, integer(&c.ReplBacklogTTL, 3600, 0, most)},
		{"auto-aof-rewrite-min-size", "", 0, integer(&c.AOFRewriteMinSize, 64<<20, 0, most).memory()},
		{"loading-process-events-interval-bytes", "", hidden, integer(&c.LoadingEventsInterval, 2<<20, 1024, math.MaxInt32)},
	}
}

func (c *Config) tls() []*param {
	return []*param{
		{"tls-port", "", 0, integer(new(int), 0, 0, 65535).checked(noTLS[int64])},
		{"tls-session-cache-size", "", 0, integer(new(int), 20*1024, 0, math.MaxInt32)},
		{"tls-session-cache-timeout", "", 0, integer(new(int), 300, 0, math.MaxInt32)},
		{"tls-cluster", "", 0, yesno(new(bool), false).checked(noTLS[bool])},
		{"tls-replication", "", 0, yesno(new(bool), false).checked(noTLS[bool])},
		{"tls-auth-clients", "", 0, choice(new(string), "yes", "no", "yes", "optional")},
		{"tls-prefer-server-ciphers", "", 0, yesno(new(bool), false)},
		{"tls-session-caching", "", 0, yesno(new(bool), true)},
		{"tls-cert-file", "", volatileRow, optional(new(string))},
		{"tls-key-file", "", volatileRow, optional(new(string))},
		{"tls-key-file-pass", "", 0, optional(new(string))},
		{"tls-client-cert-file", "", volatileRow, optional(new(string))},
		{"tls-client-key-file", "", volatileRow, optional(new(string))},
		{"tls-client-key-file-pass", "", 0, optional(new(string))},
		{"tls-dh-params-file", "", volatileRow, optional(new(string))},
		{"tls-ca-cert-file", "", volatileRow, optional(new(string))},
		{"tls-ca-cert-dir", "", volatileRow, optional(new(string))},
		{"tls-protocols", "", 0, optional(new(string))},
		{"tls-ciphers", "", 0, optional(new(string))},
		{"tls-ciphersuites", "", 0, optional(new(string))},
	}
}

// specials are the parameters with a grammar of their own (special.go).
func (c *Config) specials() []*param {
	c.Save = []SavePoint{{3600, 1}, {300, 100}, {60, 10000}}
	c.ClientOutputBufferLimit = defaultOutputLimits
	c.Bind = defaultBind
	c.LatencyPercentiles = []float64{50, 99, 99.9}
	oom := defaultOOMScores
	return []*param{
		{"dir", "", protected | denyLoading, dir{c}},
		{"save", "", multi, save{c}},
		{"client-output-buffer-limit", "", multi, outputLimits{&c.ClientOutputBufferLimit}},
		{"oom-score-adj-values", "", multi, oomScores{&oom}},
		{"notify-keyspace-events", "", 0, events{&c.NotifyKeyspaceEvents}},
		{"bind", "", multi, bind{&c.Bind}},
		{"replicaof", "slaveof", immutable | multi, replicaOf{}},
		{"latency-tracking-info-percentiles", "", multi, percentiles{&c.LatencyPercentiles}},
	}
}
