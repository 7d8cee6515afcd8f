// What a server adds: new lines as they are written, questions and jobs.

const token = new URLSearchParams(location.search).get("t");
const address = (name, more) => { const query = new URLSearchParams({ ...(token && { t: token }), ...more }); return location.pathname.replace(/\/?$/, "/") + name + (query.size ? "?" + query : ""); };

async function post(what, body) {
  const answer = await fetch(address("api/" + what), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text || `the server answers ${answer.status}`);
  return text;
}

async function follow() {
  const status = document.getElementById("live");
  try {
    const answer = await fetch(address("api/lines"));
    if (!answer.ok) throw new Error(await answer.text());
    await addAll(await answer.text());
    const events = new EventSource(address("api/events", { from: answer.headers.get("x-next") ?? "0" }));
    let due = null;
    // Nothing is replaced that somebody has selected.
    const show = () => { due = getSelection().type === "Range" ? setTimeout(show, 500) : null; if (due == null) refresh(); };
    events.addEventListener("line", (event) => { if (add(event.data)) due ??= setTimeout(show, 500); });
    events.addEventListener("state", (event) => {
      state = JSON.parse(event.data);
      const [, name] = location.hash.split("/");
      navigation(name ?? "");
      if ((name === "jobs" || name === "questions") && !isBusy()) redraw();
    });
    events.addEventListener("open", () => { status.textContent = "live"; });
    events.addEventListener("error", () => { status.textContent = "not connected"; });
  } catch (error) { status.textContent = String(error.message ?? error); route(); }
}

// Whether somebody writes an answer, or is about to act: the view must not be replaced under their hands.
const fields = (of) => [...of.querySelectorAll("textarea, input")];
const isBusy = () => main.contains(document.activeElement?.closest("button, input, textarea, summary")) || fields(main).some((field) => field.value !== field.defaultValue);

function act(text, what, body, done) {
  const button = h("button", { onclick: async () => {
    button.disabled = true;
    try { say(await post(what, body())); fields(button.closest("section") ?? button).forEach((field) => { field.value = field.defaultValue; }); done?.(); } catch (error) { button.after(h("span", { class: "bad", role: "alert" }, " " + error.message)); }
    button.disabled = false;
  } }, text);
  return button;
}

const asText = (question) => (typeof question === "string" ? question : question?.reason?.message ?? question?.reason ?? shown(question));

function questionsView() {
  const card = (stored) => {
    const request = stored.request ?? {};
    const reason = h("input", { name: "reason", autocomplete: "off" }), edited = h("textarea", { spellcheck: "false" });
    edited.defaultValue = stored.input;
    const yes = () => ({ id: stored.id, yes: true, ...(edited.value !== stored.input && { input: edited.value }) });
    const buttons = stored.answer ? h("p", {}, "Answered; no turn has acted on it yet.") : stored.expired ? h("p", {}, "It has expired, which counts as a no.") : about.live ? [
      hidden("Edit the input", () => h("label", {}, "The input as the call gets it", edited), false), h("label", {}, "Reason of a no, which the model reads ", reason),
      h("p", { class: "actions" }, act("Yes", "answer", yes), act("No", "answer", () => ({ id: stored.id, yes: false, reason: reason.value })))] :
      h("p", { class: "faint" }, "Answer it with `hooks store answer`, or with `hooks inspect`.");
    return h("section", { class: "card" }, h("h3", {}, asText(request.question)), h("dl", {}, facts({ tool: request.call?.name, by: request.question?.by ?? undefined, agent: request.agent,
      conversation: request.conversation, asked: stored.asked_at ? clock(stored.asked_at * 1000) + " UTC" : null, expires: stored.expires_at ? clock(stored.expires_at * 1000) + " UTC" : undefined, id: stored.id })),
      payload("The input", stored.input), buttons);
  };
  return [h("h2", {}, "Questions"), state.questions.length ? state.questions.map(card) : h("p", { class: "faint" }, "Nobody waits for an answer.")];
}

function jobsView() {
  const again = (job) => ["failed", "interrupted", "quarantined"].includes(job.status), once = (job) => again(job) || job.status === "cancelled";
  const row = (job) => h("tr", {}, h("th", { scope: "row" }, toHook(job.hook), h("div", { class: "faint mono" }, `${job.conversation} ${job.id}`)), h("td", { class: again(job) ? "bad" : "" }, job.status, job.cause && h("div", {}, job.cause)),
    h("td", { "data-name": "attempt" }, `${job.attempt} of ${job.max_attempts}`), h("td", { "data-name": "worker" }, job.worker ?? ""), h("td", { "data-name": "runs" }, clock(job.run_at * 1000)),
    h("td", {}, about.live && (once(job) ? act("Retry", "retry", () => ({ id: job.id })) : job.status === "queued" && act("Cancel", "cancel", () => ({ id: job.id })))));
  const heads = ["Hook", "Status", "Attempt", "Worker", "Runs at (UTC)"].map((name) => h("th", {}, name));
  return [h("h2", {}, "Background runs"), state.more_jobs && h("p", { class: "banner" }, `Only the latest ${state.jobs.length} are shown; \`hooks store runs\` lists all.`), state.jobs.length ? h("table", { class: "stack" }, h("caption", { class: "hidden" }, "Background runs, latest first"),
    h("thead", {}, h("tr", {}, heads, h("th", {}, h("span", { class: "hidden" }, "Actions")))), h("tbody", {}, state.jobs.map(row))) : h("p", { class: "faint" }, "No background run.")];
}
