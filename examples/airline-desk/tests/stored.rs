//! The desk with a store: each step is a separate process.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use hook_sdk::protocol::Approval;
use hooks_store::{JobFilter, JobStatus, Store};

fn desk(folder: &Path, arguments: &[&str], lines: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_airline-desk"))
        .current_dir(folder)
        .args(arguments)
        .args(["--store", "desk.db"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let run = child.wait_with_output().unwrap();
    assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stderr).as_ref()), (Some(0), ""));
    String::from_utf8(run.stdout).unwrap()
}

#[tokio::test]
async fn a_question_can_be_answered_in_one_process_and_the_turn_continues_in_another() {
    let folder = tempfile::tempdir().unwrap();
    let asked = desk(folder.path(), &["--chat"], "look up PUF001\ncancel PUF002\n");
    assert!(
        asked.contains("0 messages so far") && asked.contains("y or n, or elsewhere: hooks store answer"),
        "{asked}"
    );
    assert!(!asked.contains("cancel_reservation ran"), "{asked}");

    let store = Store::open(folder.path().join("desk.db").to_str().unwrap()).await.unwrap();
    let question = store.questions().await.unwrap().remove(0);
    store.answer(&question.id, &Approval::Yes).await.unwrap();
    let went_on = desk(folder.path(), &["--chat"], "refund PUF002\n");
    assert!(went_on.contains("cancel_reservation ran") && went_on.contains("PUF002 is cancelled"), "{went_on}");
    assert!(went_on.contains("refund_reservation ran"), "{went_on}");

    // A worker process runs the background jobs.
    let queued = store.jobs(&JobFilter::new().status(JobStatus::Queued), 100).await.unwrap().len();
    assert!(queued > 8, "{queued}");
    desk(folder.path(), &["worker", "--once"], "");
    assert_eq!(store.jobs(&JobFilter::new().status(JobStatus::Done), 100).await.unwrap().len(), queued);
    let index = std::fs::read_to_string(folder.path().join("desk.index")).unwrap();
    assert_eq!(index.lines().count(), queued, "{index}");
    assert!(index.contains("chat user: refund PUF002"), "{index}");
}

#[test]
fn a_question_can_be_answered_in_the_chat() {
    let folder = tempfile::tempdir().unwrap();
    let said = desk(folder.path(), &["--chat"], "cancel PUF002\nn\ncancel PUF002\ny\n");
    assert!(said.contains("The customer said no") && said.contains("PUF002 is cancelled"), "{said}");
}
