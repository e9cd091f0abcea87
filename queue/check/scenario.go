package check

import (
	"fmt"
	"time"

	"myredis/queue"
)

// Scenario is a small world to be searched: some instances, a line, and one
// kind of fault.
type Scenario struct {
	Strategy   string
	Precheck   bool `json:",omitempty"`
	LeaderHint bool `json:",omitempty"`
	Fault      queue.Fault
	Instances  int
	Slot       int
	Visitors   int // in the line from the start
	Late       int // who may join meanwhile
	Leavers    int // how many of those inside may leave meanwhile
	Askers     int // how many may ask for their status meanwhile, command by command
	Jumps      int // how often time may pass, where the fault lets it
	Limit      int // states after which the search is cut off; zero means none
}

func (s Scenario) String() string {
	name := s.Strategy
	if s.Precheck {
		name += "+precheck"
	}
	if s.LeaderHint {
		name += "+hint"
	}
	return fmt.Sprintf("%s, %s, %d instances, slot %d, %d+%d visitors, %d leave", name, s.Fault, s.Instances, s.Slot, s.Visitors, s.Late, s.Leavers)
}

// Sessions and leases end by a jump and never by themselves.
const (
	room    = "r"
	tag     = "{" + room + "}:"
	session = 10 * time.Hour
	period  = time.Hour
	jump    = 24 * time.Hour
)

var dawn = time.Unix(1_700_000_000, 0)

// names lists the visitors: those in the line at the start, then the late ones.
func (s Scenario) names() (names []string) {
	for i := range s.Visitors {
		names = append(names, fmt.Sprint("v", i+1))
	}
	for i := range s.Late {
		names = append(names, fmt.Sprint("late", i+1))
	}
	return names
}

func (s Scenario) config(instance string, seed uint64) queue.Config {
	cfg := queue.Defaults()
	cfg.Room, cfg.Instance, cfg.Strategy = room, instance, s.Strategy
	cfg.Slot, cfg.TTL, cfg.Period = s.Slot, session, period
	cfg.Precheck, cfg.LeaderHint = s.Precheck, s.LeaderHint
	cfg.CommandTimeout = time.Hour
	cfg.Seed = seed
	return cfg
}
