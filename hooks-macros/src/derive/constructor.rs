//! `new(field, …)`: a constructor with these fields, and a setter for each of the others.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, DeriveInput, Field, Fields, Ident};

use super::model::item_fields;
use crate::errors::Errors;
use crate::names;
use crate::options::{Value, Written, each, split_at_commas};
use crate::types::{bare, within_option};

/// The names in parentheses; empty for a plain `new`.
pub(super) fn read(option: &Written, errors: &mut Errors) -> Option<Vec<Ident>> {
    let takes_fields = "`new` takes fields in parentheses, such as `new(region)`; alone, it takes none";
    let tokens = match &option.value {
        Value::Of(tokens) => tokens.clone(),
        Value::Flag => TokenStream::new(),
        _ => {
            errors.at(option.value_span(), takes_fields);
            return None;
        }
    };
    Some(each(split_at_commas(tokens), errors, |part, errors| {
        let name = syn::parse::Parser::parse2(Ident::parse_any, part.clone());
        name.inspect_err(|_| errors.on(part, takes_fields)).ok()
    }))
}

/// Checks the arguments of the constructor against the fields of the event.
pub(super) fn check(item: &DeriveInput, takes: &[Ident], at: &Ident, errors: &mut Errors) -> bool {
    if !matches!(&item.data, syn::Data::Struct(data) if !matches!(data.fields, Fields::Unnamed(_))) {
        errors.on(at, "`new` is for a struct whose fields have names");
        return false;
    }
    let known = || item_fields(item).filter_map(|field| field.ident.as_ref());
    for name in takes.iter().filter(|name| !known().any(|known| known == *name)) {
        let texts: Vec<String> = known().map(|known| known.unraw().to_string()).collect();
        let hint = match names::nearest(&name.to_string(), texts.iter().map(String::as_str)) {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None => String::new(),
        };
        errors.on(name, format!("the event has no field `{name}`{hint}"));
    }
    takes.iter().all(|name| known().any(|known| known == name))
}

pub(super) fn emit(item: &DeriveInput, takes: &[Ident]) -> TokenStream {
    let DeriveInput { ident: event, vis, .. } = item;
    let of = |name: &Ident| item_fields(item).find(|field| field.ident.as_ref() == Some(name));
    let parameters = takes.iter().filter_map(|name| Some((name, &of(name)?.ty)));
    let parameters = parameters.map(|(name, ty)| quote!(#name: impl ::core::convert::Into<#ty>));
    let is_taken = |field: &&Field| field.ident.as_ref().is_some_and(|name| takes.contains(name));
    let others: Vec<&Field> = item_fields(item).filter(|field| !is_taken(field)).collect();
    // All tokens have the span of the type, where a missing `Default` is reported.
    let defaults = others.iter().map(|Field { ident, ty, .. }| {
        let default = quote_spanned!(ty.span()=> <#ty as ::core::default::Default>::default());
        quote!(#ident: #default)
    });
    let setters = others.iter().map(|field| setter(field, vis));
    let names: Vec<String> = takes.iter().map(|name| name.unraw().to_string()).collect();
    let described = match (&names[..], &others[..]) {
        ([], []) => "Creates the event.".to_owned(),
        ([], _) => "Creates the event with default values. Set each field with the method of its name.".to_owned(),
        (names, others) => {
            let rest = if others.is_empty() { "" } else { ". Set each other field with the method of its name" };
            format!("Creates the event with {}{rest}.", names::list(names.iter().map(String::as_str), "and"))
        }
    };
    quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #event {
            #[doc = #described]
            #[must_use]
            #vis fn new(#(#parameters),*) -> Self {
                Self { #(#takes: ::core::convert::Into::into(#takes),)* #(#defaults),* }
            }

            #(#setters)*
        }
    }
}

/// A setter with the field's documentation. For an `Option`, it takes the inner type.
fn setter(field: &Field, vis: &syn::Visibility) -> TokenStream {
    let Field { ident: name, ty, attrs, .. } = field;
    let docs = attrs.iter().filter(|attribute: &&Attribute| attribute.path().is_ident("doc"));
    let (ty, value) = match within_option(ty) {
        Some(inner) => (inner, quote!(::core::option::Option::Some(::core::convert::Into::into(#name)))),
        None => (bare(ty), quote!(::core::convert::Into::into(#name))),
    };
    quote! {
        #(#docs)*
        #[must_use]
        #vis fn #name(mut self, #name: impl ::core::convert::Into<#ty>) -> Self {
            self.#name = #value;
            self
        }
    }
}
