//! Expressions that the compiler evaluates by the types of parameters and return values, because the name of a type
//! means nothing.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;

use crate::hook::model::{Function, Parameter, Taken};
use crate::kind::Kind;
use crate::types::find;

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
    let of = |Parameter { ty, place, .. }: &Parameter| quote_spanned!(place.0=> __hook_sdk::Probe::<#ty>::NEED);
    readable(function).map(of).collect()
}

/// The parameters by `&` whose types can be named outside of the function.
fn readable(function: &Function) -> impl Iterator<Item = &Parameter> {
    let read = function.parameters.iter().filter(|parameter| parameter.taken == Taken::Read);
    // The function's lifetimes cannot be named outside of it. Subjects and parameters from a list have none.
    read.filter(|parameter| !names_lifetime(&parameter.ty))
}

/// The type of a parameter, or `_` if it cannot be named outside of the function.
pub(super) fn parameter(Parameter { ty, taken, place, .. }: &Parameter) -> TokenStream {
    match taken {
        _ if names_lifetime(ty) => quote_spanned!(place.0=> _),
        Taken::Read => quote_spanned!(place.0=> &#ty),
        Taken::Lent => quote_spanned!(place.0=> &mut #ty),
        Taken::Owned => quote_spanned!(place.0=> #ty),
    }
}

fn names_lifetime(ty: &Type) -> bool {
    find(ty.to_token_stream(), "'").is_some()
}

/// Whether the function takes the subject, by the types of its parameters.
pub(super) fn takes_subject(function: &Function, kind: Span) -> TokenStream {
    let subject = quote_spanned!(kind=> __HookSdkSubject);
    let takes = readable(function).map(|parameter| {
        let (ty, span) = (&parameter.ty, parameter.place.0);
        quote_spanned!(span=> __hook_sdk::Probe::<#ty, #subject>::SUBJECT)
    });
    quote!(false #(|| #takes)*)
}

/// The function's return type, with the subject if the hook takes it by value.
pub(super) fn returned(function: &Function, kind: Span) -> TokenStream {
    let owned = function.rewrites().is_some_and(|parameter| parameter.taken == Taken::Owned);
    let returns = function.returns.clone().unwrap_or_else(|| quote!(__hook_sdk::Unnamed));
    let subject = if owned { quote_spanned!(kind=> __HookSdkSubject) } else { quote!(__hook_sdk::Lent) };
    let span = function.returned.0;
    quote_spanned!(span=> __hook_sdk::Probe::<#returns, #subject>)
}
