//! Enums: the strongest variant wins.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Member};

use super::part::{Part, Shaped};
use crate::verdict::model::{Rule, Variant, Word};

pub(super) fn of_enum(variants: &[Variant]) -> Shaped {
    let parts: Vec<Vec<Part<'_>>> = variants
        .iter()
        .enumerate()
        .map(|(v, variant)| {
            let fields = variant.fields.iter().enumerate();
            fields.map(|(i, field)| Part::new(field, &format!("{v}_{i}"))).collect()
        })
        .collect();
    let with_parts = || variants.iter().zip(&parts);
    let refusal = variants.iter().find(|variant| variant.is(Word::Deny));
    let aliases = parts.iter().flatten().map(Part::alias);
    let neutral = variants.iter().filter(|variant| variant.is(Word::Neutral)).map(|variant| &variant.name);
    let names: Vec<&Ident> = variants.iter().map(|variant| &variant.name).collect();
    let ranks = (0_u32..).take(variants.len());
    let equals = with_parts().filter_map(|(variant, parts)| equals(&variant.name, parts));
    let those = |said: fn(&Variant) -> bool| {
        let names = variants.iter().filter(|variant| said(variant)).map(|variant| &variant.name);
        quote!(match self { #(Self::#names { .. } => true,)* _ => false })
    };
    let lapses = those(|variant| variant.is(Word::Lapses));
    // The fields of variants that store the hook, and a call with each.
    let attributed = |method: &'static str, arguments: TokenStream| {
        with_parts().flat_map(move |(Variant { name, .. }, parts)| {
            let arguments = arguments.clone();
            parts.iter().filter_map(move |part| {
                let (member, call) = (&part.field.member, part.attributed(method, &arguments)?);
                Some((quote!(Self::#name { #member: __hook_sdk_it, .. }), call))
            })
        })
    };
    let (stores, attribute): (Vec<_>, Vec<_>) = attributed("attribute", quote!(__hook_sdk_it, hook)).unzip();
    let attributions = attributed("attribution", quote!(__hook_sdk_it)).map(|(_, call)| call);
    let denied = refusal.map_or_else(
        || quote!(__hook_sdk::Option::None),
        |Variant { name, refusal, .. }| {
            // All tokens of the call have the span of the type, so that a type that cannot be a denial is reported
            // there.
            let why = refusal.as_ref().map(|(member, span)| {
                let call = quote_spanned!(*span=> __hook_sdk::Refusal::refusal(__hook_sdk_denial));
                quote!(#member: { let __hook_sdk_denial = denial; #call })
            });
            quote!(__hook_sdk::Option::Some(Self::#name { #why }))
        },
    );
    let semantics = refusal.map(|_| quote!(__hook_sdk::Option::Some(__hook_sdk::Semantics::Gate),));
    let summaries = variants.iter().map(|variant| {
        let name = &variant.name;
        let word = words(&name.unraw().to_string());
        if variant.is(Word::Neutral) {
            quote!(Self::#name { .. } => __hook_sdk::Option::None)
        } else {
            quote!(Self::#name { .. } => __hook_sdk::Option::Some(#word))
        }
    });
    Shaped {
        aliases: quote!(#(#aliases)*),
        nothing: quote!(#(Self::#neutral {})*),
        semantics: quote!(#semantics),
        merge: quote! {
            #[inline]
            fn strength(verdict: &__HookSdkSelf) -> u32 {
                match verdict { #(__HookSdkSelf::#names { .. } => #ranks,)* }
            }

            match (&mut *self, later) {
                #(#equals)*
                (this, later) => if strength(&later) > strength(this) { *this = later; }
            }
        },
        is_final: those(|variant| variant.is(Word::Final) || variant.is(Word::Deny)),
        freezes_subject: those(|variant| variant.is(Word::Freezes)),
        subject_changed: quote! {
            let lapses = #lapses;
            if lapses {
                *self = <Self as __hook_sdk::Default>::default();
            }
            lapses
        },
        attribute: quote!(#(if let #stores = self { #attribute; })*),
        attribution: quote! {
            let found = __hook_sdk::Option::None;
            #(let found = if let #stores = self { __hook_sdk::Option::or(found, #attributions) } else { found };)*
            found
        },
        from_denial: denied,
        is_silent: those(|variant| variant.is(Word::Neutral)),
        summary: quote!(match self { #(#summaries,)* }),
    }
}

/// Merges two answers of one variant with rules. As without rules, the first one's hook is kept.
fn equals(name: &Ident, parts: &[Part<'_>]) -> Option<TokenStream> {
    let ruled: Vec<&Part<'_>> = parts.iter().filter(|part| part.field.rule != Rule::By).collect();
    if ruled.is_empty() {
        return None;
    }
    let members: Vec<&Member> = ruled.iter().map(|part| &part.field.member).collect();
    let variables =
        |of: &str| -> Vec<Ident> { (0..ruled.len()).map(|i| format_ident!("__hook_sdk_{of}{i}")).collect() };
    let (mine, theirs) = (variables("mine"), variables("theirs"));
    let both = ruled.iter().zip(mine.iter().zip(&theirs));
    let merges = both.map(|(part, (mine, theirs))| part.merge(&quote!(#mine), &quote!(#theirs)));
    Some(quote! {
        (Self::#name { #(#members: #mine,)* .. }, Self::#name { #(#members: #theirs,)* .. }) => { #(#merges;)* }
    })
}

/// Converts a variant's name to words: `NeedsReview` becomes `needs review`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}
