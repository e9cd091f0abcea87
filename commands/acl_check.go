package commands

import (
	"strings"

	"myredis/internal/acl"
)

// Where users are asked.
//
// Every request passes one of three doors: admit (a client's own), exec (what
// was queued, since the user may have changed) and scriptRun.admit (what a
// script calls). All three ask here. A user who may do everything costs one
// look at a flag.

// channelUse says which arguments of a command name channels that it uses.
type channelUse uint8

const (
	noChannels channelUse = iota
	firstIsChannel
	allAreChannels
	allArePatterns
)

// permitted decides whether the user may run a request; see acl.User.Check.
func (cmd *Command) permitted(user *acl.User, args [][]byte) (why acl.Reason, arg int) {
	if user.Unrestricted() {
		return acl.Allowed, 0
	}
	return user.Check(cmd.request(user, args))
}

// request is what users need to know of a request.
func (cmd *Command) request(user *acl.User, args [][]byte) *acl.Request {
	r := &acl.Request{Command: cmd.acl, Args: args}
	if user.LimitsKeys() {
		// Arguments that contradict the row name no keys: the command will say
		// so itself.
		places, _ := cmd.keyPlaces(args)
		for _, p := range places {
			r.Keys = append(r.Keys, acl.Key{Arg: p.arg, Access: p.flags.access()})
		}
	}
	if user.LimitsChannels() {
		r.Channels = cmd.channelArgs(len(args))
	}
	return r
}

// access is what the flags of a key mean to permissions: whether its content
// is read, and whether it is written.
func (f KeyFlag) access() (a acl.Access) {
	if f&Access != 0 {
		a |= acl.Read
	}
	if f&(Insert|Update|Delete) != 0 {
		a |= acl.Write
	}
	return a
}

func (cmd *Command) channelArgs(n int) (list []acl.Channel) {
	switch cmd.channels {
	case noChannels:
		return nil
	case firstIsChannel:
		n = 2
	}
	for i := 1; i < n; i++ {
		list = append(list, acl.Channel{Arg: i, Pattern: cmd.channels == allArePatterns})
	}
	return list
}

// authorize decides whether the client's user may run a request, and notes in
// the log when not.
func (e *Engine) authorize(c *Client, cmd *Command, args [][]byte, where acl.Context) acl.Reason {
	why, arg := cmd.permitted(c.user, args)
	if why == acl.Allowed {
		return why
	}
	object := cmd.full
	if why != acl.DeniedCommand {
		object = string(args[arg])
	}
	e.refused(c, acl.Refusal{Reason: why, Context: where, Object: object, Username: c.user.Name})
	return why
}

// refused notes a refusal. A script's client stands for the one that runs it.
func (e *Engine) refused(c *Client, r acl.Refusal) {
	if c.script {
		c = e.scripts.running[len(e.scripts.running)-1].caller
	}
	r.At, r.Client = e.Keys.Now, string(c.describe(nil, e.Keys.Now))
	e.refusals.Add(r, e.Config.ACLLogMaxLen)
}

// aclContext is where a client's own requests stand.
func (c *Client) aclContext() acl.Context {
	if c.tx.open() {
		return acl.InTransaction
	}
	return acl.TopLevel
}

// errRefused is what a client is told.
func errRefused(why acl.Reason, cmd *Command) error {
	switch why {
	case acl.DeniedCommand:
		return errorf("NOPERM this user has no permissions to run the '%s' command", cmd.full)
	case acl.DeniedKey:
		return Error("NOPERM this user has no permissions to access one of the keys used as arguments")
	default:
		return Error("NOPERM this user has no permissions to access one of the channels used as arguments")
	}
}

// errRevoked is what EXEC answers in the place of a command that was allowed
// when it was queued.
func errRevoked(why acl.Reason) error {
	const text = "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. " +
		"This command is no longer allowed for the following reason: "
	switch why {
	case acl.DeniedCommand:
		return Error(text + "no permission to execute the command or subcommand")
	case acl.DeniedKey:
		return Error(text + "no permission to touch the specified keys")
	default:
		return Error(text + "no permission to access one of the channels used as arguments")
	}
}

// errScriptRefused is what a script is told.
func errScriptRefused(why acl.Reason) error {
	const text = "ERR The user executing the script can't "
	switch why {
	case acl.DeniedCommand:
		return Error(text + "run this command or subcommand")
	case acl.DeniedKey:
		return Error(text + "access at least one of the keys mentioned in the command arguments")
	default:
		return Error(text + "publish to the channel mentioned in the command")
	}
}

// mayReadAnyKey reports whether the user may run this request and read any key
// besides: what SORT requires for keys that its BY and GET patterns name.
func (c *Call) mayReadAnyKey() bool {
	user := c.Client.user
	return user.Unrestricted() || user.CheckAllKeys(c.Cmd.request(user, c.Args), acl.Read)
}

// defaultAuth makes a client act as the default user, as every connection
// begins. It stays authenticated if a password is set later.
func (e *Engine) defaultAuth(c *Client) {
	c.user = e.users.Default
	c.authenticated = c.user.Open()
}

// authenticate makes a client act as another user. A command's name says how
// it was asked, for the log.
func (c *Call) authenticate(name, password []byte) error {
	user := c.Engine.users.Login(name, password)
	if user == nil {
		c.Engine.refused(c.Client, acl.Refusal{
			Reason: acl.DeniedAuth, Context: c.Client.aclContext(), Object: string(c.Args[0]), Username: strings.Clone(view(name)),
		})
		return errWrongPass
	}
	c.Client.user, c.Client.authenticated = user, true
	return nil
}
