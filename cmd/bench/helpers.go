package main

import (
	"context"
	"flag"
	"os"

	"myredis/bench/load"
)

// helper is the body of a process that an experiment starts.
func helper(ctx context.Context, name string, args []string) error {
	var s load.Stage
	var c load.Crowd
	f := flag.NewFlagSet("bench "+name, flag.ContinueOnError)
	f.StringVar(&s.URL, "url", "", "`address` of the instance")
	f.StringVar(&s.Room, "room", "", "`name` of the room")
	f.DurationVar(&s.For, "for", 0, "`time` under load")
	f.IntVar(&s.Rate, "rate", 1, "`requests` per second")
	f.IntVar(&s.First, "first", 0, "`number` of the first visitor")
	f.IntVar(&c.Seats, "seats", 1, "`seats`")
	f.IntVar(&c.Waiters, "waiters", 1, "`visitors` who wait")
	f.BoolVar(&c.Stream, "stream", false, "wait on event streams")
	f.DurationVar(&c.Settle, "settle", 0, "`time` before the first release")
	f.IntVar(&c.Releases, "releases", 1, "`seats` given up")
	if err := f.Parse(args); err != nil {
		return usageError(err)
	}
	switch name {
	case "generate":
		load.Pin()
		return load.Generate(ctx, s, os.Stdout)
	case "wait":
		load.Pin()
		c.URL, c.Room, c.For = s.URL, s.Room, s.For
		return c.Run(ctx, os.Stdout)
	}
	return load.Blank(ctx, os.Stdout)
}
