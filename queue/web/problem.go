package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"myredis/queue"
)

// Errors are answered as problem documents (RFC 9457). Every kind there is
// stands in this table; a kind has one status. The type of a problem is the
// path /problems/<name>, where the explanation can be read.

// kind is a kind of problem.
type kind struct {
	name        string
	status      int
	title       string
	explanation string
	retryAfter  int // seconds; zero where a repetition would not help
}

var (
	malformedBody = &kind{name: "malformed-body", status: 400, title: "Malformed body",
		explanation: `The body is not a JSON object with nothing but an optional "visitor".`}
	invalidIdempotencyKey = &kind{name: "invalid-idempotency-key", status: 400, title: "Invalid Idempotency-Key",
		explanation: "An Idempotency-Key is 1 to 255 visible ASCII characters, with or without double quotes around them. Use a random UUID: whoever knows the key can learn the visitor."}
	crossOrigin = &kind{name: "cross-origin", status: 403, title: "Cross-origin request refused",
		explanation: "A browser sent this request on behalf of another site's page."}
	notFound = &kind{name: "not-found", status: 404, title: "Not found",
		explanation: "The service has no such path."}
	unknownRoom = &kind{name: "unknown-room", status: 404, title: "Unknown room",
		explanation: "This instance does not serve a room of that name."}
	unknownVisitor = &kind{name: "unknown-visitor", status: 404, title: "Unknown visitor",
		explanation: "The visitor is neither in the line nor inside: never joined, left, or the session is over. In the moment of being admitted a visitor can be unknown for a few milliseconds, longer while the store fails: ask once more before giving up a place."}
	methodNotAllowed = &kind{name: "method-not-allowed", status: 405, title: "Method not allowed",
		explanation: "The path exists; the Allow header lists the methods it knows."}
	notInside = &kind{name: "not-inside", status: 409, title: "Not inside",
		explanation: "The visitor is still in the line: there is no session to prolong."}
	fixedSession = &kind{name: "fixed-session", status: 409, title: "Sessions have a fixed length",
		explanation: "The strategy of this room gives every session the same length, and none can be prolonged."}
	slowRequest = &kind{name: "slow-request", status: 408, title: "Request took too long to arrive",
		explanation: "The body did not arrive in time. Nothing has been changed."}
	bodyTooLarge = &kind{name: "body-too-large", status: 413, title: "Body too large",
		explanation: "A body may have 4096 bytes."}
	unsupportedMediaType = &kind{name: "unsupported-media-type", status: 415, title: "Unsupported media type",
		explanation: "A body must be application/json, or, at the page's own forms, application/x-www-form-urlencoded."}
	invalidVisitor = &kind{name: "invalid-visitor", status: 422, title: "Invalid visitor",
		explanation: "A visitor is 1 to 128 characters of A-Z a-z 0-9 . _ - ~ : @"}
	idempotencyKeyReused = &kind{name: "idempotency-key-reused", status: 422, title: "Idempotency-Key reused",
		explanation: "The same key came with a different body. A key stands for one request; take another for another request."}
	internal = &kind{name: "internal", status: 500, title: "Internal error",
		explanation: "A mistake of the service, which its log describes."}
	storeUnavailable = &kind{name: "store-unavailable", status: 503, title: "Store unavailable", retryAfter: 2,
		explanation: "The store that holds the line does not answer. A place in the line is not lost by this. A join may or may not have taken effect: repeat it with the visitor named in the problem, or with the same Idempotency-Key, and no second place is taken."}
	shuttingDown = &kind{name: "shutting-down", status: 503, title: "Shutting down", retryAfter: 1,
		explanation: "This instance is going away; another one will answer."}
)

var kinds = []*kind{
	malformedBody, invalidIdempotencyKey, crossOrigin, notFound, unknownRoom, unknownVisitor, methodNotAllowed, notInside, fixedSession, slowRequest,
	bodyTooLarge, unsupportedMediaType, invalidVisitor, idempotencyKeyReused, internal, storeUnavailable, shuttingDown,
}

// because is a problem of this kind; the detail is for people.
func (k *kind) because(format string, args ...any) *problem {
	return &problem{kind: k, Detail: fmt.Sprintf(format, args...)}
}

// problem is an error that is answered as a problem document.
type problem struct {
	kind     *kind
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"`
	// Visitor is the name that was issued to a visitor whose join failed
	// halfway, for the repetition.
	Visitor string `json:"visitor,omitempty"`
}

func (p *problem) Error() string { return p.kind.title + ": " + p.Detail }

// asProblem says what an error of a room, of the store or of reading the
// request is to the client; nil where the client has gone.
func asProblem(err error, r *http.Request) *problem {
	var p *problem
	var invalid *queue.InvalidError
	var store *queue.StoreError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &invalid):
		return invalidVisitor.because("%s", invalid)
	case errors.Is(err, queue.ErrFixedSession):
		return fixedSession.because("Join again when the session is over.")
	case errors.Is(r.Context().Err(), context.Canceled):
		return nil
	case errors.As(err, &store), errors.Is(err, context.DeadlineExceeded):
		return storeUnavailable.because("The store did not answer. Places in the line are kept.")
	}
	return internal.because("The service made a mistake; it has been logged.")
}

// fail answers with an error. Errors of the service's own making are logged
// here and nowhere else.
func (s *Service) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := asProblem(err, r)
	if p == nil {
		return
	}
	switch p.kind {
	case storeUnavailable:
		s.storeAnswered(err)
	case internal:
		s.cfg.Logger.Error("request failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	doc := *p
	doc.Type, doc.Title, doc.Status, doc.Instance = "/problems/"+p.kind.name, p.kind.title, p.kind.status, r.URL.EscapedPath()
	if p.kind.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.kind.retryAfter))
	}
	if p.kind == unsupportedMediaType {
		w.Header().Set("Accept-Post", "application/json")
	}
	writeJSON(w, "application/problem+json", doc.Status, doc)
}

func writeJSON(w http.ResponseWriter, contentType string, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("web: encode %T: %v", v, err))
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client has gone if this fails
}

// explain answers GET /problems/{problem}: what a problem's type means.
func (s *Service) explain(w http.ResponseWriter, r *http.Request) error {
	for _, k := range kinds {
		if k.name == r.PathValue("problem") {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, err := io.WriteString(w, fmt.Sprintf("%s (%d)\n\n%s\n", k.title, k.status, k.explanation))
			return err
		}
	}
	return notFound.because("There is no such kind of problem.")
}
