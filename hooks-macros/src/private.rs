//! The module of `hook-sdk` for generated code.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use crate::errors::Errors;
use crate::options::Written;

/// The path of `hook-sdk`.
pub(crate) struct Core(TokenStream);

impl Default for Core {
    fn default() -> Self {
        Self(quote!(::hook_sdk))
    }
}

impl ToTokens for Core {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

impl Core {
    /// Parses the option `crate`.
    pub(crate) fn read(option: &Written, errors: &mut Errors) -> Self {
        let path = option.parse::<syn::Path>(errors, "the path of hook-sdk, such as `crate = ::my_hooks`");
        path.map_or_else(Self::default, |path| Self(path.into_token_stream()))
    }

    /// Whether it is the crate itself, which alone writes `crate = crate`.
    pub(crate) fn is_this_crate(&self) -> bool {
        self.0.to_string() == "crate"
    }
}

/// Splits the input from a macro of `hook-sdk` into the path of the core, which is its `$crate` and works under any
/// name, and what the user wrote.
pub(crate) fn behind_core(input: TokenStream) -> (Core, TokenStream) {
    let mut trees = input.into_iter();
    let core = match trees.next() {
        Some(TokenTree::Group(group)) => Core(group.stream()),
        _ => Core::default(),
    };
    (core, trees.collect())
}

/// The path of the private module. Its name contains the version, which both crates share.
pub(crate) fn private(core: &Core) -> TokenStream {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let module = format_ident!("__private_{major}_{minor}");
    quote!(#core::#module)
}
