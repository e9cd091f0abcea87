package config

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"myredis/internal/words"
)

// The parameters whose values have a grammar of their own.

const errArguments refusal = "wrong number of arguments"

// shutdownFlags is a set of words: "default", or any of the others but save
// together with nosave.
func shutdownFlags(p *string) value {
	*p = shutdownWords[0]
	return shutdown{p}
}

var shutdownWords = []string{"default", "save", "nosave", "now", "force"}

type shutdown struct{ p *string }

func (v shutdown) set(args []string) error {
	var chosen []string
	for _, arg := range args {
		word, ok := oneOf(shutdownWords, arg)
		if !ok {
			return errNotOneOf(shutdownWords)
		}
		chosen = append(chosen, word)
	}
	if len(args) == 0 {
		return errNotOneOf(shutdownWords)
	}
	if slices.Contains(chosen, "save") && slices.Contains(chosen, "nosave") {
		return refusal("shutdown options SAVE and NOSAVE can't be used simultaneously")
	}
	var ordered []string
	for _, word := range shutdownWords[1:] {
		if slices.Contains(chosen, word) {
			ordered = append(ordered, word)
		}
	}
	*v.p = shutdownWords[0]
	if len(ordered) > 0 {
		*v.p = strings.Join(ordered, " ")
	}
	return nil
}

func (v shutdown) String() string { return *v.p }
func (v shutdown) keep() func()   { return keep(v.p) }
func (v shutdown) lines(name string) []confLine {
	return []confLine{{name + " " + *v.p, *v.p != shutdownWords[0]}}
}

// dir is the directory that paths are relative to.
type dir struct{ c *Config }

func (v dir) set(args []string) error {
	if args[0] == "" {
		return refusal(reason(syscall.ENOENT))
	}
	path := v.c.Path(args[0])
	// Redis changes into it here. Whether one could is what this asks.
	if _, err := os.Stat(path + string(os.PathSeparator) + "."); err != nil {
		return refusal(reason(err))
	}
	v.c.Dir = path
	return nil
}

func (v dir) String() string { return v.c.Dir }
func (v dir) keep() func()   { return keep(&v.c.Dir) }
func (v dir) lines(name string) []confLine {
	return []confLine{{name + " " + words.Quote(v.c.Dir), true}}
}

// save is a list of save points. In a file each line adds to those before, and
// the first replaces the default; CONFIG SET replaces them all, and so does each
// line that comes after an include directive, as in Redis.
type save struct{ c *Config }

func (v save) set(args []string) error {
	if len(args) == 1 && args[0] == "" {
		v.c.Save = nil
		args = nil
	}
	if len(args)%2 != 0 {
		return errSave
	}
	var points []SavePoint
	for i := 0; i < len(args); i += 2 {
		seconds, rest := parsePrefix(args[i])
		changes, rest2 := parsePrefix(args[i+1])
		if rest != "" || rest2 != "" || seconds < 1 || changes < 0 {
			return errSave
		}
		points = append(points, SavePoint{seconds, int64(int32(changes))})
	}
	if !v.c.saves.adding || !v.c.saves.loaded {
		v.c.saves.loaded = true
		v.c.Save = nil
	}
	v.c.Save = slices.Concat(v.c.Save, points)
	return nil
}

const errSave refusal = "Invalid save parameters"

func (v save) String() string {
	var words []string
	for _, p := range v.c.Save {
		words = append(words, fmt.Sprintf("%d %d", p.Seconds, p.Changes))
	}
	return strings.Join(words, " ")
}

func (v save) keep() func() { return keep(&v.c.Save) }

// lines are forced: without any, the default would be back at the next start.
func (v save) lines(name string) []confLine {
	if len(v.c.Save) == 0 {
		return []confLine{{name + ` ""`, true}}
	}
	var lines []confLine
	for _, p := range v.c.Save {
		lines = append(lines, confLine{fmt.Sprintf("%s %d %d", name, p.Seconds, p.Changes), true})
	}
	return lines
}

// outputLimits are "class hard soft seconds", once or more.
type outputLimits struct{ p *[3]OutputLimit }

var defaultOutputLimits = [3]OutputLimit{
	ClassNormal:  {},
	ClassReplica: {256 << 20, 64 << 20, 60},
	ClassPubSub:  {32 << 20, 8 << 20, 60},
}

func (v outputLimits) set(args []string) error {
	if len(args)%4 != 0 {
		return refusal("Wrong number of arguments in buffer limit configuration.")
	}
	limits := *v.p
	for a := range slices.Chunk(args, 4) {
		class := map[string]int{"normal": ClassNormal, "slave": ClassReplica, "replica": ClassReplica, "pubsub": ClassPubSub}
		i, ok := class[strings.ToLower(a[0])]
		if !ok {
			return refusal("Invalid client class specified in buffer limit configuration.")
		}
		hard, okHard := ParseMemory(a[1])
		soft, okSoft := ParseMemory(a[2])
		seconds, rest := parsePrefix(a[3])
		if !okHard || !okSoft || rest != "" || int32(seconds) < 0 {
			return refusal("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
		}
		limits[i] = OutputLimit{hard, soft, int(int32(seconds))}
	}
	*v.p = limits
	return nil
}

func (v outputLimits) String() string {
	var words []string
	for i, class := range []string{"normal", "slave", "pubsub"} {
		l := v.p[i]
		words = append(words, fmt.Sprintf("%s %d %d %d", class, l.Hard, l.Soft, l.SoftSeconds))
	}
	return strings.Join(words, " ")
}

func (v outputLimits) keep() func() { return keep(v.p) }

func (v outputLimits) lines(name string) []confLine {
	var lines []confLine
	for i, class := range []string{"normal", "replica", "pubsub"} {
		l := v.p[i]
		line := fmt.Sprintf("%s %s %s %s %d", name, class, formatMemory(l.Hard), formatMemory(l.Soft), l.SoftSeconds)
		lines = append(lines, confLine{line, l != defaultOutputLimits[i]})
	}
	return lines
}

// oomScores are three numbers, for a master, a replica and a child process.
type oomScores struct{ p *[3]int }

var defaultOOMScores = [3]int{0, 200, 800}

func (v oomScores) set(args []string) error {
	if len(args) != len(v.p) {
		return errArguments
	}
	var scores [3]int
	for i, arg := range args {
		n, rest := parsePrefix(arg)
		if rest != "" || n < -2000 || n > 2000 {
			return refusal("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")
		}
		scores[i] = int(n)
	}
	*v.p = scores
	return nil
}

func (v oomScores) String() string { return fmt.Sprintf("%d %d %d", v.p[0], v.p[1], v.p[2]) }
func (v oomScores) keep() func()   { return keep(v.p) }
func (v oomScores) lines(name string) []confLine {
	return []confLine{{name + " " + v.String(), *v.p != defaultOOMScores}}
}

// events are the classes of keyspace events that are published. The string is
// kept as it was set: what Redis prints leaves "n" out beside "A".
type events struct{ p *string }

// allEvents is what A stands for, in the order in which classes are printed.
const allEvents = "g$lshzxetd"

func (v events) set(args []string) error {
	if len(args) != 1 {
		return errArguments
	}
	if strings.Trim(args[0], "A"+allEvents+"nKEm") != "" {
		return refusal("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
	}
	*v.p = args[0]
	return nil
}

func (v events) String() string {
	var b strings.Builder
	pick := func(classes string) {
		for _, class := range classes {
			if strings.ContainsRune(*v.p, class) {
				b.WriteRune(class)
			}
		}
	}
	pick(allEvents + "n")
	if strings.Contains(*v.p, "A") || strings.HasPrefix(b.String(), allEvents) {
		b.Reset()
		b.WriteByte('A')
	}
	pick("KEm")
	return b.String()
}

func (v events) keep() func() { return keep(v.p) }
func (v events) lines(name string) []confLine {
	s := v.String()
	return []confLine{{name + " " + words.Quote(s), s != ""}}
}

// bind is a list of addresses.
type bind struct{ p *[]string }

var defaultBind = []string{"*", "-::*"}

func (v bind) set(args []string) error {
	if len(args) > 16 {
		return refusal("Too many bind addresses specified.")
	}
	*v.p = slices.Clone(args)
	if len(args) == 1 && args[0] == "" {
		*v.p = nil
	}
	return nil
}

func (v bind) String() string { return strings.Join(*v.p, " ") }
func (v bind) keep() func()   { return keep(v.p) }
func (v bind) lines(name string) []confLine {
	switch {
	case slices.Equal(*v.p, defaultBind):
		return nil
	case len(*v.p) == 0:
		return []confLine{{name + ` ""`, true}}
	}
	return []confLine{{name + " " + v.String(), true}}
}

// replicaOf takes "no one", and refuses what this server is not able to be.
type replicaOf struct{}

func (replicaOf) set(args []string) error {
	if len(args) != 2 {
		return errArguments
	}
	if strings.EqualFold(args[0], "no") && strings.EqualFold(args[1], "one") {
		return nil
	}
	if port, rest := parsePrefix(args[1]); rest != "" || port < 0 || port > 65535 {
		return refusal("Invalid master port")
	}
	return refusal("replicaof is not available: this server cannot be a replica")
}

func (replicaOf) String() string          { return "" }
func (replicaOf) keep() func()            { return func() {} }
func (replicaOf) lines(string) []confLine { return nil }

// percentiles are numbers from 0 to 100.
type percentiles struct{ p *[]float64 }

func (v percentiles) set(args []string) error {
	if len(args) == 1 && args[0] == "" {
		args = nil
	}
	var list []float64
	for _, arg := range args {
		f, err := strconv.ParseFloat(arg, 64)
		if err != nil || math.IsNaN(f) || strings.Contains(arg, "_") {
			return refusal("Invalid latency-tracking-info-percentiles parameters")
		}
		if f < 0 || f > 100 {
			return refusal("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]")
		}
		list = append(list, f)
	}
	*v.p = list
	return nil
}

// String prints six digits after the point at most.
func (v percentiles) String() string {
	var words []string
	for _, f := range *v.p {
		s := strconv.FormatFloat(f, 'f', 6, 64)
		words = append(words, strings.TrimSuffix(strings.TrimRight(s, "0"), "."))
	}
	return strings.Join(words, " ")
}

func (v percentiles) keep() func() { return keep(v.p) }
func (v percentiles) lines(name string) []confLine {
	if len(*v.p) == 0 {
		return []confLine{{name + ` ""`, true}}
	}
	return []confLine{{name + " " + v.String(), true}}
}
