mod prompt;
mod tool;

use std::borrow::Cow;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub use prompt::{AuditNote, PromptContext, PromptSection};
pub use tool::ToolDeclaration;

use super::{Capabilities, Capability, Diagnostic, Verdict};
use crate::tables::conversions;
use crate::text::fingerprint;
use crate::verdict::Semantics;

/// What hooks add at a contribute kind, in plan order, independent of the order of completion.
///
/// ```
/// use hook_sdk::prelude::*;
///
/// let mut all = Contributions::from(Contribution::prompt_context("profile", "tier", "gold member"));
/// all.merge(Contribution::audit("looked the profile up").into());
/// assert_eq!(all.iter().count(), 2);
/// ```
#[must_use = "a contribution has no effect unless the hook returns it"]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contributions {
    items: Vec<Contribution>,
}

/// One contribution of a hook. Its JSON form is `{"kind": …, "params": …}`.
#[must_use = "a contribution has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "params", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Contribution {
    /// A value of the harness's policy. If there are several with the same domain and key, the highest priority wins;
    /// see [`Contributions::policies`].
    Policy {
        /// The area that the value belongs to.
        domain: String,
        /// The name within the domain.
        key: String,
        /// The value.
        value: Value,
        /// The priority. Higher numbers win, unlike the priority of a hook, where lower numbers run earlier.
        #[serde(default)]
        priority: i32,
        /// Diagnostics about the value.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        diagnostics: Vec<Diagnostic>,
    },
    /// Text for the model's context; see [`Contributions::prompt_context`].
    PromptContext(PromptContext),
    /// A part of the system prompt; see [`Contributions::prompt_sections`].
    PromptSection(PromptSection),
    /// Tools for the model, or a limit on the tools that it may use; see [`Contributions::tool_bundles`].
    ToolBundle {
        /// The name of the bundle.
        id: String,
        /// The tools to add.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tools: Vec<ToolDeclaration>,
        /// The only tools that may be used, by the harness's names; without it there is no limit. The value is kept as
        /// it was given, and anything but a list of names allows no tool.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        allow: Option<Value>,
    },
    /// A diagnostic about the assembly of the prompt; the model never sees it.
    PromptManifestDiagnostic(Diagnostic),
    /// A note for the audit trail; the model never sees it.
    Audit(AuditNote),
    /// A job to be done after the turn. The harness decides who does it.
    BackgroundJob {
        /// The job's name.
        job: String,
        /// The input of the job.
        #[serde(default)]
        input: Value,
    },
    /// No contribution, explicitly.
    Noop,
}

impl Contribution {
    /// The type and the name of the contribution.
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

    /// Creates a policy value for `key` in `domain`. A higher `priority` wins.
    pub fn policy(domain: impl Into<String>, key: impl Into<String>, value: impl Into<Value>, priority: i32) -> Self {
        let (domain, key, value) = (domain.into(), key.into(), value.into());
        Self::Policy { domain, key, value, priority, diagnostics: Vec::new() }
    }

    /// Creates a text for the model's context. Use [`PromptContext`] to set a priority or data.
    pub fn prompt_context(domain: impl Into<String>, id: impl Into<String>, text: impl Into<String>) -> Self {
        PromptContext::new(domain, id, text).into()
    }

    /// Creates a part of the system prompt. Use [`PromptSection`] to set an order or a budget.
    pub fn prompt_section(id: impl Into<String>, title: impl Into<String>, text: impl Into<String>) -> Self {
        PromptSection::new(id, title, text).into()
    }

    /// Adds tools for the model: names of the harness's tools, or a [`ToolDeclaration`] each.
    pub fn tool_bundle(id: impl Into<String>, tools: impl IntoIterator<Item = impl Into<ToolDeclaration>>) -> Self {
        Self::ToolBundle { id: id.into(), tools: tools.into_iter().map(Into::into).collect(), allow: None }
    }

    /// Restricts the tools that may be used, including those of bundles, to these names of the harness. An empty list
    /// allows no tool.
    pub fn tool_limit(id: impl Into<String>, allow: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let allow = allow.into_iter().map(|tool| Value::String(tool.into())).collect();
        Self::ToolBundle { id: id.into(), tools: Vec::new(), allow: Some(Value::Array(allow)) }
    }

    /// Creates a diagnostic about the assembly of the prompt, with a code such as `policy.merge.conflict`.
    pub fn prompt_manifest_diagnostic(code: impl Into<Cow<'static, str>>, text: impl AsRef<str>) -> Self {
        Self::PromptManifestDiagnostic(Diagnostic::new(code, text))
    }

    /// Creates a note for the audit trail. Use [`AuditNote`] to set data.
    pub fn audit(message: impl Into<String>) -> Self {
        AuditNote::new(message).into()
    }

    /// Creates a job to be done after the turn.
    pub fn background_job(job: impl Into<String>, input: impl Into<Value>) -> Self {
        Self::BackgroundJob { job: job.into(), input: input.into() }
    }

    /// A fingerprint that identifies this contribution, the same in every build and on every machine: 128 bits of its
    /// canonical JSON as 32 hexadecimal digits. It is for audit trails that do not store values. It is not
    /// collision-resistant against an attacker.
    ///
    /// ```
    /// use hook_sdk::verdict::Contribution;
    ///
    /// assert_eq!(Contribution::audit("seen").fingerprint(), "24a087af7452b76d26010a00ce47fb5e");
    /// ```
    pub fn fingerprint(&self) -> String {
        fingerprint(serde_json::to_value(self).unwrap_or_default())
    }

    /// The capability that a hook needs to contribute this; `None` for [`Noop`](Self::Noop).
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

/// Distinguishes a field that is `null` from a missing one.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Contributions {
    /// The diagnostics about the assembly of the prompt, without duplicates.
    pub fn prompt_manifest_diagnostics(&self) -> Vec<&Diagnostic> {
        let mut all = Vec::new();
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

    /// The jobs to be done after the turn, as names and inputs.
    pub fn background_jobs(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.items.iter().filter_map(|one| match one {
            Contribution::BackgroundJob { job, input } => Some((job.as_str(), input)),
            _ => None,
        })
    }
}

/// Identifies a contribution in records, without its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContributionId {
    /// The type and the name, such as `prompt_context customer.tier`.
    pub what: String,
    /// The [fingerprint](Contribution::fingerprint) of the contribution.
    pub fingerprint: String,
}

impl Deref for Contributions {
    type Target = [Contribution];

    fn deref(&self) -> &[Contribution] {
        &self.items
    }
}

conversions!(Contribution {
    PromptContext => |context| Self::PromptContext(context),
    PromptSection => |section| Self::PromptSection(section),
    AuditNote => |note| Self::Audit(note),
});

conversions!(Contributions {
    PromptContext => |context| Contribution::from(context).into(),
    PromptSection => |section| Contribution::from(section).into(),
    AuditNote => |note| Contribution::from(note).into(),
    () => |()| Self::default(),
    Contribution => |one| Self { items: vec![one] },
    Vec<Contribution> => |items| Self { items },
    Option<Contribution> => |one| Self { items: one.into_iter().collect() },
});

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
