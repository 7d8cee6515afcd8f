//! `for_each_kind!`: the list of built-in kinds for other crates.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::names;
use crate::private::behind_core;

/// Expands `[$crate] callback` to a call of the macro `callback` with `name => type` of each kind.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (core, callback) = behind_core(input);
    let rows = names::kinds().map(|name| {
        let (name, kind) = (format_ident!("{name}"), format_ident!("{}", names::camel_case(name)));
        quote!(#name => #core::kinds::#kind)
    });
    quote!(#callback! { #(#rows),* })
}
