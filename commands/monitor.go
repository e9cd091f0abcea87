package commands

import (
	"fmt"
	"slices"

	"myredis/internal/words"
)

// monitorCommands is MONITOR, which shows a client everything that runs.
var monitorCommands = []*Command{
	{
		Name: "monitor", Arity: 1, Flags: Admin | NoScript | Loading | Stale, Group: GroupServer, Categories: CatNone, Run: monitor,
		Since: "1.0.0", Summary: "Streams every command that the server runs.",
	},
}

func monitor(c *Call) error {
	if c.Client.monitor {
		return nil // as in Redis, without an answer
	}
	c.Client.monitor = true
	c.Engine.monitors = append(c.Engine.monitors, c.Client)
	return c.ok()
}

func (e *Engine) stopMonitor(c *Client) {
	if c.monitor {
		c.monitor = false
		e.monitors = slices.DeleteFunc(e.monitors, func(m *Client) bool { return m == c })
	}
}

// feedMonitors shows a command that has run to the clients that asked for it. Administrative commands and passwords are kept from them, as in Redis.
func (e *Engine) feedMonitors(c *Client, cmd *Command, args [][]byte, at int64) {
	if cmd.Flags&(SkipMonitor|Admin) != 0 {
		return
	}
	origin := c.Addr
	if c.unixSocket {
		origin = "unix:" + e.Config.UnixSocket
	}
	line := fmt.Appendf(nil, "%d.%06d [%d %s]", at/1_000_000, at%1_000_000, c.db, origin)
	secret := e.secrets(cmd, args)
	for i, arg := range args {
		line = append(line, ' ')
		if slices.Contains(secret, i) {
			arg = []byte(redacted)
		}
		line = words.AppendQuoted(line, arg)
	}
	for _, m := range e.monitors {
		if m.Closing {
			continue
		}
		m.Out.Simple(string(line))
		if m != c {
			e.wrote(m)
		}
	}
}

// redacted stands in logs for what they may not show.
const redacted = "(redacted)"

// secrets returns the places of arguments that no log may show.
func (e *Engine) secrets(cmd *Command, args [][]byte) (places []int) {
	switch cmd.full {
	case "auth":
		for i := 1; i < len(args); i++ {
			places = append(places, i)
		}
	case "acl|setuser":
		for i := 2; i < len(args); i++ {
			places = append(places, i)
		}
	case "config|set":
		for i := 3; i < len(args); i += 2 {
			if e.Config.Sensitive(string(args[i-1])) {
				places = append(places, i)
			}
		}
	case "migrate":
		o, _ := parseMigrate(args)
		places = o.secret
	case "hello":
		for i := 2; i+2 < len(args); i++ {
			if equalFold(args[i], "AUTH") {
				places = append(places, i+1, i+2)
			}
		}
	}
	return places
}
