//! `fires![…]`: the part of the macro of `hook-sdk` that needs spans.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, Token};

use crate::errors::Errors;
use crate::kind;
use crate::options::{split_at_commas, without_spaces};
use crate::private::{behind_core, private};

/// Expands `[$crate] Kind, kind, …` to the declarations. All tokens of a declaration have the span of the kind, where a
/// type that is not a kind is reported.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (core, written) = behind_core(input);
    let mut errors = Errors::default();
    let mut declarations = TokenStream::new();
    for (part, by_step) in split_at_commas(written).into_iter().flat_map(kinds_of) {
        let (part, never) = never_filled(part, &mut errors);
        let write: fn(&str) -> String = |kinds| format!("fires![{kinds}]");
        let Some(kind) = kind::read(&part, [write, write], &mut errors) else { continue };
        let (span, kind) = (kind.span(), kind.ty(&quote!(#core::kinds)));
        let names = never.iter().map(|field| field.unraw().to_string());
        // An unknown field is an error at its name.
        let known = never.iter().map(|field| quote_spanned!(field.span()=> let _ = &__hook_sdk_event.#field;));
        declarations.extend(quote_spanned! {span=>
            const _: () = {
                type __HookSdkKind = <#kind as __hook_sdk::KindType>::Type;
                const _: fn(&__HookSdkKind) = |__hook_sdk_event| { #(#known)* };
                __hook_sdk::inventory::submit! {
                    __hook_sdk::Fires {
                        kind: <__HookSdkKind as __hook_sdk::HookKind>::DESCRIPTOR,
                        origin: __hook_sdk::Origin::new(::core::file!(), ::core::line!(), ""),
                        never: &[#(#names),*],
                        by_step: #by_step,
                    }
                }
            };
        });
    }
    let errors = errors.into_tokens();
    let private = private(&core);
    quote! {
        #errors
        #[allow(unused_imports, unused_qualifications)]
        const _: () = {
            use #private as __hook_sdk;
            #declarations
        };
    }
}

/// What each step of `hook_sdk::protocol` fires. The step of `stop` is declared by the name of its kind.
const STEPS: [(&str, &str); 4] = [
    (
        "tool_call",
        "before_tool_call, permission_request, after_tool_call, \
         after_tool_call_success [never context_budget, model, dynamic_ui], \
         after_tool_call_failure [never context_budget, model, dynamic_ui]",
    ),
    ("model_call", "prefilter_llm_history [never model], pre_model_call, post_model_call [never will_retry]"),
    ("prompt", "user_prompt_submit"),
    ("store", "before_create_message, after_create_message"),
];

/// The kinds that a word declares, and whether they are those of a step.
fn kinds_of(part: TokenStream) -> Vec<(TokenStream, bool)> {
    let word = without_spaces(&part.to_string());
    let step = STEPS.iter().find(|(step, _)| *step == word);
    let kinds = step.and_then(|(_, kinds)| kinds.parse().ok());
    kinds.map_or_else(
        || vec![(part, false)],
        |kinds| split_at_commas(kinds).into_iter().map(|kind| (kind, true)).collect(),
    )
}

/// Splits `Kind [never field, field]` into the kind and the fields.
fn never_filled(part: TokenStream, errors: &mut Errors) -> (TokenStream, Vec<Ident>) {
    let mut tokens: Vec<TokenTree> = part.into_iter().collect();
    let group = match tokens.last() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket && tokens.len() > 1 => group.clone(),
        _ => return (tokens.into_iter().collect(), Vec::new()),
    };
    tokens.pop();
    let fields = |input: ParseStream<'_>| {
        let word: Ident = input.parse()?;
        if word != "never" {
            return Err(syn::Error::new(word.span(), "not `never`"));
        }
        Ok(Punctuated::<Ident, Token![,]>::parse_terminated_with(input, Ident::parse_any)?.into_iter().collect())
    };
    let fields = fields.parse2(group.stream()).unwrap_or_else(|_| {
        let write = "after a kind, list the fields of its event that are never filled, as in `fires![Stop [never last_message]]`";
        errors.on(&group, write);
        Vec::new()
    });
    (tokens.into_iter().collect(), fields)
}
