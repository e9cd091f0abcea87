// Package web serves waiting rooms over HTTP: a JSON API under /api/v1, a
// stream of events per visitor, health probes, and a page at / for people.
//
// It owns what clients see: routes, status codes, problem documents (RFC 9457),
// how soon to ask again, cookies, languages. docs/openapi.yaml describes the
// API, and a test holds the two together. It does not know how visitors are
// admitted, nor which store there is; a [Room] answers, and only idempotency
// keys are kept in the store by this package itself.
//
// A visitor's name is a bearer secret: whoever knows it can see and release
// the place. Names that the service issues cannot be guessed; a client that
// chooses its own should take care of that.
//
// Caveats. There is no authentication and no rate limit: a proxy in front has
// to bring them. An open stream asks the store every few seconds on behalf of
// its visitor; an admission by the same instance is told at once, one by
// another instance at the next look.
package web
