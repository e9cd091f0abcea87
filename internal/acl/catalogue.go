package acl

import "slices"

// Command is what permissions know of a command.
type Command struct {
	Name       string // in full: "get", "config|get"
	Categories uint64 // bit i stands for the i-th of the catalogue's categories
	Sub        []*Command
	// Free commands are always permitted: those by which a client
	// authenticates or takes its leave.
	Free bool

	id  int
	sub bool // it is a subcommand
}

// Catalogue is the commands and categories that rules can name.
type Catalogue struct {
	categories []string
	commands   []*Command // top-level ones, in the order in which rules print them
	byName     map[string]*Command
}

// NewCatalogue numbers the commands, which belong to the catalogue from then
// on. Names are in lower case. It panics when there are more commands than a
// selector can hold.
func NewCatalogue(categories []string, commands []*Command) *Catalogue {
	c := &Catalogue{categories: categories, commands: commands, byName: map[string]*Command{}}
	for cmd := range c.all() {
		cmd.id = len(c.byName)
		c.byName[cmd.Name] = cmd
	}
	if len(c.byName) > future {
		panic("acl: too many commands")
	}
	for _, cmd := range commands {
		for _, sub := range cmd.Sub {
			sub.sub = true
		}
	}
	return c
}

// all yields every command, a container before its subcommands.
func (c *Catalogue) all() func(yield func(*Command) bool) {
	return func(yield func(*Command) bool) {
		for _, cmd := range c.commands {
			if !yield(cmd) {
				return
			}
			for _, sub := range cmd.Sub {
				if !yield(sub) {
					return
				}
			}
		}
	}
}

// Command finds a command by its full name in any case, or returns nil.
func (c *Catalogue) Command(name string) *Command { return c.byName[lower(name)] }

// category returns the bit of a category, or 0 when there is none of the name.
func (c *Catalogue) category(name string) uint64 {
	if i := slices.Index(c.categories, lower(name)); i >= 0 {
		return 1 << i
	}
	return 0
}

// lower folds ASCII letters only, byte by byte: rules are not text in any
// encoding.
func lower(s string) string {
	b := []byte(s)
	for i, ch := range b {
		b[i] = lowerByte(ch)
	}
	return string(b)
}

func lowerByte(ch byte) byte {
	if 'A' <= ch && ch <= 'Z' {
		ch += 'a' - 'A'
	}
	return ch
}

func equalFold[B string | []byte](a string, b B) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lowerByte(a[i]) != lowerByte(b[i]) {
			return false
		}
	}
	return true
}

// bitmap is a set of commands by their numbers.
type bitmap [16]uint64

// future is the number of no command. Its bit says that the set began as all
// commands, so that one yet unknown would belong to it.
const future = len(bitmap{})*64 - 1

func (b *bitmap) has(id int) bool { return b[id/64]&(1<<(id%64)) != 0 }

func (b *bitmap) put(id int, in bool) {
	if in {
		b[id/64] |= 1 << (id % 64)
	} else {
		b[id/64] &^= 1 << (id % 64)
	}
}

// fill puts all commands in, or none.
func (b *bitmap) fill(in bool) {
	*b = bitmap{}
	if in {
		for i := range b {
			b[i] = ^uint64(0)
		}
	}
}
