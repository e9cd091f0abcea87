package queue_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
	"myredis/queue"
)

// startRedis starts a redis-server that listens on a Unix socket only, and
// returns the socket's path. It ends with the test.
func startRedis(t testing.TB, args ...string) (socket string) {
	t.Helper()
	redistest.Need(t, "redis-server")
	socket = filepath.Join(t.TempDir(), "redis.sock")
	startServer(t, "redis-server", append([]string{"--port", "0", "--unixsocket", socket}, args...)...)
	awaitRedis(t, &redis.UniversalOptions{Addrs: []string{socket}})
	return socket
}

func startServer(t testing.TB, binary string, args ...string) {
	t.Helper()
	cmd := exec.Command(binary, append(args, "--save", "", "--appendonly", "no", "--dir", t.TempDir())...)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

func awaitRedis(t testing.TB, options *redis.UniversalOptions) {
	t.Helper()
	client := redis.NewUniversalClient(options)
	defer client.Close()
	require.Eventually(t, func() bool {
		return client.Ping(context.Background()).Err() == nil
	}, 10*time.Second, 5*time.Millisecond, "the store does not answer")
}

// redisBackend is a backend on a fresh redis-server.
func redisBackend(t *testing.T) queue.Backend {
	return dial(t, "unix://"+startRedis(t), "test")
}

func dial(t testing.TB, address, room string) *queue.Redis {
	t.Helper()
	options, err := queue.RedisOptions(address)
	require.NoError(t, err)
	client := redis.NewUniversalClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return queue.NewRedis(client, room)
}
