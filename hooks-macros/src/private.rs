//! The module of `hook-sdk` for generated code.

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};

/// Splits the input from a macro of `hook-sdk` into the path of the core, which is its `$crate` and works under any
/// name, and what the user wrote.
pub(crate) fn behind_core(input: TokenStream) -> (TokenStream, TokenStream) {
    let mut trees = input.into_iter();
    let core = match trees.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => quote!(::hook_sdk),
    };
    (core, trees.collect())
}

/// The path of the private module. Its name contains the version, which both crates share.
pub(crate) fn private(core: &TokenStream) -> TokenStream {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let module = format_ident!("__private_{major}_{minor}");
    quote!(#core::#module)
}
