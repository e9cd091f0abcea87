package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Monitor follows every command that a store runs, in the order in which it
// runs them, and knows from that what a sorted set holds at each instant. A
// sampler misses peaks that last for one command; this does not.
type Monitor struct {
	conn *Conn
	done chan struct{}

	mu      sync.Mutex
	key     string
	members map[string]float64
	peak    int
	applied int
	err     error
	watch   func(card int, line MonitorLine)
}

// MonitorLine is a command as MONITOR shows it.
type MonitorLine struct {
	Micros int64 // the store's clock, microseconds since 1970
	Args   []string
}

// Follow begins to follow a sorted set that is empty. The function, which may
// be nil, is told of every command on it and how many members it has then.
func Follow(addr, key string, watch func(card int, line MonitorLine)) (*Monitor, error) {
	c, err := Dial(addr)
	if err != nil {
		return nil, err
	}
	if _, err := c.Do("MONITOR"); err != nil {
		c.Close()
		return nil, err
	}
	m := &Monitor{conn: c, done: make(chan struct{}), key: key, members: map[string]float64{}, watch: watch}
	go m.run()
	return m, nil
}

func (m *Monitor) run() {
	defer close(m.done)
	for {
		v, err := m.conn.Receive()
		if err != nil {
			return
		}
		line, err := ParseMonitorLine(v.String())
		m.mu.Lock()
		if err == nil {
			err = m.apply(line)
		}
		m.err = errors.Join(m.err, err)
		m.mu.Unlock()
		if err == nil && len(line.Args) == 2 && line.Args[0] == "echo" && line.Args[1] == m.lastWord() {
			return
		}
	}
}

func (m *Monitor) lastWord() string { return "end of " + m.key }

// Stop returns the largest number of members after any command until now, how
// many commands touched the set, and what could not be followed.
func (m *Monitor) Stop(addr string) (peak, commands int, err error) {
	// The stream is read up to a command of our own, so that nothing which
	// ran before is missed.
	if c, err := Dial(addr); err == nil {
		_, err = c.Do("echo", m.lastWord())
		c.Close()
		if err == nil {
			<-m.done
		}
	}
	m.conn.Close()
	<-m.done
	return m.peak, m.applied, m.err
}

// apply does to the copy of the set what the command did to the set.
func (m *Monitor) apply(line MonitorLine) error {
	args := line.Args
	if len(args) < 2 || args[1] != m.key {
		return nil
	}
	var err error
	switch strings.ToLower(args[0]) {
	case "zadd":
		err = m.zadd(args[2:])
	case "zrem":
		for _, member := range args[2:] {
			delete(m.members, member)
		}
	case "zremrangebyscore":
		err = m.removeByScore(args[2:])
	case "zpopmin":
		err = m.popMin(args[2:])
	case "del", "unlink":
		clear(m.members)
	case "zcard", "zscore", "zrange", "zcount", "zrank", "zmscore", "zrangebyscore", "exists", "type", "ttl", "pttl":
		return nil
	default:
		err = fmt.Errorf("cannot follow %q", args)
	}
	m.applied++
	m.peak = max(m.peak, len(m.members))
	if m.watch != nil {
		m.watch(len(m.members), line)
	}
	return err
}

func (m *Monitor) zadd(args []string) error {
	var nx, xx, gt, lt bool
	for len(args) > 0 {
		switch strings.ToLower(args[0]) {
		case "nx":
			nx = true
		case "xx":
			xx = true
		case "gt":
			gt = true
		case "lt":
			lt = true
		case "ch":
		default:
			return m.addAll(args, nx, xx, gt, lt)
		}
		args = args[1:]
	}
	return nil
}

func (m *Monitor) addAll(args []string, nx, xx, gt, lt bool) error {
	for i := 0; i+1 < len(args); i += 2 {
		score, err := strconv.ParseFloat(args[i], 64)
		if err != nil {
			return err
		}
		old, there := m.members[args[i+1]]
		switch {
		case nx && there, xx && !there, there && gt && score <= old, there && lt && score >= old:
		default:
			m.members[args[i+1]] = score
		}
	}
	return nil
}

func (m *Monitor) removeByScore(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("cannot follow ZREMRANGEBYSCORE %q", args)
	}
	low, lowOpen, err1 := bound(args[0])
	high, highOpen, err2 := bound(args[1])
	for member, score := range m.members {
		if (score > low || !lowOpen && score == low) && (score < high || !highOpen && score == high) {
			delete(m.members, member)
		}
	}
	return errors.Join(err1, err2)
}

func bound(text string) (value float64, open bool, err error) {
	text, open = strings.CutPrefix(text, "(")
	switch strings.ToLower(text) {
	case "-inf":
		return math.Inf(-1), open, nil
	case "inf", "+inf":
		return math.Inf(1), open, nil
	}
	value, err = strconv.ParseFloat(text, 64)
	return value, open, err
}

func (m *Monitor) popMin(args []string) error {
	n := 1
	if len(args) > 0 {
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil {
			return err
		}
	}
	order := make([]string, 0, len(m.members))
	for member := range m.members {
		order = append(order, member)
	}
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(m.members[a], m.members[b]), strings.Compare(a, b))
	})
	for _, member := range order[:min(n, len(order))] {
		delete(m.members, member)
	}
	return nil
}

// ParseMonitorLine reads a line of MONITOR:
//
//	1339518083.107412 [0 127.0.0.1:60866] "keys" "*"
func ParseMonitorLine(text string) (MonitorLine, error) {
	stamp, rest, ok := strings.Cut(text, " ")
	seconds, fraction, dotted := strings.Cut(stamp, ".")
	micros, err := strconv.ParseInt(seconds+fraction, 10, 64)
	if !ok || !dotted || len(fraction) != 6 || err != nil {
		return MonitorLine{}, fmt.Errorf("not a line of MONITOR: %q", text)
	}
	// A Unix socket's path could hold a bracket; a quote ends the search.
	_, rest, ok = strings.Cut(rest, "] ")
	if !ok {
		return MonitorLine{}, fmt.Errorf("not a line of MONITOR: %q", text)
	}
	line := MonitorLine{Micros: micros}
	for rest != "" {
		arg, after, err := unquote(rest)
		if err != nil {
			return MonitorLine{}, fmt.Errorf("%w in %q", err, text)
		}
		line.Args = append(line.Args, arg)
		rest = strings.TrimPrefix(after, " ")
	}
	return line, nil
}

var errQuoting = errors.New("bad quoting")

// unquote reads one quoted argument (sds.c, sdscatrepr) and returns the rest.
func unquote(text string) (arg, rest string, err error) {
	if text == "" || text[0] != '"' {
		return "", "", errQuoting
	}
	var out []byte
	for i := 1; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '"':
			return string(out), text[i+1:], nil
		case ch != '\\':
			out = append(out, ch)
		case i+1 == len(text):
			return "", "", errQuoting
		case text[i+1] == 'x' && i+3 < len(text):
			n, err := strconv.ParseUint(text[i+2:i+4], 16, 8)
			if err != nil {
				return "", "", errQuoting
			}
			out = append(out, byte(n))
			i += 3
		default:
			i++
			if at := strings.IndexByte("nrtab", text[i]); at >= 0 {
				out = append(out, "\n\r\t\a\b"[at])
			} else {
				out = append(out, text[i])
			}
		}
	}
	return "", "", errQuoting
}
