package bench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"myredis/bench/load"
)

var crowdExperiment = Experiment{
	Name:     "crowd",
	Question: Text{"Thousands wait at once: what does each of them cost, and how long after a seat is given up does the next know to be in?", "수천 명이 동시에 기다릴 때 한 명당 비용은 얼마이고, 좌석이 빈 뒤 다음 사람이 입장 사실을 알기까지 얼마나 걸릴까?"},
	Varies:   Text{"waiting by asking again or on an event stream", "반복 조회(폴링) 또는 이벤트 스트림으로 대기"},
	Measured: Text{
		"Resident memory of the queue-service, and used memory of the store, with everybody waiting less with nobody, per waiter. Seats are given up at a steady pace meanwhile: time from the request that gives one up to the moment when the next in line has read that it is in. The waiters are in a process of their own.",
		"모두가 대기 중일 때와 아무도 없을 때의 차이로 잰 대기자 한 명당 메모리(queue-service의 상주 메모리, 저장소의 사용 메모리). 그동안 좌석을 일정한 간격으로 비우면서, 퇴장 요청을 보낸 순간부터 다음 사람이 입장 사실을 읽은 순간까지의 시간을 잰다. 대기자들은 별도 프로세스다.",
	},
	Expected: Text{
		"Who asks costs memory in the store only, but hears of it at the next question: up to a second at the head of the line. A stream costs the service a connection and two goroutines for each, some tens of kilobytes, and tells within the admission period of 200 ms.",
		"폴링하는 방문자는 저장소 메모리만 쓰는 대신 다음 조회 때, 즉 줄 맨 앞에서도 최대 1초쯤 뒤에 안다. 스트림은 한 명당 연결 하나와 고루틴 몇 개, 곧 수십 킬로바이트가 들지만 입장 주기 200 ms 안에 알린다.",
	},
	Budget: 50 * time.Second,
	Tables: []Table{{Name: "crowd", Title: Text{"Waiting", "대기"}, Columns: []Column{
		{Key: "store", Title: Text{"store", "저장소"}, Label: true},
		{Key: "how", Title: Text{"waiting by", "대기 방식"}, Label: true},
		{Key: "waiters", Title: Text{"waiters", "대기자"}, Label: true},
		{Key: "service_bytes", Title: Text{"service bytes per waiter", "대기자당 서비스 메모리(B)"}, Better: -1},
		{Key: "store_bytes", Title: Text{"store bytes per waiter", "대기자당 저장소 메모리(B)"}, Better: -1},
		{Key: "releases", Title: Text{"seats given up", "비운 좌석"}},
		{Key: "p50_ms", Title: Text{"told after p50, ms", "통보까지 p50(ms)"}, Places: 1, Better: -1},
		{Key: "p99_ms", Title: Text{"p99, ms", "p99(ms)"}, Places: 1, Better: -1},
		{Key: "untold", Title: Text{"never told", "통보 못 받음"}, Better: -1},
		{Key: "failed", Title: Text{"failed requests", "실패한 요청"}, Better: -1},
	}}},
	Charts: []Chart{
		{Name: "told", Title: Text{"From release to told", "퇴장에서 통보까지"}, X: Text{"milliseconds", "밀리초"}, Y: Text{"percent told", "통보된 비율(%)"},
			Series: []string{"how"}, Panels: []string{"store"}},
		{Name: "memory", Title: Text{"Service memory per waiter", "대기자당 서비스 메모리"}, Y: Text{"bytes", "바이트"},
			Table: "crowd", Value: "service_bytes", Groups: "how", Series: []string{"store"}},
	},
	Answer: answerCrowd,
	New: func() Settings {
		return &crowd{strategy: defaultStrategy(), waiters: 4000, seats: 50, perSecond: 20}
	},
}

type crowd struct {
	strategy  string
	waiters   int
	seats     int
	perSecond float64
}

func (c *crowd) Flags(f *flag.FlagSet) {
	f.StringVar(&c.strategy, "strategy", c.strategy, "`name` of the room's strategy")
	f.IntVar(&c.waiters, "waiters", c.waiters, "`visitors` who wait; streams need as many open files in both processes (ulimit -n)")
	f.IntVar(&c.seats, "slot", c.seats, "`seats`")
	f.Float64Var(&c.perSecond, "per-second", c.perSecond, "seats given up per second")
}

const (
	polling   = "polling"
	streaming = "streaming"
)

func (c *crowd) Cases(l *Lab) (cases []Case, err error) {
	for _, store := range l.Stores() {
		for _, how := range []string{polling, streaming} {
			cases = append(cases, Case{Name: fmt.Sprintf("%d %s on %s", c.waiters, how, store.Name), Least: 3 * time.Second,
				Run: func(ctx context.Context, r *Run) error { return c.run(ctx, r, store, how) }})
		}
	}
	return cases, nil
}

// settle is how long the crowd stands before the first seat is given up.
const settle = 2 * time.Second

func (c *crowd) run(ctx context.Context, r *Run, store *Store, how string) error {
	g := newGroup(store, roomSettings{Strategy: c.strategy, Instances: 1, Slot: c.seats, Period: 200 * time.Millisecond, TTL: 10 * time.Minute}, nil)
	defer stopAll([]*group{g})
	if err := g.start(ctx); err != nil {
		return err
	}
	before, err := memoryOf(g)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var told []load.Told
	failed := 0
	waiting := make(chan struct{})
	releases := max(int(c.perSecond*r.For.Seconds()), 10)
	p, err := Start(ctx, "bench", []string{"wait", "--url", g.instances[0].URL, "--room", g.room, "--seats", strconv.Itoa(c.seats), "--waiters", strconv.Itoa(c.waiters),
		"--stream=" + strconv.FormatBool(how == streaming), "--settle", settle.String(), "--for", r.For.String(), "--releases", strconv.Itoa(releases)},
		func(line string) bool { return line == load.Ready },
		func(line string) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case strings.HasPrefix(line, `{"line":"told"`):
				var t load.Told
				if json.Unmarshal([]byte(line), &t) == nil {
					told = append(told, t)
				}
			case strings.HasPrefix(line, `{"line":"waiting"`):
				var w load.Waiting
				_ = json.Unmarshal([]byte(line), &w)
				failed = w.Failed
				close(waiting)
			}
		})
	if err != nil {
		return err
	}
	defer p.Stop()
	select {
	case <-waiting:
	case <-p.exited:
		return errors.Join(ctx.Err(), p.Wait(), errors.New("the crowd ended before it stood"))
	}
	if err := load.Pause(ctx, settle/2); err != nil {
		return err
	}
	during, err := memoryOf(g)
	if err := errors.Join(err, p.Wait(), ctx.Err()); err != nil {
		return err
	}
	return c.write(r, store, how, told, failed, during.less(before))
}

// memory is what the two sides of a room use.
type memory struct{ service, store float64 }

func (m memory) less(o memory) memory { return memory{m.service - o.service, m.store - o.store} }

func memoryOf(g *group) (m memory, err error) {
	info, err := g.store.Info("memory")
	if err != nil {
		return m, err
	}
	m.store, err = strconv.ParseFloat(info["used_memory"], 64)
	m.service, _ = g.instances[0].RSS()
	return m, err
}

func (c *crowd) write(r *Run, store *Store, how string, told []load.Told, failed int, m memory) error {
	var after []float64
	untold := 0
	for _, t := range told {
		if err := r.Raw("told", Row{"store": store.Name, "how": how, "released": t.Released, "told": t.Told}); err != nil {
			return err
		}
		if t.Told < 0 {
			untold++
			continue
		}
		after = append(after, t.Told-t.Released)
	}
	row := Row{"store": store.Name, "how": how, "waiters": c.waiters, "service_bytes": m.service / float64(c.waiters), "store_bytes": m.store / float64(c.waiters),
		"releases": len(told), "p50_ms": Quantile(after, 0.5), "p99_ms": Quantile(after, 0.99), "untold": untold, "failed": failed}
	curve := Curve{Chart: "told", Labels: Row{"store": store.Name, "how": how}}
	for percent := 0; percent <= 100; percent += 2 {
		curve.Points = append(curve.Points, [2]float64{Quantile(after, float64(percent)/100), float64(percent)})
	}
	return errors.Join(r.Result("crowd", row), r.Curve(curve))
}

func answerCrowd(r Results) Verdict {
	rows := firstStore(r["crowd"])
	poll, stream := Row{}, Row{}
	for _, row := range rows {
		if row.Label("how") == streaming {
			stream = row
		} else {
			poll = row
		}
	}
	return Verdict{Expected: stream.N("p99_ms") < poll.N("p99_ms") && stream.N("untold")+poll.N("untold") == 0, Text: Text{
		fmt.Sprintf("Of %s waiters each costs the service %.1f kB on a stream and is told within %.0f ms (p99); by asking, %.1f kB and %.0f ms.",
			stream.Label("waiters"), stream.N("service_bytes")/1e3, stream.N("p99_ms"), poll.N("service_bytes")/1e3, poll.N("p99_ms")),
		fmt.Sprintf("대기자 %s명일 때 스트림은 한 명당 %.1f kB를 쓰고 %.0f ms(p99) 안에 알리며, 폴링은 %.1f kB에 %.0f ms다.",
			stream.Label("waiters"), stream.N("service_bytes")/1e3, stream.N("p99_ms"), poll.N("service_bytes")/1e3, poll.N("p99_ms")),
	}}
}
