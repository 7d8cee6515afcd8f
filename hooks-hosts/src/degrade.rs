//! What a host cannot carry becomes something that is never weaker, or a warning.

use serde_json::Value;

use crate::event::HostEvent;
use crate::host::Host;
use crate::table::{Carried, Carries};
use crate::tool;
use crate::verdict::{HostDecision, HostVerdict};

/// The verdict as the host can carry it at this event, and what had to be left out.
pub(crate) fn degrade(host: &Host, event: &HostEvent, mut verdict: HostVerdict) -> (HostVerdict, Vec<String>) {
    verdict.input = verdict.input.map(|input| tool::completed(event, input));
    let (title, carries) = (host.title, host.carries(event));
    let mut degrading = Degrading { title, event, carries, needs_all: host.needs_all, warnings: Vec::new() };
    let verdict = degrading.result(reasoned(verdict));
    let verdict = degrading.gate(reasoned(verdict));
    let verdict = degrading.contexts(verdict);
    let verdict = degrading.short(verdict, host.counts_bytes);
    (verdict, degrading.warnings)
}

/// Some hosts take no answer without a reason, and an empty text says nothing to a model.
fn reasoned(mut verdict: HostVerdict) -> HostVerdict {
    if let Some(reason) = verdict.decision.reason().filter(|reason| reason.trim().is_empty()) {
        "no reason given".clone_into(reason);
    }
    verdict
}

/// The longest text that every host gives to its model; Claude Code shows only the beginning of a longer one.
const LONGEST: usize = 10_000;

/// A text that is too long, cut.
fn cut(text: &str, counts_bytes: bool) -> Option<String> {
    const NOTE: &str = "\n[the rest was left out]";
    let size = |c: char| if counts_bytes { c.len_utf8() } else { c.len_utf16() };
    let ends = text.char_indices().scan(0, |sum, (at, c)| {
        *sum += size(c);
        Some((at, *sum))
    });
    let beyond = |most: usize| ends.clone().find(|(_, sum)| *sum > most).map(|(at, _)| at);
    beyond(LONGEST)?;
    Some(format!("{}{NOTE}", &text[..beyond(LONGEST - NOTE.len())?]))
}

struct Degrading<'a> {
    title: &'static str,
    event: &'a HostEvent,
    carries: Carries,
    needs_all: bool,
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
            let lacking = lacking(self.event.input.as_ref(), input).filter(|_| self.needs_all);
            if !fits || !self.event.writable || lacking.is_some() {
                let wanted = match &verdict.decision {
                    HostDecision::Ask(reason) => Some(reason.clone()),
                    _ => verdict.reason.clone(),
                };
                let what = lacking.unwrap_or_else(|| changed(self.event.input.as_ref(), input));
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
        let text = verdict.result_and_reason();
        verdict.result = None;
        if matches!(verdict.decision, HostDecision::NoOpinion | HostDecision::Deny(_))
            && self.carries.deny == Carried::Yes
        {
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

    fn short(&mut self, mut verdict: HostVerdict, counts_bytes: bool) -> HostVerdict {
        if let Some(short) = verdict.context().and_then(|text| cut(&text, counts_bytes)) {
            self.warn("so long a text for the model, which is cut,");
            verdict.contexts = vec![short];
        }
        verdict
    }
}

/// A call that has not all of its arguments any more.
fn lacking(before: Option<&Value>, after: &Value) -> Option<String> {
    let before = before?.as_object()?;
    let gone: Vec<&str> = before.keys().filter(|name| after.get(*name).is_none()).map(String::as_str).collect();
    (!gone.is_empty()).then(|| format!("a call without its `{}`", gone.join("` and `")))
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
