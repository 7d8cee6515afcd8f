mod prompt;
mod tool;

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub use prompt::{AuditNote, PromptContext, PromptSection};
pub use tool::ToolDeclaration;

use super::{Capabilities, Capability, Diagnostic, Verdict};
use crate::text::fingerprint;
use crate::verdict::Semantics;

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

/// One thing that a hook adds. As JSON it is `{"kind": …, "params": …}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "params", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Contribution {
    /// A value that the harness goes by. Of several under one domain and key the highest priority holds; see
    /// [`Contributions::policies`].
    Policy {
        /// What it is about.
        domain: String,
        /// Its name within the domain.
        key: String,
        /// The value.
        value: Value,
        /// Higher holds. (The priority of a *hook* is the other way round: lower runs earlier.)
        #[serde(default)]
        priority: i32,
        /// Its diagnostics.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        diagnostics: Vec<Diagnostic>,
    },
    /// Text for the model's context; see [`Contributions::prompt_context`].
    PromptContext(PromptContext),
    /// A part of the system prompt; see [`Contributions::prompt_sections`].
    PromptSection(PromptSection),
    /// Tools for the model, or a limit to those it may use; see [`Contributions::tool_bundles`].
    ToolBundle {
        /// Its name.
        id: String,
        /// The tools that it adds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tools: Vec<ToolDeclaration>,
        /// The only tools that may be used, by the names that the harness has for them; nothing where it is left out. Kept as it was given: what is not a list of
        /// names allows none.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        allow: Option<Value>,
    },
    /// Diagnostics of how the prompt was put together; the model never sees it.
    PromptManifestDiagnostic(Diagnostic),
    /// A note for the audit trail; the model never sees it.
    Audit(AuditNote),
    /// Work to be done after the turn, by whom the harness gives it to.
    BackgroundJob {
        /// The job's name.
        job: String,
        /// Its input.
        #[serde(default)]
        input: Value,
    },
    /// Nothing, said on purpose.
    Noop,
}

impl Contribution {
    /// Its sort and its name.
    fn name(&self) -> String {
        match self {
            Self::Policy { domain, key, .. } => format!("policy {domain}.{key}"),
            Self::PromptContext(PromptContext { domain, id, .. }) => format!("prompt_context {domain}.{id}"),
            Self::PromptSection(PromptSection { id, .. }) => format!("prompt_section {id}"),
            Self::ToolBundle { id, .. } => format!("tool_bundle {id}"),
            Self::PromptManifestDiagnostic(diagnostic) => format!("prompt_manifest_diagnostic {}", diagnostic.code),
            Self::Audit(_) => "audit".to_owned(),
            Self::BackgroundJob { job, .. } => format!("background_job {job}"),
            Self::Noop => "noop".to_owned(),
        }
    }

    /// The value of `key` in `domain`; a higher `priority` holds.
    pub fn policy(domain: impl Into<String>, key: impl Into<String>, value: impl Into<Value>, priority: i32) -> Self {
        let (domain, key, value) = (domain.into(), key.into(), value.into());
        Self::Policy { domain, key, value, priority, diagnostics: Vec::new() }
    }

    /// Text for the model's context. [`PromptContext`] also has a priority and data.
    pub fn prompt_context(domain: impl Into<String>, id: impl Into<String>, text: impl Into<String>) -> Self {
        PromptContext::new(domain, id, text).into()
    }

    /// A part of the system prompt. [`PromptSection`] also has an order and a budget.
    pub fn prompt_section(id: impl Into<String>, title: impl Into<String>, text: impl Into<String>) -> Self {
        PromptSection::new(id, title, text).into()
    }

    /// Tools for the model: names of tools of the harness, or a [`ToolDeclaration`] each.
    pub fn tool_bundle(id: impl Into<String>, tools: impl IntoIterator<Item = impl Into<ToolDeclaration>>) -> Self {
        Self::ToolBundle { id: id.into(), tools: tools.into_iter().map(Into::into).collect(), allow: None }
    }

    /// The only tools that may be used, whoever added them, by the names that the harness has for them. No tools: none may.
    pub fn tool_limit(id: impl Into<String>, allow: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let allow = allow.into_iter().map(|tool| Value::String(tool.into())).collect();
        Self::ToolBundle { id: id.into(), tools: Vec::new(), allow: Some(Value::Array(allow)) }
    }

    /// Diagnostics of how the prompt was put together: words under a code, as in `policy.merge.conflict`.
    pub fn prompt_manifest_diagnostic(code: impl Into<Cow<'static, str>>, text: impl AsRef<str>) -> Self {
        Self::PromptManifestDiagnostic(Diagnostic::new(code, text))
    }

    /// A note for the audit trail. [`AuditNote`] also has data.
    pub fn audit(message: impl Into<String>) -> Self {
        AuditNote::new(message).into()
    }

    /// Work to be done after the turn.
    pub fn background_job(job: impl Into<String>, input: impl Into<Value>) -> Self {
        Self::BackgroundJob { job: job.into(), input: input.into() }
    }

    /// What tells this contribution from any other, the same in every build and on every machine: 128 bits of its JSON, the
    /// keys in order, as 32 digits. For audit trails that keep no values; it protects nothing from who wants to collide.
    ///
    /// ```
    /// use hooks_core::verdict::Contribution;
    ///
    /// assert_eq!(Contribution::audit("seen").fingerprint(), "492be3a51e7595ac372f60a2849a82af");
    /// ```
    pub fn fingerprint(&self) -> String {
        fingerprint(&serde_json::to_value(self).unwrap_or_default())
    }

    /// What a hook needs to contribute this; `None` for nothing, which anyone may say.
    pub const fn capability(&self) -> Option<Capability> {
        Some(match self {
            Self::Policy { .. } => Capability::Policy,
            Self::PromptContext(_) => Capability::PromptContext,
            Self::PromptSection(_) => Capability::PromptSection,
            Self::ToolBundle { .. } => Capability::ToolBundle,
            Self::PromptManifestDiagnostic(_) => Capability::PromptManifestDiagnostic,
            Self::Audit(_) => Capability::Audit,
            Self::BackgroundJob { .. } => Capability::BackgroundJob,
            Self::Noop => return None,
        })
    }
}

/// A field that is there: `null` is something that was said, not nothing.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Contributions {
    /// All of them, in the order of the plan.
    pub fn iter(&self) -> std::slice::Iter<'_, Contribution> {
        self.items.iter()
    }

    /// Diagnostics of how the prompt was put together, each once.
    pub fn prompt_manifest_diagnostics(&self) -> Vec<&Diagnostic> {
        let mut all: Vec<&Diagnostic> = Vec::new();
        for one in &self.items {
            match one {
                Contribution::PromptManifestDiagnostic(diagnostic) if !all.contains(&diagnostic) => {
                    all.push(diagnostic);
                }
                _ => {}
            }
        }
        all
    }

    /// The notes for the audit trail.
    pub fn audit_notes(&self) -> impl Iterator<Item = &AuditNote> {
        self.items.iter().filter_map(|one| match one {
            Contribution::Audit(note) => Some(note),
            _ => None,
        })
    }

    /// The jobs to be done after the turn: name and input.
    pub fn background_jobs(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.items.iter().filter_map(|one| match one {
            Contribution::BackgroundJob { job, input } => Some((job.as_str(), input)),
            _ => None,
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// What a hook contributed, for records: enough to find it again, and nothing of what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContributionId {
    /// Its sort and its name, such as `prompt_context customer.tier`.
    pub what: String,
    /// Its [fingerprint](Contribution::fingerprint).
    pub fingerprint: String,
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

macro_rules! contribute {
    ($($variant:ident($part:ident)),*) => {$(
        impl From<$part> for Contribution {
            fn from(one: $part) -> Self {
                Self::$variant(one)
            }
        }

        impl From<$part> for Contributions {
            fn from(one: $part) -> Self {
                Contribution::from(one).into()
            }
        }
    )*};
}

contribute!(PromptContext(PromptContext), PromptSection(PromptSection), Audit(AuditNote));

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
    const MERGE_MAY_PANIC: bool = false;
    const CAPABILITIES: &'static [Capability] = Capability::ALL;

    fn merge(&mut self, mut later: Self) {
        self.items.append(&mut later.items);
    }

    fn lacks(&self, held: Capabilities) -> Option<Capability> {
        self.items.iter().filter_map(Contribution::capability).find(|needed| !held.has(*needed))
    }

    fn is_silent(&self) -> bool {
        self.items.is_empty()
    }

    fn contributed(&self) -> Vec<ContributionId> {
        self.items.iter().map(|one| ContributionId { what: one.name(), fingerprint: one.fingerprint() }).collect()
    }

    fn summary(&self) -> Option<&'static str> {
        let says = |one: &Contribution| !matches!(one, Contribution::Noop);
        self.items.iter().any(says).then_some("contributes")
    }
}
