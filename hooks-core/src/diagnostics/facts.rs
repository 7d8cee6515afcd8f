use std::any::TypeId;

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
