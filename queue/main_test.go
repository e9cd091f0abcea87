package queue_test

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	redis.SetLogger(silent{})
	goleak.VerifyTestMain(m)
}

// silent drops what go-redis has to say about servers that tests kill.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
