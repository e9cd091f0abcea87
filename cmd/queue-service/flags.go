package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/redis/go-redis/v9"

	"myredis/internal/words"
	"myredis/queue"
)

// Every setting is a flag and an environment variable, QUEUE_ and the flag's
// name in capitals. A flag wins over the environment, the environment over the
// default; an empty variable is an absent one.

// options are the settings of an instance.
type options struct {
	room      queue.Config
	listen    string
	addresses addresses
	sentinel  string
	durable   queue.Durability
	store     *redis.UniversalOptions // nil for an embedded store
	skipProbe bool
	level     slog.Level
	format    string
	version   bool
}

// grace is twice the time of a browser that throttles a page in the background
// to one look a minute.
const grace = 2 * time.Minute

// addresses is a flag that can be given several times.
type addresses []string

func (a *addresses) String() string { return strings.Join(*a, ",") }

func (a *addresses) Set(v string) error {
	*a = append(*a, v)
	return nil
}

func (o *options) flags() *flag.FlagSet {
	o.room = queue.Defaults()
	o.room.Room, o.room.Instance = "main", defaultInstance()
	fs := flag.NewFlagSet("queue-service", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned, and printed in one place
	fs.StringVar(&o.listen, "listen", ":8080", "HTTP `address` as host:port; port 0 takes a free one")
	fs.Var(&o.addresses, "redis", "`url` of the store: redis://[user:password@]host[:port][/db], rediss://… for TLS, unix:///path[?db=n]; several, separated by commas or by repeating the flag, are nodes of a Cluster; without it a MyRedis is embedded, on 127.0.0.1:6380 or a free port")
	fs.StringVar(&o.sentinel, "sentinel-master", "", "`name` of the master; the addresses of --redis are then Sentinels")
	fs.TextVar(&o.durable, "durability", queue.Durability{}, "`replicas=N[,timeout=D]`: confirm nothing before N replicas of the store have it, waiting up to D, default 1s, for each command; none asks for no replicas")
	fs.StringVar(&o.room.Room, "room", o.room.Room, "`name` of the room, and of its keys in the store")
	fs.StringVar(&o.room.Instance, "instance", o.room.Instance, "`name` of this instance, unlike all others'")
	fs.IntVar(&o.room.Slot, "slot", o.room.Slot, "how many `visitors` may be inside at once")
	fs.DurationVar(&o.room.Period, "period", o.room.Period, "`duration` between two admit cycles")
	fs.DurationVar(&o.room.TTL, "ttl", o.room.TTL, "`duration` that an admitted visitor may stay")
	fs.StringVar(&o.room.Strategy, "strategy", o.room.Strategy, "`name` of the way to admit: "+strings.Join(queue.StrategyNames(), ", "))
	fs.BoolVar(&o.room.Precheck, "precheck", o.room.Precheck, "`true|false`: strategy optimistic looks whether the room is full before it takes anybody out of the line")
	fs.BoolVar(&o.room.LeaderHint, "leader-hint", o.room.LeaderHint, "`true|false`: one instance at a time does the admit cycle, which saves work; no promise rests on it")
	fs.DurationVar(&o.room.Grace, "grace", grace, "`duration` after which a waiter of whom nothing is heard gives up the place; 0s is never, and so it is for strategies that do not hear waiters")
	fs.IntVar(&o.room.PerMinute, "per-minute", o.room.PerMinute, "how many `visitors` may be admitted in a minute, evenly spread; 0 is no limit; for strategies that keep a pace")
	fs.BoolVar(&o.skipProbe, "skip-probe", false, "`true|false`: start without finding out whether the store keeps what the strategy needs")
	fs.BoolVar(&o.room.Reclaim, "reclaim", o.room.Reclaim, "`true|false`: whether to free the seats of those whose ttl has run out")
	fs.DurationVar(&o.room.LeaderMargin, "leader-margin", o.room.LeaderMargin, "`duration` by which a leader may be late before another takes over, at most a period; 0s is half a period")
	fs.TextVar(&o.level, "log-level", slog.LevelInfo, "`level` from which to log: debug, info, warn, error")
	fs.StringVar(&o.format, "log-format", "text", "`form` of the log on standard error: text, json")
	fs.BoolVar(&o.version, "version", false, "print the version and end")
	return fs
}

// parse reads the settings. Its error names the flag or the variable, and is
// [flag.ErrHelp] when help was asked for.
func parse(args []string, env func(string) (string, bool)) (*options, error) {
	o := &options{}
	fs := o.flags()
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("%q is not a flag", fs.Arg(0))
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var err error
	fs.VisitAll(func(f *flag.Flag) {
		value, ok := env(variable(f.Name))
		if !ok || value == "" || given[f.Name] || f.Name == "version" || err != nil {
			return
		}
		given[f.Name] = true
		if e := f.Value.Set(value); e != nil {
			err = fmt.Errorf("invalid value %q for %s: %v", value, variable(f.Name), e)
		}
	})
	if err != nil {
		return nil, err
	}
	if s, _ := queue.FindStrategy(o.room.Strategy); !given["grace"] && !s.Tends {
		o.room.Grace = 0
	}
	return o, o.check()
}

// check looks for what a flag by itself cannot see.
func (o *options) check() error {
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return fmt.Errorf("--listen %q: must be host:port or :port", o.listen)
	}
	if o.format != "text" && o.format != "json" {
		return fmt.Errorf("--log-format %q: must be text or json", o.format)
	}
	if err := checkRoom(o.room); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if len(o.addresses) == 0 {
		if o.sentinel != "" {
			return errors.New("--sentinel-master needs the addresses of Sentinels in --redis")
		}
		if o.durable.Replicas > 0 {
			return errors.New("--durability needs a store with replicas in --redis; the embedded one has none")
		}
		return nil
	}
	store, err := queue.RedisOptions(o.addresses.String())
	if err != nil {
		return fmt.Errorf("--%w", err)
	}
	if o.sentinel != "" {
		store.MasterName = o.sentinel
	}
	o.store = store
	return nil
}

// checkRoom has the room's own rules checked before any store is there: Open
// looks at its configuration first.
func checkRoom(cfg queue.Config) error {
	nowhere := queue.BackendFunc(func(context.Context, ...any) (any, error) { return nil, errors.ErrUnsupported })
	var invalid *queue.InvalidError
	if _, err := queue.Open(context.Background(), nowhere, cfg); errors.As(err, &invalid) {
		return invalid
	}
	return nil
}

func variable(flagName string) string {
	return "QUEUE_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// defaultInstance is the host's name and the process's number, in characters
// that an instance may have.
func defaultInstance() string {
	host, _ := os.Hostname()
	safe := strings.Map(func(c rune) rune {
		if c < 0x80 && queue.ValidName(string(c)) {
			return c
		}
		return '-'
	}, host)
	return fmt.Sprintf("%.50s-%d", safe, os.Getpid())
}

func usage(w io.Writer) {
	fmt.Fprint(w, `queue-service lets visitors into a room, at most --slot at once, in the order in
which they joined. Start several with the same --redis and --room, and any of
them serves any visitor.

  queue-service                                    one instance on an embedded store
  queue-service --redis redis://localhost:6379     one of several instances

Flags. Each can be given as an environment variable instead.

`)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	(&options{}).flags().VisitAll(func(f *flag.Flag) {
		unit, text := flag.UnquoteUsage(f)
		value, between := f.DefValue, " "
		if value == "" {
			value = "none"
		}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			between = "=" // package flag takes no other form
		}
		if f.Name == "version" {
			fmt.Fprintf(columns, "  --%s\n", f.Name)
		} else {
			fmt.Fprintf(columns, "  --%s%s%s\tdefault %s\t%s\n", f.Name, between, unit, value, variable(f.Name))
		}
		columns.Flush()
		for _, line := range words.Wrap(text, 74) {
			fmt.Fprintln(w, "      "+line)
		}
	})
	fmt.Fprint(w, "  --help\n      print this and end\n\nStrategies:\n\n")
	for _, s := range queue.Strategies() {
		fmt.Fprintf(w, "  %s\n", s.Name)
		for _, line := range words.Wrap(s.Summary, 74) {
			fmt.Fprintln(w, "      "+line)
		}
	}
	fmt.Fprint(w, "\nDurations are numbers with a unit, as 200ms, 5m or 1h30m.\n")
}

func (o *options) logger(w io.Writer) *slog.Logger {
	handler := &slog.HandlerOptions{Level: o.level}
	if o.format == "json" {
		return slog.New(slog.NewJSONHandler(w, handler))
	}
	return slog.New(slog.NewTextHandler(w, handler))
}
