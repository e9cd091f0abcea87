package bench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"myredis/bench/load"
	"myredis/queue"
)

var staleExperiment = Experiment{
	Name:     "stale",
	Question: Text{"A fifth of the visitors close the browser and never leave: what becomes of their seats?", "방문자 다섯 중 하나가 퇴장하지 않고 브라우저를 닫아 버리면 그 좌석은 어떻게 될까?"},
	Varies:   Text{"reclaiming off and on, strategy, store", "만료 좌석 회수(reclaim) 여부, 전략, 저장소"},
	Measured: Text{"Free seats over time, as the room's own state tells, with arrivals at half of what the seats could serve; admissions per second in the first and the last third.",
		"도착률을 좌석 처리 능력의 절반으로 두고, 방의 상태 API가 알려 주는 빈 좌석 수를 시간에 따라 기록한다. 처음 3분의 1과 마지막 3분의 1의 초당 입장 수도 함께 본다."},
	Expected: Text{"Without reclaiming, each of them holds a seat for ever: the free seats fall to none and admissions stop. With it the seats come back after the TTL and the room settles at a steady number of free seats.",
		"회수하지 않으면 그 좌석은 영원히 묶인다. 빈 좌석이 0까지 줄고 입장이 멈춘다. 회수하면 TTL이 지난 좌석이 돌아와 빈 좌석 수가 일정한 수준을 유지한다."},
	Budget: 40 * time.Second,
	Tables: []Table{{Name: "free", Title: Text{"Free seats", "빈 좌석"}, Columns: []Column{
		{Key: "store", Title: Text{"store", "저장소"}, Label: true},
		{Key: "strategy", Title: Text{"strategy", "전략"}, Label: true},
		{Key: "reclaim", Title: Text{"reclaim", "회수"}, Label: true, Named: true},
		{Key: "slot", Title: Text{"seats", "좌석"}},
		{Key: "free", Title: Text{"free in the last third", "마지막 1/3의 빈 좌석"}, Places: 1, Better: 1},
		{Key: "first", Title: Text{"admitted per second, first third", "초당 입장, 처음 1/3"}, Places: 1},
		{Key: "last", Title: Text{"last third", "마지막 1/3"}, Places: 1, Better: 1},
		{Key: "reclaimed", Title: Text{"seats reclaimed", "회수한 좌석"}},
	}}},
	Charts: []Chart{{Name: "free", Title: Text{"Free seats", "빈 좌석"}, X: Text{"seconds", "초"}, Y: Text{"seats", "좌석"},
		Series: []string{"strategy"}, Panels: []string{"reclaim", "store"}, Stepped: true}},
	Answer: answerStale,
	New: func() Settings {
		return &stale{strategies: queue.StrategyNames(), slot: 20, stay: time.Second, ttl: 3 * time.Second, period: 100 * time.Millisecond, load: 0.5, vanish: 0.2}
	},
}

type stale struct {
	strategies        []string
	slot              int
	stay, ttl, period time.Duration
	load, vanish      float64
}

func (s *stale) Flags(f *flag.FlagSet) {
	strategiesFlag(f, &s.strategies)
	f.IntVar(&s.slot, "slot", s.slot, "`seats`")
	f.DurationVar(&s.stay, "stay", s.stay, "mean `time` inside of those who leave")
	f.DurationVar(&s.ttl, "ttl", s.ttl, "`time` after which a seat may be reclaimed")
	f.DurationVar(&s.period, "period", s.period, "`time` between two admission cycles")
	f.Float64Var(&s.load, "load", s.load, "arrivals as a `share` of what the seats can serve")
	f.Float64Var(&s.vanish, "vanish", s.vanish, "`share` of visitors who never leave")
}

func (s *stale) Cases(l *Lab) (cases []Case, err error) {
	for _, store := range l.Stores() {
		cases = append(cases, Case{Name: "reclaim off and on on " + store.Name, Least: 3 * s.ttl,
			Run: func(ctx context.Context, r *Run) error { return s.run(ctx, r, store) }})
	}
	return cases, nil
}

func (s *stale) run(ctx context.Context, r *Run, store *Store) error {
	groups, audiences := []*group{}, map[*group]*audience{}
	for _, noReclaim := range []bool{true, false} {
		for _, strategy := range s.strategies {
			a := newAudience(s.stay)
			a.vanish = s.vanish
			g := newGroup(store, roomSettings{Strategy: strategy, Instances: 1, Slot: s.slot, Period: s.period, TTL: s.ttl, NoReclaim: noReclaim}, a.hear)
			a.group = g
			groups, audiences[g] = append(groups, g), a
		}
	}
	defer stopAll(groups)
	if err := together(groups, func(g *group) error { return g.start(ctx) }); err != nil {
		return err
	}
	began := time.Now()
	over, end := context.WithTimeout(ctx, r.For)
	defer end()
	perSecond := s.load * float64(s.slot) / s.stay.Seconds()
	free := make([][][2]float64, len(groups))
	var sampling sync.WaitGroup
	for i, g := range groups {
		sampling.Go(func() { free[i] = sampleFree(over, g, began) })
	}
	err := together(groups, func(g *group) error {
		audiences[g].arrive(over, perSecond, r.Random)
		return nil
	})
	sampling.Wait()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	for i, g := range groups {
		if err := s.write(r, g, audiences[g], free[i], began); err != nil {
			return err
		}
	}
	return nil
}

func (s *stale) write(r *Run, g *group, a *audience, points [][2]float64, began time.Time) error {
	if len(points) == 0 {
		return errors.New("the room's state could not be read")
	}
	reclaim := onOff(!g.NoReclaim)
	labels := Row{"store": g.store.Name, "strategy": g.Strategy, "reclaim": reclaim}
	free, n := 0.0, 0
	for _, p := range points[len(points)*2/3:] {
		free += p[1]
		n++
	}
	reclaimed := 0
	for _, e := range g.log.all() {
		if e.Message == "reclaimed" {
			reclaimed += int(e.Count)
		}
	}
	row := Row{"store": g.store.Name, "strategy": g.Strategy, "reclaim": reclaim, "slot": s.slot, "free": free / float64(n),
		"first": a.rate(began, began.Add(r.For/3)), "last": a.rate(began.Add(r.For*2/3), began.Add(r.For)), "reclaimed": reclaimed}
	return errors.Join(g.writeEvents(r, Row{"reclaim": reclaim}), r.Result("free", row), r.Curve(Curve{Chart: "free", Labels: labels, Points: points}))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// sampleFree asks the room how many seats are free, ten times a second.
func sampleFree(ctx context.Context, g *group, began time.Time) (points [][2]float64) {
	for load.Pause(ctx, 100*time.Millisecond) == nil {
		active, err := g.instances[0].Active(ctx, g.room)
		if err == nil {
			points = append(points, [2]float64{time.Since(began).Seconds(), float64(g.Slot) - float64(active)})
		}
	}
	return points
}

// Active returns how many seats the room says are taken.
func (in *Instance) Active(ctx context.Context, room string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.URL+"/api/v1/rooms/"+url.PathEscape(room), nil)
	if err != nil {
		return 0, err
	}
	res, err := in.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	var state struct{ Active int }
	return state.Active, json.NewDecoder(res.Body).Decode(&state)
}

func answerStale(r Results) Verdict {
	rows := firstStore(r["free"])
	off, on := where(rows, "reclaim", "off"), where(rows, "reclaim", "on")
	_, mostOff := span(off, "free")
	leastOn, _ := span(on, "free")
	v := Verdict{Expected: leastOn > mostOff}
	v.Text = Text{
		fmt.Sprintf("Without reclaiming %.1f seats are free in the end and %.1f visitors a second get in; with it %.1f seats and %.1f visitors (medians).",
			median(off, "free"), median(off, "last"), median(on, "free"), median(on, "last")),
		fmt.Sprintf("회수하지 않으면 마지막에 빈 좌석 %.1f개, 초당 %.1f명 입장에 그친다. 회수하면 빈 좌석 %.1f개, 초당 %.1f명이다(중앙값).",
			median(off, "free"), median(off, "last"), median(on, "free"), median(on, "last")),
	}
	return v
}
