//! What an operator changes of hooks without touching their code: layers of overrides.
//!
//! A layer says something of some hooks; [`Registry::set_overrides`](crate::Registry::set_overrides) takes them in the
//! order in which they hold, such as the defaults of a machine, then those of a workspace, then what was said at the
//! command line. They hold **field by field, and the last that says something wins**; what none says is as the hook has it.
//!
//! | Field | In a file | May be said of |
//! |---|---|---|
//! | `enabled` | `true`, `false` | every hook; `true` takes back what an earlier layer said, not [`Registry::disable`](crate::Registry::disable) |
//! | `priority` | a whole number | every hook |
//! | `timeout` | `"250ms"`, `"2s"`, `"1m"`, `"none"` | async and blocking hooks, and those that no dispatch waits for |
//! | `mode` | `"enforce"`, `"shadow"` | hooks that a dispatch waits for |
//! | `on_failure` | `"continue"`, `"remove"`, `"deny"`, `"required"` | what all kinds of the hook offer |
//!
//! A hook that is `locked` takes none of them.

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

/// What is changed of one hook. Reads from whatever serde reads, so that an app may keep it where it likes.
///
/// ```
/// use hooks_core::overrides::Override;
/// use hooks_core::prelude::*;
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
    /// Changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the hook runs.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = Some(enabled);
        self
    }

    /// Lower runs earlier.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }

    /// How long an async hook may take.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Timeout>) -> Self {
        self.timeout = Some(timeout.into());
        self
    }

    /// What is done when the hook fails.
    #[must_use]
    pub fn on_failure(mut self, policy: OnFailure) -> Self {
        self.on_failure = Some(policy);
        self
    }

    /// Whether its answers count.
    #[must_use]
    pub fn mode(mut self, mode: HookMode) -> Self {
        self.mode = Some(mode);
        self
    }
}

/// One layer: its name, and what it changes of which hooks.
///
/// What is wrong with it is told by [`Registry::set_overrides`](crate::Registry::set_overrides), together with what is
/// wrong with all other layers.
///
/// ```
/// use hooks_core::overrides::{Override, Overrides};
/// use hooks_core::kinds::*;
/// use hooks_core::prelude::*;
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
#[must_use = "overrides hold once they are given to `Registry::set_overrides`"]
pub struct Overrides {
    name: Arc<str>,
    entries: Vec<OverrideEntry>,
    /// What could not be read.
    problems: Vec<Problem>,
}

/// What a layer says of one hook.
#[derive(Clone, Debug)]
struct OverrideEntry {
    id: HookId,
    /// Where it says so, as messages tell it.
    at: String,
    changes: Changes,
}

impl Overrides {
    /// A layer that changes nothing. Its name is told wherever it matters.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Changes this of the hook.
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

    /// Everything that is wrong with it, these hooks being there.
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

    /// Lays it over what earlier layers changed.
    pub(crate) fn add_to(&self, changes: &mut HashMap<HookId, Changes>) {
        for entry in &self.entries {
            changes.entry(entry.id.clone()).or_default().lay(&entry.changes);
        }
    }
}

/// What is wrong with an override, and where: file, line and column, or the layer's name.
fn bad_override(at: &str, problem: &str) -> Problem {
    Problem::new(ProblemKind::BadOverride, at, format!("{at}: {problem}"))
}

/// Reads `2s` and its like.
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
