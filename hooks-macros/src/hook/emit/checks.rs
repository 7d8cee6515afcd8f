//! Checks that depend on the kinds, which only the compiler knows: constants that fail at the user's token.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;

use super::event_alias;
use super::types::specs;
use crate::hook::model::{Hook, Kind, OnFailure, RunMode};
use crate::hook::table::elsewhere;
use crate::options::first_span;

/// Checks the options against the kinds: constants that fail at the option.
pub(super) fn checks(hook: &Hook) -> TokenStream {
    let mut checks = TokenStream::new();
    let specs = specs(&hook.function);
    for (i, spec) in specs.iter().enumerate().skip(1) {
        let (earlier, span) = (&specs[..i], first_span(spec).unwrap_or_else(Span::call_site));
        checks
            .extend(quote_spanned!(span=> const _: () = __hook_sdk::check::parameters_once(&[#(#earlier),*], #spec);));
    }
    for (i, kind) in hook.kinds.iter().enumerate() {
        let of = |kind: &Kind, i| {
            let (event, span) = (event_alias(kind, i), kind.span());
            quote_spanned!(span=> <#event as __hook_sdk::KindType>::Type)
        };
        let this = of(kind, i);
        for (field, patterns) in &hook.filters {
            let name = field.unraw().to_string();
            let here = elsewhere(&name).unwrap_or_default();
            checks
                .extend(quote_spanned!(field.span()=> const _: () = __hook_sdk::check::filter::<#this>(#name, #here);));
            checks.extend(
                quote_spanned!(patterns.span()=> const _: () = __hook_sdk::check::words::<#this>(#name, #patterns);),
            );
        }
        match hook.on_failure {
            Some((OnFailure::Remove, span)) => {
                checks.extend(quote_spanned!(span=> const _: () = __hook_sdk::check::remove::<#this>();));
            }
            Some((OnFailure::Deny, span)) => {
                checks.extend(quote_spanned!(span=> const _: () = __hook_sdk::check::deny::<#this>();));
            }
            Some((OnFailure::Continue | OnFailure::Required, _)) | None => {}
        }
        if let Some((key, variants)) = &hook.capabilities {
            checks.extend(quote_spanned!(*key=> const _: () = __hook_sdk::check::contributes::<#this>();));
            for variant in variants {
                checks.extend(quote_spanned! {variant.span()=>
                    const _: () = __hook_sdk::check::capability::<#this>(__hook_sdk::Capability::#variant);
                });
            }
        }
        if hook.run.mode == RunMode::Background {
            let span = hook.run.place;
            checks.extend(quote_spanned!(span=> const _: () = __hook_sdk::check::background::<#this>();));
        }
        for (earlier, other) in hook.kinds[..i].iter().enumerate() {
            let earlier = of(other, earlier);
            let span = kind.span();
            checks.extend(quote_spanned!(span=> const _: () = __hook_sdk::check::distinct::<#this, #earlier>();));
        }
    }
    checks
}
