//! `#[derive(HookKind)]`.

mod check;
mod emit;

use proc_macro2::TokenStream;

use crate::errors::Errors;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.ok(syn::parse2(item)) else { return errors.into_tokens() };
    let kind = check::check(&item, &mut errors);
    if errors.is_empty() { emit::emit(&kind) } else { errors.into_tokens() }
}
