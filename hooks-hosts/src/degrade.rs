//! What a host cannot carry becomes something that is never weaker, or a warning.

use serde_json::Value;

use crate::event::HostEvent;
use crate::host::Host;
use crate::table::{Carried, Carries};
use crate::tool;
use crate::verdict::{HostDecision, HostVerdict};

/// The verdict as the host can carry it at this event, with what had to be left out among its warnings.
pub(crate) fn degrade(host: &Host, event: &HostEvent, mut verdict: HostVerdict) -> HostVerdict {
    verdict.input = verdict.input.map(|input| tool::completed(event, input));
    let mut degrading = Degrading { host, event, carries: host.carries(event), verdict };
    degrading.reasoned();
    degrading.result();
    degrading.reasoned();
    degrading.gate();
    degrading.contexts();
    degrading.verdict
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
    host: &'a Host,
    event: &'a HostEvent,
    carries: Carries,
    verdict: HostVerdict,
}

impl Degrading<'_> {
    fn warn(&mut self, what: &str) {
        let text = format!("{} cannot carry {what} at `{}`", self.host.title, self.event.host_event);
        self.verdict.warnings.push(text);
    }

    /// A denial and what was wanted, in words that help a model.
    fn deny(&mut self, wanted: Option<String>, what: &str) {
        self.warn(&format!("{what}, so it is denied"));
        let why = format!("{} cannot carry {what} here, so the call is denied", self.host.title);
        self.verdict.decision = HostDecision::Deny(match wanted {
            Some(wanted) => format!("{wanted} ({why})"),
            None => why,
        });
    }

    /// Some hosts take no answer without a reason, and an empty text says nothing to a model.
    fn reasoned(&mut self) {
        if let Some(reason) = self.verdict.decision.reason().filter(|reason| reason.trim().is_empty()) {
            "no reason given".clone_into(reason);
        }
    }

    fn gate(&mut self) {
        let asks = matches!(self.verdict.decision, HostDecision::Ask(_));
        if let (Some(input), None) = (&self.verdict.input, self.verdict.decision.denied()) {
            let carried = if asks { self.carries.ask_rewritten } else { self.carries.rewrite };
            let allowed = self.verdict.decision == HostDecision::Allow;
            let fits = carried == Carried::Yes || carried == Carried::IfAllowed && allowed;
            let lacking = lacking(self.event.input.as_ref(), input).filter(|_| self.host.needs_all);
            if !fits || !self.event.writable || lacking.is_some() {
                let what = lacking.unwrap_or_else(|| changed(self.event.input.as_ref(), input));
                let wanted = match &self.verdict.decision {
                    HostDecision::Ask(reason) => Some(reason.clone()),
                    _ => self.verdict.reason.clone(),
                };
                self.deny(wanted, &what);
            }
        }
        match &self.verdict.decision {
            HostDecision::Ask(reason) if self.carries.ask != Carried::Yes => {
                self.deny(Some(reason.clone()), "a question to a person");
            }
            HostDecision::Allow if self.carries.allow != Carried::Yes && self.verdict.input.is_none() => {
                self.verdict.decision = HostDecision::NoOpinion;
            }
            HostDecision::KeepGoing(_) if self.carries.keep_going != Carried::Yes => {
                self.warn("a turn that goes on");
                self.verdict.decision = HostDecision::NoOpinion;
            }
            _ => {}
        }
        let Some(reason) = self.verdict.decision.denied().map(str::to_owned) else { return };
        self.verdict.input = None;
        match self.carries.deny {
            Carried::Yes => return,
            Carried::Degraded => {
                self.warn("a denial, which becomes a text for the model,");
                self.verdict.contexts.insert(0, reason);
            }
            _ => self.warn("a denial"),
        }
        self.verdict.decision = HostDecision::NoOpinion;
    }

    fn result(&mut self) {
        let Some(text) = self.verdict.result_and_reason() else { return };
        match self.carries.replace {
            Carried::Yes => return,
            Carried::Degraded => return self.warn("another result: the model reads an error with its text"),
            _ => self.warn("another result: the model reads the one of the tool"),
        }
        self.verdict.result = None;
        let is_open = matches!(self.verdict.decision, HostDecision::NoOpinion | HostDecision::Deny(_));
        if is_open && self.carries.deny == Carried::Yes {
            self.verdict.decision = HostDecision::Deny(text);
        }
    }

    fn contexts(&mut self) {
        let Some(text) = self.verdict.context() else { return };
        if self.carries.context != Carried::Yes {
            self.warn("a text for the model");
            self.verdict.contexts.clear();
        } else if let Some(short) = cut(&text, self.host.counts_bytes) {
            self.warn("so long a text for the model, which is cut,");
            self.verdict.contexts = vec![short];
        }
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
