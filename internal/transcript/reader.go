package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tidwall/resp"
)

// reader reads replies. On a RESP2 connection it is tidwall/resp, an opinion
// about the protocol that is not our own; RESP3 it reads by itself, as that
// library stops at RESP2.
type reader struct {
	buf   *bufio.Reader
	resp2 *resp.Reader
	resp3 bool // the connection has agreed on RESP3
}

func newReader(r io.Reader) *reader {
	// resp.NewReader wraps its source with bufio.NewReader, which returns a
	// reader of at least its default size as it is: both share one buffer.
	buf := bufio.NewReaderSize(r, 64<<10)
	return &reader{buf: buf, resp2: resp.NewReader(buf)}
}

// read reads one reply, to the command args when there is one: HELLO and RESET
// change how their own reply is to be read. io.EOF means that the peer closed
// the connection between replies.
func (r *reader) read(args []string) (Value, error) {
	first, err := r.buf.Peek(1)
	if err != nil {
		return Value{}, err
	}
	r.follow(args, Kind(first[0]))
	if r.resp3 {
		return r.value()
	}
	if !strings.ContainsRune("+-:$*", rune(first[0])) {
		return Value{}, fmt.Errorf("a reply that starts with %q on a RESP2 connection", first)
	}
	v, _, err := r.resp2.ReadValue()
	return fromResp(v), err
}

// follow notices that the connection has changed its protocol.
func (r *reader) follow(args []string, first Kind) {
	switch {
	case len(args) > 1 && strings.EqualFold(args[0], "hello"):
		r.resp3 = (r.resp3 || args[1] == "3" && first == Map) && (args[1] != "2" || first != Array)
	case len(args) == 1 && strings.EqualFold(args[0], "reset") && first == Simple:
		r.resp3 = false
	}
}

func fromResp(v resp.Value) Value {
	w := Value{Kind: Kind(v.Type()), Nil: v.IsNull()}
	if w.Kind != Array {
		w.Text = v.String()
	}
	for _, item := range v.Array() {
		w.Items = append(w.Items, fromResp(item))
	}
	return w
}

// value reads one value of either protocol.
func (r *reader) value() (Value, error) {
	line, err := r.line()
	if err != nil {
		return Value{}, err
	}
	if line == "" {
		return Value{}, errors.New("empty line for a reply")
	}
	v := Value{Kind: Kind(line[0]), Text: line[1:]}
	switch v.Kind {
	case Simple, Error, Integer, Double, BigNumber, Null:
		return v, nil
	case Bool:
		if v.Text != "t" && v.Text != "f" {
			return v, fmt.Errorf("boolean %q", v.Text)
		}
		return v, nil
	case Bulk, Verbatim, BlobError, Array, Map, Set, Push:
		n, err := strconv.Atoi(v.Text)
		v.Text = ""
		switch {
		case err != nil || n < -1 || n == -1 && v.Kind != Bulk && v.Kind != Array:
			return v, fmt.Errorf("bad length in %q", line)
		case n == -1:
			v.Nil = true
			return v, nil
		case v.Kind.aggregate():
			return v, r.items(&v, n)
		}
		return v, r.payload(&v, n)
	}
	return v, fmt.Errorf("a reply that starts with %q", line[:1])
}

func (r *reader) items(v *Value, n int) error {
	if v.Kind == Map {
		n *= 2
	}
	for range n {
		item, err := r.value()
		if err != nil {
			return unexpected(err)
		}
		v.Items = append(v.Items, item)
	}
	return nil
}

func (r *reader) payload(v *Value, n int) error {
	var text strings.Builder // grows by what comes, not by what is announced
	if _, err := io.CopyN(&text, r.buf, int64(n)); err != nil {
		return unexpected(err)
	}
	v.Text = text.String()
	end, err := r.line()
	if err == nil && end != "" {
		err = fmt.Errorf("string of %d bytes is followed by %q", n, end)
	}
	return unexpected(err)
}

func (r *reader) line() (string, error) {
	line, err := r.buf.ReadString('\n')
	if err != nil {
		if line != "" {
			err = unexpected(err)
		}
		return "", err
	}
	text, ok := strings.CutSuffix(line, "\r\n")
	if !ok {
		return "", fmt.Errorf("line ends without \\r\\n: %q", line)
	}
	return text, nil
}

// unexpected is err in the midst of a value.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
