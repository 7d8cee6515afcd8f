//! A struct: every field is merged on its own.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Member;
use syn::ext::IdentExt;

use super::Parts;
use super::part::Part;
use crate::verdict::model::{Field, Rule};

pub(super) fn of_struct(fields: &[Field]) -> Parts {
    let parts: Vec<Part<'_>> =
        fields.iter().enumerate().map(|(i, field)| Part::new(field, &i.to_string(), false)).collect();
    let nested: Vec<&Part<'_>> = parts.iter().filter(|part| part.field.rule == Rule::Nested).collect();
    let members = || parts.iter().map(|part| &part.field.member);
    let aliases = parts.iter().map(Part::alias);
    let nothing = parts.iter().map(Part::nothing);
    let semantics = nested.iter().map(|part| part.of("Verdict", "SEMANTICS"));
    let merges = parts.iter().zip(members()).map(|(part, it)| part.merge(&quote!(&mut self.#it), &quote!(later.#it)));
    let says: Vec<TokenStream> = parts.iter().map(Part::says).collect();
    let finals = parts.iter().zip(&says).map(|(part, says)| match (part.field.is_final, part.field.rule) {
        (true, _) => says.clone(),
        (false, Rule::Nested) => part.call("Verdict", "is_final", &part.borrowed()),
        (false, _) => quote!(false),
    });
    let freezes = nested.iter().map(|part| part.call("Verdict", "freezes_subject", &part.borrowed()));
    let lapses = nested.iter().map(|part| part.call("Verdict", "subject_changed", &part.lent()));
    let attributed = parts.iter().filter_map(|part| {
        let lent = part.lent();
        part.attribute(&quote!(#lent, hook))
    });
    let refusals = nested.iter().map(|part| {
        let (member, answer) = (&part.field.member, part.call("Verdict", "could_not_answer", &quote!(kind, hook)));
        quote! {
            if let __hooks_core::Option::Some(answer) = #answer {
                this.#member = answer;
                refuses = true;
            }
        }
    });
    let words = parts.iter().zip(&says).map(|(part, says)| match (part.field.rule, &part.field.member) {
        (Rule::By, _) => TokenStream::new(),
        (Rule::Nested, _) => {
            let word = part.call("Verdict", "summary", &part.borrowed());
            quote!(if let __hooks_core::Option::Some(word) = #word { return __hooks_core::Option::Some(word); })
        }
        (_, Member::Named(name)) => {
            let word = name.unraw().to_string().replace('_', " ");
            quote!(if #says { return __hooks_core::Option::Some(#word); })
        }
        (_, Member::Unnamed(_)) => quote!(if #says { return __hooks_core::Option::Some("decides"); }),
    });
    let speaks = parts.iter().zip(&says).filter(|(part, _)| part.field.rule != Rule::By).map(|(_, says)| says);
    let methods = quote! {
        #[inline]
        fn merge(&mut self, later: Self) {
            #(#merges;)*
        }

        #[inline]
        fn is_final(&self) -> bool {
            #(#finals ||)* false
        }

        #[inline]
        fn freezes_subject(&self) -> bool {
            #(#freezes ||)* false
        }

        #[inline]
        fn subject_changed(&mut self) -> bool {
            let mut changed = false;
            #(changed |= #lapses;)*
            changed
        }

        #[inline]
        fn attribute(&mut self, hook: &__hooks_core::HookId) {
            if !__hooks_core::Verdict::is_silent(self) {
                #(#attributed;)*
            }
        }

        fn could_not_answer(
            kind: __hooks_core::FailureKind,
            hook: &__hooks_core::HookId,
        ) -> __hooks_core::Option<Self> {
            let mut this = <Self as __hooks_core::Default>::default();
            let mut refuses = false;
            #(#refusals)*
            if refuses { __hooks_core::Option::Some(this) } else { __hooks_core::Option::None }
        }

        #[inline]
        fn is_silent(&self) -> bool {
            !(#(#speaks ||)* false)
        }

        fn summary(&self) -> __hooks_core::Option<&'static str> {
            #(#words)*
            __hooks_core::Option::None
        }
    };
    Parts {
        aliases: quote!(#(#aliases)*),
        nothing: quote!(Self { #(#nothing),* }),
        semantics: quote!(#(#semantics,)*),
        methods,
    }
}
