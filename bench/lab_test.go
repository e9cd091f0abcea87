package bench

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every row of the table is whole, in both languages.
func TestExperimentsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Experiments() {
		require.False(t, seen[e.Name], e.Name)
		seen[e.Name] = true
		for _, text := range []Text{e.Question, e.Varies, e.Measured, e.Expected} {
			require.NotEmpty(t, text.EN, e.Name)
			require.NotEmpty(t, text.KO, e.Name)
		}
		require.Positive(t, e.Budget, e.Name)
		tables := map[string]map[string]bool{}
		for _, table := range e.Tables {
			tables[table.Name] = map[string]bool{}
			for _, c := range table.Columns {
				tables[table.Name][c.Key] = true
			}
		}
		for _, c := range e.Charts {
			if c.Table != "" {
				require.True(t, tables[c.Table][c.Value], "%s: the value of chart %s", e.Name, c.Name)
				require.True(t, tables[c.Table][c.Groups], "%s: the groups of chart %s", e.Name, c.Name)
			}
		}
		f := flag.NewFlagSet("", flag.ContinueOnError)
		e.New().Flags(f)
		require.NotEmpty(t, flagValues(e.New()), e.Name)
		require.NotPanics(t, func() { e.Answer(Results{}) }, e.Name)
	}
}

func TestBudgetsFitAQuarterOfAnHour(t *testing.T) {
	total := time.Duration(0)
	for _, e := range Experiments() {
		total += e.Budget
	}
	require.Less(t, total, 14*time.Minute)
}

func TestBudgetLearnsWhatStartingCosts(t *testing.T) {
	cases := []Case{{Name: "a"}, {Name: "b", Share: 3}, {Name: "c", Least: 9 * time.Second}}
	b := newBudget(12*time.Second, cases, 1)
	first := b.next(cases[0])
	require.Equal(t, 2100*time.Millisecond, first, "a fifth of what the three starts leave")
	b.took(cases[0], first, first+2*time.Second)
	second := b.next(cases[1])
	require.Equal(t, time.Duration(float64(12*time.Second-first-2*time.Second-2*2*time.Second)*0.75), second)
	b.took(cases[1], second, second+2*time.Second)
	require.Equal(t, 9*time.Second, b.next(cases[2]), "the least")
}

func TestQuantile(t *testing.T) {
	require.Equal(t, 0.0, Quantile([]float64{}, 0.5))
	require.Equal(t, 2, Quantile([]int{3, 1, 2}, 0.5))
	require.Equal(t, 3, Quantile([]int{3, 1, 2}, 0.99))
	require.Equal(t, 1, Quantile([]int{3, 1, 2}, 0))
}

func TestLongestPause(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	events := []Event{{Message: "admitted", At: at(10)}, {Message: "admitted", At: at(40)}, {Message: "released", At: at(60)}, {Message: "admitted", At: at(90)}}
	require.Equal(t, 50*time.Millisecond, longestPause(events, at(0), at(100)))
	require.Equal(t, 900*time.Millisecond, longestPause(events, at(100), at(1000)), "nobody at all")
}

func TestElectionsOfTwo(t *testing.T) {
	at := func(ms int) Event { return Event{Message: "leader won", At: time.UnixMilli(int64(ms))} }
	elections, double := countElections([]Event{at(401), at(0), at(400), at(402), at(900)}, 200*time.Millisecond)
	require.Equal(t, 3, elections)
	require.Equal(t, 1, double)
}
