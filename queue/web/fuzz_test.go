package web

import (
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"myredis/queue"
)

// Whatever a body is, it names a visitor who can be, names none, or is a
// problem of the client's.
func FuzzJoinBody(f *testing.F) {
	for _, body := range []string{"", "{}", `{"visitor":"ann"}`, `{"visitor":null}`, `{"visitor":7}`, `{"visitor":"ann"}{}`, "null", "[", `{"visitor":"a\u0000"}`, `{"Visitor":"x","visitor":"y"}`} {
		f.Add(body, "application/json")
	}
	f.Add("{}", "application/json; charset=utf-8")
	f.Add("{}", "application/json; =")
	f.Fuzz(func(t *testing.T, body, contentType string) {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		visitor, err := requestedVisitor(httptest.NewRecorder(), r)
		var p *problem
		switch {
		case err != nil:
			if !errors.As(err, &p) || p.kind.status/100 != 4 {
				t.Fatalf("%q: %v", body, err)
			}
		case visitor != "" && !queue.ValidVisitor(visitor):
			t.Fatalf("%q names %q", body, visitor)
		case len(body) > maxBody:
			t.Fatalf("%d bytes are too many", len(body))
		}
	})
}

func FuzzHeaders(f *testing.F) {
	for _, h := range []string{"", "ko", "ko;q=0.9, en", ";q=", `"key"`, `"`, `""`, "8e03978e-40d5-43dd-bc93-6894a57f9324"} {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if lang := accepted(header); !slices.Contains(languages, lang) {
			t.Fatalf("%q is taken for %q", header, lang)
		}
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set("Idempotency-Key", header)
		if key, err := idempotencyKey(r); err == nil && (key == "" || len(key) > 255) {
			t.Fatalf("%q is taken for the key %q", header, key)
		}
	})
}
