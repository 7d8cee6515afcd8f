use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::kind::Semantics;

/// What hooks add at a contribute kind, in the order of the plan, never of completion.
///
/// ```
/// use hooks_core::prelude::*;
///
/// let mut all = Contributions::from(Contribution::prompt_context("profile", "tier", "gold member"));
/// all.merge(Contribution::audit("looked the profile up").into());
/// assert_eq!(all.iter().count(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contributions {
    items: Vec<Contribution>,
}

/// One thing that a hook adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "params", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Contribution {
    /// Text for the model's context.
    PromptContext {
        /// What it is about; entries of one domain belong together.
        domain: String,
        /// Its name within the domain.
        id: String,
        /// The text.
        text: String,
    },
    /// A note for the audit trail; the model never sees it.
    Audit {
        /// What was done or seen.
        message: String,
    },
}

impl Contribution {
    /// Text for the model's context.
    pub fn prompt_context(domain: impl Into<String>, id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::PromptContext { domain: domain.into(), id: id.into(), text: text.into() }
    }

    /// A note for the audit trail.
    pub fn audit(message: impl Into<String>) -> Self {
        Self::Audit { message: message.into() }
    }
}

impl Contributions {
    /// All of them, in the order of the plan.
    pub fn iter(&self) -> std::slice::Iter<'_, Contribution> {
        self.items.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<'a> IntoIterator for &'a Contributions {
    type Item = &'a Contribution;
    type IntoIter = std::slice::Iter<'a, Contribution>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<()> for Contributions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<Contribution> for Contributions {
    fn from(one: Contribution) -> Self {
        Self { items: vec![one] }
    }
}

impl From<Vec<Contribution>> for Contributions {
    fn from(items: Vec<Contribution>) -> Self {
        Self { items }
    }
}

impl From<Option<Contribution>> for Contributions {
    fn from(one: Option<Contribution>) -> Self {
        Self { items: one.into_iter().collect() }
    }
}

impl Verdict for Contributions {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Contribute);

    fn merge(&mut self, mut later: Self) {
        self.items.append(&mut later.items);
    }

    fn summary(&self) -> Option<&'static str> {
        (!self.items.is_empty()).then_some("contributes")
    }
}
