use std::any::TypeId;

use super::{ConfigError, Finding, FindingKind, Problem, ProblemKind};
use crate::context::HookContext;
use crate::kind::{HookKind, KindDescriptor};

/// The values that a harness can put into the fields by which hooks are filtered, for
/// [`Registry::audit_with`](crate::Registry::audit_with). The audit then finds filters that never match.
///
/// ```
/// use hook_sdk::diagnostics::HarnessFacts;
/// use hook_sdk::kinds::MessageSending;
///
/// let facts = HarnessFacts::new().tools(["refund", "lookup"]).words::<MessageSending>("channel", ["mail", "chat"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HarnessFacts {
    facts: Vec<Fact>,
    accepted: Vec<(FindingKind, String)>,
    pub(crate) context: Option<HookContext>,
}

#[derive(Clone, Debug)]
struct Fact {
    /// The type of the event; `None` for every event with the field.
    event: Option<TypeId>,
    field: &'static str,
    values: Vec<String>,
}

impl HarnessFacts {
    /// Creates facts that know no field, so the audit checks no filter.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the names of all tools that the model may be offered: the field `tool`.
    #[must_use]
    pub fn tools<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.fact(None, "tool", names)
    }

    /// The context from which the harness makes those of its turns, with the states of the app.
    #[must_use]
    pub fn context(mut self, cx: &HookContext) -> Self {
        self.context = Some(cx.clone());
        self
    }

    /// Sets the profiles of the models: the field `profile`.
    #[must_use]
    pub fn profiles<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.fact(None, "profile", names)
    }

    /// Sets the places from which the harness calls models: the field `call_site`.
    #[must_use]
    pub fn call_sites<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.fact(None, "call_site", names)
    }

    /// Sets the possible values of a field of the events of `K`. Takes precedence over values that were set for all
    /// kinds.
    #[must_use]
    pub fn words<K: HookKind>(self, field: &'static str, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.fact(Some((K::DESCRIPTOR.event)()), field, words)
    }

    /// Accepts the finding of this kind about a hook, a plugin or a list, so that
    /// [`Registry::check`](crate::Registry::check) does not fail because of it. The error has the words of `about`, such as
    /// ``guard in prompt `greet` ``. `because` is for the reader of the code.
    #[must_use]
    pub fn accept(mut self, kind: FindingKind, about: impl Into<String>, because: &str) -> Self {
        let about = about.into();
        tracing::debug!(target: "hook_sdk", ?kind, about, because, "a finding is accepted");
        self.accepted.push((kind, about));
        self
    }

    /// Fails with the findings that are not [accepted](Self::accept). [`FindingKind::AcceptedNothing`] cannot be.
    ///
    /// # Errors
    /// All of them.
    pub fn judge(&self, findings: impl IntoIterator<Item = Finding>) -> Result<(), ConfigError> {
        let is_open = |finding: &Finding| {
            finding.kind() == FindingKind::AcceptedNothing || !self.accepted.iter().any(|one| is(finding, one))
        };
        let problem = |finding: Finding| {
            let (kind, about) = (finding.kind(), finding.about());
            let accept = format!(" [or `accept(FindingKind::{kind:?}, \"{about}\", \"why\")`]");
            let accept = if kind == FindingKind::AcceptedNothing { String::new() } else { accept };
            Problem::new(ProblemKind::Finding(kind), about, format!("{finding}{accept}"))
        };
        ConfigError::unless_empty(findings.into_iter().filter(is_open).map(problem).collect())
    }

    /// One finding for each acceptance of a finding that does not exist.
    pub(crate) fn accepting_nothing(&self, findings: &[Finding]) -> Vec<Finding> {
        let idle = self.accepted.iter().filter(|accepted| !findings.iter().any(|finding| is(finding, accepted)));
        idle.map(|(kind, about)| {
            let text = format!(
                "`accept(FindingKind::{kind:?}, \"{about}\", …)` accepts a finding that does not exist; remove it"
            );
            Finding::new(FindingKind::AcceptedNothing, about, text)
        })
        .collect()
    }

    fn fact<N: Into<String>>(
        mut self,
        event: Option<TypeId>,
        field: &'static str,
        values: impl IntoIterator<Item = N>,
    ) -> Self {
        self.facts.push(Fact { event, field, values: values.into_iter().map(Into::into).collect() });
        self
    }

    /// The possible values of a field of the kind; `None` if unknown.
    pub(crate) fn values(&self, kind: &KindDescriptor, field: &str) -> Option<&[String]> {
        let of =
            |event: Option<TypeId>| self.facts.iter().rev().find(|fact| fact.event == event && fact.field == field);
        of(Some((kind.event)())).or_else(|| of(None)).map(|fact| fact.values.as_slice())
    }
}

fn is(finding: &Finding, (kind, about): &(FindingKind, String)) -> bool {
    finding.kind() == *kind && finding.about() == about
}
