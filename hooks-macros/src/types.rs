//! Helpers for types as they are written.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use crate::options::first_span;

/// Removes parentheses and invisible groups around a type.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        other => other,
    }
}

/// The single span for errors about a type.
pub(crate) fn place(ty: &Type) -> Option<Span> {
    match bare(ty) {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.span()),
        Type::Reference(reference) => place(&reference.elem),
        other => first_span(&other.to_token_stream()),
    }
}

/// The inner type of an `Option`, if the type is written as one.
pub(crate) fn within_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => Some(inner),
        _ => None,
    }
}

/// The spans of the first and last token; the compiler underlines everything between them.
pub(crate) type Extent = (Span, Span);

/// The extent of the type behind a reference.
pub(crate) fn extent(ty: &Type) -> Option<Extent> {
    let ty = match bare(ty) {
        Type::Reference(reference) => bare(&reference.elem),
        other => other,
    };
    let tokens = ty.to_token_stream();
    Some((first_span(&tokens)?, tokens.into_iter().last()?.span()))
}

/// The span of the first token with this text, also within groups.
pub(crate) fn find(tokens: TokenStream, text: &str) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => find(group.stream(), text),
        token => (token.to_string() == text).then(|| token.span()),
    })
}
