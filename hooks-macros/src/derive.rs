//! `#[derive(HookKind)]`.

mod check;
mod constructor;
mod emit;
mod model;
mod table;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::errors::Errors;
use crate::names;
use crate::private::private;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.ok(syn::parse2(item)) else { return errors.into_tokens() };
    let kind = check::check(&item, &mut errors);
    // Errors outside of subject and verdict must not prevent hooks from being checked against the kind.
    let mut output = errors.into_tokens();
    if kind.is_sound {
        output.extend(emit::emit(&kind));
        output.extend(own_name(&kind));
    }
    output
}

/// Checks that no other kind has the name of a built-in one: plans and records could not distinguish them.
fn own_name(kind: &model::KindDefinition) -> Option<TokenStream> {
    names::kind_type(&kind.name.value())?;
    let (private, name) = (private(&kind.core), &kind.name);
    let check = quote_spanned! {name.span()=>
        const _: () = __hook_sdk::kind_name(#name, ::core::module_path!());
    };
    Some(quote!(const _: () = { use #private as __hook_sdk; #check };))
}
