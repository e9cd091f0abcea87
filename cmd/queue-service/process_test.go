package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"myredis/internal/redistest"
)

// With this variable the test's own binary is the program, so that signals and
// exit codes are those of a real process.
const asProgram = "QUEUE_SERVICE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// client leaves no connection behind.
var client = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// process is a running queue-service.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	announcement
	log *buffer
}

// buffer is what a process has written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// launch starts an instance on a free port and waits for its announcement.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, log: &buffer{}}
	p.cmd = exec.Command(os.Args[0], append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	p.cmd.Env = append(os.Environ(), asProgram+"=1")
	p.cmd.Stderr = p.log
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err, "no announcement; log: %s", p.log)
	require.NoError(t, json.Unmarshal(line, &p.announcement), "%s", line)
	require.Equal(t, "listening", p.Message)
	return p
}

// stop ends the process with a signal and returns its exit code.
func (p *process) stop(signal os.Signal) int {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(signal))
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) ask(method, path string) (int, map[string]any) {
	p.t.Helper()
	req, err := http.NewRequest(method, p.URL+path, nil)
	require.NoError(p.t, err)
	res, err := client.Do(req)
	require.NoError(p.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	var answer map[string]any
	_ = json.Unmarshal(body, &answer)
	return res.StatusCode, answer
}

func (p *process) admitted(visitor string) func() bool {
	return func() bool {
		_, a := p.ask("GET", "/api/v1/rooms/main/visitors/"+visitor)
		return a["state"] == "admitted"
	}
}

func (p *process) join() string {
	p.t.Helper()
	code, a := p.ask("POST", "/api/v1/rooms/main/visitors")
	require.Equal(p.t, 200, code, a)
	return a["visitor"].(string)
}

func TestInstancesShareARoom(t *testing.T) {
	store := redistest.Start(t)
	args := []string{"--redis", "redis://" + store.Addr, "--slot", "1", "--period", "20ms", "--log-format", "json", "--log-level", "debug"}
	one, two := launch(t, append(args, "--instance", "one")...), launch(t, append(args, "--instance", "two")...)
	require.Equal(t, "one", one.Instance)
	require.Equal(t, "main", one.Room)
	require.Equal(t, []string{store.Addr}, one.Store)

	first := one.join()
	require.Eventually(t, two.admitted(first), 10*time.Second, 10*time.Millisecond)
	second := two.join()
	_, a := one.ask("GET", "/api/v1/rooms/main/visitors/"+second)
	require.Equal(t, "waiting", a["state"])

	require.Equal(t, 0, one.stop(syscall.SIGTERM), one.log)
	two.ask("DELETE", "/api/v1/rooms/main/visitors/"+first)
	require.Eventually(t, two.admitted(second), 10*time.Second, 10*time.Millisecond)
	require.Equal(t, 0, two.stop(os.Interrupt), two.log)
	for _, line := range strings.Split(strings.TrimSpace(one.log.String()+two.log.String()), "\n") {
		require.True(t, json.Valid([]byte(line)), "%s", line)
	}
	require.Contains(t, one.log.String()+two.log.String(), `"msg":"admitted"`)
}

// The end of an instance tells its streams, finishes requests, and is prompt.
func TestShutdownEndsStreams(t *testing.T) {
	store := redistest.Start(t)
	p := launch(t, "--redis", store.Addr)
	visitor := p.join()
	res, err := client.Get(p.URL + "/api/v1/rooms/main/visitors/" + visitor + "/events")
	require.NoError(t, err)
	defer res.Body.Close()
	ended := make(chan string, 1)
	go func() {
		body, _ := io.ReadAll(res.Body)
		ended <- string(body)
	}()
	began := time.Now()
	require.Equal(t, 0, p.stop(syscall.SIGTERM), p.log)
	require.Contains(t, <-ended, "event: end\ndata: {\"reason\":\"shutdown\"}")
	require.Less(t, time.Since(began), 5*time.Second)
}

func TestShutdownFinishesWhatIsInHand(t *testing.T) {
	store := redistest.Start(t)
	line := redis.NewClient(&redis.Options{Addr: store.Addr})
	defer line.Close()
	// Every cycle of optimistic takes somebody out of the line and puts them
	// back, as long as the room is full: whenever the signal comes, some
	// admission is likely under way.
	p := launch(t, "--redis", store.Addr, "--slot", "1", "--period", "1ms")
	for range 50 {
		p.join()
	}
	require.Eventually(t, func() bool { return line.ZCard(context.Background(), "{main}:active").Val() == 1 }, 10*time.Second, time.Millisecond)
	require.Equal(t, 0, p.stop(syscall.SIGTERM), p.log)
	require.EqualValues(t, 1, line.ZCard(context.Background(), "{main}:active").Val())
	require.EqualValues(t, 49, line.ZCard(context.Background(), "{main}:waiting").Val(), "nobody is lost")
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	store := redistest.Start(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	nobody := "127.0.0.1:1"
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no store":   {[]string{"--listen", "127.0.0.1:0", "--redis", nobody}, "connection refused"},
		"port taken": {[]string{"--listen", taken.Addr().String(), "--redis", store.Addr}, "address already in use"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.Equal(t, 1, run(context.Background(), c.args, environment(), &stdout, &stderr))
			require.Contains(t, stderr.String(), c.says)
			require.Empty(t, stdout.String())
		})
	}
}

// Without --redis there is a store all the same, on loopback, and any client
// can look into it. A second instance does not fall over the first one's port.
func TestEmbeddedStore(t *testing.T) {
	one, two := launch(t), launch(t)
	require.NotEqual(t, one.Store, two.Store)
	require.Contains(t, one.log.String(), "Open "+one.URL)
	for _, p := range []*process{one, two} {
		host, port, err := net.SplitHostPort(p.Store[0])
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1", host)
		require.Contains(t, p.log.String(), "redis-cli -p "+port+" ")
		line := redis.NewClient(&redis.Options{Addr: p.Store[0]})
		visitor := p.join()
		require.Eventually(t, p.admitted(visitor), 10*time.Second, 10*time.Millisecond)
		members, err := line.ZRange(context.Background(), "{main}:active", 0, -1).Result()
		require.NoError(t, err)
		require.Equal(t, []string{visitor}, members)
		require.NoError(t, line.Close())
		require.Equal(t, 0, p.stop(syscall.SIGTERM), p.log)
	}
}
