// Package check searches every interleaving of a few instances of a waiting
// room, within bounds, on the real code of package queue and a real keyspace.
//
// A state is what is in the store, the time, and for each instance the replies
// it has received since it was born. An instance is brought to its state by
// running its code again with those replies; the next command it asks for is
// what it can do next. So nothing is modelled but the world: which instance goes
// next, whose reply is lost, who dies, when time passes. States in which every
// instance stands at the same point (see [queue.Config.Checkpoint]), with the
// same things in the store and the same told to visitors, are one. The search
// is breadth first: the schedule that it prints for a broken invariant is a
// shortest one, and is what cmd/bench replays.
//
// It owns the search, the judgement of each [queue.Invariant] and the record of
// a schedule. It does not know what a strategy does.
//
// Caveats. What holds, holds within the bounds of the [Scenario]; a search that
// is cut off at its limit says so. Time passes in jumps that outlast every
// lease and session. Visitors are told by the instance's event, and by reading
// their status at any instant.
package check
