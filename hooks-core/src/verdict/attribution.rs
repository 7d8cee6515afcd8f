use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::HookId;

/// Who a hook answers for that carries what others wrote: a rule of a file, say. The hook names it in its answer, and
/// verdicts and records pass it on; a record names the hook as well.
///
/// ```
/// use hooks_core::HookId;
/// use hooks_core::verdict::{Attribution, Denial};
///
/// let rule = Attribution::new(HookId::named("no_push").unwrap()).file("settings.json", 12).plugin("guards");
/// assert_eq!(rule.to_string(), "no_push (settings.json:12, plugin guards)");
/// let denial = Denial::new("not on Fridays").attributed_to(rule);
/// assert_eq!(denial.by.unwrap().as_str(), "no_push");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attribution {
    /// What it is called.
    pub id: HookId,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line there, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The plugin that it came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
}

impl Attribution {
    /// Names it.
    pub fn new(id: HookId) -> Self {
        Self { id, file: None, line: None, plugin: None }
    }

    /// Where it is written.
    #[must_use]
    pub fn file(mut self, file: impl Into<String>, line: usize) -> Self {
        (self.file, self.line) = (Some(file.into()), Some(line));
        self
    }

    /// The plugin that it came with.
    #[must_use]
    pub fn plugin(mut self, name: impl Into<String>) -> Self {
        self.plugin = Some(name.into());
        self
    }
}

impl fmt::Display for Attribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let file = self.file.as_ref().map(|file| format!("{file}{line}"));
        let plugin = self.plugin.as_ref().map(|name| format!("plugin {name}"));
        let place = file.into_iter().chain(plugin).collect::<Vec<_>>().join(", ");
        if place.is_empty() { write!(f, "{}", self.id) } else { write!(f, "{} ({place})", self.id) }
    }
}

/// What the answers that can be attributed share.
macro_rules! attributed_to {
    ($($ty:ty),*) => {
        $(impl $ty {
            /// Names who the hook answers for: a rule of a file, say.
            #[must_use]
            pub fn attributed_to(mut self, other: impl Into<Arc<Attribution>>) -> Self {
                let other = other.into();
                self.by = Some(other.id.clone());
                self.attribution = Some(other);
                self
            }
        })*
    };
}

attributed_to!(super::Denial, super::Question, super::Halt, super::PromptVerdict, super::StopVerdict);
