// Package queuetest checks, on the code of package queue itself, that each
// strategy keeps what it promises and breaks what it does not.
//
// It owns a [Scheduler], which parks every store command of every instance
// until it is let go, so that an interleaving is a sequence of choices and
// can be played again; the faults of [queue.Faults]; and the judgement of each
// [queue.Invariant] after every command. It does not know which store it runs
// on: [Run] takes any [queue.Backend].
//
// Caveats. [Random] choices find a violation, or do not; finding none is
// evidence within the number of seeds and the size of the scenario, no proof.
// All nondeterminism goes through [Chooser], so an exhaustive search is
// another Chooser. TIME is answered by the scheduler's clock, and time that
// passes deletes the leader's key: the store's own clock cannot be moved.
package queuetest
