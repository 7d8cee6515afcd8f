//! What a host cannot carry becomes something that is never weaker, or a warning.

use serde_json::Value;

use crate::event::HostEvent;
use crate::host::Host;
use crate::table::{Carried, Carries};
use crate::verdict::{HostDecision, HostVerdict};

/// The verdict as the host can carry it at this event, and what had to be left out.
pub(crate) fn degrade(host: &Host, event: &HostEvent, verdict: HostVerdict) -> (HostVerdict, Vec<String>) {
    let (title, carries) = (host.title, host.carries(event));
    let mut degrading = Degrading { title, event, carries, warnings: Vec::new() };
    let verdict = degrading.result(verdict);
    let verdict = degrading.gate(verdict);
    let mut verdict = degrading.contexts(verdict);
    // Some hosts take no answer without a reason.
    if let HostDecision::Deny(reason) | HostDecision::Ask(reason) | HostDecision::KeepGoing(reason) =
        &mut verdict.decision
    {
        if reason.trim().is_empty() {
            "no reason given".clone_into(reason);
        }
    }
    (verdict, degrading.warnings)
}

struct Degrading<'a> {
    title: &'static str,
    event: &'a HostEvent,
    carries: Carries,
    warnings: Vec<String>,
}

impl Degrading<'_> {
    fn warn(&mut self, what: &str) {
        let text = format!("{} cannot carry {what} at `{}`", self.title, self.event.host_event);
        self.warnings.push(text);
    }

    /// A denial and what was wanted, in words that help a model.
    fn denial(&mut self, wanted: Option<&str>, what: &str) -> HostDecision {
        self.warn(&format!("{what}, so it is denied"));
        let why = format!("{} cannot carry {what} here, so the call is denied", self.title);
        HostDecision::Deny(match wanted {
            Some(wanted) => format!("{wanted} ({why})"),
            None => why,
        })
    }

    fn gate(&mut self, mut verdict: HostVerdict) -> HostVerdict {
        let asks = matches!(verdict.decision, HostDecision::Ask(_));
        if let (Some(input), false) = (&verdict.input, matches!(verdict.decision, HostDecision::Deny(_))) {
            let carried = if asks { self.carries.ask_rewritten } else { self.carries.rewrite };
            let allowed = verdict.decision == HostDecision::Allow;
            let fits = carried == Carried::Yes || carried == Carried::IfAllowed && allowed;
            if !fits || !self.event.writable {
                let wanted = match &verdict.decision {
                    HostDecision::Ask(reason) => Some(reason.clone()),
                    _ => verdict.reason.clone(),
                };
                let what = changed(self.event.input.as_ref(), input);
                verdict.decision = self.denial(wanted.as_deref(), &what);
                verdict.input = None;
            }
        }
        match &verdict.decision {
            HostDecision::Ask(reason) if self.carries.ask != Carried::Yes => {
                let reason = reason.clone();
                verdict.decision = self.denial(Some(&reason), "a question to a person");
            }
            HostDecision::Allow if self.carries.allow != Carried::Yes && verdict.input.is_none() => {
                verdict.decision = HostDecision::NoOpinion;
            }
            HostDecision::KeepGoing(_) if self.carries.keep_going != Carried::Yes => {
                self.warn("a turn that goes on");
                verdict.decision = HostDecision::NoOpinion;
            }
            _ => {}
        }
        if let HostDecision::Deny(reason) = &verdict.decision {
            match self.carries.deny {
                Carried::Yes => {}
                Carried::Degraded => {
                    let reason = reason.clone();
                    self.warn("a denial, which becomes a text for the model,");
                    verdict.contexts.insert(0, reason);
                    verdict.decision = HostDecision::NoOpinion;
                }
                _ => {
                    self.warn("a denial");
                    verdict.decision = HostDecision::NoOpinion;
                }
            }
        }
        if matches!(verdict.decision, HostDecision::Deny(_)) {
            verdict.input = None;
        }
        verdict
    }

    fn result(&mut self, mut verdict: HostVerdict) -> HostVerdict {
        if verdict.result.is_none() || self.carries.replace == Carried::Yes {
            return verdict;
        }
        if self.carries.replace == Carried::Degraded {
            self.warn("another result: the model reads an error with its text");
            return verdict;
        }
        self.warn("another result: the model reads the one of the tool");
        let text = verdict.result_text();
        verdict.result = None;
        if verdict.decision == HostDecision::NoOpinion && self.carries.deny == Carried::Yes {
            verdict.decision = HostDecision::Deny(text.unwrap_or_default());
        }
        verdict
    }

    fn contexts(&mut self, mut verdict: HostVerdict) -> HostVerdict {
        if !verdict.contexts.is_empty() && self.carries.context != Carried::Yes {
            self.warn("a text for the model");
            verdict.contexts.clear();
        }
        verdict
    }
}

/// Which arguments a hook wants to be others. Their values stay out: a hook may have put a secret there.
fn changed(before: Option<&Value>, after: &Value) -> String {
    let (Some(before), Some(after)) = (before.and_then(Value::as_object), after.as_object()) else {
        return "a changed call".to_owned();
    };
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    let names: Vec<&str> = names.filter(|name| before.get(*name) != after.get(*name)).map(String::as_str).collect();
    format!("a call with another `{}`", names.join("` and `"))
}
