package queue_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
	"myredis/queue"
)

func TestRedisOptions(t *testing.T) {
	type want struct {
		addrs   []string
		db      int
		user    string
		pass    string
		tls     bool
		master  string
		cluster bool
	}
	for address, w := range map[string]want{
		"redis://h":                             {addrs: []string{"h:6379"}},
		"redis://u:p@h:1/2":                     {addrs: []string{"h:1"}, db: 2, user: "u", pass: "p"},
		"rediss://h:1":                          {addrs: []string{"h:1"}, tls: true},
		"unix:///run/r.sock?db=3":               {addrs: []string{"/run/r.sock"}, db: 3},
		"unix:///run/a,b.sock":                  {addrs: []string{"/run/a,b.sock"}},
		"h:1":                                   {addrs: []string{"h:1"}},
		"h:1, i:2,redis://j:3":                  {addrs: []string{"h:1", "i:2", "j:3"}},
		"redis://h:1?cluster=true":              {addrs: []string{"h:1"}, cluster: true},
		"redis://:p@h:1?master_name=m&db=2,i:2": {addrs: []string{"h:1", "i:2"}, db: 2, pass: "p", master: "m"},
	} {
		o, err := queue.RedisOptions(address)
		require.NoError(t, err, address)
		require.Equal(t, w, want{o.Addrs, o.DB, o.Username, o.Password, o.TLSConfig != nil, o.MasterName, o.IsClusterMode}, address)
		require.True(t, o.ContextTimeoutEnabled)
	}
	for _, address := range []string{"", "h", ":1", "h:", "http://h", "redis://h/x", "redis://h?nope=1", "h:1,,i:2", "unix://"} {
		_, err := queue.RedisOptions(address)
		var invalid *queue.InvalidError
		require.ErrorAs(t, err, &invalid, address)
		require.Equal(t, "redis", invalid.Field)
	}
}

// Both protocols give the same room, though their replies differ.
func TestRedisProtocols(t *testing.T) {
	socket := startRedis(t)
	for _, protocol := range []int{2, 3} {
		for _, strategy := range queue.Strategies() {
			room := fmt.Sprintf("%s-%d", strategy.Name, protocol)
			b := dial(t, fmt.Sprintf("unix://%s?protocol=%d", socket, protocol), room)
			r := openRoom(t, b, strategy.Name, func(c *queue.Config) { c.Room = room })
			join(t, r, "a", "b", "c")
			for range 2 {
				_, err := r.Admit(background)
				require.NoError(t, err)
			}
			require.Equal(t, queue.StateAdmitted, state(t, r, "b"))
			require.Equal(t, queue.StateWaiting, state(t, r, "c"))
		}
	}
}

// A ZPOPMIN sent twice takes two visitors out of the line: whatever go-redis
// is told, one Do is one command.
func TestRedisSendsOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	var pops atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				lines := bufio.NewScanner(conn)
				for lines.Scan() {
					switch strings.ToLower(lines.Text()) {
					case "hello", "client", "command":
						fmt.Fprint(conn, "-ERR unknown command\r\n")
					case "zpopmin":
						pops.Add(1)
						return // executed, say, and the reply never comes
					}
				}
			}()
		}
	}()
	client := redis.NewClient(&redis.Options{Addr: listener.Addr().String(), MaxRetries: 5})
	defer client.Close()
	_, err = queue.NewRedis(client, "main").Do(background, "ZPOPMIN", "k")
	require.Error(t, err)
	require.Equal(t, int32(1), pops.Load())

	cluster := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: []string{listener.Addr().String()}, MaxRedirects: 5,
		ClusterSlots: func(context.Context) ([]redis.ClusterSlot, error) {
			return []redis.ClusterSlot{{End: 16383, Nodes: []redis.ClusterNode{{Addr: listener.Addr().String()}}}}, nil
		},
	})
	defer cluster.Close()
	_, err = queue.NewRedis(cluster, "main").Do(background, "ZPOPMIN", "k")
	require.Error(t, err)
	require.Equal(t, int32(2), pops.Load())
}

func freePort(t *testing.T) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		_, port, _ := net.SplitHostPort(l.Addr().String())
		require.NoError(t, l.Close())
		if len(port) < 5 || port < "55535" { // the cluster's bus takes port + 10000
			return port
		}
	}
}

// In a Cluster the room's keys are on one node, and its TIME is the one that
// counts.
func TestRedisCluster(t *testing.T) {
	redistest.Need(t, "redis-server")
	const binary = "redis-server"
	ports := []string{freePort(t), freePort(t)}
	ranges := []string{"0 8191", "8192 16383"}
	nodes := make([]*redis.Client, 2)
	for i, port := range ports {
		startServer(t, binary, "--port", port, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--bind", "127.0.0.1")
		awaitRedis(t, &redis.UniversalOptions{Addrs: []string{"127.0.0.1:" + port}})
		nodes[i] = redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port})
		t.Cleanup(func() { _ = nodes[i].Close() })
		from, to, _ := strings.Cut(ranges[i], " ")
		require.NoError(t, nodes[i].Do(background, "CLUSTER", "ADDSLOTSRANGE", from, to).Err())
		require.NoError(t, nodes[i].Do(background, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err())
	}
	require.NoError(t, nodes[0].Do(background, "CLUSTER", "MEET", "127.0.0.1", ports[1]).Err())
	for _, n := range nodes {
		require.Eventually(t, func() bool {
			info, _ := n.ClusterInfo(background).Result()
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:2")
		}, 20*time.Second, 10*time.Millisecond)
	}

	for _, room := range []string{"a", "b", "c", "d"} { // these hash to both nodes
		b := dial(t, "127.0.0.1:"+ports[0]+",127.0.0.1:"+ports[1], room)
		slot, err := nodes[0].ClusterKeySlot(background, "{"+room+"}").Result()
		require.NoError(t, err)
		home, away := nodes[0], nodes[1]
		if slot > 8191 {
			home, away = away, home
		}
		before := timeCalls(t, home)
		elsewhere := timeCalls(t, away)
		for _, strategy := range queue.Strategies() {
			require.NoError(t, home.FlushAll(background).Err())
			r := openRoom(t, b, strategy.Name, func(c *queue.Config) { c.Room = room })
			join(t, r, "x", "y", "z")
			_, err = r.Admit(background)
			require.NoError(t, err)
			require.Equal(t, queue.StateAdmitted, state(t, r, "y"))
			require.Equal(t, queue.StateWaiting, state(t, r, "z"))
		}
		require.Greater(t, timeCalls(t, home), before)
		require.Equal(t, elsewhere, timeCalls(t, away), "TIME of the node that holds the room, only")
	}
}

// timeCalls is how often a server has executed TIME.
func timeCalls(t *testing.T, c *redis.Client) int {
	t.Helper()
	info, err := c.Info(background, "commandstats").Result()
	require.NoError(t, err)
	_, after, found := strings.Cut(info, "cmdstat_time:calls=")
	if !found {
		return 0
	}
	var n int
	_, err = fmt.Sscanf(after, "%d", &n)
	require.NoError(t, err)
	return n
}

func TestRedisSentinel(t *testing.T) {
	redistest.Need(t, "redis-server")
	server, err := exec.LookPath("redis-server")
	require.NoError(t, err)
	master, watch := freePort(t), freePort(t)
	startServer(t, server, "--port", master, "--bind", "127.0.0.1")
	awaitRedis(t, &redis.UniversalOptions{Addrs: []string{"127.0.0.1:" + master}})
	conf := filepath.Join(t.TempDir(), "sentinel.conf")
	require.NoError(t, os.WriteFile(conf, fmt.Appendf(nil, "port %s\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 %s 1\n", watch, master), 0o600))
	cmd := exec.Command(server, conf, "--sentinel")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })

	address := "redis://127.0.0.1:" + watch + "?master_name=main"
	options, err := queue.RedisOptions(address)
	require.NoError(t, err)
	awaitRedis(t, options)
	r := openRoom(t, dial(t, address, "main"), "optimistic", nil)
	join(t, r, "a")
	_, err = r.Admit(background)
	require.NoError(t, err)
	require.Equal(t, queue.StateAdmitted, state(t, r, "a"))
}
