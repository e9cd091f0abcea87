package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"myredis/bench"
	"myredis/bench/report"
)

// run runs the experiments named before the flags.
func run(ctx context.Context, args []string) error {
	names, flags := split(args)
	plans, err := plan(names)
	if err != nil {
		return err
	}
	lab := &bench.Lab{Say: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	lang, report := "en", true
	f := flag.NewFlagSet("bench run "+strings.Join(names, " "), flag.ContinueOnError)
	f.StringVar(&lab.Redis, "redis", "", "`host:port` of a Redis to run on beside MyRedis; without it a redis-server is started, if there is one")
	on := f.String("on", string(bench.OnBoth), "`stores` to run on: both, myredis, redis")
	f.Uint64Var(&lab.Seed, "seed", 1, "seed of every `choice`")
	f.IntVar(&lab.Rounds, "rounds", 1, "`times` that each case is run, for compare")
	f.DurationVar(&lab.Budget, "budget", 0, "`time` for all of it; 0s is each experiment's own")
	f.StringVar(&lab.Out, "out", "", "`folder` for the raw lines and the report; a new one in out/ if empty")
	f.StringVar(&lang, "lang", lang, "`language` of the report: en, ko")
	f.BoolVar(&report, "report", report, "write a report beside the raw lines")
	if len(plans) == 1 { // several have flags of the same name
		plans[0].Settings.Flags(f)
	}
	if err := f.Parse(flags); err != nil {
		return usageError(err)
	}
	lab.On = bench.Where(*on)
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("%q is not a flag: %w", f.Arg(0), errUsage)
	case lab.On != bench.OnBoth && lab.On != bench.OnMyRedis && lab.On != bench.OnRedis:
		return fmt.Errorf("--on %q: must be both, myredis or redis: %w", *on, errUsage)
	case lab.Rounds < 1:
		return fmt.Errorf("--rounds %d: must be at least 1: %w", lab.Rounds, errUsage)
	}
	if lab.Out == "" {
		lab.Out = bench.RunFolder("out", time.Now())
	}
	if err := lab.Open(ctx); err != nil {
		return err
	}
	defer lab.Close()
	paths, err := lab.Run(ctx, plans)
	lab.Close()
	if len(paths) > 0 {
		err = errors.Join(err, conclude(lab.Out, lang, len(plans) == 1, report))
	}
	return err
}

// split takes the names off the front of the flags.
func split(args []string) (names, flags []string) {
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") {
			return args[:i], args[i:]
		}
	}
	return args, nil
}

func plan(names []string) (plans []bench.Plan, err error) {
	if len(names) == 1 && names[0] == "all" {
		names = nil
		for _, e := range bench.Experiments() {
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("name an experiment, or all: %w", errUsage)
	}
	for _, name := range names {
		e, ok := bench.FindExperiment(name)
		if !ok {
			return nil, fmt.Errorf("no experiment %q: %w", name, errUsage)
		}
		plans = append(plans, bench.Plan{Experiment: e, Settings: e.New()})
	}
	return plans, nil
}

func usageError(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	return fmt.Errorf("%w: %w", err, errUsage)
}

// conclude shows what came out, of an interrupted run too.
func conclude(dir, lang string, tables, pages bool) error {
	findings, err := report.Read(dir)
	if err != nil {
		return err
	}
	if tables {
		for _, f := range findings {
			report.Text(os.Stdout, f, lang)
		}
	}
	fmt.Println()
	report.Answers(os.Stdout, findings, lang)
	fmt.Printf("\nraw lines: %s\n", dir)
	if !pages {
		return nil
	}
	return writeReport(dir, findings, lang)
}

func writeReport(dir string, findings []*report.Finding, lang string) error {
	page, text, err := report.Write(dir, findings, lang)
	if err != nil {
		return err
	}
	fmt.Printf("markdown:  %s\nreport:    %s\n", text, page)
	return nil
}

// reportOn makes a report from a folder of records.
func reportOn(args []string) error {
	dirs, flags := split(args)
	f := flag.NewFlagSet("bench report DIR", flag.ContinueOnError)
	lang := f.String("lang", "en", "`language`: en, ko")
	picture := f.String("picture", "", "also write the first experiment's main picture, small, to this `file`.svg")
	into := f.String("into", "", "also put the figures into this `document`, between its <!-- bench: NAME --> and <!-- /bench -->")
	if err := f.Parse(flags); err != nil {
		return usageError(err)
	}
	dirs = append(dirs, f.Args()...)
	if len(dirs) != 1 {
		return fmt.Errorf("name one folder: %w", errUsage)
	}
	findings, err := report.Read(dirs[0])
	if err != nil {
		return err
	}
	if *picture != "" {
		if err := report.Picture(*picture, findings, *lang); err != nil {
			return err
		}
	}
	if *into != "" {
		if err := report.Into(*into, findings, *lang); err != nil {
			return err
		}
	}
	return writeReport(dirs[0], findings, *lang)
}

func compare(args []string) error {
	dirs, flags := split(args)
	f := flag.NewFlagSet("bench compare A B", flag.ContinueOnError)
	all := f.Bool("all", false, "also list what does not differ")
	lang := f.String("lang", "en", "`language`: en, ko")
	if err := f.Parse(flags); err != nil {
		return usageError(err)
	}
	if dirs = append(dirs, f.Args()...); len(dirs) != 2 {
		return fmt.Errorf("name two folders: %w", errUsage)
	}
	a, err := report.Read(dirs[0])
	if err != nil {
		return err
	}
	b, err := report.Read(dirs[1])
	if err != nil {
		return err
	}
	return report.Compare(os.Stdout, a, b, *all, *lang)
}
