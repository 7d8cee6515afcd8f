use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::HookId;
use crate::tables::setters;

/// The rule on whose behalf a hook answers, for hooks that run rules that others wrote, for example in a file. The hook
/// adds it to its answer, and verdicts and records pass it on. A record also names the hook.
///
/// ```
/// use hook_sdk::HookId;
/// use hook_sdk::verdict::{Attribution, Denial};
///
/// let rule = Attribution::new(HookId::named("no_push").unwrap()).file("settings.json", 12).plugin("guards");
/// assert_eq!(rule.to_string(), "no_push (settings.json:12, plugin guards)");
/// let denial = Denial::new("not on Fridays").attributed_to(rule);
/// assert_eq!(denial.by.unwrap().as_str(), "no_push");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attribution {
    /// The id of the rule.
    pub id: HookId,
    /// The file that contains the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of the rule, starting at 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The plugin that the rule belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
}

impl Attribution {
    /// Creates an attribution to the rule `id`.
    pub fn new(id: HookId) -> Self {
        Self { id, file: None, line: None, plugin: None }
    }

    /// Sets the position of the rule.
    #[must_use]
    pub fn file(mut self, file: impl Into<String>, line: usize) -> Self {
        (self.file, self.line) = (Some(file.into()), Some(line));
        self
    }
}

setters!(Attribution {
    /// The plugin that the rule belongs to.
    plugin: impl Into<String> => Some,
});

impl fmt::Display for Attribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let file = self.file.as_ref().map(|file| format!("{file}{line}"));
        let plugin = self.plugin.as_ref().map(|name| format!("plugin {name}"));
        let place = file.into_iter().chain(plugin).collect::<Vec<_>>().join(", ");
        if place.is_empty() { write!(f, "{}", self.id) } else { write!(f, "{} ({place})", self.id) }
    }
}
