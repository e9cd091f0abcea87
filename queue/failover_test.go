package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
	"myredis/queue"
)

// What happens to a room when the master that holds it dies and a replica is
// promoted. The figures are logged; docs/FAILOVER.md says what they were.

const (
	seats   = 10
	session = 6 * time.Second // longer than a failover takes, or nobody is inside at its end
	patient = 40 * time.Second
	tick    = 10 * time.Millisecond
)

// topology is a store with a master to kill and the replica that takes over.
type topology struct {
	address         string
	master, replica *redistest.Server
	rooms           map[string]string // of each strategy; the master has them all
	succeeded       func() bool       // the replica is the master, to all who are asked for it
	rejoin          func()            // brings the killed master back as a replica
}

func TestFailoverOfCluster(t *testing.T) {
	for _, c := range []struct {
		name       string
		lagging    bool
		durability queue.Durability
	}{
		{"killed", false, queue.Durability{}},
		{"killed while the replica lags", true, queue.Durability{}},
		{"killed while the replica lags, durability replicas=1", true, queue.Durability{Replicas: 1, Timeout: 200 * time.Millisecond}},
	} {
		t.Run(c.name, func(t *testing.T) { failover(t, startCluster, c.lagging, c.durability) })
	}
}

func TestFailoverOfSentinel(t *testing.T) {
	for _, d := range []queue.Durability{{}, {Replicas: 1, Timeout: 200 * time.Millisecond}} {
		t.Run(fmt.Sprintf("killed while the replica lags, durability replicas=%d", d.Replicas), func(t *testing.T) {
			failover(t, startSentinel, true, d)
		})
	}
}

// failover has visitors come and go through three instances, kills the master
// and looks at what they were told before and after.
func failover(t *testing.T, start func(*testing.T) topology, lagging bool, durability queue.Durability) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	store := start(t)
	rooms := map[string]*crowd{}
	for strategy, room := range store.rooms {
		rooms[strategy] = gather(t, store, strategy, room, durability)
	}
	each := func(what string, ready func(*crowd) bool) {
		t.Helper()
		for strategy, c := range rooms {
			require.Eventually(t, func() bool { return ready(c) }, patient, tick, "%s: %s", strategy, what)
		}
	}
	began := time.Now()
	each("nobody is let in", func(c *crowd) bool { return c.journal.told(began) >= seats })

	if lagging {
		cut(t, store)
	}
	lag := time.Now()
	for _, c := range rooms { // more than fit, while there is room for some
		c.come(2 * seats)
	}
	switch {
	case lagging && durability.Replicas > 0:
		each("everything is confirmed", func(c *crowd) bool { return c.journal.unconfirmed() >= seats })
	default:
		each("nobody is let in", func(c *crowd) bool { return c.journal.told(lag) >= seats/4 })
	}
	killed := time.Now()
	store.master.Kill()
	require.NoError(t, store.replica.Signal(syscall.SIGCONT))

	require.Eventually(t, store.succeeded, patient, tick, "the replica is not promoted")
	promoted := time.Now()
	if durability.Replicas > 0 {
		store.rejoin()
	}
	each("the room does not work again", func(c *crowd) bool { return c.journal.told(promoted) > 0 })
	over := killed.Add(session)
	each("the room does not go on", func(c *crowd) bool { return c.journal.told(over) >= seats/2 })

	for strategy, c := range rooms {
		c.disperse()
		j := c.journal
		before, during := j.most(time.Time{}, killed), j.most(killed, over)
		t.Logf("%s: told by the master's end %d, %d of them after the replica fell behind; promoted after %s, works again after %s; most inside of %d: %d before, %d until sessions from before were over, %d after; lost %d seats and %d places in the line; failed calls %d",
			strategy, j.told(time.Time{})-j.told(killed), j.told(lag)-j.told(killed), promoted.Sub(killed).Round(tick), j.first(promoted).Sub(killed).Round(tick),
			seats, before, during, j.most(over, time.Now()), j.lostSeats, j.lostPlaces, j.failed)
		require.LessOrEqual(t, before, seats, "%s before the failover", strategy)
		require.LessOrEqual(t, j.most(over, time.Now()), seats, "%s once the sessions from before are over", strategy)
		// Those told before and not yet over, and those told by the new master.
		require.LessOrEqual(t, during, 2*seats, "%s in between", strategy)
		if durability.Replicas > 0 {
			require.LessOrEqual(t, during, seats, "%s with all that was told on the replica", strategy)
			require.Zero(t, j.lostSeats, strategy)
			require.Zero(t, j.lostPlaces, strategy)
		}
	}
}

// cut stops the replica and takes its connection away: what the master does
// from then on it alone knows.
func cut(t *testing.T, store topology) {
	t.Helper()
	require.NoError(t, store.replica.Signal(syscall.SIGSTOP))
	master := redis.NewClient(&redis.Options{Addr: store.master.Addr})
	defer master.Close()
	require.NoError(t, master.Do(background, "CLIENT", "KILL", "TYPE", "replica").Err())
}

// crowd is the visitors of a room and the instances that serve it.
type crowd struct {
	t         *testing.T
	instances []*queue.Room
	journal   *journal
	disperse  func()

	ctx  context.Context
	all  sync.WaitGroup
	next int
}

// gather opens a room on three instances, and has half as many visitors in it as
// there are seats.
func gather(t *testing.T, store topology, strategy, room string, durability queue.Durability) *crowd {
	t.Helper()
	ctx, cancel := context.WithCancel(background)
	c := &crowd{t: t, ctx: ctx, journal: &journal{stays: map[string]*stay{}}}
	for i := range 3 {
		options, err := queue.RedisOptions(store.address)
		require.NoError(t, err)
		options.DialTimeout, options.DialerRetries = time.Second, 1
		client := redis.NewUniversalClient(options)
		cfg := configured(func(cfg *queue.Config) {
			cfg.Room, cfg.Instance, cfg.Strategy = room, fmt.Sprint("i", i), strategy
			cfg.Slot, cfg.Period, cfg.TTL, cfg.CommandTimeout = seats, 20*time.Millisecond, session, time.Second
			cfg.OnEvent = c.journal.event
		})
		instance, err := queue.Open(ctx, queue.NewRedis(client, room).Durable(durability), cfg)
		require.NoError(t, err)
		c.instances = append(c.instances, instance)
		t.Cleanup(func() { _ = client.Close() })
		c.all.Go(func() { _ = instance.Run(ctx) })
	}
	var once sync.Once
	c.disperse = func() { once.Do(func() { cancel(); c.all.Wait() }) }
	t.Cleanup(c.disperse)
	c.come(seats / 2)
	return c
}

// come has n more visitors join, and come back under another name whenever they
// are through.
func (c *crowd) come(n int) {
	for range n {
		c.next++
		r := rand.New(rand.NewPCG(uint64(c.next), 0))
		instance, place := c.instances[c.next%len(c.instances)], c.next
		c.all.Go(func() {
			for visit := 0; c.ctx.Err() == nil; visit++ {
				c.visit(instance, fmt.Sprintf("v%d.%d", place, visit), r)
			}
		})
	}
}

// visit is one visitor from join to leave.
func (c *crowd) visit(instance *queue.Room, visitor string, r *rand.Rand) {
	var s queue.Status
	if !c.insist(func() (err error) { s, err = instance.Join(c.ctx, visitor); return err }) {
		return
	}
	for s.State == queue.StateWaiting {
		if !c.pause(20*time.Millisecond) || !c.insist(func() (err error) { s, err = instance.Status(c.ctx, visitor); return err }) {
			return
		}
	}
	if s.State == queue.StateUnknown {
		c.journal.lost(false)
		return
	}
	c.journal.admitted(visitor, time.Now(), s.Expires)
	until, leaves := s.Expires, r.IntN(3) > 0 // others just go away
	if leaves {
		until = time.Now().Add(time.Duration(50+r.IntN(300)) * time.Millisecond)
	}
	lost := false
	for time.Until(until) > 100*time.Millisecond {
		if !c.pause(50*time.Millisecond) || !c.insist(func() (err error) { s, err = instance.Status(c.ctx, visitor); return err }) {
			return
		}
		if s.State != queue.StateAdmitted && time.Until(until) > 0 && !lost {
			c.journal.lost(true)
			lost, leaves = true, false // but they were told that they may stay
		}
	}
	if leaves {
		c.journal.left(visitor, time.Now())
		c.insist(func() error { _, err := instance.Leave(c.ctx, visitor); return err })
	} else {
		c.pause(time.Until(until))
	}
}

// insist tries until it succeeds; false if the end came first.
func (c *crowd) insist(try func() error) bool {
	for c.ctx.Err() == nil {
		err := try()
		if err == nil {
			return true
		}
		c.journal.failure(err)
		c.pause(200 * time.Millisecond)
	}
	return false
}

func (c *crowd) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// journal is what visitors were told and when, in their replies and in the log
// of events. All stores have this machine's clock.
type journal struct {
	mu                    sync.Mutex
	stays                 map[string]*stay
	lostSeats, lostPlaces int
	failed, unreplicated  int
}

// stay is the time in which a visitor may think to be inside.
type stay struct{ from, until, left time.Time }

func (s *stay) end() time.Time {
	if !s.left.IsZero() && s.left.Before(s.until) {
		return s.left
	}
	return s.until
}

func (j *journal) event(e queue.Event) {
	switch e.Kind {
	case queue.Admitted:
		j.admitted(e.Visitor, time.Now(), e.Expires)
	case queue.Released:
		j.left(e.Visitor, e.At)
	}
}

func (j *journal) admitted(visitor string, from, until time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.stays[visitor]
	if s == nil {
		s = &stay{from: from}
		j.stays[visitor] = s
	}
	if from.Before(s.from) {
		s.from = from
	}
	if until.After(s.until) {
		s.until = until
	}
}

func (j *journal) left(visitor string, at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.stays[visitor]; s != nil && (s.left.IsZero() || at.Before(s.left)) {
		s.left = at
	}
}

func (j *journal) lost(seat bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seat {
		j.lostSeats++
	} else {
		j.lostPlaces++
	}
}

func (j *journal) failure(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failed++
	var few *queue.ReplicasError
	if errors.As(err, &few) {
		j.unreplicated++
	}
}

func (j *journal) unconfirmed() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unreplicated
}

// told is how many visitors were let in after an instant.
func (j *journal) told(after time.Time) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.stays {
		if s.from.After(after) {
			n++
		}
	}
	return n
}

// first is when the first one was let in after an instant.
func (j *journal) first(after time.Time) (at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.stays {
		if s.from.After(after) && (at.IsZero() || s.from.Before(at)) {
			at = s.from
		}
	}
	return at
}

// most is how many at most were inside at any instant of a time.
func (j *journal) most(from, until time.Time) (most int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	instants := []time.Time{from}
	for _, s := range j.stays {
		if s.from.After(from) && s.from.Before(until) {
			instants = append(instants, s.from)
		}
	}
	for _, at := range instants {
		n := 0
		for _, s := range j.stays {
			if !s.from.After(at) && s.end().After(at) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// startCluster starts three masters with a replica each.
func startCluster(t *testing.T) topology {
	t.Helper()
	redistest.Need(t, "redis-server")
	const masters = 3
	var servers []*redistest.Server
	var nodes []*redis.Client
	var buses, addresses []string
	for range 2 * masters {
		bus := strconv.Itoa(redistest.FreePort(t))
		s := redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "1000",
			"--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0")
		t.Cleanup(func() { _ = s.Signal(syscall.SIGCONT) })
		node := redis.NewClient(&redis.Options{Addr: s.Addr})
		t.Cleanup(func() { _ = node.Close() })
		servers, buses = append(servers, s), append(buses, bus)
		nodes, addresses = append(nodes, node), append(addresses, s.Addr)
	}
	for i, node := range nodes {
		require.NoError(t, node.Do(background, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err())
		if i < masters {
			require.NoError(t, node.Do(background, "CLUSTER", "ADDSLOTSRANGE", i*16384/masters, (i+1)*16384/masters-1).Err())
		}
	}
	for i, s := range servers[1:] {
		require.NoError(t, nodes[0].Do(background, "CLUSTER", "MEET", "127.0.0.1", s.Port, buses[i+1]).Err())
	}
	clusterSays(t, nodes, "cluster_state:ok", "cluster_known_nodes:6")
	for i, node := range nodes[masters:] {
		id, err := nodes[i].Do(background, "CLUSTER", "MYID").Text()
		require.NoError(t, err)
		require.Eventually(t, func() bool { return node.ClusterReplicate(background, id).Err() == nil }, patient, tick)
	}
	for _, master := range nodes[:masters] {
		require.Eventually(t, func() bool { return replicated(master, 1) }, patient, tick, "a replica does not catch up")
	}
	require.Eventually(t, func() bool { // everybody knows whose replicas they are
		for _, node := range nodes {
			list, _ := node.ClusterNodes(background).Result()
			if strings.Count(list, "slave") != masters {
				return false
			}
		}
		return true
	}, patient, tick)
	return topology{
		address: strings.Join(addresses, ","), master: servers[0], replica: servers[masters],
		rooms: map[string]string{"atomic": roomIn(t, nodes[0], "atomic", 16384/masters), "ticket": roomIn(t, nodes[0], "ticket", 16384/masters)},
		succeeded: func() bool {
			info, _ := nodes[masters].Info(background, "replication").Result()
			return strings.Contains(info, "role:master")
		},
		rejoin: servers[0].Restart, // it finds out by itself
	}
}

func clusterSays(t *testing.T, nodes []*redis.Client, words ...string) {
	t.Helper()
	for _, node := range nodes {
		require.Eventually(t, func() bool {
			info, _ := node.ClusterInfo(background).Result()
			for _, w := range words {
				if !strings.Contains(info, w) {
					return false
				}
			}
			return true
		}, patient, tick, "%v", words)
	}
}

// roomIn returns a name of a room whose slot is below a bound.
func roomIn(t *testing.T, node *redis.Client, prefix string, below int) string {
	t.Helper()
	for i := 0; ; i++ {
		name := fmt.Sprint(prefix, i)
		slot, err := node.ClusterKeySlot(background, "{"+name+"}").Result()
		require.NoError(t, err)
		if slot < int64(below) {
			return name
		}
	}
}

// startSentinel starts a master, a replica and three Sentinels.
func startSentinel(t *testing.T) topology {
	t.Helper()
	master, replica := pair(t)
	const sentinels = 3
	var addresses []string
	for range sentinels {
		dir, port := t.TempDir(), strconv.Itoa(redistest.FreePort(t))
		conf := filepath.Join(dir, "sentinel.conf")
		require.NoError(t, os.WriteFile(conf, fmt.Appendf(nil,
			"port %s\nbind 127.0.0.1\ndir %s\nsentinel monitor main 127.0.0.1 %d 2\nsentinel down-after-milliseconds main 1000\nsentinel failover-timeout main 5000\n",
			port, dir, master.Port), 0o600))
		cmd := exec.Command("redis-server", conf, "--sentinel")
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		addresses = append(addresses, "127.0.0.1:"+port)
	}
	var clients []*redis.SentinelClient
	for _, address := range addresses {
		sentinel := redis.NewSentinelClient(&redis.Options{Addr: address})
		t.Cleanup(func() { _ = sentinel.Close() })
		clients = append(clients, sentinel)
		require.Eventually(t, func() bool {
			about, _ := sentinel.Master(background, "main").Result()
			return about["num-other-sentinels"] == strconv.Itoa(sentinels-1) && about["num-slaves"] == "1" && about["flags"] == "master"
		}, patient, tick, "a Sentinel does not know all")
	}
	return topology{
		address: "redis://" + addresses[0] + "?master_name=main," + strings.Join(addresses[1:], ","), master: master, replica: replica,
		rooms: map[string]string{"atomic": "atomic", "ticket": "ticket"},
		succeeded: func() bool {
			for _, sentinel := range clients {
				at, _ := sentinel.GetMasterAddrByName(background, "main").Result()
				if len(at) != 2 || at[1] != strconv.Itoa(replica.Port) {
					return false
				}
			}
			return true
		},
		rejoin: func() { // Sentinel does the same some ten seconds later
			master.Restart()
			client := redis.NewClient(&redis.Options{Addr: master.Addr})
			defer client.Close()
			require.NoError(t, client.ReplicaOf(background, "127.0.0.1", strconv.Itoa(replica.Port)).Err())
		},
	}
}
