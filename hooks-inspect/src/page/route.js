// Which page is shown, and the keys. Every page has an address of its own.

let refresh = () => {};
let state = about.state ?? { questions: [], jobs: [] };

const pages = { "": turnsView, turns: turnsView, hooks: hooksView, hook: hookView, checks: checksView, replay: replayView, jobs: jobsView, questions: questionsView, keys: keysView };

function navigation(current) {
  const entry = (name, title) => h("a", { href: "#/" + name, "aria-current": current === name ? "page" : null }, title);
  const nav = document.getElementById("nav");
  const entries = [entry("", "Turns"), entry("hooks", "Hooks"), (about.audit || about.scopes) && entry("checks", "Checks"), about.replay && entry("replay", "Replay"),
    about.store && entry("jobs", `Jobs${state.jobs.length ? " " + state.jobs.length : ""}${state.more_jobs ? "+" : ""}`), about.store && entry("questions", `Questions${state.questions.length ? " " + state.questions.length : ""}`), entry("keys", "Keys")];
  nav.replaceChildren(...entries.filter(Boolean));
}

// The pages that show lines, which may come while they are open.
const ofLines = new Set([turnView, dispatchView, hooksView, hookView]);

function drawn() {
  const [where, query] = location.hash.slice(1).split("?");
  let parts;
  try { parts = where.split("/").slice(1).map(decodeURIComponent); } catch { parts = ["?"]; }
  const name = parts[0] ?? "";
  const view = name === "turn" ? (parts.length > 2 ? dispatchView : turnView) : Object.hasOwn(pages, name) ? pages[name] : () => notFound("There is no such page.");
  made.clear();
  refresh = ofLines.has(view) ? redraw : () => {};
  navigation({ turn: "", turns: "", hook: "hooks" }[name] ?? name);
  let content;
  try { content = view === turnsView ? view(new URLSearchParams(query)) : view(parts.slice(1)); } catch (error) {
    content = [h("h2", {}, "This page cannot be shown"), h("p", {}, `The recording has something here that the page cannot read: ${error.message}`)];
  }
  return h("main", {}, content);
}

function route() {
  opened.clear();
  main.replaceChildren(...drawn().childNodes);
  const title = main.querySelector("h2")?.textContent ?? "Hooks";
  document.title = `${title}, ${about.program || "hooks"}`;
}

// Shows the page with what came meanwhile.
function redraw() {
  const page = drawn();
  if (page.innerHTML !== main.innerHTML) keeping(() => main.replaceChildren(...page.childNodes));
}

// Whoever reads keeps the place and the focus.
function keeping(change) {
  const focused = main.contains(document.activeElement) ? document.activeElement : null, y = window.scrollY;
  const like = (element) => (element.getAttribute("href") ?? "") + element.textContent;
  const text = focused && like(focused);
  change();
  if (focused && !focused.isConnected) [...main.querySelectorAll(focused.localName)].find((element) => like(element) === text)?.focus({ preventScroll: true });
  window.scrollTo(0, y);
}

function keysView() {
  return [h("h2", {}, "Keys"), h("dl", {}, facts({ "j, k": "next, previous row", "Enter": "open", "u": "one level up", "/": "search", "p": "show or hide payloads", "?": "this page" }))];
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  const rows = [...main.querySelectorAll("tbody tr th a, ol.sequence > li > div > a, li.folded > details > summary")];
  const at = rows.indexOf(document.activeElement);
  const go = (to) => rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus();
  const up = () => { const links = main.querySelectorAll("p:first-child a"); if (links.length) links[links.length - 1].click(); };
  const keys = { j: () => go(at + 1), k: () => go(at < 0 ? 0 : at - 1), u: up, "/": () => main.querySelector("input[type=search]")?.focus(), p: () => { everything = !everything; route(); }, "?": () => { location.hash = "/keys"; } };
  if (Object.hasOwn(keys, event.key)) { event.preventDefault(); keys[event.key](); }
});
window.addEventListener("hashchange", () => { route(); window.scrollTo(0, 0); main.focus({ preventScroll: true }); say(document.title); });

// Lines are added in short steps, so that the first rows are there at once.
async function addAll(text) {
  let from = 0, routed = false, pause = performance.now() + 30;
  while (from < text.length) {
    let to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    add(text.slice(from, to));
    from = to + 1;
    if (performance.now() > pause) {
      if (!routed && turns.size > 0) { routed = true; route(); firstRow(); }
      document.getElementById("live").textContent = `reading, ${Math.round((from / text.length) * 100)} %`;
      await new Promise((next) => setTimeout(next));
      pause = performance.now() + 30;
    }
  }
  document.getElementById("live").textContent = "";
  if (routed && !location.hash.startsWith("#/turn")) refresh(); else { route(); firstRow(); }
  document.body.dataset.ready = String(Math.round(performance.now()));
}
const firstRow = () => { document.body.dataset.first ??= String(Math.round(performance.now())); };

document.getElementById("title").textContent = about.program || "Hooks";
(async () => {
  if (about.live) return follow();
  const text = document.getElementById("lines");
  const content = text.textContent;
  text.remove();
  await addAll(content);
})();
