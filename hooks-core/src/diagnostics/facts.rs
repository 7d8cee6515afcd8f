use std::any::TypeId;

use crate::kind::{HookKind, KindDescriptor};

/// What a harness has, for [`Registry::audit_with`](crate::Registry::audit_with): the values that its events can have in
/// the fields by which hooks are filtered.
///
/// ```
/// use hooks_core::diagnostics::HarnessFacts;
/// use hooks_core::kinds::MessageSending;
///
/// let facts = HarnessFacts::new().tools(["refund", "lookup"]).words::<MessageSending>("channel", ["mail", "chat"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HarnessFacts {
    facts: Vec<Fact>,
}

#[derive(Clone, Debug)]
struct Fact {
    /// The type of the event; `None` for all that have the field.
    event: Option<TypeId>,
    field: &'static str,
    values: Vec<String>,
}

impl HarnessFacts {
    /// Nothing is known yet, so no filter is looked at.
    pub fn new() -> Self {
        Self::default()
    }

    /// The names of all tools that the model may ever be offered: the field `tool`.
    #[must_use]
    pub fn tools<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.fact(None, "tool", names)
    }

    /// The profiles of its models: the field `profile`.
    #[must_use]
    pub fn profiles<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.fact(None, "profile", names)
    }

    /// The places from which it calls models: the field `call_site`.
    #[must_use]
    pub fn call_sites<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.fact(None, "call_site", names)
    }

    /// What a field of the events of `K` may be. It stands before what is said of all kinds.
    #[must_use]
    pub fn words<K: HookKind>(self, field: &'static str, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.fact(Some((K::descriptor().event)()), field, words)
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

    /// What the field of the kind may be; `None` where that is not known.
    pub(crate) fn values(&self, kind: &KindDescriptor, field: &str) -> Option<&[String]> {
        let of =
            |event: Option<TypeId>| self.facts.iter().rev().find(|fact| fact.event == event && fact.field == field);
        of(Some((kind.event)())).or_else(|| of(None)).map(|fact| fact.values.as_slice())
    }
}
