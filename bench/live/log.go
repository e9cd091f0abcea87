package live

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"
)

// event is a line of an instance's log.
type event struct {
	Message  string    `json:"msg"`
	Instance string    `json:"instance,omitempty"`
	At       time.Time `json:"at,omitzero"` // by the store's clock
	Visitor  string    `json:"visitor,omitempty"`
	Ticket   int64     `json:"ticket,omitempty"`
	Expires  time.Time `json:"expires,omitzero"`

	Received time.Duration `json:"received"` // when it was read
}

// journal collects the logs of all instances, in all their lives.
type journal struct {
	clock
	mu     sync.Mutex
	events []event
	err    error
}

// add takes a line. Lines that are not JSON are meant for people; one that a
// killed instance left half written says nothing.
func (j *journal) add(line string) {
	if !strings.HasPrefix(line, "{") || !strings.HasSuffix(line, "}") {
		return
	}
	e := event{Received: j.now()}
	err := json.Unmarshal([]byte(line), &e)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.err = errors.Join(j.err, err)
	} else if e.Visitor != "" {
		j.events = append(j.events, e)
	}
}
