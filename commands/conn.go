package commands

import (
	"bytes"
	"slices"
	"strings"

	"myredis/internal/acl"
)

// connectionCommands are those that concern the connection itself; CLIENT, a
// family of its own, is in client_cmd.go.
var connectionCommands = []*Command{
	{
		Name: "ping", Arity: -1, Flags: Fast, Group: GroupConnection, Run: ping,
		Since: "1.0.0", Cost: "O(1)", Summary: "Answers PONG, or the message.", Syntax: "[message]",
		Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"},
	},
	{
		Name: "echo", Arity: 2, Flags: Loading | Stale | Fast, Group: GroupConnection, Run: echo,
		Since: "1.0.0", Cost: "O(1)", Summary: "Answers the message.", Syntax: "message",
	},
	{
		Name: "select", Arity: 2, Flags: Loading | Stale | Fast, Group: GroupConnection, Run: selectDB,
		Since: "1.0.0", Cost: "O(1)", Summary: "Changes the database of the connection.", Syntax: "index",
	},
	{
		Name: "quit", Arity: -1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy | Immediate, Group: GroupConnection, Run: quit,
		Since: "1.0.0", Cost: "O(1)", Summary: "Closes the connection.",
	},
	{
		Name: "reset", Arity: 1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy | Immediate, Group: GroupConnection, Run: reset,
		Since: "6.2.0", Cost: "O(1)", Summary: "Makes the connection as it was at first.",
	},
	{
		Name: "hello", Arity: -1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Group: GroupConnection, Run: hello,
		Since: "6.0.0", Cost: "O(1)", Summary: "Chooses the protocol and introduces the client.",
		Syntax: "[protover [AUTH username password] [SETNAME clientname]]",
	},
	{
		Name: "auth", Arity: -2, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Group: GroupConnection, Run: auth,
		Since: "1.0.0", Cost: "O(N) where N is the number of passwords defined for the user",
		Summary: "Authenticates the connection.", Syntax: "[username] password",
	},
}

func ping(c *Call) error {
	if len(c.Args) > 2 {
		return errorf("ERR wrong number of arguments for '%s' command", c.Cmd.full)
	}
	switch {
	case c.Client.listens() && c.Proto == 2:
		// Shaped as a message, as everything that a listener in RESP2 gets.
		c.Array(2)
		c.BulkString("pong")
		c.BulkString(string(bytes.Join(c.Args[1:], nil)))
	case len(c.Args) == 2:
		c.Bulk(c.Args[1])
	default:
		c.Simple("PONG")
	}
	return nil
}

func echo(c *Call) error {
	c.Bulk(c.Args[1])
	return nil
}

func selectDB(c *Call) error {
	n, err := c.cInt(1)
	if err != nil {
		return err
	}
	if c.db(n) == nil {
		return errDBIndex
	}
	c.Client.db = int(n)
	return c.ok()
}

func quit(c *Call) error {
	c.Client.Closing = true
	return c.ok()
}

func reset(c *Call) error {
	c.Engine.resetState(c.Client)
	c.Simple("RESET")
	return nil
}

// resetState puts a client back to how it began.
func (e *Engine) resetState(c *Client) {
	if c.blocked != nil {
		e.waiters.remove(c.blocked)
		e.pause.held = slices.DeleteFunc(e.pause.held, func(b *blocked) bool { return b.client == c })
	}
	e.resetTransaction(c)
	e.stopMonitor(c)
	e.forgetAll(c)
	c.db = 0
	c.Out.Proto = 2
	e.defaultAuth(c)
	c.Name = ""
	c.reply = ReplyOn
}

// authRequired reports whether a client must authenticate before it may do
// anything else.
func (e *Engine) authRequired() bool { return !e.users.Default.Open() }

// OpenToAll reports whether the default user has no password, which protected
// mode takes for a server that was not meant for strangers.
func (e *Engine) OpenToAll() bool { return e.users.Default.NoPass() }

func auth(c *Call) error {
	name, password := []byte(acl.DefaultName), c.Args[len(c.Args)-1]
	switch len(c.Args) {
	case 2:
		if c.Engine.users.Default.NoPass() {
			return Error("ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?")
		}
	case 3:
		name = c.Args[1]
	default:
		return errSyntax
	}
	if err := c.authenticate(name, password); err != nil {
		return err
	}
	return c.ok()
}

func hello(c *Call) error {
	proto := int64(0)
	if len(c.Args) > 1 {
		var ok bool
		if proto, ok = parseInt(c.Args[1]); !ok {
			return Error("ERR Protocol version is not an integer or out of range")
		}
		if proto != 2 && proto != 3 {
			return Error("NOPROTO unsupported protocol version")
		}
	}
	for i := 2; i < len(c.Args); i++ {
		left := len(c.Args) - 1 - i
		switch {
		case c.is(i, "AUTH") && left >= 2:
			if err := c.authenticate(c.Args[i+1], c.Args[i+2]); err != nil {
				return err
			}
			i += 2
		case c.is(i, "SETNAME") && left >= 1:
			if err := c.Client.rename(c.Args[i+1]); err != nil {
				return err
			}
			i++
		default:
			return errorf("ERR Syntax error in HELLO option '%s'", c.Args[i])
		}
	}
	if !c.Client.authenticated {
		return Error("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time")
	}
	if proto != 0 {
		c.Client.Out.Proto = int(proto)
	}
	c.Map(7)
	c.BulkString("server")
	c.BulkString("redis")
	c.BulkString("version")
	c.BulkString(RedisVersion)
	c.BulkString("proto")
	c.Int(int64(c.Client.Out.Proto))
	c.BulkString("id")
	c.Int(c.Client.ID)
	c.BulkString("mode")
	c.BulkString("standalone")
	c.BulkString("role")
	c.BulkString("master")
	c.BulkString("modules")
	c.Array(0)
	return nil
}

// rename gives the client a name, or none for "".
func (c *Client) rename(name []byte) error {
	if !printable(name) {
		return Error("ERR Client names cannot contain spaces, newlines or special characters.")
	}
	c.Name = strings.Clone(view(name))
	return nil
}

// printable reports whether text can stand in a field of CLIENT LIST.
func printable(text []byte) bool {
	for _, ch := range text {
		if ch < '!' || ch > '~' {
			return false
		}
	}
	return true
}
