// Command queue-service is one instance of a virtual waiting room: it lets
// visitors join a line over HTTP and admits them, together with every other
// instance that serves the same room on the same store.
//
// Exit codes: 0 after a clean shutdown, 1 when it failed, 2 for flags or
// environment variables that make no sense.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// version is overwritten by -ldflags "-X main.version=…".
var version = "0.1.0"

func main() {
	// A second signal ends the process at once, as signals do by default.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) (code int) {
	o, err := parse(args, env)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(stdout)
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "queue-service: %v\nTry --help.\n", err)
		return 2
	case o.version:
		fmt.Fprintln(stdout, "queue-service", version, revision())
		return 0
	}
	log := o.logger(stderr)
	if err := serve(ctx, o, log, stdout, stderr); err != nil {
		log.Error("ended with an error", slog.Any("err", err))
		return 1
	}
	return 0
}

// revision is the commit that the program was built from, where it is known.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return fmt.Sprintf("(%.12s, %s)", s.Value, info.GoVersion)
		}
	}
	return "(" + info.GoVersion + ")"
}
