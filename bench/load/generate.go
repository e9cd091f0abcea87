package load

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Stage is a time of steady load on a room.
type Stage struct {
	URL   string // of the instance
	Room  string
	Rate  int // requests per second, sent when they are due whether or not others have been answered
	For   time.Duration
	First int // number of the first visitor, so that stages do not share visitors
}

// Op is one request. Times are in milliseconds since the stage began. What a
// visitor waits is Done - Due: a request that is sent late because the machine
// is busy counts from when it should have been sent.
type Op struct {
	Line    string  `json:"line"`
	Due     float64 `json:"due"`
	Sent    float64 `json:"sent"`
	Done    float64 `json:"done"`
	Op      string  `json:"op"`      // join, status, leave
	Outcome string  `json:"outcome"` // the HTTP status, or an error
}

// Ready is the first line of each of these processes.
const Ready = `{"line":"ready"}`

// Generate sends a stage's requests and writes a line for each to w.
func Generate(ctx context.Context, s Stage, w io.Writer) error {
	attacker := vegeta.NewAttacker(vegeta.Timeout(5*time.Second), vegeta.Connections(4096), vegeta.MaxWorkers(4096), vegeta.KeepAlive(true))
	fmt.Fprintln(w, Ready)
	began := time.Now()
	results := attacker.Attack(s.targeter(), vegeta.Rate{Freq: s.Rate, Per: time.Second}, s.For, s.Room)
	ended := context.AfterFunc(ctx, func() { attacker.Stop() })
	defer ended()
	// The pacer lets the first request go when one interval is over.
	ops := make([]Op, 0, int(float64(s.Rate)*s.For.Seconds())+1)
	for r := range results {
		sent := r.Timestamp.Sub(began)
		op := Op{Line: "op", Due: float64(r.Seq+1) / float64(s.Rate) * 1e3, Sent: millis(sent), Done: millis(sent + r.Latency), Outcome: strconv.Itoa(int(r.Code))}
		if r.Code == 0 {
			op.Outcome = r.Error
		}
		op.Op = map[string]string{http.MethodPost: "join", http.MethodGet: "status", http.MethodDelete: "leave"}[r.Method]
		ops = append(ops, op)
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	for _, op := range ops {
		if err := enc.Encode(op); err != nil {
			return err
		}
	}
	return out.Flush()
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// asked and left say how many joins after a visitor's own the others ask for
// that visitor's status, and when the visitor leaves.
const (
	asked = 40
	left  = 100
)

// targeter makes the requests of visitors who join, are asked about twice and
// leave: a quarter joins, a half status, a quarter leaves. As many are in the
// room and the line at any time, whatever the rate.
func (s Stage) targeter() vegeta.Targeter {
	var n atomic.Int64
	visitors := s.URL + "/api/v1/rooms/" + url.PathEscape(s.Room) + "/visitors"
	header := http.Header{"Content-Type": {"application/json"}}
	visitor := func(i int64) string { return "r" + strconv.FormatInt(int64(s.First)+i, 10) }
	return func(t *vegeta.Target) error {
		k := n.Add(1) - 1
		v := k / 4
		switch {
		case k%4 == 0:
			t.Method, t.URL, t.Header, t.Body = http.MethodPost, visitors, header, []byte(`{"visitor":"`+visitor(v)+`"}`)
		case k%4 == 3:
			t.Method, t.URL = http.MethodDelete, visitors+"/"+visitor(v-left)
		default:
			t.Method, t.URL = http.MethodGet, visitors+"/"+visitor(max(v-asked, 0))
		}
		return nil
	}
}
