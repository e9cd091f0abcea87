package live

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The states of a visitor, as the service words them.
const (
	waiting  = "waiting"
	admitted = "admitted"
	unknown  = "unknown"
)

// reading is an answer of the service about one visitor.
type reading struct {
	State     string    `json:"state"`
	Expires   time.Time `json:"expires"`
	ExpiresIn float64   `json:"expiresIn"` // seconds
	PollAfter float64   `json:"pollAfter"` // seconds
	Ended     string    `json:"ended"`     // what leaving has put an end to

	sent, received time.Duration // since the clock was started
}

// clock counts from its start, and is not moved by whoever sets the time.
type clock struct{ start time.Time }

func (c clock) now() time.Duration { return time.Since(c.start) }

// answerWithin is how long a visitor waits for an answer before turning to
// another instance.
const answerWithin = 3 * time.Second

// client asks as a visitor's browser would.
type client struct {
	clock
	http *http.Client
	room string
}

func newClient(room string) *client {
	return &client{clock: clock{time.Now()}, room: room, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4096}}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

func (c *client) join(ctx context.Context, instance, visitor string) (reading, error) {
	body, err := json.Marshal(map[string]string{"visitor": visitor})
	if err != nil {
		return reading{}, err
	}
	return c.ask(ctx, http.MethodPost, c.visitors(instance), body)
}

func (c *client) status(ctx context.Context, instance, visitor string) (reading, error) {
	return c.ask(ctx, http.MethodGet, c.visitors(instance)+"/"+url.PathEscape(visitor), nil)
}

func (c *client) leave(ctx context.Context, instance, visitor string) (reading, error) {
	return c.ask(ctx, http.MethodDelete, c.visitors(instance)+"/"+url.PathEscape(visitor), nil)
}

func (c *client) visitors(instance string) string {
	return instance + "/api/v1/rooms/" + url.PathEscape(c.room) + "/visitors"
}

// ask sends one request. That nothing is known of a visitor is an answer, but
// only in the service's own words: the port of an instance that has been killed
// may be somebody else's by now.
func (c *client) ask(ctx context.Context, method, target string, body []byte) (r reading, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	r.sent = c.now()
	res, err := c.http.Do(req)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	var answer struct {
		reading
		Type string `json:"type"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return r, err
	}
	answer.sent, answer.received = r.sent, c.now()
	switch {
	case res.StatusCode == http.StatusOK:
		return answer.reading, nil
	case answer.Type == "/problems/unknown-visitor":
		return reading{State: unknown, sent: answer.sent, received: answer.received}, nil
	}
	return r, fmt.Errorf("%s %s: %s", method, target, res.Status)
}

var errStreamEnded = errors.New("the stream has ended")

// stream follows a visitor's events and passes each status on until it has
// ended. A status is as old as the stream may be, so it says nothing of when.
func (c *client) stream(ctx context.Context, instance, visitor string, seen func(reading)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.visitors(instance)+"/"+url.PathEscape(visitor)+"/events", nil)
	if err != nil {
		return err
	}
	opened := c.now()
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", req.URL, res.Status)
	}
	event, lines := "", bufio.NewScanner(res.Body)
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case field == "event":
			event = value
		case field == "data" && event == "status":
			r := reading{sent: opened, received: c.now()}
			if err := json.Unmarshal([]byte(value), &r); err != nil {
				return err
			}
			seen(r)
		}
	}
	return errors.Join(errStreamEnded, lines.Err())
}
