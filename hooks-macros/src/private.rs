//! The module of `hooks-core` for generated code.

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};

/// What a macro of `hooks-core` hands on: the path of the core, put in front by its `$crate`, which finds it under any name,
/// and what the user wrote.
pub(crate) fn behind_core(input: TokenStream) -> (TokenStream, TokenStream) {
    let mut trees = input.into_iter();
    let core = match trees.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => quote!(::hooks_core),
    };
    (core, trees.collect())
}

/// Its path: the module has the version in its name, which is that of both crates.
pub(crate) fn private(core: &TokenStream) -> TokenStream {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let module = format_ident!("__private_{major}_{minor}");
    quote!(#core::#module)
}
