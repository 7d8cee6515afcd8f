//! The commands that read and change a store.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::{AfterCreateMessage, BeforeToolCall};
use hook_sdk::prelude::*;
use hooks_agent::Harness;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::{Append, MessageStore};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_store::{JobWorker, Store, StoredApprover};
use serde_json::json;

use crate::support::{hooks, program};

/// A store with a conversation that waits for an answer, and with two background runs, one of which failed.
async fn stored(folder: &Path) -> (Store, Registry) {
    let file = folder.join("agent.db");
    let store = Store::open(file.to_str().unwrap()).await.unwrap();
    let registry = Registry::empty();
    let gate = |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| Permission::ask("it costs \u{1b}[31mmoney");
    registry.register(Hook::at::<BeforeToolCall>("asks").reader(gate)).unwrap();
    let fails = Hook::at::<AfterCreateMessage>("mail").background(|_, event, ()| {
        let is_prompt = event.message.role == hook_sdk::data::Role::User;
        Box::pin(async move { if is_prompt { Err("no server") } else { Ok(()) } })
    });
    registry.register(fails).unwrap();
    registry.set_background(store.job_queue());
    let log = store.dispatch_log();
    registry.observe(log.clone());
    let harness = Harness::builder(registry.clone())
        .model("main", Scripted::new([Line::call("call_1", "pay", json!({ "cents": 5 })), Line::text("done")]))
        .store(store.clone())
        .approver(StoredApprover::new(store.clone()).patience(Duration::ZERO))
        .tool(FnTool::new(ToolSpec::new("pay"), |_, _| Ok("paid".to_owned())))
        .build()
        .unwrap();
    let session = harness.session("c-1", AgentDef::new("clerk").hooks(["asks", "mail"])).open().await.unwrap();
    let _suspended = session.turn(None, "pay").await;
    JobWorker::new(store.clone(), registry.clone()).poll(Duration::from_millis(1)).run_until_empty().await;
    log.flush().await;
    (store, registry)
}

#[tokio::test(flavor = "multi_thread")]
async fn open_questions_and_failed_runs_are_listed_and_resolved() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = stored(folder.path()).await;
    let run = |args: &[&str]| hooks(folder.path(), &[&["store"], args, &["--store", "agent.db"]].concat());

    let questions = run(&["questions"]);
    assert!(questions.out.contains("waits; asked") && questions.out.contains("by clerk, in c-1"), "{}", questions.out);
    assert!(!questions.out.contains('\u{1b}'), "the text of a hook does not control the terminal: {:?}", questions.out);
    let id = run(&["questions", "--json"]).json()["questions"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!((run(&["answer", "nobody", "yes"]).code, run(&["answer", &id, "edit"]).code), (Some(1), Some(64)));
    // What would be forgotten is not answered.
    for stray in [["yes", "--input", "{}"], ["yes", "--reason", "x"], ["edit", "--text", "x"], ["no", "--input", "{}"]]
    {
        let said = run(&[&["answer", &id][..], &stray].concat());
        assert_eq!(
            (said.code, store.answered_questions().await.unwrap().len()),
            (Some(64), 0),
            "{stray:?}: {}",
            said.err
        );
    }
    assert_eq!(run(&["answer", &id, "no", "--reason", "too much"]).code, Some(0));
    let twice = run(&["answer", &id, "yes"]);
    assert!(twice.code == Some(1) && twice.err.contains("has another answer already"), "{}", twice.err);
    assert!(store.questions().await.unwrap().is_empty(), "it does not wait for an answer any more");
    assert!(store.answered_questions().await.unwrap()[0].answer.is_some());

    let failed = run(&["runs", "--failed"]);
    assert!(failed.out.contains("no server") && failed.out.lines().count() == 2, "{}", failed.out);
    let report = run(&["runs", "--json"]).json();
    assert_eq!(report["runs"].as_array().unwrap().len(), 2);
    assert!(report["runs"][0]["created_at"].is_i64(), "{report}");
    let job = run(&["runs", "--failed", "--json"]).json()["runs"][0]["id"].as_str().unwrap().to_owned();
    assert!(run(&["runs", &job]).out.contains("1. failed"), "{}", run(&["runs", &job]).out);
    assert_eq!((run(&["retry", &job]).code, run(&["retry", &job]).code), (Some(0), Some(1)));
    assert!(run(&["runs", "--failed"]).out.contains("no background run needs attention"));

    let dispatches = run(&["dispatches", "--hook", "asks"]);
    assert!(dispatches.out.contains("before_tool_call") && dispatches.out.contains("  asks"), "{}", dispatches.out);
    assert!(dispatches.out.ends_with("ask\n") && dispatches.out.lines().count() == 2, "{:?}", dispatches.out);
    let failed = run(&["dispatches", "--failed", "--json"]).json();
    assert_eq!(failed["dispatches"][0]["record"]["run"]["cause"], "no server", "{failed}");

    assert_eq!(run(&["conversations"]).out.trim(), "c-1");
    let export = run(&["export", "c-1"]);
    let rows: Vec<serde_json::Value> = export.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((rows.len(), rows[0]["is_read"].as_bool()), (2, Some(true)));
    assert_eq!(run(&["export", "c-2"]).code, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_conversation_is_exported_row_by_row() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("agent.db").to_str().unwrap()).await.unwrap();
    let long = "word ".repeat(100);
    let messages = (0..2_000).map(|number| Message::new(Role::User, format!("{number} {long}")));
    store.append("c", Append::new(messages)).await.unwrap();
    let export = hooks(folder.path(), &["store", "export", "c", "--store", "agent.db"]);
    assert_eq!((export.code, export.out.lines().count(), export.err.as_str()), (Some(0), 2_000, ""));

    // A reader can close the pipe after the first line.
    let mut child = program(folder.path()).args(["store", "export", "c", "--store", "agent.db"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("\"0 word"), "{line}");
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_missing_store_is_reported_and_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let said = hooks(folder.path(), &["store", "runs", "--store", "none.db"]);
    assert!(said.code == Some(1) && said.err.contains("there is no store `none.db`"), "{}", said.err);
    assert!(!folder.path().join("none.db").exists());
    assert_eq!(hooks(folder.path(), &["store", "questions"]).code, Some(64), "`--store` is required");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transcript_is_imported_once_and_skipped_lines_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, _) = stored(folder.path()).await;
    let lines = [
        r#"{"type": "summary", "summary": "x"}"#,
        r#"{"type": "user", "uuid": "1", "sessionId": "s-1", "message": {"role": "user", "content": "hello"}}"#,
        r#"{"type": "assistant", "uuid": "2", "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "hi"}]}}"#,
    ];
    std::fs::write(folder.path().join("session.jsonl"), lines.join("\n")).unwrap();
    std::fs::write(folder.path().join("torn.jsonl"), format!("{}\n{{\"type", lines[1])).unwrap();
    std::fs::write(folder.path().join("none.jsonl"), lines[0]).unwrap();
    let run = |args: &[&str]| hooks(folder.path(), &[&["store"], args, &["--store", "agent.db"]].concat());
    let said = run(&["import", "session.jsonl"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(said.out.trim(), "2 messages imported as `s-1`; the model reads 2 of them\n  skipped: 1 line (summary)");
    assert_eq!(run(&["export", "s-1"]).out.lines().count(), 2);
    let again = run(&["import", "session.jsonl"]);
    assert!(again.code == Some(1) && again.err.contains("`s-1` exists, and nothing was imported"), "{}", again.err);
    for args in [
        &["import", "torn.jsonl", "--conversation", "s-2"][..],
        &["import", "torn.jsonl", "--conversation", "s-2", "--json"],
    ] {
        let torn = run(args);
        assert!(torn.code == Some(1) && torn.err.contains("nothing was imported"), "{}", torn.err);
        assert!(torn.err.contains("line 2") && !run(&["conversations"]).out.contains("s-2"), "{}", torn.err);
    }
    std::fs::write(folder.path().join("marked.jsonl"), format!("\u{feff}{}", lines[1])).unwrap();
    let marked = run(&["import", "marked.jsonl", "--conversation", "s-3"]);
    assert!(marked.code == Some(0) && marked.out.contains("1 message imported"), "{}{}", marked.out, marked.err);
    let none = run(&["import", "none.jsonl"]);
    assert!(none.code == Some(1) && none.err.contains("contains no message"), "{}", none.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_shows_what_a_store_has() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, _) = stored(folder.path()).await;
    let said = hooks(folder.path(), &["report", "--store", "agent.db", "-o", "page.html"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    let about = page.split("id=\"about\">").nth(1).unwrap().split("</script>").next().unwrap();
    let about: serde_json::Value = serde_json::from_str(about).unwrap();
    assert_eq!(about["state"]["questions"][0]["request"]["call"]["name"], "pay", "{about}");
    assert_eq!(about["state"]["jobs"].as_array().unwrap().len(), 2, "{about}");
    let lines = page.split("id=\"lines\">").nth(1).unwrap().split("</script>").next().unwrap();
    let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked = lines.iter().find(|line| line["kind"] == "before_tool_call").unwrap();
    assert_eq!(
        (&asked["word"], &asked["runs"][0]["hook"], &asked["ids"]["conversation"]),
        (&json!("ask"), &json!("asks"), &json!("c-1"))
    );
    assert!(asked["at"].as_u64().unwrap() > 1_700_000_000_000_000, "{asked}");
    for store in ["agent.db", "sqlite:agent.db", "sqlite://./agent.db"] {
        for output in ["agent.db", "./agent.db", "agent.db-wal"] {
            let said = hooks(folder.path(), &["report", "--store", store, "-o", output]);
            assert!(said.code == Some(64) && said.err.contains("is an input"), "{store} {output}: {}", said.err);
        }
    }
    let none = hooks(folder.path(), &["report", "--store", "none.db", "-o", "page.html"]);
    assert!(none.code == Some(1) && !folder.path().join("none.db").exists(), "{}", none.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_cleans_cancels_puts_off_and_deletes() {
    let folder = tempfile::tempdir().unwrap();
    let (store, registry) = stored(folder.path()).await;
    let run = |args: &[&str]| hooks(folder.path(), &[&["store"], args, &["--store", "agent.db"]].concat());
    let out = |args: &[&str]| {
        let said = run(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
        said.out.trim().to_owned()
    };
    assert!(out(&["stats"]).contains("0 waiting, 0 of them due; 0 running; 1 failed"), "{}", out(&["stats"]));
    assert_eq!(out(&["retry", "--all", "--hook", "other"]), "0 queued again");
    assert_eq!(out(&["retry", "--all"]), "1 queued again");
    let waiting = run(&["runs", "--json"]).json()["runs"].as_array().unwrap().clone();
    let waiting = waiting.iter().find(|run| run["status"] == "queued").unwrap()["id"].as_str().unwrap().to_owned();
    assert!(out(&["stats"]).contains("1 waiting, 1 of them due, the oldest for 0 s"), "{}", out(&["stats"]));
    assert_eq!(out(&["put-off", &waiting, "--by", "2h"]), format!("{waiting} is put off"));
    assert!(out(&["stats"]).contains("1 waiting, 0 of them due;"));
    assert_eq!(run(&["put-off", &waiting, "--by", "soon"]).code, Some(64));
    assert_eq!(out(&["cancel", &waiting]), format!("{waiting} is cancelled"));
    let again = run(&["cancel", &waiting]);
    assert!(again.code == Some(1) && again.err.contains("is not a run that waits"), "{}", again.err);
    assert!(out(&["runs"]).contains("cancelled"), "{}", out(&["runs"]));
    JobWorker::new(store.clone(), registry).poll(Duration::from_millis(1)).run_until_empty().await;
    assert!(out(&["runs"]).contains("cancelled"), "it does not run: {}", out(&["runs"]));

    for command in ["runs", "dispatches", "conversations"] {
        let none = hooks(folder.path(), &["store", command, "--store", "agent.db", "--limit", "0"]);
        assert_eq!(none.code, Some(64), "{command}: {}", none.out);
    }
    let first = out(&["runs", "--limit", "1"]);
    let id = first.lines().last().unwrap().split('`').nth(1).unwrap().trim_start_matches("--before ").to_owned();
    assert!(!out(&["runs", "--before", &id]).contains(&id) && out(&["runs", "--before", &id]).lines().count() < 4);
    let unknown = hooks(folder.path(), &["store", "runs", "--store", "agent.db", "--before", "NOPE"]);
    assert_eq!(unknown.code, Some(1), "{}", unknown.out);
    let page = out(&["dispatches", "--limit", "1"]);
    let number = page.lines().last().unwrap().split('`').nth(1).unwrap().trim_start_matches("--before ").to_owned();
    assert!(out(&["dispatches", "--before", &number, "--json"]).contains("\"number\""));

    std::thread::sleep(Duration::from_millis(2)); // ages have milliseconds
    let counted = out(&["clean", "--older-than", "0s", "--failed", "--dry-run"]);
    assert!(counted.starts_with("2 runs, 0 questions and") && counted.ends_with("would be removed"), "{counted}");
    assert_eq!(out(&["clean"]), "0 runs, 0 questions and 0 records of dispatches removed");
    let removed = out(&["clean", "--older-than", "0s", "--failed"]);
    assert_eq!(counted.replace("would be removed", "removed"), removed);
    assert_eq!(out(&["runs"]), "there are no background runs");
    assert!(out(&["vacuum"]).ends_with(" kB were given back"));
    assert_eq!(out(&["check"]), "no damage was found");
    assert!(out(&["migrate", "--dry-run"]).ends_with("which is the current one"));
    let some = run(&["delete", "", "none", "c-1"]);
    assert_eq!((some.code, some.out.trim()), (Some(1), "c-1 is deleted"), "{}", some.err);
    assert!(some.err.contains("is empty") && some.err.contains("`none` is no conversation"), "{}", some.err);
    assert_eq!(
        (run(&["delete", "c-1"]).code, out(&["questions"])),
        (Some(1), "there are no open questions".to_owned())
    );
    assert_eq!(run(&["migrate", "--store", "none.db"]).code, Some(64), "only one store");
}

/// Whatever is wrong with an address, its password is not shown.
#[test]
fn no_message_shows_a_password() {
    let folder = tempfile::tempdir().unwrap();
    // Built here, because a scan of this repository finds passwords in addresses.
    let address = |scheme: &str, password: &str| format!("{scheme}u:{password}@127.0.0.1:1/x");
    let parameter = |rest: &str| format!("postgres://127.0.0.1:1/x?{rest}");
    let key = concat!("pass", "word");
    for url in [
        address("postgres://", "s3cret"),
        address("postgres://", "s3@cret"),
        address("postgres://", "s3?cret"),
        address("postgres://", "s3/cret"),
        address("postgres:", "s3cret"),
        address("mysql://", "s3cret"),
        parameter(&format!("user=u&{key}=s3@cret")),
        parameter(&format!("{key}=s3cret")),
    ] {
        for command in ["stats", "check", "migrate"] {
            let said = hooks(folder.path(), &["store", command, "--store", &url]);
            let all = format!("{}{}", said.out, said.err);
            let leaks = ["s3@", "s3?", "s3/", "s3c", "cret"].iter().any(|part| all.contains(part));
            assert!(said.code != Some(0) && !leaks, "{command} {url}: {all}");
        }
    }
}
