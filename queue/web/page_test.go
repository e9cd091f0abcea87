package web

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// press sends one of the page's forms, as a browser without a script does.
func (f *fixture) press(client *http.Client, path string) {
	f.t.Helper()
	a := f.send(client, request{method: "POST", path: path, header: map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": f.server.URL}})
	require.Equal(f.t, 303, a.status, a.text)
	require.Equal(f.t, "/", a.header.Get("Location"))
}

// view loads the page, which must show one state and its heading only.
func (f *fixture) view(client *http.Client, path string) (state, text string) {
	f.t.Helper()
	a := f.send(client, request{method: "GET", path: path})
	state = regexp.MustCompile(`data-state="(\w+)"`).FindStringSubmatch(a.text)[1]
	var shown []string
	for _, m := range regexp.MustCompile(`<section data-when="(\w+)"[^>]*>`).FindAllStringSubmatch(a.text, -1) {
		if !strings.Contains(m[0], " hidden") {
			shown = append(shown, m[1])
		}
	}
	require.Equal(f.t, []string{state}, shown)
	return state, a.text
}

func TestPageWithoutScript(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.room.Slot = 1 })
	f.join(`{"visitor":"ann"}`)
	browser := f.browser()
	state, text := f.view(browser, "/")
	require.Equal(t, "outside", state)
	require.Contains(t, text, "No more than 1 can be inside")
	require.EqualValues(t, 1, f.do("GET", "/api/v1/rooms/demo").json["waiting"], "looking takes no place")

	f.press(browser, "/join")
	state, text = f.view(browser, "/")
	require.Equal(t, "waiting", state)
	require.Contains(t, text, `<span id="position">2</span>`)
	require.Contains(t, text, "1 person is ahead of you")
	require.Contains(t, text, "<title>#2 · In line</title>")
	f.press(browser, "/join")
	_, text = f.view(browser, "/")
	require.Contains(t, text, `<span id="position">2</span>`, "pressing twice keeps the place")
	state, _ = f.view(f.browser(), "/")
	require.Equal(t, "outside", state, "another browser is another visitor")

	f.do("DELETE", visitors+"/ann")
	f.admit()
	state, text = f.view(browser, "/")
	require.Equal(t, "admitted", state)
	require.Contains(t, text, "about 5 more minutes")

	f.press(browser, "/leave")
	state, _ = f.view(browser, "/")
	require.Equal(t, "outside", state)
	require.EqualValues(t, 0, f.do("GET", "/api/v1/rooms/demo").json["active"])
	f.press(browser, "/leave")
}

func TestPageOfAVisitorWhoseTimeIsOver(t *testing.T) {
	f := newFixture(t)
	browser := f.browser()
	f.press(browser, "/join")
	_, text := f.view(browser, "/")
	visitor := regexp.MustCompile(`data-visitor="(\w+)"`).FindStringSubmatch(text)[1]
	f.do("DELETE", visitors+"/"+visitor)
	state, _ := f.view(browser, "/")
	require.Equal(t, "gone", state)
	f.press(browser, "/join")
	state, _ = f.view(browser, "/")
	require.Equal(t, "waiting", state)
}

func TestPageIgnoresACookieThatCannotBeAVisitor(t *testing.T) {
	f := newFixture(t)
	a := f.send(f.client, request{method: "GET", path: "/", header: map[string]string{"Cookie": `place-demo="<script>"`}})
	require.Equal(t, 200, a.status)
	require.Contains(t, a.text, `data-state="outside"`)
}

func TestPlaceCookie(t *testing.T) {
	f := newFixture(t)
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	cookie := f.send(f.client, request{method: "POST", path: "/join", header: form}).header.Get("Set-Cookie")
	require.Regexp(t, `^place-demo=\w{26}; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax$`, cookie)
	form["X-Forwarded-Proto"] = "https"
	require.Contains(t, f.send(f.client, request{method: "POST", path: "/join", header: form}).header.Get("Set-Cookie"), "; Secure")
}

func TestPageIsSmallAndSelfContained(t *testing.T) {
	f := newFixture(t)
	for _, lang := range languages {
		_, text := f.view(f.client, "/?lang="+lang)
		require.Less(t, len(text), 30_000)
		require.NotContains(t, text, "http-equiv", "a refresh by itself is against WCAG 2.2.1")
		without := strings.ReplaceAll(text, "xmlns='http://www.w3.org/2000/svg'", "")
		require.NotRegexp(t, `(?i)https?://|url\(|@import|<link rel="stylesheet"|\ssrc=`, without, "nothing from elsewhere")
		require.NotRegexp(t, `(?i)\son\w+=|\sstyle=`, text, "nothing that the policy would refuse")
		require.Regexp(t, `<p id="say"[^>]*role="status"[^>]*></p>`, text, "the live region is there, and empty, from the start")
		require.Regexp(t, `<p id="call"[^>]*role="alert"></p>`, text)
		require.Contains(t, text, `<html lang="`+lang+`">`)
		// html/template takes an attribute data-on… for a script and puts quotes around the text.
		require.NotContains(t, text, "&#34;")
	}
}

// The policy names what stands between the tags; if the template changed it
// by as much as a blank, a browser would run none of it.
func TestPolicyAllowsTheVeryStyleAndScript(t *testing.T) {
	f := newFixture(t)
	a := f.do("GET", "/")
	policy := a.header.Get("Content-Security-Policy")
	for _, tag := range []string{"style", "script"} {
		inner := regexp.MustCompile(`(?s)<` + tag + `>(.*?)</` + tag + `>`).FindStringSubmatch(a.text)[1]
		require.Contains(t, policy, tag+"-src '"+digest(inner)+"'")
	}
}

func TestLanguages(t *testing.T) {
	f := newFixture(t)
	lang := func(client *http.Client, path, accept string) string {
		a := f.send(client, request{method: "GET", path: path, header: map[string]string{"Accept-Language": accept}})
		require.Contains(t, a.text, `<html lang="`+a.header.Get("Content-Language")+`">`)
		return a.header.Get("Content-Language")
	}
	require.Equal(t, "en", lang(f.browser(), "/", ""))
	require.Equal(t, "ko", lang(f.browser(), "/", "ko-KR,ko;q=0.9,en-US;q=0.8"))
	chooser := f.browser()
	require.Equal(t, "en", lang(chooser, "/?lang=en", "ko"))
	require.Equal(t, "en", lang(chooser, "/", "ko"), "the choice is remembered")
	require.Equal(t, "ko", lang(f.browser(), "/?lang=xx", "ko"), "an unknown one is no choice")
}

func TestAcceptedLanguage(t *testing.T) {
	for header, want := range map[string]string{
		"": "en", "ko": "ko", "KO-kr": "ko", "en, ko": "en", "ko, en": "ko", "en;q=0.5, ko;q=0.9": "ko", "de, ko;q=0.1": "ko",
		"de, fr": "en", "ko;q=0": "en", "ko;q=abc": "en", "*": "en", "kok": "en", ";;,,=": "en",
	} {
		require.Equal(t, want, accepted(header), header)
	}
}

func TestLanguagesHaveTheSameTexts(t *testing.T) {
	keys := func(lang string) []string {
		var texts map[string]string
		require.NoError(t, json.Unmarshal([]byte(mustRead("page/"+lang+".json")), &texts))
		var out []string
		for key, text := range texts {
			require.NotEmpty(t, text, key)
			out = append(out, key+strings.Join(regexp.MustCompile(`\{\w\}`).FindAllString(text, -1), ""))
		}
		return out
	}
	for _, lang := range languages[1:] {
		require.ElementsMatch(t, keys(languages[0]), keys(lang))
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1_234_567: "1,234,567"} {
		require.Equal(t, want, grouped(n))
	}
}
