package commands

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"time"

	"myredis/internal/acl"
	"myredis/internal/config"
	"myredis/keyspace"
)

// Host is what the engine asks of the process that runs it.
type Host interface {
	// Shutdown begins the end of the server; it returns before the end.
	Shutdown()
	// Port returns the TCP port that clients connect to; 0 for none.
	Port() int
	// Mode describes how commands are executed, for INFO: the front door and
	// the number of workers.
	Mode() (door string, workers int)
}

// Engine runs commands: the keyspace, the table, and what is known about every
// client. See the package comment for who may call it when.
type Engine struct {
	Keys   *keyspace.Keyspace
	Config *config.Config
	Log    *slog.Logger
	Stats  Stats
	Host   Host

	// OnBusy, when set, is called from time to time inside a command that
	// takes long (a script), to let other clients' requests in by Exec. It
	// must not wait.
	OnBusy func()

	table      map[string]*Command
	rows       []*Command // every top-level row, by name
	clock      clock
	settled    bool // clock.last is the present: nothing has run since it was read
	started    time.Time
	runID      string
	nextID     int64
	first      *Client // all clients, in order of connection
	last       *Client
	byID       map[int64]*Client
	pending    []*Client // clients whose Out has grown outside their own turn
	monitors   []*Client
	watched    watchers
	waiters    waiters
	pause      pause
	slowlog    slowlog
	scripts    scripting
	users      *acl.Users
	refusals   acl.Log
	topics     [3]topics
	events     notifyClass // what notify-keyspace-events asks for
	dirty      int64       // changes since the last save
	errors     map[string]int64
	overMemory bool // maxmemory is exceeded
	passive    bool // DEBUG SET-ACTIVE-EXPIRE 0
	idle       bool // DEBUG PAUSE-CRON 1

	startMemory uint64 // in use before there was anything to keep
}

// Stats are the counters of INFO that the engine and the server keep together.
type Stats struct {
	Connections, Rejected int64
	Commands              int64
	NetIn, NetOut         int64
	ErrorReplies          int64
	QueryBufferLimit      int64 // clients ended for holding too large a request
	OutputBufferLimit     int64 // clients ended for not reading their replies
	ExpireCycleMicros     int64
	ActiveExpireStopped   int64 // expiry slices that ended before the work did
	InstantOps            rate
	InstantIn, InstantOut rate
	PeakMemory            uint64
	PanickedCommands      int64
}

// rate is a moving average over the last samples, as INFO's instantaneous_*
// fields are (16 samples of a tenth of a second).
type rate struct {
	samples [16]float64
	at      int
	last    int64
}

func (r *rate) sample(total int64, elapsed time.Duration) {
	if elapsed <= 0 {
		return
	}
	r.samples[r.at%len(r.samples)] = float64(total-r.last) / elapsed.Seconds()
	r.at++
	r.last = total
}

// PerSecond returns the average.
func (r *rate) PerSecond() float64 {
	sum := 0.0
	for _, s := range r.samples {
		sum += s
	}
	return sum / float64(len(r.samples))
}

// New returns an engine with empty databases. The host may be nil for use
// without a server.
func New(cfg *config.Config, host Host, log *slog.Logger) *Engine {
	e := &Engine{
		Keys:    keyspace.New(cfg.Databases),
		Config:  cfg,
		Log:     log,
		Host:    host,
		started: time.Now(),
		runID:   newRunID(),
		byID:    map[int64]*Client{},
		errors:  map[string]int64{},
		topics:  [3]topics{{}, {}, {}},
	}
	e.rows, e.table = index(families)
	e.startMemory = readMemory().used
	e.followEvents()
	e.followPolicy()
	e.followMaxmemory()
	e.followUsers()
	e.clock.adjust()
	e.Keys.Now = e.clock.read() / 1000
	e.Keys.OnExpire = func(db *keyspace.DB, key string) {
		e.changed(db, eventExpired, "expired", []byte(key))
	}
	return e
}

// Connect makes a client and adds it to the list. Addresses are "host:port";
// network is that of net.Addr ("tcp", "unix").
func (e *Engine) Connect(conn Conn, network, addr, laddr string) *Client {
	e.nextID++
	now := time.Now()
	c := &Client{
		ID: e.nextID, Addr: addr, LAddr: laddr, Conn: conn, Created: now, LastUsed: now.UnixMilli(),
		engine: e, unixSocket: network == "unix", prev: e.last,
	}
	c.Out.Proto = 2
	e.defaultAuth(c)
	if e.last == nil {
		e.first = c
	} else {
		e.last.next = c
	}
	e.last = c
	e.byID[c.ID] = c
	e.Stats.Connections++
	return c
}

// Disconnect takes a client off the list and ends what it had begun.
func (e *Engine) Disconnect(c *Client) {
	if e.byID[c.ID] != c {
		return
	}
	c.leaveDebugger()
	e.resetState(c)
	delete(e.byID, c.ID)
	if c.prev == nil {
		e.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		e.last = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

// Clients returns how many clients are connected.
func (e *Engine) Clients() int { return len(e.byID) }

// wrote notes that a client's Out has grown, or that it is to be closed, in
// somebody else's turn.
func (e *Engine) wrote(c *Client) {
	if !c.waiting {
		c.waiting = true
		e.pending = append(e.pending, c)
	}
}

// Pending calls flush for each client that another one's command has written
// to or closed since the last call.
func (e *Engine) Pending(flush func(*Client)) {
	for len(e.pending) > 0 {
		c := e.pending[len(e.pending)-1]
		e.pending = e.pending[:len(e.pending)-1]
		c.waiting = false
		flush(c)
	}
}

// Turn is called before the first of a run of commands: it looks at the clock,
// which between two commands of a run is not looked at again.
func (e *Engine) Turn() {
	e.clock.read()
	e.settled = true
}

// Tick does the work that is due by time: removing keys that have expired, for
// at most a slice of a millisecond, and sampling the rates of INFO. It returns
// how long the caller may wait before the next one.
func (e *Engine) Tick(elapsed time.Duration) (next time.Duration) {
	e.clock.adjust()
	began := e.clock.read()
	e.Keys.Now = began / 1000
	e.Stats.InstantOps.sample(e.Stats.Commands, elapsed)
	e.Stats.InstantIn.sample(e.Stats.NetIn, elapsed)
	e.Stats.InstantOut.sample(e.Stats.NetOut, elapsed)
	if e.Config.Maxmemory > 0 {
		e.measureMemory()
	}
	e.expireWaiters()
	if e.pause.until != 0 && !e.pause.on(e.Keys.Now) {
		e.unpause()
	}
	next = tickEvery
	if e.passive || e.idle || e.Keys.NoExpire {
		return next
	}
	if _, more := e.Keys.ExpireDue(expireSlice); more {
		e.Stats.ActiveExpireStopped++
		next = expirePause
	}
	e.Stats.ExpireCycleMicros += e.clock.read() - began
	return next
}

const (
	// tickEvery is the pace of timed work (Redis: hz 10).
	tickEvery = 100 * time.Millisecond
	// expireSlice bounds how long removing expired keys may hold the
	// executor; expirePause is left to commands before the next slice, so
	// that a mass expiry takes at most a quarter of the time.
	expireSlice = 500 * time.Microsecond
	expirePause = 1500 * time.Microsecond
)

// changed is told of every change of a key. See Call.changed.
func (e *Engine) changed(db *keyspace.DB, class notifyClass, event string, key []byte) {
	e.dirty++
	e.watched.touch(db, key)
	e.waiters.touch(db, key)
	if e.events&class != 0 {
		e.notify(db, event, key)
	}
}

// newRunID returns what identifies one run of the server: 40 hexadecimal
// digits.
func newRunID() string {
	var random [20]byte
	rand.Read(random[:])
	return hex.EncodeToString(random[:])
}
