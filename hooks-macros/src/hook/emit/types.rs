//! Expressions that the compiler evaluates by the types of parameters and return values, because the name of a type
//! means nothing.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::hook::model::{Function, Hook, Parameter, RunMode, Taken};

/// For each parameter by `&`: how it is parsed from a list, if it is.
pub(super) fn specs(function: &Function) -> Vec<TokenStream> {
    readable(function)
        .map(|Parameter { ty, span, .. }| quote_spanned!(*span=> __hook_sdk::Parameter::<#ty>::SPEC))
        .collect()
}

/// The parameters by `&` whose types can be named outside of the function.
fn readable(function: &Function) -> impl Iterator<Item = &Parameter> {
    let read = function.parameters.iter().filter(|parameter| parameter.taken == Taken::Read);
    // The function's lifetimes cannot be named outside of it. Subjects and parameters from a list have none.
    read.filter(|parameter| !names_lifetime(parameter.ty.to_token_stream()))
}

/// For each parameter by `&`: whether it is the context.
pub(super) fn contexts(function: &Function) -> Vec<TokenStream> {
    readable(function)
        .map(|Parameter { ty, span, .. }| quote_spanned!(*span=> __hook_sdk::Parameter::<#ty>::CONTEXT))
        .collect()
}

fn names_lifetime(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => names_lifetime(group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '\'',
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether a detached or background hook takes the subject, by the types of its parameters.
pub(super) fn takes_subject(hook: &Hook, kind: Span) -> TokenStream {
    if hook.run.mode == RunMode::Inline {
        return quote!(false);
    }
    let subject = quote_spanned!(kind=> __HookSdkSubject);
    let takes = readable(&hook.function).map(|parameter| {
        let (ty, span) = (&parameter.ty, parameter.span);
        quote_spanned!(span=> __hook_sdk::Parameter::<#ty, #subject>::SUBJECT)
    });
    quote!(false #(|| #takes)*)
}

/// The function's return type, with the subject if the hook takes it by value.
pub(super) fn returned(function: &Function, kind: Span) -> TokenStream {
    let owned = function.rewrites().is_some_and(|parameter| parameter.taken == Taken::Owned);
    let returns = function.returns.clone().unwrap_or_else(|| quote!(__hook_sdk::Unnamed));
    let subject = if owned { quote_spanned!(kind=> __HookSdkSubject) } else { quote!(__hook_sdk::Lent) };
    let span = function.returned;
    quote_spanned!(span=> __hook_sdk::Returned::<#returns, #subject>)
}
