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
//! | `timeout` | `"250ms"`, `"2s"`, `"1m"`, `"2h"`, `"1d"`, `"none"` | async, blocking, detached and background hooks |
//! | `mode` | `"enforce"`, `"shadow"` | every hook except detached and background ones |
//! | `on_failure` | `"continue"`, `"remove"`, `"deny"`, `"required"` | every hook, if all its kinds offer the policy |
//!
//! Overrides of a `locked` hook are errors.

mod changes;
#[cfg(feature = "toml")]
mod file;

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

pub(crate) use changes::Changes;
use changes::{Change, bad_override};

use crate::diagnostics::Problem;
use crate::failure::OnFailure;
use crate::hook::{Binding, Hook};
use crate::id::HookId;
use crate::options::{HookMode, Options, Timeout};
use crate::text::nearest_names;

/// Declares [`Override`]: the name and type of each field of [`Options`] that overrides may set, what a file may contain,
/// and how a plan shows the previous value.
macro_rules! overridable {
    ($(
        $(#[$doc:meta])*
        $field:ident: $type:ty = $expected:expr, |$binding:ident| $was:expr;
    )*) => {
        /// The changes to one hook. Implements `Deserialize`, so that an app may store overrides in any format.
        ///
        /// ```
        /// use hook_sdk::overrides::Override;
        /// use hook_sdk::prelude::*;
        ///
        /// let calm: Override = serde_json::from_str(r#"{"priority": 5, "timeout": "2s"}"#)?;
        /// assert_eq!(calm, Override::new().priority(5).timeout(std::time::Duration::from_secs(2)));
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Override {
            enabled: Option<bool>,
            $($field: Option<$type>,)*
        }

        impl Override {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $field(mut self, $field: impl Into<$type>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )*

            /// Splits the changes into one for each field that is set.
            fn split(self) -> impl Iterator<Item = (&'static str, Self)> {
                let enabled = self.enabled.map(|enabled| ("enabled", Self::new().enabled(enabled)));
                [enabled, $(self.$field.map(|value| (stringify!($field), Self::new().$field(value))),)*]
                    .into_iter()
                    .flatten()
            }

            fn apply(&self, options: &mut Options) {
                $(if let Some(value) = self.$field {
                    options.$field = value.into();
                })*
            }
        }

        /// The fields, and the values that they take in a file.
        const FIELDS: &[(&str, &str)] = &[("enabled", "true or false"), $((stringify!($field), $expected),)*];

        /// The value of the option `field` before it was overridden; `None` if it is not an option.
        fn was(field: &str, binding: &Binding) -> Option<String> {
            match field {
                $(stringify!($field) => {
                    let $binding = binding;
                    Some($was)
                })*
                _ => None,
            }
        }
    };
}

overridable! {
    /// Sets the priority. Lower numbers run earlier.
    priority: i32 = "a whole number between -2147483648 and 2147483647", |binding| binding.options.priority.to_string();

    /// Sets how long an async hook may take.
    timeout: Timeout = Timeout::EXPECTED, |binding| {
        binding.options.timeout.duration().map_or("none".to_owned(), |limit| format!("{limit:?}"))
    };

    /// Sets whether the hook's answers take effect.
    mode: HookMode = "\"enforce\" or \"shadow\"", |binding| binding.options.mode.to_string();

    /// Sets what happens when the hook fails.
    on_failure: OnFailure = "one of \"continue\", \"remove\", \"deny\" and \"required\"", |binding| {
        binding.policy().as_str().to_owned()
    };
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
        let entry = |(name, field)| (name, Change { field, layer: Arc::clone(&self.name), at: at.clone() });
        let changes = Changes(change.split().map(entry).collect());
        self.entries.push(OverrideEntry { id: HookId::new(id), at, changes });
        self
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
            changes.entry(entry.id.clone()).or_default().0.extend(entry.changes.0.clone());
        }
    }
}
