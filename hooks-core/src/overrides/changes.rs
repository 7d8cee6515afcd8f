//! The merged changes to one hook, and whether it accepts them.

use std::sync::Arc;
use std::time::Duration;

use super::bad_override;
use crate::diagnostics::Problem;
use crate::failure::OnFailure;
use crate::hook::Hook;
use crate::options::{HookMode, RunMode, Timeout};

/// A value, with the layer and the position that set it.
#[derive(Clone, Debug)]
pub(super) struct Setting<T> {
    pub(super) value: T,
    pub(super) layer: Arc<str>,
    /// The position for messages.
    pub(super) at: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(super) enabled: Option<Setting<bool>>,
    pub(super) priority: Option<Setting<i32>>,
    pub(super) timeout: Option<Setting<Timeout>>,
    pub(super) on_failure: Option<Setting<OnFailure>>,
    pub(super) mode: Option<Setting<HookMode>>,
}

impl Changes {
    /// Merges a later layer over this one; its fields win.
    pub(super) fn lay(&mut self, later: &Self) {
        fn lay<T: Clone>(field: &mut Option<Setting<T>>, later: Option<&Setting<T>>) {
            if later.is_some() {
                *field = later.cloned();
            }
        }
        lay(&mut self.enabled, later.enabled.as_ref());
        lay(&mut self.priority, later.priority.as_ref());
        lay(&mut self.timeout, later.timeout.as_ref());
        lay(&mut self.on_failure, later.on_failure.as_ref());
        lay(&mut self.mode, later.mode.as_ref());
    }

    /// Returns the problems of applying the changes to the hook.
    pub(crate) fn check(&self, hook: &Hook) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut refuse = |at: &str, problem: String| {
            problems.push(bad_override(at, &problem));
        };
        let name = format!("the hook `{}` ({})", hook.id, hook.origin);
        if hook.locked {
            for (option, at) in self.fields() {
                refuse(at, format!("{name} is locked, so `{option}` cannot be overridden; remove `{option}`"));
            }
            return problems;
        }
        if let Some(timeout) = &self.timeout {
            if timeout.value == Timeout::After(Duration::ZERO) {
                refuse(
                    &timeout.at,
                    format!("the `timeout` of {name} must be longer than zero; write \"none\" for no limit"),
                );
            } else if !hook.bindings.iter().any(|binding| binding.takes_timeout(&hook.options)) {
                let why = "a plain function, which cannot be interrupted; remove `timeout`";
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
        if let Some(mode) = self.mode.as_ref().filter(|mode| mode.value == HookMode::Shadow) {
            if hook.options.run != RunMode::Inline {
                let why = "is detached or background, so its answers never take effect; remove `mode`";
                refuse(&mode.at, format!("{name} {why}"));
            }
        }
        problems
    }

    /// The names of the changed fields, with their positions.
    fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let enabled = self.enabled.as_ref().map(|setting| ("enabled", setting.at.as_str()));
        let priority = self.priority.as_ref().map(|setting| ("priority", setting.at.as_str()));
        let timeout = self.timeout.as_ref().map(|setting| ("timeout", setting.at.as_str()));
        let on_failure = self.on_failure.as_ref().map(|setting| ("on_failure", setting.at.as_str()));
        let mode = self.mode.as_ref().map(|setting| ("mode", setting.at.as_str()));
        [enabled, priority, timeout, on_failure, mode].into_iter().flatten()
    }

    /// Whether it changes more than `enabled`.
    pub(crate) fn moves(&self) -> bool {
        self.priority.is_some() || self.timeout.is_some() || self.on_failure.is_some() || self.mode.is_some()
    }

    /// The layer that disables the hook.
    pub(crate) fn disabled_by(&self) -> Option<Arc<str>> {
        self.enabled.as_ref().filter(|enabled| !enabled.value).map(|enabled| Arc::clone(&enabled.layer))
    }

    pub(crate) fn apply(&self, mut hook: Hook) -> Hook {
        let options = &mut hook.options;
        options.priority = self.priority.as_ref().map_or(options.priority, |setting| setting.value);
        options.timeout = self.timeout.as_ref().map_or(options.timeout, |setting| setting.value);
        options.on_failure = self.on_failure.as_ref().map(|setting| setting.value).or(options.on_failure);
        options.mode = self.mode.as_ref().map_or(options.mode, |setting| setting.value);
        hook
    }

    /// Describes the changes to the hook's options, with the layers that made them.
    pub(crate) fn describe(&self, hook: &Hook) -> String {
        let mut changes = Vec::new();
        if let Some(setting) = &self.priority {
            changes.push(format!("priority from {} by {}", hook.options.priority, setting.layer));
        }
        if let Some(setting) = &self.timeout {
            let was = hook.options.timeout.duration().map_or("none".to_owned(), |limit| format!("{limit:?}"));
            changes.push(format!("timeout from {was} by {}", setting.layer));
        }
        if let Some(setting) = &self.mode {
            changes.push(format!("mode from {} by {}", hook.options.mode.as_str(), setting.layer));
        }
        if let Some(setting) = &self.on_failure {
            let kinds = hook.bindings.first().map(|binding| binding.kind.on_failure);
            let was = hook.options.on_failure.or(kinds).map_or("", OnFailure::as_str);
            changes.push(format!("on failure from {was} by {}", setting.layer));
        }
        changes.join(", ")
    }
}
