package bench

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"myredis/queue"
)

// flagValues lists settings as they were used, for the header.
func flagValues(s Settings) map[string]any {
	f := flag.NewFlagSet("", flag.ContinueOnError)
	// A flag's default is the setting's present value.
	s.Flags(f)
	values := map[string]any{}
	f.VisitAll(func(f *flag.Flag) { values[f.Name] = f.DefValue })
	return values
}

// list is a flag of several values, separated by commas.
type list[T any] struct {
	values *[]T
	parse  func(string) (T, error)
}

func (l list[T]) String() string {
	if l.values == nil {
		return ""
	}
	parts := make([]string, len(*l.values))
	for i, v := range *l.values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ",")
}

func (l list[T]) Set(text string) error {
	var values []T
	for part := range strings.SplitSeq(text, ",") {
		v, err := l.parse(strings.TrimSpace(part))
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	*l.values = values
	return nil
}

func numbers(f *flag.FlagSet, to *[]int, name, usage string) {
	f.Var(list[int]{to, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return 0, fmt.Errorf("%q is not a number from 1", s)
		}
		return n, nil
	}}, name, usage)
}

func durations(f *flag.FlagSet, to *[]time.Duration, name, usage string) {
	f.Var(list[time.Duration]{to, time.ParseDuration}, name, usage)
}

func words(f *flag.FlagSet, to *[]string, name, usage string) {
	f.Var(list[string]{to, func(s string) (string, error) { return s, nil }}, name, usage)
}

// strategiesFlag declares which strategies to run: all there are, unless told.
func strategiesFlag(f *flag.FlagSet, to *[]string) {
	f.Var(list[string]{to, func(s string) (string, error) {
		for _, name := range queue.StrategyNames() {
			if name == s {
				return s, nil
			}
		}
		return "", fmt.Errorf("there is no strategy %q; there are %s", s, strings.Join(queue.StrategyNames(), ", "))
	}}, "strategy", "`names` of strategies, separated by commas")
}
