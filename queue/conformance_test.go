package queue_test

import (
	"testing"

	"myredis/queue/queuetest"
)

func TestConformance(t *testing.T) { queuetest.Run(t, redisBackend) }
