package bench

import (
	"bufio"
	"fmt"
	"net"
	"time"

	"github.com/tidwall/resp"
)

// Conn is a connection to a store, one command after another. The store is
// trusted.
type Conn struct {
	nc net.Conn
	w  *bufio.Writer
	rw *resp.Writer
	r  *resp.Reader
}

// Dial connects to a store.
func Dial(addr string) (*Conn, error) {
	nc, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, fmt.Errorf("connect to the store: %w", err)
	}
	w := bufio.NewWriter(nc)
	return &Conn{nc: nc, w: w, rw: resp.NewWriter(w), r: resp.NewReader(nc)}, nil
}

// Do sends a command and reads its reply; an error reply is an error.
func (c *Conn) Do(args ...string) (resp.Value, error) {
	values := make([]resp.Value, len(args))
	for i, arg := range args {
		values[i] = resp.StringValue(arg)
	}
	if err := c.rw.WriteArray(values); err != nil {
		return resp.Value{}, err
	}
	if err := c.w.Flush(); err != nil {
		return resp.Value{}, err
	}
	return c.Receive()
}

// Receive reads a reply.
func (c *Conn) Receive() (resp.Value, error) {
	v, _, err := c.r.ReadValue()
	if err == nil {
		err = v.Error()
	}
	return v, err
}

// Close ends the connection.
func (c *Conn) Close() error { return c.nc.Close() }
