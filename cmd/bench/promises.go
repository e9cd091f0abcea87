package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"myredis/queue"
	"myredis/queue/check"
)

// promises searches every interleaving within bounds and prints what each
// strategy keeps, and how soon the rest breaks.
func promises(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench check", flag.ContinueOnError)
	deep := f.Bool("deep", false, "three instances, two seats and millions of states: takes hours")
	only := f.String("strategy", "", "`names` of strategies, separated by commas; all if empty")
	out := f.String("out", "", "`folder` for the schedules that break something, for bench replay")
	if err := f.Parse(args); err != nil {
		return usageError(err)
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is not a flag: %w", f.Arg(0), errUsage)
	}
	bounds := check.Quick
	if *deep {
		bounds = check.Deep
	}
	var cells []check.Cell
	var wrong []string
	for _, s := range queue.Strategies() {
		if *only != "" && !strings.Contains(","+*only+",", ","+s.Name+",") {
			continue
		}
		for _, fault := range queue.Faults() {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintf(os.Stderr, "\r\x1b[K%s, %s", s.Name, fault)
			cell, err := check.Examine(s, fault, bounds)
			if err != nil {
				return err
			}
			cells, wrong = append(cells, cell), append(wrong, cell.Mismatches()...)
			if err := keep(cell, *out); err != nil {
				return err
			}
		}
	}
	fmt.Fprint(os.Stderr, "\r\x1b[K")
	if len(cells) == 0 {
		return fmt.Errorf("no strategy %q: %w", *only, errUsage)
	}
	check.Print(os.Stdout, cells)
	if len(wrong) > 0 {
		return fmt.Errorf("what was found is not what is declared:\n%s", strings.Join(wrong, "\n"))
	}
	return nil
}

// keep writes the schedules of a cell, one file each.
func keep(cell check.Cell, folder string) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, i := range queue.Invariants() {
		s := cell.Broken(i)
		if s == nil {
			continue
		}
		file, err := os.Create(filepath.Join(folder, s.FileName()))
		if err != nil {
			return err
		}
		err = s.Write(file)
		if e := file.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replay steps through a schedule, forwards and backwards, or prints all of it
// where nobody sits at a terminal.
func replay(args []string) error {
	if len(args) != 1 || strings.HasPrefix(args[0], "-") {
		return fmt.Errorf("bench replay FILE steps through a schedule that bench check --out has written: %w", errUsage)
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	s, err := check.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		for i := range s.Steps {
			showStep(os.Stdout, s, i)
		}
		return nil
	}
	walk(os.Stdin, os.Stdout, s)
	return nil
}

// walk shows one step after the other as it is told: Enter for the next one, b
// for the one before, a number for that one, q for the end.
func walk(in io.Reader, out io.Writer, s *check.Schedule) {
	fmt.Fprintf(out, "%s\n%s is broken at the end. Enter: on, b: back, a number: that step, q: end\n\n", s.Scenario, s.Invariant)
	at := 0
	showStep(out, s, at)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch word := strings.TrimSpace(lines.Text()); word {
		case "q":
			return
		case "b":
			at = max(0, at-1)
		case "":
			at = min(len(s.Steps)-1, at+1)
		default:
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 || n > len(s.Steps) {
				fmt.Fprintf(out, "%q is no step from 1 to %d\n", word, len(s.Steps))
				continue
			}
			at = n - 1
		}
		showStep(out, s, at)
	}
}

func showStep(out io.Writer, s *check.Schedule, at int) {
	step := s.Steps[at]
	fmt.Fprintf(out, "%4d of %d  %s\n", at+1, len(s.Steps), step)
	for _, key := range step.Store {
		fmt.Fprintf(out, "              %s\n", key)
	}
	if len(step.Inside) > 0 {
		fmt.Fprintf(out, "              told that they are inside: %s, slot %d\n", strings.Join(step.Inside, " "), s.Scenario.Slot)
	}
	if at == len(s.Steps)-1 {
		fmt.Fprintf(out, "              ^ %s broken: %s\n", s.Invariant, s.What)
	}
}
