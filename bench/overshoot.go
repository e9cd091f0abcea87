package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"time"

	"myredis/queue"
)

var overshootExperiment = Experiment{
	Name:     "overshoot",
	Question: Text{"Several instances admit into one room of 100 seats: how many visitors are inside at the worst instant?", "인스턴스 여러 대가 좌석 100개짜리 방 하나에 입장시킬 때, 가장 붐비는 순간에 몇 명이 들어와 있을까?"},
	Varies:   Text{"strategy, number of instances, store", "전략, 인스턴스 수, 저장소"},
	Measured: Text{
		"The most members of the active set after any command (replayed from the store's MONITOR stream, so that no peak is missed), and the most visitors who had been told that they are in and were neither out nor expired (swept from the instances' logs by the store's clock).",
		"모든 명령 직후의 active 집합 크기의 최댓값(저장소의 MONITOR 스트림을 그대로 재생하므로 순간적인 최고치도 놓치지 않는다)과, 입장 통보를 받고 아직 나가지도 만료되지도 않은 방문자 수의 최댓값(인스턴스 로그를 저장소 시각 기준으로 훑어서 센다).",
	},
	Expected: Text{
		"A strategy that promises the cap without faults keeps it with any number of instances. The others go over as soon as there are two: each instance counts the free seats before it sees the seats that the others are filling.",
		"무장애 상황에서 정원을 약속하는 전략은 인스턴스가 몇 대든 정원을 지킨다. 나머지는 두 대부터 초과한다. 다른 인스턴스가 채우는 중인 좌석을 보기 전에 빈자리를 세기 때문이다.",
	},
	Budget: 150 * time.Second,
	Tables: []Table{{
		Name: "peak", Title: Text{"Most inside", "동시 입장 최댓값"},
		Columns: []Column{
			{Key: "store", Title: Text{"store", "저장소"}, Label: true},
			{Key: "strategy", Title: Text{"strategy", "전략"}, Label: true},
			{Key: "instances", Title: Text{"instances", "인스턴스"}, Label: true, Named: true},
			{Key: "promised", Title: Text{"promises the cap", "정원 약속"}, Label: true},
			{Key: "slot", Title: Text{"seats", "좌석"}},
			{Key: "peak_active", Title: Text{"most in the active set", "active 집합 최댓값"}, Cap: "slot", Better: -1},
			{Key: "peak_confirmed", Title: Text{"most confirmed", "입장 확정 최댓값"}, Cap: "slot", Better: -1},
			{Key: "admitted_per_second", Title: Text{"admitted per second", "초당 입장"}, Places: 1},
			{Key: "rolled_back", Title: Text{"rolled back", "롤백"}, Better: -1},
			{Key: "failures", Title: Text{"failed visits", "실패한 방문"}, Better: -1},
		},
	}},
	Charts: []Chart{
		{Name: "active", Title: Text{"In the active set, 3 instances", "active 집합 크기, 인스턴스 3대"}, X: Text{"seconds", "초"}, Y: Text{"visitors", "방문자"},
			Series: []string{"strategy"}, Panels: []string{"store"}, Cap: "slot", Hero: true, Stepped: true},
		{Name: "peaks", Title: Text{"Most confirmed at once", "동시 입장 확정 최댓값"}, Y: Text{"visitors", "방문자"},
			Table: "peak", Value: "peak_confirmed", Groups: "strategy", Series: []string{"instances"}, Panels: []string{"store"}, Cap: "slot"},
	},
	Answer: answerOvershoot,
	New: func() Settings {
		return &overshoot{
			strategies: queue.StrategyNames(), instances: []int{1, 3, 5, 10}, slot: 100, visitors: 500,
			stay: time.Second, period: 500 * time.Millisecond, ttl: time.Minute,
		}
	},
}

// drawn is the number of instances of which the curve is kept.
const drawn = 3

type overshoot struct {
	strategies     []string
	instances      []int
	slot, visitors int
	stay           time.Duration
	period, ttl    time.Duration
}

func (o *overshoot) Flags(f *flag.FlagSet) {
	strategiesFlag(f, &o.strategies)
	numbers(f, &o.instances, "instances", "`numbers` of queue-service processes, separated by commas")
	f.IntVar(&o.slot, "slot", o.slot, "`seats`")
	f.IntVar(&o.visitors, "visitors", o.visitors, "`visitors` in flight at any time, at least: who leaves is replaced")
	f.DurationVar(&o.stay, "stay", o.stay, "mean `time` inside")
	f.DurationVar(&o.period, "period", o.period, "`time` between two admission cycles of an instance")
	f.DurationVar(&o.ttl, "ttl", o.ttl, "`time` after which a seat is free again")
}

// Cases are every strategy with every number of instances on the first store,
// and with three on the others.
func (o *overshoot) Cases(l *Lab) (cases []Case, err error) {
	for i, store := range l.Stores() {
		instances := o.instances
		if i > 0 && len(o.instances) > 1 {
			instances = []int{drawn}
		}
		for _, n := range instances {
			for _, strategy := range o.strategies {
				cases = append(cases, Case{
					Name:  fmt.Sprintf("%s, %d instances on %s", strategy, n, store.Name),
					Least: 2 * time.Second,
					Run:   func(ctx context.Context, r *Run) error { return o.run(ctx, r, store, strategy, n) },
				})
			}
		}
	}
	return cases, nil
}

func (o *overshoot) run(ctx context.Context, r *Run, store *Store, strategy string, instances int) error {
	visitors := newAudience(o.stay)
	g := newGroup(store, roomSettings{Strategy: strategy, Instances: instances, Slot: o.slot, Period: o.period, TTL: o.ttl, Margin: o.period}, visitors.hear)
	visitors.group = g
	defer g.stop()
	var curve cardinality
	monitor, err := Follow(store.Addr, "{"+g.room+"}:active", curve.add)
	if err != nil {
		return err
	}
	if err := g.start(ctx); err != nil {
		monitor.Stop(store.Addr)
		return err
	}
	began := time.Now()
	crowd, end := context.WithTimeout(ctx, r.For)
	defer end()
	// As many as every instance's own count would let in, and some who wait.
	visitors.full(crowd, max(o.visitors, instances*o.slot*6/5), r.Random)
	took := time.Since(began)
	g.stop()
	peak, commands, err := monitor.Stop(store.Addr)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	events := visitors.events()
	row := g.labels()
	row["promised"] = promises(strategy, queue.NoFault).Cap
	row["peak_confirmed"] = peakInside(events)
	row["admitted_per_second"] = float64(count(events, "admitted")) / took.Seconds()
	row["rolled_back"] = count(events, "rolled back")
	row["failures"] = int(visitors.failures.Load())
	points := curve.points(began, took)
	if commands > 0 {
		row["peak_active"] = peak
	} else {
		points = inside(events, began, took) // a strategy that keeps no such set
	}
	err = errors.Join(g.writeEvents(r, nil), r.Result("peak", row))
	if instances == drawn {
		err = errors.Join(err, r.Curve(Curve{Chart: "active", Labels: Row{"store": store.Name, "strategy": strategy}, Cap: float64(o.slot), Points: points}))
	}
	return errors.Join(err, g.forget())
}

// resolution is how far apart the points of curves are.
const resolution = 25 * time.Millisecond

// cardinality keeps the largest size of a set in each step of time.
type cardinality struct {
	mu   sync.Mutex
	most map[int64]int // by microseconds / resolution
	last map[int64]int
}

func (c *cardinality) add(card int, line MonitorLine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most == nil {
		c.most, c.last = map[int64]int{}, map[int64]int{}
	}
	at := line.Micros / resolution.Microseconds()
	c.most[at] = max(c.most[at], card)
	c.last[at] = card
}

func (c *cardinality) points(began time.Time, took time.Duration) (points [][2]float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	start := began.UnixMicro() / resolution.Microseconds()
	held := 0
	for i := range int64(took / resolution) {
		at := start + i
		most, ok := c.most[at]
		if !ok {
			most = held
		}
		held = most
		if ok {
			held = c.last[at]
		}
		points = append(points, [2]float64{(time.Duration(i) * resolution).Seconds(), float64(max(most, held))})
	}
	return points
}

// inside returns how many were confirmed over time.
func inside(events []Event, began time.Time, took time.Duration) (points [][2]float64) {
	steps := changes(events)
	now, next := 0, 0
	for at := time.Duration(0); at < took; at += resolution {
		most := now
		for next < len(steps) && steps[next].at.Sub(began) < at+resolution {
			now += steps[next].delta
			most = max(most, now)
			next++
		}
		points = append(points, [2]float64{at.Seconds(), float64(most)})
	}
	return points
}

func answerOvershoot(r Results) Verdict {
	over := func(row Row) bool { return row.N("peak_confirmed") > row.N("slot") }
	several := r.Of("peak", func(row Row) bool { return row.N("instances") > 1 })
	v := Verdict{Expected: true}
	worst := map[string]Row{}
	var kept []string
	for _, row := range r["peak"] {
		if row.Is("promised") && over(row) {
			v.Expected = false
		}
	}
	for _, name := range distinct(several, "strategy") {
		rows := where(several, "strategy", name)
		for _, row := range rows {
			if worst[name] == nil || row.N("peak_confirmed") > worst[name].N("peak_confirmed") {
				worst[name] = row
			}
		}
		if !over(worst[name]) {
			kept = append(kept, name)
			v.Expected = v.Expected && worst[name].Is("promised")
		}
	}
	var en, ko []string
	for _, name := range distinct(several, "strategy") {
		if row := worst[name]; over(row) {
			en = append(en, fmt.Sprintf("%.0f with %s on %s instances", row.N("peak_confirmed"), name, row.Label("instances")))
			ko = append(ko, fmt.Sprintf("%s %.0f명(인스턴스 %s대)", name, row.N("peak_confirmed"), row.Label("instances")))
		}
	}
	slot := ""
	if len(r["peak"]) > 0 {
		slot = r["peak"][0].Label("slot")
	}
	v.Text = Text{
		fmt.Sprintf("Of %s seats, at worst %s; never more than %s with %s.", slot, orNone(en, "none"), slot, orNone(kept, "none of them")),
		fmt.Sprintf("좌석 %s개에 가장 많게는 %s까지 들어왔다. 정원을 한 번도 넘지 않은 전략: %s.", slot, orNone(ko, "정원"), orNone(kept, "없음")),
	}
	return v
}

// distinct returns a column's values in the order in which they appear.
func distinct(rows []Row, key string) (values []string) {
	seen := map[string]bool{}
	for _, row := range rows {
		if v := row.Label(key); !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	return values
}

func where(rows []Row, key, value string) (out []Row) {
	for _, row := range rows {
		if row.Label(key) == value {
			out = append(out, row)
		}
	}
	return out
}

func orNone(parts []string, none string) string {
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, ", ")
}
