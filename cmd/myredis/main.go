// Command myredis is a Redis-compatible server in which one goroutine executes
// every command.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/proctitle"
	"myredis/server"
)

func main() {
	args := os.Args[1:]
	if len(args) == 1 {
		switch args[0] {
		case "--version", "-v":
			fmt.Printf("MyRedis server v=%s, compatible with Redis v=%s\n", commands.Version, commands.RedisVersion)
			return
		case "--help", "-h":
			fmt.Print(usage())
			return
		}
	}
	if err := run(args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	cfg := config.Default()
	commands.DeclareRenames(cfg)
	commands.DeclareUsers(cfg)
	if err := cfg.LoadArgs(localOnly(args)); err != nil {
		return err
	}
	log, closeLog, err := openLog(cfg)
	if err != nil {
		return err
	}
	defer closeLog()
	log.Info("MyRedis version="+commands.Version+", bits="+strconv.Itoa(strconv.IntSize)+", pid="+strconv.Itoa(os.Getpid())+", just started",
		"compatible-with", commands.RedisVersion)
	if cfg.Workers > 1 {
		log.Warn("EXPERIMENT: with several workers commands are NOT atomic; two clients can both win SET NX. Keep no data here.",
			"workers", cfg.Workers, "gap", cfg.Gap)
	}
	reportCrashes(log, func() bool { return cfg.CrashLogEnabled })
	// Before the first client can know that there is a server to be ended.
	signals, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	srv, err := server.Start(cfg, server.Options{Logger: log})
	if err != nil {
		return err
	}
	if cfg.Pidfile != "" {
		path := cfg.Path(cfg.Pidfile)
		if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
			log.Warn("cannot write the pid file", "err", err)
		}
		defer os.Remove(path)
	}
	followTitle(cfg)
	// Both lines are worded as redis-server words them: scripts wait for them.
	log.Info("Running mode=standalone, port=" + strconv.Itoa(srv.Port()) + ", PID: " + strconv.Itoa(os.Getpid()))
	log.Info("Ready to accept connections", "addr", srv.Addr())

	select {
	case <-signals.Done():
		log.Warn("User requested shutdown...")
	case <-srv.Done():
	}
	ending, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err = srv.Close(ending)
	log.Warn("MyRedis is now ready to exit, bye bye...")
	return err
}

// followTitle calls the process what proc-title-template says.
func followTitle(cfg *config.Config) {
	name := strings.Clone(os.Args[0])
	apply := func() error {
		if title, ok := cfg.ProcTitle(name); ok {
			proctitle.Set(title)
		}
		return nil
	}
	for _, parameter := range []string{"proc-title-template", "port", "bind"} {
		cfg.OnChange(parameter, apply)
	}
	apply()
}

// localOnly makes a server that is started without a configuration file listen
// on this machine alone. Redis would listen on every address and turn strangers
// away (protected-mode); a file says what its author wants.
func localOnly(args []string) []string {
	if len(args) > 0 && !strings.HasPrefix(args[0], "--") {
		return args
	}
	return append([]string{"--bind", "127.0.0.1", "-::1"}, args...)
}
