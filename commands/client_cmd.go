package commands

import (
	"fmt"
	"strings"

	"myredis/internal/acl"
)

// clientFlags are those of nearly every CLIENT subcommand.
const clientFlags = NoScript | Loading | Stale

// clientCommands is CLIENT, which shows and changes connections.
var clientCommands = []*Command{{
	Name: "client", Arity: -2, Group: GroupConnection, Categories: CatNone, Since: "2.4.0", Summary: "Shows and changes client connections.",
	Sub: []*Command{
		{Name: "id", Arity: 2, Flags: clientFlags, Group: GroupConnection, Run: clientID, Since: "5.0.0", Cost: "O(1)", Summary: "Answers the number of the connection."},
		{Name: "getname", Arity: 2, Flags: clientFlags, Group: GroupConnection, Run: clientGetname, Since: "2.6.9", Cost: "O(1)", Summary: "Answers the name of the connection."},
		{Name: "setname", Arity: 3, Flags: clientFlags, Group: GroupConnection, Run: clientSetname, Since: "2.6.9", Cost: "O(1)", Summary: "Names the connection.", Syntax: "connection-name"},
		// Redis: SETINFO and NO-TOUCH came with 7.2; client libraries send them unasked.
		{Name: "setinfo", Arity: 4, Flags: clientFlags, Group: GroupConnection, Run: clientSetinfo, Since: "7.2.0", Cost: "O(1)", Summary: "Tells the library of the client.", Syntax: "LIB-NAME libname|LIB-VER libver"},
		{Name: "no-touch", Arity: 3, Flags: clientFlags, Group: GroupConnection, Run: clientNoTouch, Since: "7.2.0", Cost: "O(1)", Summary: "Lets reads leave no trace in access times.", Syntax: "ON|OFF"},
		{Name: "info", Arity: 2, Flags: clientFlags, Group: GroupConnection, Run: clientInfo, Since: "6.2.0", Cost: "O(1)", Summary: "Describes this connection.", Tips: []string{"nondeterministic_output"}},
		{Name: "list", Arity: -2, Flags: Admin | clientFlags, Group: GroupConnection, Run: clientList, Since: "2.4.0", Cost: "O(N) with N connections", Summary: "Describes connections.", Syntax: "[TYPE NORMAL|MASTER|REPLICA|PUBSUB] [ID client-id [client-id ...]]", Tips: []string{"nondeterministic_output"}},
		{Name: "kill", Arity: -3, Flags: Admin | clientFlags, Group: GroupConnection, Run: clientKill, Since: "2.4.0", Cost: "O(N) with N connections", Summary: "Closes connections.", Syntax: "ip:port|<[ID client-id] [TYPE NORMAL|MASTER|SLAVE|REPLICA|PUBSUB] [USER username] [ADDR ip:port] [LADDR ip:port] [SKIPME yes/no] [...]>"},
		{Name: "no-evict", Arity: 3, Flags: Admin | clientFlags, Group: GroupConnection, Run: clientNoEvict, Since: "7.0.0", Cost: "O(1)", Summary: "Spares the connection when clients are evicted.", Syntax: "ON|OFF"},
		{Name: "unblock", Arity: -3, Flags: Admin | clientFlags, Group: GroupConnection, Run: clientUnblock, Since: "5.0.0", Cost: "O(log N) with N waiting clients", Summary: "Ends the wait of a client.", Syntax: "client-id [TIMEOUT|ERROR]"},
		{Name: "pause", Arity: -3, Flags: Admin | clientFlags, Group: GroupConnection, Run: clientPause, Since: "3.0.0", Cost: "O(1)", Summary: "Holds requests back for a time.", Syntax: "timeout [WRITE|ALL]"},
		{Name: "unpause", Arity: 2, Flags: Admin | clientFlags, Group: GroupConnection, Run: clientUnpause, Since: "6.2.0", Cost: "O(N) with N held requests", Summary: "Ends a pause."},
		{Name: "reply", Arity: 3, Flags: clientFlags, Group: GroupConnection, Run: clientReply, Since: "3.2.0", Cost: "O(1)", Summary: "Chooses whether commands are answered.", Syntax: "ON|OFF|SKIP"},
	},
}}

// Class is the kind of client that client-output-buffer-limit distinguishes,
// in the order of the setting: normal, replica, pubsub.
type Class int

// The classes of clients. One that monitors counts as a replica, as in Redis.
const (
	Normal Class = iota
	Replica
	PubSubClient
)

// classNamed knows the names that CLIENT LIST TYPE takes; -1 is a class that
// no client can be of here.
func classNamed(name []byte) (Class, bool) {
	switch {
	case equalFold(name, "NORMAL"):
		return Normal, true
	case equalFold(name, "REPLICA"), equalFold(name, "SLAVE"):
		return Replica, true
	case equalFold(name, "PUBSUB"):
		return PubSubClient, true
	case equalFold(name, "MASTER"):
		return -1, true
	}
	return 0, false
}

// Class returns the client's class.
func (c *Client) Class() Class {
	switch {
	case c.monitor:
		return Replica
	case c.listens():
		return PubSubClient
	}
	return Normal
}

// MayIdle reports whether the client is exempt from the timeout setting.
func (c *Client) MayIdle() bool { return c.monitor || c.listens() || c.blocked != nil }

// EachClient calls f for every client in order of connection. f may end it.
func (e *Engine) EachClient(f func(*Client)) {
	for c := e.first; c != nil; {
		next := c.next
		f(c)
		c = next
	}
}

// flags are the letters of CLIENT LIST's flags field.
func (c *Client) flags() string {
	var letters []byte
	for _, f := range []struct {
		on     bool
		letter byte
	}{
		{c.monitor, 'O'},
		{c.listens(), 'P'},
		{c.tx.open(), 'x'},
		{c.blocked != nil, 'b'},
		{c.tx != nil && c.tx.dirty, 'd'},
		{c.Closing, 'c'},
		{c.Killed, 'A'},
		{c.unixSocket, 'U'},
		{c.noEvict, 'e'},
		{c.noTouch, 'T'},
	} {
		if f.on {
			letters = append(letters, f.letter)
		}
	}
	if len(letters) == 0 {
		return "N"
	}
	return string(letters)
}

// describe appends the line that CLIENT LIST has for a client.
func (c *Client) describe(dst []byte, now int64) []byte {
	var fd, used, free, unsent int
	if c.Conn != nil {
		fd = c.Conn.FD()
		used, free = c.Conn.QueryBuffer()
		unsent = c.Conn.Unsent()
	}
	queued, queuedBytes := -1, 0
	if c.tx.open() {
		queued, queuedBytes = len(c.tx.queued), c.tx.bytes
	}
	command := "NULL"
	if c.lastCommand != nil {
		command = c.lastCommand.full
	}
	buffer := cap(c.Out.Buf)
	total := used + free + c.argvBytes + queuedBytes + buffer + unsent
	dst = fmt.Appendf(dst, "id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=%d multi=%d",
		c.ID, c.Addr, c.LAddr, fd, c.Name, (now-c.Created.UnixMilli())/1000, (now-c.LastUsed)/1000, c.flags(), c.db,
		len(c.subs[channels]), len(c.subs[patterns]), len(c.subs[shardChannels]), queued)
	dst = fmt.Appendf(dst, " qbuf=%d qbuf-free=%d argv-mem=%d multi-mem=%d rbs=%d rbp=%d obl=%d oll=%d omem=%d tot-mem=%d events=r cmd=%s user=%s redir=-1 resp=%d",
		used, free, c.argvBytes, queuedBytes, buffer, buffer, c.Out.Len(), 0, unsent, total, command, c.user.Name, c.Out.Proto)
	// Redis: 7.2 has these two always, 7.0 never. They are shown to those who
	// have told them.
	if c.LibName != "" || c.LibVer != "" {
		dst = fmt.Appendf(dst, " lib-name=%s lib-ver=%s", c.LibName, c.LibVer)
	}
	return append(dst, '\n')
}

func clientID(c *Call) error {
	c.Int(c.Client.ID)
	return nil
}

func clientGetname(c *Call) error {
	if c.Client.Name == "" {
		c.Null()
	} else {
		c.BulkString(c.Client.Name)
	}
	return nil
}

func clientSetname(c *Call) error {
	if err := c.Client.rename(c.Args[2]); err != nil {
		return err
	}
	return c.ok()
}

func clientSetinfo(c *Call) error {
	var field *string
	switch {
	case c.is(2, "LIB-NAME"):
		field = &c.Client.LibName
	case c.is(2, "LIB-VER"):
		field = &c.Client.LibVer
	default:
		return errorf("ERR Unrecognized option '%s'", c.Args[2])
	}
	if !printable(c.Args[3]) {
		return errorf("ERR %s cannot contain spaces, newlines or special characters.", strings.ToLower(string(c.Args[2])))
	}
	*field = string(c.Args[3])
	return c.ok()
}

// onOff parses argument 2 of a subcommand that switches something.
func (c *Call) onOff() (bool, error) {
	switch {
	case c.is(2, "ON"):
		return true, nil
	case c.is(2, "OFF"):
		return false, nil
	}
	return false, errSyntax
}

func clientNoTouch(c *Call) (err error) {
	if c.Client.noTouch, err = c.onOff(); err != nil {
		return err
	}
	return c.ok()
}

func clientNoEvict(c *Call) (err error) {
	if c.Client.noEvict, err = c.onOff(); err != nil {
		return err
	}
	return c.ok()
}

func clientReply(c *Call) error {
	client := c.Client
	switch {
	case c.is(2, "ON"):
		client.reply = ReplyOn
		return c.ok()
	case c.is(2, "OFF"):
		client.reply = ReplyOff
	case c.is(2, "SKIP"):
		if client.reply != ReplyOff {
			client.reply = ReplySkipNext
		}
	default:
		return errSyntax
	}
	return nil
}

func clientInfo(c *Call) error {
	c.Verbatim("txt", string(c.Client.describe(nil, c.Now())))
	return nil
}

func clientList(c *Call) error {
	var list []byte
	switch {
	case len(c.Args) == 2:
		c.Engine.EachClient(func(o *Client) { list = o.describe(list, c.Now()) })
	case len(c.Args) == 4 && c.is(2, "TYPE"):
		class, ok := classNamed(c.Args[3])
		if !ok {
			return errorf("ERR Unknown client type '%s'", c.Args[3])
		}
		c.Engine.EachClient(func(o *Client) {
			if o.Class() == class {
				list = o.describe(list, c.Now())
			}
		})
	case len(c.Args) > 3 && c.is(2, "ID"):
		for _, arg := range c.Args[3:] {
			id, ok := parseInt(arg)
			if !ok {
				return Error("ERR Invalid client ID")
			}
			if o := c.Engine.byID[id]; o != nil {
				list = o.describe(list, c.Now())
			}
		}
	default:
		return errSyntax
	}
	c.Verbatim("txt", string(list))
	return nil
}

// clientFilter selects the clients that CLIENT KILL ends.
type clientFilter struct {
	id          int64
	addr, laddr []byte
	class       Class
	byClass     bool
	user        *acl.User
	skipMe      bool
}

func (f *clientFilter) matches(c, me *Client) bool {
	return (f.addr == nil || c.Addr == view(f.addr)) &&
		(f.laddr == nil || c.LAddr == view(f.laddr)) &&
		(!f.byClass || c.Class() == f.class) &&
		(f.id == 0 || c.ID == f.id) &&
		(f.user == nil || c.user == f.user) &&
		(!f.skipMe || c != me)
}

func clientKill(c *Call) error {
	// The older form names an address only, and may name one's own.
	filter, older := clientFilter{addr: c.Args[2]}, len(c.Args) == 3
	if !older {
		var err error
		if filter, err = c.clientFilter(); err != nil {
			return err
		}
	}
	killed := int64(0)
	c.Engine.EachClient(func(o *Client) {
		if !filter.matches(o, c.Client) {
			return
		}
		killed++
		c.Engine.kill(o, c.Client)
	})
	switch {
	case !older:
		c.Int(killed)
	case killed == 0:
		return Error("ERR No such client")
	default:
		return c.ok()
	}
	return nil
}

// kill ends a client's connection: one's own once it has been answered.
func (e *Engine) kill(c, by *Client) {
	if c == by {
		c.Closing = true
		return
	}
	c.Killed = true
	e.wrote(c)
}

func (c *Call) clientFilter() (f clientFilter, err error) {
	f.skipMe = true
	for i := 2; i < len(c.Args); i += 2 {
		if i+1 == len(c.Args) {
			return f, errSyntax
		}
		value := c.Args[i+1]
		switch {
		case c.is(i, "ID"):
			id, ok := parseInt(value)
			if !ok || id < 1 {
				return f, Error("ERR client-id should be greater than 0")
			}
			f.id = id
		case c.is(i, "TYPE"):
			class, ok := classNamed(value)
			if !ok {
				return f, errorf("ERR Unknown client type '%s'", value)
			}
			f.class, f.byClass = class, true
		case c.is(i, "ADDR"):
			f.addr = value
		case c.is(i, "LADDR"):
			f.laddr = value
		case c.is(i, "USER"):
			if f.user = c.Engine.users.Named(view(value)); f.user == nil {
				return f, errorf("ERR No such user '%s'", value)
			}
		case c.is(i, "SKIPME") && equalFold(value, "YES"):
			f.skipMe = true
		case c.is(i, "SKIPME") && equalFold(value, "NO"):
			f.skipMe = false
		default:
			return f, errSyntax
		}
	}
	return f, nil
}

func clientUnblock(c *Call) error {
	withError := false
	switch {
	case len(c.Args) == 3, len(c.Args) == 4 && c.is(3, "TIMEOUT"):
	case len(c.Args) == 4 && c.is(3, "ERROR"):
		withError = true
	case len(c.Args) == 4:
		return Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
	default:
		return c.wrongSubcommand()
	}
	id, err := c.int(2)
	if err != nil {
		return err
	}
	target := c.Engine.byID[id]
	if target == nil || target.blocked == nil || target.blocked.giveUp == nil {
		c.Int(0)
		return nil
	}
	c.Engine.unblock(target.blocked, withError)
	c.Int(1)
	return nil
}
