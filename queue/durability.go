package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Durability says how many replicas must have a command's effect, and all that
// went before it, before its reply counts. The zero value asks for none.
//
// A master that dies takes what its replicas do not have yet along. With
// Replicas at the number of replicas there are, whichever is promoted knows
// everything that anybody was told; with fewer, Redis promotes the one that
// knows most if it can. It costs a round trip to the replicas for each command,
// and while fewer answer nobody is let in: nothing is confirmed.
type Durability struct {
	Replicas int
	Timeout  time.Duration // how long they are waited for; zero means a second
}

const (
	defaultReplicaTimeout = time.Second
	mostReplicaTimeout    = 2 * time.Second // within the time of a command
	durabilityRule        = "replicas=N[,timeout=D], N at least 1 and D from 1ms to 2s"
)

// UnmarshalText reads "replicas=N[,timeout=D]"; nothing asks for no replica.
func (d *Durability) UnmarshalText(text []byte) error {
	invalid := &InvalidError{Field: "durability", Value: string(text), Rule: durabilityRule}
	*d = Durability{}
	if len(text) == 0 {
		return nil
	}
	read := Durability{Timeout: defaultReplicaTimeout}
	given := map[string]bool{}
	for option := range strings.SplitSeq(string(text), ",") {
		name, value, _ := strings.Cut(option, "=")
		var err error
		switch name {
		case "replicas":
			read.Replicas, err = strconv.Atoi(value)
		case "timeout":
			read.Timeout, err = time.ParseDuration(value)
		default:
			return invalid
		}
		if err != nil || given[name] {
			return invalid
		}
		given[name] = true
	}
	if read.Replicas < 1 || read.Timeout < time.Millisecond || read.Timeout > mostReplicaTimeout {
		return invalid
	}
	*d = read
	return nil
}

// MarshalText is the reverse of UnmarshalText.
func (d Durability) MarshalText() ([]byte, error) {
	if d.Replicas == 0 {
		return nil, nil
	}
	return fmt.Appendf(nil, "replicas=%d,timeout=%s", d.Replicas, d.Timeout), nil
}

// ReplicasError is that too few replicas have said in time that they have what
// a command did. The command has taken effect on the master, as after any reply
// that was lost.
type ReplicasError struct{ Acknowledged, Wanted int64 }

func (e *ReplicasError) Error() string {
	return fmt.Sprintf("acknowledged by %d replicas, %d are wanted", e.Acknowledged, e.Wanted)
}

// Durable returns a backend that waits for replicas after each command that has
// a key.
func (r *Redis) Durable(d Durability) *Redis {
	if d.Timeout == 0 {
		d.Timeout = defaultReplicaTimeout
	}
	return &Redis{client: r.client, route: r.route, durability: d}
}

// durably sends cmd and a WAIT in one go on one connection. WAIT is for all
// that the master had done when it ran cmd, whoever asked for it: so a reading
// command confirms nothing either that a failover could take back.
func (r *Redis) durably(ctx context.Context, cmd once) error {
	cluster, ok := r.client.(*redis.ClusterClient)
	if !ok {
		return r.pipelined(ctx, r.client, cmd)
	}
	return r.atHome(ctx, cluster, func(node *redis.Client) error { return r.pipelined(ctx, node, cmd) })
}

func (r *Redis) pipelined(ctx context.Context, client redis.Cmdable, cmd once) error {
	pipe := client.Pipeline()
	wait := once{redis.NewCmd(ctx, "WAIT", r.durability.Replicas, r.durability.Timeout.Milliseconds())}
	_ = pipe.Process(ctx, cmd)
	_ = pipe.Process(ctx, wait)
	_, _ = pipe.Exec(ctx)
	if err := cmd.Err(); err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	n, err := wait.Int64()
	if err == nil && n < int64(r.durability.Replicas) {
		err = &ReplicasError{Acknowledged: n, Wanted: int64(r.durability.Replicas)}
	}
	return err
}
