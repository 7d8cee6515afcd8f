//! `#[derive(Verdict)]`.

mod check;
mod emit;
mod model;

use proc_macro2::TokenStream;

use crate::errors::Errors;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.ok(syn::parse2(item)) else { return errors.into_tokens() };
    let verdict = check::check(&item, &mut errors);
    let is_valid = errors.is_empty();
    let mut output = errors.into_tokens();
    // Code that uses the verdict must compile, so that only the errors of the verdict itself are reported.
    output.extend(verdict.map(|verdict| emit::emit(&verdict, is_valid)));
    output
}
