//! A full window: what is compacted, which hooks may refuse, and what the model reads afterwards.

use hook_sdk::data::Role;
use hook_sdk::kinds::ExitReason;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::TurnEvent;
use hooks_agent::model::{Line, ModelError};
use hooks_agent::window::Window;
use serde_json::json;

use super::bench::{Bench, line};

/// A window that counts words, for easy arithmetic.
fn words(limit: u64) -> Window {
    Window::new(limit).compact_at(limit).count_with(|text| text.split_whitespace().count() as u64)
}

/// Five calls in one turn, then an answer: there are old outputs to drop.
fn five_calls() -> Vec<Line> {
    let long = "word ".repeat(30);
    let call = |i: i32| Line::call(i.to_string(), "lookup", json!({ "id": format!("{i} {long}") }));
    (0..5).map(call).chain([Line::text("done")]).collect()
}

async fn compactions(bench: &Bench, window: Window) -> (Vec<String>, String) {
    let session = bench.session(bench.harness().window(window)).await;
    let mut turn = session.turn(None, "hi");
    let mut done = Vec::new();
    while let Some(event) = turn.next().await {
        if let TurnEvent::Compacted { kind, .. } = event {
            done.push(kind.to_string());
        }
    }
    (done, turn.await.to_string())
}

#[tokio::test]
async fn old_outputs_are_dropped_first_and_a_call_keeps_its_result() {
    let bench = Bench::new(five_calls());
    let (done, reply) = compactions(&bench, words(300)).await;
    assert_eq!((done.first().map(String::as_str), reply.as_str()), (Some("microcompact"), "done"));
    let sent: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    let count = |mark: &str| sent.iter().filter(|line| line.contains(mark)).count();
    assert_eq!(count("->"), count("<-"), "{sent:#?}");
    assert!(count("output dropped") >= 2, "{sent:#?}");
}

#[tokio::test]
async fn a_refused_compaction_does_not_happen_and_the_turn_continues() {
    let mut bench = Bench::new(five_calls());
    bench.app(Hook::at::<BeforeCompaction>("no").reader(|_, _, ()| Permission::deny("the audit runs")));
    // The provider accepts more than the harness wants to send.
    assert_eq!(compactions(&bench, words(10_000).compact_at(300)).await, (vec![], "done".to_owned()));
}

#[tokio::test]
async fn a_refusal_has_no_effect_after_the_provider_rejected_the_conversation() {
    let overflow = Line::error(ModelError::Overflow("too long".into()));
    let lines: Vec<_> = (0..4)
        .map(|i| Line::text(format!("answer {i}")))
        .chain([overflow, Line::text("summary"), Line::text("done")])
        .collect();
    let mut bench = Bench::new(lines);
    bench.app(Hook::at::<BeforeCompaction>("no").reader(|_, _, ()| Permission::deny("the audit runs")));
    bench.app(Hook::at::<PostCompact>("mark").writer(|_, _, rest: &mut CompactedHistory| {
        rest.summary = rest.summary.as_ref().map(|text| format!("{text}, marked"));
    }));
    let session = bench.session(bench.harness()).await;
    for i in 0..4 {
        assert_eq!(session.turn(None, format!("question {i}")).await.to_string(), format!("answer {i}"));
    }
    assert_eq!(session.turn(None, "the last").await.to_string(), "done");
    let sent: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    assert_eq!(
        sent,
        [
            "user: <conversation-summary>\nsummary, marked\n</conversation-summary>",
            "user: question 2",
            "assistant: answer 2",
            "user: question 3",
            "assistant: answer 3",
            "user: the last",
        ]
    );
    // The next turn continues from there.
    assert_eq!(bench.stored().await.len(), 7);
}

#[tokio::test]
async fn a_conversation_that_cannot_be_made_shorter_ends_the_turn() {
    let bench = Bench::new((0..9).map(|_| Line::error(ModelError::Overflow("too long".into()))));
    let reply = bench.turn().await;
    assert_eq!((reply.exit, reply.iterations), (ExitReason::ContextTooLarge, 1));
}

#[tokio::test]
async fn a_compaction_does_not_store_the_edits_of_hooks_for_one_turn() {
    let overflow = Line::error(ModelError::Overflow("too long".into()));
    let answers = (0..4).map(|i| Line::text(format!("answer {i}")));
    let mut bench = Bench::new(answers.chain([overflow, Line::text("summary"), Line::text("done")]));
    let turns = |cx: &HookContext| cx.turn() == Some(5);
    bench.app(Hook::at::<FilterMessages>("leave_out").writer(move |cx, _, view: &mut Messages| {
        if turns(cx) {
            view.retain(|message| message.text() != "question 1");
            let kept = view.iter_mut().find(|message| message.text() == "answer 3").unwrap();
            kept.rewrite_text(|_| Some("answer three".to_owned()));
        }
    }));
    bench.app(Hook::at::<UserPromptSubmit>("add").writer(move |cx, _, view: &mut Messages| {
        if turns(cx) {
            let behind = view.len() - 1;
            view.insert(behind, Message::new(Role::User, "what only this turn reads"));
            // In the place of a row that another hook removed, but not a rewrite of that row.
            view.insert(2, Message::new(Role::User, "and this"));
        }
    }));
    let session = bench.session(bench.harness()).await;
    for i in 0..4 {
        session.turn(None, format!("question {i}")).await;
    }
    assert_eq!(session.turn(None, "the last").await.to_string(), "done");

    let sent: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    assert_eq!(
        sent[1..],
        [
            "assistant: answer 2",
            "user: question 3",
            "assistant: answer three",
            "user: what only this turn reads",
            "user: the last",
        ]
    );
    let stored = bench.stored().await;
    assert_eq!(stored[0], "user: <conversation-summary>\nsummary\n</conversation-summary>");
    assert_eq!(
        stored[1..],
        [
            "user: question 1",
            "assistant: answer 2",
            "user: question 3",
            "assistant: answer 3",
            "user: the last",
            "assistant: done",
        ]
    );
}
