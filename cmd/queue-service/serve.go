package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"myredis/queue"
	"myredis/queue/web"
)

// drainWithin is how long requests under way are waited for at the end.
const drainWithin = 10 * time.Second

// serve runs the instance until ctx ends. Its parts end in the reverse order of
// their start, so that the store is the last to go.
func serve(ctx context.Context, o *options, log *slog.Logger, stdout, stderr io.Writer) error {
	store := o.store
	if store == nil {
		embedded, end, err := startEmbedded(log)
		if err != nil {
			return fmt.Errorf("embedded store: %w", err)
		}
		defer end()
		store = &redis.UniversalOptions{Addrs: []string{embedded}, ContextTimeoutEnabled: true}
	}
	redis.SetLogger(storeLog{log})
	client := redis.NewUniversalClient(quick(store))
	defer client.Close()
	backend := queue.NewRedis(client, o.room.Room).Durable(o.durable)
	o.room.Logger = log
	if !o.skipProbe {
		if err := queue.Probe(ctx, backend, o.room); err != nil {
			return fmt.Errorf("%w (--skip-probe starts all the same)", err)
		}
	}
	room, err := queue.Open(ctx, backend, o.room)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	service := web.New(web.Config{Rooms: []web.Room{room}, Store: backend, Logger: log})
	defer service.Close()
	o.announce(stdout, stderr, listener.Addr(), store.Addrs)
	return operate(ctx, log, room, service.Server(), listener)
}

// operate admits and answers until ctx ends or the listener fails. Then
// admitting stops, the admission in hand is finished, and requests and streams
// are brought to their end.
func operate(ctx context.Context, log *slog.Logger, room *queue.Room, server *http.Server, listener net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	admitted, served := make(chan error, 1), make(chan error, 1)
	go func() { admitted <- room.Run(ctx) }()
	go func() { served <- server.Serve(listener) }()

	var failed error
	select {
	case <-ctx.Done():
		log.Info("shutting down")
	case failed = <-served:
		stop()
	}
	inHand := <-admitted
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWithin)
	defer cancel()
	drained := server.Shutdown(draining)
	if drained != nil {
		drained = fmt.Errorf("requests still under way after %s: %w", drainWithin, errors.Join(drained, server.Close()))
	}
	return errors.Join(failed, inHand, drained)
}

// storeLog puts what go-redis has to say among the details of the log: the
// room and the service tell in their own words when the store fails.
type storeLog struct{ log *slog.Logger }

func (l storeLog) Printf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, fmt.Sprintf(format, args...), "part", "store client")
}

// quick makes a store that is down known at once: a refused connection is not
// tried again for the same command. The room and its visitors try again.
func quick(o *redis.UniversalOptions) *redis.UniversalOptions {
	o.DialerRetries = 1
	if o.DialTimeout == 0 {
		o.DialTimeout = 2 * time.Second
	}
	return o
}

// announcement is the one line on standard output, for programs that start
// instances.
type announcement struct {
	Message  string   `json:"msg"` // "listening"
	URL      string   `json:"url"` // without a slash at the end
	Address  string   `json:"addr"`
	Instance string   `json:"instance"`
	Room     string   `json:"room"`
	Store    []string `json:"store"`
}

func (o *options) announce(stdout, stderr io.Writer, address net.Addr, store []string) {
	a := announcement{Message: "listening", URL: browserURL(address), Address: address.String(),
		Instance: o.room.Instance, Room: o.room.Room, Store: store}
	line, _ := json.Marshal(a) // strings only
	fmt.Fprintf(stdout, "%s\n", line)
	if o.format != "text" {
		return
	}
	fmt.Fprintf(stderr, "\n  Open %s in a browser.\n", a.URL)
	if o.store == nil {
		_, port, _ := net.SplitHostPort(store[0])
		fmt.Fprintf(stderr, "  See the line with  redis-cli -p %s zrange '{%s}:waiting' 0 -1 withscores\n", port, a.Room)
	}
	fmt.Fprintln(stderr)
}

// browserURL is an address as a browser on this machine opens it.
func browserURL(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
