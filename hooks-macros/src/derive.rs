//! `#[derive(HookKind)]`, and what all built-in events have.

mod check;
mod constructor;
mod emit;
mod model;
mod table;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemStruct;

use crate::errors::Errors;
use crate::options;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.ok(syn::parse2(item)) else { return errors.into_tokens() };
    let kind = check::check(&item, &mut errors);
    // Errors outside of subject and verdict must not prevent hooks from being checked against the kind.
    let mut output = errors.into_tokens();
    if kind.is_sound {
        output.extend(emit::emit(&item, &kind));
    }
    output
}

/// The event of a built-in kind: with the traits of all events, and in JSON. Fields that `new` does not take may be
/// missing there.
pub(crate) fn event(attribute: &TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = options::read([attribute.clone()], &mut errors);
    let new = written.iter().find(|option| option.key == "new");
    let takes = new.and_then(|new| constructor::read(new, &mut errors)).unwrap_or_default();
    let Some(mut item) = errors.ok(syn::parse2::<ItemStruct>(item)) else { return errors.into_tokens() };
    for field in &mut item.fields {
        if field.ident.as_ref().is_none_or(|name| !takes.contains(name)) {
            field.attrs.push(syn::parse_quote!(#[serde(default)]));
        }
    }
    let errors = errors.into_tokens();
    quote! {
        #errors
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::hook_sdk::HookKind)]
        #[hook_kind(#attribute, json)]
        #[non_exhaustive]
        #item
    }
}
