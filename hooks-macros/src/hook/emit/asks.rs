//! What parameters ask for, by their types: their names tell nothing, so each type is asked.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::hook::model::{Function, Hook, Parameter, RunMode, Taken};

/// What each parameter by `&` asks of a list. Its type tells, not its name, so each is asked.
pub(super) fn specs(function: &Function) -> Vec<TokenStream> {
    askable(function)
        .map(|Parameter { ty, span, .. }| quote_spanned!(*span=> __hooks_core::Asks::<#ty>::SPEC))
        .collect()
}

/// The parameters by `&` whose types can be asked what they are.
fn askable(function: &Function) -> impl Iterator<Item = &Parameter> {
    let read = function.parameters.iter().filter(|parameter| parameter.taken == Taken::Read);
    // A lifetime of the function's is not known beside it; subjects and parameters from a list have none.
    read.filter(|parameter| !names_lifetime(parameter.ty.to_token_stream()))
}

/// Whether each parameter by `&` is the context, by its type.
pub(super) fn contexts(function: &Function) -> Vec<TokenStream> {
    let read = function.parameters.iter().filter(|parameter| parameter.taken == Taken::Read);
    let askable = read.filter(|parameter| !names_lifetime(parameter.ty.to_token_stream()));
    askable.map(|Parameter { ty, span, .. }| quote_spanned!(*span=> __hooks_core::Asks::<#ty>::CONTEXT)).collect()
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
    let askable = askable(&hook.function);
    let takes = askable.map(|parameter| {
        let (ty, span) = (&parameter.ty, parameter.span);
        quote_spanned!(span=> __hooks_core::Takes::<#ty, #subject>::SUBJECT)
    });
    quote!(false #(|| #takes)*)
}

/// What the function's return type can say, beside the subject where it takes that by value.
pub(super) fn says(function: &Function, kind: Span) -> TokenStream {
    let owned = function.rewrites().is_some_and(|parameter| parameter.taken == Taken::Owned);
    let returns = function.returns.clone().unwrap_or_else(|| quote!(__hooks_core::Unnamed));
    let subject = if owned { quote_spanned!(kind=> __HooksCoreSubject) } else { quote!(__hooks_core::Lent) };
    let span = function.returned;
    quote_spanned!(span=> __hooks_core::Says::<#returns, #subject>)
}
