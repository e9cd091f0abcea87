package config

import (
	"slices"
	"strings"
)

// CONFIG SET.
//
// All names are looked up and all values put in place before anything is told
// of the change, so that one that is wrong leaves no trace and a hook finds
// every value of the command in place, in whatever order they were given.

// ErrLoading is returned for a parameter that cannot be changed while a data
// set is being loaded. It is a reply of its own kind.
var ErrLoading error = refusal("LOADING Redis is loading the dataset in memory")

// Set changes parameters as CONFIG SET does for a client on another machine:
// all of them, or none and an error worded as Redis words it, without a prefix
// but for [ErrLoading]. Functions registered with [Config.OnChange] have run
// when it returns.
func (c *Config) Set(pairs []Pair) error { return c.setFrom(false, pairs) }

// SetLocal is [Config.Set] for a client on this machine, for whom
// "enable-protected-configs local" is enough.
func (c *Config) SetLocal(pairs []Pair) error { return c.setFrom(true, pairs) }

// An assignment is one pair of a CONFIG SET, looked up.
type assignment struct {
	spelling
	text    string
	restore func()
}

func (c *Config) setFrom(local bool, pairs []Pair) error {
	todo, err := c.resolve(local, pairs)
	if err != nil {
		return err
	}
	var changed []assignment
	for i := range todo {
		a := &todo[i]
		before := a.param.value.String()
		a.restore = a.param.value.keep()
		if err := a.param.value.set(a.param.args(a.text)); err != nil {
			restore(todo[:i+1])
			return failed(a.name, err)
		}
		if a.param.flags&volatileRow != 0 || a.param.value.String() != before {
			changed = append(changed, *a)
		}
	}
	return c.apply(todo, changed)
}

// resolve looks the names up and refuses what may not be set.
func (c *Config) resolve(local bool, pairs []Pair) ([]assignment, error) {
	todo := make([]assignment, 0, len(pairs))
	for _, pair := range pairs {
		s, ok := c.lookup(pair.Name)
		if !ok {
			return nil, refusef("Unknown option or number of arguments for CONFIG SET - '%s'", pair.Name)
		}
		flags := s.param.flags
		switch {
		case flags&immutable != 0:
			return nil, failed(pair.Name, refusal("can't set immutable config"))
		case flags&protected != 0 && !c.protectedAllowed(local):
			return nil, failed(pair.Name, refusal("can't set protected config"))
		case flags&denyLoading != 0 && c.Loading:
			return nil, ErrLoading
		case slices.ContainsFunc(todo, func(a assignment) bool { return a.name == s.name }):
			// A parameter and its alias count as two, and the last one wins.
			return nil, failed(pair.Name, refusal("duplicate parameter"))
		}
		todo = append(todo, assignment{spelling: s, text: pair.Value})
	}
	return todo, nil
}

func (c *Config) protectedAllowed(local bool) bool {
	return c.EnableProtected == "yes" || c.EnableProtected == "local" && local
}

// args splits a value that takes several arguments. There is no quoting.
func (p *param) args(text string) []string {
	switch {
	case p.flags&multi == 0:
		return []string{text}
	case text == "":
		return nil
	}
	return strings.Split(text, " ")
}

// apply runs the hooks of what has changed. When one refuses, the values go
// back to what they were and the hooks that had taken them up run again.
func (c *Config) apply(todo, changed []assignment) error {
	var done []func() error
	seen := map[*param]bool{}
	for _, a := range changed {
		if seen[a.param] {
			continue // its alias was in the same command
		}
		seen[a.param] = true
		for _, hook := range c.hooks[a.param] {
			err := hook()
			if err == nil {
				done = append(done, hook)
				continue
			}
			restore(todo)
			for _, hook := range done {
				// It accepted these values before, and there is nothing better
				// to go back to if it does not do so again.
				_ = hook()
			}
			return failed(a.name, err)
		}
	}
	return nil
}

// restore sets values back, the last first, as a parameter and its alias may
// both be among them.
func restore(todo []assignment) {
	for _, a := range slices.Backward(todo) {
		a.restore()
	}
}

func failed(name string, why error) error {
	return refusef("CONFIG SET failed (possibly related to argument '%s') - %v", name, why)
}
