package commands

import (
	"slices"
	"strings"

	"myredis/internal/glob"
)

// commandCommands is COMMAND, which describes the table.
var commandCommands = []*Command{{
	Name: "command", Arity: -1, Flags: Loading | Stale, Group: GroupServer, Categories: CatConnection, Run: command,
	Since: "2.8.13", Cost: "O(N) with N commands", Summary: "Describes all commands.", Tips: []string{"nondeterministic_output_order"},
	Sub: []*Command{
		{Name: "count", Arity: 2, Flags: Loading | Stale, Group: GroupServer, Categories: CatConnection, Run: commandCount, Since: "2.8.13", Cost: "O(1)", Summary: "Answers how many commands there are."},
		{Name: "info", Arity: -2, Flags: Loading | Stale, Group: GroupServer, Categories: CatConnection, Run: commandInfo, Since: "2.8.13", Cost: "O(N) with N commands asked for", Summary: "Describes commands for a client's use.", Syntax: "[command-name [command-name ...]]", Tips: []string{"nondeterministic_output_order"}},
		{Name: "docs", Arity: -2, Flags: Loading | Stale, Group: GroupServer, Categories: CatConnection, Run: commandDocs, Since: "7.0.0", Cost: "O(N) with N commands asked for", Summary: "Describes commands for a person.", Syntax: "[command-name [command-name ...]]", Tips: []string{"nondeterministic_output_order"}},
		{Name: "list", Arity: -2, Flags: Loading | Stale, Group: GroupServer, Categories: CatConnection, Run: commandList, Since: "7.0.0", Cost: "O(N) with N commands", Summary: "Lists the names of commands.", Syntax: "[FILTERBY <MODULE module-name|ACLCAT category|PATTERN pattern>]", Tips: []string{"nondeterministic_output_order"}},
		{Name: "getkeys", Arity: -4, Flags: Loading | Stale, Group: GroupServer, Categories: CatConnection, Run: commandGetkeys, Since: "2.8.13", Cost: "O(N) with N arguments", Summary: "Finds the keys in a command.", Syntax: "command [arg [arg ...]]"},
		{Name: "getkeysandflags", Arity: -4, Flags: Loading | Stale, Group: GroupServer, Categories: CatConnection, Run: commandGetkeysandflags, Since: "7.0.0", Cost: "O(N) with N arguments", Summary: "Finds the keys in a command and what it does with them.", Syntax: "command [arg [arg ...]]"},
	},
}}

func command(c *Call) error {
	c.Array(len(c.Engine.rows))
	for _, cmd := range c.Engine.rows {
		c.commandInfo(cmd)
	}
	return nil
}

func commandCount(c *Call) error {
	c.Int(int64(len(c.Engine.rows)))
	return nil
}

func commandInfo(c *Call) error {
	if len(c.Args) == 2 {
		return command(c)
	}
	c.Array(len(c.Args) - 2)
	for _, name := range c.Args[2:] {
		if cmd := c.Engine.named(name); cmd != nil {
			c.commandInfo(cmd)
		} else {
			c.Null()
		}
	}
	return nil
}

// named finds a row by its full name, "get" or "client|kill".
func (e *Engine) named(full []byte) *Command {
	name, sub, nested := strings.Cut(string(full), "|")
	cmd := e.byName([]byte(name))
	if cmd == nil || !nested {
		return cmd
	}
	return cmd.subcommand([]byte(sub))
}

func (c *Call) commandInfo(cmd *Command) {
	c.Array(10)
	c.BulkString(cmd.full)
	c.Int(int64(cmd.Arity))
	c.simpleSet(cmd.Flags.names())
	c.Int(int64(cmd.first))
	c.Int(int64(cmd.last))
	c.Int(int64(cmd.step))
	var categories []string
	for _, name := range cmd.categories().names() {
		categories = append(categories, "@"+name)
	}
	c.simpleSet(categories)
	c.Set(len(cmd.Tips))
	for _, tip := range cmd.Tips {
		c.BulkString(tip)
	}
	c.Set(len(cmd.Keys))
	for i := range cmd.Keys {
		c.keySpec(&cmd.Keys[i])
	}
	if len(cmd.Sub) == 0 {
		c.Set(0)
		return
	}
	c.Array(len(cmd.Sub))
	for _, sub := range cmd.Sub {
		c.commandInfo(sub)
	}
}

func (c *Call) simpleSet(words []string) {
	c.Set(len(words))
	for _, w := range words {
		c.Simple(w)
	}
}

func (f Flag) names() (names []string) {
	for _, row := range flagNames {
		if f&row.flag != 0 {
			names = append(names, row.name)
		}
	}
	return names
}

func (cat Category) names() (names []string) {
	for i, name := range categoryNames {
		if cat&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

func (f KeyFlag) names() (names []string) {
	for i, name := range keyFlagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

func (c *Call) keySpec(s *KeySpec) {
	fields := 3
	if s.Notes != "" {
		fields++
	}
	c.Map(fields)
	if s.Notes != "" {
		c.BulkString("notes")
		c.BulkString(s.Notes)
	}
	c.BulkString("flags")
	c.simpleSet(s.Flags.names())
	c.BulkString("begin_search")
	switch {
	case s.Index == 0 && s.Keyword == "":
		c.typed("unknown", 0)
	case s.Keyword != "":
		c.typed("keyword", 2)
		c.BulkString("keyword")
		c.BulkString(s.Keyword)
		c.field("startfrom", s.Index)
	default:
		c.typed("index", 1)
		c.field("index", s.Index)
	}
	c.BulkString("find_keys")
	switch {
	case s.Unknown:
		c.typed("unknown", 0)
	case s.ByCount:
		c.typed("keynum", 3)
		c.field("keynumidx", s.NumAt)
		c.field("firstkey", s.FirstAt)
		c.field("keystep", s.Step)
	default:
		c.typed("range", 3)
		c.field("lastkey", s.Last)
		c.field("keystep", s.Step)
		c.field("limit", s.Limit)
	}
}

// typed begins the map {type, spec} with a spec of n fields.
func (c *Call) typed(kind string, n int) {
	c.Map(2)
	c.BulkString("type")
	c.BulkString(kind)
	c.BulkString("spec")
	c.Map(n)
}

func (c *Call) field(name string, n int) {
	c.BulkString(name)
	c.Int(int64(n))
}

func commandDocs(c *Call) error {
	var rows []*Command
	if len(c.Args) == 2 {
		rows = c.Engine.rows
	}
	for _, name := range c.Args[2:] {
		if cmd := c.Engine.named(name); cmd != nil {
			rows = append(rows, cmd)
		}
	}
	c.commandDocs(rows)
	return nil
}

func (c *Call) commandDocs(rows []*Command) {
	c.Map(len(rows))
	for _, cmd := range rows {
		c.BulkString(cmd.full)
		c.commandDoc(cmd)
	}
}

func (c *Call) commandDoc(cmd *Command) {
	texts := []struct{ name, text string }{
		{"summary", cmd.Summary}, {"since", cmd.Since}, {"group", string(cmd.Group)}, {"complexity", cmd.Cost},
	}
	arguments := parseSyntax(cmd.Syntax, cmd.Keys)
	fields := 0
	for _, t := range texts {
		if t.text != "" {
			fields++
		}
	}
	if len(arguments) > 0 {
		fields++
	}
	if len(cmd.Sub) > 0 {
		fields++
	}
	c.Map(fields)
	for _, t := range texts {
		if t.text != "" {
			c.BulkString(t.name)
			c.BulkString(t.text)
		}
	}
	if len(arguments) > 0 {
		c.BulkString("arguments")
		c.arguments(arguments)
	}
	if len(cmd.Sub) > 0 {
		c.BulkString("subcommands")
		c.commandDocs(cmd.Sub)
	}
}

func commandList(c *Call) error {
	keep := func(*Command) bool { return true }
	if len(c.Args) > 2 {
		if len(c.Args) != 5 || !c.is(2, "FILTERBY") {
			return errSyntax
		}
		arg := strings.Clone(view(c.Args[4]))
		switch {
		case c.is(3, "MODULE"):
			keep = func(*Command) bool { return false } // there are no modules
		case c.is(3, "ACLCAT"):
			category := categoryNamed(arg)
			keep = func(cmd *Command) bool { return cmd.categories()&category != 0 }
		case c.is(3, "PATTERN"):
			keep = func(cmd *Command) bool { return glob.Match(arg, cmd.full, true) }
		default:
			return errSyntax
		}
	}
	var names []string
	var visit func(rows []*Command)
	visit = func(rows []*Command) {
		for _, cmd := range rows {
			if keep(cmd) {
				names = append(names, cmd.full)
			}
			visit(cmd.Sub)
		}
	}
	visit(c.Engine.rows)
	c.Array(len(names))
	for _, name := range names {
		c.BulkString(name)
	}
	return nil
}

// categoryNamed returns the category, or none for a name that is none.
func categoryNamed(name string) Category {
	if i := slices.IndexFunc(categoryNames[:], func(n string) bool { return strings.EqualFold(n, name) }); i >= 0 {
		return 1 << i
	}
	return 0
}

// requestKeys finds the keys of the request in the arguments from the third
// on.
func (c *Call) requestKeys() ([]keyPlace, error) {
	request := c.Args[2:]
	cmd := c.Engine.lookup(request)
	switch {
	case cmd == nil:
		return nil, errNoCommand
	case !cmd.hasKeys():
		return nil, errNoKeyArgs
	case !cmd.arity(len(request)):
		return nil, errWrongArgCount
	}
	places, ok := cmd.keyPlaces(request)
	switch {
	case ok && len(places) > 0:
		return places, nil
	case cmd.Flags&NoMandatoryKeys != 0:
		return nil, nil
	}
	return nil, errBadKeyArgs
}

func commandGetkeys(c *Call) error {
	places, err := c.requestKeys()
	if err != nil {
		return err
	}
	c.Array(len(places))
	for _, p := range places {
		c.Bulk(c.Args[2+p.arg])
	}
	return nil
}

func commandGetkeysandflags(c *Call) error {
	places, err := c.requestKeys()
	if err != nil {
		return err
	}
	c.Array(len(places))
	for _, p := range places {
		c.Array(2)
		c.Bulk(c.Args[2+p.arg])
		c.simpleSet(p.flags.names())
	}
	return nil
}
