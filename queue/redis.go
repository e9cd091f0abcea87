package queue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Redis is a [Backend] on a go-redis client: one server, a Sentinel group or a
// Cluster, over TCP, TLS or a Unix socket.
type Redis struct {
	client redis.UniversalClient
	route  string
}

// NewRedis wraps client for one room. The room matters on a Cluster, where the
// commands that have no key (TIME) must go to the node that holds the room's
// keys: each node has its own clock.
func NewRedis(client redis.UniversalClient, room string) *Redis {
	return &Redis{client: client, route: newKeys(room).active}
}

// Do implements [Backend]. It does not retry, whatever the client is set to.
func (r *Redis) Do(ctx context.Context, args ...any) (any, error) {
	cmd := once{redis.NewCmd(ctx, args...)}
	var client interface {
		Process(context.Context, redis.Cmder) error
	} = r.client
	if cluster, ok := r.client.(*redis.ClusterClient); ok && len(args) == 1 {
		node, err := cluster.MasterForKey(ctx, r.route)
		if err != nil {
			return nil, err
		}
		client = node
	}
	_ = client.Process(ctx, cmd)
	reply, err := cmd.Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return reply, err
}

// Listen implements [Listener].
func (r *Redis) Listen(ctx context.Context, channel string, fn func(message string)) {
	subscription := r.client.Subscribe(ctx, channel)
	defer subscription.Close()
	messages := subscription.Channel()
	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-messages:
			if !ok {
				return
			}
			fn(m.Payload)
		}
	}
}

// once is a command that go-redis sends a single time. Redirections are still
// followed: a redirected command has not been executed.
type once struct{ *redis.Cmd }

// NoRetry is part of [redis.Cmder].
func (once) NoRetry() bool { return true }

// RedisOptions reads the address of a store:
//
//	redis://[user:password@]host[:port][/db]    one server
//	rediss://…                                  the same over TLS
//	unix:///path/to/socket[?db=n]               over a Unix socket
//	host:port                                   short for redis://host:port
//	A,B,…                                       nodes of a Cluster; each as above or host:port
//	A[,B…] with ?master_name=NAME on A          Sentinels that watch NAME
//	A with ?cluster=true                        a Cluster with one known node
//
// User, password, database, TLS and the query options of
// [redis.ParseURL] are taken from the first address.
func RedisOptions(address string) (*redis.UniversalOptions, error) {
	invalid := func(value string, err error) (*redis.UniversalOptions, error) {
		return nil, &InvalidError{Field: "redis", Value: value, Rule: fmt.Sprintf("redis://, rediss://, unix:// or host:port, several separated by commas (%v)", err)}
	}
	addresses := []string{address}
	if !strings.HasPrefix(address, "unix://") { // a path may have commas
		addresses = strings.Split(address, ",")
	}
	first, special := cutOptions(strings.TrimSpace(addresses[0]))
	options, err := parseAddress(first)
	if err != nil {
		return invalid(addresses[0], err)
	}
	universal := &redis.UniversalOptions{
		Addrs:                 []string{options.Addr},
		ClientName:            options.ClientName,
		DB:                    options.DB,
		Protocol:              options.Protocol,
		Username:              options.Username,
		Password:              options.Password,
		TLSConfig:             options.TLSConfig,
		DialTimeout:           options.DialTimeout,
		ReadTimeout:           options.ReadTimeout,
		WriteTimeout:          options.WriteTimeout,
		PoolSize:              options.PoolSize,
		PoolTimeout:           options.PoolTimeout,
		MinIdleConns:          options.MinIdleConns,
		MaxIdleConns:          options.MaxIdleConns,
		ConnMaxIdleTime:       options.ConnMaxIdleTime,
		ConnMaxLifetime:       options.ConnMaxLifetime,
		ContextTimeoutEnabled: true, // each command brings its own deadline
		MasterName:            special["master_name"],
		IsClusterMode:         special["cluster"] == "true",
	}
	for _, a := range addresses[1:] {
		o, err := parseAddress(strings.TrimSpace(a))
		if err != nil {
			return invalid(a, err)
		}
		universal.Addrs = append(universal.Addrs, o.Addr)
	}
	return universal, nil
}

func parseAddress(a string) (*redis.Options, error) {
	if strings.Contains(a, "://") {
		return redis.ParseURL(a)
	}
	host, port, err := net.SplitHostPort(a)
	if err != nil {
		return nil, err
	}
	if host == "" || port == "" {
		return nil, errors.New("host and port are both needed")
	}
	return &redis.Options{Addr: a}, nil
}

// cutOptions takes the options out of an address that [redis.ParseURL], which
// is for one server, does not know.
func cutOptions(a string) (rest string, options map[string]string) {
	options = map[string]string{}
	base, query, found := strings.Cut(a, "?")
	if !found {
		return a, options
	}
	var kept []string
	for _, pair := range strings.Split(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if key == "master_name" || key == "cluster" {
			options[key] = value
		} else {
			kept = append(kept, pair)
		}
	}
	if len(kept) == 0 {
		return base, options
	}
	return base + "?" + strings.Join(kept, "&"), options
}
