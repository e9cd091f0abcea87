package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"myredis/queue"
)

var leverExperiment = Experiment{
	Name:     "lever",
	Question: Text{"Which lever moves a waiting line: more seats, or admitting more often?", "대기열을 움직이는 지렛대는 무엇일까? 좌석 수일까, 입장 주기일까?"},
	Varies:   Text{"seats, period between two admission cycles, strategy, store; arrivals are nine tenths of what the seats could serve", "좌석 수, 입장 주기, 전략, 저장소. 도착률은 좌석이 감당할 수 있는 양의 90 %"},
	Measured: Text{
		"Admissions per second in the second half of the run, and the length of the line over time. Visitors arrive at a steady rate whether or not others have got in, and ask for their status.",
		"실행 후반부의 초당 입장 수와 시간에 따른 대기열 길이. 방문자는 앞사람의 입장 여부와 관계없이 일정한 속도로 도착하고, 자기 상태를 직접 조회한다.",
	},
	Expected: Text{
		"A seat that is given up stays empty until the next cycle, half a period on average when visits are short, and a whole one for those that end just after one. At 200 ms the room keeps up; at 2 s, as long as a visit, it loses a third and the line grows for ever. More seats scale both and change nothing in that. A strategy that admits without cycles does not care.",
		"비워진 좌석은 다음 주기까지 빈 채로 남는다. 200 ms면 도착을 따라잡지만, 체류 시간만큼 긴 2 s에서는 처리량의 약 3분의 1을 잃고 대기열이 끝없이 길어진다. 좌석을 늘리면 둘 다 비례해서 커질 뿐 양상은 같다. 주기 없이 입장시키는 전략은 영향을 받지 않는다.",
	},
	Budget: 100 * time.Second,
	Tables: []Table{{Name: "throughput", Title: Text{"Throughput and line", "처리량과 대기열"}, Columns: []Column{
		{Key: "store", Title: Text{"store", "저장소"}, Label: true},
		{Key: "slot", Title: Text{"seats", "좌석"}, Label: true, Named: true},
		{Key: "period", Title: Text{"period", "주기"}, Label: true, Named: true},
		{Key: "strategy", Title: Text{"strategy", "전략"}, Label: true},
		{Key: "arrivals", Title: Text{"arrivals per second", "초당 도착"}, Places: 1},
		{Key: "admitted", Title: Text{"admitted per second", "초당 입장"}, Places: 1, Better: 1},
		{Key: "backlog", Title: Text{"line at the end", "마지막 대기열"}, Better: -1},
		{Key: "growth", Title: Text{"growth per second", "초당 증가"}, Places: 1, Better: -1},
		{Key: "failures", Title: Text{"failed visits", "실패한 방문"}, Better: -1},
	}}},
	Charts: []Chart{
		{Name: "backlog", Title: Text{"Visitors in the line", "대기 중인 방문자"}, X: Text{"seconds", "초"}, Y: Text{"visitors", "방문자"},
			Series: []string{"strategy"}, Panels: []string{"slot", "period", "store"}, Stepped: true},
		{Name: "admitted", Title: Text{"Admitted per second", "초당 입장"}, Y: Text{"per second", "초당"},
			Table: "throughput", Value: "admitted", Groups: "strategy", Series: []string{"period"}, Panels: []string{"slot", "store"}, Cap: "arrivals", Target: true},
	},
	Answer: answerLever,
	New: func() Settings {
		return &lever{strategies: queue.StrategyNames(), slots: []int{5, 40}, periods: []time.Duration{2 * time.Second, 200 * time.Millisecond},
			stay: 2 * time.Second, load: 0.9}
	},
}

type lever struct {
	strategies []string
	slots      []int
	periods    []time.Duration
	stay       time.Duration
	load       float64
}

func (v *lever) Flags(f *flag.FlagSet) {
	strategiesFlag(f, &v.strategies)
	numbers(f, &v.slots, "slot", "`numbers` of seats, separated by commas")
	durations(f, &v.periods, "period", "`times` between two admission cycles, separated by commas")
	f.DurationVar(&v.stay, "stay", v.stay, "mean `time` inside")
	f.Float64Var(&v.load, "load", v.load, "arrivals as a `share` of what the seats can serve")
}

// Cases run all strategies side by side, each in a room of its own with one
// instance: a few dozen visitors a second do not disturb each other.
func (v *lever) Cases(l *Lab) (cases []Case, err error) {
	for _, store := range l.Stores() {
		for _, slot := range v.slots {
			for _, period := range v.periods {
				cases = append(cases, Case{
					Name: fmt.Sprintf("%d seats, period %v on %s", slot, period, store.Name), Least: 4 * max(period, v.stay/2),
					Run: func(ctx context.Context, r *Run) error { return v.run(ctx, r, store, slot, period) },
				})
			}
		}
	}
	return cases, nil
}

func (v *lever) run(ctx context.Context, r *Run, store *Store, slot int, period time.Duration) error {
	groups, audiences := []*group{}, map[*group]*audience{}
	for _, strategy := range v.strategies {
		a := newAudience(v.stay)
		a.ask = 200 * time.Millisecond
		g := newGroup(store, roomSettings{Strategy: strategy, Instances: 1, Slot: slot, Period: period, TTL: time.Minute}, a.hear)
		a.group = g
		groups, audiences[g] = append(groups, g), a
	}
	defer stopAll(groups)
	if err := together(groups, func(g *group) error { return g.start(ctx) }); err != nil {
		return err
	}
	began := time.Now()
	over, end := context.WithTimeout(ctx, r.For)
	defer end()
	perSecond := v.load * float64(slot) / v.stay.Seconds()
	err := together(groups, func(g *group) error {
		audiences[g].arrive(over, perSecond, r.Random)
		return nil
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	for _, g := range groups {
		a := audiences[g]
		points := a.line(began, 100*time.Millisecond, r.For)
		labels := Row{"store": store.Name, "slot": slot, "period": period.String(), "strategy": g.Strategy}
		half := len(points) / 2
		last := points[len(points)-1][1]
		row := Row{"arrivals": perSecond, "admitted": a.rate(began.Add(r.For/2), began.Add(r.For)), "backlog": last,
			"growth": (last - points[half][1]) / (points[len(points)-1][0] - points[half][0]), "failures": int(a.failures.Load())}
		for k, x := range labels {
			row[k] = x
		}
		if err := errors.Join(g.writeEvents(r, Row{"slot": slot, "period": period.String()}), r.Result("throughput", row),
			r.Curve(Curve{Chart: "backlog", Labels: labels, Points: points})); err != nil {
			return err
		}
	}
	return nil
}

func answerLever(r Results) Verdict {
	// The strategies differ in how they admit, not in this; the median speaks.
	most := Verdict{}
	_, slot := span(r["throughput"], "slot")
	rows := firstStore(r.Of("throughput", func(row Row) bool { return row.N("slot") == slot }))
	periods := distinct(rows, "period")
	if len(periods) < 2 {
		most.Text = Text{fmt.Sprintf("%.1f admitted per second.", median(rows, "admitted")), fmt.Sprintf("초당 %.1f명 입장.", median(rows, "admitted"))}
		return most
	}
	long, short := where(rows, "period", periods[0]), where(rows, "period", periods[len(periods)-1])
	slow, fast, arrivals := median(long, "admitted"), median(short, "admitted"), median(long, "arrivals")
	return Verdict{Expected: slow < 0.9*fast, Text: Text{
		fmt.Sprintf("The period: of %.0f arrivals a second into %.0f seats, a cycle every %s admits %.1f and the line grows by %.1f a second; every %s, %.1f and %.1f.",
			arrivals, slot, periods[0], slow, median(long, "growth"), periods[len(periods)-1], fast, median(short, "growth")),
		fmt.Sprintf("입장 주기다. 좌석 %.0f개에 초당 %.0f명이 올 때 주기 %s에서는 초당 %.1f명이 입장하고 대기열이 초당 %.1f명씩 늘지만, 주기 %s에서는 각각 %.1f명과 %.1f명이다.",
			slot, arrivals, periods[0], slow, median(long, "growth"), periods[len(periods)-1], fast, median(short, "growth")),
	}}
}
