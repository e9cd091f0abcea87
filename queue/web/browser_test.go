package web

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
)

// browser is a real Chromium that talks to nobody but the service. Whatever it
// complains of (a policy that refuses something, an exception) fails the test,
// and so does the page asking any other host for anything.
type browser struct {
	t   *testing.T
	ctx context.Context
}

type void = chromedp.Action[chromedp.Void]

// chromium starts a browser. heed, if given, is told of every event.
func (f *fixture) chromium(heed ...func(event any)) *browser {
	t := f.t
	t.Helper()
	redistest.Need(t, "chromium")
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Headless, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("accept-lang", "en"))
	ctx, end := chromedp.NewContext(allocator)
	ctx, endTime := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Logf("end of chromium: %v", err)
		}
		endTime()
		end()
		endAllocator()
	})
	require.NoError(t, chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %s", e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			// A request that fails is for the page to cope with.
			if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
				t.Errorf("the browser complains: %s %s", e.Entry.Text, e.Entry.URL)
			}
		case *network.EventRequestWillBeSent:
			if url := e.Request.URL; !strings.HasPrefix(url, f.server.URL) && !strings.HasPrefix(url, "data:") {
				t.Errorf("the page asks for %s", url)
			}
		}
		for _, h := range heed {
			h(e)
		}
	}))
	call(ctx, t, network.Enable, network.EnableParams{})
	call(ctx, t, log.Enable, cdp.Empty{})
	call(ctx, t, runtime.Enable, cdp.Empty{})
	return &browser{t: t, ctx: ctx}
}

func call[P, R any](ctx context.Context, t *testing.T, command cdp.Command[P, R], params P) R {
	t.Helper()
	r, err := chromedp.Call(ctx, command, params)
	require.NoError(t, err)
	return r
}

func (b *browser) do(steps ...void) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, steps...))
}

// press clicks on the visible button of that label.
func (b *browser) press(label string) {
	b.t.Helper()
	b.do(chromedp.Click(`//section[not(@hidden)]//button[text()="` + label + `"]`))
}

// read returns a script's value.
func read[T any](b *browser, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	require.NoError(b.t, err)
	return v
}

// sees waits until a script's value, as text, is what is wanted. In the middle
// of a navigation there may be no page to run it in.
func (b *browser) sees(script, want string) {
	b.t.Helper()
	var got string
	require.Eventually(b.t, func() bool {
		v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+script+")"))
		if err == nil {
			got = v
		}
		return err == nil && v == want
	}, 30*time.Second, 10*time.Millisecond, "%s is not %q; last seen: %v", script, want, printed{&got})
}

// printed prints a string as it is when it is printed.
type printed struct{ s *string }

func (p printed) String() string { return *p.s }

const (
	shownState  = `document.getElementById("main").dataset.state`
	shownPlace  = `document.getElementById("position").textContent`
	shownAhead  = `document.getElementById("ahead").textContent`
	shownLive   = `document.getElementById("live").textContent`
	shownTitle  = `document.title`
	focused     = `document.activeElement.textContent`
	announced   = `document.getElementById("say").textContent`
	called      = `document.getElementById("call").textContent.split(".")[0]`
	buttonShown = `[...document.querySelectorAll("main button")].filter(b => b.checkVisibility()).map(b => b.textContent).join("|")`
	shownText   = `document.querySelector("main").innerText`
)

func TestBrowserJoinsSeesThePlaceIsLetInAndLeaves(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.room.Slot = 1 })
	f.join(`{"visitor":"ann"}`)
	f.join(`{"visitor":"bob"}`)
	b := f.chromium()
	b.do(chromedp.Navigate(f.server.URL))
	b.sees(shownState, "outside")
	b.sees(buttonShown, "Join the line")
	b.press("Join the line")
	b.sees(shownState, "waiting")
	b.sees(shownPlace, "3")
	b.sees(shownTitle, "#3 · In line")
	b.sees(shownLive, "Live")
	b.sees(buttonShown, "Leave the line")
	b.sees(announced, "")

	f.do("DELETE", visitors+"/ann")
	b.sees(shownPlace, "2")
	b.sees(announced, "1 person is ahead of you")
	b.sees(`document.getElementById("progress").value`, "1")
	b.sees(`document.getElementById("progress").max`, "2")
	b.do(chromedp.Reload())
	b.sees(shownPlace, "2")
	b.sees(shownLive, "Live")

	f.admit() // bob
	b.sees(shownPlace, "1")
	b.sees(shownAhead, "You are next")
	f.do("DELETE", visitors+"/bob")
	f.admit()
	b.sees(shownState, "admitted")
	b.sees(shownTitle, "You are in")
	b.sees(focused, "You are in")
	b.sees(called, "You are in")
	b.sees(`/until \d+:\d\d/.test(document.getElementById("until").textContent)`, "true")
	b.press("Leave and free the seat")
	b.sees(shownState, "outside")
	require.EqualValues(t, 0, f.do("GET", "/api/v1/rooms/demo").json["active"])
}

func TestBrowserIsToldWhenTheTimeIsOver(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.room.TTL = 300 * time.Millisecond })
	b := f.chromium()
	b.do(chromedp.Navigate(f.server.URL))
	b.press("Join the line")
	b.sees(shownLive, "Live")
	f.admit()
	b.sees(shownState, "gone")
	b.sees(focused, "Your place has ended")
	b.sees(called, "Your place has ended")
	b.press("Join again")
	b.sees(shownState, "waiting")
}

// Where a stream does not come through, the page asks by itself.
func TestBrowserPollsWithoutAStream(t *testing.T) {
	f := newFixture(t)
	b := f.chromium()
	call(b.ctx, t, network.SetBlockedURLs, network.SetBlockedURLsParams{
		URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/*/events", Block: true}}})
	b.do(chromedp.Navigate(f.server.URL))
	b.press("Join the line")
	b.sees(shownState, "waiting")
	b.sees(shownLive, "Live")
	require.Empty(t, f.service.front.watchers.streams)
	f.admit()
	b.sees(shownState, "admitted")
}

func TestBrowserKeepsThePlaceWhileTheStoreIsAway(t *testing.T) {
	f := newFixture(t, persistent)
	f.join(`{"visitor":"ann"}`)
	b := f.chromium()
	b.do(chromedp.Navigate(f.server.URL))
	b.press("Join the line")
	b.sees(shownPlace, "2")
	b.sees(shownLive, "Live")
	f.redis.Kill()
	b.sees(shownLive, "Connecting again. Your place is safe.")
	b.sees(buttonShown, "Check now|Leave the line")
	b.sees(shownPlace, "2")
	f.redis.Restart()
	b.sees(shownLive, "Live")
	b.sees(shownPlace, "2")
	b.sees(shownState, "waiting")
}

func TestBrowserWithoutScript(t *testing.T) {
	f := newFixture(t)
	b := f.chromium()
	call(b.ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.do(chromedp.Navigate(f.server.URL))
	b.press("Join the line")
	b.do(chromedp.WaitVisible(`//h1[text()="You are in line"]`), chromedp.WaitVisible(`//p[contains(text(), "Without JavaScript")]`))
	f.admit()
	b.press("Check now")
	b.do(chromedp.WaitVisible(`//p[contains(text(), "about 5 more minutes")]`))
	b.press("Leave and free the seat")
	b.do(chromedp.WaitVisible(`//h1[text()="Welcome"]`))
}

// Without Sec-Fetch-Site, which browsers leave out on plain HTTP to another
// machine, the page's own forms must still not look like another site's.
func TestBrowserSendsItsOriginWithTheForms(t *testing.T) {
	f := newFixture(t)
	origins := make(chan any, 10)
	b := f.chromium(func(e any) {
		if e, ok := e.(*network.EventRequestWillBeSent); ok && e.Request.Method == "POST" {
			origins <- e.Request.Headers["Origin"]
		}
	})
	b.do(chromedp.Navigate(f.server.URL))
	b.press("Join the line")
	b.sees(shownState, "waiting")
	require.Equal(t, f.server.URL, <-origins)
}

// look is a way of looking at the page.
type look struct {
	name          string
	width, height int64
	scheme        string
	forced        string
}

var looks = []look{
	{"phone-light", 320, 640, "light", "none"},
	{"phone-dark", 320, 640, "dark", "none"},
	{"desktop-light", 1280, 800, "light", "none"},
	{"desktop-dark", 1280, 800, "dark", "none"},
	{"desktop-forced", 1280, 800, "dark", "active"},
}

func (b *browser) as(l look) {
	b.t.Helper()
	call(b.ctx, b.t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: l.width, Height: l.height, DeviceScaleFactor: 1})
	call(b.ctx, b.t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: l.scheme},
		{Name: "forced-colors", Value: l.forced},
		{Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// In every state, size, language and scheme: nothing has to be scrolled
// sideways, every text has the contrast of WCAG 1.4.3, every button and link
// the size of 2.5.8, and a screen reader finds one heading and names for
// whatever can be pressed. MYREDIS_SCREENSHOTS names a folder for pictures.
func TestPageCanBeSeenByEverybody(t *testing.T) {
	const others = 1283
	f := newFixture(t, func(s *setup) { s.room.Slot = 1 })
	for i := range others {
		_, err := f.room.Join(t.Context(), fmt.Sprint("v", i))
		require.NoError(t, err)
	}
	b := f.chromium()
	show := func(state string) {
		t.Helper()
		for _, lang := range languages {
			for _, l := range looks {
				b.as(l)
				b.do(chromedp.Navigate(f.server.URL + "/?lang=" + lang))
				b.sees(shownState, state)
				if state == "waiting" {
					b.sees(`document.getElementById("live").className`, "live on")
				}
				b.look(state+"-"+lang+"-"+l.name, l.forced == "none")
			}
			b.hear()
		}
	}
	b.as(looks[0])
	show("outside")
	b.do(chromedp.Navigate(f.server.URL + "/?lang=en"))
	b.press("Join the line")
	b.sees(shownState, "waiting")
	show("waiting")
	visitor := read[string](b, `document.getElementById("main").dataset.visitor`)
	for i := range others {
		_, err := f.room.Leave(t.Context(), fmt.Sprint("v", i))
		require.NoError(t, err)
	}
	f.admit()
	show("admitted")
	f.do("DELETE", visitors+"/"+visitor)
	show("gone")
	f.redis.Kill()
	show("trouble")
}

// look checks what can be seen. Forced colours are the visitor's own choice.
func (b *browser) look(name string, ownColours bool) {
	b.t.Helper()
	require.False(b.t, read[bool](b, `document.documentElement.scrollWidth > innerWidth`), "%s has to be scrolled sideways", name)
	require.Empty(b.t, read[[]string](b, targetScript), "%s has targets under 24 px", name)
	if ownColours {
		require.Empty(b.t, read[[]string](b, contrastScript), "%s has too little contrast", name)
	}
	if folder := os.Getenv("MYREDIS_SCREENSHOTS"); folder != "" {
		picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		require.NoError(b.t, err)
		require.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644))
	}
}

// contrastScript lists the visible texts whose colours are closer than 4.5:1,
// by WCAG's formula, over the nearest background that is not transparent.
const contrastScript = `(() => {
  const rgb = (c) => c.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 })
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const out = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || !e.checkVisibility() || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(e.tagName)) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) out.push(ratio.toFixed(2) + " " + n.data.trim());
  }
  return out;
})()`

const targetScript = `[...document.querySelectorAll("a, button")].filter((e) => e.checkVisibility())
  .filter((e) => { const r = e.getBoundingClientRect(); return r.width < 24 || r.height < 24; }).map((e) => e.textContent)`

// hear checks what the browser tells a screen reader.
func (b *browser) hear() {
	b.t.Helper()
	roles := map[string]int{}
	for _, n := range call(b.ctx, b.t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if n.Ignored {
			continue
		}
		role := spoken(n.Role)
		roles[role]++
		switch role {
		case "button", "link", "heading", "progressbar", "navigation", "RootWebArea":
			require.NotEmpty(b.t, spoken(n.Name), "a %s without a name", role)
		}
	}
	for _, role := range []string{"heading", "main", "banner", "contentinfo", "navigation", "status", "alert"} {
		require.Equal(b.t, 1, roles[role], "%s in %v", role, roles)
	}
}

func spoken(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}
