package stream

import (
	"math/bits"
	"slices"
)

// Nodes returns how many nodes the entries are in.
func (s *Stream) Nodes() int { return len(s.nodes) }

// RadixNodes returns how many nodes a radix tree has that holds the first ID of
// each node, as Redis's does (rax.c). It takes time in proportion to Nodes.
func (s *Stream) RadixNodes() int {
	if len(s.nodes) == 0 {
		return 1
	}
	shared := make([]int, len(s.nodes)-1)
	for i := range shared {
		shared[i] = sharedBytes(s.nodes[i].first, s.nodes[i+1].first)
	}
	return radixNodes(shared, 0)
}

// radixNodes counts the nodes for keys of 16 bytes that are the same up to a
// depth, given how many bytes each shares with the next: a leaf for each key,
// a node where keys part, and one for each run of bytes in which none do.
func radixNodes(shared []int, depth int) (count int) {
	parting := 16
	if len(shared) > 0 {
		parting = slices.Min(shared)
	}
	if parting > depth {
		count++
	}
	count++
	if len(shared) == 0 {
		return count
	}
	for {
		i := slices.Index(shared, parting)
		if i < 0 {
			return count + radixNodes(shared, parting+1)
		}
		count += radixNodes(shared[:i], parting+1)
		shared = shared[i+1:]
	}
}

// sharedBytes returns how many bytes two IDs have in common from the beginning,
// written as 16 bytes, the highest first.
func sharedBytes(a, b ID) int {
	if a.MS != b.MS {
		return bits.LeadingZeros64(a.MS^b.MS) / 8
	}
	return 8 + bits.LeadingZeros64(a.Seq^b.Seq)/8
}
