// Command bench reproduces the project's claims.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"myredis/commands"
)

const usage = `Usage: bench EXPERIMENT [flags]

  overshoot       how many get in at once, by strategy, with several instances
  double-leader   how often two win one lease, by number of store workers
  soak            what holds while instances are killed and stopped at random
  release         how soon the next in line knows of a seat, with many streams

"bench EXPERIMENT --help" lists the flags. "bench --version" prints the version.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"--help"}
	}
	var err error
	switch args[0] {
	case "overshoot":
		err = overshoot(ctx, args[1:])
	case "double-leader":
		err = doubleLeader(ctx, args[1:])
	case "soak":
		err = soak(ctx, args[1:])
	case "release":
		err = release(ctx, args[1:])
	case "--version":
		fmt.Println("bench v=" + commands.Version)
	case "--help", "-h", "help":
		fmt.Print(usage)
	default:
		fmt.Fprintf(os.Stderr, "bench: no experiment %q\n\n%s", args[0], usage)
		os.Exit(2)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "bench: interrupted; what was started has been ended")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
