package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"time"

	"myredis/queue"
)

var doubleLeaderExperiment = Experiment{
	Name:     "double-leader",
	Question: Text{"Eight candidates ask for one lease at once with SET NX: in how many rounds do two get it, and what comes of it?", "후보 여덟이 SET NX로 동시에 리더 자리를 요청하면, 두 명이 당선되는 라운드는 얼마나 되고 그 결과는 무엇일까?"},
	Varies:   Text{"workers of the store, the gap between a command's look and its write; then every strategy, three instances, on one worker and on several", "저장소의 워커 수, 명령의 조회와 쓰기 사이의 틈. 이어서 모든 전략을 인스턴스 3대로, 워커 하나와 여럿에서"},
	Measured: Text{
		"Rounds in which more than one candidate was told OK. End to end: the most visitors confirmed at once against the seats, with the leader (where a strategy has one) killed again and again so that the others contest.",
		"둘 이상의 후보가 OK를 받은 라운드 수. 전 구간 실험에서는 리더가 있는 전략의 리더를 거듭 죽여 재선출을 일으키면서, 동시에 입장이 확정된 최대 인원을 좌석 수와 비교한다.",
	},
	Expected: Text{
		"With one executor the look-up and the write of a command are one step for everybody else: no round ever has two winners. With several workers another command may run between them; the wider the gap, the more rounds have two. Without a gap the window is a few nanoseconds and a green run proves nothing.",
		"실행자가 하나면 명령의 조회와 쓰기가 남들에게는 한 단계이므로 두 명이 당선되는 일은 없다. 워커가 여럿이면 그 사이에 다른 명령이 끼어들 수 있고, 틈이 넓을수록 이중 당선이 잦다. 틈이 없으면 창은 몇 나노초뿐이라 이상이 없다고 해서 안전하다는 증명은 아니다.",
	},
	Budget: 100 * time.Second,
	Tables: []Table{
		{Name: "contest", Title: Text{"Contests for one lease", "리더 선출 경합"}, Columns: []Column{
			{Key: "store", Title: Text{"store", "저장소"}, Label: true},
			{Key: "workers", Title: Text{"workers", "워커"}, Label: true, Named: true},
			{Key: "gap", Title: Text{"gap", "틈"}, Label: true, Named: true},
			{Key: "rounds", Title: Text{"rounds", "라운드"}},
			{Key: "double", Title: Text{"with two leaders", "리더가 둘"}},
			{Key: "percent", Title: Text{"percent", "비율(%)"}, Places: 1, Better: -1},
			{Key: "most", Title: Text{"most winners", "최다 당선"}},
			{Key: "none", Title: Text{"without a winner", "당선자 없음"}, Better: -1},
			{Key: "rounds_per_second", Title: Text{"rounds per second", "초당 라운드"}},
		}},
		{Name: "seats", Title: Text{"End to end: three queue-services", "전 구간: queue-service 3대"}, Columns: []Column{
			{Key: "store", Title: Text{"store", "저장소"}, Label: true},
			{Key: "workers", Title: Text{"workers", "워커"}, Label: true, Named: true},
			{Key: "gap", Title: Text{"gap", "틈"}, Label: true, Named: true},
			{Key: "strategy", Title: Text{"strategy", "전략"}, Label: true},
			{Key: "promised", Title: Text{"promises the cap", "정원 약속"}, Label: true},
			{Key: "slot", Title: Text{"seats", "좌석"}},
			{Key: "peak_confirmed", Title: Text{"most confirmed", "입장 확정 최댓값"}, Cap: "slot", Better: -1},
			{Key: "elections", Title: Text{"elections", "선출"}},
			{Key: "double_elections", Title: Text{"with two leaders", "리더가 둘"}, Better: -1},
			{Key: "admitted", Title: Text{"admitted", "입장"}},
		}},
	},
	Charts: []Chart{
		{Name: "double", Title: Text{"Rounds with two leaders", "리더가 둘인 라운드"}, Y: Text{"percent of rounds", "라운드 중 비율(%)"},
			Table: "contest", Value: "percent", Groups: "workers", Series: []string{"gap"}, Panels: []string{"store"}},
		{Name: "seats", Title: Text{"Most confirmed, three instances", "입장 확정 최댓값, 인스턴스 3대"}, Y: Text{"visitors", "방문자"},
			Table: "seats", Value: "peak_confirmed", Groups: "strategy", Series: []string{"workers", "gap"}, Panels: []string{"store"}, Cap: "slot"},
	},
	Answer: answerDoubleLeader,
	New: func() Settings {
		return &doubleLeader{
			workers: []int{1, 2, 4, 8}, gaps: []string{"none", "yield", "1ms"}, rounds: 2000, candidates: 8,
			strategies: queue.StrategyNames(), endWorkers: []int{1, 4}, endGap: "1ms", slot: 20,
		}
	},
}

type doubleLeader struct {
	workers    []int
	gaps       []string
	rounds     int
	candidates int
	strategies []string
	endWorkers []int
	endGap     string
	slot       int
}

func (d *doubleLeader) Flags(f *flag.FlagSet) {
	numbers(f, &d.workers, "workers", "`numbers` of workers of MyRedis, separated by commas")
	words(f, &d.gaps, "gap", "`gaps` to try with several workers: none, yield or a duration")
	f.IntVar(&d.rounds, "rounds-of-contest", d.rounds, "`rounds` of a contest, at most")
	f.IntVar(&d.candidates, "candidates", d.candidates, "`connections` that ask for the lease at once")
	strategiesFlag(f, &d.strategies)
	numbers(f, &d.endWorkers, "end-workers", "`numbers` of workers for the end-to-end part")
	f.StringVar(&d.endGap, "end-gap", d.endGap, "`gap` for the end-to-end part, with several workers")
	f.IntVar(&d.slot, "slot", d.slot, "`seats` in the end-to-end part")
}

func (d *doubleLeader) Cases(l *Lab) (cases []Case, err error) {
	if l.On != OnRedis {
		for _, workers := range d.workers {
			for _, gap := range gapsOf(d.gaps, workers) {
				cases = append(cases, Case{Name: fmt.Sprintf("contest, %d workers, gap %s", workers, gap), Share: 0.4,
					Run: func(ctx context.Context, r *Run) error { return d.onWorkers(ctx, r, workers, gap) }})
			}
		}
	}
	for _, store := range l.Stores() {
		if l.On == OnRedis || store != l.Stores()[0] {
			cases = append(cases, Case{Name: "contest on " + store.Name, Share: 0.4, Run: func(ctx context.Context, r *Run) error {
				return d.contest(ctx, r, store, Row{"store": store.Name})
			}})
		}
	}
	if l.On == OnRedis {
		return cases, nil
	}
	for _, workers := range d.endWorkers {
		gap := gapsOf([]string{d.endGap}, workers)[0]
		for _, strategy := range d.strategies {
			cases = append(cases, Case{Name: fmt.Sprintf("%s on %d workers, gap %s", strategy, workers, gap), Least: 2 * time.Second,
				Run: func(ctx context.Context, r *Run) error { return d.endToEnd(ctx, r, workers, gap, strategy) }})
		}
	}
	return cases, nil
}

// gapsOf returns the gaps to try: one worker has none.
func gapsOf(gaps []string, workers int) []string {
	if workers == 1 {
		return []string{"none"}
	}
	return gaps
}

func (d *doubleLeader) onWorkers(ctx context.Context, r *Run, workers int, gap string) error {
	store, err := StartMyRedis(ctx, "--workers", strconv.Itoa(workers), "--gap", gap)
	if err != nil {
		return err
	}
	defer store.Stop()
	return d.contest(ctx, r, store, Row{"store": store.Name, "workers": workers, "gap": gap})
}

// candidate asks for the lease each time it is told to.
type candidate struct {
	conn *Conn
	ask  chan string // the lease's key
	won  chan answer
}

type answer struct {
	won bool
	err error
}

func (c *candidate) run(id string) {
	for key := range c.ask {
		v, err := c.conn.Do("SET", key, id, "NX", "PX", "60000")
		c.won <- answer{err == nil && v.String() == "OK", err}
	}
}

// contest counts, per round, how many candidates were told that they have the
// lease.
func (d *doubleLeader) contest(ctx context.Context, r *Run, store *Store, row Row) error {
	candidates, end, err := d.candidatesOn(store)
	defer end()
	if err != nil {
		return err
	}
	admin, err := Dial(store.Addr)
	if err != nil {
		return err
	}
	defer admin.Close()
	const key = "{bench}:leader"
	rounds, double, none, most := 0, 0, 0, 0
	began := time.Now()
	for rounds < d.rounds && time.Since(began) < r.For && ctx.Err() == nil {
		if _, err := admin.Do("DEL", key); err != nil {
			return err
		}
		start := time.Now()
		winners, err := contestRound(candidates, key)
		if err != nil {
			return err
		}
		rounds++
		most = max(most, winners)
		switch {
		case winners == 0:
			none++
		case winners > 1:
			double++
		}
		line := Row{"store": store.Name, "workers": row["workers"], "gap": row["gap"], "n": rounds, "winners": winners, "took_us": micros(time.Since(start))}
		if err := r.Raw("round", line); err != nil {
			return err
		}
	}
	took := time.Since(began)
	row["rounds"], row["double"], row["none"], row["most"] = rounds, double, none, most
	row["percent"] = 100 * float64(double) / float64(max(rounds, 1))
	row["rounds_per_second"] = float64(rounds) / took.Seconds()
	_, err = admin.Do("DEL", key)
	return errors.Join(err, r.Result("contest", row))
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// candidatesOn connects the candidates; end lets them go.
func (d *doubleLeader) candidatesOn(store *Store) (candidates []*candidate, end func(), err error) {
	end = func() {
		for _, c := range candidates {
			close(c.ask)
			c.conn.Close()
		}
	}
	for i := range d.candidates {
		conn, err := Dial(store.Addr)
		if err != nil {
			return candidates, end, err
		}
		c := &candidate{conn: conn, ask: make(chan string), won: make(chan answer)}
		candidates = append(candidates, c)
		go c.run(strconv.Itoa(i))
	}
	return candidates, end, nil
}

// contestRound releases the candidates together and counts who won.
func contestRound(candidates []*candidate, key string) (winners int, err error) {
	for _, c := range candidates {
		c.ask <- key
	}
	for _, c := range candidates {
		a := <-c.won
		err = errors.Join(err, a.err)
		if a.won {
			winners++
		}
	}
	return winners, err
}

func answerDoubleLeader(r Results) Verdict {
	v := Verdict{Expected: true}
	atomic := func(row Row) bool { n, known := row.Number("workers"); return !known || n == 1 }
	one, several, worst := 0.0, 0.0, Row{}
	rounds := 0.0
	for _, row := range r["contest"] {
		if atomic(row) {
			one += row.N("double")
			rounds += row.N("rounds")
			continue
		}
		several += row.N("double")
		if row.N("percent") >= worst.N("percent") {
			worst = row
		}
	}
	v.Expected = one == 0 && (several > 0 || len(worst) == 0)
	over := r.Of("seats", func(row Row) bool { return row.N("peak_confirmed") > row.N("slot") })
	if slices.ContainsFunc(over, func(row Row) bool { return atomic(row) && row.Is("promised") }) {
		v.Expected = false
	}
	en := fmt.Sprintf("With atomic commands %.0f of %.0f rounds had two leaders", one, rounds)
	ko := fmt.Sprintf("명령이 원자적이면 %.0f라운드 중 %.0f번 리더가 둘이었고", rounds, one)
	if len(worst) > 0 {
		en += fmt.Sprintf("; with %s workers and a gap of %s, %.1f %% did", worst.Label("workers"), worst.Label("gap"), worst.N("percent"))
		ko += fmt.Sprintf(", 워커 %s개에 틈이 %s이면 %.1f %%였다", worst.Label("workers"), worst.Label("gap"), worst.N("percent"))
	}
	if broke := slices.DeleteFunc(slices.Clone(over), func(row Row) bool { return atomic(row) || !row.Is("promised") }); len(broke) > 0 {
		names := distinct(broke, "strategy")
		en += fmt.Sprintf("; then these let in more than there are seats, although they promise not to: %s", orNone(names, ""))
		ko += fmt.Sprintf(". 그때 정원을 약속한 전략 중에서도 정원을 넘긴 것: %s", orNone(names, ""))
	}
	v.Text = Text{en + ".", ko + "."}
	return v
}
