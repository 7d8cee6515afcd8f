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
    let is_right = errors.is_empty();
    let mut output = errors.into_tokens();
    match verdict {
        Some(verdict) if is_right => output.extend(emit::emit(&verdict)),
        // Code that uses the verdict must compile, so that only the errors of the verdict itself are reported.
        Some(verdict) => output.extend(emit::stand_in(&verdict)),
        None => {}
    }
    output
}
