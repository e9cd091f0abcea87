package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"myredis/bench"
)

func overshoot(ctx context.Context, args []string) error {
	var o bench.Overshoot
	f := flag.NewFlagSet("bench overshoot", flag.ContinueOnError)
	f.StringVar(&o.Redis, "redis", "", "`host:port` of a store to use; empty starts a MyRedis")
	f.BoolVar(&o.RealRedis, "real-redis", bench.Installed("redis-server"), "start a redis-server too and run on both")
	strategies := f.String("strategy", "naive,naive-local,leader,optimistic", "`names` of strategies, separated by commas")
	f.IntVar(&o.Instances, "instances", 3, "queue-service `processes`")
	f.IntVar(&o.Slot, "slot", 100, "`seats`")
	f.IntVar(&o.Visitors, "visitors", 500, "`visitors` in flight at any time")
	f.DurationVar(&o.Stay, "stay", 2*time.Second, "mean `time` inside")
	f.DurationVar(&o.Period, "period", 200*time.Millisecond, "`time` between two admission cycles of an instance")
	f.DurationVar(&o.TTL, "ttl", time.Minute, "`time` after which a seat is free again")
	f.DurationVar(&o.Duration, "duration", 10*time.Second, "`time` per strategy and store")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the visitors' `choices`")
	f.StringVar(&o.Out, "out", "out", "`folder` for the raw lines")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.Strategies = strings.Split(*strategies, ",")
	_, err := o.Run(ctx, os.Stdout)
	return err
}

func doubleLeader(ctx context.Context, args []string) error {
	var d bench.DoubleLeader
	f := flag.NewFlagSet("bench double-leader", flag.ContinueOnError)
	f.StringVar(&d.Redis, "redis", "", "`host:port` of a store to contest on as well")
	workers := f.String("workers", "1,4", "`numbers` of workers of MyRedis, separated by commas")
	gaps := f.String("gap", "none,yield,1ms", "`gaps` to try with several workers: none, yield or a duration")
	f.IntVar(&d.Rounds, "rounds", 2000, "`rounds` of a contest")
	f.IntVar(&d.Candidates, "candidates", 8, "`connections` that ask for the lease at once")
	f.DurationVar(&d.Budget, "budget", 30*time.Second, "`time` after which a contest ends early")
	f.StringVar(&d.Out, "out", "out", "`folder` for the raw lines")
	if err := f.Parse(args); err != nil {
		return err
	}
	for _, text := range strings.Split(*workers, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("--workers %q: %q is not a number of workers", *workers, text)
		}
		d.Workers = append(d.Workers, n)
	}
	d.Gaps = strings.Split(*gaps, ",")
	_, err := d.Run(ctx, os.Stdout)
	return err
}
