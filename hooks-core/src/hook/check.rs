//! Checks the options of a finished hook, however it was made: by the attribute, as a value, or with overrides. Problems
//! that depend on the scope, such as a cycle, are reported when a set is made.

use std::time::Duration;

use wildmatch::WildMatch;

use super::{Binding, Hook, patterns};
use crate::failure::OnFailure;
use crate::kinds::StreamDelta;
use crate::options::{Hold, HookMode, MAX_DURATION, RunMode, Timeout};
use crate::signature::checks::unknown_word;

/// An option, and what is wrong with it, as the rest of a sentence that begins with the option.
#[derive(Debug, PartialEq)]
pub(crate) struct OptionProblem {
    pub(crate) option: &'static str,
    pub(crate) problem: String,
}

impl Hook {
    /// Everything that is wrong with the options, except what the attribute has checked at compile time. A problem that
    /// does not depend on the kind is reported once.
    pub(crate) fn option_problems(&self) -> Vec<OptionProblem> {
        let mut problems = Vec::new();
        let mut add = |option, problem: String| {
            let problem = OptionProblem { option, problem };
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        };
        for binding in &self.bindings {
            binding.check_policy(&mut add);
            binding.check_times(self.bindings.iter().any(Binding::takes_timeout), &mut add);
            binding.check_filters(&mut add);
            binding.check_run(&mut add);
            binding.check_capabilities(&mut add);
            if let Some(Err(problem)) = &binding.fallback {
                add("fallback", problem.clone());
            }
        }
        problems
    }
}

impl Binding {
    fn check_policy(&self, add: &mut impl FnMut(&'static str, String)) {
        let kind = self.kind;
        let Some(policy) = self.options.on_failure.filter(|policy| !kind.offers(*policy)) else { return };
        let offered = OnFailure::ALL.iter().filter(|policy| kind.offers(**policy)).map(|policy| format!("`{policy}`"));
        let (name, offered) = (kind.name, offered.collect::<Vec<_>>().join(", "));
        add("on_failure", format!("is `{policy}`, which `{name}` does not offer; it offers {offered}"));
    }

    /// `limits` is whether a timeout can end one of the hook's functions.
    fn check_times(&self, limits: bool, add: &mut impl FnMut(&'static str, String)) {
        const TOO_LONG: &str = "is longer than 365 days";
        match self.options.timeout {
            Timeout::Default => {}
            _ if !limits => {
                add("timeout", "needs an async hook: a plain function cannot be interrupted".to_owned());
            }
            Timeout::After(Duration::ZERO) => {
                let none = "must be longer than zero; for no limit write `Timeout::None`, in a file `\"none\"`";
                add("timeout", none.to_owned());
            }
            Timeout::After(limit) if limit > MAX_DURATION => {
                add("timeout", format!("{TOO_LONG}; for no limit write `Timeout::None`, in a file `\"none\"`"));
            }
            Timeout::After(_) | Timeout::None => {}
        }
        if self.options.delay > MAX_DURATION {
            add("delay", TOO_LONG.to_owned());
        }
    }

    fn check_filters(&self, add: &mut impl FnMut(&'static str, String)) {
        for (at, only) in self.filters.iter().enumerate() {
            let name = &only.field;
            if let Some(problem) = patterns::problem(&only.patterns) {
                add("only", format!("is wrong: {problem}"));
            }
            let Some(field) = self.kind.fields.iter().position(|known| known == name) else {
                let known: Vec<String> = self.kind.fields.iter().map(|name| format!("`{name}`")).collect();
                let known = if known.is_empty() {
                    "its event has no filter fields".to_owned()
                } else {
                    format!("its filter fields are {}", known.join(", "))
                };
                add("only", format!("cannot filter `{}` by `{name}`; {known}", self.kind.name));
                continue;
            };
            let known = (self.kind.words)(field);
            if let Some(problem) = known.and_then(|known| unknown_word(self.kind.name, name, known, &only.patterns)) {
                add("only", format!("matches nothing: {}", problem.as_str()));
            }
            let mut earlier = self.filters[..at].iter().filter(|earlier| earlier.field == only.field);
            if let Some(other) = earlier.find(|other| !overlap(&other.patterns, &only.patterns)) {
                let (one, other) = (&other.patterns, &only.patterns);
                add(
                    "only",
                    format!("matches nothing: no `{name}` is both `{one}` and `{other}`; write `{one}|{other}`"),
                );
            }
        }
    }

    fn check_run(&self, add: &mut impl FnMut(&'static str, String)) {
        let options = &self.options;
        let run = options.run;
        let is_background = run == RunMode::Background;
        if run != RunMode::Inline {
            let no_effect = format!("has no effect, because no dispatch waits for a {run} hook; remove it");
            if options.on_failure.is_some_and(|policy| policy != OnFailure::Continue) {
                add("on_failure", no_effect.clone());
            }
            if self.fallback.is_some() {
                add("fallback", no_effect.clone());
            }
            if options.mode == HookMode::Shadow {
                add("mode", no_effect);
            }
        }
        // A kind of the app may be a stream.
        let is_stream = self.kind.engine.is_some() || self.kind.is::<StreamDelta>();
        if options.hold != Hold::NOTHING && !is_stream {
            add("hold", format!("has no effect at `{}`, which is no stream; remove it", self.kind.name));
        }
        if options.retries > 0 && !(is_background && options.idempotent) {
            add("retries", "needs an idempotent background hook; add `.idempotent()`, or remove it".to_owned());
        }
        if !options.delay.is_zero() && !is_background {
            add("delay", "needs a background hook, because only jobs wait; remove it".to_owned());
        }
        if is_background && !self.kind.json {
            let why = "which cannot be serialized as JSON; add `json` to its `#[hook_kind(…)]`";
            add("run", format!("cannot be `background` at `{}`, {why}", self.kind.name));
        }
    }

    fn check_capabilities(&self, add: &mut impl FnMut(&'static str, String)) {
        let Some(said) = self.options.capabilities else { return };
        let (name, offered) = (self.kind.name, self.kind.capabilities);
        if offered.is_empty() {
            add("capabilities", format!("has no effect at `{name}`, where hooks contribute nothing"));
        }
        for one in said.iter().filter(|one| !offered.is_empty() && !offered.has(*one)) {
            add("capabilities", format!("contains `{one}`, which `{name}` does not offer; it offers {offered}"));
        }
    }
}

/// Whether a value can match both. Of two patterns with wildcards, this is assumed.
fn overlap(one: &str, other: &str) -> bool {
    let is_word = |part: &str| !part.contains(['*', '?']);
    let fit = |one: &str, other: &str| match (is_word(one), is_word(other)) {
        (true, _) => WildMatch::new(other).matches(one),
        (false, true) => WildMatch::new(one).matches(other),
        (false, false) => true,
    };
    let parts = |patterns: &str| patterns.split('|').map(|part| part.trim().to_owned()).collect::<Vec<_>>();
    let others = parts(other);
    parts(one).iter().any(|one| others.iter().any(|other| fit(one, other)))
}
