//! Texts that hooks contribute, with their properties.

use crate::tables::setters;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A text for the model's context, with a priority and data.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hook_sdk::verdict::PromptContext;
/// use serde_json::json;
///
/// #[hook(id = "tier", kind = pre_prompt_context)]
/// fn tier() -> PromptContext {
///     PromptContext::new("customer", "tier", "The customer is a gold member.").priority(10).data(json!({"tier": "gold"}))
/// }
/// ```
#[must_use = "a contribution has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptContext {
    /// The area that the text belongs to. Entries of one domain are grouped.
    pub domain: String,
    /// The name within the domain.
    pub id: String,
    /// The text.
    pub text: String,
    /// The priority. Higher numbers come earlier.
    #[serde(default)]
    pub priority: i32,
    /// Data for later phases and the app; the model does not see it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl PromptContext {
    /// Creates an entry with priority 0 and no data.
    pub fn new(domain: impl Into<String>, id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { domain: domain.into(), id: id.into(), text: text.into(), priority: 0, data: Value::Null }
    }
}

setters!(PromptContext {
    /// Sets the priority. Entries with a higher priority come earlier and are the last to be omitted.
    priority: i32,
    /// Data for later phases and the app; the model does not see it.
    data: impl Into<Value>,
});

/// A section of the system prompt, with an order and a budget.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hook_sdk::verdict::PromptSection;
///
/// #[hook(id = "tone", kind = pre_prompt_compile)]
/// fn tone() -> PromptSection {
///     PromptSection::new("tone", "Tone", "Be brief.").order(-10).budget(400)
/// }
/// ```
#[must_use = "a contribution has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptSection {
    /// The name of the section. Texts with the same name are joined.
    pub id: String,
    /// The heading of the section.
    pub title: String,
    /// The text.
    pub text: String,
    /// The order. Lower numbers come earlier.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub order: i32,
    /// The maximum number of characters; the default is 8,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
}

// serde calls it with a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(order: &i32) -> bool {
    *order == 0
}

impl PromptSection {
    /// Creates a section with order 0 and the default budget.
    pub fn new(id: impl Into<String>, title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), title: title.into(), text: text.into(), order: 0, budget: None }
    }
}

setters!(PromptSection {
    /// Sets the order. Sections with a lower order come earlier and are the last to be omitted.
    order: i32,
    /// Sets the maximum number of characters.
    budget: usize => Some,
});

/// A note for the audit trail; the model never sees it.
#[must_use = "a contribution has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditNote {
    /// The text of the note.
    pub message: String,
    /// Structured data of the note.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl AuditNote {
    /// Creates a note without data.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), data: Value::Null }
    }
}

setters!(AuditNote {
    /// Structured data of the note.
    data: impl Into<Value>,
});
