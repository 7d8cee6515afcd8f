//! The baselines of a comparison: a recording with the current hooks, current hooks with a candidate, two recordings;
//! and recordings in tests.

use std::sync::Mutex;

use hook_sdk::overrides::{Override, Overrides};
use hooks_replay::{Progress, diff};

use crate::support::*;

#[tokio::test]
async fn two_recordings_are_compared_without_running_anything() {
    let folder = Folder::new();
    let (then, now) = (folder.path("main.jsonl"), folder.path("branch.jsonl"));
    desk().record(&then, &month()).await;
    desk().record(&now, &month()).await;
    assert!(diff(&[&then], &now).unwrap().is_empty());
    desk().with(limit(6_000)).without("mask_mail").record(&folder.path("other.jsonl"), &month()).await;
    let report = diff(&[&then], folder.path("other.jsonl")).unwrap();
    let found = differences(&report);
    for reported in [
        "1 refund_limit deny → allow: refunds over 5000 cents need a person",
        "2 mask_mail rewrites differently",
        "3 mask_mail was removed",
    ] {
        assert!(found.contains(&reported.to_owned()), "{found:#?}");
    }
    assert!(report.to_string().contains("\nremoved hooks: `mask_mail`\n"), "{report}");
    // What only one of them contains.
    desk().record(&folder.path("more.jsonl"), &[month(), month()].concat()[..8]).await;
    let one_more = diff(&[&then], folder.path("more.jsonl")).unwrap();
    assert_eq!(differences(&one_more), ["1 - diverges: nothing → before_tool_call"]);
    let one_less = diff(&[folder.path("more.jsonl")], &then).unwrap();
    assert_eq!(differences(&one_less), ["1 - diverges: before_tool_call → nothing"]);
    assert_eq!(one_less.exit_code(), 2);
}

/// Of the recording, only the events and subjects are used, so its hooks need not exist any more.
#[tokio::test]
async fn a_candidate_is_compared_with_the_current_hooks() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    Hooks::default()
        .with(Hook::at::<BeforeToolCall>("of_last_year").reader(|_, _, _| ()))
        .record(&path, &month())
        .await;
    let hooks = desk();
    let today = hooks.registry();
    let same = Replay::new(&today, |registry, _| Hooks::scope(registry))
        .candidate(&today, |registry, _| Hooks::scope(registry))
        .file(&path)
        .await
        .unwrap();
    assert_eq!((same.replayed, same.exit_code()), (4, 0), "{same}");
    let calm = today.fork();
    calm.add_overrides([Overrides::new("candidate").set("refund_limit", Override::new().enabled(false))]).unwrap();
    let report = Replay::new(&today, |registry, _| Hooks::scope(registry))
        .candidate(&calm, |registry, _| Hooks::scope(registry))
        .file(&path)
        .await
        .unwrap();
    assert_eq!(
        differences(&report)[..2],
        ["2 refund_limit allow → none", "2 refund_limit deny → none: refunds over 5000 cents need a person"]
    );
    // Changes of a fork do not affect the other.
    assert!(desk().replay(&path).await.to_string().contains("none → deny"));
}

#[tokio::test]
async fn a_test_compares_hooks_with_recordings_and_rewrites_them_on_request() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("cassettes")).unwrap();
    let path = folder.path("cassettes/month.jsonl");
    desk().record(&path, &month()).await;
    let before = std::fs::read_to_string(&path).unwrap();
    let held = async |hooks: &Hooks| {
        let (registry, cassettes) = (hooks.registry(), folder.path("cassettes"));
        let hold = async move {
            Replay::new(&registry, |registry, _| Hooks::scope(registry)).hold(&cassettes).await;
        };
        tokio::spawn(hold).await.map_err(|panic| *panic.into_panic().downcast::<String>().unwrap())
    };
    held(&desk()).await.unwrap();
    let strict = desk().with(limit(1_000));
    let reported = held(&strict).await.unwrap_err();
    assert!(
        reported.contains("tests/baselines.rs")
            && reported.contains("allow → deny")
            && reported.contains("REPLAY=accept"),
        "{reported}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    let accept = async |hooks: &Hooks| {
        let registry = hooks.registry();
        let replay = Replay::new(&registry, |registry, _| Hooks::scope(registry));
        replay.accept(folder.path("cassettes")).await
    };
    accept(&strict).await.unwrap();
    held(&strict).await.unwrap();
    assert!(held(&desk()).await.unwrap_err().contains("deny → allow"));
    // The written recording has the same meaning as one of the program with these hooks.
    let recorded = folder.path("recorded.jsonl");
    strict.record(&recorded, &month()).await;
    assert!(diff(&[&recorded], &path).unwrap().is_empty());
    // If a line cannot be replayed, the file is not changed.
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"line\":\"dispatch\",\"kind\":\"gone\"}\n");
    std::fs::write(&path, &text).unwrap();
    assert!(accept(&desk()).await.unwrap_err().contains("there is no kind `gone`"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let empty = Folder::new();
    let registry = desk().registry();
    let replay = Replay::new(&registry, |registry, _| Hooks::scope(registry));
    assert!(replay.accept(empty.path(".")).await.unwrap_err().contains("no `.jsonl` file"));
}

/// A long answer is cut, not what the hooks were asked about: another answer to that is a difference.
#[tokio::test]
async fn a_rewritten_recording_still_knows_that_its_inputs_are_complete() {
    let folder = Folder::new();
    let path = folder.path("loud.jsonl");
    let loud = || {
        let denies = Hook::at::<BeforeToolCall>("loud").reader(|_, _, _| Permission::deny("never ".repeat(100_000)));
        Hooks::default().with(denies)
    };
    loud().record(&path, &month()).await;
    let registry = loud().registry();
    Replay::new(&registry, |registry, _| Hooks::scope(registry)).accept(&path).await.unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("\"cut\"") && written.contains("\"whole_input\":true"), "{written:.2000}");
    let report = Hooks::default().replay(&path).await;
    assert_eq!((report.uncertain, report.exit_code()), (0, 2), "{report}");
}

#[tokio::test]
async fn a_replay_reports_its_progress() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let reported = Mutex::new(Vec::new());
    let registry = desk().registry();
    let replay = Replay::new(&registry, |registry, _| Hooks::scope(registry))
        .progress(|progress: Progress| reported.lock().unwrap().push((progress.read, progress.total)));
    replay.files([&path, &path]).await.unwrap();
    drop(replay);
    let (reported, length) = (reported.into_inner().unwrap(), std::fs::metadata(&path).unwrap().len());
    assert_eq!((reported.len(), reported.last()), (16, Some(&(2 * length, 2 * length))));
    assert!(reported.is_sorted());
}

/// A line of a recording, with these runs.
fn line(fields: Value) -> String {
    let mut line = json!({ "line": "dispatch", "kind": "before_tool_call", "ids": { "conversation": "c-1" },
        "event": { "call": { "id": "t1", "name": "Bash", "input": { "command": "ls" } } },
        "subject": { "command": "ls" }, "runs": [] });
    let Value::Object(fields) = fields else { panic!("{fields}") };
    line.as_object_mut().unwrap().extend(fields);
    format!("{line}\n")
}

fn compared(then: &str, now: &str) -> ReplayReport {
    let folder = Folder::new();
    let (main, branch) = (folder.path("main.jsonl"), folder.path("branch.jsonl"));
    std::fs::write(&main, then).unwrap();
    std::fs::write(&branch, now).unwrap();
    diff(&[&main], &branch).unwrap()
}

/// A run with this verdict.
fn run(hook: &str, word: &str) -> Value {
    json!({ "hook": hook, "status": "completed", "word": word, "verdict": { "permission": word } })
}

/// Neither a hook without an opinion nor one that decides as before is the cause.
#[test]
fn a_decision_that_differs_names_the_hook_that_caused_it() {
    let silent = json!({ "hook": "traces", "status": "completed", "verdict": { "permission": "no_opinion" } });
    let shadow = json!({ "hook": "tries", "status": "completed", "shadow": true, "word": "deny" });
    let of =
        |runs: &[Value], word: Value| line(json!({ "runs": runs, "word": word, "verdict": { "permission": word } }));
    let (allows, denies, asks) = (run("allows", "allow"), run("guard", "deny"), run("other", "ask"));
    let cases = [
        ("all are gone", vec![silent.clone(), denies.clone()], "deny", vec![], "none"),
        ("one is gone", vec![silent, allows.clone(), denies.clone()], "deny", vec![allows.clone()], "allow"),
        ("one no longer decides", vec![shadow, asks, denies.clone()], "deny", vec![run("guard", "allow")], "allow"),
        ("another allows as before", vec![allows.clone()], "allow", vec![allows, denies], "deny"),
    ];
    for (what, then, from, now, to) in cases {
        let word = |word: &str| if word == "none" { Value::Null } else { json!(word) };
        let report = compared(&of(&then, word(from)), &of(&now, word(to)));
        let flip = &report.groups[0];
        assert_eq!(
            (flip.hook.as_deref(), &*flip.title),
            (Some("guard"), &*format!("{from} → {to}")),
            "{what}: {report}"
        );
    }
}

/// What has no effect today may have one tomorrow.
#[test]
fn an_answer_that_is_not_in_effect_and_the_cause_of_a_failure_are_compared() {
    let of = |run: Value| line(json!({ "runs": [run, self::run("guard", "deny")], "word": "deny" }));
    let failed = |cause: &str| json!({ "hook": "a", "status": "failed", "cause": cause });
    let in_shadow = |word: &str| json!({ "hook": "a", "status": "completed", "shadow": true, "word": word });
    for (then, now, told) in [
        (run("a", "allow"), run("a", "ask"), "1 a allow → ask"),
        (in_shadow("deny"), in_shadow("allow"), "1 a deny in shadow → allow in shadow"),
        (failed("no disk"), failed("no network"), "1 a failed, but differently"),
    ] {
        let report = compared(&of(then), &of(now));
        assert_eq!((differences(&report), report.exit_code()), (vec![told.to_owned()], 1), "{report}");
        assert!(!told.contains("failed") || report.to_string().contains("no disk → no network"), "{report}");
    }
}

/// Texts that hooks add are no decision, and a report shows which.
#[test]
fn a_context_that_differs_is_no_decision_and_is_shown() {
    let adds = |context: &[&str]| {
        let verdict = json!({ "decision": "proceed", "contexts": context });
        let word = if context.is_empty() { Value::Null } else { json!("contexts") };
        let run = json!({ "hook": "a", "status": "completed", "word": word, "verdict": verdict });
        line(json!({ "kind": "user_prompt_submit", "runs": [run], "word": word, "verdict": verdict }))
    };
    for (then, word) in [(&[][..], "none"), (&["it is Monday"], "contexts")] {
        let report = compared(&adds(then), &adds(&["it is late"]));
        assert_eq!(differences(&report), [format!("1 a {word} → contexts")]);
        assert_eq!(report.exit_code(), 1, "{report}");
        for page in [report.to_string(), report.to_html()] {
            assert!(page.contains("it is late") && page.contains("it is Monday") != then.is_empty(), "{page}");
        }
    }
}

#[test]
fn the_reason_of_a_prompt_that_is_blocked_is_shown() {
    let blocks = json!({ "decision": { "block": "no prompts" }, "contexts": [] });
    let of =
        |runs: Value| line(json!({ "kind": "user_prompt_submit", "runs": runs, "word": "block", "verdict": blocks }));
    let shadow = json!([{ "hook": "a", "status": "completed", "shadow": true, "word": "block", "verdict": blocks }]);
    let report = compared(&line(json!({ "kind": "user_prompt_submit" })), &of(json!([])));
    assert_eq!(report.groups[0].title, "none → block: no prompts", "{report}");
    let mut tried = hooks_replay::ShadowReport::default();
    tried.add(Reader::new(of(shadow).as_bytes()));
    assert!(tried.to_string().contains("1 × no prompts"), "{tried}");
}

/// A recording is not the same as one of which a part is missing, on whichever side.
#[test]
fn what_is_missing_in_one_of_two_recordings_is_no_success() {
    let whole = line(json!({}));
    let later = r#"{"line":"header","schema":99,"program":"x","written_by":"9.0.0","started":0}"#;
    for (part, problem) in [
        (format!("{later}\n{whole}"), "schema 99"),
        (format!("{whole}{{\"line\":\"dropped\",\"count\":7}}\n"), "7 lines were dropped"),
        (format!("{whole}{{\"line\":\"full\",\"request\":\"r-1\"}}\n"), "the rest of the turn was not recorded"),
        (format!("{whole}{{\"line\":\"disp"), "is incomplete"),
        (format!("{whole}{}", line(json!({ "subject": "$value:0123456789abcdef" }))), "is not in the recording"),
    ] {
        for report in [compared(&whole, &part), compared(&part, &whole)] {
            assert!(report.exit_code() >= 2 && report.problems[0].contains(problem), "{problem}: {report}");
        }
    }
    let marked = format!("\u{feff}{whole}");
    assert_eq!(compared(&marked, &marked).exit_code(), 0, "the mark of a byte order is no damage");
}

/// What people and models said is in lines of its own.
#[test]
fn other_texts_of_messages_are_differences_and_missing_ones_are_told() {
    let said = |text: &str| {
        let value = json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
        format!("{}\n", json!({ "line": "message", "id": "0123456789abcdef", "value": value }))
    };
    let refers = line(json!({ "subject": ["$message:0123456789abcdef"] }));
    let (whole, other) = (said("3000 paid") + &refers, said("9999 paid") + &refers);
    assert_eq!(compared(&whole, &whole).exit_code(), 0);
    let report = compared(&whole, &other);
    assert_eq!((differences(&report), report.exit_code()), (vec!["1 - has other data".to_owned()], 2), "{report}");
    assert!(report.to_string().contains("9999 paid"), "{report}");
    let shuffled = refers.clone() + &said("3000 paid");
    for part in [&refers, &shuffled] {
        for report in [compared(&whole, part), compared(part, &whole)] {
            assert!(report.exit_code() == 3 && report.problems[0].contains("is not in the recording"), "{report}");
        }
    }
}

/// The same hooks with other traffic, or a turn that ended otherwise.
#[test]
fn other_traffic_and_other_ends_of_turns_are_differences() {
    let of = |input: &str| line(json!({ "event": { "call": { "id": "t1", "name": "Bash", "input": input } } }));
    let end = |exit: &str, reply: &str| {
        let turn = json!({ "line": "turn", "ids": { "conversation": "c-1" }, "exit": exit, "reply": reply });
        format!("{}{turn}\n", line(json!({})))
    };
    let subject = |command: &str| line(json!({ "subject": { "command": command } }));
    for (then, now, kind) in [
        (of("ls"), of("rm -rf /"), "before_tool_call"),
        (subject("ls"), subject("rm -rf /"), "before_tool_call"),
        (end("no_tool_calls", "ls"), end("no_tool_calls", "rm -rf /"), "turn"),
        (end("no_tool_calls", "ls"), end("error", "rm -rf /"), "turn"),
    ] {
        assert_eq!(compared(&then, &then).exit_code(), 0);
        let report = compared(&then, &now);
        assert_eq!((report.exit_code(), report.replayed, report.groups.len()), (2, 1, 1), "{report}");
        assert_eq!((&*report.groups[0].kind, &*report.groups[0].title), (kind, "has other data"), "{report}");
        assert!(report.to_string().contains("rm -rf /"), "{report}");
    }
    let report = compared(&end("error", ""), &line(json!({})));
    assert_eq!(differences(&report), ["1 - diverges: turn → nothing"]);
}
