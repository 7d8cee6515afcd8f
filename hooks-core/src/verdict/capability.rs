use std::fmt;

use serde::{Deserialize, Serialize};

/// Something that a hook may contribute. Said with `capabilities = [policy, audit]`; without it, whatever the kind offers.
///
/// Nothing, `()` or [`Noop`](super::Contribution::Noop), needs none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Capability {
    /// Values that the harness goes by.
    Policy,
    /// Text for the model's context.
    PromptContext,
    /// Parts of the system prompt.
    PromptSection,
    /// Tools, and limits to them.
    ToolBundle,
    /// Diagnostics of how the prompt was put together.
    PromptManifestDiagnostic,
    /// Notes for the audit trail.
    Audit,
    /// Work to be done after the turn.
    BackgroundJob,
}

impl Capability {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Policy,
        Self::PromptContext,
        Self::PromptSection,
        Self::ToolBundle,
        Self::PromptManifestDiagnostic,
        Self::Audit,
        Self::BackgroundJob,
    ];

    /// The word in an attribute and in a plan.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::PromptContext => "prompt_context",
            Self::PromptSection => "prompt_section",
            Self::ToolBundle => "tool_bundle",
            Self::PromptManifestDiagnostic => "prompt_manifest_diagnostic",
            Self::Audit => "audit",
            Self::BackgroundJob => "background_job",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of [`Capability`], in their order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Capabilities(u16);

impl Capabilities {
    /// These.
    pub const fn of(these: &[Capability]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < these.len() {
            bits |= 1 << these[i] as u16;
            i += 1;
        }
        Self(bits)
    }

    /// Whether it is among them.
    pub const fn has(self, one: Capability) -> bool {
        self.0 & (1 << one as u16) != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.iter().copied().filter(move |one| self.has(*one))
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<T: IntoIterator<Item = Capability>>(these: T) -> Self {
        these.into_iter().fold(Self::default(), |all, one| Self(all.0 | Self::of(&[one]).0))
    }
}

impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        f.write_str(&self.iter().map(Capability::as_str).collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Capabilities {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
