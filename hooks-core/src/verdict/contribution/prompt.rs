//! Texts that hooks contribute, with what goes beside them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Text for the model's context, with its place and its data.
///
/// ```
/// use hooks_core::prelude::*;
/// use hooks_core::verdict::PromptContext;
/// use serde_json::json;
///
/// #[hook(id = "tier", kind = pre_prompt_context)]
/// fn tier() -> PromptContext {
///     PromptContext::new("customer", "tier", "The customer is a gold member.").priority(10).data(json!({"tier": "gold"}))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptContext {
    /// What it is about; entries of one domain belong together.
    pub domain: String,
    /// Its name within the domain.
    pub id: String,
    /// The text.
    pub text: String,
    /// Higher comes earlier.
    #[serde(default)]
    pub priority: i32,
    /// What later phases and the app read of it; the model does not see it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl PromptContext {
    /// `text` under `id` in `domain`, with priority 0 and no data.
    pub fn new(domain: impl Into<String>, id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { domain: domain.into(), id: id.into(), text: text.into(), priority: 0, data: Value::Null }
    }

    /// Higher comes earlier, and is the last to be left out.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// What later phases and the app read of it; the model does not see it.
    #[must_use]
    pub fn data(mut self, data: impl Into<Value>) -> Self {
        self.data = data.into();
        self
    }
}

/// A part of the system prompt, with its place and its budget.
///
/// ```
/// use hooks_core::prelude::*;
/// use hooks_core::verdict::PromptSection;
///
/// #[hook(id = "tone", kind = pre_prompt_compile)]
/// fn tone() -> PromptSection {
///     PromptSection::new("tone", "Tone", "Be brief.").order(-10).budget(400)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptSection {
    /// Its name; texts under one name are joined.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// The text.
    pub text: String,
    /// Lower comes earlier.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub order: i32,
    /// The most characters that it may take; [`SECTION_LIMIT`](crate::verdict::SECTION_LIMIT) where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
}

// serde calls it with a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(order: &i32) -> bool {
    *order == 0
}

impl PromptSection {
    /// `text` under the heading `title`, with order 0 and no budget of its own.
    pub fn new(id: impl Into<String>, title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), title: title.into(), text: text.into(), order: 0, budget: None }
    }

    /// Lower comes earlier, and is the last to be left out.
    #[must_use]
    pub fn order(mut self, order: i32) -> Self {
        self.order = order;
        self
    }

    /// The most characters that it may take.
    #[must_use]
    pub fn budget(mut self, characters: usize) -> Self {
        self.budget = Some(characters);
        self
    }
}

/// A note for the audit trail; the model never sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditNote {
    /// What was done or seen.
    pub message: String,
    /// The same for programs.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl AuditNote {
    /// A note without data.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), data: Value::Null }
    }

    /// The same for programs.
    #[must_use]
    pub fn data(mut self, data: impl Into<Value>) -> Self {
        self.data = data.into();
        self
    }
}
