// The pages. Text of a recording only ever becomes text: nothing here parses HTML.

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, of] of Object.entries(value)) element.style[key] = of;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

const main = document.getElementById("main");
const say = (text) => { document.getElementById("said").textContent = text; };
const link = (hash, ...text) => h("a", { href: "#" + hash }, ...text);
const path = (...parts) => "/" + parts.map(encodeURIComponent).join("/");
const toHook = (id, name = id) => (hooks.has(id) || about.manifest?.hooks.some((hook) => hook.id === id) ? link(path("hook", id), h("code", {}, name)) : h("code", {}, name));
const missing = () => h("span", { class: "faint" }, "not recorded");
const plural = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

function time(micros) {
  if (micros == null) return "";
  if (micros < 1000) return micros + " µs";
  if (micros < 1e6) return (micros / 1000).toFixed(micros < 1e4 ? 1 : 0) + " ms";
  return (micros / 1e6).toFixed(micros < 1e7 ? 2 : 1) + " s";
}
// Recordings leave out a time of 0, and old ones every time.
const took = (of) => (of.at || of.micros ? time(of.micros) : null);
const clock = (micros) => (micros > 0 && micros < 8e18 ? new Date(micros / 1000).toISOString().replace("T", " ").slice(0, 19) : "");
const tokens = (usage) => (usage ? (usage.input ?? 0) + (usage.output ?? 0) : null);
const look = (word) => (/deny|block|halt|stop|fail|denied/.test(word) ? "bad" : /ask|defer/.test(word) ? "warn" : /allow|answer/.test(word) ? "good" : "");
const tag = (word) => h("span", { class: "tag " + look(word) }, word);

// What somebody opened or closed here, which stays so when more lines arrive; and how many have been made with a name.
const opened = new Map(), made = new Map();

// A payload that is rendered when somebody opens it.
function hidden(title, content, open, name = title) {
  made.set(name, (made.get(name) ?? 0) + 1);
  const key = `${name} ${made.get(name)}`;
  const details = h("details", {}, h("summary", {}, title));
  const fill = () => { if (details.open && details.childElementCount === 1) details.append(h("div", {}, content())); };
  details.addEventListener("toggle", () => { opened.set(key, details.open); fill(); });
  if (opened.get(key) ?? open ?? everything) { details.open = true; fill(); }
  return details;
}
let everything = false;
const payload = (title, value) => (value == null ? null : hidden(title, () => h("pre", { tabindex: 0 }, shown(value))));

function difference(before, after) {
  const rows = compared(shown(before), shown(after));
  return h("pre", { tabindex: 0 }, rows.map(([sign, text], i) => {
    const other = sign === "-" ? rows[i + 1] : sign === "+" ? rows[i - 1] : null;
    const paired = other && other[0] === (sign === "-" ? "+" : "-");
    return h(sign === "+" ? "ins" : sign === "-" ? "del" : "span", {}, sign + " ", ...(paired ? within(text, other[1]) : [text]), sign === " " ? "\n" : null);
  }));
}

// Marks what differs within a line.
function within(text, other) {
  let start = 0, end = 0;
  while (start < text.length && start < other.length && text[start] === other[start]) start++;
  while (end < text.length - start && end < other.length - start && text.at(-1 - end) === other.at(-1 - end)) end++;
  return [text.slice(0, start), h("mark", {}, text.slice(start, text.length - end)), text.slice(text.length - end)];
}

function troubles() {
  const told = [];
  if (trouble.dropped) told.push(plural(trouble.dropped, "line") + " were dropped, because the recorder was slower than the program.");
  if (trouble.unreadable) told.push(plural(trouble.unreadable, "line") + " cannot be read.");
  if (trouble.missing) told.push(plural(trouble.missing, "line") + (trouble.missing === 1 ? " refers" : " refer") + " to texts that are not in the recording.");
  if (about.older) told.push("The store has more dispatches than the latest ones, which are shown here; `hooks store dispatches` lists all.");
  if (trouble.later) told.push("The recording was written by a later version; parts of it may be missing here.");
  return told.map((text) => h("p", { class: "banner bad" }, text));
}

const banners = (of) => [
  of.cut && h("p", { class: "banner" }, "Long texts were cut when this was recorded."),
  of.redacted && h("p", { class: "banner" }, "Secrets were removed when this was recorded."),
  of.full != null && h("p", { class: "banner bad" }, "The recording of this turn reached its size limit: what came later is missing."),
];

// ---- turns

const PAGE = 200;

function searched(query) {
  if (!query) return () => true;
  // A space also finds the end of a line, which nobody can write into the field.
  const found = new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"), "i");
  const hits = new Map();
  const hit = (n) => {
    if (!hits.has(n)) { hits.set(n, false); hits.set(n, found.test(saidIn(n)) || refs[n].some((id) => shared.has(id) && hit(shared.get(id)))); }
    return hits.get(n);
  };
  return (turn) => found.test(turn.key) || (turn.line != null && hit(turn.line)) || turn.dispatches.some((dispatch) => hit(dispatch.n));
}

function selected(query) {
  const matches = searched(query.get("q"));
  const [hook, kind, verdict, failed] = ["hook", "kind", "verdict", "failed"].map((name) => query.get(name));
  // Newest first; without times, that is the one whose lines came last.
  return [...turns.values()].reverse().sort((a, b) => b.at - a.at).filter((turn) => (!hook || turn.hooks.has(hook)) && (!kind || turn.kinds.has(kind)) &&
    (!verdict || turn.words.has(verdict)) && (!failed || turn.failures > 0) && matches(turn));
}

function turnsView(query) {
  const offers = [];
  const choose = (name, title, options) => {
    const select = h("select", { name }, h("option", { value: "" }, "any"));
    offers.push(() => [...new Set([...options(), ...query.getAll(name)])].sort().forEach((option, i) => {
      if (select.options[i + 1]?.value !== option) select.add(h("option", { value: option, selected: query.get(name) === option }, option), i + 1);
    }));
    return h("label", {}, title, select);
  };
  const form = h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
    h("label", {}, "Search", h("input", { type: "search", name: "q", value: (query.get("q") ?? "").replace(/\s+/g, " "), placeholder: "text, id, hook" })),
    choose("hook", "Hook", () => hooks.keys()), choose("kind", "Kind", () => kinds), choose("verdict", "Verdict", () => words),
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "failed", value: "1", checked: query.has("failed") }), "failed only"));
  const told = h("div"), none = h("p", { class: "faint" }, "No turn yet."), count = h("p", { class: "faint" }), body = h("tbody"), more = h("button", {}, "Show more");
  let list = [], at = 0;
  const next = () => { body.append(...list.slice(at, (at += PAGE)).map(turnRow)); more.hidden = at >= list.length; };
  const fill = (rows = 0) => {
    offers.forEach((offer) => offer());
    const data = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    list = selected(data);
    at = 0;
    body.replaceChildren();
    told.replaceChildren(...troubles());
    none.hidden = turns.size > 0;
    do next(); while (at < rows);
    count.textContent = list.length === turns.size ? plural(turns.size, "turn") : `${list.length.toLocaleString("en")} of ${plural(turns.size, "turn")}`;
    const hash = "#/" + (data.size ? "?" + data : "");
    if (location.hash !== hash) history.replaceState(null, "", hash);
  };
  let wait;
  form.addEventListener("input", (event) => { clearTimeout(wait); wait = setTimeout(() => fill(), event.target.name === "q" ? 150 : 0); });
  more.addEventListener("click", next);
  new IntersectionObserver((seen) => { if (seen[0].isIntersecting && at < list.length) next(); }, { rootMargin: "600px" }).observe(more);
  fill();
  refresh = () => keeping(() => fill(at));
  return [h("h2", {}, "Turns"), told, form, count,
    h("table", { class: "turns stack" }, h("caption", { class: "hidden" }, "Turns, newest first"),
      h("thead", {}, h("tr", {}, h("th", { class: "when" }, "Began (UTC)"), h("th", {}, "Conversation, agent"), h("th", { class: "how" }, "Ended"),
        h("th", { class: "number" }, "Time"), h("th", { class: "number" }, "Tokens"), h("th", {}, "Hooks that decided"), h("th", { class: "number" }, "Failures"))), body),
    none, more];
}

function turnRow(turn) {
  const agent = [...(turn.ids.agent_path ?? []), turn.ids.agent ?? ""].filter(Boolean).join(" › ");
  const name = turn.outside ? "outside of turns" : (turn.ids.turn != null ? "turn " + turn.ids.turn : "turn");
  const used = tokens(turn.usage);
  const decided = [...turn.decided];
  return h("tr", {}, h("td", { class: "when mono" }, clock(turn.at) || missing()),
    h("th", { scope: "row" }, link(path("turn", turn.key), `${turn.ids.conversation ?? "no conversation"}, ${name}`), " ", h("span", { class: "faint" }, agent)),
    h("td", { class: "how" }, turn.exit ?? (turn.outside ? "" : h("span", { class: "faint" }, "no end recorded"))),
    h("td", { class: "number", "data-name": "time" }, turn.micros ? time(turn.micros) : ""),
    h("td", { class: "number", "data-name": "tokens" }, used ? used.toLocaleString("en") : ""),
    h("td", {}, decided.slice(0, 3).map(([text, word]) => h("span", { class: "tag " + look(word) }, text)), decided.length > 3 && `and ${decided.length - 3} more`),
    h("td", { class: "number bad", "data-name": "failures" }, turn.failures || ""));
}

// ---- a turn

const isSilent = (dispatch) => !dispatch.word && !dispatch.changed.length && !dispatch.failed.length && !dispatch.decided.length && !dispatch.shadowed.length && !dispatch.error && !dispatch.removed && !differences(dispatch).length;

function turnView([key]) {
  const turn = turns.get(key);
  if (!turn) return notFound("This turn is not in the recording.");
  const recorded = turn.line == null ? null : parsed(turn.line);
  const steps = [...turn.dispatches.map((dispatch) => ({ type: "dispatch", ...dispatch })), ...calls(turn)];
  // Without times, the order of the lines, in which the calls have no place.
  if (steps.every((step) => step.at)) steps.sort((a, b) => a.at - b.at);
  const end = Math.max(turn.at + turn.micros, ...steps.map((step) => step.at + step.micros));
  const bar = (step) => {
    if (!step.at || end <= turn.at) return h("span");
    const part = (micros) => Math.max(0, Math.min(100, (micros / (end - turn.at)) * 100)) + "%";
    return h("div", { class: "bar", "aria-hidden": "true" }, h("i", { style: { left: `min(${part(step.at - turn.at)}, calc(100% - 2px))`, width: part(step.micros) } }));
  };
  const row = (step) => {
    if (step.type !== "dispatch") {
      const within = step.type === "tool" ? [...turns.values()].filter((other) => (other.ids.agent_path ?? []).length > 0 && other.ids.agent === step.name &&
        other.ids.session === (turn.ids.session ?? turn.ids.conversation) && other.at >= step.at && other.at <= step.at + step.micros) : [];
      return h("li", { class: "major " + step.type }, h("div", {}, h("strong", {}, step.type), " ", h("code", {}, step.name), " ",
        h("span", { class: step.bad ? "bad" : "faint" }, step.note), step.usage && h("span", { class: "faint" }, ` ${tokens(step.usage)} tokens`),
        within.map((other) => [" ", link(path("turn", other.key), "its turn")]), payload("what it returned", step.payload)), h("span", { class: "mono" }, step.at ? time(step.micros) : ""), bar(step));
    }
    return h("li", { class: step.depth ? "nested" : "" }, h("div", {}, link(path("turn", key, String(step.n)), h("code", {}, step.kind)), step.call && h("span", { class: "faint" }, " " + step.call), " ",
      step.word && tag(step.word), step.decided.map(([hook]) => h("span", {}, h("code", {}, hook), " ")), step.changed.length > 0 && h("span", {}, "changed by ", step.changed.map((hook) => [h("code", {}, hook), " "])),
      step.shadowed.length > 0 && h("span", { class: "faint" }, "in shadow: ", step.shadowed.map((hook) => [h("code", {}, hook), " "])),
      step.removed && tag("removed"), step.failed.length > 0 && h("span", { class: "bad" }, "failed: ", step.failed.join(", ")), step.error && h("span", { class: "bad" }, " ", step.error),
      differences(step).map((group) => h("span", { class: "warn" }, " today: ", differently(group))),
      isSilent(step) && h("span", { class: "faint" }, plural(step.ran, "hook"))), h("span", { class: "mono" }, took(step)), bar(step));
  };
  // Adjacent dispatches in which nothing happened are one row.
  const rows = [];
  for (const step of steps) {
    const quiet = step.type === "dispatch" && isSilent(step);
    if (quiet && Array.isArray(rows.at(-1))) rows.at(-1).push(step); else rows.push(quiet ? [step] : step);
  }
  const list = h("ol", { class: "sequence" }, rows.map((found) => (!Array.isArray(found) ? row(found) : found.length === 1 ? row(found[0]) :
    h("li", { class: "folded" }, hidden(`${found.length} silent dispatches: ${[...new Set(found.map((step) => step.kind))].join(", ")}`, () => h("ol", { class: "sequence" }, found.map(row)), undefined, "silent")))));
  const used = turn.usage;
  return [h("p", {}, link("/", "Turns")), h("h2", {}, turn.outside ? "Outside of turns" : `Turn ${turn.ids.turn ?? ""}`, " of ", turn.ids.conversation ?? "no conversation"), ...banners(turn),
    h("dl", {}, facts({ agent: [...(turn.ids.agent_path ?? []), turn.ids.agent].filter(Boolean).join(" › ") || null, prompt: turn.ids.prompt, began: turn.at ? clock(turn.at) + " UTC" : null,
      ended: turn.outside ? undefined : turn.exit, took: turn.micros ? time(turn.micros) : null, tokens: used ? `${used.input} in, ${used.output} out` : null, request: turn.ids.request })),
    actions(turn), hidden("What the person wrote, and the reply", () => [h("pre", { tabindex: 0 }, shown(recorded ? textOf(resolved(recorded.inputs?.prompt)) : null) || "not recorded"), h("pre", { tabindex: 0 }, recorded?.reply ?? "not recorded")]),
    list, recorded && payload("The recorded inputs of the turn", resolved(recorded.inputs))];
}

const facts = (of) => Object.entries(of).filter(([, value]) => value !== undefined).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value ?? missing())]);
const textOf = (message) => message?.content?.map((block) => block.text ?? `[${block.type}]`).join("\n") ?? message ?? "";

function actions(turn, of) {
  const show = h("button", { "aria-pressed": String(everything), onclick: () => { everything = !everything; route(); } }, everything ? "Hide payloads" : "Show payloads");
  const download = replayable(turn).length > 0 && h("button", { onclick: () => save(turn) }, "Download this turn");
  return h("p", { class: "actions" }, show, download, !of && replayOf(turn));
}

// The numbers of its lines. What a store has of a dispatch cannot be replayed: it has no payload.
const replayable = (turn) => [...turn.dispatches.filter((dispatch) => !dispatch.stored).map((dispatch) => dispatch.n), turn.line, turn.full].filter((n) => n != null).sort((a, b) => a - b);

// The lines of a turn with what they refer to: a recording of its own, which `hooks replay` reads.
function recordingOf(turn) {
  const out = new Set();
  const put = (n) => { if (!out.has(n)) { for (const id of refs[n]) if (shared.has(id)) put(shared.get(id)); out.add(n); } };
  const header = lines.findIndex((text) => text.startsWith('{"line":"header"'));
  if (header >= 0) put(header);
  replayable(turn).forEach(put);
  return [...out].map((n) => lines[n] + "\n").join("");
}

function save(turn) {
  const url = URL.createObjectURL(new Blob([recordingOf(turn)], { type: "application/jsonl" }));
  h("a", { href: url, download: "turn.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// ---- a dispatch

function dispatchView([key, at]) {
  const turn = turns.get(key), n = Number(at);
  const index = turn?.dispatches.findIndex((dispatch) => dispatch.n === n) ?? -1;
  if (index < 0) return notFound("This dispatch is not in the recording.");
  const line = parsed(n), of = turn.dispatches[index], marks = {};
  marked(marks, line.marks);
  const event = resolved(line.event);
  const runs = line.runs ?? [];
  const unknown = (run) => (isSkipped(run) ? "" : missing());
  let stage = null;
  const rows = runs.map((run) => {
    const same = run.stage != null && run.stage === stage;
    stage = run.stage ?? stage;
    return h("tr", {}, h("td", { "data-name": "stage" }, run.stage == null ? unknown(run) : same ? h("span", { class: "faint" }, `${run.stage + 1} too`) : String(run.stage + 1)),
      h("th", { scope: "row" }, toHook(run.hook), run.shadow && tag("shadow"), run.attribution && h("span", { class: "faint" }, ` for ${rule(run.attribution)}`)),
      h("td", { class: hasFailed(run) ? "bad" : isSkipped(run) ? "faint" : "" }, run.status || missing(), isSkipped(run) && why(run, line.kind, event, runs)),
      h("td", {}, run.word && tag(run.word), isChange(run) && tag("changed"), notes[run.note] && h("div", { class: "faint" }, notes[run.note]),
        run.cause && h("div", { class: "bad" }, run.cause), payload("its verdict", run.verdict && Object.keys(run.verdict).length ? resolved(run.verdict) : null)),
      h("td", { class: "number", "data-name": "time" }, run.micros == null ? unknown(run) : time(run.micros)));
  });
  // What each writer made of the subject.
  let subject = line.subject;
  const changes = runs.filter(isChange).map((run) => {
    const before = subject, after = patched(subject, run.change);
    if (!run.shadow) subject = after;
    return h("section", {}, h("h3", {}, "Changed by ", h("code", {}, run.hook), run.shadow ? " in shadow, without effect" : ""),
      hidden("Before and after", () => difference(resolved(before), resolved(after))));
  });
  const absent = (about.manifest?.hooks ?? []).filter((hook) => hook.at.some((binding) => binding.kind === line.kind) && !runs.some((run) => run.hook === hook.id));
  const beside = (step, name) => turn.dispatches[index + step] && link(path("turn", key, String(turn.dispatches[index + step].n)), name);
  return [h("p", {}, link("/", "Turns"), " › ", link(path("turn", key), `${turn.ids.conversation ?? "no conversation"}, turn ${turn.ids.turn ?? ""}`)),
    h("h2", {}, h("code", {}, line.kind), " ", of.call), ...banners(marks),
    line.whole_input && h("p", { class: "faint" }, "The event and the subject are complete."),
    h("dl", {}, facts({ verdict: runs.length === 0 && !line.word ? undefined : verdict(line), today: today(of), began: of.at ? clock(of.at) + " UTC" : null, took: took(of), place: of.place ?? undefined, error: line.error ?? undefined })),
    actions(turn, of), h("p", { class: "actions" }, beside(-1, "Previous dispatch"), beside(1, "Next dispatch")),
    h("h3", {}, "Plan"), line.runs ? h("table", { class: "stack" }, h("caption", { class: "hidden" }, "The hooks in the order of the plan"), h("thead", {}, h("tr", {}, ["Stage", "Hook", "What it did", "Answer", "Time"].map((name) => h("th", {}, name)))), h("tbody", {}, rows)) :
      h("p", { class: "faint" }, "This is traffic of another program, which had other hooks."),
    absent.length > 0 && hidden(`${plural(absent.length, "hook")} of this kind not in the plan`, () => h("ul", {}, absent.map((hook) => h("li", {}, toHook(hook.id), ": no list of this scope names it"))), false),
    ...changes, h("h3", {}, "Payload"), payload("The event", event), payload(changes.length ? "The subject before" : "The subject", resolved(line.subject)),
    changes.length > 0 && !line.removed && payload("The subject after", resolved(subject)), line.removed && h("p", {}, "The subject was removed."), payload("The verdict", resolved(line.verdict))];
}

const notes = { allow_outdated: "Its allow was discarded: a later hook changed the subject.", fallback_answered: "It failed, and its fallback answered.",
  shadow: "In shadow: without effect.", subject_frozen: "Its change was dropped: an earlier hook had asked about the unchanged subject." };
const rule = (by) => [by.id, by.file && `${by.file}${by.line ? ":" + by.line : ""}`, by.plugin && "plugin " + by.plugin].filter(Boolean).join(", ");

// The verdict, whose it is, and what a failure did.
function verdict(line) {
  if (!line.word) return "no hook decided";
  const value = resolved(line.verdict) ?? {};
  const run = line.runs?.find((run) => run.word === line.word && !run.shadow), who = value.by ?? run?.hook;
  const reason = typeof value.reason === "string" ? value.reason : value.reason?.message ?? (value.reason ? shown(value.reason) : null);
  if (value.cause?.could_not_answer) {
    const cause = line.runs?.find((other) => other.hook === who)?.cause;
    return [tag(line.word), "because ", toHook(who ?? "a hook"), ` failed (${value.cause.could_not_answer.replaceAll("_", " ")})`, cause ? `: ${cause}` : ""];
  }
  return [tag(line.word), who ? ["by ", toHook(hooks.has(who) ? who : run?.hook, who)] : "", value.attribution ? " for " + rule(value.attribution) : "", reason ? `: ${reason}` : ""];
}

// Why a hook did not run: its filters beside the event, or another hook.
function why(run, kind, event, runs) {
  const by = runs.find((other) => other.word && !other.shadow && other.stage === run.stage);
  if (run.status === "cancelled" && by) return h("div", {}, "cut off by ", toHook(by.hook), " of its stage: ", by.word);
  const only = Object.entries(about.manifest?.hooks.find((hook) => hook.id === run.hook)?.at.find((at) => at.kind === kind)?.only ?? {});
  if (only.length === 0 || !run.status.includes("filter")) return null;
  const value = (field) => (field === "tool" ? event?.call?.name ?? event?.tool : event?.[field]) ?? "?";
  return only.map(([field, pattern]) => h("div", {}, `${field} is `, h("code", {}, shown(value(field))), ", the filter wants ", h("code", {}, pattern)));
}

// ---- hooks

function hooksView() {
  const known = new Map((about.manifest?.hooks ?? []).map((hook) => [hook.id, hook]));
  const ids = [...new Set([...known.keys(), ...hooks.keys()])].sort();
  const row = (id) => {
    const hook = hooks.get(id), decided = [...(hook?.decided ?? [])];
    return h("tr", {}, h("th", { scope: "row" }, toHook(id), h("div", { class: "faint" }, known.get(id)?.description.split("\n")[0])),
      h("td", { class: "number", "data-name": "runs" }, hook?.runs ?? 0), h("td", { class: "number", "data-name": "changed" }, hook?.changed || ""),
      h("td", {}, decided.map(([word, count]) => h("span", { class: "tag " + look(word) }, `${word} ${count}`)), hook?.shadowed > 0 && h("span", { class: "tag" }, `in shadow ${hook.shadowed}`)), h("td", { class: "number bad", "data-name": "failed" }, hook?.failed || ""),
      h("td", { class: "number", "data-name": "p50" }, time(percentile(hook?.times ?? [], 0.5))), h("td", { class: "number", "data-name": "p95" }, time(percentile(hook?.times ?? [], 0.95))));
  };
  return [h("h2", {}, "Hooks"), h("p", { class: "faint" }, about.manifest ? "The compiled hooks of this program, and those in the recording." : "The hooks in the recording. The program that made it shows its own with `report` and `inspect`."),
    h("table", { class: "stack" }, h("caption", { class: "hidden" }, "Hooks"), h("thead", {}, h("tr", {}, h("th", {}, "Hook"), ["Runs", "Changed"].map((name) => h("th", { class: "number" }, name)), h("th", {}, "Decided"), ["Failed", "p50", "p95"].map((name) => h("th", { class: "number" }, name)))),
      h("tbody", {}, ids.map(row)))];
}

function hookView([id]) {
  const hook = hooks.get(id), known = about.manifest?.hooks.find((one) => one.id === id);
  if (!hook && !known) return notFound("No hook has this id here.");
  const scopes = (about.scopes ?? []).flatMap((scope) => [
    ...scope.plan.filter((planned) => planned.hook === id).map((planned) => h("li", {}, scope.owners, ", ", h("code", {}, planned.kind), `, stage ${planned.stage + 1}: `, h("code", {}, planned.text))),
    ...scope.left_out.filter((out) => out.hook === id).map((out) => h("li", { class: "warn" }, scope.owners, ", ", h("code", {}, out.kind), ": left out, ", out.why)) ]);
  const findings = (about.audit ?? []).filter((text) => text.includes("`" + id + "`"));
  const options = (at) => Object.entries(at).filter(([name, value]) => name !== "kind" && value !== false && value != null).map(([name, value]) => [h("dt", {}, name), h("dd", {}, h("code", {}, shown(value)))]);
  return [h("p", {}, link("/hooks", "Hooks")), h("h2", {}, h("code", {}, id)), known && h("p", {}, known.description),
    known?.origin && h("p", { class: "faint mono" }, [known.origin.file, known.origin.line].filter(Boolean).join(":"), known.plugin ? `, plugin ${known.plugin}` : "", known.locked ? ", locked" : ""),
    h("h3", {}, "Runs"), hook ? h("dl", {}, facts({ runs: [plural(hook.runs, "run"), skips(hook)], changed: String(hook.changed), failed: String(hook.failed),
      decided: [...hook.decided].map(([word, count]) => `${word} ${count}`).join(", ") || "nothing", "in shadow": hook.shadowed ? plural(hook.shadowed, "answer") + " without effect" : undefined, "p50, p95": hook.times.length ? `${time(percentile(hook.times, 0.5))}, ${time(percentile(hook.times, 0.95))}` : null })) : h("p", {}, "It does not occur in this recording."),
    hook && h("p", { class: "actions" }, link("/?hook=" + encodeURIComponent(id), "Its turns"), hook.last && link(path("turn", hook.last.turn, String(hook.last.n)), "Its last run")),
    known && h("h3", {}, "Options"), (known?.at ?? []).map((at) => h("div", { class: "card" }, h("code", {}, at.kind), h("dl", {}, options(at)))),
    h("h3", {}, "Scopes"), !about.scopes ? h("p", { class: "faint" }, "The app's own `report` shows its options and scopes.") : scopes.length ? h("ul", {}, scopes) : h("p", { class: "warn" }, "No list of the scopes of this program names it, so it does not run."),
    findings.length > 0 && [h("h3", {}, "Findings"), h("ul", {}, findings.map((text) => h("li", { class: "warn" }, text)))]];
}

// How often a hook did not run, and why, each with an example.
function skips(hook) {
  const reasons = [...hook.skipped], count = reasons.reduce((sum, [, skipped]) => sum + skipped.count, 0);
  return [`, ${count} skipped`, reasons.map(([reason, { turn, n, count }], i) => [i ? ", " : ": ", link(path("turn", turn, String(n)), `${reason} (${count})`)])];
}

function checksView() {
  const audit = about.audit ?? [];
  return [h("h2", {}, "Checks"), audit.length ? h("ul", {}, audit.map((text) => h("li", {}, text))) : h("p", {}, "Nothing suspicious was found."),
    (about.scopes ?? []).map((scope) => hidden(scope.owners, () => h("table", { class: "stack" }, h("tbody", {}, scope.plan.map((planned) => h("tr", {}, h("td", {}, h("code", {}, planned.kind)), h("td", {}, String(planned.stage + 1)), h("th", { scope: "row" }, toHook(planned.hook)), h("td", { class: "mono" }, planned.text)))))))];
}

// ---- replay

// That only the lists, the options or the order of hooks differ changes no dispatch.
const quiet = ["added", "gone", "revised", "order"];
const effects = (about.replay?.groups ?? []).filter((group) => !quiet.includes(group.examples[0]?.difference));
const byPlace = new Map();
for (const group of effects) for (const place of group.places ?? []) byPlace.set(place, [...(byPlace.get(place) ?? []), group]);
const leftOut = new Set(about.replay?.left_out);
const differences = (dispatch) => byPlace.get(dispatch.place) ?? [];

// What today's hooks do differently.
function differently({ flip, hook, title, counterfactual, uncertain }) {
  const by = hook ? toHook(hook) : null;
  const said = !flip ? [by, " ", title] : flip.to === "none" ? ["no longer ", flip.from, by && [" by ", by]] : [flip.to, by && [" by ", by], title.replace(`${flip.from} → ${flip.to}`, "")];
  return [said, counterfactual ? ", after the turn diverged" : "", uncertain ? ", perhaps only because the recording is incomplete" : ""];
}

// What today's hooks do at a dispatch, if it was replayed: nested ones are not alone, and of a turn perhaps not the end.
function today(dispatch) {
  const found = differences(dispatch);
  if (found.length) return found.map((group) => h("div", { class: "warn" }, differently(group)));
  return about.replay && dispatch.place != null && !dispatch.depth && !about.replay.turns && !trouble.later ? (leftOut.has(dispatch.place) ? "not compared" : "the same") : undefined;
}

function replayOf(turn) {
  if (!about.replay) return null;
  const differing = turn.dispatches.filter((dispatch) => differences(dispatch).length);
  return differing.length ? link(path("turn", turn.key, String(differing[0].n)), differing.length === 1 ? "1 dispatch differs today" : `${differing.length} dispatches differ today`) : link("/replay", "Today's hooks");
}

function toPlace(place) {
  const at = places.get(place);
  return at ? link(path("turn", at.turn, String(at.n)), place) : h("code", {}, place);
}

function replayView() {
  const report = about.replay;
  if (!report) return [h("h2", {}, "Replay"), h("p", {}, "This page was made without a replay. A program that has hooks adds one with ", h("code", {}, "HooksPage::replay"), ".")];
  return [h("h2", {}, "Replay with today's hooks"), h("p", {}, report.headline), report.notes.map((text) => h("p", { class: "banner" }, text)),
    report.problems.map((text) => h("p", { class: "banner bad" }, text)), report.failed > report.problems.length && h("p", { class: "banner bad" }, `and ${report.failed - report.problems.length} more`),
    report.groups.map((group) => h("div", { class: "card" }, h("h3", {}, `${group.count} × `, h("code", {}, group.kind), " ", group.hook && toHook(group.hook), " ", group.title, group.counterfactual ? ", after the turn diverged" : "", group.uncertain ? ", perhaps only because the recording is incomplete" : ""),
      group.examples.map((example) => h("div", {}, toPlace(example.place), example.diff && h("pre", { tabindex: 0 }, example.diff.split("\n").filter((text) => !text.startsWith("@@")).map((text) =>
        h(text[0] === "+" ? "ins" : text[0] === "-" ? "del" : "span", {}, text, /^[+-]/.test(text) ? null : "\n"))), payload("the difference", example))),
      group.places?.length > group.examples.length && hidden(`all ${group.places.length} places`, () => h("ul", {}, group.places.map((place) => h("li", {}, toPlace(place)))), false))),
    report.slower.length > 0 && [h("h3", {}, "Slower"), h("ul", {}, report.slower.map((slow) => h("li", {}, toHook(slow.hook), ` takes ${time(slow.replayed)} instead of ${time(slow.recorded)} (medians)`)))],
    Object.entries({ ...report.not_started, ...report.other }).map(([what, count]) => h("p", { class: "faint" }, `Not run: ${count} × ${what}`))];
}

const notFound = (text) => [h("h2", {}, "Not found"), h("p", {}, text), h("p", {}, link("/", "All turns"))];
