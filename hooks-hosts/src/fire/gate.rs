//! The gates of a call.

use hook_sdk::data::{ToolCall, ToolInput};
use hook_sdk::verdict::{Decision, Halt, Permission};
use hook_sdk::{HookContext, HookKind, HookSet, Never};
use serde_json::{Map, Value, json};

use super::undecided;
use crate::event::HostEvent;
use crate::tool::{self, Part};
use crate::verdict::{HostDecision, HostVerdict};

/// Judges every part of the call. The strictest answer wins, and only a call of which every part is allowed is allowed.
pub(super) async fn call<K>(
    hooks: &HookSet,
    cx: &HookContext,
    event: &HostEvent,
    make: fn(ToolCall) -> K,
) -> HostVerdict
where
    K: HookKind<Subject = ToolInput, Verdict = Permission, Removal = Never>,
{
    if !hooks.has::<K>() {
        return HostVerdict::default();
    }
    let parts = tool::parts(event);
    if let Some(problem) = &event.unseen {
        // Only where somebody would judge it: a patch that cannot be read might be a change of any file.
        let patched = ["Write", "Edit"].iter().filter(|_| parts.iter().any(|part| part.tool == "apply_patch"));
        let names = parts.iter().map(|part| part.tool.as_str()).chain(patched.copied());
        let minded = names.into_iter().any(|name| {
            let mut call = of_event(event);
            name.clone_into(&mut call.name);
            hooks.selected(&make(call)).next().is_some()
        });
        let denied = HostVerdict::deny(format!("{problem}, so it is not run"));
        return if minded { denied } else { HostVerdict::default() };
    }
    let mut verdict = HostVerdict::default();
    let mut strictest = None;
    for part in parts {
        let judged = make(of_part(event, &part));
        let fired = match hooks.fire(cx, &judged, ToolInput::from(part.input.clone())).await {
            Ok(fired) => fired,
            Err(error) => return undecided(&error),
        };
        let halt = fired.report.halt.as_ref();
        verdict.warnings.extend(fired.report.failures.iter().map(ToString::to_string));
        let ends = "a hook orders the end of the turn, of which the host hears a denial";
        verdict.warnings.extend(halt.map(|_| ends.to_owned()));
        let mut said = decision(&fired.verdict, halt);
        if said.denied().is_none() && rewrite(event, &mut verdict.input, &part, &fired.subject).is_none() {
            let reason = "a hook changes one part of this call, which cannot be put back, so it is not run";
            said = HostDecision::Deny(reason.to_owned());
        }
        strictest = strictest.filter(|before| strictness(before) >= strictness(&said)).or(Some(said));
        if strictest.as_ref().is_some_and(|decision| decision.denied().is_some()) {
            break;
        }
    }
    verdict.decision = strictest.unwrap_or_default();
    verdict
}

/// Only a call of which every part is allowed is allowed.
fn strictness(decision: &HostDecision) -> u8 {
    match decision {
        HostDecision::Allow => 0,
        HostDecision::NoOpinion | HostDecision::KeepGoing(_) => 1,
        HostDecision::Ask(_) => 2,
        HostDecision::Deny(_) => 3,
    }
}

/// Puts what a hook has changed of a part into the arguments of the call, if it has a place there.
fn rewrite(event: &HostEvent, rewritten: &mut Option<Value>, part: &Part, input: &ToolInput) -> Option<()> {
    // The same call as one of another tool: what the hook has changed here, it has changed there.
    let is_there = |all: &Map<String, Value>| all.iter().all(|(key, value)| input.get(key) == Some(value));
    if **input == part.input || part.derived && rewritten.as_ref().and_then(Value::as_object).is_some_and(is_there) {
        return Some(());
    }
    let whole = rewritten.as_ref().or(event.input.as_ref())?;
    *rewritten = Some(tool::put_back(whole, part, input)?);
    Some(())
}

/// The call as hooks see it: under its canonical name, with the host's own beside it if that is another.
pub(super) fn of_event(event: &HostEvent) -> ToolCall {
    let tool = event.tool.as_ref();
    let input = event.input.clone().unwrap_or_else(|| json!({}));
    let name = tool.map(|tool| tool.canonical.clone()).unwrap_or_default();
    let mut call = ToolCall::new(event.call_id(), name, input);
    call.declared_as = tool.filter(|tool| tool.host != tool.canonical).map(|tool| tool.host.clone());
    call
}

fn of_part(event: &HostEvent, part: &Part) -> ToolCall {
    let mut call = of_event(event);
    if part.tool != call.name {
        call.declared_as.get_or_insert_with(|| call.name.clone());
        call.name.clone_from(&part.tool);
    }
    call
}

/// What a permission means where nobody can wait, and where a call is run or not.
pub(super) fn decision(permission: &Permission, halt: Option<&Halt>) -> HostDecision {
    if let Some(halt) = halt {
        return HostDecision::Deny(halt.reason.to_string());
    }
    match permission.decide() {
        Decision::Run if matches!(permission, Permission::Allow) => HostDecision::Allow,
        Decision::Run => HostDecision::NoOpinion,
        Decision::Ask(question) => HostDecision::Ask(question.reason.to_string()),
        Decision::Defer(question) => HostDecision::Deny(format!("{} (nobody can decide later here)", question.reason)),
        Decision::Answer(result) => {
            HostDecision::Deny(format!("the call is not run; a hook answers it: {}", result.text()))
        }
        Decision::Refuse(denial) => HostDecision::Deny(denial.reason.to_string()),
    }
}
