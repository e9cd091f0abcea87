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

	"myredis/bench"
	"myredis/commands"
	"myredis/internal/words"
)

// errUsage is an error that the usage helps against.
var errUsage = errors.New("try bench --help")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once, and with it what it has started
	err := dispatch(ctx, os.Args[1:])
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "bench: interrupted; what was started has been ended")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	name, rest := args[0], args[1:]
	switch name {
	case "run":
		return run(ctx, rest)
	case "report":
		return reportOn(rest)
	case "compare":
		return compare(rest)
	case "soak":
		return soak(ctx, rest)
	case "release":
		return release(ctx, rest)
	case "check":
		return promises(ctx, rest)
	case "replay":
		return replay(rest)
	case "generate", "blank", "wait": // processes that experiments start
		return helper(ctx, name, rest)
	case "--version":
		fmt.Println("bench v=" + commands.Version)
		return nil
	case "--help", "-h", "help":
		usage()
		return nil
	}
	if _, ok := bench.FindExperiment(name); ok {
		return run(ctx, args)
	}
	return fmt.Errorf("no experiment and no command %q: %w", name, errUsage)
}

func usage() {
	fmt.Print(`Usage: bench run NAME… [flags]     run experiments, or all of them; report on them
       bench NAME [flags]          short for bench run NAME
       bench report DIR [flags]    make the report of a run again, from its files
       bench compare A B           whether two runs differ beyond their noise
       bench soak [flags]          what holds while instances are killed and stopped at random
       bench release [flags]       how soon the next in line knows of a seat, with many streams
       bench check [flags]         every interleaving of a small room: what each strategy keeps
       bench replay FILE           step through a schedule that bench check has found
       bench soak [flags]          what is kept while instances are killed and stopped at random
       bench release [flags]       how soon the next in line knows of a seat, with many streams open

Experiments:

`)
	for _, e := range bench.Experiments() {
		fmt.Printf("  %s\n", e.Name)
		for _, line := range words.Wrap(e.Question.EN, 74) {
			fmt.Println("      " + line)
		}
	}
	fmt.Print("\n\"bench NAME --help\" lists the flags. \"bench --version\" prints the version.\n")
}
