package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"myredis/bench"
)

// Finding is what one record says: a run of one experiment.
type Finding struct {
	Experiment bench.Experiment
	Header     bench.Header
	Results    bench.Results
	Curves     []bench.Curve
	Complete   bool // the run was not interrupted
	File       string
}

// Verdict is the experiment's answer; an honest one if there are no results.
func (f *Finding) Verdict() bench.Verdict {
	for _, rows := range f.Results {
		if len(rows) > 0 {
			return f.Experiment.Answer(f.Results)
		}
	}
	return bench.Verdict{Text: bench.Text{EN: "Interrupted before there was a result.", KO: "결과가 나오기 전에 중단되었다."}}
}

// Read reads every record in a folder, in the order of the experiments' table.
// Files that are not records are passed over.
func Read(dir string) (findings []*Finding, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		f, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if f != nil {
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 {
		return nil, fmt.Errorf("%s: no records of experiments (*.jsonl)", dir)
	}
	order := map[string]int{}
	for i, e := range bench.Experiments() {
		order[e.Name] = i
	}
	slices.SortStableFunc(findings, func(a, b *Finding) int { return order[a.Experiment.Name] - order[b.Experiment.Name] })
	return findings, nil
}

func readFile(path string) (*Finding, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := &Finding{Results: bench.Results{}, File: filepath.Base(path)}
	lines := bufio.NewReaderSize(file, 1<<20)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		last := errors.Is(err, io.EOF)
		if len(line) > 0 && !(last && !json.Valid(line)) { // a run that was killed can end in half a line
			known, err := f.take(n, line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			if !known {
				return nil, nil
			}
		}
		if last {
			return f, nil
		}
	}
}

// take reads one line. It reports false if the file is not a record.
func (f *Finding) take(n int, line []byte) (known bool, err error) {
	if n == 1 {
		if json.Unmarshal(line, &f.Header) != nil || f.Header.Line != "header" {
			return false, nil
		}
		e, ok := bench.FindExperiment(f.Header.Experiment)
		f.Experiment = e
		return ok, nil
	}
	kind := kindOf(line)
	switch kind {
	case "result":
		var row bench.Row
		if err := json.Unmarshal(line, &row); err != nil {
			return true, err
		}
		table := row.Label("table")
		f.Results[table] = append(f.Results[table], row)
	case "curve":
		var c bench.Curve
		if err := json.Unmarshal(line, &c); err != nil {
			return true, err
		}
		f.Curves = append(f.Curves, c)
	case "end":
		var end struct{ Complete bool }
		if err := json.Unmarshal(line, &end); err != nil {
			return true, err
		}
		f.Complete = end.Complete
	}
	return true, nil
}

// kindOf finds the kind without decoding the many raw lines.
func kindOf(line []byte) string {
	const field = `"line":"`
	at := bytes.Index(line, []byte(field))
	if at < 0 {
		return ""
	}
	kind, _, _ := strings.Cut(string(line[at+len(field):min(len(line), at+len(field)+32)]), `"`)
	return kind
}
