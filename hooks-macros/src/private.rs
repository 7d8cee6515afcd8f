//! The module of `hooks-core` for generated code.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// Its path: the module has the version in its name, which is that of both crates.
pub(crate) fn private(core: &TokenStream) -> TokenStream {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let module = format_ident!("__private_{major}_{minor}");
    quote!(#core::#module)
}
