package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"myredis/bench"
)

// What compare says rests on rounds: runs of the same case that are
// independent of each other. Values within one run are not, so they are not
// used.
//
// The test is Mann and Whitney's, exact, two-sided: of all ways to deal the
// values of both sides out to them, the share in which the ranks are at least
// as far apart as they are. It asks nothing of how the values are distributed.
// With fewer than four rounds a side no outcome is unlikely enough, and compare
// says so. How large a difference is, is the difference of the medians, with an
// interval of 95 % from a bootstrap of the rounds. Since many values are
// tested, the level is divided by their number (Bonferroni).

const (
	level       = 0.05
	fewest      = 4
	bootstraps  = 2000
	mostExactly = 12 // rounds a side up to which the test is exact
)

// difference is one measured value of one case in two runs.
type difference struct {
	experiment, table, key, column string
	better                         int
	a, b                           []float64
	p                              float64
	low, high                      float64 // of the difference of the medians
}

// Compare says which measured values of two runs differ beyond their noise, and
// whether the verdicts agree.
func Compare(w io.Writer, a, b []*Finding, all bool, lang string) error {
	var differences []*difference
	for _, fa := range a {
		for _, fb := range b {
			if fa.Experiment.Name != fb.Experiment.Name {
				continue
			}
			va, vb := fa.Verdict(), fb.Verdict()
			agree := "the verdicts agree"
			if va.Expected != vb.Expected {
				agree = "THE VERDICTS DIFFER"
			}
			fmt.Fprintf(w, "%s: %s\n  A: %s [%s]\n  B: %s [%s]\n", fa.Experiment.Name, agree, va.Text.In(lang), mark(fa, lang), vb.Text.In(lang), mark(fb, lang))
			differences = append(differences, differencesOf(fa, fb)...)
		}
	}
	if len(differences) == 0 {
		return fmt.Errorf("the two runs have no case in common")
	}
	tested, few := 0, 0
	for _, d := range differences {
		if min(len(d.a), len(d.b)) < fewest {
			few++
			continue
		}
		tested++
		d.p = mannWhitney(d.a, d.b)
		d.low, d.high = bootstrap(d.a, d.b)
	}
	fmt.Fprintf(w, "\n%d measured values in common, %d tested: Mann-Whitney over rounds, two-sided, p < %.2f / %d; intervals of 95 %% by bootstrap.\n", len(differences), tested, level, max(tested, 1))
	if few > 0 {
		fmt.Fprintf(w, "%d have fewer than %d rounds on a side and cannot be told from noise: run both with --rounds %d or more.\n", few, fewest, fewest+2)
	}
	listDifferences(w, differences, tested, all)
	return nil
}

func listDifferences(w io.Writer, differences []*difference, tested int, all bool) {
	slices.SortStableFunc(differences, func(a, b *difference) int { return cmp.Compare(a.p, b.p) })
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "\ncase\tvalue\tmedian A\tmedian B\tB - A, 95 %\tp\t")
	listed := 0
	for _, d := range differences {
		differs := min(len(d.a), len(d.b)) >= fewest && d.p < level/float64(max(tested, 1))
		if !differs && !all || min(len(d.a), len(d.b)) == 0 {
			continue
		}
		listed++
		ma, mb := middle(d.a), middle(d.b)
		if min(len(d.a), len(d.b)) < fewest {
			fmt.Fprintf(tab, "%s: %s\t%s\t%s\t%s\t%s\tnot tested\t\n", d.experiment, d.key, d.column, number(ma), number(mb), number(mb-ma))
			continue
		}
		fmt.Fprintf(tab, "%s: %s\t%s\t%s\t%s\t%s to %s\t%.4f\t%s\n", d.experiment, d.key, d.column, number(ma), number(mb), number(d.low), number(d.high), d.p, judged(d, differs))
	}
	if listed == 0 {
		fmt.Fprintln(w, "\nNothing differs beyond its noise.")
		return
	}
	tab.Flush()
}

// judged says which of the two is better, where more or less is.
func judged(d *difference, differs bool) string {
	change := float64(d.better) * (middle(d.b) - middle(d.a))
	switch {
	case !differs:
		return "no difference"
	case change > 0:
		return "B is better"
	case change < 0:
		return "B is worse"
	}
	return "differs"
}

func differencesOf(a, b *Finding) (out []*difference) {
	for _, t := range a.Experiment.Tables {
		sides := [2]map[string][]bench.Row{{}, {}}
		var order []string
		for i, f := range []*Finding{a, b} {
			for _, row := range f.Results[t.Name] {
				key := row.Key(t.Labels())
				if i == 0 && sides[0][key] == nil {
					order = append(order, key)
				}
				sides[i][key] = append(sides[i][key], row)
			}
		}
		for _, key := range order {
			for _, c := range t.Columns {
				if c.Label || sides[1][key] == nil {
					continue
				}
				va, vb := column(sides[0][key], c.Key), column(sides[1][key], c.Key)
				if len(va) > 0 && len(vb) > 0 {
					out = append(out, &difference{experiment: a.Experiment.Name, table: t.Name, key: key, column: c.Title.EN, better: c.Better, a: va, b: vb, p: 1})
				}
			}
		}
	}
	return out
}

func column(rows []bench.Row, key string) (values []float64) {
	for _, row := range rows {
		if v, ok := row.Number(key); ok {
			values = append(values, v)
		}
	}
	return values
}

// middle is the median: of an even number, the mean of the two in the middle.
func middle(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	if len(v) == 0 {
		return math.NaN()
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// mannWhitney returns the two-sided p: exact where there are few values, from
// many random deals where there are more.
func mannWhitney(a, b []float64) float64 {
	ranks := ranked(append(slices.Clone(a), b...))
	n, observed, total := len(a), 0.0, 0.0
	for i, r := range ranks {
		total += r
		if i < n {
			observed += r
		}
	}
	expected := total * float64(n) / float64(len(ranks))
	far := math.Abs(observed-expected) - 1e-9
	as, all := 0.0, 0.0
	if max(len(a), len(b)) <= mostExactly {
		deal(ranks, n, 0, func(sum float64) {
			all++
			if math.Abs(sum-expected) >= far {
				as++
			}
		})
		return as / all
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		random.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
		sum := 0.0
		for _, r := range ranks[:n] {
			sum += r
		}
		all++
		if math.Abs(sum-expected) >= far {
			as++
		}
	}
	return (as + 1) / (all + 1)
}

// deal calls seen with the sum of each choice of n ranks.
func deal(ranks []float64, n int, sum float64, seen func(float64)) {
	if n == 0 {
		seen(sum)
		return
	}
	for i := 0; i+n <= len(ranks); i++ {
		deal(ranks[i+1:], n-1, sum+ranks[i], seen)
	}
}

// ranked replaces values by their ranks; equal ones share the mean of theirs.
func ranked(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]float64, len(values))
	for start := 0; start < len(order); {
		end := start
		for end < len(order) && values[order[end]] == values[order[start]] {
			end++
		}
		for _, i := range order[start:end] {
			ranks[i] = float64(start+end+1) / 2
		}
		start = end
	}
	return ranks
}

// bootstrap returns an interval of 95 % for the difference of the medians.
func bootstrap(a, b []float64) (low, high float64) {
	random := rand.New(rand.NewPCG(1, 2)) // the same files give the same interval
	again := func(values []float64) float64 {
		drawn := make([]float64, len(values))
		for i := range drawn {
			drawn[i] = values[random.IntN(len(values))]
		}
		return middle(drawn)
	}
	differences := make([]float64, bootstraps)
	for i := range differences {
		differences[i] = again(b) - again(a)
	}
	return bench.Quantile(differences, 0.025), bench.Quantile(differences, 0.975)
}
