//! What parameters and return types are: expressions that the compiler answers by the type, as a type's name says nothing.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::hook::model::{Function, Hook, Parameter, RunMode, Taken};

/// How a list gives each parameter by `&`, where it does.
pub(super) fn specs(function: &Function) -> Vec<TokenStream> {
    readable(function)
        .map(|Parameter { ty, span, .. }| quote_spanned!(*span=> __hooks_core::Parameter::<#ty>::SPEC))
        .collect()
}

/// The parameters by `&` whose types can stand outside of the function.
fn readable(function: &Function) -> impl Iterator<Item = &Parameter> {
    let read = function.parameters.iter().filter(|parameter| parameter.taken == Taken::Read);
    // A lifetime of the function's is not known outside of it; subjects and parameters from a list have none.
    read.filter(|parameter| !names_lifetime(parameter.ty.to_token_stream()))
}

/// Whether each parameter by `&` is the context, by its type.
pub(super) fn contexts(function: &Function) -> Vec<TokenStream> {
    readable(function)
        .map(|Parameter { ty, span, .. }| quote_spanned!(*span=> __hooks_core::Parameter::<#ty>::CONTEXT))
        .collect()
}

fn names_lifetime(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => names_lifetime(group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '\'',
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether a hook that nobody waits for takes the subject, by the types of its parameters.
pub(super) fn takes_subject(hook: &Hook, kind: Span) -> TokenStream {
    if hook.run.mode == RunMode::Inline {
        return quote!(false);
    }
    let subject = quote_spanned!(kind=> __HooksCoreSubject);
    let takes = readable(&hook.function).map(|parameter| {
        let (ty, span) = (&parameter.ty, parameter.span);
        quote_spanned!(span=> __hooks_core::Parameter::<#ty, #subject>::SUBJECT)
    });
    quote!(false #(|| #takes)*)
}

/// The function's return type, with the subject where it takes that by value.
pub(super) fn returned(function: &Function, kind: Span) -> TokenStream {
    let owned = function.rewrites().is_some_and(|parameter| parameter.taken == Taken::Owned);
    let returns = function.returns.clone().unwrap_or_else(|| quote!(__hooks_core::Unnamed));
    let subject = if owned { quote_spanned!(kind=> __HooksCoreSubject) } else { quote!(__hooks_core::Lent) };
    let span = function.returned;
    quote_spanned!(span=> __hooks_core::Returned::<#returns, #subject>)
}
