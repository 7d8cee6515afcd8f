//! Fires the kind that an event stands for, and gathers what its hooks said.

mod after;
mod gate;

use hook_sdk::data::{Message, Messages, ModelRequest, Role};
use hook_sdk::kinds::{
    BeforeCompaction, BeforeToolCall, CompactionKind, PermissionRequest, PreModelCall, SessionEnd, SessionStart, Stop,
    StopReason, UserPromptSubmit,
};
use hook_sdk::verdict::{PromptDecision, StopDecision};
use hook_sdk::{DispatchError, HookContext, HookSet};
use serde_json::Value;

use crate::event::{HookPoint, HostEvent};
use crate::verdict::{HostDecision, HostVerdict};

/// Runs the hooks of the set at the event. An event without hooks has no opinion.
pub async fn fire(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    match event.kind {
        HookPoint::BeforeToolCall => gate::call(hooks, cx, event, BeforeToolCall::new).await,
        HookPoint::PermissionRequest => gate::call(hooks, cx, event, PermissionRequest::new).await,
        HookPoint::AfterToolCallSuccess => after::success(hooks, cx, event).await,
        HookPoint::AfterToolCallFailure => after::failure(hooks, cx, event).await,
        HookPoint::UserPromptSubmit => prompt(hooks, cx, event).await,
        HookPoint::PreModelCall => model_call(hooks, cx, event).await,
        HookPoint::SessionStart => session_start(hooks, cx, event).await,
        HookPoint::SessionEnd => {
            let ended = SessionEnd::new(event.session.clone().unwrap_or_default(), word(event, "reason", "shutdown"));
            match hooks.fire(cx, &ended, ()).await {
                Ok(fired) => HostVerdict::default().with_failures(&fired.report),
                Err(error) => undecided(&error),
            }
        }
        HookPoint::Stop => stop(hooks, cx, event).await,
        HookPoint::BeforeCompaction => compaction(hooks, cx, event).await,
        HookPoint::Notice | HookPoint::ForeignHost => HostVerdict::default(),
    }
}

/// A gate that has no outcome refuses. The caller of an event that is none gets the denial too, which its host drops.
fn undecided(error: &DispatchError) -> HostVerdict {
    HostVerdict::deny(format!("the hooks could not decide: {error}"))
}

fn word<'a>(event: &'a HostEvent, detail: &str, default: &'a str) -> &'a str {
    event.details.get(detail).and_then(Value::as_str).unwrap_or(default)
}

async fn prompt(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let text = event.prompt.clone().unwrap_or_default();
    let messages = Messages::from(vec![Message::new(Role::User, text.clone())]);
    let submitted = UserPromptSubmit::new(text, messages.clone());
    let fired = match hooks.fire(cx, &submitted, messages.clone()).await {
        Ok(fired) => fired,
        Err(error) => return undecided(&error),
    };
    let mut verdict = HostVerdict::default().with_failures(&fired.report);
    verdict.contexts = fired.verdict.contexts;
    verdict.decision = match (fired.verdict.decision, &fired.report.halt) {
        (PromptDecision::Block(reason) | PromptDecision::Stop(reason), _) => HostDecision::Deny(reason.into()),
        (_, Some(halt)) => HostDecision::Deny(halt.reason.to_string()),
        _ => HostDecision::NoOpinion,
    };
    let added = fired.subject.strip_prefix(messages.as_slice());
    match added {
        Some(added) => verdict.contexts.extend(added.iter().map(|message| message.text().into_owned())),
        None if verdict.decision == HostDecision::NoOpinion => {
            let reason = "a hook rewrites this prompt, which no host of this kind can carry, so it is refused";
            verdict.decision = HostDecision::Deny(reason.to_owned());
        }
        None => {}
    }
    verdict
}

async fn model_call(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let rows = event.details.get("messages").and_then(Value::as_array);
    let row = |row: &Value| {
        let role = if row.get("role").and_then(Value::as_str) == Some("user") { Role::User } else { Role::Assistant };
        Message::new(role, row.get("content").and_then(Value::as_str).unwrap_or_default())
    };
    let messages: Vec<Message> = rows.into_iter().flatten().map(row).collect();
    let call = PreModelCall::new().messages(messages);
    let fired = match hooks.fire(cx, &call, ModelRequest::default()).await {
        Ok(fired) => fired,
        Err(error) => return undecided(&error),
    };
    let mut request = fired.subject;
    let mut verdict = HostVerdict::default().with_failures(&fired.report);
    let system = std::mem::take(&mut request.system_prompt);
    if let Some(halt) = &fired.report.halt {
        verdict.decision = HostDecision::Deny(halt.reason.to_string());
    } else if request != ModelRequest::default() {
        let reason = "a hook changes this request, which the host cannot carry, so it is refused";
        verdict.decision = HostDecision::Deny(reason.to_owned());
    } else if !system.is_empty() {
        verdict.contexts.push(system);
    }
    verdict
}

async fn session_start(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let started = SessionStart::new(event.session.clone().unwrap_or_default(), word(event, "source", "startup"));
    match hooks.fire(cx, &started, ()).await {
        Ok(fired) => {
            let mut verdict = HostVerdict::default().with_failures(&fired.report);
            verdict.contexts = fired.verdict.iter().map(str::to_owned).collect();
            verdict
        }
        Err(error) => undecided(&error),
    }
}

async fn stop(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let capped = word(event, "termination", "").to_ascii_lowercase().contains("max_steps");
    let mut stop = Stop::new(if capped { StopReason::MaxIterations } else { StopReason::FinalResponse });
    stop.at_iteration_cap = capped;
    stop.stop_hook_active = event.stop_hook_active.unwrap_or_default();
    stop.last_message = event.last_message.as_ref().map(|text| Message::new(Role::Assistant, text.clone()));
    match hooks.fire(cx, &stop, ()).await {
        Ok(fired) => {
            let decision = match fired.verdict.decision {
                StopDecision::Continue(follow_up) if fired.report.halt.is_none() => {
                    HostDecision::KeepGoing(follow_up.into())
                }
                _ => HostDecision::NoOpinion,
            };
            HostVerdict::of(decision).with_failures(&fired.report)
        }
        Err(error) => undecided(&error),
    }
}

async fn compaction(hooks: &HookSet, cx: &HookContext, event: &HostEvent) -> HostVerdict {
    let before = BeforeCompaction::new(word(event, "trigger", "auto"), CompactionKind::Full, Messages::default());
    match hooks.fire(cx, &before, ()).await {
        Ok(fired) => {
            HostVerdict::of(gate::decision(&fired.verdict, fired.report.halt.as_ref())).with_failures(&fired.report)
        }
        Err(error) => undecided(&error),
    }
}
