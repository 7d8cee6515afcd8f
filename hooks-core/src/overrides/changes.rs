//! What layers change of one hook, and whether it takes that.

use std::sync::Arc;
use std::time::Duration;

use crate::config::Problem;
use crate::hook::{Hook, OnFailure, Timeout};

/// A value, and who says it where.
#[derive(Clone, Debug)]
pub(super) struct Said<T> {
    pub(super) value: T,
    pub(super) layer: Arc<str>,
    /// Where, as messages tell it.
    pub(super) at: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(super) enabled: Option<Said<bool>>,
    pub(super) priority: Option<Said<i32>>,
    pub(super) timeout: Option<Said<Timeout>>,
    pub(super) on_failure: Option<Said<OnFailure>>,
}

impl Changes {
    /// Lays a later layer over this: what it says wins, field by field.
    pub(super) fn lay(&mut self, later: &Self) {
        fn lay<T: Clone>(field: &mut Option<Said<T>>, later: Option<&Said<T>>) {
            if later.is_some() {
                *field = later.cloned();
            }
        }
        lay(&mut self.enabled, later.enabled.as_ref());
        lay(&mut self.priority, later.priority.as_ref());
        lay(&mut self.timeout, later.timeout.as_ref());
        lay(&mut self.on_failure, later.on_failure.as_ref());
    }

    /// What is wrong with changing this of the hook.
    pub(crate) fn check(&self, hook: &Hook) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut refuse = |at: &str, problem: String| {
            problems.push(Problem::BadOverride { at: at.to_owned(), problem });
        };
        let name = format!("the hook `{}` ({})", hook.id, hook.origin);
        if hook.locked {
            for (option, at) in self.fields() {
                refuse(at, format!("{name} is locked, so `{option}` cannot be overridden; take it out"));
            }
            return problems;
        }
        if let Some(timeout) = &self.timeout {
            if timeout.value == Timeout::After(Duration::ZERO) {
                refuse(&timeout.at, format!("`timeout` of {name} is longer than nothing; write \"none\" for no limit"));
            } else if !hook.bindings.iter().any(|binding| binding.form.is_async || binding.form.apart) {
                let why = "a plain function, which cannot be interrupted; take `timeout` out";
                refuse(&timeout.at, format!("{name} is {why}"));
            }
        }
        if let Some(policy) = &self.on_failure {
            let kinds = hook.bindings.iter().map(|binding| binding.kind);
            for kind in kinds.filter(|kind| !kind.offers(policy.value)) {
                let offered = [OnFailure::Continue, OnFailure::Remove, OnFailure::Deny, OnFailure::Required];
                let offered: Vec<String> = offered
                    .into_iter()
                    .filter(|policy| kind.offers(*policy))
                    .map(|policy| format!("\"{}\"", policy.as_str()))
                    .collect();
                let (policy_name, kind) = (policy.value.as_str(), kind.name);
                let offered = offered.join(", ");
                let text = format!(
                    "{name} runs at `{kind}`, which does not offer `on_failure` \"{policy_name}\"; it offers {offered}"
                );
                refuse(&policy.at, text);
            }
        }
        problems
    }

    /// The names of what it says, with their places.
    fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let enabled = self.enabled.as_ref().map(|said| ("enabled", said.at.as_str()));
        let priority = self.priority.as_ref().map(|said| ("priority", said.at.as_str()));
        let timeout = self.timeout.as_ref().map(|said| ("timeout", said.at.as_str()));
        let on_failure = self.on_failure.as_ref().map(|said| ("on_failure", said.at.as_str()));
        [enabled, priority, timeout, on_failure].into_iter().flatten()
    }

    /// Whether it says more than whether the hook runs.
    pub(crate) fn moves(&self) -> bool {
        self.priority.is_some() || self.timeout.is_some() || self.on_failure.is_some()
    }

    /// The layer that disables the hook.
    pub(crate) fn disabled_by(&self) -> Option<Arc<str>> {
        self.enabled.as_ref().filter(|enabled| !enabled.value).map(|enabled| Arc::clone(&enabled.layer))
    }

    pub(crate) fn apply(&self, mut hook: Hook) -> Hook {
        let options = &mut hook.options;
        options.priority = self.priority.as_ref().map_or(options.priority, |said| said.value);
        options.timeout = self.timeout.as_ref().map_or(options.timeout, |said| said.value);
        options.on_failure = self.on_failure.as_ref().map(|said| said.value).or(options.on_failure);
        hook
    }

    /// What it changes of the hook's options, and which layer says so.
    pub(crate) fn told(&self, hook: &Hook) -> String {
        let mut told = Vec::new();
        if let Some(said) = &self.priority {
            told.push(format!("priority from {} by {}", hook.options.priority, said.layer));
        }
        if let Some(said) = &self.timeout {
            let was = hook.options.timeout.duration().map_or("none".to_owned(), |limit| format!("{limit:?}"));
            told.push(format!("timeout from {was} by {}", said.layer));
        }
        if let Some(said) = &self.on_failure {
            let kinds = hook.bindings.first().map(|binding| binding.kind.on_failure);
            let was = hook.options.on_failure.or(kinds).map_or("", OnFailure::as_str);
            told.push(format!("on failure from {was} by {}", said.layer));
        }
        told.join(", ")
    }
}
