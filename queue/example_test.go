package queue_test

import (
	"context"
	"fmt"
	"log"

	"github.com/redis/go-redis/v9"

	"myredis/queue"
)

// One instance of a room on a Redis at its usual port: it admits in the
// background while visitors join.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	options, err := queue.RedisOptions("redis://127.0.0.1:6379")
	if err != nil {
		log.Fatal(err)
	}
	client := redis.NewUniversalClient(options)
	defer client.Close()

	cfg := queue.Defaults()
	cfg.Room, cfg.Instance, cfg.Slot = "concert", "i1", 100
	cfg.OnEvent = func(e queue.Event) { fmt.Println(e.Kind, e.Visitor) }
	room, err := queue.Open(ctx, queue.NewRedis(client, cfg.Room), cfg)
	if err != nil {
		log.Fatal(err)
	}
	go func() { _ = room.Run(ctx) }()

	status, err := room.Join(ctx, "ann")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.State, status.Position)
}
