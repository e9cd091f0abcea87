package commands

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"myredis/internal/acl"
)

// aclFlags are those of the ACL subcommands that anybody may use; the others
// are for administrators.
const aclFlags = NoScript | Loading | Stale

// aclCommands is ACL, which looks after users. What they are is package acl;
// where they are asked is acl_check.go.
var aclCommands = []*Command{{
	Name: "acl", Arity: -2, Group: GroupServer, Categories: CatNone, Since: "6.0.0", Cost: "Depends on subcommand.", Summary: "Looks after users and what they may do.",
	Sub: []*Command{
		{Name: "cat", Arity: -2, Flags: aclFlags, Group: GroupServer, Categories: CatNone, Run: aclCat, Since: "6.0.0", Cost: "O(1) since the categories and commands are a fixed set.", Summary: "Lists the categories, or the commands of one.", Syntax: "[category]"},
		{Name: "deluser", Arity: -3, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclDeluser, Since: "6.0.0", Cost: "O(1) amortized time considering the typical user.", Summary: "Removes users and closes their connections.", Syntax: "username [username ...]"},
		{Name: "dryrun", Arity: -4, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclDryrun, Since: "7.0.0", Cost: "O(1).", Summary: "Tells whether a user may run a command, without running it.", Syntax: "username command [arg [arg ...]]"},
		{Name: "genpass", Arity: -2, Flags: aclFlags, Group: GroupServer, Categories: CatNone, Run: aclGenpass, Since: "6.0.0", Cost: "O(1)", Summary: "Makes up a password.", Syntax: "[bits]"},
		{Name: "getuser", Arity: 3, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclGetuser, Since: "6.0.0", Cost: "O(N). Where N is the number of password, command and pattern rules that the user has.", Summary: "Describes a user.", Syntax: "username"},
		{Name: "list", Arity: 2, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclList, Since: "6.0.0", Cost: "O(N). Where N is the number of configured users.", Summary: "Describes all users as a configuration would."},
		{Name: "load", Arity: 2, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclLoad, Since: "6.0.0", Cost: "O(N). Where N is the number of configured users.", Summary: "Reads all users anew from the file of users."},
		{Name: "log", Arity: -2, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclLog, Since: "6.0.0", Cost: "O(N) with N being the number of entries shown.", Summary: "Shows what was refused lately.", Syntax: "[count|RESET]"},
		{Name: "save", Arity: 2, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclSave, Since: "6.0.0", Cost: "O(N). Where N is the number of configured users.", Summary: "Writes all users to the file of users."},
		{Name: "setuser", Arity: -3, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclSetuser, Since: "6.0.0", Cost: "O(N). Where N is the number of rules provided.", Summary: "Makes a user or changes it by rules, all or none.", Syntax: "username [rule [rule ...]]"},
		{Name: "users", Arity: 2, Flags: Admin | aclFlags, Group: GroupServer, Categories: CatNone, Run: aclUsers, Since: "6.0.0", Cost: "O(N). Where N is the number of configured users.", Summary: "Lists the names of all users."},
		{Name: "whoami", Arity: 2, Flags: aclFlags, Group: GroupServer, Categories: CatNone, Run: aclWhoami, Since: "6.0.0", Cost: "O(1)", Summary: "Answers the name of the connection's user."},
	},
}}

// newCatalogue makes what users' rules know of the rows, and links it to them.
func newCatalogue(rows []*Command) *acl.Catalogue {
	var entries func(rows []*Command) []*acl.Command
	entries = func(rows []*Command) (list []*acl.Command) {
		for _, row := range rows {
			row.acl = &acl.Command{
				Name: row.full, Categories: uint64(row.categories()), Free: row.Flags&NoAuth != 0, Sub: entries(row.Sub),
			}
			list = append(list, row.acl)
		}
		return list
	}
	return acl.NewCatalogue(categoryNames[:], entries(rows))
}

func aclSetuser(c *Call) error {
	var rules []string
	for _, arg := range c.Args[3:] {
		rules = append(rules, string(arg))
	}
	user, revoked, err := c.Engine.users.Set(string(c.Args[2]), rules)
	if err != nil {
		return errorf("ERR %v", err)
	}
	if revoked {
		c.Engine.killListeners(user, c.Client)
	}
	return c.ok()
}

// killListeners ends the connections that listen to what their user may no
// longer listen to.
func (e *Engine) killListeners(user *acl.User, by *Client) {
	e.EachClient(func(c *Client) {
		if c.user != user || c.Class() != PubSubClient {
			return
		}
		for kind, names := range c.subs {
			for _, name := range names {
				if !user.MayListen(name, topicKind(kind) == patterns) {
					e.kill(c, by)
					return
				}
			}
		}
	})
}

// killUsers ends the connections of users that are no more. Should one live on
// for a moment, it can do nothing.
func (e *Engine) killUsers(gone []*acl.User, by *Client) {
	if len(gone) == 0 {
		return
	}
	dead := map[*acl.User]bool{}
	for _, user := range gone {
		dead[user] = true
	}
	e.EachClient(func(c *Client) {
		if dead[c.user] {
			c.user, c.authenticated = e.users.Default, false
			e.kill(c, by)
		}
	})
}

func aclDeluser(c *Call) error {
	for _, name := range c.Args[2:] {
		if string(name) == acl.DefaultName {
			return Error("ERR The 'default' user cannot be removed")
		}
	}
	var gone []*acl.User
	for _, name := range c.Args[2:] {
		if user := c.Engine.users.Delete(string(name)); user != nil {
			gone = append(gone, user)
		}
	}
	c.Engine.killUsers(gone, c.Client)
	c.Int(int64(len(gone)))
	return nil
}

func aclGetuser(c *Call) error {
	user := c.Engine.users.Named(view(c.Args[2]))
	if user == nil {
		c.Null()
		return nil
	}
	permitted := c.Engine.users.Describe(user)
	c.Map(6)
	c.BulkString("flags")
	c.Set(len(user.Flags()))
	for _, flag := range user.Flags() {
		c.BulkString(flag)
	}
	c.BulkString("passwords")
	c.bulks(user.Passwords())
	c.permitted(permitted[0])
	c.BulkString("selectors")
	c.Array(len(permitted) - 1)
	for _, p := range permitted[1:] {
		c.Map(3)
		c.permitted(p)
	}
	return nil
}

// permitted replies three pairs of a map.
func (c *Call) permitted(p acl.Description) {
	c.BulkString("commands")
	c.BulkString(p.Commands)
	c.BulkString("keys")
	c.BulkString(p.Keys)
	c.BulkString("channels")
	c.BulkString(p.Channels)
}

// bulks replies an array of texts.
func (c *Call) bulks(texts []string) {
	c.Array(len(texts))
	for _, text := range texts {
		c.BulkString(text)
	}
}

func aclList(c *Call) error {
	c.bulks(c.Engine.users.Lines())
	return nil
}

func aclUsers(c *Call) error {
	all := c.Engine.users.All()
	c.Array(len(all))
	for _, user := range all {
		c.BulkString(user.Name)
	}
	return nil
}

func aclWhoami(c *Call) error {
	c.BulkString(c.Client.user.Name)
	return nil
}

func aclCat(c *Call) error {
	switch len(c.Args) {
	case 2:
		c.bulks(categoryNames[:])
		return nil
	case 3:
	default:
		return c.wrongSubcommand()
	}
	category := categoryNamed(view(c.Args[2]))
	if category == 0 {
		return errorf("ERR Unknown category '%.128s'", cString(c.Args[2]))
	}
	var names []string
	for _, row := range c.Engine.rows {
		for _, cmd := range append([]*Command{row}, row.Sub...) {
			if cmd.categories()&category != 0 {
				names = append(names, cmd.full)
			}
		}
	}
	c.bulks(names)
	return nil
}

// mostPassBits bounds the passwords that ACL GENPASS makes up.
const mostPassBits = 4096

func aclGenpass(c *Call) error {
	bits := int64(256)
	switch len(c.Args) {
	case 2:
	case 3:
		var err error
		if bits, err = c.int(2); err != nil {
			return err
		}
	default:
		return c.wrongSubcommand()
	}
	if bits <= 0 || bits > mostPassBits {
		return errorf("ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to %d", mostPassBits)
	}
	random := make([]byte, (bits+7)/8)
	rand.Read(random)
	c.BulkString(hex.EncodeToString(random)[:(bits+3)/4])
	return nil
}

func aclDryrun(c *Call) error {
	e, request := c.Engine, c.Args[3:]
	user := e.users.Named(view(c.Args[2]))
	cmd := e.lookup(request)
	switch {
	case user == nil:
		return errorf("ERR User '%s' not found", cString(c.Args[2]))
	case cmd == nil:
		return errorf("ERR Command '%s' not found", cString(request[0]))
	case !cmd.arity(len(request)):
		return errorf("ERR wrong number of arguments for '%s' command", cmd.full)
	}
	const may = "This user has no permissions to "
	switch why, arg := cmd.permitted(user, request); why {
	case acl.DeniedCommand:
		c.BulkString(may + "run the '" + cmd.full + "' command")
	case acl.DeniedKey:
		c.BulkString(may + "access the '" + string(cString(request[arg])) + "' key")
	case acl.DeniedChannel:
		c.BulkString(may + "access the '" + string(cString(request[arg])) + "' channel")
	default:
		return c.ok()
	}
	return nil
}

func aclLog(c *Call) error {
	log, count := &c.Engine.refusals, int64(10)
	switch {
	case len(c.Args) > 3:
		return c.wrongSubcommand()
	case len(c.Args) == 3 && c.is(2, "RESET"):
		log.Reset()
		return c.ok()
	case len(c.Args) == 3:
		var err error
		if count, err = c.int(2); err != nil {
			return err
		}
	}
	entries := log.Entries()
	entries = entries[:min(max(count, 0), int64(len(entries)))]
	c.Array(len(entries))
	for _, r := range entries {
		c.Map(7)
		c.BulkString("count")
		c.Int(r.Count)
		for _, field := range []struct{ name, value string }{
			{"reason", r.Reason.String()}, {"context", r.Context.String()}, {"object", r.Object}, {"username", r.Username},
		} {
			c.BulkString(field.name)
			c.BulkString(field.value)
		}
		c.BulkString("age-seconds")
		c.Double(float64(c.Now()-r.At) / 1000)
		c.BulkString("client-info")
		c.BulkString(strings.TrimSuffix(r.Client, "\n"))
	}
	return nil
}
