package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Record writes the raw lines of one run of an experiment.
type Record struct {
	Path string

	file *os.File
	w    *bufio.Writer
	enc  *json.Encoder
}

// Header is the first line of a record: with what it was made.
type Header struct {
	Experiment string         `json:"experiment"`
	Time       time.Time      `json:"time"`
	Commit     string         `json:"commit"`
	Go         string         `json:"go"`
	CPU        string         `json:"cpu"`
	Cores      int            `json:"cores"`
	Flags      map[string]any `json:"flags"`
	Seed       uint64         `json:"seed"`
}

// NewRecord makes a file in dir, named after the experiment and the time, and
// writes the header.
func NewRecord(dir, experiment string, flags map[string]any, seed uint64) (*Record, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	now := time.Now()
	path := filepath.Join(dir, experiment+"-"+now.Format("20060102-150405")+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	r := &Record{Path: path, file: f, w: bufio.NewWriter(f)}
	r.enc = json.NewEncoder(r.w)
	return r, r.enc.Encode(Header{
		Experiment: experiment, Time: now, Commit: commit(), Go: runtime.Version(), CPU: processor(),
		Cores: runtime.NumCPU(), Flags: flags, Seed: seed,
	})
}

// Write appends one line.
func (r *Record) Write(line any) error { return r.enc.Encode(line) }

// Close writes what is left.
func (r *Record) Close() error {
	if err := r.w.Flush(); err != nil {
		r.file.Close()
		return err
	}
	return r.file.Close()
}

// commit is the revision that the binary was built from, or "unknown".
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if revision == "" {
		return "unknown"
	}
	return revision + dirty
}

// processor is the model name that Linux gives, or the architecture.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}

// Progress shows on standard error how far a long run is, a line that is
// written over where it is a terminal.
type Progress struct {
	what     string
	total    int
	started  time.Time
	shown    time.Time
	terminal bool
}

// NewProgress begins to count to total.
func NewProgress(what string, total int) *Progress {
	info, err := os.Stderr.Stat()
	return &Progress{what: what, total: total, started: time.Now(), terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// At shows that n are done, at most ten times a second.
func (p *Progress) At(n int) {
	if !p.terminal || time.Since(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = time.Now()
	left := "?"
	if n > 0 {
		left = (time.Since(p.started) * time.Duration(p.total-n) / time.Duration(n)).Round(time.Second).String()
	}
	fmt.Fprintf(os.Stderr, "\r\x1b[K%s: %d/%d, %s left", p.what, n, p.total, left)
}

// Done clears the line.
func (p *Progress) Done() {
	if p.terminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
