package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Instance is a queue-service that an experiment has started.
type Instance struct {
	*Process
	URL string // "http://127.0.0.1:port"

	client *http.Client
}

// StartInstance starts a queue-service on a free port. Its log, a JSON line
// each, goes to log.
func StartInstance(ctx context.Context, log func(string), args ...string) (*Instance, error) {
	in := &Instance{client: &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: 1024},
	}}
	args = append([]string{"--listen", "127.0.0.1:0", "--log-format", "json"}, args...)
	p, err := Start(ctx, "queue-service", args, func(line string) bool {
		_, after, ok := strings.Cut(line, listening)
		if ok {
			in.URL, _, _ = strings.Cut(after, `"`)
		}
		return ok
	}, log)
	in.Process = p
	return in, err
}

// listening is what queue-service's log says before its address.
const listening = `"url":"`

// Stop ends the instance, if it has started, and its connections.
func (in *Instance) Stop() {
	if in.Process != nil {
		in.Process.Stop()
	}
	in.client.CloseIdleConnections()
}

// Join joins the line and returns the visitor's state.
func (in *Instance) Join(ctx context.Context, room, visitor string) (state string, err error) {
	body, err := json.Marshal(map[string]string{"visitor": visitor})
	if err != nil {
		return "", err
	}
	return in.ask(ctx, http.MethodPost, in.visitors(room), body)
}

// Status returns the visitor's state; "unknown" for one who is neither in the
// line nor inside. A strategy that pops before it seats makes visitors unknown
// for as long as it has them in hand.
func (in *Instance) Status(ctx context.Context, room, visitor string) (state string, err error) {
	return in.ask(ctx, http.MethodGet, in.visitors(room)+"/"+url.PathEscape(visitor), nil)
}

// Leave gives up the visitor's place or seat.
func (in *Instance) Leave(ctx context.Context, room, visitor string) error {
	_, err := in.ask(ctx, http.MethodDelete, in.visitors(room)+"/"+url.PathEscape(visitor), nil)
	return err
}

func (in *Instance) visitors(room string) string {
	return in.URL + "/api/v1/rooms/" + url.PathEscape(room) + "/visitors"
}

func (in *Instance) ask(ctx context.Context, method, target string, body []byte) (state string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := in.client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotFound && method == http.MethodGet {
		return "unknown", nil
	}
	if res.StatusCode >= 300 {
		return "", fmt.Errorf("%s %s: %s", method, target, res.Status)
	}
	if res.StatusCode == http.StatusNoContent {
		return "", nil
	}
	var answer struct{ State string }
	err = json.NewDecoder(res.Body).Decode(&answer)
	return answer.State, err
}
