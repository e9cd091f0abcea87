package acl

import "slices"

// Context is where a refused command stood.
type Context uint8

// Contexts.
const (
	TopLevel Context = iota
	InTransaction
	InScript
)

// String returns the word that ACL LOG has for a context.
func (c Context) String() string { return [...]string{"toplevel", "multi", "lua"}[c] }

// Refusal is an entry of the log.
type Refusal struct {
	Reason   Reason
	Context  Context
	Object   string // the command, key or channel that was refused
	Username string
	At       int64  // Unix milliseconds of the last time
	Client   string // who it was the last time, as CLIENT LIST describes clients
	Count    int64
}

const (
	// together is how close in time equal refusals are one entry, counted.
	together = 60_000
	// scanned bounds how many entries are looked at for an equal one.
	scanned = 10
)

// Log is the latest refusals, the newest first.
type Log struct{ entries []*Refusal }

// Entries returns the refusals, which must not be changed.
func (l *Log) Entries() []*Refusal { return l.entries }

// Reset forgets everything.
func (l *Log) Reset() { l.entries = nil }

// Add notes a refusal and keeps no more entries than most.
func (l *Log) Add(r Refusal, most int64) {
	for i, e := range l.entries[:min(scanned, len(l.entries))] {
		if e.Reason != r.Reason || e.Context != r.Context || e.Object != r.Object || e.Username != r.Username {
			continue
		}
		if since := r.At - e.At; since > together || since < -together {
			continue
		}
		e.At, e.Client = r.At, r.Client
		e.Count++
		copy(l.entries[1:], l.entries[:i])
		l.entries[0] = e
		return
	}
	r.Count = 1
	l.entries = slices.Insert(l.entries, 0, &r)
	if int64(len(l.entries)) > most {
		clear(l.entries[most:])
		l.entries = l.entries[:most]
	}
}
