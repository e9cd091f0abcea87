package hyperloglog

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	selfTestFills    = 100
	selfTestElements = 1_000_000
)

// SelfTest writes and reads registers, and estimates growing numbers of random
// elements in both encodings, all from the seed. It takes about a tenth of a
// second, which is a tenth of the work that Redis does.
func SelfTest(seed uint64, sparseMax int) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range selfTestFills {
		if err := testRegisters(rng); err != nil {
			return err
		}
	}
	return testEstimates(rng.Uint64(), sparseMax)
}

func testRegisters(rng *rand.Rand) error {
	s := make(Sketch, denseSize)
	var want Registers
	for i := range want {
		want[i] = uint8(rng.UintN(registerMax + 1))
		s.setRegister(i, want[i])
	}
	for i, n := range want {
		if got := s.register(i); got != n {
			return fmt.Errorf("register %d should be %d but is %d", i, n, got)
		}
	}
	return nil
}

func testEstimates(seed uint64, sparseMax int) error {
	grown := New()
	expanded, err := New().ToDense()
	if err != nil {
		return err
	}
	checkpoint := 1
	for i := 1; i <= selfTestElements; i++ {
		var element [8]byte
		binary.LittleEndian.PutUint64(element[:], uint64(i)^seed)
		if grown, _, err = grown.Add(element[:], sparseMax); err != nil {
			return err
		}
		if expanded, _, err = expanded.Add(element[:], sparseMax); err != nil {
			return err
		}
		if i == checkpoint {
			if err := testEstimate(grown, expanded, i, sparseMax); err != nil {
				return err
			}
			checkpoint *= 10
		}
	}
	return nil
}

// testEstimate looks at two sketches that have been shown the same n elements.
func testEstimate(grown, expanded Sketch, n, sparseMax int) error {
	if n < sparseMax/2 && grown.Dense() {
		return fmt.Errorf("sparse encoding not used")
	}
	a, err := grown.Count()
	if err != nil {
		return err
	}
	b, err := expanded.Count()
	if err != nil {
		return err
	}
	if a != b {
		return fmt.Errorf("dense/sparse disagree")
	}
	standardError := 1.04 / math.Sqrt(registers)
	most := math.Ceil(6 * standardError * float64(n))
	if off := math.Abs(float64(n) - float64(a)); off > most {
		return fmt.Errorf("too big an error: card:%d abserr:%.0f", n, off)
	}
	return nil
}
