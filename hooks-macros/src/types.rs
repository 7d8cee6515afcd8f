//! Types as they are written.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use crate::options::first_span;

/// The type without parentheses and invisible groups around it.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        other => other,
    }
}

/// The one token to point at for a whole type.
pub(crate) fn place(ty: &Type) -> Option<Span> {
    match bare(ty) {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.span()),
        Type::Reference(reference) => place(&reference.elem),
        other => first_span(&other.to_token_stream()),
    }
}

/// What an `Option` holds, for one that is written as such.
pub(crate) fn within_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => Some(inner),
        _ => None,
    }
}

/// The first and the last token of the type behind a reference: what the compiler underlines where it points at both.
pub(crate) fn extent(ty: &Type) -> Option<(Span, Span)> {
    let ty = match bare(ty) {
        Type::Reference(reference) => bare(&reference.elem),
        other => other,
    };
    let tokens = ty.to_token_stream();
    Some((first_span(&tokens)?, tokens.into_iter().last()?.span()))
}
