//! Fires the kind that an event stands for, and gathers what its hooks said.

mod after;
mod gate;

use hook_sdk::data::{Message, Messages, ModelRequest, Role};
use hook_sdk::dispatch::{Fired, Report};
use hook_sdk::kinds::{
    BeforeCompaction, BeforeToolCall, CompactionKind, PermissionRequest, PreModelCall, SessionEnd, SessionStart, Stop,
    StopReason, UserPromptSubmit,
};
use hook_sdk::verdict::{PromptDecision, StopDecision};
use hook_sdk::{DispatchError, HookContext, HookKind, HookSet};
use serde_json::Value;

use crate::event::HostEvent;
use crate::table::HookPoint;
use crate::verdict::{HostDecision, HostVerdict};

/// Runs the hooks of the set at the event. An event without hooks has no opinion.
pub async fn fire(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    match event.kind {
        HookPoint::BeforeToolCall => gate::call(hooks, cx, event, BeforeToolCall::new).await,
        HookPoint::PermissionRequest => gate::call(hooks, cx, event, PermissionRequest::new).await,
        HookPoint::AfterToolCallSuccess | HookPoint::AfterToolCallFailure => after::call(hooks, cx, event).await,
        HookPoint::UserPromptSubmit => prompt(hooks, cx, event).await,
        HookPoint::PreModelCall => model_call(hooks, cx, event).await,
        HookPoint::SessionStart => session_start(hooks, cx, event).await,
        HookPoint::SessionEnd => {
            let ended = SessionEnd::new(event.session.clone().unwrap_or_default(), word(event, "reason", "shutdown"));
            said(hooks.fire(cx, &ended, ()).await, |_| HostVerdict::default())
        }
        HookPoint::Stop => stop(hooks, cx, event).await,
        HookPoint::BeforeCompaction => compaction(hooks, cx, event).await,
        HookPoint::Notice | HookPoint::ForeignHost => HostVerdict::default(),
    }
}

/// What the hooks said, and which have failed. A gate that has no outcome refuses; at an event that is none, the host drops
/// the denial.
fn said<K: HookKind>(
    fired: Result<Fired<K>, DispatchError>,
    read: impl FnOnce(Fired<K>) -> HostVerdict,
) -> HostVerdict {
    match fired {
        Ok(fired) => {
            let failures: Vec<String> = fired.report.failures.iter().map(ToString::to_string).collect();
            let mut verdict = read(fired);
            verdict.warnings.extend(failures);
            verdict
        }
        Err(error) => undecided(&error),
    }
}

fn undecided(error: &DispatchError) -> HostVerdict {
    HostVerdict::deny(format!("the hooks could not decide: {error}"))
}

/// A halt, where somebody waits for the answer.
fn halted(report: &Report) -> HostDecision {
    report.halt.as_ref().map(|halt| HostDecision::Deny(halt.reason.to_string())).unwrap_or_default()
}

fn word<'a>(event: &'a HostEvent, detail: &str, default: &'a str) -> &'a str {
    event.details.get(detail).and_then(Value::as_str).unwrap_or(default)
}

async fn prompt(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let text = event.prompt.clone().unwrap_or_default();
    let messages = Messages::from(vec![Message::new(Role::User, text.clone())]);
    let submitted = UserPromptSubmit::new(text, messages.clone());
    said(hooks.fire(cx, &submitted, messages.clone()).await, |fired| {
        let mut verdict = HostVerdict::of(match fired.verdict.decision {
            PromptDecision::Block(reason) | PromptDecision::Stop(reason) => HostDecision::Deny(reason.into()),
            _ => halted(&fired.report),
        });
        verdict.contexts = fired.verdict.contexts;
        match fired.subject.strip_prefix(messages.as_slice()) {
            Some(added) => verdict.contexts.extend(added.iter().map(|message| message.text().into_owned())),
            None if verdict.decision == HostDecision::NoOpinion => {
                let reason = "a hook rewrites this prompt, which no host of this kind can carry, so it is refused";
                verdict.decision = HostDecision::Deny(reason.to_owned());
            }
            None => {}
        }
        verdict
    })
}

async fn model_call(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let rows = event.details.get("messages").and_then(Value::as_array);
    let row = |row: &Value| {
        let role = if row.get("role").and_then(Value::as_str) == Some("user") { Role::User } else { Role::Assistant };
        Message::new(role, row.get("content").and_then(Value::as_str).unwrap_or_default())
    };
    let messages: Vec<Message> = rows.into_iter().flatten().map(row).collect();
    let call = PreModelCall::new().messages(messages);
    said(hooks.fire(cx, &call, ModelRequest::default()).await, |fired| {
        let mut verdict = HostVerdict::of(halted(&fired.report));
        let mut request = fired.subject;
        let system = std::mem::take(&mut request.system_prompt);
        if verdict.decision == HostDecision::NoOpinion && request != ModelRequest::default() {
            let reason = "a hook changes this request, which the host cannot carry, so it is refused";
            verdict.decision = HostDecision::Deny(reason.to_owned());
        } else if verdict.decision == HostDecision::NoOpinion && !system.is_empty() {
            verdict.contexts.push(system);
        }
        verdict
    })
}

async fn session_start(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let source = match word(event, "source", "startup") {
        // Of Copilot and VS Code.
        "new" => "startup",
        source => source,
    };
    let started = SessionStart::new(event.session.clone().unwrap_or_default(), source);
    said(hooks.fire(cx, &started, ()).await, |fired| {
        let contexts = fired.verdict.iter().map(str::to_owned).collect();
        HostVerdict { contexts, ..HostVerdict::default() }
    })
}

async fn stop(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let capped = word(event, "termination", "").to_ascii_lowercase().contains("max_steps");
    let mut stop = Stop::new(if capped { StopReason::MaxIterations } else { StopReason::FinalResponse });
    stop.at_iteration_cap = capped;
    stop.stop_hook_active = event.stop_hook_active.unwrap_or_default();
    stop.last_message = event.last_message.as_ref().map(|text| Message::new(Role::Assistant, text.clone()));
    said(hooks.fire(cx, &stop, ()).await, |fired| {
        let ends = matches!(fired.verdict.decision, StopDecision::End(_) | StopDecision::Block(_));
        let mut verdict = HostVerdict::of(match fired.verdict.decision {
            StopDecision::Continue(follow_up) if fired.report.halt.is_none() => {
                HostDecision::KeepGoing(follow_up.into())
            }
            _ => HostDecision::NoOpinion,
        });
        if ends || fired.report.halt.is_some() {
            verdict.warnings.push("a hook ends the turn, and the host only hears that nothing objects".to_owned());
        }
        verdict
    })
}

async fn compaction(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let before = BeforeCompaction::new(word(event, "trigger", "auto"), CompactionKind::Full, Messages::default());
    said(hooks.fire(cx, &before, ()).await, |fired| {
        HostVerdict::of(gate::decision(&fired.verdict, fired.report.halt.as_ref()))
    })
}
