// Command myredis is a Redis-compatible server in which one goroutine executes
// every command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redislog"
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
	if cfg.Dir != "" && cfg.Dir != "." {
		if err := os.Chdir(cfg.Dir); err != nil {
			return fmt.Errorf("can't chdir to '%s': %w", cfg.Dir, err)
		}
	}
	srv, err := server.Start(cfg, server.Options{Logger: log})
	if err != nil {
		return fmt.Errorf("failed listening: %w", err)
	}
	if cfg.Pidfile != "" {
		if err := os.WriteFile(cfg.Pidfile, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
			log.Warn("cannot write the pid file", "err", err)
		}
		defer os.Remove(cfg.Pidfile)
	}
	// Both lines are worded as redis-server words them: scripts wait for them.
	log.Info("Running mode=standalone, port=" + strconv.Itoa(srv.Port()) + ", PID: " + strconv.Itoa(os.Getpid()))
	log.Info("Ready to accept connections", "addr", srv.Addr())

	signals, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
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

// localOnly makes a server that is started without a configuration file listen
// on this machine alone. Redis would listen on every address and turn strangers
// away (protected-mode); a file says what its author wants.
func localOnly(args []string) []string {
	if len(args) > 0 && !strings.HasPrefix(args[0], "--") {
		return args
	}
	return append([]string{"--bind", "127.0.0.1", "-::1"}, args...)
}

// openLog returns a logger in Redis's format on the configured file, or on
// standard output.
func openLog(cfg *config.Config) (*slog.Logger, func() error, error) {
	var w io.WriteCloser = nopCloser{os.Stdout}
	if cfg.LogFile != "" {
		f, err := os.OpenFile(cfg.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, nil, errors.Join(errors.New("can't open the log file"), err)
		}
		w = f
	}
	level := &slog.LevelVar{}
	level.Set(redislog.Level(cfg.LogLevel))
	cfg.OnChange("loglevel", func() error { level.Set(redislog.Level(cfg.LogLevel)); return nil })
	return slog.New(redislog.New(w, level)), w.Close, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
