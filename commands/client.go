package commands

import (
	"math"
	"net"
	"time"

	"myredis/internal/acl"
	"myredis/keyspace"
	"myredis/wire"
)

// Conn is what a client's connection tells about itself. It may be asked from
// inside a command, by the goroutine that runs commands.
type Conn interface {
	// FD returns the file descriptor, or 0 when there is none to name.
	FD() int
	// QueryBuffer returns how many bytes of requests are held and how many
	// more there is room for.
	QueryBuffer() (used, free int)
	// Unsent returns how many bytes of replies have left the client's Out but
	// not the process.
	Unsent() int
}

// ReplyMode is what CLIENT REPLY asked for.
type ReplyMode uint8

// Reply modes.
const (
	ReplyOn ReplyMode = iota
	ReplyOff
	ReplySkipNext // CLIENT REPLY SKIP ran: the next command is silent
	ReplySkip     // this command is silent
)

// Client is the state of one connection that commands see and change. A Conn
// carries it; the engine keeps it in its list from Connect to Disconnect.
type Client struct {
	ID       int64
	Addr     string // the peer's "host:port", or "path:0" on a Unix socket
	LAddr    string
	Name     string
	LibName  string
	LibVer   string
	Conn     Conn
	Out      wire.Encoder // replies not yet handed to the connection
	Created  time.Time
	LastUsed int64 // Unix ms of the last command
	NetIn    int64 // bytes received
	NetOut   int64 // bytes sent
	Commands int64 // commands run

	// Closing asks the connection to end once Out is sent; Killed, at once.
	Closing, Killed bool

	engine        *Engine
	db            int
	authenticated bool
	user          *acl.User
	reply         ReplyMode
	pushed        bool // the running command answers by messages, which no ReplyMode silences
	noEvict       bool
	noTouch       bool
	unixSocket    bool
	monitor       bool
	debugEval     bool       // SCRIPT DEBUG SYNC
	debug         *debugging // the script that its requests are for
	script        bool       // no connection, but what a script runs commands as
	waiting       bool       // in engine.pending
	tx            *transaction
	subs          subscriptions
	blocked       *blocked
	lastCommand   *Command
	argvBytes     int // size of the arguments of the running command
	call          Call
	prev, next    *Client
}

// Authenticated reports whether the client may run commands that need it; it
// decides how large its requests may be.
func (c *Client) Authenticated() bool { return c.authenticated || !c.engine.authRequired() }

// local reports whether the client is on this machine.
func (c *Client) local() bool {
	host, _, err := net.SplitHostPort(c.Addr)
	return c.unixSocket || err == nil && net.ParseIP(host).IsLoopback()
}

// Call is one command being run: its arguments and where its reply goes. The
// embedded Encoder appends to the reply.
type Call struct {
	*wire.Encoder
	Args   [][]byte // the name first; views that end with the command
	Client *Client
	Engine *Engine
	DB     *keyspace.DB
	Cmd    *Command
}

// Now returns the command's instant in Unix milliseconds.
func (c *Call) Now() int64 { return c.Engine.Keys.Now }

// db returns the numbered database, or nil when there is none of that number.
func (c *Call) db(n int64) *keyspace.DB {
	if n < 0 || n >= int64(c.Engine.Keys.Len()) {
		return nil
	}
	return c.Engine.Keys.DB(int(n))
}

// look returns the value of a key for a command that reads it: the zero T when
// there is no such key, an error when it holds another type.
func look[T any](c *Call, key []byte) (T, error) { return as[T](c.DB.Look(view(key))) }

// find is look for a command that may change the value: it does not count as a
// hit or a miss.
func find[T any](c *Call, key []byte) (T, error) { return as[T](c.DB.Find(view(key))) }

// as is the one place that decides WRONGTYPE.
func as[T any](o *keyspace.Object) (v T, err error) {
	if o == nil {
		return v, nil
	}
	v, ok := o.Value.(T)
	if !ok {
		return v, errWrongType
	}
	return v, nil
}

// changed is called once for each key that a command has changed, after the
// change: it is what WATCH, keyspace notifications and the count of unsaved
// changes follow. The event is the name that the Redis documentation of
// keyspace notifications gives.
func (c *Call) changed(class notifyClass, event string, key []byte) {
	c.Engine.changed(c.DB, class, event, key)
}

// int parses argument i as an integer.
func (c *Call) int(i int) (int64, error) {
	n, ok := parseInt(c.Args[i])
	if !ok {
		return 0, errNotInteger
	}
	return n, nil
}

// cInt parses argument i as an integer that C's int holds.
func (c *Call) cInt(i int) (int64, error) {
	n, err := c.int(i)
	if err == nil && (n < math.MinInt32 || n > math.MaxInt32) {
		err = errorf("ERR value is out of range, value must between %d and %d", math.MinInt32, math.MaxInt32)
	}
	return n, err
}

// float parses argument i as a double.
func (c *Call) float(i int) (float64, error) {
	f, ok := parseFloat(c.Args[i])
	if !ok {
		return 0, errNotFloat
	}
	return f, nil
}

// ok replies +OK.
func (c *Call) ok() error {
	c.Simple("OK")
	return nil
}

// is reports whether argument i is the word (in upper case) in any case.
func (c *Call) is(i int, word string) bool { return equalFold(c.Args[i], word) }
