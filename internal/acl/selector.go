package acl

import (
	"slices"
	"strings"

	"myredis/internal/glob"
)

// Access is what is done with a key.
type Access uint8

// Kinds of access. A key may be touched by neither, as EXISTS does: any
// pattern that matches permits that.
const (
	Read Access = 1 << iota
	Write
)

const readWrite = Read | Write

// selector is a set of commands with the keys and channels that they may be
// used on.
type selector struct {
	allKeys, allChannels bool
	// allCommands means that no bit need be looked at. It is not the same as
	// every bit being set: a command that was taken out and put back leaves it
	// false.
	allCommands bool
	commands    bitmap
	// firstArgs permit a command that is not in the set when its first
	// argument is one of these.
	firstArgs map[int][]string
	keys      []keyPattern
	channels  []string
}

type keyPattern struct {
	access  Access
	pattern string
}

func (p keyPattern) String() string {
	switch p.access {
	case Read:
		return "%R~" + p.pattern
	case Write:
		return "%W~" + p.pattern
	default:
		return "~" + p.pattern
	}
}

func (s *selector) clone() *selector {
	c := *s
	c.keys = slices.Clone(s.keys)
	c.channels = slices.Clone(s.channels)
	c.firstArgs = nil
	for id, args := range s.firstArgs {
		for _, arg := range args {
			c.addFirstArg(id, arg)
		}
	}
	return &c
}

// apply changes the selector by one rule.
func (s *selector) apply(c *Catalogue, rule string) error {
	switch lower(rule) {
	case "allkeys", "~*":
		s.allKeys, s.keys = true, nil
	case "resetkeys":
		s.allKeys, s.keys = false, nil
	case "allchannels", "&*":
		s.allChannels, s.channels = true, nil
	case "resetchannels":
		s.allChannels, s.channels = false, nil
	case "allcommands", "+@all":
		s.setAll(true)
	case "nocommands", "-@all":
		s.setAll(false)
	default:
		return s.applyPrefixed(c, rule)
	}
	return nil
}

// applyPrefixed is apply for the rules whose first byte says what they are.
func (s *selector) applyPrefixed(c *Catalogue, rule string) error {
	if rule == "" {
		return errSyntax
	}
	rest := rule[1:]
	switch kind := rule[0]; {
	case kind == '~':
		return s.addKeys(readWrite, rest)
	case kind == '%':
		return s.addKeysFor(rest)
	case kind == '&':
		return s.addChannels(rest)
	case kind != '+' && kind != '-':
		return errSyntax
	case strings.HasPrefix(rest, "@"):
		return s.setCategory(c, rest[1:], kind == '+')
	case kind == '+' && strings.Contains(rest, "|"):
		return s.permitPart(c, rest)
	default:
		cmd := c.Command(rest)
		if cmd == nil {
			return errUnknown
		}
		s.set(cmd, kind == '+')
	}
	return nil
}

func (s *selector) setAll(in bool) {
	s.commands.fill(in)
	s.allCommands, s.firstArgs = in, nil
}

// addKeysFor takes "R~pattern", "W~pattern" and "RW~pattern".
func (s *selector) addKeysFor(rule string) error {
	if s.allKeys {
		return errKeysOpen
	}
	var access Access
	for i := range len(rule) {
		switch ch := rule[i]; {
		case (ch == 'R' || ch == 'r') && access&Read == 0:
			access |= Read
		case (ch == 'W' || ch == 'w') && access&Write == 0:
			access |= Write
		case ch == '~' && access != 0:
			// Redis takes "%~pattern" too, which then ends the server when the
			// user is shown.
			return s.addKeys(access, rule[i+1:])
		default:
			return errSyntax
		}
	}
	if access == 0 {
		return errSyntax
	}
	return s.addKeys(access, "")
}

func (s *selector) addKeys(access Access, pattern string) error {
	switch {
	case s.allKeys:
		return errKeysOpen
	case !plain(pattern):
		return errSyntax
	}
	if i := slices.IndexFunc(s.keys, func(k keyPattern) bool { return k.pattern == pattern }); i >= 0 {
		s.keys[i].access |= access
	} else {
		s.keys = append(s.keys, keyPattern{access, strings.Clone(pattern)})
	}
	return nil
}

func (s *selector) addChannels(pattern string) error {
	switch {
	case s.allChannels:
		return errChannelsOpen
	case !plain(pattern):
		return errSyntax
	}
	if !slices.Contains(s.channels, pattern) {
		s.channels = append(s.channels, strings.Clone(pattern))
	}
	return nil
}

// plain reports whether a text has no blanks or zero bytes, and so can stand
// in a line of rules as it is.
func plain(text string) bool { return !strings.ContainsAny(text, " \t\n\v\f\r\x00") }

// set puts a command in or takes it out, a container with its subcommands.
func (s *selector) set(cmd *Command, in bool) {
	s.commands.put(cmd.id, in)
	delete(s.firstArgs, cmd.id)
	for _, sub := range cmd.Sub {
		s.commands.put(sub.id, in)
	}
	s.allCommands = s.allCommands && in
}

func (s *selector) setCategory(c *Catalogue, name string, in bool) error {
	bit := c.category(name)
	if bit == 0 {
		return errUnknown
	}
	for cmd := range c.all() {
		if cmd.Categories&bit != 0 {
			s.set(cmd, in)
		}
	}
	return nil
}

// permitPart takes "config|get", which names a command, and "select|0", which
// permits a command with that first argument only.
func (s *selector) permitPart(c *Catalogue, rule string) error {
	bar := strings.LastIndexByte(rule, '|')
	cmd, arg := c.Command(rule[:bar]), rule[bar+1:]
	switch {
	case cmd == nil:
		return errUnknown
	case cmd.sub:
		return errSubcommandArg
	case arg == "":
		return errSyntax
	case len(cmd.Sub) == 0:
		s.addFirstArg(cmd.id, arg)
		return nil
	}
	sub := c.Command(rule)
	if sub == nil {
		return errUnknown
	}
	s.set(sub, true)
	return nil
}

func (s *selector) addFirstArg(id int, arg string) {
	if s.firstArgs == nil {
		s.firstArgs = map[int][]string{}
	}
	if !slices.ContainsFunc(s.firstArgs[id], func(a string) bool { return equalFold(a, arg) }) {
		s.firstArgs[id] = append(s.firstArgs[id], strings.Clone(arg))
	}
}

// check returns why the selector does not allow a request, and which argument
// is at fault when it is a key or a channel.
func (s *selector) check(r *Request) (why Reason, arg int) {
	if !s.runs(r) {
		return DeniedCommand, 0
	}
	if !s.allKeys {
		for _, k := range r.Keys {
			if !s.touches(r.Args[k.Arg], k.Access) {
				return DeniedKey, k.Arg
			}
		}
	}
	if !s.allChannels {
		for _, ch := range r.Channels {
			if !anyMatches(s.channels, r.Args[ch.Arg], ch.Pattern) {
				return DeniedChannel, ch.Arg
			}
		}
	}
	return Allowed, 0
}

func (s *selector) runs(r *Request) bool {
	cmd := r.Command
	if s.allCommands || cmd.Free || s.commands.has(cmd.id) {
		return true
	}
	args := s.firstArgs[cmd.id]
	return len(r.Args) > 1 && slices.ContainsFunc(args, func(a string) bool { return equalFold(a, r.Args[1]) })
}

func (s *selector) touches(key []byte, access Access) bool {
	if s.allKeys {
		return true
	}
	for _, k := range s.keys {
		if k.access&access == access && glob.Match(k.pattern, key, false) {
			return true
		}
	}
	return false
}

// touchesAll reports whether every key there could be may be accessed.
func (s *selector) touchesAll(access Access) bool {
	return s.allKeys || slices.ContainsFunc(s.keys, func(k keyPattern) bool {
		return k.access&access == access && k.pattern == "*"
	})
}

// anyMatches reports whether a channel matches one of the patterns. A pattern
// that is to be listened to must be among them as it is: what it could match
// is not known.
func anyMatches(patterns []string, channel []byte, isPattern bool) bool {
	for _, p := range patterns {
		if isPattern && p == string(channel) || !isPattern && glob.Match(p, channel, false) {
			return true
		}
	}
	return false
}
