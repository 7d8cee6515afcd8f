//! The gates of a call.

use hook_sdk::data::{ToolCall, ToolInput};
use hook_sdk::verdict::{Decision, Halt, Permission};
use hook_sdk::{HookContext, HookKind, HookSet, Never};
use serde_json::{Value, json};

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
            hooks.selects(&make(call))
        });
        let denied = HostVerdict::deny(format!("{problem}, so it is not run"));
        return if minded { denied } else { HostVerdict::default() };
    }
    let mut all = Judged::new(event);
    for part in parts {
        let judged = make(of_part(event, &part));
        match hooks.fire(cx, &judged, ToolInput::from(part.input.clone())).await {
            Ok(fired) => {
                all.verdict.warnings.extend(fired.report.failures.iter().map(ToString::to_string));
                if fired.report.halt.is_some() {
                    let warning = "a hook orders the end of the turn, of which the host hears a denial";
                    all.verdict.warnings.push(warning.to_owned());
                }
                all.add(decision(&fired.verdict, fired.report.halt.as_ref()));
                all.rewrite(&part, &fired.subject);
            }
            Err(error) => return undecided(&error),
        }
        if matches!(all.verdict.decision, HostDecision::Deny(_)) {
            break;
        }
    }
    all.verdict
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

struct Judged<'a> {
    event: &'a HostEvent,
    verdict: HostVerdict,
    first: bool,
}

impl<'a> Judged<'a> {
    fn new(event: &'a HostEvent) -> Self {
        Self { event, verdict: HostVerdict::default(), first: true }
    }

    fn add(&mut self, later: HostDecision) {
        use HostDecision::{Allow, Ask, Deny, NoOpinion};
        let first = std::mem::replace(&mut self.first, false);
        let before = std::mem::take(&mut self.verdict.decision);
        self.verdict.decision = match (before, later) {
            (_, later) if first => later,
            (deny @ Deny(_), _) | (_, deny @ Deny(_)) => deny,
            (ask @ Ask(_), _) | (_, ask @ Ask(_)) => ask,
            (Allow, Allow) => Allow,
            _ => NoOpinion,
        };
    }

    fn rewrite(&mut self, part: &Part, input: &ToolInput) {
        if **input == part.input || matches!(self.verdict.decision, HostDecision::Deny(_)) {
            return;
        }
        // The same call as one of another tool: what the hook has changed here, it has changed there.
        let rewritten = self.verdict.input.as_ref().filter(|_| part.derived).and_then(Value::as_object);
        if rewritten.is_some_and(|all| all.iter().all(|(key, value)| input.get(key) == Some(value))) {
            return;
        }
        let whole = self.verdict.input.as_ref().or(self.event.input.as_ref());
        match whole.and_then(|whole| tool::put_back(whole, part, input)) {
            Some(whole) => self.verdict.input = Some(whole),
            None => {
                let reason = "a hook changes one part of this call, which cannot be put back, so it is not run";
                self.verdict.decision = HostDecision::Deny(reason.to_owned());
            }
        }
    }
}
