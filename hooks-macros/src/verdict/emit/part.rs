//! Generates the code for a field through the trait of its rule. All tokens have the span of the field's type, so that
//! a type that does not fit is reported there, once.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;

use crate::verdict::model::{Field, Rule};

/// The trait that checks a field's type.
fn bound(rule: Rule) -> &'static str {
    match rule {
        Rule::First | Rule::Last => "Keeps",
        Rule::Joined => "Joins",
        Rule::Intersected => "Intersects",
        Rule::Any => "AnyOf",
        Rule::Max | Rule::Min => "Compares",
        Rule::By => "Attributed",
        Rule::Nested => "VerdictType",
    }
}

/// A field and its rule.
pub(super) struct Part<'a> {
    pub(super) field: &'a Field,
    /// The alias of its type, which is unknown to the compiler if the rule does not fit.
    alias: Ident,
    /// The trait that checks its type.
    bound: Ident,
}

impl<'a> Part<'a> {
    pub(super) fn new(field: &'a Field, place: &str) -> Self {
        let bound = Ident::new(bound(field.rule), field.span);
        Self { field, alias: format_ident!("__HookSdkField{place}", span = field.span), bound }
    }

    pub(super) fn alias(&self) -> TokenStream {
        let Self { field: Field { ty, span, .. }, alias, bound } = self;
        quote_spanned!(*span=> type #alias = <#ty as __hook_sdk::#bound>::Type;)
    }

    /// An item of the field's type, from a trait.
    pub(super) fn of(&self, of: &str, name: &str) -> TokenStream {
        let Self { field: Field { span, .. }, alias, .. } = self;
        let (of, name) = (Ident::new(of, *span), Ident::new(name, *span));
        quote_spanned!(*span=> <#alias as __hook_sdk::#of>::#name)
    }

    pub(super) fn call(&self, of: &str, method: &str, arguments: &TokenStream) -> TokenStream {
        let function = self.of(of, method);
        quote_spanned!(self.field.span=> #function(#arguments))
    }

    /// The trait with the initial value.
    fn keeps(&self) -> &'static str {
        if self.field.rule == Rule::Any { "AnyOf" } else { "Keeps" }
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
            Rule::Nested => quote_spanned!(*span=> <#alias as __hook_sdk::From<()>>::from(())),
            _ => self.call(self.keeps(), "nothing", &TokenStream::new()),
        };
        quote_spanned!(*span=> #member: #value)
    }

    pub(super) fn merge(&self, mine: &TokenStream, theirs: &TokenStream) -> TokenStream {
        let (of, method) = match self.field.rule {
            Rule::First | Rule::By => ("Keeps", "first"),
            Rule::Last => ("Keeps", "last"),
            Rule::Max => ("Compares", "max"),
            Rule::Min => ("Compares", "min"),
            Rule::Joined => ("Joins", "join"),
            Rule::Intersected => ("Intersects", "intersect"),
            Rule::Nested => ("Verdict", "merge"),
            Rule::Any => ("AnyOf", "merge"),
        };
        self.call(of, method, &quote!(#mine, #theirs))
    }

    /// Whether the field is set.
    pub(super) fn says(&self) -> TokenStream {
        match self.field.rule {
            Rule::Nested => {
                let silent = self.call("Verdict", "is_silent", &self.borrowed());
                quote!(!#silent)
            }
            _ => self.call(self.keeps(), "says", &self.borrowed()),
        }
    }

    /// Calls `attribute` or `attribution`, if the field stores the hook.
    pub(super) fn attributed(&self, method: &str, arguments: &TokenStream) -> Option<TokenStream> {
        let of = match self.field.rule {
            Rule::By => "Attributed",
            Rule::Nested => "Verdict",
            _ => return None,
        };
        Some(self.call(of, method, arguments))
    }
}

/// What differs between a struct and an enum.
#[derive(Default)]
pub(super) struct Shaped {
    pub(super) aliases: TokenStream,
    /// The value for no opinion.
    pub(super) nothing: TokenStream,
    /// The semantics of nested verdicts, each followed by a comma.
    pub(super) semantics: TokenStream,
    // The bodies of the methods of `Verdict`.
    pub(super) merge: TokenStream,
    pub(super) is_final: TokenStream,
    pub(super) freezes_subject: TokenStream,
    pub(super) subject_changed: TokenStream,
    pub(super) attribute: TokenStream,
    pub(super) attribution: TokenStream,
    pub(super) from_denial: TokenStream,
    pub(super) is_silent: TokenStream,
    pub(super) summary: TokenStream,
}
