use serde::{Deserialize, Serialize};

use super::{Capabilities, Capability, Verdict};
use crate::tables::conversions;
use crate::verdict::Semantics;

/// Texts that hooks add to the model's input, in plan order.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hook_sdk::verdict::Contexts;
///
/// let mut all = Contexts::from("it is Monday");
/// all.merge(Contexts::from(vec!["the desk closes at five".to_owned()]));
/// assert_eq!(all.iter().collect::<Vec<_>>(), ["it is Monday", "the desk closes at five"]);
/// ```
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contexts {
    texts: Vec<String>,
}

impl Contexts {
    /// Iterates over the texts, in plan order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// Whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Joins the texts with blank lines.
    pub fn joined(&self) -> String {
        self.texts.join("\n\n")
    }

    pub(crate) fn push(&mut self, text: String) {
        self.texts.push(text);
    }

    pub(crate) fn append(&mut self, mut later: Self) {
        self.texts.append(&mut later.texts);
    }
}

conversions!(Contexts {
    () => |()| Self::default(),
    &str => |text| text.to_owned().into(),
    String => |text| Self { texts: vec![text] },
    Vec<String> => |texts| Self { texts },
    Option<String> => |text| Self { texts: text.into_iter().collect() },
});

impl Verdict for Contexts {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Contribute);
    const MERGE_MAY_PANIC: bool = false;
    const CAPABILITIES: &'static [Capability] = &[Capability::PromptContext];

    fn merge(&mut self, later: Self) {
        self.append(later);
    }

    fn lacks(&self, held: Capabilities) -> Option<Capability> {
        let lacks = !self.is_empty() && !held.has(Capability::PromptContext);
        lacks.then_some(Capability::PromptContext)
    }

    fn is_silent(&self) -> bool {
        self.is_empty()
    }

    fn summary(&self) -> Option<&'static str> {
        (!self.is_empty()).then_some("contexts")
    }
}
