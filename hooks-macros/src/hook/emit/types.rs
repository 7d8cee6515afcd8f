//! Expressions that the compiler evaluates by the types of parameters and return values, because the name of a type
//! means nothing.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use crate::hook::model::{Function, Parameter, Taken};
use crate::kind::Kind;

/// The kind as the user wrote it, as one identifier.
pub(super) fn event(kind: &Kind, i: usize) -> TokenStream {
    let (alias, ty) = (event_alias(kind, i), kind.ty(&quote!(__hook_sdk::kinds)));
    quote!(type #alias = #ty;)
}

pub(super) fn event_alias(kind: &Kind, i: usize) -> Ident {
    format_ident!("__HookSdkEvent{i}", span = kind.span())
}

/// What each parameter by `&` needs.
pub(super) fn needs(function: &Function) -> Vec<TokenStream> {
    let of = |Parameter { ty, span, .. }: &Parameter| quote_spanned!(*span=> __hook_sdk::Probe::<#ty>::NEED);
    readable(function).map(of).collect()
}

/// The parameters by `&` whose types can be named outside of the function.
fn readable(function: &Function) -> impl Iterator<Item = &Parameter> {
    let read = function.parameters.iter().filter(|parameter| parameter.taken == Taken::Read);
    // The function's lifetimes cannot be named outside of it. Subjects and parameters from a list have none.
    read.filter(|parameter| !names_lifetime(parameter.ty.to_token_stream()))
}

/// The type of a parameter, or `_` if it cannot be named outside of the function.
pub(super) fn parameter(Parameter { ty, taken, span, .. }: &Parameter) -> TokenStream {
    match taken {
        _ if names_lifetime(ty.to_token_stream()) => quote_spanned!(*span=> _),
        Taken::Read => quote_spanned!(*span=> &#ty),
        Taken::Lent => quote_spanned!(*span=> &mut #ty),
        Taken::Owned => quote_spanned!(*span=> #ty),
    }
}

fn names_lifetime(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => names_lifetime(group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '\'',
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether the function takes the subject, by the types of its parameters.
pub(super) fn takes_subject(function: &Function, kind: Span) -> TokenStream {
    let subject = quote_spanned!(kind=> __HookSdkSubject);
    let takes = readable(function).map(|parameter| {
        let (ty, span) = (&parameter.ty, parameter.span);
        quote_spanned!(span=> __hook_sdk::Probe::<#ty, #subject>::SUBJECT)
    });
    quote!(false #(|| #takes)*)
}

/// The function's return type, with the subject if the hook takes it by value.
pub(super) fn returned(function: &Function, kind: Span) -> TokenStream {
    let owned = function.rewrites().is_some_and(|parameter| parameter.taken == Taken::Owned);
    let returns = function.returns.clone().unwrap_or_else(|| quote!(__hook_sdk::Unnamed));
    let subject = if owned { quote_spanned!(kind=> __HookSdkSubject) } else { quote!(__hook_sdk::Lent) };
    let span = function.returned;
    quote_spanned!(span=> __hook_sdk::Probe::<#returns, #subject>)
}
