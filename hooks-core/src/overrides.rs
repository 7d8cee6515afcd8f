//! Overrides: an operator changes the options of hooks without touching their code.
//!
//! Overrides come in layers. [`Registry::set_overrides`](crate::Registry::set_overrides) takes them in order of
//! increasing precedence, for example machine defaults, then a workspace's file, then the command line. They are merged
//! **field by field, and the last layer that sets a field wins**. A field that no layer sets keeps the hook's own
//! value.
//!
//! | Field | In a file | Applies to |
//! |---|---|---|
//! | `enabled` | `true`, `false` | every hook; `true` reverts an earlier layer, but not [`Registry::disable`](crate::Registry::disable) |
//! | `priority` | a whole number | every hook |
//! | `timeout` | `"250ms"`, `"2s"`, `"1m"`, `"none"` | async, blocking, detached and background hooks |
//! | `mode` | `"enforce"`, `"shadow"` | every hook except detached and background ones |
//! | `on_failure` | `"continue"`, `"remove"`, `"deny"`, `"required"` | every hook, if all its kinds offer the policy |
//!
//! Overrides of a `locked` hook are errors.

mod changes;
#[cfg(feature = "toml")]
mod file;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

pub(crate) use changes::Changes;
use changes::Setting;

use crate::diagnostics::{Problem, ProblemKind};
use crate::failure::OnFailure;
use crate::hook::Hook;
use crate::id::HookId;
use crate::options::{HookMode, Timeout};
use crate::text::nearest_names;

/// The changes to one hook. Implements `Deserialize`, so that an app may store overrides in any format.
///
/// ```
/// use hook_sdk::overrides::Override;
/// use hook_sdk::prelude::*;
///
/// let calm: Override = serde_json::from_str(r#"{"priority": 5, "timeout": "2s"}"#)?;
/// assert_eq!(calm, Override::new().priority(5).timeout(Timeout::After(std::time::Duration::from_secs(2))));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Override {
    enabled: Option<bool>,
    priority: Option<i32>,
    #[serde(deserialize_with = "timeout")]
    timeout: Option<Timeout>,
    on_failure: Option<OnFailure>,
    mode: Option<HookMode>,
}

impl Override {
    /// Creates an override that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enables or disables the hook.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = Some(enabled);
        self
    }

    /// Sets the priority. Lower numbers run earlier.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Sets how long an async hook may take.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Timeout>) -> Self {
        self.timeout = Some(timeout.into());
        self
    }

    /// Sets what happens when the hook fails.
    #[must_use]
    pub fn on_failure(mut self, policy: OnFailure) -> Self {
        self.on_failure = Some(policy);
        self
    }

    /// Sets whether the hook's answers take effect.
    #[must_use]
    pub fn mode(mut self, mode: HookMode) -> Self {
        self.mode = Some(mode);
        self
    }
}

/// One named layer of overrides.
///
/// Problems are reported by [`Registry::set_overrides`](crate::Registry::set_overrides), together with those of all
/// other layers.
///
/// ```
/// use hook_sdk::overrides::{Override, Overrides};
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
///
/// let registry = Registry::empty();
/// registry.register(Hook::at::<BeforeCreateMessage>("trim").writer(|_, _, _| ()))?;
/// registry.register(Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::NoOpinion).locked())?;
/// registry.set_overrides([
///     Overrides::new("workspace").set("trim", Override::new().enabled(false).priority(5)),
///     Overrides::new("command line").set("trim", Override::new().enabled(true)),
/// ])?;
///
/// let refused = registry.set_overrides([Overrides::new("sly").set("guard", Override::new().enabled(false))]);
/// assert!(refused.unwrap_err().to_string().contains("`guard`"));
/// # Ok::<(), ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "overrides take effect only when passed to `Registry::set_overrides`"]
pub struct Overrides {
    name: Arc<str>,
    entries: Vec<OverrideEntry>,
    /// The parts that could not be parsed.
    problems: Vec<Problem>,
}

/// A layer's changes to one hook.
#[derive(Clone, Debug)]
struct OverrideEntry {
    id: HookId,
    /// The position for messages.
    at: String,
    changes: Changes,
}

impl Overrides {
    /// Creates an empty layer. Messages and plans mention its name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds the changes to the hook `id`.
    pub fn set(mut self, id: &str, change: Override) -> Self {
        let at = self.name.to_string();
        let changes = Changes {
            enabled: self.setting(change.enabled, &at),
            priority: self.setting(change.priority, &at),
            timeout: self.setting(change.timeout, &at),
            on_failure: self.setting(change.on_failure, &at),
            mode: self.setting(change.mode, &at),
        };
        self.entries.push(OverrideEntry { id: HookId::new(id), at, changes });
        self
    }

    fn setting<T>(&self, value: Option<T>, at: &str) -> Option<Setting<T>> {
        value.map(|value| Setting { value, layer: Arc::clone(&self.name), at: at.to_owned() })
    }

    /// Returns all problems of the layer, given the registered hooks.
    pub(crate) fn check(&self, hooks: &HashMap<&HookId, &Hook>) -> Vec<Problem> {
        let mut problems = self.problems.clone();
        for entry in &self.entries {
            match hooks.get(&entry.id) {
                Some(hook) => problems.extend(entry.changes.check(hook)),
                None => {
                    let nearest = nearest_names(entry.id.as_str(), hooks.keys().map(|id| id.as_str()));
                    let problem = format!("there is no hook `{}` to override{nearest}", entry.id);
                    problems.push(bad_override(&entry.at, &problem));
                }
            }
        }
        problems
    }

    /// Merges the layer over earlier ones.
    pub(crate) fn add_to(&self, changes: &mut HashMap<HookId, Changes>) {
        for entry in &self.entries {
            changes.entry(entry.id.clone()).or_default().lay(&entry.changes);
        }
    }
}

/// A problem with an override, at a file position or in a named layer.
fn bad_override(at: &str, problem: &str) -> Problem {
    Problem::new(ProblemKind::BadOverride, at, format!("{at}: {problem}"))
}

/// Parses a timeout such as `2s`.
fn parse_timeout(text: &str) -> Result<Timeout, &'static str> {
    const EXPECTED: &str = "expected a time, such as \"250ms\", \"2s\" or \"1m\", or \"none\"";
    if text == "none" {
        return Ok(Timeout::None);
    }
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text.strip_suffix(unit).and_then(|number| number.parse().ok()).ok_or(EXPECTED)?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return Err(EXPECTED),
    };
    number.checked_mul(factor).map(|millis| Timeout::After(Duration::from_millis(millis))).ok_or(EXPECTED)
}

fn timeout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timeout>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| parse_timeout(&text)).transpose().map_err(serde::de::Error::custom)
}
