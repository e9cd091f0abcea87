package hyperloglog

import (
	"encoding/binary"
	"errors"
)

const (
	indexBits   = 14
	registers   = 1 << indexBits
	patternBits = 64 - indexBits // of the hash, to find a run of zeros in

	headerSize = 16
	encodingAt = 4
	cacheAt    = 8
	staleAt    = 15 // the byte of the cache with the bit that makes it void
	stale      = 0x80

	dense  = 0
	sparse = 1

	registerBits = 6
	registerMax  = 1<<registerBits - 1
	denseSize    = headerSize + registers*registerBits/8
)

// ErrCorrupt says that the runs of a sparse sketch do not add up to its
// registers.
var ErrCorrupt = errors.New("hyperloglog: corrupt sparse representation")

// Sketch is the stored form. [New] and [Open] make one.
type Sketch []byte

// New returns a sketch that has been shown nothing: it is sparse, and its
// estimate, 0, is valid.
func New() Sketch {
	s := make(Sketch, headerSize, headerSize+16)
	copy(s, "HYLL")
	s[encodingAt] = sparse
	return appendZeros(s, registers)
}

// Open takes bytes, which it does not copy, for a sketch, if their header is one
// and, for a dense one, their length.
func Open(b []byte) (s Sketch, ok bool) {
	if len(b) < headerSize || string(b[:4]) != "HYLL" {
		return nil, false
	}
	switch b[encodingAt] {
	case dense:
		return b, len(b) == denseSize
	case sparse:
		return b, true
	}
	return nil, false
}

// Dense reports whether the registers stand one by one.
func (s Sketch) Dense() bool { return s[encodingAt] == dense }

// Cached returns the estimate that was last kept, if the registers are the same
// since.
func (s Sketch) Cached() (n uint64, ok bool) {
	return binary.LittleEndian.Uint64(s[cacheAt:]), s[staleAt]&stale == 0
}

// Keep stores an estimate for Cached.
func (s Sketch) Keep(n uint64) { binary.LittleEndian.PutUint64(s[cacheAt:], n) }

// Invalidate voids the estimate that was kept.
func (s Sketch) Invalidate() { s[staleAt] |= stale }

// Add shows the sketch an element. A sparse sketch that would be longer than
// sparseMax bytes becomes dense. It reports whether a register has changed;
// the kept estimate is void then only if the sketch was and is sparse, and
// otherwise for the caller to void.
func (s Sketch) Add(element []byte, sparseMax int) (_ Sketch, changed bool, err error) {
	index, run := pattern(element)
	return s.Raise(index, run, sparseMax)
}

// Raise sees to it that a register is at least n, which must be at least 1. See
// Add.
func (s Sketch) Raise(index int, n uint8, sparseMax int) (_ Sketch, changed bool, err error) {
	if s.Dense() {
		return s, s.raiseDense(index, n), nil
	}
	return s.raiseSparse(index, n, sparseMax)
}

// ToDense returns the sketch with its registers one by one. It leaves s as it
// is.
func (s Sketch) ToDense() (Sketch, error) {
	if s.Dense() {
		return s, nil
	}
	var all Registers
	if err := all.Merge(s); err != nil {
		return s, err
	}
	d := make(Sketch, denseSize)
	copy(d, s[:headerSize])
	d[encodingAt] = dense
	for i, n := range all {
		if n > 0 {
			d.setRegister(i, n)
		}
	}
	return d, nil
}

// Count estimates how many different elements the sketch has been shown.
func (s Sketch) Count() (uint64, error) {
	var h histogram
	if s.Dense() {
		for i := range registers {
			h[s.register(i)]++
		}
		return h.estimate(), nil
	}
	total := 0
	for run := range s.Runs() {
		h[run.Value] += run.Len
		total += run.Len
	}
	if total != registers {
		return 0, ErrCorrupt
	}
	return h.estimate(), nil
}

// A dense register's bits begin in one byte and may end in the next.
func denseAt(i int) (at int, shift uint) {
	bit := i * registerBits
	return headerSize + bit/8, uint(bit % 8)
}

func (s Sketch) register(i int) uint8 {
	at, shift := denseAt(i)
	n := s[at] >> shift
	if shift > 8-registerBits {
		n |= s[at+1] << (8 - shift)
	}
	return n & registerMax
}

func (s Sketch) setRegister(i int, n uint8) {
	at, shift := denseAt(i)
	s[at] = s[at]&^(registerMax<<shift) | n<<shift
	if shift > 8-registerBits {
		s[at+1] = s[at+1]&^(registerMax>>(8-shift)) | n>>(8-shift)
	}
}

func (s Sketch) raiseDense(i int, n uint8) bool {
	if n <= s.register(i) {
		return false
	}
	s.setRegister(i, n)
	return true
}

// Registers are all registers of a sketch, or of several as one.
type Registers [registers]uint8

// Merge raises each register to the sketch's. After an error some are raised.
func (r *Registers) Merge(s Sketch) error {
	if s.Dense() {
		for i := range r {
			r[i] = max(r[i], s.register(i))
		}
		return nil
	}
	i := 0
	for run := range s.Runs() {
		end := i + run.Len
		if end > registers {
			return ErrCorrupt
		}
		if run.Value > 0 {
			for j := i; j < end; j++ {
				r[j] = max(r[j], run.Value)
			}
		}
		i = end
	}
	if i != registers {
		return ErrCorrupt
	}
	return nil
}

// Count estimates how many different elements all merged sketches together have
// been shown.
func (r *Registers) Count() uint64 {
	var h histogram
	for _, n := range r {
		h[n]++
	}
	return h.estimate()
}
