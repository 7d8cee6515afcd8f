//! Collects errors, so that one compilation reports all of them.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The errors found so far, each at its own token.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    pub(crate) fn at(&mut self, span: Span, message: impl Into<String>) {
        self.0.push(syn::Error::new(span, message.into()));
    }

    pub(crate) fn on(&mut self, tokens: &impl ToTokens, message: impl Into<String>) {
        self.0.push(syn::Error::new_spanned(tokens, message.into()));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of `result`, or records its error.
    pub(crate) fn ok<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.0.push(error)).ok()
    }

    /// Converts to code that makes the compiler report all errors.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }
}
