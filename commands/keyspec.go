package commands

import "slices"

// keyPlace is the place of a key among the arguments and what is done with it.
type keyPlace struct {
	arg   int
	flags KeyFlag
}

const (
	errNoCommand     Error = "ERR Invalid command specified"
	errNoKeyArgs     Error = "ERR The command has no key arguments"
	errWrongArgCount Error = "ERR Invalid number of arguments specified for command"
	errBadKeyArgs    Error = "ERR Invalid arguments specified for command"
)

// keyPlaces finds the keys among the arguments of a request (db.c,
// getKeysUsingKeySpecs). It fails when the arguments contradict the row.
func (c *Command) keyPlaces(args [][]byte) (places []keyPlace, ok bool) {
	if c.KeysOf != nil {
		return c.KeysOf(args)
	}
	for _, spec := range c.Keys {
		if spec.Flags&NotKey != 0 {
			continue
		}
		found, ok := spec.places(args)
		if !ok {
			return nil, false
		}
		places = append(places, found...)
	}
	return places, true
}

// hasKeys reports whether there are requests of the command with keys in them.
func (c *Command) hasKeys() bool {
	return c.KeysOf != nil || slices.ContainsFunc(c.Keys, func(s KeySpec) bool { return s.Flags&NotKey == 0 })
}

func (s *KeySpec) places(args [][]byte) (places []keyPlace, ok bool) {
	begin, found := s.begin(args)
	if !found {
		return nil, true
	}
	first, last, step := begin, 0, s.Step
	switch {
	case s.Unknown:
		return nil, false
	case s.ByCount:
		if begin+s.NumAt >= len(args) {
			return nil, false
		}
		n, isInt := parseInt(args[begin+s.NumAt])
		if !isInt || n < 0 || n > int64(len(args)) {
			return nil, false
		}
		first = begin + s.FirstAt
		last = first + int(n) - 1
	case s.Last >= 0:
		last = first + s.Last
	default:
		last = len(args) + s.Last
		if s.Limit > 1 {
			last = first + (len(args)-first)/s.Limit + s.Last
		}
	}
	if first > last || last >= len(args) {
		return nil, false
	}
	for i := first; i <= last; i += step {
		places = append(places, keyPlace{i, s.Flags})
	}
	return places, true
}

// begin is the argument where the keys begin, if the request has them: those
// behind a keyword need not be there.
func (s *KeySpec) begin(args [][]byte) (int, bool) {
	if s.Keyword == "" {
		return s.Index, true
	}
	i, way, end := s.Index, 1, len(args)-1
	if s.Index < 0 {
		i, way, end = len(args)+s.Index, -1, 1
	}
	for ; i != end && i > 0 && i < len(args); i += way {
		if equalFold(args[i], s.Keyword) {
			return i + 1, true
		}
	}
	return 0, false
}
