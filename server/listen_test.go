package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/internal/config"
)

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func dialPort(port int) (net.Conn, error) {
	return net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 10*time.Second)
}

// startAt serves where the settings say.
func startAt(t *testing.T, door string, port int) (*Server, *peer) {
	t.Helper()
	cfg := config.Default()
	require.NoError(t, cfg.LoadArgs([]string{"--front-door", door, "--port", strconv.Itoa(port), "--bind", "127.0.0.1"}))
	s, err := Start(cfg, Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s, dial(t, s)
}

func TestConfigSetMovesTheListeners(t *testing.T) {
	for _, door := range doors {
		t.Run(door, func(t *testing.T) {
			first, second := freePort(t), freePort(t)
			_, p := startAt(t, door, first)
			reached := func(port int) {
				t.Helper()
				nc, err := dialPort(port)
				require.NoError(t, err)
				defer nc.Close()
				fmt.Fprint(nc, "PING\r\n")
				reply := make([]byte, len("+PONG\r\n"))
				_, err = io.ReadFull(nc, reply)
				require.NoError(t, err)
			}
			refused := func(port int) {
				t.Helper()
				_, err := dialPort(port)
				require.Error(t, err)
			}
			reached(first)

			p.send(fmt.Sprintf("CONFIG SET port %d\r\n", second))
			p.want("+OK\r\n")
			reached(second)
			refused(first)

			taken, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer taken.Close()
			p.send(fmt.Sprintf("CONFIG SET port %d\r\n", taken.Addr().(*net.TCPAddr).Port))
			p.want("-ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port. Check server logs.\r\n")
			reached(second)

			p.send("CONFIG SET bind *\r\n") // which 127.0.0.1 is in the way of
			p.want("+OK\r\n")
			reached(second)
			p.send("CONFIG SET bind 192.0.2.1\r\n")
			p.want("-ERR CONFIG SET failed (possibly related to argument 'bind') - Failed to bind to specified addresses.\r\n")
			reached(second)
			p.send("CONFIG SET bind -192.0.2.1\r\n")
			p.want("+OK\r\n")
			refused(second)

			p.send(fmt.Sprintf("CONFIG SET bind 127.0.0.1 port %d\r\n", first))
			p.want("+OK\r\n")
			reached(first)
			p.send("CONFIG SET port 0\r\n")
			p.want("+OK\r\n")
			refused(first)
			p.send("PING\r\n")
			p.want("+PONG\r\n")
			p.send("CONFIG SET tls-port 1\r\n")
			p.want("-ERR CONFIG SET failed (possibly related to argument 'tls-port') - TLS is not available: this server does not speak it\r\n")
		})
	}
}
