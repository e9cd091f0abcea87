package bench

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// record is the file of one run of an experiment: JSON lines, each with its
// kind in "line".
//
//	header    with what it was made
//	event     what an instance logged, by the store's clock
//	op        a request: due, sent, done (seconds since the stage began), op, outcome
//	round     one round of a contest
//	result    a row of a table
//	curve     how a value changed
//	end       complete or not
type record struct {
	Path string

	mu   sync.Mutex
	file *os.File
	w    *bufio.Writer
	enc  *json.Encoder
}

// Header is the first line of a record.
type Header struct {
	Line       string         `json:"line"`
	Experiment string         `json:"experiment"`
	Time       time.Time      `json:"time"`
	Commit     string         `json:"commit"`
	Go         string         `json:"go"`
	OS         string         `json:"os"`
	CPU        string         `json:"cpu"`
	Cores      int            `json:"cores"`
	Stores     []string       `json:"stores"` // names with versions
	Flags      map[string]any `json:"flags"`
	Seed       uint64         `json:"seed"`
	Rounds     int            `json:"rounds"`
	Budget     string         `json:"budget"`
}

func newRecord(l *Lab, p Plan, budget time.Duration) (*record, error) {
	if err := os.MkdirAll(l.Out, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(l.Out, p.Name+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	h := Header{
		Line: "header", Experiment: p.Name, Time: time.Now(), Commit: commit(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		CPU: processor(), Cores: runtime.NumCPU(), Flags: flagValues(p.Settings), Seed: l.Seed, Rounds: l.Rounds, Budget: budget.Round(time.Second).String(),
	}
	for _, s := range l.stores {
		h.Stores = append(h.Stores, s.Name)
	}
	r := &record{Path: path, file: f, w: bufio.NewWriter(f)}
	r.enc = json.NewEncoder(r.w)
	return r, r.write(h)
}

func (r *record) write(line any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.enc.Encode(line)
}

// close writes the last line and what is left.
func (r *record) close(complete bool) error {
	err := r.write(map[string]any{"line": "end", "complete": complete, "time": time.Now()})
	if e := r.w.Flush(); err == nil {
		err = e
	}
	if e := r.file.Close(); err == nil {
		err = e
	}
	return err
}

// commit is the revision that the program was built from. Where the build does
// not say, it is the revision of the folder the program runs in, if git knows;
// otherwise "unknown".
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		revision, dirty := "", ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+changes"
			}
		}
		if revision != "" {
			return revision + dirty
		}
	}
	revision, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	changes, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output()
	if err == nil && len(changes) > 0 {
		return strings.TrimSpace(string(revision)) + "+changes"
	}
	return strings.TrimSpace(string(revision))
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
