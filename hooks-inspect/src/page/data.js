"use strict";
// The recording: each line stays text, and is parsed again when somebody looks at it. What lists show is kept.

const about = JSON.parse(document.getElementById("about").textContent);
const lines = [], refs = [];
const shared = new Map();
const turns = new Map();
const hooks = new Map();
// Where each dispatch is, by its place in the files; and the place of the line that is read, which no line of a server has.
const places = new Map(), reading = { file: 0, line: 0 };
const words = new Set(), kinds = new Set();
const trouble = { unreadable: 0, missing: 0, dropped: 0, later: false };

// Numbers that JavaScript would write differently stay as they are written.
const keep = (key, value, context) => (typeof value === "number" && context?.source !== String(value) && JSON.rawJSON ? JSON.rawJSON(context.source) : value);
// Most lines have none of them, and are read much faster.
const exact = (text) => JSON.parse(text, /\d{17}|9\d{15}|\d\.\d|\d[eE]/.test(text) ? keep : undefined);
const isRaw = (value) => JSON.isRawJSON?.(value) ?? false;
const parsed = (n) => whole(exact(lines[n]));

const references = (text) => [...text.matchAll(/"\$(message|value):([0-9a-f]{16})"/g)].map(([, what, id]) => what + id);

// What lists and addresses rely on. All else is only shown.
const forms = { kind: "string", word: "string", error: "string", at: "number", micros: "number", depth: "number", hook: "string", status: "string", stage: "number", note: "string",
  cause: "string", conversation: "string", session: "string", request: "string", turn: "number", agent: "string", exit: "string", reply: "string", id: "string", count: "number", schema: "number" };
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value, is) => value == null || (Array.isArray(value) && value.every(is));
const fits = (of) => isObject(of) && Object.entries(of).every(([name, value]) => value == null || !Object.hasOwn(forms, name) || typeof value === forms[name]);
const isRun = (run) => fits(run) && isList(run.change, (step) => isObject(step) && typeof step.path === "string");

// A line as `hooks replay` reads it: what it lacks has a default. An error if it is none.
function read(text) {
  // No other reader takes half a character, nor can an address have one.
  const half = (key, value) => { if (/\p{Surrogate}/u.test(key) || (typeof value === "string" && /\p{Surrogate}/u.test(value))) throw new Error("half a character"); return value; };
  const line = JSON.parse(text, /\\ud[89a-f]/i.test(text) ? half : undefined);
  if (!fits(line) || !fits(line.ids ?? {}) || !isList(line.ids?.agent_path, (agent) => typeof agent === "string") || !isList(line.runs, isRun) || !isList(line.marks, (mark) => typeof mark === "string")) throw new Error("no line");
  return whole(line);
}
const whole = (line) => ({ ...line, kind: line.kind ?? "", ids: line.ids ?? {}, runs: line.runs?.map((run) => ({ ...run, hook: run.hook ?? "", status: run.status ?? "" })) });

function turnOf(ids) {
  const place = ids.conversation ?? "";
  const key = ids.request ?? (ids.turn == null ? "outside:" + place : place + ":" + ids.turn);
  let turn = turns.get(key);
  if (!turn) {
    const outside = ids.request == null && ids.turn == null;
    turn = { key, ids, outside, at: 0, micros: 0, usage: null, exit: null, line: null, dispatches: [], decided: new Map(),
      failures: 0, kinds: new Set(), hooks: new Set(), words: new Set(), cut: false, redacted: false, full: null };
    turns.set(key, turn);
  }
  return turn;
}

function hookOf(id) {
  let hook = hooks.get(id);
  if (!hook) hooks.set(id, (hook = { id, runs: 0, skipped: new Map(), changed: 0, failed: 0, shadowed: 0, decided: new Map(), times: [], kinds: new Set(), last: null }));
  return hook;
}

const isSkipped = (run) => /^(skipped|cancelled)/.test(run.status);
const hasFailed = (run) => /^(failed|timed out|panicked|dropped)/.test(run.status);
const isChange = (run) => Array.isArray(run.change) && run.change.length > 0;

// The marks of a line in words.
function marked(of, marks) {
  for (const mark of marks ?? []) if (mark === "cut") of.cut = true; else if (mark === "redacted") of.redacted = true;
}

// Whether the recording has this dispatch of the store too. The ids, the runs and their times, to the microsecond, come from one
// record; the clocks of both were read one after the other.
const twins = new Map();
function isTwin(line) {
  if (!about.state) return false;
  const { conversation, request, turn, agent } = line.ids, ran = (line.runs ?? []).filter((run) => !isSkipped(run));
  const key = JSON.stringify([line.kind, conversation, request, turn, agent, line.micros ?? 0, line.word, ...ran.map((run) => [run.hook, run.status, run.word, run.micros])]);
  if (!twins.has(key)) twins.set(key, []);
  const times = twins.get(key);
  if (!line.stored) { times.push(line.at); return false; }
  const twin = times.findIndex((at) => Math.abs(at - line.at) < 1e6);
  return twin >= 0 && times.splice(twin, 1).length > 0;
}

function addDispatch(line, n) {
  if (isTwin(line)) return;
  const turn = turnOf(line.ids);
  const file = about.files?.[reading.file], place = file == null ? null : `${file}:${reading.line}`;
  if (place != null) places.set(place, { turn: turn.key, n });
  const dispatch = { n, place, kind: line.kind, at: line.at ?? 0, micros: line.micros ?? 0, word: line.word ?? null, error: line.error ?? null,
    removed: !!line.removed, stored: !!line.stored, depth: line.depth ?? 0, call: line.event?.call?.name ?? null, ran: 0, changed: [], decided: [], shadowed: [], failed: [] };
  for (const run of line.runs ?? []) {
    const hook = hookOf(run.hook);
    hook.kinds.add(line.kind);
    turn.hooks.add(run.hook);
    if (isSkipped(run)) {
      // Why it did not run, how often for that, and where that was last.
      const reason = run.status.replace("skipped: ", "");
      hook.skipped.set(reason, { count: (hook.skipped.get(reason)?.count ?? 0) + 1, turn: turn.key, n });
      continue;
    }
    hook.runs++; dispatch.ran++;
    hook.last = { turn: turn.key, n };
    if (run.micros != null) hook.times.push(run.micros);
    if (hasFailed(run)) { hook.failed++; dispatch.failed.push(run.hook); }
    // What a hook says in shadow has no effect.
    if (run.shadow) { if (run.word || isChange(run)) { hook.shadowed++; dispatch.shadowed.push(run.hook); } continue; }
    if (isChange(run)) { hook.changed++; dispatch.changed.push(run.hook); }
    if (run.word) {
      hook.decided.set(run.word, (hook.decided.get(run.word) ?? 0) + 1);
      dispatch.decided.push([run.hook, run.word]);
      turn.decided.set(`${run.hook}: ${run.word}`, run.word);
      turn.words.add(run.word);
    }
  }
  if (line.word) { words.add(line.word); turn.words.add(line.word); }
  if (dispatch.failed.includes(line.verdict?.by)) turn.decided.set(`${line.verdict.by}: ${line.word} (failed)`, line.word);
  // The error of a dispatch is usually the failure of a hook.
  turn.failures += dispatch.failed.length || (line.error ? 1 : 0);
  kinds.add(line.kind);
  turn.kinds.add(line.kind);
  marked(turn, line.marks);
  if (!turn.at || (dispatch.at && dispatch.at < turn.at)) turn.at = dispatch.at;
  if (turn.line == null && dispatch.at) turn.micros = Math.max(turn.micros, dispatch.at + dispatch.micros - turn.at);
  turn.dispatches.push(dispatch);
}

// Adds a line of a recording. Returns whether lists may show something new. A recording ends with an empty line, and its own empty
// lines have a space.
function add(text) {
  if (!text) { Object.assign(reading, { file: reading.file + 1, line: 0 }); return false; }
  reading.line++;
  if (text === " ") return false;
  let line;
  try { line = read(text); } catch { trouble.unreadable++; return true; }
  const n = lines.push(text) - 1;
  refs.push(references(text));
  if (refs[n].some((id) => !shared.has(id))) trouble.missing++;
  switch (line.line) {
    case "header": if (line.schema > about.schema) trouble.later = true; break;
    case "message": case "value": shared.set(line.line + line.id, n); return false;
    case "dispatch": addDispatch(line, n); break;
    case "turn": {
      const turn = turnOf(line.ids);
      Object.assign(turn, { ids: line.ids, line: n, exit: line.exit, usage: line.usage ?? null });
      turn.at = line.at || turn.at;
      turn.micros = line.micros || turn.micros;
      marked(turn, line.marks);
      break;
    }
    case "full": if (line.request) turnOf({ request: line.request }).full = n; break;
    case "dropped": trouble.dropped += line.count ?? 0; break;
    default: trouble.unreadable++;
  }
  return true;
}

// What people, models, tools and hooks said in a line: values, without the names of fields, and no times.
const said = [];
const leaves = (value) => (isRaw(value) ? value.rawJSON : typeof value === "object" && value ? Object.values(value).flatMap(leaves) : value == null || typeof value === "boolean" ? [] : String(value));
function saidIn(n) {
  if (said[n] != null) return said[n];
  const { line, id, at, micros, depth, marks, dispatches, runs, ...rest } = parsed(n);
  const ran = runs?.map(({ micros, stage, revision, change, ...run }) => [run, change?.map((step) => step.value)]);
  return (said[n] = leaves([rest, ran]).join("\0"));
}

// Puts what `$message:id` and `$value:id` refer to in their places.
function resolved(value) {
  if (typeof value === "string") {
    const found = /^\$(message|value):([0-9a-f]{16})$/.exec(value);
    if (found) {
      const n = shared.get(found[1] + found[2]);
      return n == null ? value + " (not in the recording)" : resolved(parsed(n).value);
    }
    return /^\$+(message|value):/.test(value) ? value.slice(1) : value;
  }
  if (Array.isArray(value)) return value.map(resolved);
  if (value && typeof value === "object" && !isRaw(value)) return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, resolved(field)]));
  return value;
}

// Applies a JSON patch (RFC 6902), of which recordings have additions, removals and replacements.
function patched(subject, change) {
  let root = exact(JSON.stringify(subject ?? null));
  for (const { op, path, value } of change) {
    const parts = path.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (parts.length === 0) { root = op === "remove" ? null : value; continue; }
    const last = parts.pop();
    const at = parts.reduce((place, part) => place?.[part], root);
    if (at == null || typeof at !== "object") continue; // its place was cut
    if (Array.isArray(at)) {
      const index = last === "-" ? at.length : Number(last);
      if (op === "add") at.splice(index, 0, value); else if (op === "remove") at.splice(index, 1); else at[index] = value;
    } else if (op === "remove") delete at[last];
    else Object.defineProperty(at, last, { value, enumerable: true, writable: true, configurable: true });
  }
  return root;
}

// Lines of two texts: [" " | "-" | "+", text].
function compared(before, after) {
  const a = before.split("\n"), b = after.split("\n");
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const x = a.slice(start, a.length - end), y = b.slice(start, b.length - end), middle = [];
  if (x.length * y.length > 1e6) middle.push(...x.map((text) => ["-", text]), ...y.map((text) => ["+", text]));
  else {
    const width = y.length + 1, common = new Uint32Array((x.length + 1) * width);
    for (let i = x.length - 1; i >= 0; i--) for (let j = y.length - 1; j >= 0; j--)
      common[i * width + j] = x[i] === y[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    let i = 0, j = 0;
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && x[i] === y[j]) { middle.push([" ", x[i]]); i++; j++; }
      else if (i < x.length && (j === y.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) middle.push(["-", x[i++]]);
      else middle.push(["+", y[j++]]);
    }
  }
  return [...a.slice(Math.max(0, start - 3), start).map((text) => [" ", text]), ...middle, ...a.slice(a.length - end, a.length - end + 3).map((text) => [" ", text])];
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");

// Between the two nearest times, as the median of two is.
function percentile(times, part) {
  if (times.length === 0) return null;
  const sorted = Float64Array.from(times).sort(), place = (sorted.length - 1) * part, low = sorted[Math.floor(place)];
  return Math.round(low + (sorted[Math.ceil(place)] - low) * (place % 1));
}

// The model calls and the runs of tools of a turn, where it was recorded.
function calls(turn) {
  if (turn.line == null) return [];
  const inputs = resolved(parsed(turn.line)).inputs;
  if (!inputs) return [];
  const answers = (inputs.answers ?? []).map((answer) => {
    const ok = answer.outcome?.Ok, error = answer.outcome?.Err;
    const error_text = error && (typeof error === "string" ? error : Object.entries(error).map(([name, why]) => name + ": " + shown(why)).join());
    return { type: "model", name: ok?.model || inputs.profile || inputs.profiles?.[0] || "model", at: answer.time?.at ?? 0, micros: answer.time?.micros ?? 0,
      note: error_text ?? ok?.stop_reason ?? "", usage: ok?.usage, bad: !!error, payload: answer.outcome };
  });
  const results = (inputs.results ?? []).map((result) => ({ type: "tool", name: result.tool, at: result.time?.at ?? 0, micros: result.time?.micros ?? 0,
    note: result.waits ? "waits for an approval" : result.result?.is_error ? "error" : "", bad: !!result.result?.is_error, payload: { call: result.call, result: result.result } }));
  return [...answers, ...results];
}
