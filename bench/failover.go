package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"myredis/bench/load"
	"myredis/queue"
)

var failoverExperiment = Experiment{
	Name:     "failover",
	Question: Text{"An instance is killed, or stops for a while and goes on: for how long does nobody get in, and does anybody get in who should not?", "인스턴스가 죽거나 한동안 멈췄다 다시 움직이면, 입장이 얼마 동안 끊기고 들어오면 안 될 사람이 들어오지는 않을까?"},
	Varies:   Text{"SIGKILL and SIGSTOP; the leader (where a strategy has one) or any instance; strategy, store; three instances", "SIGKILL과 SIGSTOP, 리더(있는 전략이라면) 또는 아무 인스턴스, 전략, 저장소. 인스턴스는 3대"},
	Measured: Text{
		"The longest time without an admission after the fault, beside the longest before it; most confirmed against the seats; visitors whom nobody knows any more. The signal falls in the middle of the victim's work: when it has just logged an admission. Every store command takes a millisecond longer, as on a network, so that there is a middle.",
		"장애 이후 입장이 없었던 가장 긴 시간(장애 전의 최댓값과 나란히), 좌석 수 대비 입장 확정 최댓값, 아무도 모르게 된 방문자 수. 신호는 대상 인스턴스가 입장 하나를 막 기록한 순간, 즉 작업 도중에 보낸다. 네트워크처럼 모든 저장소 명령을 1 ms씩 늦춰 '도중'이 존재하게 한다.",
	},
	Expected: Text{
		"Without a leader the other instances go on at once. A dead or stopped leader is replaced when its lease lapses: at most two periods without admissions. A killed instance can lose those whom it had taken out of the line. A stopped leader that goes on finishes what it began, beside its successor: over the cap; strategies that decide in the store do not care.",
		"리더가 없으면 나머지 인스턴스가 곧바로 이어 간다. 리더가 죽거나 멈추면 임대가 끝날 때, 길어야 두 주기 뒤에 교체된다. 죽은 인스턴스는 대기열에서 꺼내 손에 쥐고 있던 방문자를 잃을 수 있다. 멈췄다 깨어난 리더는 후임과 나란히 하던 일을 마저 하므로 정원을 넘긴다. 저장소 안에서 판정하는 전략은 상관없다.",
	},
	Budget: 80 * time.Second,
	Tables: []Table{{Name: "fault", Title: Text{"Faults", "장애"}, Columns: []Column{
		{Key: "store", Title: Text{"store", "저장소"}, Label: true},
		{Key: "strategy", Title: Text{"strategy", "전략"}, Label: true},
		{Key: "fault", Title: Text{"fault", "장애"}, Label: true},
		{Key: "victim", Title: Text{"victim", "대상"}, Label: true},
		{Key: "promised", Title: Text{"promises the cap", "정원 약속"}, Label: true},
		{Key: "before_ms", Title: Text{"longest pause before, ms", "장애 전 최장 공백(ms)"}},
		{Key: "pause_ms", Title: Text{"longest pause after, ms", "장애 후 최장 공백(ms)"}, Better: -1},
		{Key: "slot", Title: Text{"seats", "좌석"}},
		{Key: "peak_confirmed", Title: Text{"most confirmed", "입장 확정 최댓값"}, Cap: "slot", Better: -1},
		{Key: "lost", Title: Text{"visitors lost", "잃어버린 방문자"}, Better: -1},
		{Key: "failures", Title: Text{"failed visits", "실패한 방문"}, Better: -1},
	}}},
	Charts: []Chart{
		{Name: "pause", Title: Text{"Longest time without an admission", "입장이 없었던 가장 긴 시간"}, Y: Text{"milliseconds", "밀리초"},
			Table: "fault", Value: "pause_ms", Groups: "strategy", Series: []string{"fault", "victim"}, Panels: []string{"store"}},
		{Name: "over", Title: Text{"Most confirmed at once", "동시 입장 확정 최댓값"}, Y: Text{"visitors", "방문자"},
			Table: "fault", Value: "peak_confirmed", Groups: "strategy", Series: []string{"fault", "victim"}, Panels: []string{"store"}, Cap: "slot"},
	},
	Answer: answerFailover,
	New: func() Settings {
		return &failover{strategies: queue.StrategyNames(), slot: 10, period: 400 * time.Millisecond, stay: 300 * time.Millisecond,
			link: time.Millisecond, stop: 2 * time.Second}
	},
}

type failover struct {
	strategies   []string
	slot         int
	period, stay time.Duration
	link         time.Duration
	stop         time.Duration
}

func (f *failover) Flags(fs *flag.FlagSet) {
	strategiesFlag(fs, &f.strategies)
	fs.IntVar(&f.slot, "slot", f.slot, "`seats`")
	fs.DurationVar(&f.period, "period", f.period, "`time` between two admission cycles of an instance")
	fs.DurationVar(&f.stay, "stay", f.stay, "mean `time` inside")
	fs.DurationVar(&f.link, "link", f.link, "`time` that each store command takes longer")
	fs.DurationVar(&f.stop, "stop", f.stop, "`time` for which SIGSTOP stops")
}

const (
	sigkill = "SIGKILL"
	sigstop = "SIGSTOP"
	leads   = "leader"
	any1    = "any"
)

func (f *failover) Cases(l *Lab) (cases []Case, err error) {
	for _, store := range l.Stores() {
		for _, fault := range []string{sigkill, sigstop} {
			for _, victim := range []string{leads, any1} {
				cases = append(cases, Case{Name: fmt.Sprintf("%s of %s on %s", fault, victim, store.Name), Least: f.stop + 3*time.Second,
					Run: func(ctx context.Context, r *Run) error { return f.run(ctx, r, store, fault, victim) }})
			}
		}
	}
	return cases, nil
}

// run runs all strategies side by side, three instances each. Those without a
// leader sit out the faults of a leader.
func (f *failover) run(ctx context.Context, r *Run, store *Store, fault, victim string) error {
	link, err := newLink(store.Addr, f.link)
	if err != nil {
		return err
	}
	defer link.close()
	var groups []*group
	patients := map[*group]*patient{}
	for _, strategy := range f.strategies {
		p := newPatient(f.stay)
		g := newGroup(store, roomSettings{Strategy: strategy, Instances: drawn, Slot: f.slot, Period: f.period, TTL: time.Minute, Margin: f.period,
			Via: func(int) string { return link.addr }}, p.hear)
		p.group, p.audience.group = g, g
		groups, patients[g] = append(groups, g), p
	}
	defer stopAll(groups)
	if err := together(groups, func(g *group) error { return g.start(ctx) }); err != nil {
		return err
	}
	began := time.Now()
	if err := together(groups, func(g *group) error { return f.treat(ctx, r, patients[g], fault, victim) }); err != nil {
		return err
	}
	return eachOf(groups, func(g *group) error { return f.write(r, patients[g], began, fault, victim) })
}

// patient is a room to which a fault happens.
type patient struct {
	*audience
	group *group

	mu     sync.Mutex
	leader string
	aim    string        // the instance at which the fault is aimed
	hit    chan struct{} // closed when it is in the middle of its work

	struck time.Time // zero: there was no such victim
	lost   int
}

func newPatient(stay time.Duration) *patient { return &patient{audience: newAudience(stay)} }

func (p *patient) hear(e Event) {
	p.audience.hear(e)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Message == "leader won":
		p.leader = e.Instance
	case e.Message == "admitted" && p.aim != "" && e.Instance == p.aim:
		p.aim = ""
		close(p.hit)
	}
}

// choose returns the victim: the leader, or an instance that is not; -1 if
// there is no leader and one is asked for.
func (p *patient) choose(victim string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	leader := p.group.index(p.leader)
	switch {
	case victim == leads:
		return leader
	case leader == 0:
		return 1
	}
	return 0
}

// strike waits until the victim has just admitted somebody, and sends the
// signal. A victim that never does is struck after a while.
func (p *patient) strike(ctx context.Context, victim int, sig os.Signal) (time.Time, error) {
	hit := make(chan struct{})
	p.mu.Lock()
	p.aim, p.hit = name(victim), hit
	p.mu.Unlock()
	select {
	case <-hit:
	case <-time.After(time.Second):
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
	at := time.Now()
	err := p.group.instances[victim].Signal(sig)
	p.group.mark(victim, true)
	p.mu.Lock()
	p.aim = ""
	p.mu.Unlock()
	return at, err
}

func (f *failover) treat(ctx context.Context, r *Run, p *patient, fault, victim string) (err error) {
	over, end := context.WithTimeout(ctx, r.For)
	defer end()
	crowd := make(chan struct{})
	go func() {
		defer close(crowd)
		p.full(over, 4*f.slot, r.Random)
	}()
	defer func() { end(); <-crowd }()
	if load.Pause(over, (r.For-f.stop)/3) != nil {
		return ctx.Err()
	}
	v := p.choose(victim)
	if v < 0 {
		return nil
	}
	p.struck, err = f.inflict(ctx, p, v, fault)
	if err != nil {
		return err
	}
	<-crowd
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.lost, err = p.audience.lost(ctx)
	return err
}

func (f *failover) write(r *Run, p *patient, began time.Time, fault, victim string) error {
	if p.struck.IsZero() {
		return nil
	}
	events := p.events()
	promised := promises(p.group.Strategy, queue.Crash).Cap
	if fault == sigstop {
		promised = promises(p.group.Strategy, queue.Stall).Cap
	}
	return errors.Join(p.group.writeEvents(r, Row{"fault": fault, "victim": victim}), r.Result("fault", Row{
		"store": p.group.store.Name, "strategy": p.group.Strategy, "fault": fault, "victim": victim, "promised": promised, "slot": f.slot,
		"before_ms":      ms(longestPause(events, began.Add((r.For-f.stop)/6), p.struck)),
		"pause_ms":       ms(longestPause(events, p.struck, began.Add(r.For))),
		"peak_confirmed": peakInside(events), "lost": p.lost, "failures": int(p.failures.Load()),
	}))
}

func (f *failover) inflict(ctx context.Context, p *patient, victim int, fault string) (struck time.Time, err error) {
	if fault == sigkill {
		return p.strike(ctx, victim, os.Kill)
	}
	struck, err = p.strike(ctx, victim, stopSignal)
	if err != nil {
		return struck, err
	}
	// A stopped process must go on, whatever becomes of the run: it could not
	// be asked to end.
	stopped := load.Pause(ctx, f.stop)
	err = p.group.instances[victim].Signal(continueSignal)
	p.group.mark(victim, false)
	return struck, errors.Join(stopped, err)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// longestPause returns the longest time between from and to in which nobody
// got in. An admission just before from counts as one at from.
func longestPause(events []Event, from, to time.Time) (longest time.Duration) {
	times := []time.Time{from, to}
	for _, e := range events {
		if e.Message == "admitted" && e.At.After(from) && e.At.Before(to) {
			times = append(times, e.At)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	for i := 1; i < len(times); i++ {
		longest = max(longest, times[i].Sub(times[i-1]))
	}
	return longest
}

func answerFailover(r Results) Verdict {
	v := Verdict{Expected: true}
	over := r.Of("fault", func(row Row) bool { return row.N("peak_confirmed") > row.N("slot") })
	var en, ko []string
	for _, row := range over {
		v.Expected = v.Expected && !row.Is("promised")
	}
	for _, fault := range distinct(over, "fault") {
		names := strings.Join(distinct(where(over, "fault", fault), "strategy"), ", ")
		en = append(en, fmt.Sprintf("%s: %s", fault, names))
		ko = append(ko, fmt.Sprintf("%s: %s", fault, names))
	}
	lost := distinct(r.Of("fault", func(row Row) bool { return row.N("lost") > 0 }), "strategy")
	of := func(victim string) float64 { return median(where(r["fault"], "victim", victim), "pause_ms") }
	v.Text = Text{
		fmt.Sprintf("Nobody got in for %.0f ms when a leader was struck, for %.0f ms when another was (medians). Over the cap: %s. Visitors lost with: %s.",
			of(leads), of(any1), orNone(en, "none"), orNone(lost, "none")),
		fmt.Sprintf("리더에 장애가 나면 %.0f ms, 다른 인스턴스에 장애가 나면 %.0f ms 동안 입장이 끊겼다(중앙값). 정원 초과: %s. 방문자를 잃은 전략: %s.",
			of(leads), of(any1), orNone(ko, "없음"), orNone(lost, "없음")),
	}
	return v
}
