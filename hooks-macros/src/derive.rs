//! `#[derive(HookKind)]`.

mod check;
mod emit;
mod table;

use proc_macro2::TokenStream;

use crate::errors::Errors;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.ok(syn::parse2(item)) else { return errors.into_tokens() };
    let kind = check::check(&item, &mut errors);
    // What is wrong beside subject and verdict does not keep hooks from being checked against the kind.
    let mut output = errors.into_tokens();
    if kind.is_sound {
        output.extend(emit::emit(&kind));
    }
    output
}
