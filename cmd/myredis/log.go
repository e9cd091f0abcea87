package main

import (
	"errors"
	"io"
	"log/slog"
	"os"

	"myredis/internal/config"
	"myredis/internal/redislog"
)

// openLog returns a logger in Redis's format on the configured file, or on
// standard output.
func openLog(cfg *config.Config) (*slog.Logger, func() error, error) {
	var w io.WriteCloser = nopCloser{os.Stdout}
	if cfg.LogFile != "" {
		f, err := os.OpenFile(cfg.Path(cfg.LogFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
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
