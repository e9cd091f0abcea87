package main

import (
	"context"
	"errors"
	"log/slog"
	"syscall"
	"time"

	"myredis/internal/config"
	"myredis/server"
)

// preferred is where redis-cli -p 6380 finds the embedded store: beside a Redis
// on its own port.
const preferred = "127.0.0.1:6380"

// startEmbedded starts a MyRedis in this process, on the loopback interface
// only. It keeps nothing after end.
func startEmbedded(log *slog.Logger) (addr string, end func(), err error) {
	log = log.With("part", "embedded store")
	start := func(addr string) (*server.Server, error) {
		cfg := config.Default()
		cfg.Save = nil // nothing on disk
		return server.Start(cfg, server.Options{Logger: log, Addr: addr})
	}
	store, err := start(preferred)
	if errors.Is(err, syscall.EADDRINUSE) {
		log.Warn("the usual address is taken, a free port is used", "taken", preferred)
		store, err = start("127.0.0.1:0")
	}
	if err != nil {
		return "", nil, err
	}
	return store.Addr(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := store.Close(ctx); err != nil {
			log.Warn("the embedded store did not end in time", "err", err)
		}
	}, nil
}
