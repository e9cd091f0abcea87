package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"myredis/queue"
)

// The page for people: one self-contained document, rendered by the server in
// the state in which its visitor is. Buttons are forms, so that it works
// without a script; page.js only keeps it up to date. Style and script are
// inline and allowed by their digests, nothing else may be loaded or run, and
// no other host is asked for anything.
//
// A cookie per room remembers the visitor, so that a refresh, another tab and a
// browser that was closed keep the place.

//go:embed page
var files embed.FS

// languages that the page speaks, the first being for all others.
var languages = []string{"en", "ko"}

const (
	placeKeptFor    = 24 * time.Hour
	languageKeptFor = 365 * 24 * time.Hour
	languageCookie  = "lang"
)

var (
	style  = mustRead("page/page.css")
	script = mustRead("page/page.js")
	// The digests are of what stands between the tags.
	pagePolicy = "default-src 'none'; style-src '" + digest(style) + "'; script-src '" + digest(script) +
		"'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	pages = parsePages()
)

func mustRead(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(b))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// parsePages binds the template to the texts of each language.
func parsePages() map[string]*template.Template {
	out := map[string]*template.Template{}
	for _, lang := range languages {
		texts := map[string]string{}
		if err := json.Unmarshal([]byte(mustRead("page/"+lang+".json")), &texts); err != nil {
			panic(fmt.Sprintf("page/%s.json: %v", lang, err))
		}
		t := func(key string) (string, error) {
			if text, ok := texts[key]; ok {
				return text, nil
			}
			return "", fmt.Errorf("no text %q in %s", key, lang)
		}
		n := func(key string, value int64) (string, error) {
			text, err := t(key)
			return strings.ReplaceAll(text, "{n}", grouped(value)), err
		}
		out[lang] = template.Must(template.New("page.html").Funcs(template.FuncMap{
			"t": t, "n": n, "number": grouped,
			"style":  func() template.CSS { return template.CSS(style) },
			"script": func() template.JS { return template.JS(script) },
			"ahead": func(position int64) (string, error) {
				switch position {
				case 0, 1:
					return t("waiting.next")
				case 2:
					return t("waiting.one")
				}
				return n("waiting.many", position-1)
			},
			"minutes": func(left float64) (string, error) {
				if minutes := int64(math.Round(left / 60)); minutes > 1 {
					return n("admitted.minutes", minutes)
				}
				return t("admitted.minute")
			},
		}).Parse(mustRead("page/page.html")))
	}
	return out
}

// grouped writes n with a comma between thousands, as both languages do.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// view is what the template shows.
type view struct {
	Lang, Room, Visitor string
	State               string // "outside", "waiting", "admitted", "gone" or "trouble"
	Slot                int64
	Position            int64
	Left                float64 // seconds until the session ends
}

// page answers GET /. It never changes the line: whoever fetches it in advance
// or for a preview takes no place.
func (s *Service) page(w http.ResponseWriter, r *http.Request) error {
	v := view{Lang: language(r), Room: s.front.name, Slot: int64(s.front.slot), State: "outside"}
	if lang := r.URL.Query().Get("lang"); lang == v.Lang {
		setCookie(w, r, languageCookie, lang, languageKeptFor)
	}
	status, code := s.visitorOfPage(r), http.StatusOK
	v.Visitor = status.Visitor
	switch status.State {
	case queue.StateWaiting:
		v.State, v.Position = "waiting", status.Position
	case queue.StateAdmitted:
		v.State, v.Left = "admitted", status.TTL.Seconds()
	case queue.StateUnknown:
		v.State = "gone"
	case stateTrouble:
		v.State, code = "trouble", http.StatusServiceUnavailable
		w.Header().Set("Retry-After", strconv.Itoa(storeUnavailable.retryAfter))
	}
	if v.Visitor != "" {
		setCookie(w, r, s.front.cookie(), v.Visitor, placeKeptFor)
	}
	return render(w, code, v)
}

// stateTrouble stands in a status for a store that does not answer.
const stateTrouble = "trouble"

// visitorOfPage returns the status of the visitor whom the cookie names, the
// zero status if it names none.
func (s *Service) visitorOfPage(r *http.Request) queue.Status {
	visitor := s.front.remembered(r)
	ask := func(ctx context.Context) (queue.Status, error) {
		if visitor == "" {
			return queue.Status{}, s.front.Ping(ctx) // who could not join should not be invited to
		}
		return s.front.Status(ctx, visitor)
	}
	status, err := ask(r.Context())
	s.storeAnswered(err)
	if err != nil {
		return queue.Status{State: stateTrouble, Visitor: visitor}
	}
	return status
}

func render(w http.ResponseWriter, code int, v view) error {
	var body bytes.Buffer
	if err := pages[v.Lang].Execute(&body, v); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.Lang)
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Vary", "Accept-Language, Cookie")
	w.WriteHeader(code)
	_, _ = w.Write(body.Bytes()) // the client has gone if this fails
	return nil
}

// joinForm answers the page's button: the browser's own visitor joins, a new
// one if it has none.
func (s *Service) joinForm(w http.ResponseWriter, r *http.Request) error {
	if err := drainForm(w, r); err != nil {
		return err
	}
	visitor := s.front.remembered(r)
	if visitor == "" {
		visitor = rand.Text()
	}
	// Set before the answer of the store is known: if that is lost, the next
	// press of the button is for the same visitor.
	setCookie(w, r, s.front.cookie(), visitor, placeKeptFor)
	_, err := s.front.Join(r.Context(), visitor)
	return s.back(w, r, err)
}

func (s *Service) leaveForm(w http.ResponseWriter, r *http.Request) error {
	if err := drainForm(w, r); err != nil {
		return err
	}
	visitor := s.front.remembered(r)
	if visitor == "" {
		return s.back(w, r, nil)
	}
	_, err := s.front.Leave(r.Context(), visitor)
	if err == nil {
		setCookie(w, r, s.front.cookie(), "", -time.Second)
	}
	return s.back(w, r, err)
}

// back sends the browser to the page, so that a refresh does not repeat the
// form. A store that does not answer is for the page to tell.
func (s *Service) back(w http.ResponseWriter, r *http.Request, err error) error {
	if p := asProblem(err, r); err != nil && (p == nil || p.kind != storeUnavailable) {
		return err
	}
	s.storeAnswered(err)
	w.Header().Set("Location", "/")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// drainForm checks the body of a form that has no fields.
func drainForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.ContentLength != 0 && (err != nil || media != "application/x-www-form-urlencoded") {
		return unsupportedMediaType.because("A form must be application/x-www-form-urlencoded, not %q.", r.Header.Get("Content-Type"))
	}
	if err := r.ParseForm(); err != nil {
		return unreadable(err)
	}
	return nil
}

func (r *servedRoom) cookie() string { return "place-" + r.name }

// remembered is the visitor whom the browser's cookie names, "" if there is no
// cookie or it names nobody who can be.
func (r *servedRoom) remembered(req *http.Request) string {
	c, err := req.Cookie(r.cookie())
	if err != nil || !queue.ValidVisitor(c.Value) {
		return ""
	}
	return c.Value
}

func setCookie(w http.ResponseWriter, r *http.Request, name, value string, keep time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(keep.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode,
		// Behind a proxy that ends TLS, the proxy's word: it can only make the
		// cookie stricter.
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

// language is the one asked for in the address, the one chosen before, or the
// best of those that the browser accepts.
func language(r *http.Request) string {
	asked := []string{r.URL.Query().Get("lang")}
	if c, err := r.Cookie(languageCookie); err == nil {
		asked = append(asked, c.Value)
	}
	for _, a := range asked {
		for _, lang := range languages {
			if a == lang {
				return lang
			}
		}
	}
	return accepted(r.Header.Get("Accept-Language"))
}

// accepted reads Accept-Language (RFC 9110, 12.5.4): "ko-KR,ko;q=0.9,en;q=0.8".
func accepted(header string) string {
	best, bestQuality := languages[0], 0.0
	for _, part := range strings.Split(header, ",") {
		tag, parameter, _ := strings.Cut(part, ";")
		quality := 1.0
		if q, ok := strings.CutPrefix(strings.TrimSpace(parameter), "q="); ok {
			quality, _ = strconv.ParseFloat(q, 64) // what cannot be read is not wanted
		}
		primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		for _, lang := range languages {
			if primary == lang && quality > bestQuality {
				best, bestQuality = lang, quality
			}
		}
	}
	return best
}
