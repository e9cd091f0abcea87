package main

import (
	"context"
	"flag"
	"os"
	"strings"
	"time"

	"myredis/bench/live"
)

func soak(ctx context.Context, args []string) error {
	var s live.Soak
	f := flag.NewFlagSet("bench soak", flag.ContinueOnError)
	strategies := liveFlags(f, &s.Stores, &s.Seed, &s.Out, "atomic,ticket,naive")
	f.DurationVar(&s.Duration, "duration", 10*time.Minute, "`time` per strategy and store")
	f.IntVar(&s.Instances, "instances", 5, "queue-service `processes`")
	f.IntVar(&s.Slot, "slot", 100, "`seats`")
	f.IntVar(&s.Visitors, "visitors", 2000, "`visitors` in flight at any time")
	f.DurationVar(&s.Stay, "stay", time.Second, "mean `time` inside")
	f.DurationVar(&s.Period, "period", 200*time.Millisecond, "`time` between two admission cycles of an instance")
	f.DurationVar(&s.TTL, "ttl", 8*time.Second, "`time` after which a seat is free again")
	f.DurationVar(&s.Every, "every", 6*time.Second, "mean `time` between two faults of an instance; 0s for none")
	if err := f.Parse(args); err != nil {
		return usageError(err)
	}
	s.Strategies = strings.Split(*strategies, ",")
	_, err := s.Run(ctx, os.Stdout)
	return err
}

// liveFlags are those that watching experiments have in common.
func liveFlags(f *flag.FlagSet, stores *live.Stores, seed *uint64, out *string, strategies string) *string {
	f.StringVar(&stores.Redis, "redis", "", "`host:port` of a Redis to run on beside MyRedis; without it a redis-server is started, if there is one")
	f.StringVar(&stores.On, "on", "both", "`stores` to run on: both, myredis, redis")
	f.Uint64Var(seed, "seed", 1, "seed of every `choice`")
	f.StringVar(out, "out", "out", "`folder` for the raw lines")
	return f.String("strategy", strategies, "`names` of strategies, separated by commas")
}

func release(ctx context.Context, args []string) error {
	var m live.Release
	f := flag.NewFlagSet("bench release", flag.ContinueOnError)
	strategies := liveFlags(f, &m.Stores, &m.Seed, &m.Out, "atomic,ticket")
	f.IntVar(&m.Streams, "streams", 1000, "`visitors` in the line, each with an open event stream")
	f.IntVar(&m.Releases, "releases", 0, "`seats` given up, one after the other; 0 is one for each stream")
	f.IntVar(&m.Instances, "instances", 3, "queue-service `processes`")
	f.IntVar(&m.Slot, "slot", 100, "`seats`")
	f.DurationVar(&m.Period, "period", 10*time.Second, "`time` between two admission cycles of an instance")
	if err := f.Parse(args); err != nil {
		return usageError(err)
	}
	m.Strategies = strings.Split(*strategies, ",")
	_, err := m.Run(ctx, os.Stdout)
	return err
}
