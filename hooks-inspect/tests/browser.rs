//! The page in a browser, which runs it and tells what is there then.

use hooks_inspect::HooksPage;
use serde_json::json;

use crate::driver::{Browser, Lent};
use crate::file::html;

thread_local! {
    /// For all pages of a test.
    static BROWSER: Option<Lent> = Browser::open();
}

/// The main part of the document after the scripts of `html` ran, at the address `#hash`.
pub(crate) fn dom(html: &str, hash: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, html).unwrap();
    BROWSER.with(|browser| {
        let browser = browser.as_ref()?;
        browser.go(&format!("file://{}#{hash}", file.display()));
        browser.until("document.body.dataset.ready");
        Some(browser.run("document.querySelector('main').outerHTML").as_str().unwrap().to_owned())
    })
}

/// A recording with `evil` wherever a text can be.
pub(crate) fn recording(evil: &str) -> String {
    let ids = json!({ "conversation": evil, "agent": evil, "request": "r1", "turn": 1, "prompt": evil });
    let lines = [
        json!({ "line": "header", "schema": 2, "program": evil, "written_by": evil, "started": 0, "field": 1 }),
        json!({ "line": "dispatch", "kind": evil, "ids": ids, "event": { "call": { "name": evil, "input": evil } }, "subject": { "text": evil },
            "runs": [
                { "hook": evil, "status": "failed", "word": evil, "cause": evil, "micros": 5, "stage": 0, "verdict": { "by": evil, "reason": evil },
                  "note": evil, "attribution": { "id": evil, "file": evil, "plugin": evil } },
                { "hook": "cut", "status": "completed", "stage": 1, "change": [{ "op": "replace", "path": "/text", "value": "new" }] },
            ],
            "word": evil, "verdict": { "by": evil, "reason": evil }, "error": evil, "at": 10, "micros": 5, "marks": ["redacted"] }),
        json!({ "line": "turn", "ids": ids, "exit": evil, "reply": evil, "inputs": { "prompt": { "content": [{ "type": "text", "text": evil }] },
            "answers": [{ "outcome": { "Err": { "Broken": evil } }, "time": { "at": 11, "micros": 1 } }],
            "results": [{ "call": evil, "tool": evil, "result": { "is_error": true } }] }, "at": 1, "micros": 50 }),
    ];
    lines.map(|line| line.to_string()).join("\n")
}

#[test]
fn a_script_in_every_field_stays_text() {
    let evil = "<script>document.title='x'</script><img src=x onerror=alert(1)>";
    let page = html(&HooksPage::new(evil), &recording(evil));
    let encoded = evil.bytes().fold(String::new(), |text, byte| text + &format!("%{byte:02X}"));
    for hash in ["/", "/turn/r1", "/turn/r1/1", "/hooks", &format!("/hook/{encoded}"), "/nothing", &encoded] {
        let Some(seen) = dom(&page, hash) else { return };
        assert!(!seen.contains("<script") && !seen.contains("<img"), "{hash}: {seen}");
    }
    let Some(seen) = dom(&page, "/turn/r1/1") else { return };
    assert!(seen.contains("&lt;script&gt;"), "{seen}");
}

#[test]
fn a_turn_and_a_dispatch_are_shown() {
    let page = html(&HooksPage::new("desk"), &recording("pay_out"));
    let Some(turns) = dom(&page, "/") else { return };
    assert!(turns.contains("1 turn") && turns.contains("pay_out: pay_out"), "{turns}");
    let turn = dom(&page, "/turn/r1").unwrap();
    for text in ["Secrets were removed", "failed: ", "Broken: pay_out", "changed by "] {
        assert!(turn.contains(text), "{text}: {turn}");
    }
    let dispatch = dom(&page, "/turn/r1/1").unwrap();
    for text in ["Changed by ", "for pay_out, pay_out, plugin pay_out", ">failed<", "by <a"] {
        assert!(dispatch.contains(text), "{text}: {dispatch}");
    }
    assert!(!dispatch.contains("<ins>"), "a payload is shown before somebody asked for it");
    assert!(dom(&page, "/?verdict=deny").unwrap().contains("0 of 1 turn"));
}

#[test]
fn a_hook_that_was_cut_off_and_a_rule_that_decided_lead_to_who_did_it() {
    let runs = json!([{ "hook": "rules_pre_tool_use", "status": "completed", "stage": 0, "word": "deny", "micros": 3 },
        { "hook": "watches", "status": "cancelled", "stage": 0 }]);
    let mut line: serde_json::Value = serde_json::from_str(&dispatch("r1", 1, Some("deny"), &runs)).unwrap();
    line["verdict"] = json!({ "by": "pre_tool_use_1", "reason": "no" });
    let page = html(&HooksPage::new("desk"), &line.to_string());
    let Some(seen) = dom(&page, "/turn/r1/0") else { return };
    let hook = |name: &str| format!("<a href=\"#/hook/rules_pre_tool_use\"><code>{name}</code></a>");
    assert!(seen.contains(&format!("cut off by {} of its stage: deny", hook("rules_pre_tool_use"))), "{seen}");
    assert!(seen.contains(&format!("by {}: no", hook("pre_tool_use_1"))), "{seen}");
    assert!(!seen.contains("not recorded"), "{seen}");
    assert!(dom(&page, "/hook/watches").unwrap().contains("0 runs, 1 skipped"), "it did not run");
}

#[test]
fn a_hook_that_never_ran_says_why_and_where() {
    let skipped = |why: &str| json!([{ "hook": "no_deletes", "status": format!("skipped: {why}") }]);
    let (filter, decided) = (skipped("its filter did not match"), skipped("an earlier verdict is final"));
    let lines = [&filter, &filter, &decided].map(|runs| dispatch("r1", 1, None, runs));
    let Some(seen) = dom(&html(&HooksPage::new("desk"), &lines.join("\n")), "/hook/no_deletes") else { return };
    let reasons = "0 runs, 3 skipped: <a href=\"#/turn/r1/1\">its filter did not match (2)</a>, \
                   <a href=\"#/turn/r1/2\">an earlier verdict is final (1)</a>";
    assert!(seen.contains(reasons) && seen.contains("The app's own `report` shows its options and scopes."), "{seen}");
}

#[test]
fn a_gate_that_failed_is_told_with_its_cause_and_as_who_denied() {
    let run = json!([{ "hook": "needs_state", "status": "failed", "cause": "no state", "micros": 3 }]);
    let mut line: serde_json::Value = serde_json::from_str(&dispatch("r1", 1, Some("deny"), &run)).unwrap();
    line["verdict"] = json!({ "permission": "deny", "by": "needs_state", "cause": { "could_not_answer": "timed_out" },
        "reason": "the hook `needs_state` failed (timed_out); this is not a policy decision" });
    let page = html(&HooksPage::new("desk"), &line.to_string());
    let Some(turns) = dom(&page, "/?verdict=deny") else { return };
    assert!(turns.contains("1 turn<") && turns.contains("needs_state: deny (failed)"), "{turns}");
    let seen = dom(&page, "/turn/r1/0").unwrap();
    let told = "because <a href=\"#/hook/needs_state\"><code>needs_state</code></a> failed (timed out): no state";
    assert!(seen.contains(told) && !seen.contains("not a policy decision"), "{seen}");
}

#[test]
fn lines_that_cannot_be_read_are_told() {
    let page =
        html(&HooksPage::new("desk"), "{\"line\":\"dispatch\",\n{\"line\":\"dropped\",\"count\":3}\nnot json <b>\n");
    let Some(seen) = dom(&page, "/") else { return };
    assert!(seen.contains("2 lines cannot be read") && seen.contains("3 lines were dropped"), "{seen}");
}

#[test]
fn each_line_is_read_on_its_own() {
    let odd = [
        "null",
        r#"{"line":"dispatch","kind":"k","ids":{"request":"half\ud800"}}"#,
        r#"{"line":"dispatch","kind":"k","runs":[null]}"#,
        r#"{"line":"dispatch","kind":"k","ids":{"request":"r2"},"at":18446744073709551615,"runs":[{"hook":"bare"}]}"#,
        r#"{"line":"dispatch","kind":"lonely","event":{"order":9007199254740993,"ratio":1.0}}"#,
        r#"{"line":"dispatch","kind":"k","ids":{"request":"r3"},"subject":"$value:0123456789abcdef"}"#,
    ];
    let page = html(&HooksPage::new("desk"), &format!("{}\n{}\n", odd.join("\n"), recording("pay_out")));
    let Some(turns) = dom(&page, "/") else { return };
    for text in ["4 turns", "3 lines cannot be read", "1 line refers to texts that are not in the recording"] {
        assert!(turns.contains(text), "{text}: {turns}");
    }
    assert!(dom(&page, "/turn/r2/0").unwrap().contains("not recorded"));
    let (first, second) = (dom(&page, "/turn/outside%3A").unwrap(), dom(&page, "/turn/outside%3A/1").unwrap());
    assert!(first.contains("lonely") && second.contains("lonely"), "{first}");
}

#[test]
fn numbers_are_shown_as_they_were_recorded() {
    let line = r#"{"line":"dispatch","event":{"order":9007199254740993,"ratio":1.0},"subject":{"order":9007199254740993},
        "runs":[{"hook":"h","status":"completed","change":[{"op":"add","path":"/cents","value":18446744073709551615}]}]}"#;
    let page = html(&HooksPage::new("desk"), &line.replace('\n', ""));
    // Payloads are shown when somebody asks for them.
    let page = page.replace("let everything = false", "let everything = true");
    let page = page.replace(&policy_of(&page), "");
    let Some(seen) = dom(&page, "/turn/outside%3A/0") else { return };
    for text in ["\"order\": 9007199254740993,\n", "\"ratio\": 1.0", "\"cents\": 18446744073709551615"] {
        assert!(seen.contains(text), "{text}: {seen}");
    }
}

/// Without it, a test can change the scripts.
fn policy_of(page: &str) -> String {
    page.split("content=\"").find(|text| text.starts_with("default-src")).unwrap().split('"').next().unwrap().to_owned()
}

#[test]
fn a_search_finds_what_was_said_and_no_names_of_fields() {
    let lines = [
        json!({ "line": "value", "id": "00000000000000aa", "value": "a needle in long hay" }),
        json!({ "line": "message", "id": "00000000000000bb", "value": { "content": [{ "text": "$value:00000000000000aa" }] } }),
        json!({ "line": "dispatch", "kind": "k", "ids": { "request": "r1" }, "at": 5, "micros": 5, "subject": ["$message:00000000000000bb"] }),
        json!({ "line": "dispatch", "kind": "k", "ids": { "request": "r2" }, "at": 6, "micros": 5,
            "event": { "command": "cat <<EOF\nif a < b say \"hi\" in C:\\temp", "order": 9_007_199_254_740_993_u64 } }),
    ];
    let page = html(&HooksPage::new("desk"), &lines.map(|line| line.to_string()).join("\n"));
    for (query, count) in [
        ("needle", 1),
        ("<<EOF", 1),
        ("a < b say \"hi\"", 1),
        ("<<EOF\nif", 1),
        ("c:\\temp", 1),
        ("9007199254740993", 1),
        ("micros", 0),
        ("subject", 0),
    ] {
        let hash = query.bytes().fold("/?q=".to_owned(), |text, byte| text + &format!("%{byte:02X}"));
        let Some(seen) = dom(&page, &hash) else { return };
        assert!(seen.contains(&format!("{count} of 2 turns")), "{query}: {seen}");
    }
}

/// A dispatch of a turn, with these runs.
fn dispatch(request: &str, at: u64, word: Option<&str>, runs: &serde_json::Value) -> String {
    let ids = json!({ "conversation": "c", "request": request, "turn": 1 });
    json!({ "line": "dispatch", "kind": "k", "ids": ids, "word": word, "at": at, "micros": 5, "runs": runs })
        .to_string()
}

#[test]
fn what_a_hook_said_in_shadow_is_shown_as_that() {
    let change = json!([{ "op": "replace", "path": "/x", "value": 1 }]);
    let run = json!([{ "hook": "limit", "status": "completed", "word": "deny", "shadow": true, "note": "shadow", "change": change }]);
    let page = html(&HooksPage::new("desk"), &dispatch("r1", 1, None, &run));
    let Some(turns) = dom(&page, "/") else { return };
    assert!(!turns.contains("limit: deny") && !turns.contains("value=\"deny\""), "{turns}");
    let turn = dom(&page, "/turn/r1").unwrap();
    assert!(turn.contains("in shadow: <code>limit</code>") && !turn.contains("changed by"), "{turn}");
    let hook = dom(&page, "/hook/limit").unwrap();
    for text in ["changed</dt><dd>0<", "decided</dt><dd>nothing<", "1 answer without effect"] {
        assert!(hook.contains(text), "{text}: {hook}");
    }
}

#[test]
fn counts_and_times_are_those_of_the_recording() {
    let run = |word: &str, micros: u64| json!([{ "hook": "h", "status": "completed", "word": word, "micros": micros }]);
    let failed = json!([{ "hook": "g", "status": "failed", "cause": "boom", "micros": 5 }]);
    let failed = dispatch("r2", 30, None, &failed).replace("\"at\"", "\"error\":\"g failed: boom\",\"at\"");
    let untimed =
        r#"{"line":"dispatch","kind":"k","ids":{"request":"r3"},"runs":[{"hook":"old","status":"completed"}]}"#;
    let lines = [
        &failed,
        &dispatch("r1", 10, Some("deny"), &run("deny", 1_000)),
        &dispatch("r1", 20, Some("allow"), &run("allow", 100_000)),
        untimed,
    ];
    let page = html(&HooksPage::new("desk"), &lines.join("\n"));
    let Some(turns) = dom(&page, "/") else { return };
    assert!(turns.contains("h: deny") && turns.contains("h: allow"), "{turns}");
    assert!(
        turns.contains("data-name=\"failures\">1<"),
        "a failed hook and the error of its dispatch are one: {turns}"
    );
    let order: Vec<_> = ["r2", "r1", "r3"].iter().map(|turn| turns.find(&format!("/turn/{turn}\""))).collect();
    assert!(order.is_sorted(), "newest first, whatever the order of the files: {order:?}");
    assert!(dom(&page, "/hook/h").unwrap().contains("51 ms, 95 ms"), "the median of two lies between them");
    let old = dom(&page, "/turn/r3/3").unwrap();
    assert!(!old.contains("0 µs") && old.matches("not recorded").count() == 4, "{old}");
    let twenty: Vec<_> = (1..=20).map(|number| dispatch("r1", number, None, &run("", number * 1_000))).collect();
    let page = html(&HooksPage::new("desk"), &twenty.join("\n"));
    assert!(dom(&page, "/hook/h").unwrap().contains("11 ms, 19 ms"), "the 95th percentile of 20 is not the greatest");
}

#[test]
fn more_than_the_page_has_of_a_store_is_told() {
    let page = html(&HooksPage::new("desk"), "").replace("\"schema\":", "\"store\":true,\"older\":true,\"schema\":");
    let Some(seen) = dom(&page, "/") else { return };
    assert!(seen.contains("The store has more dispatches"), "{seen}");
}

/// The page with a report of a replay.
fn replayed(page: &HooksPage, recording: &str, report: &serde_json::Value) -> String {
    html(page, recording).replace("\"schema\":", &format!("\"replay\":{report},\"schema\":"))
}

#[test]
fn a_dispatch_tells_what_today_s_hooks_do_and_a_difference_leads_to_it() {
    let ran = || json!([{ "hook": "limit", "status": "completed" }]);
    let lines: Vec<_> = (1..=5).map(|at| dispatch(&format!("r{at}"), at, None, &ran())).collect();
    // Empty lines count, as they do for the replay.
    let recording = format!("\n{}\n\n{}", lines[..2].join("\n"), lines[2..].join("\n"));
    let group = |difference: &str, title: &str, flip: serde_json::Value, places: &[&str]| {
        let examples = [json!({ "place": places[0], "difference": difference })];
        json!({ "kind": "k", "title": title, "hook": "limit", "flip": flip, "count": places.len(), "examples": examples, "places": places })
    };
    let revised = group("revised", "has other options", json!(null), &["a.jsonl:2", "a.jsonl:3", "a.jsonl:7"]);
    let denies = json!({ "from": "none", "to": "deny" });
    let report = json!({ "headline": "", "notes": [], "problems": [], "failed": 0, "slower": [], "not_started": {}, "other": {},
        "left_out": ["a.jsonl:7"], "groups": [
            group("verdict", "none → deny: too much", denies, &["a.jsonl:3", "a.jsonl:5"]),
            group("status", "completed → failed", json!(null), &["a.jsonl:6"]), revised ] });
    let page = replayed(&HooksPage::new("desk").files(["a.jsonl"]), &recording, &report);
    let hook = "<a href=\"#/hook/limit\"><code>limit</code></a>";
    for (turn, today) in [
        (1, "<dd>the same</dd>".to_owned()),
        (2, format!(">deny by {hook}: too much</div>")),
        (3, format!(">deny by {hook}: too much</div>")),
        (4, format!(">{hook} completed → failed</div>")),
        (5, "<dd>not compared</dd>".to_owned()),
    ] {
        let (Some(seen), n) = (dom(&page, &format!("/turn/r{turn}/{}", turn - 1)), turn + if turn > 2 { 2 } else { 1 })
        else {
            return;
        };
        assert!(seen.contains(&today) && seen.contains(&format!("<dd>a.jsonl:{n}</dd>")), "{today}: {seen}");
        let of_turn = dom(&page, &format!("/turn/r{turn}")).unwrap();
        assert_eq!(of_turn.contains("differs today"), (2..5).contains(&turn), "{of_turn}");
    }
    let replay = dom(&page, "/replay").unwrap();
    assert!(replay.contains("<a href=\"#/turn/r2/1\">a.jsonl:3</a>"), "{replay}");
    assert!(replay.contains("all 2 places"), "{replay}");
}

#[test]
fn a_replay_counts_only_what_it_knows() {
    let example = |place: &str| json!({ "place": place, "conversation": "c", "hook": "h" });
    let examples = json!([example("a:1"), example("a:2")]);
    let group = |title: &str| json!({ "kind": "k", "title": title, "hook": "h", "count": 5, "examples": examples });
    let mut report = json!({ "groups": [group("was added"), group("deny")], "failed": 21, "problems": ["a:9: no line"], "slower": [],
        "headline": "5 dispatches replayed, 0 differ, 5 not counted", "notes": ["5 of the dispatches had another outcome"],
        "not_started": { "mails": 3 }, "other": { "summary": 2 } });
    report["groups"][1]["uncertain"] = true.into();
    let page = replayed(&HooksPage::new("desk"), &dispatch("r1", 1, None, &json!([])), &report);
    let Some(turn) = dom(&page, "/turn/r1") else { return };
    assert!(turn.contains("Today's hooks<"), "{turn}");
    let replay = dom(&page, "/replay").unwrap();
    for part in [
        "the difference",
        "0 differ, 5 not counted",
        "5 of the dispatches had another outcome",
        "deny, perhaps only because",
        "and 20 more",
        "Not run: 3 × mails",
        "2 × summary",
    ] {
        assert!(replay.contains(part) && !replay.contains("undefined"), "{part}: {replay}");
    }
}
