package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"myredis/queue"
)

// An idempotency key stands for one join, on whichever instance the repetition
// arrives. What it was for is therefore kept in the store, under
//
//	{room}:idempotency:<SHA-256 of the key>    "issued <visitor>" or "given <visitor>"
//
// for a day. It is written before the visitor joins and never overwritten: of
// two simultaneous requests with one key the first SET NX decides for both, and
// a repetition after a crash between the two finds the visitor who is to join.
// The first word tells a body that named a visitor from one that did not, which
// is all that two bodies can differ in besides the name.

const rememberKeysFor = 24 * time.Hour

// idempotencyKey returns the request's Idempotency-Key, "" if it has none.
// Quotes around it, as the header's definition as a structured field has them,
// are not part of the key.
func idempotencyKey(r *http.Request) (string, error) {
	values, present := r.Header["Idempotency-Key"]
	if !present {
		return "", nil
	}
	if len(values) > 1 {
		return "", invalidIdempotencyKey.because("There are several Idempotency-Key headers.")
	}
	key := values[0]
	if len(key) >= 2 && strings.HasPrefix(key, `"`) && strings.HasSuffix(key, `"`) {
		key = key[1 : len(key)-1]
	}
	if key == "" || len(key) > 255 || strings.ContainsFunc(key, func(c rune) bool { return c < '!' || c > '~' }) {
		return "", invalidIdempotencyKey.because("The Idempotency-Key must be 1 to 255 visible ASCII characters.")
	}
	return key, nil
}

// remember binds a key to a visitor and returns whom it is bound to. It is a
// problem if the key has been used with a different body.
func (s *Service) remember(ctx context.Context, room, key, visitor string, given bool) (string, error) {
	digest := sha256.Sum256([]byte(key))
	name := "{" + room + "}:idempotency:" + base64.RawURLEncoding.EncodeToString(digest[:])
	kind := "issued"
	if given {
		kind = "given"
	}
	// A second round is for a binding that runs out between the two commands.
	for range 2 {
		reply, err := s.cfg.Store.Do(ctx, "SET", name, kind+" "+visitor, "NX", "PX", rememberKeysFor.Milliseconds())
		if err != nil {
			return "", &queue.StoreError{Command: "SET", Err: err}
		}
		if reply != nil {
			return visitor, nil
		}
		reply, err = s.cfg.Store.Do(ctx, "GET", name)
		if err != nil {
			return "", &queue.StoreError{Command: "GET", Err: err}
		}
		bound, ok := reply.(string)
		if !ok {
			continue
		}
		boundKind, boundVisitor, _ := strings.Cut(bound, " ")
		if boundKind != kind || given && boundVisitor != visitor {
			return "", idempotencyKeyReused.because("This Idempotency-Key came with a different body before.")
		}
		return boundVisitor, nil
	}
	return "", &queue.StoreError{Command: "SET", Err: errors.New("refused, and there is no such key")}
}
