use std::fmt;

use serde::Serialize;

use crate::words::closed_words;

closed_words! {
    /// Something that a hook may contribute. Set with `capabilities = [policy, audit]`; by default a hook may
    /// contribute everything that its kind offers.
    ///
    /// An empty contribution, `()` or [`Noop`](super::Contribution::Noop), needs no capability.
    #[derive(PartialOrd, Ord)]
    pub enum Capability {
        /// Values of the harness's policy.
        Policy = "policy",
        /// Text for the model's context.
        PromptContext = "prompt_context",
        /// Parts of the system prompt.
        PromptSection = "prompt_section",
        /// Tools, and limits on tools.
        ToolBundle = "tool_bundle",
        /// Diagnostics about the assembly of the prompt.
        PromptManifestDiagnostic = "prompt_manifest_diagnostic",
        /// Notes for the audit trail.
        Audit = "audit",
        /// Work to be done after the turn.
        BackgroundJob = "background_job",
    }
}

/// A set of capabilities.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Capabilities(u16);

impl Capabilities {
    /// Creates a set from a list.
    pub const fn of(these: &[Capability]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < these.len() {
            bits |= 1 << these[i] as u16;
            i += 1;
        }
        Self(bits)
    }

    /// Whether the set contains the capability.
    pub const fn has(self, one: Capability) -> bool {
        self.0 & (1 << one as u16) != 0
    }

    /// Whether the set is empty.
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
    pub const fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Iterates over the set, in the order of [`Capability::ALL`].
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
