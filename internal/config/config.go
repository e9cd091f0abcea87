package config

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"myredis/internal/glob"
)

// DefaultPort is where the server listens. Redis listens on 6379: the two can
// stand side by side.
const DefaultPort = 6380

// A Pair is the name of a parameter and its value as text.
type Pair struct{ Name, Value string }

// A SavePoint asks for a snapshot after so many seconds when at least so many
// changes were made.
type SavePoint struct{ Seconds, Changes int64 }

// An OutputLimit bounds what waits for a client that does not read: a client
// is closed at Hard bytes, and after being above Soft bytes for SoftSeconds.
// A zero means no limit.
type OutputLimit struct {
	Hard, Soft  uint64
	SoftSeconds int
}

// The classes of clients that ClientOutputBufferLimit is indexed by.
const (
	ClassNormal = iota
	ClassReplica
	ClassPubSub
)

// Config holds the current values. The fields are for reading; [Config.Set]
// changes them. A name in a comment is that of the parameter where the field's
// is not enough to find it; units are bytes and seconds unless said.
type Config struct {
	// File is the absolute path of the configuration file, empty when the
	// server was started without one.
	File string
	// Loading is true while a data set is being loaded. The server sets it;
	// some parameters cannot be changed then.
	Loading bool

	// Network.
	Bind               []string // addresses; "*" is every one, a leading "-" makes it optional; empty for none
	Port               int      // 0: none
	TCPBacklog         int
	TCPKeepAlive       int    // seconds between probes, 0: none
	UnixSocket         string // path, empty: none
	UnixSocketPerm     uint32 // mode bits, 0: what the umask gives
	ProtectedMode      bool
	Timeout            int // seconds a client may be idle, 0: for ever
	MaxClients         int
	SocketMarkID       uint32
	ProcTitleTemplate  string
	Requirepass        string // empty: none
	ACLFile            string
	Users              [][]string // declared by user lines: a name and its rules
	ACLPubsubDefault   string     // allchannels or resetchannels
	ACLLogMaxLen       int64
	EnableDebugCommand string // no, yes or local; so the two below
	EnableModuleCmd    string // enable-module-command
	EnableProtected    string // enable-protected-configs

	// Process.
	Daemonize       bool
	Supervised      string // upstart, systemd, auto or no
	Pidfile         string
	LogLevel        string // debug, verbose, notice or warning
	LogFile         string // empty: standard output
	SyslogEnabled   bool
	SyslogIdent     string
	SyslogFacility  string
	AlwaysShowLogo  bool
	SetProcTitle    bool
	Dir             string // absolute
	Databases       int
	Hz              int
	DynamicHz       bool
	CrashLogEnabled bool
	ShutdownTimeout int
	ShutdownSigint  string // shutdown-on-sigint: default, or of save nosave now force
	ShutdownSigterm string // shutdown-on-sigterm

	// Limits of clients.
	ProtoMaxBulkLen         int64
	ClientQueryBufferLimit  int64
	ClientOutputBufferLimit [3]OutputLimit // by class
	MaxmemoryClients        int64          // bytes; below zero, percent of Maxmemory
	TrackingTableMaxKeys    int64

	// Memory.
	Maxmemory               uint64 // 0: no limit
	MaxmemoryPolicy         string // noeviction, allkeys-lru, ...
	MaxmemorySamples        int
	EvictionTenacity        int // maxmemory-eviction-tenacity
	LFULogFactor            int
	LFUDecayTime            int // minutes
	ActiveExpireEffort      int // 1 to 10
	LazyfreeLazyEviction    bool
	LazyfreeLazyExpire      bool
	LazyfreeLazyServerDel   bool
	LazyfreeLazyUserDel     bool
	LazyfreeLazyUserFlush   bool
	ActiveRehashing         bool
	ReplicaIgnoreMaxmemory  bool
	HashMaxListpackEntries  int64
	HashMaxListpackValue    int64
	ListMaxListpackSize     int // elements; below zero, a size class of 4 KB to 64 KB
	ListCompressDepth       int
	SetMaxIntsetEntries     int64
	ZsetMaxListpackEntries  int64
	ZsetMaxListpackValue    int64
	StreamNodeMaxBytes      int64
	StreamNodeMaxEntries    int64
	HLLSparseMaxBytes       int64
	SanitizeDumpPayload     string // no, yes or clients
	LoadingEventsInterval   int64  // loading-process-events-interval-bytes
	RDBKeySaveDelay         int    // microseconds; for tests
	KeyLoadDelay            int    // microseconds; for tests
	PropagationErrorAction  string // propagation-error-behavior
	ReplicaIgnoreDiskErrors bool   // replica-ignore-disk-write-errors

	// Observation.
	NotifyKeyspaceEvents    string // classes as they were set, such as "KEA"
	SlowlogLogSlowerThan    int64  // microseconds, below zero: never
	SlowlogMaxLen           int64
	LatencyMonitorThreshold int64 // milliseconds, 0: off
	LatencyTracking         bool
	LatencyPercentiles      []float64 // latency-tracking-info-percentiles
	BusyReplyThreshold      int64     // milliseconds

	// Persistence.
	Save                  []SavePoint
	DBFilename            string
	RDBCompression        bool
	RDBChecksum           bool
	RDBDelSyncFiles       bool
	RDBSaveIncremental    bool // rdb-save-incremental-fsync
	StopWritesOnError     bool // stop-writes-on-bgsave-error
	Appendonly            bool
	AppendFilename        string
	AppendDirname         string
	AppendFsync           string // everysec, always or no
	NoAppendfsyncRewrite  bool   // no-appendfsync-on-rewrite
	AOFLoadTruncated      bool
	AOFUseRDBPreamble     bool
	AOFTimestamps         bool  // aof-timestamp-enabled
	AOFRewriteIncremental bool  // aof-rewrite-incremental-fsync
	AOFDisableAutoGC      bool  // aof-disable-auto-gc
	AOFRewritePercentage  int   // auto-aof-rewrite-percentage
	AOFRewriteMinSize     int64 // auto-aof-rewrite-min-size

	// Replication.
	MasterUser            string
	MasterAuth            string
	ReplBacklogSize       int64
	ReplBacklogTTL        int64
	ReplTimeout           int
	ReplPingReplicaPeriod int
	ReplDisableTCPNoDelay bool
	ReplDisklessSync      bool
	ReplDisklessSyncDelay int
	ReplDisklessSyncMax   int    // repl-diskless-sync-max-replicas
	ReplDisklessLoad      string // disabled, on-empty-db or swapdb
	ReplicaServeStaleData bool
	ReplicaReadOnly       bool
	ReplicaLazyFlush      bool
	ReplicaPriority       int
	ReplicaAnnounced      bool
	ReplicaAnnounceIP     string
	ReplicaAnnouncePort   int
	MinReplicasToWrite    int
	MinReplicasMaxLag     int

	// Ours, which Redis does not have.
	Workers   int    // goroutines that execute commands, 1 to 64
	Gap       string // none, yield or a duration: how long nobody runs inside a look-up
	FrontDoor string // auto, epoll or goroutine: how requests reach the executor

	table      []*param
	names      map[string]spelling // by lower-case name, aliases too
	hooks      map[*param][]func() error
	directives map[string]Directive
	saves      struct {
		loaded bool // a save line has replaced the default points
		adding bool // another one adds to them
	}
	reading int // how many texts are being loaded, one inside the other
}

// A spelling is one of the one or two names of a parameter.
type spelling struct {
	name  string
	param *param
}

// Default returns a configuration in which nothing has been set.
func Default() *Config {
	c := &Config{
		names:      map[string]spelling{},
		hooks:      map[*param][]func() error{},
		directives: map[string]Directive{},
	}
	// Without a working directory paths stay relative, which still works.
	c.Dir, _ = os.Getwd()
	c.table = c.params()
	for _, p := range c.table {
		for _, name := range []string{p.name, p.alias} {
			if name == "" {
				continue
			}
			if _, taken := c.names[name]; taken {
				panic("config: two parameters are called " + name)
			}
			c.names[name] = spelling{name, p}
		}
	}
	return c
}

// lookup finds a parameter by either of its names, in upper or lower case.
func (c *Config) lookup(name string) (spelling, bool) {
	s, ok := c.names[strings.ToLower(name)]
	return s, ok
}

// Get returns the parameters whose names match any of the patterns, each name
// once, as CONFIG GET does: an alias counts as a name of its own, a name without
// wildcards comes back spelled as it was asked for, and hidden parameters are
// found by their full names only.
func (c *Config) Get(patterns ...string) []Pair {
	var pairs []Pair
	found := map[string]bool{}
	add := func(name string, p *param) {
		if key := strings.ToLower(name); !found[key] {
			found[key] = true
			pairs = append(pairs, Pair{name, p.value.String()})
		}
	}
	for _, pattern := range patterns {
		if !strings.ContainsAny(pattern, "[*?") {
			if s, ok := c.lookup(pattern); ok {
				add(pattern, s.param)
			}
			continue
		}
		for _, p := range c.table {
			for _, name := range []string{p.name, p.alias} {
				if name != "" && p.flags&hidden == 0 && glob.Match(pattern, name, true) {
					add(name, p)
				}
			}
		}
	}
	return pairs
}

// Sensitive reports whether a parameter's value must not be shown in logs, the
// slow log or MONITOR.
func (c *Config) Sensitive(name string) bool {
	s, ok := c.lookup(name)
	return ok && s.param.flags&sensitive != 0
}

// OnChange registers a function that takes up a change of a parameter, which it
// finds in place. [Config.Set] runs it when the value differs from before. An
// error says why the change cannot be; its text ends the reply, and everything
// is set back. It must then have left things as they were.
//
// It panics when there is no such parameter.
func (c *Config) OnChange(name string, apply func() error) {
	s, ok := c.lookup(name)
	if !ok {
		panic("config: no parameter is called " + name)
	}
	c.hooks[s.param] = append(c.hooks[s.param], apply)
}

// Path returns the path of a file that the configuration names: relative ones
// are below Dir.
func (c *Config) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(cmp.Or(c.Dir, "."), name)
}
