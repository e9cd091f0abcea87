package queue

// Fault names what the world may do to a room while a promise is to hold.
type Fault string

// The faults under which promises are declared and checked.
const (
	// NoFault: any interleaving of the instances' commands, nothing else.
	NoFault Fault = "no fault"
	// Crash: an instance dies between two of its store commands and comes back
	// without its memory, or stays dead; leases and sessions run out while no
	// instance is in the middle of a cycle.
	Crash Fault = "crash"
	// LostReply: a command takes effect, but the instance gets an error for a
	// reply.
	LostReply Fault = "lost reply"
	// StoreDown: commands fail without taking effect for a while. The
	// instances live on.
	StoreDown Fault = "store down"
	// Stall: an instance stops between two commands for longer than any lease
	// and any session (a long collection, a stopped machine) and goes on.
	Stall Fault = "stall"
	// LostWrites: the store goes back to an earlier state of its own, as after
	// a failover to a replica that lagged, or a restart from a snapshot or from
	// nothing.
	LostWrites Fault = "lost writes"
)

// A clock that is wrong on an instance is no fault here: no strategy reads it.

// Faults lists all faults, in the order in which tables show them.
func Faults() []Fault { return []Fault{NoFault, Crash, LostReply, StoreDown, Stall, LostWrites} }

// everything is what the strongest strategies promise.
var everything = Promise{Cap: true, CapObserved: true, NoneLost: true, OnePlace: true, FIFO: true, Progress: true}

// Invariant names something that a strategy may keep.
type Invariant string

// The invariants.
const (
	// Cap: never more than Slot visitors confirmed, unexpired and unreleased,
	// whether they were told by an event or read it in their status.
	Cap Invariant = "cap"
	// CapObserved: ZCARD of the active set never exceeds Slot. It also counts
	// visitors who are not confirmed.
	CapObserved Invariant = "cap observed"
	// NoneLost: everyone who joined is in the line, in an instance's hand, or
	// has been admitted to a session that had time left.
	NoneLost Invariant = "none lost"
	// OnePlace: nobody is admitted twice for one place, and nobody is in the
	// line and inside at once when no instance is in the middle of a cycle.
	OnePlace Invariant = "one place"
	// FIFO: nobody is admitted while a visitor whose Join returned before
	// theirs began stands in the line.
	FIFO Invariant = "fifo"
	// Progress: while a seat is free and somebody waits, a round in which every
	// instance does a whole cycle admits somebody. After a fault: once all
	// leases have run out.
	Progress Invariant = "progress"
)

// Invariants lists all invariants, in the order in which tables show them.
func Invariants() []Invariant {
	return []Invariant{Cap, CapObserved, NoneLost, OnePlace, FIFO, Progress}
}

// Promise is what a strategy keeps under one fault. What it does not promise
// it may break.
type Promise struct {
	Cap, CapObserved, NoneLost, OnePlace, FIFO, Progress bool
}

// Holds reports whether p promises i.
func (p Promise) Holds(i Invariant) bool {
	switch i {
	case Cap:
		return p.Cap
	case CapObserved:
		return p.CapObserved
	case NoneLost:
		return p.NoneLost
	case OnePlace:
		return p.OnePlace
	case FIFO:
		return p.FIFO
	case Progress:
		return p.Progress
	}
	return false
}
