package sortedset_test

import (
	"fmt"
	"math"

	"myredis/sortedset"
)

func ExampleSet() {
	line := sortedset.New()
	line.Add("ann", 7)
	line.Add("bob", 3)
	line.Add("cem", 5)
	line.Add("ann", 1) // ann moves to the front

	rank, _ := line.Rank("bob")
	fmt.Println("before bob:", rank)

	first, _ := line.PopMin()
	fmt.Println("first:", first.Member, first.Score)

	for item := range line.All() {
		fmt.Println(item.Member, item.Score)
	}
	// Output:
	// before bob: 1
	// first: ann 1
	// bob 3
	// cem 5
}

func ExampleSet_ByScore() {
	s := sortedset.New()
	for i, m := range []string{"a", "b", "c", "d", "e"} {
		s.Add(m, float64(i))
	}
	// ZRANGE s +inf (0 BYSCORE REV LIMIT 1 2
	r := sortedset.ScoreRange{Min: 0, MinExclusive: true, Max: math.Inf(1)}
	n := 2
	for item := range s.ByScore(r, true, 1) {
		fmt.Println(item.Member)
		if n--; n == 0 {
			break
		}
	}
	// Output:
	// d
	// c
}

func ExampleSet_RemoveByScore() {
	active := sortedset.New()
	active.Add("gone", 100)
	active.Add("here", 300)
	due := sortedset.ScoreRange{Min: math.Inf(-1), Max: 200}
	n := active.RemoveByScore(due, func(item sortedset.Item) { fmt.Println(item.Member, "left") })
	fmt.Println(n, "removed,", active.Len(), "stays")
	// Output:
	// gone left
	// 1 removed, 1 stays
}

func ExampleOutcome() {
	s := sortedset.New()
	fmt.Println(s.Add("a", 1) == sortedset.Added)
	fmt.Println(s.Add("a", 2) == sortedset.Updated)
	fmt.Println(s.Add("a", 2) == sortedset.Unchanged)
	// Output:
	// true
	// true
	// true
}

func ExampleLexRange() {
	s := sortedset.New()
	for _, m := range []string{"ada", "alan", "barbara", "donald"} {
		s.Add(m, 0)
	}
	// ZLEXCOUNT s [a (b
	r := sortedset.LexRange{
		Min: sortedset.LexBound{Member: "a"},
		Max: sortedset.LexBound{Member: "b", Exclusive: true},
	}
	fmt.Println(s.CountByLex(r))
	// Output: 2
}

func ExampleScoreRange() {
	r := sortedset.ScoreRange{Min: 1, MinExclusive: true, Max: 2}
	fmt.Println(r.Contains(1), r.Contains(1.5), r.Contains(2), r.Empty())
	// Output: false true true false
}

func ExampleIndexes() {
	// ZRANGE s -2 -1, in a set of five.
	first, last, ok := sortedset.Indexes(-2, -1, 5)
	fmt.Println(first, last, ok)
	// Output: 3 4 true
}

func ExampleItem() {
	s := sortedset.New()
	s.Add("b", 1)
	s.Add("a", 1) // the same score: members decide
	first, _ := s.At(0)
	fmt.Printf("%+v\n", first)
	// Output: {Score:1 Member:a}
}
