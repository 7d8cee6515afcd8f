//! The golden sequences: which kinds fire in which order, written by hand.

use hook_sdk::data::Role;
use hook_sdk::kinds::SessionEndReason;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::ApprovalRequest;
use hooks_agent::model::{Line, ModelError};
use hooks_agent::store::MessageStore;
use hooks_agent::window::Window;
use hooks_agent::{HarnessBuilder, SubAgent};
use serde_json::json;

use super::bench::Bench;

pub(crate) const STORED: &[&str] = &["before_create_message", "after_create_message"];
pub(crate) const BEGIN: &[&str] = &[
    "filter_messages",
    "user_prompt_submit",
    "before_create_message",
    "after_create_message",
    "before_agent_start",
    "pre_policy",
    "pre_prompt_context",
    "post_preflight_prompt_context",
    "pre_tool_materialization",
    "pre_prompt_compile",
];
pub(crate) const CALL: &[&str] = &["prefilter_llm_history", "pre_model_call", "the model", "post_model_call"];
pub(crate) const LOOKUP: &[&str] = &[
    "before_tool_call",
    "the tool",
    "after_tool_call_success",
    "after_tool_call",
    "before_store_tool_result",
    "before_create_message",
    "after_create_message",
];
const FAILED: &[&str] = &[
    "before_tool_call",
    "after_tool_call_failure",
    "after_tool_call",
    "before_store_tool_result",
    "before_create_message",
    "after_create_message",
];
pub(crate) const NOT_RUN: &[&str] = &[
    "before_tool_call",
    "after_tool_call",
    "before_store_tool_result",
    "before_create_message",
    "after_create_message",
];

async fn holds(what: &str, bench: Bench, expected: &[&[&str]]) {
    let harness = bench.harness();
    holds_in(what, bench, harness, expected).await;
}

async fn holds_in(what: &str, bench: Bench, harness: HarnessBuilder, expected: &[&[&str]]) {
    let session = bench.session(harness).await;
    let _reply = session.turn(None, "hi").await;
    session.close(SessionEndReason::Shutdown).await.unwrap();
    let expected: Vec<&str> = [&["session_start"][..]]
        .iter()
        .chain(expected)
        .chain(&[&["session_end"][..]])
        .flat_map(|part| part.iter())
        .copied()
        .collect();
    assert_eq!(bench.log.take(), expected, "{what}");
}

#[tokio::test(start_paused = true)]
async fn each_kind_fires_in_the_documented_order() {
    let lookup = || Line::call("1", "lookup", json!({ "id": "a" }));
    let end = &["before_create_message", "stop", "after_create_message", "post_turn", "turn_end"][..];

    holds("a plain turn", Bench::watched([Line::text("hello")]), &[BEGIN, CALL, end]).await;

    let two = Line::calls([("1", "lookup", json!({ "id": "a" })), ("2", "lookup", json!({ "id": "b" }))]);
    let bench = Bench::watched([two, Line::text("both")]);
    holds("two calls", bench, &[BEGIN, CALL, STORED, LOOKUP, LOOKUP, CALL, end]).await;

    let mut bench = Bench::watched([lookup(), Line::text("then not")]);
    bench.app(Hook::at::<BeforeToolCall>("no").reader(|_, _, _| Permission::deny("never")));
    holds("a denied call", bench, &[BEGIN, CALL, STORED, NOT_RUN, CALL, end]).await;

    let mut bench = Bench::watched([lookup(), Line::text("then not")]);
    bench.app(Hook::at::<BeforeToolCall>("may_i").reader(|_, _, _| Permission::ask("really?")));
    let asked = &["before_tool_call", "permission_request"][..];
    let expected = [BEGIN, CALL, STORED, asked, &NOT_RUN[1..], CALL, end];
    holds("an asked call without anybody to ask", bench, &expected).await;

    for (answer, call) in [(Approval::Yes, LOOKUP), (Approval::No("not today".into()), NOT_RUN)] {
        let mut bench = Bench::watched([lookup(), Line::text("so be it")]);
        bench.app(Hook::at::<BeforeToolCall>("may_i").reader(|_, _, _| Permission::ask("really?")));
        let said = answer.clone();
        let log = bench.log.clone();
        let harness = bench.harness().approver(move |_: &ApprovalRequest| {
            log.note("the approver");
            said.clone()
        });
        // Between the gate and the tool, or the text instead of its result.
        let asked = [&["before_tool_call", "permission_request", "the approver"], &call[1..]].concat();
        let expected = [BEGIN, CALL, STORED, &asked, CALL, end];
        holds_in(&format!("an asked call, and {answer:?}"), bench, harness, &expected).await;
    }

    let bench = Bench::watched([Line::call("1", "breaks", json!({})), Line::text("sorry")]);
    holds("a failing tool", bench, &[BEGIN, CALL, STORED, FAILED, CALL, end]).await;

    let mut bench = Bench::watched([Line::error(ModelError::Rejected("no".into())), Line::text("hello")]);
    bench.app(Hook::at::<PostModelCall>("repair").reader(|_, event: &PostModelCall, _| match event.error {
        Some(_) => ReplyVerdict::Continue,
        None => ReplyVerdict::NoOpinion,
    }));
    holds("a refused call that a hook repairs", bench, &[BEGIN, CALL, CALL, end]).await;

    let mut bench = Bench::watched([Line::text(""), Line::text("hello")]);
    bench.app(Hook::at::<Stop>("say_something").reader(|_, event: &Stop, ()| {
        let silent = event.last_message.as_ref().is_none_or(|message| message.text().is_empty());
        if silent { StopVerdict::continue_with("say something") } else { StopVerdict::default() }
    }));
    // An empty answer is not stored; the follow-up is.
    let empty = &["stop", "before_create_message", "after_create_message"];
    holds("an empty reply that `stop` rescues", bench, &[BEGIN, CALL, empty, CALL, end]).await;

    let mut bench = Bench::watched([]);
    bench.app(Hook::at::<UserPromptSubmit>("no").reader(|_, _, _| PromptVerdict::block("not here")));
    holds("a blocked prompt", bench, &[&["filter_messages", "user_prompt_submit", "turn_end"]]).await;

    let waits = [Line::error(ModelError::rate_limited("slow down", None)), Line::text("hello")];
    let again = &[CALL, &CALL[1..]].concat();
    holds("a provider that asks to wait", Bench::watched(waits), &[BEGIN, again, end]).await;

    let bench = Bench::watched([lookup(), Line::text("done")]);
    // Only the tool's output is old enough, but it is too short.
    let harness = bench.harness().window(Window::new(1_000).compact_at(0));
    holds_in("a full window with nothing to leave out", bench, harness, &[BEGIN, CALL, STORED, LOOKUP, CALL, end])
        .await;

    let bench = Bench::watched([Line::text("summary"), Line::text("hello")]);
    let old =
        |i: u32| Message::new(if i.is_multiple_of(2) { Role::User } else { Role::Assistant }, format!("message {i}"));
    bench.store.append("c", (0..8).map(old).collect()).await.unwrap();
    let harness = bench.harness().window(Window::new(1_000).compact_at(60));
    let compaction = &[
        "before_compaction",
        "prefilter_llm_history",
        "pre_model_call",
        "the model",
        "post_model_call",
        "post_compact",
    ];
    holds_in("a full window", bench, harness, &[BEGIN, compaction, CALL, end]).await;

    let overflow = Line::error(ModelError::Overflow("too long".into()));
    let bench = Bench::watched([overflow.clone(), Line::text("s"), Line::text("hello")]);
    bench.store.append("c", (0..20).map(old).collect()).await.unwrap();
    holds("a context that overflows", bench, &[BEGIN, CALL, compaction, CALL, end]).await;

    // A summary that fails twice, and then only the turn.
    let no = || Line::error(ModelError::Rejected("no".into()));
    let bench = Bench::watched([overflow, no(), no(), Line::text("hello")]);
    bench.store.append("c", (0..20).map(old).collect()).await.unwrap();
    let (failed, minimal) = (&compaction[..5], &["before_compaction", "post_compact"]);
    holds("one that nobody can sum up", bench, &[BEGIN, CALL, failed, failed, minimal, CALL, end]).await;

    let ask = Line::call("1", "research", json!({ "prompt": "what is it?" }));
    let bench = Bench::watched([ask, Line::text("a bird"), Line::text("a bird, I hear")]);
    let harness = bench.harness().agent(SubAgent::new(AgentDef::new("research"), "Looks things up."));
    let answered = &LOOKUP[2..];
    let expected = [BEGIN, CALL, STORED, &["before_tool_call"], BEGIN, CALL, end, answered, CALL, end];
    holds_in("an agent that another one asks", bench, harness, &expected).await;

    let bench = Bench::watched([Line::error(ModelError::Rejected("no".into()))]);
    holds("a provider that refuses", bench, &[BEGIN, CALL, &["post_turn", "turn_end"]]).await;
}

#[test]
fn audit_finds_no_dead_hook_at_the_kinds_of_the_loop() {
    let bench = Bench::watched([]);
    let set = bench.registry.scope(&AgentDef::new("a").hooks::<String>([]), None).unwrap();
    assert_eq!(bench.registry.audit([&set]), []);
}
