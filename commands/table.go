package commands

import (
	"slices"
	"strings"
)

// families are the rows of every command, in the files of their families.
var families = [][]*Command{
	connectionCommands,
	clientCommands,
	keyCommands,
	expireCommands,
	scanCommands,
	objectCommands,
	stringCommands,
	listCommands,
	zsetCommands,
	setCommands,
	hashCommands,
	transactionCommands,
	pubsubCommands,
	adminCommands,
	commandCommands,
	infoCommands,
	monitorCommands,
	slowlogCommands,
	debugCommands,
	replicationCommands,
	aclCommands,
	scriptCommands,
	functionCommands,
}

// index links subcommands to their containers, derives what follows from the
// rows, and returns them by name. The rows are copied: counters belong to an
// engine, and a process may have several.
func index(families [][]*Command) (rows []*Command, table map[string]*Command) {
	table = map[string]*Command{}
	for _, family := range families {
		for _, row := range family {
			c := derive(row, nil)
			if table[c.Name] != nil {
				panic("two rows for command " + c.Name)
			}
			table[c.Name] = c
			rows = append(rows, c)
		}
	}
	slices.SortFunc(rows, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	return rows, table
}

func derive(row, parent *Command) *Command {
	c := *row
	c.parent = parent
	c.full = c.Name
	if parent != nil {
		c.full = parent.Name + "|" + c.Name
	}
	var movable bool
	if c.first, c.last, c.step, movable = legacyRange(c.Keys); movable {
		c.Flags |= movableKeys
	}
	c.Sub = nil
	for _, sub := range row.Sub {
		c.Sub = append(c.Sub, derive(sub, &c))
	}
	if len(c.Sub) > 0 {
		c.Sub = append(c.Sub, derive(helpRow(&c), &c))
	}
	return &c
}

// helpRow is the HELP that every container has; what it answers is derived
// from the container's rows.
func helpRow(container *Command) *Command {
	return &Command{
		Name: "help", Arity: 2, Flags: Loading | Stale, Group: container.Group, Categories: container.Sub[0].Categories,
		Since: "5.0.0", Cost: "O(1)", Summary: "Lists the subcommands.", Run: help,
	}
}

func help(c *Call) error {
	container := c.Cmd.parent
	c.Array(2*len(container.Sub) + 1)
	c.Simple(strings.ToUpper(container.Name) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
	for _, sub := range container.Sub {
		c.Simple(strings.TrimSpace(strings.ToUpper(sub.Name) + " " + sub.Syntax))
		c.Simple("    " + sub.Summary)
	}
	return nil
}

// legacyRange is the one range of arguments by which COMMAND INFO described
// keys before there were key specifications: first, last (negative from the
// end) and step, and whether keys stand outside of it (server.c,
// populateCommandLegacyRangeSpec).
func legacyRange(specs []KeySpec) (first, last, step int, movable bool) {
	if len(specs) == 1 && specs[0].isRange() {
		s := specs[0]
		return s.Index, s.absoluteLast(), s.Step, s.Flags&Incomplete != 0
	}
	for _, s := range specs {
		if !s.isRange() || s.Step != 1 || first != 0 && last != s.Index-1 {
			movable = true
			continue
		}
		movable = movable || s.Flags&Incomplete != 0
		if first == 0 {
			first, step = s.Index, 1
		}
		if end := s.absoluteLast(); last >= 0 && (end < 0 || end > last) {
			last = end
		}
	}
	return first, last, step, movable
}

func (s *KeySpec) isRange() bool { return s.Keyword == "" && !s.ByCount && !s.Unknown }

// absoluteLast is the argument that the last key of a range is, or, negative,
// how far from the end it stands.
func (s *KeySpec) absoluteLast() int {
	if s.Last >= 0 {
		return s.Index + s.Last
	}
	return s.Last
}

// lookup finds the row for a request. A container is answered by its
// subcommand when there is one of that name, and by itself otherwise.
func (e *Engine) lookup(args [][]byte) *Command {
	cmd := e.byName(args[0])
	if cmd == nil || len(cmd.Sub) == 0 || len(args) < 2 {
		return cmd
	}
	return cmd.subcommand(args[1])
}

// longestName bounds what is worth looking up.
const longestName = 32

func (e *Engine) byName(name []byte) *Command {
	if len(name) > longestName {
		return nil
	}
	var lower [longestName]byte
	for i, ch := range name {
		if 'A' <= ch && ch <= 'Z' {
			ch += 'a' - 'A'
		}
		lower[i] = ch
	}
	return e.table[string(lower[:len(name)])]
}

func (c *Command) subcommand(name []byte) *Command {
	for _, sub := range c.Sub {
		if len(sub.Name) == len(name) && strings.EqualFold(sub.Name, view(name)) {
			return sub
		}
	}
	return nil
}

// arity reports whether a request of n arguments fits the row.
func (c *Command) arity(n int) bool {
	return n == c.Arity || c.Arity < 0 && n >= -c.Arity
}

// Table returns every row, sorted by name, subcommands linked.
func Table() []*Command {
	rows, _ := index(families)
	return rows
}
