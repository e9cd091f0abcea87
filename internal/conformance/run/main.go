// Command run runs Redis's own test suite on a server and compares with what
// the real redis-server passes:
//
//	go run ./internal/conformance/run -suite ../redis-7.0.15 -server bin/myredis unit/expire unit/type/list
//
// Without names it runs every unit of the list. Of units that are not in the
// list, it first records what the real server passes. The status is 1 when
// anything is short.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"myredis/internal/conformance"
)

type options struct {
	suite, server, real, list, logs, tags string
	limit                                 time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.suite, "suite", "", "`folder` of an unpacked Redis 7.0.15 source tree")
	flag.StringVar(&o.server, "server", "bin/myredis", "`path` of the server to test")
	flag.StringVar(&o.real, "real", "redis-server", "`path` of the real server, to record what it passes")
	flag.StringVar(&o.list, "expected", "out/conformance.tsv", "`file` that lists what the real server passes")
	flag.StringVar(&o.logs, "logs", "out/conformance", "`folder` for the whole output of each unit")
	flag.StringVar(&o.tags, "tags", "", "tags as runtest takes them: -needs:repl leaves those tests out")
	flag.DurationVar(&o.limit, "limit", 10*time.Minute, "how long a unit may take")
	flag.Parse()
	short, err := o.run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	}
	if short > 0 {
		os.Exit(1)
	}
}

// run returns how many tests are short.
func (o *options) run(units []string) (short int, err error) {
	expected, err := conformance.ReadExpected(o.list)
	if err != nil {
		return 0, err
	}
	if len(units) == 0 {
		units = everyUnit(expected)
	}
	if err := os.MkdirAll(o.logs, 0o755); err != nil {
		return 0, err
	}
	if err := o.record(expected, units); err != nil {
		return 0, err
	}
	tree, err := o.tree(o.server)
	if err != nil {
		return 0, err
	}
	defer tree.Close()
	total := 0
	for _, unit := range units {
		result, output, err := tree.Run(unit)
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(o.logs, strings.ReplaceAll(unit, "/", "_")+".log"), []byte(output), 0o644); err != nil {
			return 0, err
		}
		missing := result.Short(expected[unit])
		report(unit, &result, missing, len(expected[unit]))
		total += len(expected[unit])
		short += len(missing)
	}
	fmt.Printf("total %d of %d\n", total-short, total)
	return short, nil
}

func (o *options) tree(server string) (*conformance.Tree, error) {
	tree, err := conformance.Copy(o.suite, server)
	if err == nil {
		tree.Tags, tree.Limit = o.tags, o.limit
	}
	return tree, err
}

// record runs the real server for units of which nothing is known.
func (o *options) record(expected conformance.Expected, units []string) error {
	unknown := slices.DeleteFunc(slices.Clone(units), func(unit string) bool { return len(expected[unit]) > 0 })
	if len(unknown) == 0 {
		return nil
	}
	path, err := exec.LookPath(o.real)
	if err != nil {
		return err
	}
	tree, err := o.tree(path)
	if err != nil {
		return err
	}
	defer tree.Close()
	for _, unit := range unknown {
		result, _, err := tree.Run(unit)
		if err != nil {
			return err
		}
		fmt.Printf("%-28s the real server passes %d\n", unit, len(result.Passed))
		expected[unit] = result.Passed
	}
	if err := os.MkdirAll(filepath.Dir(o.list), 0o755); err != nil {
		return err
	}
	return expected.Write(o.list)
}

func report(unit string, r *conformance.Result, missing []conformance.Failure, expected int) {
	line := fmt.Sprintf("%-28s %3d of %3d", unit, expected-len(missing), expected)
	if r.Stopped != "" {
		line += "  ended early: " + r.Stopped
	}
	fmt.Println(line)
	for _, f := range missing {
		fmt.Printf("    - %s: %.160s\n", f.Test, f.Why)
	}
}

func everyUnit(expected conformance.Expected) []string {
	units := make([]string, 0, len(expected))
	for unit := range expected {
		units = append(units, unit)
	}
	slices.SortFunc(units, cmp.Compare)
	return units
}
