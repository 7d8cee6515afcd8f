//! Replays of turns that a user steered, or that waited for an answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hook_sdk::data::Role;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::Line as Says;
use hooks_agent::store::StoreFuture;
use hooks_agent::{Outcome, Session, TurnEvent};
use hooks_replay::Matching;

use crate::support::*;
use crate::turns::{Ran, harness, hooks, replay, transfer};

/// A slow approver.
struct Slow;

impl Approver for Slow {
    fn approve<'a>(&'a self, _request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(Approval::Yes)
        })
    }
}

/// A message that joins a running turn joins it at the same step.
#[tokio::test(start_paused = true)]
async fn a_turn_that_a_message_joined_is_replayed() {
    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    let (hooks, ran) = (hooks(), Ran::default());
    let registry = hooks.registry();
    let recorder = Recorder::create(&path, "support", RecordLimits::default()).unwrap();
    registry.observe(recorder.clone());
    let agent = hooks.agent(&registry);
    let script = vec![transfer("a", 5), transfer("b", 6), Says::text("done"), Says::text("bye")];
    let harness = harness(registry, script, &ran).approver(Slow).on_inputs(recorder.turns()).build().unwrap();
    let session = harness.session("c-1", agent).open().await.unwrap();
    let said = |text: &str| Message::new(Role::User, text);
    let mut turn = session.turn(None, "begin");
    assert!(turn.steer(said("before anything, ada@example.org")));
    while let Some(event) = turn.next().await {
        if matches!(event, TurnEvent::Fired { kind: "permission_request", .. }) {
            assert!(turn.steer(said("while somebody is asked")));
        }
    }
    assert_eq!(turn.await.to_string(), "done");
    let _ = session.turn(None, "and now?").await;
    recorder.flush();
    let then = ran.load(Ordering::SeqCst);
    for matching in [Matching::Strict, Matching::Loose] {
        let report = replay(&path, &hooks, matching).await;
        assert!(report.is_empty(), "{report}");
        assert_eq!((report.turns, report.diverged), (2, 0), "{report}");
    }
    // A hook at the row of that message.
    let report = replay(&path, &hooks.without("masks_rows"), Matching::Strict).await;
    assert!(differences(&report).contains(&"1 masks_rows rewrites differently".to_owned()), "{report}");
    assert_eq!(ran.load(Ordering::SeqCst), then);
}

/// Has no answer at first, and one later.
#[derive(Clone, Default)]
struct Later(Arc<std::sync::Mutex<std::collections::HashMap<String, ApprovalRequest>>>);

impl Approver for Later {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        let key = format!("{} {}", request.conversation, request.call.id);
        let is_first = self.0.lock().unwrap().insert(key, request.clone()).is_none();
        Box::pin(async move { Ok(if is_first { Approval::Suspend } else { Approval::Yes }) })
    }

    fn held<'a>(&'a self, conversation: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        let held = self.0.lock().unwrap().get(&format!("{conversation} {call}")).cloned();
        Box::pin(async move { Ok(held) })
    }
}

/// A program that records its turns, whose approver answers later.
async fn suspended(path: &std::path::Path, hooks: &Hooks, script: Vec<Says>, ran: &Ran) -> (Recorder, Session) {
    let registry = hooks.registry();
    let recorder = Recorder::create(path, "support", RecordLimits::default()).unwrap();
    registry.observe(recorder.clone());
    let agent = hooks.agent(&registry);
    let harness =
        harness(registry, script, ran).approver(Later::default()).on_inputs(recorder.turns()).build().unwrap();
    let session = harness.session("c-1", agent).open().await.unwrap();
    let suspended = session.turn(None, "pay").await;
    assert!(matches!(suspended.outcome, Outcome::Suspended(_)), "{suspended:?}");
    (recorder, session)
}

/// A turn that was suspended, and the one that continued it; also in a sub-agent.
#[tokio::test(start_paused = true)]
async fn a_turn_that_was_suspended_and_resumed_is_replayed() {
    let table: Vec<(&str, Vec<Says>, usize)> = vec![
        ("a call", vec![transfer("a", 5), Says::text("done")], 2),
        (
            "a call among others",
            vec![
                Says::calls([("a", "refund", json!({"cents": 1})), ("b", "transfer", json!({"cents": 2}))]),
                Says::text("done"),
            ],
            2,
        ),
        (
            "a call of an agent",
            vec![
                Says::call("q", "research", json!({"prompt": "pay", "cents": 1})),
                transfer("a", 5),
                Says::text("paid"),
                Says::text("done"),
            ],
            4,
        ),
    ];
    for (what, script, count) in table {
        let folder = Folder::new();
        let path = folder.path("turns.jsonl");
        let (hooks, ran) = (hooks(), Ran::default());
        let (recorder, session) = suspended(&path, &hooks, script, &ran).await;
        let resumed = session.resume(None).await;
        assert_eq!(resumed.to_string(), "done", "{what}");
        recorder.flush();
        let then = ran.load(Ordering::SeqCst);
        for matching in [Matching::Strict, Matching::Loose] {
            let report = replay(&path, &hooks, matching).await;
            assert!(report.is_empty(), "{what}: {report}");
            assert_eq!((report.turns, report.diverged), (count, 0), "{what}: {report}");
        }
        // With a gate that no longer asks, the first turn diverges, and nothing is executed.
        let open = hooks.without("asks");
        let report = replay(&path, &open, Matching::Strict).await;
        assert!(report.diverged > 0 && report.exit_code() == 2, "{what}: {report}");
        assert_eq!(ran.load(Ordering::SeqCst), then, "{what}");
    }
}

/// The recording says which calls waited, because the replay has no approver that knows.
#[tokio::test(start_paused = true)]
async fn a_turn_with_a_prompt_in_place_of_an_answer_is_replayed() {
    let of_an_agent = Says::call("q", "research", json!({"prompt": "pay", "cents": 1}));
    for (script, count) in
        [(vec![transfer("a", 5), Says::text("done")], 2), (vec![of_an_agent, transfer("a", 5), Says::text("done")], 3)]
    {
        let folder = Folder::new();
        let path = folder.path("turns.jsonl");
        let (hooks, ran) = (hooks(), Ran::default());
        let (recorder, session) = suspended(&path, &hooks, script, &ran).await;
        assert_eq!(session.turn(None, "never mind").await.to_string(), "done");
        recorder.flush();
        for matching in [Matching::Strict, Matching::Loose] {
            let report = replay(&path, &hooks, matching).await;
            assert!(report.is_empty(), "{report}");
            assert_eq!((report.turns, report.diverged), (count, 0), "{report}");
        }
        assert_eq!(ran.load(Ordering::SeqCst), 0);
    }
}
