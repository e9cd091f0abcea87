package server

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"myredis/queue"
	"myredis/queue/queuetest"
)

// The strategies keep on MyRedis what they promise, and break where they
// promise nothing, as they do on Redis.
func TestQueueOnMyRedis(t *testing.T) {
	queuetest.Run(t, func(t *testing.T) queue.Backend {
		client := redis.NewClient(&redis.Options{Addr: start(t, nil).Addr()})
		t.Cleanup(func() { client.Close() })
		return queue.NewRedis(client, "test")
	})
}
