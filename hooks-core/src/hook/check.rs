//! Checks the options of a finished hook, however it was made: by the attribute, as a value, or with overrides. Problems
//! that depend on the scope, such as a cycle, are reported when a set is made.

use std::time::Duration;

use super::Hook;
use super::patterns::pattern_problem;
use crate::failure::OnFailure;
use crate::options::{HookMode, MAX_DURATION, RunMode, Timeout};

/// An option, and what is wrong with it, as the rest of a sentence that begins with the option.
#[derive(Debug, PartialEq)]
pub(crate) struct OptionProblem {
    pub(crate) option: &'static str,
    pub(crate) problem: String,
}

impl Hook {
    /// Everything that is wrong with the options, except what the attribute has checked at compile time.
    pub(crate) fn option_problems(&self) -> Vec<OptionProblem> {
        let mut problems = Vec::new();
        let mut add = |option, problem: String| problems.push(OptionProblem { option, problem });
        self.check_policy(&mut add);
        self.check_times(&mut add);
        self.check_filters(&mut add);
        self.check_run(&mut add);
        self.check_capabilities(&mut add);
        for problem in self.bindings.iter().filter_map(|binding| binding.bad_fallback()) {
            add("fallback", problem.to_owned());
        }
        problems
    }

    fn check_policy(&self, add: &mut impl FnMut(&'static str, String)) {
        let Some(policy) = self.options.on_failure else { return };
        let kinds = self.bindings.iter().map(|binding| binding.kind);
        for kind in kinds.filter(|kind| !kind.offers(policy)) {
            let offered =
                OnFailure::ALL.iter().filter(|policy| kind.offers(**policy)).map(|policy| format!("`{policy}`"));
            let (name, offered) = (kind.name, offered.collect::<Vec<_>>().join(", "));
            add("on_failure", format!("is `{policy}`, which `{name}` does not offer; it offers {offered}"));
        }
    }

    fn check_times(&self, add: &mut impl FnMut(&'static str, String)) {
        const TOO_LONG: &str = "is longer than 365 days";
        match self.options.timeout {
            Timeout::Default => {}
            _ if !self.bindings.iter().any(|binding| binding.takes_timeout(&self.options)) => {
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
        for binding in self.bindings.iter() {
            for only in binding.filters.iter() {
                if let Err(name) = &only.field {
                    let known: Vec<String> = binding.kind.fields.iter().map(|name| format!("`{name}`")).collect();
                    let known = if known.is_empty() {
                        "its event has no filter fields".to_owned()
                    } else {
                        format!("its filter fields are {}", known.join(", "))
                    };
                    add("only", format!("cannot filter `{}` by `{name}`; {known}", binding.kind.name));
                }
                if let Some(problem) = pattern_problem(&only.patterns) {
                    add("only", problem);
                }
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
            if options.mode == HookMode::Shadow {
                add("mode", no_effect);
            }
        }
        if options.retries > 0 && !(is_background && options.idempotent) {
            add("retries", "needs an idempotent background hook; add `.idempotent()`, or remove it".to_owned());
        }
        if !options.delay.is_zero() && !is_background {
            add("delay", "needs a background hook, because only jobs wait; remove it".to_owned());
        }
        for kind in self.bindings.iter().map(|binding| binding.kind).filter(|kind| is_background && !kind.json) {
            let why = "which cannot be serialized as JSON; add `json` to its `#[hook_kind(…)]`";
            add("run", format!("cannot be `background` at `{}`, {why}", kind.name));
        }
    }

    fn check_capabilities(&self, add: &mut impl FnMut(&'static str, String)) {
        let Some(said) = self.options.capabilities else { return };
        for kind in self.bindings.iter().map(|binding| binding.kind) {
            let (name, offered) = (kind.name, kind.capabilities);
            if offered.is_empty() {
                add("capabilities", format!("has no effect at `{name}`, where hooks contribute nothing"));
            }
            for one in said.iter().filter(|one| !offered.is_empty() && !offered.has(*one)) {
                add("capabilities", format!("contains `{one}`, which `{name}` does not offer; it offers {offered}"));
            }
        }
    }
}
