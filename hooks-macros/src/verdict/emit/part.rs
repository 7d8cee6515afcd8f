//! A field through the trait of its rule, every token of it at the field's type: a type that the rule is not for is told
//! there, once.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;

use crate::verdict::model::{Field, Rule};

/// The trait of a rule, and the one that gives the type itself back.
fn traits(rule: Rule, in_variant: bool) -> [&'static str; 2] {
    let rule = match rule {
        Rule::First | Rule::Last => "Keeps",
        Rule::Joined => "Joins",
        Rule::Intersected => "Intersects",
        Rule::Any => "AnyOf",
        Rule::Max | Rule::Min => "Compares",
        Rule::By if in_variant => "Attributed",
        Rule::By => "Names",
        Rule::Nested => return ["Verdict", "VerdictType"],
    };
    [rule, rule]
}

/// A field and what it is merged by.
pub(super) struct Part<'a> {
    pub(super) field: &'a Field,
    /// The alias of its type, which is an unknown type where the rule is not for it.
    alias: Ident,
    /// The trait of its rule.
    rule: Ident,
    /// The trait that gives the type itself back.
    fits: Ident,
}

impl<'a> Part<'a> {
    pub(super) fn new(field: &'a Field, place: &str, in_variant: bool) -> Self {
        let [rule, fits] = traits(field.rule, in_variant).map(|name| Ident::new(name, field.span));
        Self { field, alias: format_ident!("__HooksCoreField{place}", span = field.span), rule, fits }
    }

    pub(super) fn alias(&self) -> TokenStream {
        let Self { field: Field { ty, span, .. }, alias, fits, .. } = self;
        quote_spanned!(*span=> type #alias = <#ty as __hooks_core::#fits>::Itself;)
    }

    /// An item of the rule.
    pub(super) fn of(&self, name: &str) -> TokenStream {
        let Self { field: Field { span, .. }, alias, rule, .. } = self;
        let name = Ident::new(name, *span);
        quote_spanned!(*span=> <#alias as __hooks_core::#rule>::#name)
    }

    pub(super) fn call(&self, method: &str, arguments: &TokenStream) -> TokenStream {
        let function = self.of(method);
        quote_spanned!(self.field.span=> #function(#arguments))
    }

    pub(super) fn borrowed(&self) -> TokenStream {
        let member = &self.field.member;
        quote!(&self.#member)
    }

    pub(super) fn lent(&self) -> TokenStream {
        let member = &self.field.member;
        quote!(&mut self.#member)
    }

    /// The field's initial value.
    pub(super) fn nothing(&self) -> TokenStream {
        let Self { field: Field { member, rule, span, .. }, alias, .. } = self;
        let value = match rule {
            Rule::Nested => quote_spanned!(*span=> <#alias as __hooks_core::From<()>>::from(())),
            _ => self.call("nothing", &TokenStream::new()),
        };
        quote_spanned!(*span=> #member: #value)
    }

    pub(super) fn merge(&self, mine: &TokenStream, theirs: &TokenStream) -> TokenStream {
        let method = match self.field.rule {
            Rule::First => "first",
            Rule::Last => "last",
            Rule::Max => "max",
            Rule::Min => "min",
            Rule::Joined | Rule::Intersected | Rule::Any | Rule::By | Rule::Nested => "merge",
        };
        self.call(method, &quote!(#mine, #theirs))
    }

    /// Whether the field says anything.
    pub(super) fn says(&self) -> TokenStream {
        match self.field.rule {
            Rule::Nested => {
                let silent = self.call("is_silent", &self.borrowed());
                quote!(!#silent)
            }
            _ => self.call("says", &self.borrowed()),
        }
    }

    /// Notes the hook, where the field does that.
    pub(super) fn attribute(&self, method: &str, arguments: &TokenStream) -> Option<TokenStream> {
        match self.field.rule {
            Rule::By => Some(self.call(method, arguments)),
            Rule::Nested => Some(self.call("attribute", arguments)),
            _ => None,
        }
    }
}
