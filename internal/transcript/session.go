package transcript

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// patience is how long a reply, or the end of a connection, is awaited.
const patience = 5 * time.Second

// Dial connects to the server that conversations are played against.
type Dial func() (net.Conn, error)

// client is one connection of a conversation.
type client struct {
	conn net.Conn
	*reader
}

func dialClient(dial Dial) (*client, error) {
	conn, err := dial()
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, reader: newReader(conn)}, nil
}

func (c *client) send(bytes string) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err := io.WriteString(c.conn, bytes)
	return err
}

func (c *client) receive(args []string, wait time.Duration) (Value, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
		return Value{}, err
	}
	return c.read(args)
}

func (c *client) do(args ...string) (Value, error) {
	if err := c.send(encode(args)); err != nil {
		return Value{}, err
	}
	return c.receive(args, patience)
}

// end says goodbye and waits until the server has closed its side too, so
// that the next scenario does not find this client in CLIENT LIST. Whatever
// arrives is a reply that no step has asked for.
func (c *client) end() error {
	defer c.conn.Close()
	half, ok := c.conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return nil
	}
	v, err := c.receive(nil, patience)
	switch {
	case err == nil:
		return fmt.Errorf("a reply that nothing asked for: %s", strings.Join(v.Lines(), "\n"))
	case isClosed(err):
		return nil
	}
	return err
}

func isClosed(err error) bool {
	var timeout net.Error
	return err != nil && !(errors.As(err, &timeout) && timeout.Timeout())
}

func encode(args []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	return b.String()
}

// session is one scenario being played: its clients and its variables.
type session struct {
	dial      Dial
	resp3     bool
	recording bool
	clients   map[int]*client
	vars      map[string]string
}

func newSession(dial Dial, sc *Scenario, recording bool) *session {
	return &session{dial: dial, resp3: sc.RESP3, recording: recording, clients: map[int]*client{}, vars: map[string]string{}}
}

// end closes every connection.
func (s *session) end() error {
	var errs []error
	for _, n := range slices.Sorted(maps.Keys(s.clients)) {
		if err := s.clients[n].end(); err != nil {
			errs = append(errs, fmt.Errorf("client %d: %w", n, err))
		}
	}
	clear(s.clients)
	return errors.Join(errs...)
}

func (s *session) client(n int) (*client, error) {
	if c := s.clients[n]; c != nil {
		return c, nil
	}
	c, err := dialClient(s.dial)
	if err != nil {
		return nil, err
	}
	s.clients[n] = c
	if s.resp3 {
		v, err := c.do("HELLO", "3")
		if err == nil && v.Kind != Map {
			err = fmt.Errorf("HELLO 3: %s", strings.Join(v.Lines(), "\n"))
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// play takes a step and returns the lines of what came back.
func (s *session) play(step *Step) ([]string, error) {
	c, err := s.client(step.Client)
	if err != nil {
		return nil, err
	}
	var lines []string
	switch {
	case step.Raw != "":
		lines, err = s.raw(c, step)
	case step.eventually:
		lines, err = s.untilWanted(c, step)
	default:
		lines, err = s.once(c, step)
	}
	if err == nil && step.closes() && (len(lines) == 0 || lines[len(lines)-1] != closedLine) {
		if err = awaitClose(c); err == nil {
			lines = append(lines, closedLine)
		}
	}
	if len(lines) > 0 && lines[len(lines)-1] == closedLine {
		c.conn.Close()
		delete(s.clients, step.Client)
	}
	return lines, err
}

func awaitClose(c *client) error {
	v, err := c.receive(nil, patience)
	switch {
	case err == nil:
		return fmt.Errorf("the connection should be closed, but there came %s", strings.Join(v.Lines(), "\n"))
	case isClosed(err):
		return nil
	}
	return fmt.Errorf("the connection should be closed: %w", err)
}

// once sends the command, if it is one, and reads the reply, if there is one.
func (s *session) once(c *client, step *Step) ([]string, error) {
	args, err := s.expand(step.Args)
	if err != nil {
		return nil, err
	}
	if !step.Await {
		if err := c.send(encode(args)); err != nil {
			return nil, err
		}
	}
	if step.silent || len(step.Want) == 1 && step.closes() {
		return nil, nil
	}
	v, err := c.receive(args, patience)
	if step.scan && err == nil {
		v, err = followCursor(c, args, v)
	}
	if err != nil {
		return nil, err
	}
	return s.view(step, v)
}

// errMismatch says that a reply is not as @match has it.
var errMismatch = errors.New("does not match")

// untilWanted repeats the command until it gives the wanted reply.
func (s *session) untilWanted(c *client, step *Step) ([]string, error) {
	deadline := time.Now().Add(patience)
	for {
		lines, err := s.once(c, step)
		if err == nil && slices.Equal(lines, step.Want) || err != nil && !errors.Is(err, errMismatch) || time.Now().After(deadline) {
			return lines, err
		}
	}
}

// quiet is how long a recorder listens for one more reply to raw bytes.
const quiet = 100 * time.Millisecond

// raw sends bytes and reads as many lines of reply as there should be; a
// recorder, which cannot know, reads until nothing comes any more.
func (s *session) raw(c *client, step *Step) ([]string, error) {
	// An error here is a server that closed early: what it said is still to be read.
	_ = c.send(step.Raw)
	var lines []string
	for s.recording || len(lines) < len(step.Want) {
		wait := patience
		if s.recording {
			wait = quiet
		}
		v, err := c.receive(nil, wait)
		if isClosed(err) {
			return append(lines, closedLine), nil
		}
		if err != nil {
			if s.recording {
				err = nil
			}
			return lines, err
		}
		more, err := s.view(step, v)
		if lines = append(lines, more...); err != nil {
			return lines, err
		}
	}
	return lines, nil
}

// followCursor collects what SCAN and its like give in several replies.
func followCursor(c *client, args []string, v Value) (Value, error) {
	cursor := 1
	if !strings.EqualFold(args[0], "scan") {
		cursor = 2 // after the key
	}
	all := Value{Kind: Array}
	for {
		if len(v.Items) != 2 || v.Items[0].Kind != Bulk || v.Items[1].Kind != Array {
			return v, nil // an error, to be compared as it is
		}
		all.Items = append(all.Items, v.Items[1].Items...)
		if v.Items[0].Text == "0" {
			return Value{Kind: Array, Items: []Value{v.Items[0], all}}, nil
		}
		args[cursor] = v.Items[0].Text
		var err error
		if v, err = c.do(args...); err != nil {
			return v, err
		}
	}
}

// view prints a reply as the step's directives want to see it.
func (s *session) view(step *Step, v Value) ([]string, error) {
	for _, m := range step.matches {
		if err := s.match(m, v); err != nil {
			return v.Lines(), err
		}
	}
	size := 1
	if step.pairs {
		size = 2
	}
	for _, path := range orWhole(step.orderAt, step.unordered) {
		if item := v.at(path); item != nil {
			item.sort(size)
		}
	}
	if items := v.at([]int{2}); step.scan && items != nil {
		items.sort(size)
		items.distinct(size)
	}
	if step.any || len(step.matches) > 0 {
		v.masked = true
	}
	for _, path := range step.anyAt {
		if item := v.at(path); item != nil {
			item.masked = true
		}
	}
	return v.Lines(), nil
}

// orWhole is the paths, or the one of the whole value when there are none.
func orWhole(paths [][]int, use bool) [][]int {
	if use && len(paths) == 0 {
		return [][]int{nil}
	}
	return paths
}

// match compares a reply with a regular expression and keeps what its named
// groups caught.
func (s *session) match(expr string, v Value) error {
	expanded, err := s.substitute(expr, regexp.QuoteMeta)
	if err != nil {
		return err
	}
	re, err := regexp.Compile("(?m)" + expanded)
	if err != nil {
		return err
	}
	m := re.FindStringSubmatch(v.text())
	if m == nil {
		return fmt.Errorf("%w %s", errMismatch, expanded)
	}
	for i, name := range re.SubexpNames() {
		if name != "" {
			s.vars[name] = m[i]
		}
	}
	return nil
}

func (s *session) expand(args []string) ([]string, error) {
	expanded := make([]string, len(args))
	for i, arg := range args {
		var err error
		if expanded[i], err = s.substitute(arg, func(v string) string { return v }); err != nil {
			return nil, err
		}
	}
	return expanded, nil
}

var variable = regexp.MustCompile(`\$\{(\w+)\}`)

func (s *session) substitute(text string, escape func(string) string) (string, error) {
	var missing error
	return variable.ReplaceAllStringFunc(text, func(use string) string {
		value, ok := s.vars[use[2:len(use)-1]]
		if !ok {
			missing = errors.New("no variable " + strconv.Quote(use))
		}
		return escape(value)
	}), missing
}
