package check

import (
	"fmt"

	"myredis/queue"
)

// A livelock is a loop in which every instance goes on, a seat is free and
// somebody waits all along, and nobody is admitted. It is a strongly connected
// part of the graph of such states, with a step of each instance inside.

// edge is a step between two states in which something was to be done.
type edge struct {
	from, to int32
	move     move
	actor    int // -1 for what is no instance's step
}

func (x *search) connect(from, to *state, m move) {
	if x.Fault != queue.NoFault || from.idle || to.idle {
		return
	}
	e := edge{from: from.node, to: to.node, move: m, actor: -1}
	if m.kind == goOn && to.actors[m.actor].role == instance {
		e.actor = m.actor
	}
	x.edges = append(x.edges, e)
}

func (x *search) livelock() error {
	if x.Fault != queue.NoFault {
		return nil
	}
	part := components(len(x.nodes), x.edges)
	loops := map[int32]map[int]edge{} // part -> an edge inside of each instance
	for _, e := range x.edges {
		if part[e.from] != part[e.to] || e.actor < 0 {
			continue
		}
		inside := loops[part[e.from]]
		if inside == nil {
			inside = map[int]edge{}
			loops[part[e.from]] = inside
		}
		if _, known := inside[e.actor]; !known {
			inside[e.actor] = e
		}
	}
	first := int32(-1)
	for p, inside := range loops {
		if len(inside) == x.Instances && (first < 0 || inside[0].from < loops[first][0].from) {
			first = p
		}
	}
	if first < 0 {
		return nil
	}
	entry := loops[first][0].from
	loop := x.loop(part, loops[first])
	s, err := x.replay(append(x.path(entry), loop...))
	if err != nil {
		return err
	}
	s.Invariant = queue.Progress
	s.What = fmt.Sprintf("the last %d steps can be repeated for ever: a seat is free, somebody waits, and nobody gets in", len(loop))
	x.result.Broken[queue.Progress] = s
	return nil
}

// loop is a closed walk through one edge of each instance.
func (x *search) loop(part []int32, through map[int]edge) (moves []move) {
	here := through[0].from
	for i := range x.Instances {
		e := through[i]
		moves = append(append(moves, x.walk(part, here, e.from)...), e.move)
		here = e.to
	}
	return append(moves, x.walk(part, here, through[0].from)...)
}

// walk is a shortest way between two states of one part.
func (x *search) walk(part []int32, from, to int32) (moves []move) {
	out := map[int32][]edge{}
	for _, e := range x.edges {
		if part[e.from] == part[from] && part[e.to] == part[from] {
			out[e.from] = append(out[e.from], e)
		}
	}
	came := map[int32]edge{}
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		for _, e := range out[queue[0]] {
			if _, seen := came[e.to]; !seen && e.to != from {
				came[e.to] = e
				queue = append(queue, e.to)
			}
		}
	}
	for at := to; at != from; at = came[at].from {
		moves = append([]move{came[at].move}, moves...)
	}
	return moves
}

// components numbers the strongly connected parts of a graph (Tarjan 1972),
// without recursion, for paths are as long as the graph is large.
func components(nodes int, edges []edge) []int32 {
	heads := make([][]int32, nodes)
	for _, e := range edges {
		heads[e.from] = append(heads[e.from], e.to)
	}
	const none = int32(-1)
	index, low, part := make([]int32, nodes), make([]int32, nodes), make([]int32, nodes)
	for i := range index {
		index[i], part[i] = none, none
	}
	var open, calls []int32
	next := make([]int, nodes)
	count, parts := int32(0), int32(0)
	for root := range int32(nodes) {
		if index[root] != none {
			continue
		}
		calls = append(calls, root)
		for len(calls) > 0 {
			v := calls[len(calls)-1]
			if index[v] == none {
				index[v], low[v] = count, count
				count++
				open = append(open, v)
			}
			if next[v] < len(heads[v]) {
				w := heads[v][next[v]]
				next[v]++
				if index[w] == none {
					calls = append(calls, w)
				} else if part[w] == none {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				parent := calls[len(calls)-1]
				low[parent] = min(low[parent], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			for {
				w := open[len(open)-1]
				open = open[:len(open)-1]
				part[w] = parts
				if w == v {
					break
				}
			}
			parts++
		}
	}
	return part
}
