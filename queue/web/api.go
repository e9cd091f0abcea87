package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"myredis/queue"
)

// maxBody is the most bytes a request's body may have.
const maxBody = 4096

// route is one row of the service's surface. docs/openapi.yaml has one
// operation for each.
type route struct {
	method, pattern string
	handle          func(*Service, http.ResponseWriter, *http.Request) error
	stream          bool // takes as long as the client wants
}

var routes = []route{
	{method: "POST", pattern: "/api/v1/rooms/{room}/visitors", handle: (*Service).join},
	{method: "GET", pattern: "/api/v1/rooms/{room}/visitors/{visitor}", handle: (*Service).status},
	{method: "DELETE", pattern: "/api/v1/rooms/{room}/visitors/{visitor}", handle: (*Service).leave},
	{method: "POST", pattern: "/api/v1/rooms/{room}/visitors/{visitor}/renewal", handle: (*Service).renew},
	{method: "GET", pattern: "/api/v1/rooms/{room}/visitors/{visitor}/events", handle: (*Service).events, stream: true},
	{method: "GET", pattern: "/api/v1/rooms/{room}", handle: (*Service).state},
	{method: "GET", pattern: "/healthz", handle: (*Service).healthz},
	{method: "GET", pattern: "/readyz", handle: (*Service).readyz},
	{method: "GET", pattern: "/problems/{problem}", handle: (*Service).explain},
	{method: "GET", pattern: "/{$}", handle: (*Service).page},
	{method: "POST", pattern: "/join", handle: (*Service).joinForm},
	{method: "POST", pattern: "/leave", handle: (*Service).leaveForm},
}

// statusBody is where a visitor stands, as clients see it.
type statusBody struct {
	Room    string `json:"room"`
	Visitor string `json:"visitor"`
	State   string `json:"state"` // "waiting", "admitted"; on a stream also "unknown"
	// Position and Ahead are there for who waits; Position counts from 1.
	Position int64  `json:"position,omitempty"`
	Ahead    *int64 `json:"ahead,omitempty"`
	// Expires and ExpiresIn are there for who is inside: the end of the session
	// by the store's clock, and seconds until then for clients whose clock differs.
	Expires   *time.Time `json:"expires,omitempty"`
	ExpiresIn *float64   `json:"expiresIn,omitempty"`
	// PollAfter is in seconds: when to ask again.
	PollAfter float64 `json:"pollAfter"`
}

func (r *servedRoom) statusBody(s queue.Status) statusBody {
	b := statusBody{Room: r.name, Visitor: s.Visitor, State: s.State, PollAfter: seconds(pollAfter(s, r.slot))}
	switch s.State {
	case queue.StateWaiting:
		b.Position, b.Ahead = s.Position, &s.Ahead
	case queue.StateAdmitted:
		expires, left := s.Expires.UTC(), seconds(s.TTL)
		b.Expires, b.ExpiresIn = &expires, &left
	}
	return b
}

// seconds is d in seconds, to the millisecond.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// room returns the room that the path names.
func (s *Service) room(r *http.Request) (*servedRoom, error) {
	if room := s.rooms[r.PathValue("room")]; room != nil {
		return room, nil
	}
	return nil, unknownRoom.because("This instance does not serve a room %q.", r.PathValue("room"))
}

// visitor returns the room and the visitor that the path names.
func (s *Service) visitor(r *http.Request) (*servedRoom, string, error) {
	room, err := s.room(r)
	if err != nil {
		return nil, "", err
	}
	visitor := r.PathValue("visitor")
	if !queue.ValidVisitor(visitor) {
		return nil, "", invalidVisitor.because("%q cannot be a visitor.", visitor)
	}
	return room, visitor, nil
}

// join puts a visitor into the line. Neither the room nor an idempotency key
// gives out a second place, so that a client may repeat it after any failure.
func (s *Service) join(w http.ResponseWriter, r *http.Request) error {
	room, err := s.room(r)
	if err != nil {
		return err
	}
	visitor, err := requestedVisitor(w, r)
	if err != nil {
		return err
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	visitor, err = s.place(r.Context(), room, key, visitor)
	if err != nil {
		return err
	}
	status, err := room.Join(r.Context(), visitor)
	if err != nil {
		if p := asProblem(err, r); p != nil && p.kind == storeUnavailable {
			p.Visitor = visitor
			err = errors.Join(p, err)
		}
		return err
	}
	w.Header().Set("Location", "/api/v1/rooms/"+url.PathEscape(room.name)+"/visitors/"+url.PathEscape(visitor))
	s.answerStatus(w, room, status)
	return nil
}

// place decides which visitor a join is for: the one asked for, a new one, or
// the one that an earlier request with the same key was for.
func (s *Service) place(ctx context.Context, room *servedRoom, key, asked string) (string, error) {
	visitor := asked
	if visitor == "" {
		visitor = rand.Text()
	}
	if key == "" {
		return visitor, nil
	}
	return s.remember(ctx, room.name, key, visitor, asked != "")
}

// requestedVisitor reads the body of a join: the visitor asked for, "" if the
// service is to issue one.
func requestedVisitor(w http.ResponseWriter, r *http.Request) (string, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return "", unreadable(err)
	}
	if len(body) == 0 {
		return "", nil
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return "", unsupportedMediaType.because("The body must be application/json, not %q.", r.Header.Get("Content-Type"))
	}
	var asked *struct {
		Visitor *string `json:"visitor"`
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return "", malformedBody.because("The body is not what was expected: %v.", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return "", malformedBody.because("There is something after the JSON object.")
	}
	switch {
	case asked == nil:
		return "", malformedBody.because("The body must be a JSON object.")
	case asked.Visitor == nil:
		return "", nil
	case !queue.ValidVisitor(*asked.Visitor):
		return "", invalidVisitor.because("%q cannot be a visitor.", *asked.Visitor)
	}
	return *asked.Visitor, nil
}

// unreadable is the problem with a body that could not be read.
func unreadable(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return bodyTooLarge.because("The body has more than %d bytes.", large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return slowRequest.because("The body did not arrive in time.")
	}
	return malformedBody.because("The body broke off.")
}

func (s *Service) status(w http.ResponseWriter, r *http.Request) error {
	room, visitor, err := s.visitor(r)
	if err != nil {
		return err
	}
	status, err := room.Status(r.Context(), visitor)
	if err != nil {
		return err
	}
	if status.State == queue.StateUnknown {
		s.storeAnswered(nil)
		return unknownVisitor.because("%q is neither in the line nor inside.", visitor)
	}
	s.answerStatus(w, room, status)
	return nil
}

func (s *Service) answerStatus(w http.ResponseWriter, room *servedRoom, status queue.Status) {
	body := room.statusBody(status)
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(body.PollAfter))))
	s.answer(w, body)
}

// answer is a success, which also tells that the store works.
func (s *Service) answer(w http.ResponseWriter, body any) {
	s.storeAnswered(nil)
	writeJSON(w, "application/json", http.StatusOK, body)
}

// renew prolongs the session of a visitor who is inside.
func (s *Service) renew(w http.ResponseWriter, r *http.Request) error {
	room, visitor, err := s.visitor(r)
	if err != nil {
		return err
	}
	status, err := room.Renew(r.Context(), visitor)
	switch {
	case err != nil:
		return err
	case status.State == queue.StateUnknown:
		s.storeAnswered(nil)
		return unknownVisitor.because("%q is neither in the line nor inside.", visitor)
	case status.State == queue.StateWaiting:
		s.storeAnswered(nil)
		return notInside.because("%q is in the line at place %d.", visitor, status.Position)
	}
	s.answerStatus(w, room, status)
	return nil
}

func (s *Service) leave(w http.ResponseWriter, r *http.Request) error {
	room, visitor, err := s.visitor(r)
	if err != nil {
		return err
	}
	ended, err := room.Leave(r.Context(), visitor)
	if err != nil {
		return err
	}
	s.answer(w, map[string]string{"room": room.name, "visitor": visitor, "ended": ended.State})
	return nil
}

// stateBody is a room at a glance. Durations are in seconds.
type stateBody struct {
	Room              string       `json:"room"`
	Strategy          string       `json:"strategy"`
	Slot              int          `json:"slot"`
	Period            float64      `json:"period"`
	TTL               float64      `json:"ttl"`
	Waiting           int64        `json:"waiting"`
	Active            int64        `json:"active"`
	AdmittedPerSecond float64      `json:"admittedPerSecond"`
	Instance          instanceBody `json:"instance"`
}

// instanceBody is the instance that answers, and its counters since its start.
type instanceBody struct {
	ID            string `json:"id"`
	InHand        int    `json:"inHand"`
	Admitted      int64  `json:"admitted"`
	RolledBack    int64  `json:"rolledBack"`
	Reclaimed     int64  `json:"reclaimed"`
	Released      int64  `json:"released"`
	LeaderChanges int64  `json:"leaderChanges"`
	Errors        int64  `json:"errors"`
}

func (s *Service) state(w http.ResponseWriter, r *http.Request) error {
	room, err := s.room(r)
	if err != nil {
		return err
	}
	state, err := room.State(r.Context())
	if err != nil {
		return err
	}
	c := state.Counters
	s.answer(w, stateBody{
		Room: state.Room, Strategy: state.Strategy, Slot: state.Slot,
		Period: state.Period.Seconds(), TTL: state.TTL.Seconds(),
		Waiting: state.Waiting, Active: state.Active, AdmittedPerSecond: state.AdmittedPerSecond,
		Instance: instanceBody{ID: state.Instance, InHand: state.InHand, Admitted: c.Admitted, RolledBack: c.RolledBack,
			Reclaimed: c.Reclaimed, Released: c.Released, LeaderChanges: c.LeaderChanges, Errors: c.Errors},
	})
	return nil
}

// healthz says that the process is alive, whatever the store does: a restart
// would not mend the store.
func (s *Service) healthz(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, "application/json", http.StatusOK, map[string]string{"status": "alive"})
	return nil
}

// readyz says whether to send visitors to this instance.
func (s *Service) readyz(w http.ResponseWriter, r *http.Request) error {
	if s.isClosing() {
		return shuttingDown.because("This instance is going away.")
	}
	for _, room := range s.rooms {
		if err := room.Ping(r.Context()); err != nil {
			return err
		}
	}
	s.answer(w, map[string]string{"status": "ready"})
	return nil
}
