package bench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"myredis/bench/load"
)

var rampExperiment = Experiment{
	Name:     "ramp",
	Question: Text{"How many requests a second does one queue-service answer, and how long do they take on the way up?", "queue-service 한 대가 초당 몇 개의 요청을 처리하고, 부하가 오르는 동안 응답은 얼마나 걸릴까?"},
	Varies:   Text{"requests per second, doubled stage by stage until it no longer keeps up; store", "초당 요청 수(따라가지 못할 때까지 단계마다 두 배), 저장소"},
	Measured: Text{
		"Latency from the moment a request was due, not sent, so that a server that is behind cannot hide it (open loop); errors; answers per second. A quarter of the requests joins, a half asks for a status, a quarter leaves. The generator is a process of its own, on cores of its own where there are four; its own limit is measured the same way against a server that does nothing.",
		"요청을 보낸 시점이 아니라 보냈어야 할 시점부터의 지연(개방형 부하이므로 밀린 서버가 지연을 숨길 수 없다), 오류율, 초당 응답 수. 요청의 4분의 1은 입장 신청, 절반은 상태 조회, 4분의 1은 퇴장이다. 부하 생성기는 별도 프로세스이고 코어가 넷 이상이면 코어도 따로 쓴다. 생성기 자체의 한계도 아무 일도 하지 않는 서버를 상대로 같은 방법으로 잰다.",
	},
	Expected: Text{
		"Flat for as long as there is processor time left, then a wall: p99 rises by orders of magnitude within one doubling. Where the wall stands near the generator's own limit, it says little about the server.",
		"프로세서 여유가 있는 동안은 평탄하다가 벽을 만난다. 한 단계(두 배) 사이에 p99가 수십 배로 뛴다. 벽이 생성기 자체의 한계 가까이에 있다면 서버에 대해 말해 주는 것이 거의 없다.",
	},
	Budget: 90 * time.Second,
	Tables: []Table{{Name: "stage", Title: Text{"Stages", "단계"}, Columns: []Column{
		{Key: "store", Title: Text{"store", "저장소"}, Label: true},
		{Key: "rate", Title: Text{"requests per second", "초당 요청"}, Label: true},
		{Key: "answered", Title: Text{"answered per second", "초당 응답"}, Better: 1},
		{Key: "p50_ms", Title: Text{"p50, ms", "p50(ms)"}, Places: 2, Better: -1},
		{Key: "p95_ms", Title: Text{"p95, ms", "p95(ms)"}, Places: 2, Better: -1},
		{Key: "p99_ms", Title: Text{"p99, ms", "p99(ms)"}, Places: 2, Better: -1},
		{Key: "p999_ms", Title: Text{"p99.9, ms", "p99.9(ms)"}, Places: 2, Better: -1},
		{Key: "late_ms", Title: Text{"sent late by p99, ms", "발송 지연 p99(ms)"}, Places: 2},
		{Key: "errors", Title: Text{"errors, percent", "오류(%)"}, Places: 2, Better: -1},
		{Key: "kept_up", Title: Text{"kept up", "따라감"}},
	}}},
	Charts: []Chart{
		{Name: "latency", Title: Text{"Latency by stage", "단계별 지연"}, X: Text{"requests per second", "초당 요청"}, Y: Text{"milliseconds", "밀리초"},
			Series: []string{"quantile"}, Panels: []string{"store"}, LogX: true, LogY: true},
		{Name: "answered", Title: Text{"Answered per second", "초당 응답"}, X: Text{"asked per second", "초당 요청"}, Y: Text{"answered per second", "초당 응답"},
			Series: []string{"store"}, LogX: true, LogY: true},
	},
	Answer: answerRamp,
	New: func() Settings {
		return &ramp{strategy: defaultStrategy(), rates: []int{250, 500, 1000, 2000, 4000, 8000, 16000}, late: time.Second}
	},
}

type ramp struct {
	strategy string
	rates    []int
	late     time.Duration
}

func (p *ramp) Flags(f *flag.FlagSet) {
	f.StringVar(&p.strategy, "strategy", p.strategy, "`name` of the room's strategy")
	numbers(f, &p.rates, "rate", "`numbers` of requests per second, one stage each, separated by commas")
	f.DurationVar(&p.late, "late", p.late, "p99 at which a stage has not kept up")
}

func (p *ramp) Cases(l *Lab) (cases []Case, err error) {
	cases = append(cases, Case{Name: "the generator's own limit", Share: 0.5, Run: p.limit})
	for _, store := range l.Stores() {
		cases = append(cases, Case{Name: "stages on " + store.Name, Least: 3 * time.Second,
			Run: func(ctx context.Context, r *Run) error { return p.run(ctx, r, store) }})
	}
	return cases, nil
}

// generator is the name of the rows that show the generator's own limit.
const generator = "no server (generator's limit)"

func (p *ramp) limit(ctx context.Context, r *Run) error {
	var mu sync.Mutex
	target := ""
	blank, err := Start(ctx, "bench", []string{"blank"}, func(line string) bool {
		var ready struct{ URL string }
		mu.Lock()
		defer mu.Unlock()
		if json.Unmarshal([]byte(line), &ready) == nil {
			target = ready.URL
		}
		return target != ""
	}, nil)
	if err != nil {
		return err
	}
	defer blank.Stop()
	return p.stages(ctx, r, generator, target, "blank")
}

func (p *ramp) run(ctx context.Context, r *Run, store *Store) error {
	g := newGroup(store, roomSettings{Strategy: p.strategy, Instances: 1, Slot: 100, Period: 200 * time.Millisecond, TTL: time.Minute}, nil)
	defer stopAll([]*group{g})
	if err := g.start(ctx); err != nil {
		return err
	}
	return p.stages(ctx, r, store.Name, g.instances[0].URL, g.room)
}

// stages doubles the load until a stage does not keep up.
func (p *ramp) stages(ctx context.Context, r *Run, target, url, room string) error {
	curves := map[string][][2]float64{}
	var answered [][2]float64
	for i, rate := range p.rates {
		s := load.Stage{URL: url, Room: room, Rate: rate, For: r.For / time.Duration(len(p.rates)), First: (i + 1) * 10_000_000}
		ops, err := generate(ctx, s)
		if err != nil {
			return err
		}
		row := p.stage(ops, s)
		row["store"], row["rate"] = target, rate
		for _, op := range ops {
			if err := r.Raw("op", Row{"store": target, "rate": rate, "due": op.Due, "sent": op.Sent, "done": op.Done, "op": op.Op, "outcome": op.Outcome}); err != nil {
				return err
			}
		}
		if err := r.Result("stage", row); err != nil {
			return err
		}
		for _, q := range []string{"p50", "p95", "p99", "p999"} {
			curves[q] = append(curves[q], [2]float64{float64(rate), row.N(q + "_ms")})
		}
		answered = append(answered, [2]float64{float64(rate), row.N("answered")})
		if row["kept_up"] == "no" {
			break
		}
	}
	for _, q := range []string{"p50", "p95", "p99", "p999"} {
		quantile := strings.Replace(q, "p999", "p99.9", 1)
		if err := r.Curve(Curve{Chart: "latency", Labels: Row{"store": target, "quantile": quantile}, Points: curves[q]}); err != nil {
			return err
		}
	}
	return r.Curve(Curve{Chart: "answered", Labels: Row{"store": target}, Points: answered})
}

// generate runs a stage in a process of its own.
func generate(ctx context.Context, s load.Stage) (ops []load.Op, err error) {
	var mu sync.Mutex
	var bad error
	p, err := Start(ctx, "bench", []string{"generate", "--url", s.URL, "--room", s.Room, "--rate", strconv.Itoa(s.Rate),
		"--for", s.For.String(), "--first", strconv.Itoa(s.First)},
		func(line string) bool { return line == load.Ready },
		func(line string) {
			if !strings.HasPrefix(line, `{"line":"op"`) {
				return
			}
			var op load.Op
			err := json.Unmarshal([]byte(line), &op)
			mu.Lock()
			defer mu.Unlock()
			bad = errors.Join(bad, err)
			ops = append(ops, op)
		})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(p.Wait(), ctx.Err(), bad); err != nil {
		return nil, err
	}
	if len(ops) == 0 {
		return nil, errors.New("the generator sent nothing")
	}
	return ops, nil
}

func (p *ramp) stage(ops []load.Op, s load.Stage) Row {
	var latency, late []float64
	failed, end := 0, 0.0
	for _, op := range ops {
		latency = append(latency, op.Done-op.Due)
		late = append(late, op.Sent-op.Due)
		end = max(end, op.Done)
		if code, err := strconv.Atoi(op.Outcome); err != nil || code >= 500 || code == 429 {
			failed++
		}
	}
	row := Row{
		"answered": float64(len(ops)-failed) / (max(end, float64(s.For.Milliseconds())) / 1e3),
		"p50_ms":   Quantile(latency, 0.5), "p95_ms": Quantile(latency, 0.95), "p99_ms": Quantile(latency, 0.99), "p999_ms": Quantile(latency, 0.999),
		"late_ms": Quantile(late, 0.99), "errors": 100 * float64(failed) / float64(len(ops)),
	}
	keptUp := row.N("answered") >= 0.95*float64(s.Rate) && row.N("errors") < 1 && row.N("p99_ms") < ms(p.late)
	row["kept_up"] = map[bool]string{true: "yes", false: "no"}[keptUp]
	return row
}

func answerRamp(r Results) Verdict {
	best := func(rows []Row) (row Row) {
		for _, candidate := range rows {
			if candidate.Label("kept_up") == "yes" && candidate.N("rate") >= row.N("rate") {
				row = candidate
			}
		}
		return row
	}
	own := best(where(r["stage"], "store", generator))
	v := Verdict{Expected: len(own) > 0}
	var en, ko []string
	for _, store := range distinct(r["stage"], "store") {
		if store == generator {
			continue
		}
		row := best(where(r["stage"], "store", store))
		if len(row) == 0 {
			en, ko = append(en, "none of the stages on "+store), append(ko, store+"에서는 어느 단계도 따라가지 못함")
			v.Expected = false
			continue
		}
		en = append(en, fmt.Sprintf("%.0f a second on %s (p99 %.1f ms)", row.N("rate"), store, row.N("p99_ms")))
		ko = append(ko, fmt.Sprintf("%s에서 초당 %.0f건(p99 %.1f ms)", store, row.N("rate"), row.N("p99_ms")))
	}
	shared, sharedKO := "", ""
	if runtime.NumCPU() < 4 {
		shared, sharedKO = ", on shared cores", "(코어 공유)"
	}
	v.Text = Text{
		fmt.Sprintf("It keeps up with %s; the generator's own limit%s is at least %.0f.", orNone(en, "nothing"), shared, own.N("rate")),
		fmt.Sprintf("%s까지 따라간다. 생성기 자체의 한계%s는 초당 %.0f건 이상이다.", orNone(ko, "없음"), sharedKO, own.N("rate")),
	}
	return v
}
