//! Structs: every field is merged separately.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Member;
use syn::ext::IdentExt;

use super::part::{Part, Shaped};
use crate::verdict::model::{Field, Rule};

/// Merges a field and the hook that set it. The field's summary changes if the later answer replaces the earlier one.
fn merge(part: &Part<'_>, by: &[&Member]) -> TokenStream {
    let it = &part.field.member;
    let merge = part.merge(&quote!(&mut self.#it), &quote!(later.#it));
    if by.is_empty() {
        return quote!(#merge;);
    }
    let word = part.call("Verdict", "summary", &part.borrowed());
    quote! {
        let word = #word;
        #merge;
        if #word != word { #(self.#by = later.#by;)* }
    }
}

pub(super) fn of_struct(fields: &[Field]) -> Shaped {
    let parts: Vec<Part<'_>> = fields.iter().enumerate().map(|(i, field)| Part::new(field, &i.to_string())).collect();
    let nested: Vec<&Part<'_>> = parts.iter().filter(|part| part.field.rule == Rule::Nested).collect();
    let aliases = parts.iter().map(Part::alias);
    let nothing = parts.iter().map(Part::nothing);
    let semantics = nested.iter().map(|part| part.of("Verdict", "SEMANTICS"));
    let decision = |by: &Part<'_>| nested.iter().find(|part| Some(&part.field.member) == by.field.of.as_ref());
    let of = |part: &Part<'_>| {
        let it = &part.field.member;
        parts.iter().filter(|by| by.field.of.as_ref() == Some(it)).map(|by| &by.field.member).collect::<Vec<_>>()
    };
    // The `by` field is merged together with the decision.
    let merges = parts.iter().filter(|part| part.field.of.is_none()).map(|part| merge(part, &of(part)));
    let says: Vec<TokenStream> = parts.iter().map(Part::says).collect();
    let finals = parts.iter().zip(&says).map(|(part, says)| match (part.field.is_final, part.field.rule) {
        (true, _) => says.clone(),
        (false, Rule::Nested) => part.call("Verdict", "is_final", &part.borrowed()),
        (false, _) => quote!(false),
    });
    let freezes = nested.iter().map(|part| part.call("Verdict", "freezes_subject", &part.borrowed()));
    let lapses = nested.iter().map(|part| {
        let (lapses, by) = (part.call("Verdict", "subject_changed", &part.lent()), of(part));
        quote!(if #lapses { changed = true; #(self.#by = __hook_sdk::Option::None;)* })
    });
    let attributed = parts.iter().filter_map(|part| {
        let lent = part.lent();
        let set = part.attributed("attribute", &quote!(#lent, hook))?;
        let says = decision(part).map_or_else(|| quote!(true), |part| part.says());
        Some(quote!(if #says { #set; }))
    });
    let attributions = parts.iter().filter_map(|part| part.attributed("attribution", &part.borrowed()));
    let refusals = nested.iter().map(|part| {
        let (member, answer) =
            (&part.field.member, part.call("Verdict", "from_denial", &quote!(__hook_sdk::Clone::clone(&denial))));
        quote! {
            if let __hook_sdk::Option::Some(answer) = #answer {
                this.#member = answer;
                refuses = true;
            }
        }
    });
    let words = parts.iter().zip(&says).map(|(part, says)| match (part.field.rule, &part.field.member) {
        (Rule::By, _) => TokenStream::new(),
        (Rule::Nested, _) => {
            let word = part.call("Verdict", "summary", &part.borrowed());
            quote!(if let __hook_sdk::Option::Some(word) = #word { return __hook_sdk::Option::Some(word); })
        }
        (_, Member::Named(name)) => {
            let word = name.unraw().to_string().replace('_', " ");
            quote!(if #says { return __hook_sdk::Option::Some(#word); })
        }
        (_, Member::Unnamed(_)) => quote!(if #says { return __hook_sdk::Option::Some("decides"); }),
    });
    let speaks = parts.iter().zip(&says).filter(|(part, _)| part.field.rule != Rule::By).map(|(_, says)| says);
    Shaped {
        aliases: quote!(#(#aliases)*),
        nothing: quote!(Self { #(#nothing),* }),
        semantics: quote!(#(#semantics,)*),
        merge: quote!(#(#merges)*),
        is_final: quote!(#(#finals ||)* false),
        freezes_subject: quote!(#(#freezes ||)* false),
        subject_changed: quote! {
            let mut changed = false;
            #(#lapses)*
            changed
        },
        attribute: quote! {
            if !__hook_sdk::Verdict::is_silent(self) {
                let other = __hook_sdk::Verdict::attribution(self);
                let other = __hook_sdk::Option::map(other, |other| __hook_sdk::Clone::clone(&other.id));
                let hook = __hook_sdk::Option::unwrap_or(__hook_sdk::Option::as_ref(&other), hook);
                #(#attributed)*
            }
        },
        attribution: quote! {
            let found = __hook_sdk::Option::None;
            #(let found = __hook_sdk::Option::or(found, #attributions);)*
            found
        },
        from_denial: quote! {
            let mut this = <Self as __hook_sdk::Default>::default();
            let mut refuses = false;
            #(#refusals)*
            if refuses { __hook_sdk::Option::Some(this) } else { __hook_sdk::Option::None }
        },
        is_silent: quote!(!(#(#speaks ||)* false)),
        summary: quote! {
            #(#words)*
            __hook_sdk::Option::None
        },
    }
}
