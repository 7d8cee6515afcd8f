//! `#[hook]`.

mod check;
mod emit;
mod function;
mod model;
mod values;

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::errors::Errors;
use crate::options;

/// The function, unchanged and first; then what is wrong, or the registration.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = options::read(attribute, &mut errors);
    let function = function::read(item.clone(), &mut errors);
    let hook = check::check(&written, function, &mut errors);
    let mut output = item;
    match hook {
        Some(hook) if errors.is_empty() => emit::emit(&hook).to_tokens(&mut output),
        _ => errors.into_tokens().to_tokens(&mut output),
    }
    output
}
