package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"myredis/bench/load"
	"myredis/queue"
)

var strategiesExperiment = Experiment{
	Name:     "strategies",
	Question: Text{"What does a strategy cost: how many visitors a second can it admit, and what does the store do for each?", "전략마다 비용은 얼마일까? 초당 몇 명을 입장시킬 수 있고, 한 명마다 저장소는 무슨 일을 할까?"},
	Varies:   Text{"strategy, instances, store", "전략, 인스턴스 수, 저장소"},
	Measured: Text{
		"Admissions per second while the line never runs dry and whoever gets in leaves at once (cycles every 5 ms); the commands that the store ran and the bytes it read and wrote, by its own counters, per visit: joining, being admitted and leaving, for some strategies admit while somebody joins or leaves; rollbacks per hundred admissions. Commands inside a script count one by one.",
		"대기열이 마르지 않고 입장한 방문자가 곧바로 나가는 상태(5 ms 주기)에서의 초당 입장 수. 저장소 자체 카운터로 센, 방문 한 번(신청, 입장, 퇴장)에 드는 실행 명령 수와 송수신 바이트. 신청이나 퇴장을 처리하면서 입장까지 시키는 전략도 있어 방문 전체를 센다. 입장 100건당 롤백 수. 스크립트 안의 명령도 하나씩 센다.",
	},
	Expected: Text{
		"Admitting one by one costs more commands than admitting by the batch; deciding in a script costs the fewest round trips. More instances do not admit more, since the seats are the limit or the store is, but those that contend roll back more and do more idle cycles.",
		"한 명씩 입장시키면 묶음으로 처리하는 것보다 명령이 많이 들고, 스크립트로 판정하면 왕복이 가장 적다. 한계는 좌석이나 저장소이므로 인스턴스를 늘려도 입장 수는 늘지 않고, 경합하는 전략은 롤백과 헛도는 주기만 늘어난다.",
	},
	Budget: 90 * time.Second,
	Tables: []Table{{Name: "cost", Title: Text{"Cost of a visit", "방문 한 번의 비용"}, Columns: []Column{
		{Key: "store", Title: Text{"store", "저장소"}, Label: true},
		{Key: "strategy", Title: Text{"strategy", "전략"}, Label: true},
		{Key: "instances", Title: Text{"instances", "인스턴스"}, Label: true, Named: true},
		{Key: "admitted_per_second", Title: Text{"admitted per second", "초당 입장"}, Better: 1},
		{Key: "commands", Title: Text{"commands per visit", "방문당 명령"}, Places: 1, Better: -1},
		{Key: "bytes", Title: Text{"bytes per visit", "방문당 바이트"}, Better: -1},
		{Key: "rollbacks", Title: Text{"rollbacks per 100", "100건당 롤백"}, Places: 1, Better: -1},
	}}},
	Charts: []Chart{
		{Name: "rate", Title: Text{"Admitted per second", "초당 입장"}, Y: Text{"per second", "초당"},
			Table: "cost", Value: "admitted_per_second", Groups: "strategy", Series: []string{"instances"}, Panels: []string{"store"}},
		{Name: "commands", Title: Text{"Commands per visit", "방문당 명령"}, Y: Text{"commands", "명령"},
			Table: "cost", Value: "commands", Groups: "strategy", Series: []string{"instances"}, Panels: []string{"store"}},
	},
	Answer: answerStrategies,
	New: func() Settings {
		return &strategies{names: queue.StrategyNames(), instances: []int{1, 3}, slot: 100, visitors: 300, period: 5 * time.Millisecond}
	},
}

type strategies struct {
	names          []string
	instances      []int
	slot, visitors int
	period         time.Duration
}

func (s *strategies) Flags(f *flag.FlagSet) {
	strategiesFlag(f, &s.names)
	numbers(f, &s.instances, "instances", "`numbers` of queue-service processes, separated by commas")
	f.IntVar(&s.slot, "slot", s.slot, "`seats`")
	f.IntVar(&s.visitors, "visitors", s.visitors, "`visitors` in the room and the line")
	f.DurationVar(&s.period, "period", s.period, "`time` between two admission cycles of an instance")
}

func (s *strategies) Cases(l *Lab) (cases []Case, err error) {
	for _, store := range l.Stores() {
		for _, n := range s.instances {
			for _, strategy := range s.names {
				cases = append(cases, Case{Name: fmt.Sprintf("%s, %d instances on %s", strategy, n, store.Name),
					Run: func(ctx context.Context, r *Run) error { return s.run(ctx, r, store, strategy, n) }})
			}
		}
	}
	return cases, nil
}

func (s *strategies) run(ctx context.Context, r *Run, store *Store, strategy string, instances int) error {
	door, err := s.open(ctx, store, strategy)
	if err != nil {
		return err
	}
	defer door.client.Close()
	g := newGroup(store, roomSettings{Strategy: strategy, Instances: instances, Slot: s.slot, Period: s.period, TTL: time.Minute}, door.hear)
	if err := door.enter(ctx, g.room, s); err != nil {
		return err
	}
	defer stopAll([]*group{g})
	if err := g.start(ctx); err != nil {
		return err
	}
	over, end := context.WithCancel(ctx)
	turned := make(chan struct{})
	go func() {
		defer close(turned)
		door.turn(over)
	}()
	defer func() { end(); <-turned }()
	if err := load.Pause(ctx, r.For/4); err != nil { // until it runs evenly
		return err
	}
	before, err := door.counters(store)
	if err != nil {
		return err
	}
	if err := load.Pause(ctx, r.For*3/4); err != nil {
		return err
	}
	after, err := door.counters(store)
	if err != nil {
		return err
	}
	d := after.less(before)
	admitted := max(d.admitted, 1)
	return errors.Join(ctx.Err(), g.log.err(), r.Raw("counters", Row{"store": store.Name, "strategy": strategy, "instances": instances, "seconds": d.took.Seconds(),
		"admitted": d.admitted, "rolled_back": d.rolledBack, "commands": d.commands, "bytes": d.bytes}),
		r.Result("cost", Row{"store": store.Name, "strategy": strategy, "instances": instances,
			"admitted_per_second": d.admitted / d.took.Seconds(), "commands": d.commands / admitted, "bytes": d.bytes / admitted,
			"rollbacks": 100 * d.rolledBack / admitted}))
}

// door is the visitors' side of the room in this process: whoever gets in
// leaves and joins again.
type door struct {
	strategy string
	client   *redis.Client
	room     *queue.Room
	in       chan string

	admitted, rolledBack atomic.Int64
}

func (s *strategies) open(ctx context.Context, store *Store, strategy string) (*door, error) {
	d := &door{strategy: strategy, in: make(chan string, 1<<16)}
	d.client = redis.NewClient(&redis.Options{Addr: store.Addr})
	return d, d.client.Ping(ctx).Err()
}

// enter opens the room and fills the line.
func (d *door) enter(ctx context.Context, room string, s *strategies) (err error) {
	cfg := queue.Defaults()
	cfg.Room, cfg.Instance, cfg.Strategy, cfg.Slot, cfg.Period, cfg.TTL = room, "visitors", d.strategy, s.slot, s.period, time.Minute
	// A strategy may admit within a visitor's request: here, that is.
	cfg.OnEvent = func(e queue.Event) { d.hear(Event{Message: string(e.Kind), Visitor: e.Visitor}) }
	if d.room, err = queue.Open(ctx, queue.NewRedis(d.client, room), cfg); err != nil {
		return err
	}
	for i := range s.visitors {
		if _, err := d.room.Join(ctx, "v"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *door) hear(e Event) {
	switch e.Message {
	case "admitted":
		d.admitted.Add(1)
		select {
		case d.in <- e.Visitor:
		default: // the run is over: nobody reads any more
		}
	case "rolled back":
		d.rolledBack.Add(1)
	}
}

// turn sends out whoever gets in, and back into the line under another name.
func (d *door) turn(ctx context.Context) {
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case visitor := <-d.in:
					base, _, _ := strings.Cut(visitor, "~")
					d.room.Leave(ctx, visitor)
					d.room.Join(ctx, base+"~"+strconv.Itoa(n))
				case <-ctx.Done():
					return
				}
			}
		})
	}
	wg.Wait()
}

// cost is what has been counted until some instant.
type cost struct {
	at                                    time.Time
	took                                  time.Duration
	admitted, rolledBack, commands, bytes float64
}

func (c cost) less(o cost) cost {
	return cost{took: c.at.Sub(o.at), admitted: c.admitted - o.admitted, rolledBack: c.rolledBack - o.rolledBack,
		commands: c.commands - o.commands, bytes: c.bytes - o.bytes}
}

// counters reads the store's counters.
func (d *door) counters(store *Store) (cost, error) {
	stats, err := store.Info("stats")
	if err != nil {
		return cost{}, err
	}
	number := func(field string) float64 {
		n, _ := strconv.ParseFloat(stats[field], 64)
		return n
	}
	return cost{
		at: time.Now(), admitted: float64(d.admitted.Load()), rolledBack: float64(d.rolledBack.Load()),
		commands: number("total_commands_processed"),
		bytes:    number("total_net_input_bytes") + number("total_net_output_bytes"),
	}, nil
}

func answerStrategies(r Results) Verdict {
	rows := firstStore(r["cost"])
	_, instances := span(rows, "instances")
	rows = (Results{"cost": rows}).Of("cost", func(row Row) bool { return row.N("instances") == instances })
	if len(rows) == 0 {
		return Verdict{}
	}
	fast, cheap := rows[0], rows[0]
	for _, row := range rows {
		if row.N("admitted_per_second") > fast.N("admitted_per_second") {
			fast = row
		}
		if row.N("commands") < cheap.N("commands") {
			cheap = row
		}
	}
	least, most := span(rows, "commands")
	// More instances do more for the same: idle cycles, rollbacks.
	expected := true
	for _, row := range rows {
		alone := where(firstStore(r["cost"]), "strategy", row.Label("strategy"))[0]
		expected = expected && row.N("commands") >= 0.9*alone.N("commands")
	}
	return Verdict{Expected: expected, Text: Text{
		fmt.Sprintf("With %.0f instances %s admits the most, %.0f a second; a visit costs from %.1f commands (%s) to %.1f.",
			instances, fast.Label("strategy"), fast.N("admitted_per_second"), least, cheap.Label("strategy"), most),
		fmt.Sprintf("인스턴스 %.0f대에서는 %s 전략이 초당 %.0f명으로 가장 많이 입장시키고, 방문 한 번에 명령이 %.1f개(%s)에서 %.1f개까지 든다.",
			instances, fast.Label("strategy"), fast.N("admitted_per_second"), least, cheap.Label("strategy"), most),
	}}
}
