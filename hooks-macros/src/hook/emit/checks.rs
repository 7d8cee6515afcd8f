//! Checks that depend on the kinds, which only the compiler knows: constants that fail at the user's token.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;

use super::types::{event_alias, needs};
use crate::hook::model::{Function, Hook};
use crate::hook::table::elsewhere;
use crate::kind::Kind;
use crate::options::first_span;

/// Checks the options against the kinds: constants that fail at the option.
pub(super) fn checks(hook: &Hook, function: &Function) -> TokenStream {
    let mut checks = TokenStream::new();
    let mut check = |span: Span, call: TokenStream| {
        checks.extend(quote_spanned!(span=> const _: () = __hook_sdk::check::#call;));
    };
    let needs = needs(function);
    for (i, need) in needs.iter().enumerate().skip(1) {
        let (earlier, span) = (&needs[..i], first_span(need).unwrap_or_else(Span::call_site));
        check(span, quote_spanned!(span=> parameters_once(&[#(#earlier),*], #need)));
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
            check(field.span(), quote_spanned!(field.span()=> filter::<#this>(#name, #here)));
            check(patterns.span(), quote_spanned!(patterns.span()=> words::<#this>(#name, #patterns)));
        }
        if let Some(policy) = hook.variant("on_failure") {
            let span = policy.span();
            check(span, quote_spanned!(span=> policy::<#this>(__hook_sdk::OnFailure::#policy)));
        }
        if let Some(setting) = hook.setting("capabilities") {
            let span = setting.key.span();
            check(span, quote_spanned!(span=> contributes::<#this>()));
            for variant in &hook.capabilities {
                let span = variant.span();
                check(span, quote_spanned!(span=> capability::<#this>(__hook_sdk::Capability::#variant)));
            }
        }
        if let Some(mode) = hook.run_apart().filter(|mode| mode == "Background") {
            check(mode.span(), quote_spanned!(mode.span()=> background::<#this>()));
        }
        for (earlier, other) in hook.kinds[..i].iter().enumerate() {
            let earlier = of(other, earlier);
            check(kind.span(), quote_spanned!(kind.span()=> distinct::<#this, #earlier>()));
        }
    }
    checks
}
