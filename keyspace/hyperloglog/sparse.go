package hyperloglog

import (
	"iter"
	"slices"
)

const (
	zeroRunMax  = 64
	valueRunMax = 4
	valueMax    = 32 // that a run can say

	longZeroBit = 0x40
	valueBit    = 0x80
)

// Run is a number of registers, one after another, of the same value.
type Run struct {
	Value uint8
	Len   int
	Long  bool // written as a long run of zeros, however long it is
}

// size is how many bytes the run was written in.
func (r Run) size() int {
	if r.Long {
		return 2
	}
	return 1
}

// runAt reads the run at the beginning of b. A long one that is cut off has
// zeros where its second byte would be, as it has in Redis, where a zero byte
// follows every string.
func runAt(b []byte) Run {
	switch op := b[0]; {
	case op&valueBit != 0:
		return Run{Value: op>>2&0x1f + 1, Len: int(op&3) + 1}
	case op&longZeroBit != 0:
		n := int(op&0x3f) << 8
		if len(b) > 1 {
			n |= int(b[1])
		}
		return Run{Len: n + 1, Long: true}
	default:
		return Run{Len: int(op) + 1}
	}
}

func appendZeros(b []byte, n int) []byte {
	if n == 0 {
		return b
	}
	if n--; n < zeroRunMax {
		return append(b, byte(n))
	}
	return append(b, longZeroBit|byte(n>>8), byte(n))
}

func valueRun(value uint8, n int) byte { return valueBit | (value-1)<<2 | byte(n-1) }

// appendRun appends n registers of a value; none if n is 0.
func appendRun(b []byte, value uint8, n int) []byte {
	if value == 0 || n == 0 {
		return appendZeros(b, n)
	}
	return append(b, valueRun(value, n))
}

// Runs returns the runs of a sparse sketch.
func (s Sketch) Runs() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		for at := headerSize; at < len(s); {
			run := runAt(s[at:])
			if !yield(run) {
				return
			}
			at += run.size()
		}
	}
}

// place is where a register stands in a sparse sketch.
type place struct {
	at     int // of its run
	before int // of the run before that, or of this one if there is none
	first  int // the run's first register
	run    Run
}

func (s Sketch) find(index int) (p place, ok bool) {
	p = place{at: headerSize, before: headerSize}
	for p.at < len(s) {
		p.run = runAt(s[p.at:])
		if index < p.first+p.run.Len {
			return p, true
		}
		p.first += p.run.Len
		p.before = p.at
		p.at += p.run.size()
	}
	return p, false
}

// raiseSparse makes up to three runs of the one that the register is in. What is
// written must be what Redis writes, which is not always the shortest: it joins
// equal runs only near the change, and a long run of zeros stays one however
// short the rest.
func (s Sketch) raiseSparse(index int, n uint8, sparseMax int) (Sketch, bool, error) {
	if n > valueMax {
		return s.raiseAsDense(index, n)
	}
	p, ok := s.find(index)
	if !ok {
		return s, false, ErrCorrupt
	}
	if n <= p.run.Value {
		return s, false, nil
	}
	if p.run.Len == 1 && !p.run.Long {
		s[p.at] = valueRun(n, 1)
	} else {
		var room [5]byte
		split := appendRun(room[:0], p.run.Value, index-p.first)
		split = append(split, valueRun(n, 1))
		split = appendRun(split, p.run.Value, p.first+p.run.Len-1-index)
		end := p.at + p.run.size()
		if end > len(s) {
			return s, false, ErrCorrupt // Redis: would write beyond the end of the string
		}
		if grown := len(split) - p.run.size(); grown > 0 && len(s)+grown > sparseMax {
			return s.raiseAsDense(index, n)
		}
		s = slices.Replace(s, p.at, end, split...)
	}
	s = s.join(p.before)
	s.Invalidate()
	return s, true, nil
}

func (s Sketch) raiseAsDense(index int, n uint8) (Sketch, bool, error) {
	d, err := s.ToDense()
	if err != nil {
		return s, false, err
	}
	return d, d.raiseDense(index, n), nil
}

// join writes runs of the same value as one, where that fits in a run, within
// five steps from the run at a place on.
func (s Sketch) join(at int) Sketch {
	for step := 0; step < 5 && at < len(s); step++ {
		run := runAt(s[at:])
		if run.Value > 0 && at+1 < len(s) {
			next := runAt(s[at+1:])
			if next.Value == run.Value && run.Len+next.Len <= valueRunMax {
				s[at+1] = valueRun(run.Value, run.Len+next.Len)
				s = slices.Delete(s, at, at+1)
				continue
			}
		}
		at += run.size()
	}
	return s
}
