package main

import (
	"fmt"
	"strings"

	"myredis/internal/config"
)

// flags are the settings that most people look for, in the order of --help.
// Their defaults are read from the configuration itself.
var flags = []struct{ name, unit, help string }{
	{"bind", "addresses", "TCP addresses to listen on; * is every one, a minus before one that may be missing"},
	{"port", "TCP port", "6379 is Redis's own; 0 opens none"},
	{"unixsocket", "path", "Unix socket to listen on; empty for none"},
	{"requirepass", "password", "what clients must AUTH with; empty for none"},
	{"maxclients", "connections", "more are refused"},
	{"databases", "count", "numbered databases for SELECT"},
	{"loglevel", "debug|verbose|notice|warning", "least important messages to log"},
	{"logfile", "path", "where to log; empty is standard output"},
	{"timeout", "seconds", "close clients idle for so long; 0 never"},
	{"maxmemory", "bytes", "kept and reported; nothing is evicted"},
	{"proto-max-bulk-len", "bytes", "largest argument of a request"},
	{"client-output-buffer-limit", "class hard soft seconds", "bytes that may wait for a client that does not read"},
	{"save", "seconds changes ...", "snapshot points: accepted and kept, nothing is written"},
	{"appendonly", "yes|no", "only no: data lives in memory"},
	{"workers", "goroutines", "EXPERIMENT: more than 1 execute commands and commands are not atomic"},
	{"gap", "none|yield|duration", "with several workers: how long nobody runs inside a look-up"},
	{"front-door", "auto|epoll|goroutine", "how requests reach the executor"},
}

func usage() string {
	var b strings.Builder
	b.WriteString(`Usage: myredis [/path/to/redis.conf] [--name value ...]

A Redis-compatible server in which one goroutine executes every command.
Settings are those of redis.conf: in a file given first, or as flags, which win.

`)
	cfg := config.Default()
	cfg.LoadArgs(localOnly(nil))
	for _, f := range flags {
		value := ""
		if pairs := cfg.Get(f.name); len(pairs) == 1 {
			value = pairs[0].Value
		}
		fmt.Fprintf(&b, "  --%-27s %s\n%32s(%s; default %q)\n", f.name, f.help, "", f.unit, value)
	}
	b.WriteString(`  --version                     print the version and end
  --help                        print this and end

Every other directive of Redis 7.0 is accepted, kept, and reported by CONFIG GET.
`)
	return b.String()
}
