package queue

import (
	"context"
	"time"
)

// Strategy is a way for several instances to admit visitors into one room.
type Strategy struct {
	Name string
	// Summary is one honest sentence on what it keeps and what it does not.
	Summary string
	// Promises by fault; no entry promises nothing. They are checked by package
	// queuetest, on this code.
	Promises map[Fault]Promise

	// Immediate says that a free seat is its next holder's without an admit
	// cycle; the cycle is left with seats whose time has run out.
	Immediate bool
	// Renews says that a session can be prolonged ([Room.Renew]).
	Renews bool
	// Tends says that it looks after the line: it hears who is still there
	// ([Config.Grace]), and obeys [Settings] and [Config.PerMinute].
	Tends bool
	// Needs is what the store must keep, as [Probe] finds out.
	Needs []Property

	open func(*Room) protocol
}

// protocol is what a strategy does: where a room's visitors stand in the store,
// and how they get from the line to a seat.
type protocol interface {
	join(ctx context.Context, visitor string) (Status, error)
	status(ctx context.Context, visitor string) (Status, error)
	leave(ctx context.Context, visitor string) (Status, error)
	count(ctx context.Context) (waiting, active int64, err error)
	// census lists everybody who is in the line or inside.
	census(ctx context.Context) ([]Status, error)

	// admit does one cycle and says when the next is due; zero means after a
	// Period. It begins no admission once ctx is cancelled, and finishes one
	// that has begun.
	admit(ctx context.Context) (next time.Duration, err error)
	// settle brings whoever a failed admit left in the instance's hand back to
	// where they belong.
	settle(ctx context.Context) error
	// inHand lists those whom settle has yet to bring back.
	inHand() []held
	// memory is all that it remembers between two cycles.
	memory() any
}

// renewer is a protocol that can prolong a session.
type renewer interface {
	renew(ctx context.Context, visitor string) (Status, error)
}

// strategies in the order in which they are taught. A strategy is one row here
// and one file.
var strategies = []Strategy{
	{Name: "naive", open: openNaive, Promises: naivePromises, Needs: []Property{AtomicPop},
		Summary: "Counts and then admits, so instances that count at the same moment admit up to instances times slot visitors."},
	{Name: "naive-local", open: openNaiveLocal, Promises: naivePromises, Needs: []Property{AtomicPop},
		Summary: "Each instance counts only those it admitted itself, so the room always fills to instances times slot."},
	{Name: "leader", open: openLeader, Promises: leaderPromises, Needs: []Property{AtomicPop, OneWinner},
		Summary: "One instance at a time admits, as long as SET NX is atomic and no leader stalls past its lease; then up to instances times slot, and a crash loses those in its hand."},
	{Name: "optimistic", open: openOptimistic, Promises: optimisticPromises, Needs: []Property{AtomicPop, NoLostAdd},
		Summary: "Admits first, counts after and takes back what is too much: never more than slot confirmed, but the active set shows more, a crash can lose a visitor, later ones can overtake and contenders can all roll back."},
	{Name: "two-set", open: openTwoSet, Promises: twoSetPromises, Needs: []Property{AtomicPop, NoLostAdd},
		Summary: "Claims, counts the claims and then seats, so that no more than slot are confirmed or visible and somebody always gets in; but an instance that dies loses the visitor it holds, and visitors can be overtaken."},
	{Name: "ticket", open: openTicket, Promises: ticketPromises, Immediate: true, Needs: []Property{DistinctIncr, NoLostAdd},
		Summary: "Whoever has fewer than slot undeparted tickets ahead is inside, which anyone can work out: never more than slot, in order, nobody lost, from plain commands; but sessions have a fixed length, and one who never comes keeps the seat for it."},
	{Name: "atomic", open: openAtomic, Promises: atomicPromises, Immediate: true, Renews: true, Tends: true, Needs: []Property{IsolatedScript},
		Summary: "Admits in one isolated script by the store's clock: never more than slot, in order, nobody lost or admitted twice by the crash or stall of an instance, as long as the store itself loses no write."},
}

// Strategies lists the strategies there are.
func Strategies() []Strategy { return append([]Strategy(nil), strategies...) }

// FindStrategy returns the strategy of that name.
func FindStrategy(name string) (s Strategy, ok bool) {
	if found := lookup(name); found != nil {
		return *found, true
	}
	return Strategy{}, false
}

func lookup(name string) *Strategy {
	for i := range strategies {
		if strategies[i].Name == name {
			return &strategies[i]
		}
	}
	return nil
}

// StrategyNames lists the names of the strategies there are.
func StrategyNames() (names []string) {
	for _, s := range strategies {
		names = append(names, s.Name)
	}
	return names
}
