// The page is whole without this script: every state is rendered by the server
// and every button is a form. The script keeps the visitor's state up to date,
// by the event stream, or by asking at the pace the server says where a stream
// does not come through.
(() => {
  "use strict";
  const main = document.getElementById("main");
  const { room, visitor } = main.dataset;
  if (!visitor || main.dataset.state === "gone") return;

  const byId = (id) => document.getElementById(id);
  const lang = document.documentElement.lang;
  const digits = new Intl.NumberFormat(lang);
  const url = `/api/v1/rooms/${encodeURIComponent(room)}/visitors/${encodeURIComponent(visitor)}`;
  let state = main.dataset.state;
  let position = Number(main.dataset.position);
  let said = { at: Date.now(), position };
  let soon = 0;
  let over = false;
  let streamed = false; // a stream has come through before

  const section = () => main.querySelector(`[data-when="${state}"]`);

  // The number is outside of the live region: a screen reader hears of the
  // position at most every 30 seconds, or when a milestone is passed.
  const milestone = (p) => [1, 2, 3, 10, 100, 1000].findIndex((m) => p <= m);

  function enter(next) {
    section().hidden = true;
    state = main.dataset.state = next;
    const here = section();
    here.hidden = false;
    here.querySelector("h1").focus({ preventScroll: true });
    document.title = here.dataset.title;
  }

  function waiting(s) {
    const risen = position && s.position > position;
    const words = byId("ahead").dataset;
    const text = s.ahead === 0 ? words.none : s.ahead === 1 ? words.single : words.many.replace("{n}", digits.format(s.ahead));
    byId("position").textContent = digits.format(s.position);
    byId("ahead").textContent = text;
    if (s.position !== position) byId("rose").hidden = !risen;
    document.title = `#${digits.format(s.position)} · ${section().dataset.title}`;
    progress(s.position);
    const passed = milestone(s.position) !== milestone(said.position);
    if (s.position !== said.position && (passed || Date.now() - said.at >= 30000)) {
      said = { at: Date.now(), position: s.position };
      byId("say").textContent = text;
    }
    position = s.position;
  }

  function progress(at) {
    const key = "start:" + visitor;
    let start = at;
    try {
      start = Math.max(at, Number(sessionStorage.getItem(key)) || 0);
      sessionStorage.setItem(key, start);
    } catch { /* storage is switched off: the bar starts here */ }
    const bar = byId("progress");
    bar.hidden = start < 2;
    bar.max = start - 1 || 1;
    bar.value = start - at;
  }

  // The end is a time of the visitor's own clock, reckoned from what is left,
  // since that clock may differ from the store's.
  function seated(s) {
    const end = new Date(Date.now() + s.expiresIn * 1000);
    const time = end.toLocaleTimeString(lang, { hour: "numeric", minute: "2-digit" });
    byId("until").textContent = byId("until").dataset.until.replace("{t}", time);
    clearTimeout(soon);
    if (s.expiresIn > 60) soon = setTimeout(() => { byId("say").textContent = section().dataset.soon; }, (s.expiresIn - 30) * 1000);
  }

  function show(s) {
    const next = s.state === "unknown" ? "gone" : s.state;
    const was = state;
    if (next !== was) enter(next);
    if (next === "waiting") waiting(s);
    if (next === "admitted") seated(s);
    if (next === "gone") over = true;
    if (next !== was && next !== "waiting") {
      byId("say").textContent = "";
      byId("call").textContent = section().querySelector("h1").textContent + ". " + (next === "admitted" ? byId("until").textContent : "");
    }
  }

  function live(on) {
    const line = byId("live");
    line.hidden = false;
    line.classList.toggle("on", on);
    line.textContent = on ? line.dataset.up : line.dataset.down;
    byId("check").hidden = on;
  }

  function stream() {
    const source = new EventSource(url + "/events");
    let heard = Date.now();
    let failures = 0;
    const instead = () => { clearInterval(watch); source.close(); if (!over) poll(); };
    const listen = (name, then) => source.addEventListener(name, (e) => { heard = Date.now(); failures = 0; then(JSON.parse(e.data)); });
    listen("status", (s) => { streamed = true; live(true); show(s); });
    listen("heartbeat", () => live(true));
    listen("trouble", () => live(false));
    listen("end", (e) => { if (e.reason === "over") { clearInterval(watch); source.close(); } });
    source.onerror = () => {
      live(false);
      if (source.readyState === EventSource.CLOSED || ++failures > 3) instead();
    };
    // A heartbeat comes every 15 seconds. Three missing are a dead connection,
    // or something in between that holds a stream back.
    const watch = setInterval(() => { if (Date.now() - heard > 45000) instead(); }, 5000);
    setTimeout(() => { if (section() && state !== "gone" && !byId("live").textContent) instead(); }, 5000);
  }

  let missing = 0;
  let wait = 1000;
  async function poll() {
    try {
      const answer = await fetch(url, { cache: "no-store" });
      if (answer.status === 404) {
        // In the moment of being admitted a visitor can be unknown.
        if (++missing > 2) show({ state: "unknown" });
        wait = 1000;
      } else if (!answer.ok) {
        throw new Error(answer.status);
      } else {
        const s = await answer.json();
        missing = 0;
        wait = s.pollAfter * 1000;
        live(true);
        show(s);
        if (streamed) return stream();
      }
    } catch {
      live(false);
      wait = Math.min(wait * 2, 30000);
    }
    if (!over) setTimeout(poll, wait);
  }

  if (state === "waiting") progress(position);
  addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
  if (window.EventSource) stream(); else poll();
})();
