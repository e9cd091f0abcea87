package acl

import "strings"

// describe returns rules that make the same selector out of an empty one.
func (s *selector) describe(c *Catalogue) string {
	var parts []string
	if keys := s.keyRules(); keys != "" {
		parts = append(parts, keys)
	}
	if !s.allChannels {
		parts = append(parts, "resetchannels")
	}
	if channels := s.channelRules(); channels != "" {
		parts = append(parts, channels)
	}
	return strings.Join(append(parts, s.commandRules(c)), " ")
}

func (s *selector) keyRules() string {
	if s.allKeys {
		return "~*"
	}
	rules := make([]string, len(s.keys))
	for i, k := range s.keys {
		rules[i] = k.String()
	}
	return strings.Join(rules, " ")
}

func (s *selector) channelRules() string {
	if s.allChannels {
		return "&*"
	}
	rules := make([]string, len(s.channels))
	for i, pattern := range s.channels {
		rules[i] = "&" + pattern
	}
	return strings.Join(rules, " ")
}

// commandRules returns rules that make the same set of commands, whatever it
// was: all or none, then categories that come close, then what they leave.
//
// It follows Redis (acl.c, ACLDescribeSelectorCommandRules), so that users
// print as they do there: the rules are applied to a selector of their own as
// they are found, and what still differs asks for more.
func (s *selector) commandRules(c *Catalogue) string {
	additive := !s.commands.has(future)
	var made selector
	made.setAll(!additive)
	rules := []string{"+@all"}
	if additive {
		rules[0] = "-@all"
	}
	for _, name := range s.bestCategories(c, additive) {
		made.setCategory(c, name, additive)
		rules = append(rules, sign(additive)+"@"+name)
	}
	for cmd := range c.all() {
		want := s.commands.has(cmd.id)
		if want != made.commands.has(cmd.id) {
			made.set(cmd, want)
			rules = append(rules, sign(want)+cmd.Name)
		}
		if want {
			continue // with any first argument
		}
		for _, arg := range s.firstArgs[cmd.id] {
			rules = append(rules, "+"+cmd.Name+"|"+arg)
		}
	}
	return strings.Join(rules, " ")
}

func sign(in bool) string {
	if in {
		return "+"
	}
	return "-"
}

// bestCategories chooses categories with more commands that are wanted than
// not, the best one first. What a choice accounts for is wanted no longer.
func (s *selector) bestCategories(c *Catalogue, additive bool) (names []string) {
	left := selector{commands: s.commands}
	chosen := uint64(0)
	for {
		best, fewest, most := -1, 0, 0
		for i := range c.categories {
			bit := uint64(1) << i
			if chosen&bit != 0 {
				continue
			}
			same, differ := left.count(c, bit, additive)
			if same > differ && (best < 0 || differ < fewest || differ == fewest && same > most) {
				best, fewest, most = i, differ, same
			}
		}
		if best < 0 {
			return names
		}
		chosen |= 1 << best
		left.setCategory(c, c.categories[best], !additive)
		names = append(names, c.categories[best])
	}
}

// count returns how many commands of a category are in the set or not, as in
// says, and how many are otherwise.
func (s *selector) count(c *Catalogue, category uint64, in bool) (same, differ int) {
	for cmd := range c.all() {
		if cmd.Categories&category == 0 {
			continue
		}
		if s.commands.has(cmd.id) == in {
			same++
		} else {
			differ++
		}
	}
	return same, differ
}
