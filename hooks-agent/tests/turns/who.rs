//! Which hook denied, stopped or ended: in the reply and in events.

use std::sync::{Arc, Mutex};

use hook_sdk::HookId;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::ApprovalRequest;
use hooks_agent::model::Line;
use hooks_agent::{StopEffect, TurnEvent};
use serde_json::json;

use super::bench::{Bench, turn_with_events};

/// The events about hooks that prevent something: what, where, which hook, why.
fn refusals(events: &[TurnEvent]) -> Vec<String> {
    let id = |by: &Option<HookId>| by.as_ref().map(ToString::to_string).unwrap_or_default();
    let line = |event: &TurnEvent| match event {
        TurnEvent::Blocked { kind, by, reason, .. } => Some(format!("blocked {kind} {} {reason}", id(by))),
        TurnEvent::Stopped { kind, by, reason, .. } => Some(format!("stopped {kind} {} {reason}", id(by))),
        TurnEvent::ToolFinished { call, refused_by: Some(by), .. } => Some(format!("refused {} {by}", call.name)),
        _ => None,
    };
    events.iter().filter_map(line).collect()
}

#[tokio::test]
async fn the_reply_and_the_events_name_the_hook_that_ended_the_turn() {
    let hooks = [
        (
            Hook::at::<UserPromptSubmit>("guard").reader(|_, _, _| PromptVerdict::block("not here")),
            "blocked user_prompt_submit guard not here",
        ),
        (
            Hook::at::<UserPromptSubmit>("guard").reader(|_, _, _| PromptVerdict::stop("later")),
            "stopped user_prompt_submit guard later",
        ),
        (Hook::at::<Stop>("guard").reader(|_, _, ()| StopVerdict::block("secret")), "blocked stop guard secret"),
        (
            Hook::at::<PostModelCall>("guard").reader(|_, _, _| Err::<(), _>(Halt::new("enough"))),
            "stopped post_model_call guard enough",
        ),
    ];
    for (hook, expected) in hooks {
        let mut bench = Bench::new([Line::text("hello")]);
        // Other hooks that decided, but not last.
        bench.app(Hook::at::<UserPromptSubmit>("early").reader(|_, _, _| PromptVerdict::context("hm")).priority(-5));
        bench.app(Hook::at::<Stop>("wants_more").reader(|_, _, ()| StopVerdict::continue_with("more")).priority(-5));
        bench.app(hook);
        let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
        assert_eq!(refusals(&events), [expected]);
        assert_eq!(reply.outcome.by().map(ToString::to_string).as_deref(), Some("guard"), "{expected}: {reply:?}");
    }
}

#[tokio::test]
async fn a_call_that_does_not_run_names_the_hook_that_denied_it_or_asked() {
    for (verdict, refused) in
        [(Permission::deny("never"), true), (Permission::ask("may I?"), true), (Permission::Allow, false)]
    {
        let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("then not")]);
        bench.app(Hook::at::<BeforeToolCall>("gate").reader(move |_, _, _| verdict.clone()));
        let harness = bench.harness().approver(|_: &ApprovalRequest| Approval::No("no".to_owned()));
        let (reply, events) = turn_with_events(&bench.session(harness).await, "hi").await;
        assert_eq!(refusals(&events), vec!["refused lookup gate"; usize::from(refused)]);
        assert_eq!(reply.outcome.by(), None, "the turn itself was answered");
    }
}

#[tokio::test]
async fn the_verdict_of_the_hooks_of_a_kind_is_reported_as_a_word() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("done"), Line::text("more")]);
    bench.app(Hook::at::<BeforeToolCall>("gate").reader(|_, _, _| Permission::deny("never")));
    let attempts = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&attempts);
    bench.app(Hook::at::<AfterToolCall>("sees").reader(move |_, event: &AfterToolCall, ()| {
        seen.lock().unwrap().push(event.attempt);
    }));
    bench.app(Hook::at::<Stop>("go_on").reader(|_, event: &Stop, ()| {
        if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with("more") }
    }));
    let (_, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert_eq!(*attempts.lock().unwrap(), [0], "a denied call does not run");
    let fired: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::Fired { kind, verdict, .. } => Some(format!("{kind} {}", verdict.unwrap_or("-"))),
            TurnEvent::Stop { effect, by, .. } => {
                Some(format!("{} by {}", effect.as_str(), by.as_ref().map_or("nobody", HookId::as_str)))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        fired,
        [
            "before_tool_call deny",
            "after_tool_call -",
            "stop continue",
            "continue by go_on",
            "stop -",
            "allow by nobody"
        ]
    );
    assert_eq!(StopEffect::Continue.as_str(), "continue");
}
