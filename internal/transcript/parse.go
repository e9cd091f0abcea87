package transcript

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// File is a parsed file of scenarios. It keeps the lines, so that recording
// replaces replies and nothing else.
type File struct {
	Path      string
	Scenarios []*Scenario

	lines []string
}

// Scenario is a conversation that starts from an empty server.
type Scenario struct {
	Title    string
	Line     int // of the title, 1-based
	RESP3    bool
	Requires []Requirement
	Steps    []*Step
}

// Requirement is what a server must have for a scenario to be played.
type Requirement struct {
	Command string         // a command's full name, or
	Info    *regexp.Regexp // what a line of INFO must match
	text    string
}

// Step is one line of conversation and what must follow it.
type Step struct {
	Line   int      // 1-based
	Client int      // 1-based
	Args   []string // of a command; empty for raw bytes and for awaiting
	Raw    string
	Await  bool
	Want   []string // the reply's lines

	matches    []string // regular expressions, variables not yet put in
	any        bool
	anyAt      [][]int
	unordered  bool
	pairs      bool
	orderAt    [][]int
	scan       bool
	eventually bool
	silent     bool
	hasNotes   bool // a directive stands above it
}

const closedLine = "(closed)"

// closes reports whether the server is to close the connection.
func (s *Step) closes() bool { return len(s.Want) > 0 && s.Want[len(s.Want)-1] == closedLine }

var (
	prompt   = regexp.MustCompile(`^(\d*)(raw)?> (.*)$`)
	awaiting = regexp.MustCompile(`^(\d*)<$`)
)

// ParseFile reads and parses a file.
func ParseFile(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, string(text))
}

// parser holds what has been read: the step that replies belong to, and the
// directives that wait for a step.
type parser struct {
	file     *File
	scenario *Scenario
	step     *Step
	next     Step
	header   Scenario // directives above the first title
}

func parse(path, text string) (*File, error) {
	p := parser{file: &File{Path: path, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}}
	for i, line := range p.file.lines {
		if err := p.line(i+1, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
	}
	if p.next.hasNotes {
		return nil, fmt.Errorf("%s: a directive at the end", path)
	}
	return p.file, nil
}

func (p *parser) line(n int, line string) error {
	title, isTitle := strings.CutPrefix(line, "=== ")
	switch {
	case line == "" || line[0] == '#':
		p.step = nil
		return nil
	case isTitle:
		if p.next.hasNotes {
			return fmt.Errorf("a directive without a conversation above %q", title)
		}
		p.scenario = &Scenario{Title: title, Line: n, RESP3: p.header.RESP3, Requires: p.header.Requires}
		p.file.Scenarios = append(p.file.Scenarios, p.scenario)
		p.step = nil
		return nil
	case line[0] == '@':
		p.step = nil
		return p.directive(strings.TrimSpace(line))
	case awaiting.MatchString(line):
		return p.begin(n, awaiting.FindStringSubmatch(line)[1], "", "")
	case prompt.MatchString(line):
		m := prompt.FindStringSubmatch(line)
		return p.begin(n, m[1], m[2]+">", m[3])
	case p.step == nil:
		return fmt.Errorf("a reply without a command: %s", line)
	}
	p.step.Want = append(p.step.Want, line)
	return nil
}

// begin starts a step; sign is ">", "raw>" or "" for awaiting.
func (p *parser) begin(n int, client, sign, text string) (err error) {
	if p.scenario == nil {
		return fmt.Errorf("a conversation above the first title")
	}
	s := p.next
	p.next = Step{}
	s.Line, s.Client = n, 1
	if client != "" {
		if s.Client, err = strconv.Atoi(client); err != nil || s.Client == 0 {
			return fmt.Errorf("no client %q", client)
		}
	}
	switch sign {
	case "":
		s.Await = true
	case ">":
		if s.Args, err = splitWords(text); err == nil && len(s.Args) == 0 {
			err = fmt.Errorf("an empty command")
		}
	default:
		s.Raw, err = parseRaw(text)
	}
	p.step = &s
	p.scenario.Steps = append(p.scenario.Steps, &s)
	return err
}

func (p *parser) directive(line string) (err error) {
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	scenario := p.scenario
	if scenario == nil {
		scenario = &p.header
	}
	switch name {
	case "@resp3":
		scenario.RESP3 = true
		return nil
	case "@requires":
		r, err := parseRequirement(rest)
		scenario.Requires = append(scenario.Requires[:len(scenario.Requires):len(scenario.Requires)], r)
		return err
	}
	p.next.hasNotes = true
	switch name {
	case "@any":
		p.next.anyAt, err = parsePaths(rest)
		p.next.any = len(p.next.anyAt) == 0
	case "@match":
		_, err = regexp.Compile(rest)
		p.next.matches = append(p.next.matches, rest)
	case "@unordered":
		p.next.unordered = true
		rest, p.next.pairs = cutPairs(rest)
		p.next.orderAt, err = parsePaths(rest)
	case "@scan":
		p.next.scan = true
		_, p.next.pairs = cutPairs(rest)
	case "@eventually":
		p.next.eventually = true
	case "@silent":
		p.next.silent = true
	default:
		return fmt.Errorf("unknown directive %s", name)
	}
	return err
}

func cutPairs(s string) (rest string, pairs bool) {
	rest, pairs = strings.CutPrefix(s, "pairs")
	return strings.TrimSpace(rest), pairs
}

func parseRequirement(s string) (Requirement, error) {
	what, rest, _ := strings.Cut(s, " ")
	switch what {
	case "command":
		return Requirement{Command: rest, text: s}, nil
	case "info":
		re, err := regexp.Compile("(?m)" + rest)
		return Requirement{Info: re, text: s}, err
	}
	return Requirement{}, fmt.Errorf("unknown requirement %q", s)
}

// parsePaths reads paths as "4 2.1".
func parsePaths(s string) ([][]int, error) {
	var paths [][]int
	for _, field := range strings.Fields(s) {
		var path []int
		for step := range strings.SplitSeq(field, ".") {
			n, err := strconv.Atoi(step)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("bad path %q", field)
			}
			path = append(path, n)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
