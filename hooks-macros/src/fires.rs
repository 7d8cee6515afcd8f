//! `fires![…]`: the part of the macro of `hooks-core` that needs the place of each kind.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, Path, Type};

use crate::errors::Errors;
use crate::names;
use crate::options::{first_span, split_at_commas, without_spaces};
use crate::private::{behind_core, private};
use crate::types::place;

/// `[$crate] Kind, kind, …`: the declarations. Every token of one stands at the kind, where a type that is none is reported.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (core, written) = behind_core(input);
    let mut errors = Errors::default();
    let mut declarations = TokenStream::new();
    for part in split_at_commas(written) {
        let Some(kind) = kind(&part, &core, &mut errors) else { continue };
        let span = place(&kind).or_else(|| first_span(&part)).unwrap_or_else(proc_macro2::Span::call_site);
        declarations.extend(quote_spanned! {span=>
            const _: () = {
                type __HooksCoreKind = <#kind as __hooks_core::KindType>::Type;
                __hooks_core::inventory::submit! {
                    __hooks_core::Fires::new::<__HooksCoreKind>(::core::file!(), ::core::line!())
                }
            };
        });
    }
    let errors = errors.into_tokens();
    let private = private(&core);
    quote! {
        #errors
        #[allow(unused_imports, unused_qualifications)]
        const _: () = {
            use #private as __hooks_core;
            #declarations
        };
    }
}

/// The type of a kind: as it is written, or of a built-in kind by its name.
fn kind(part: &TokenStream, core: &TokenStream, errors: &mut Errors) -> Option<Type> {
    if let Ok(word) = syn::parse2::<Ident>(part.clone()) {
        let text = word.to_string();
        if !text.starts_with(|c: char| c.is_ascii_uppercase()) {
            let Some(built_in) = names::kind_type(&text) else {
                errors.on(part, names::unknown_kind(&text));
                return None;
            };
            let built_in = Ident::new(built_in, word.span());
            return syn::parse2(quote!(#core::kinds::#built_in)).ok();
        }
        if let Some(here) = names::kind_elsewhere(&text).filter(|here| names::kind_type(here) != Some(&text)) {
            errors.on(part, format!("`{text}` is called `{here}` here"));
            return None;
        }
    }
    let path: Option<Path> = syn::parse2(part.clone()).ok();
    if path.is_none() {
        let written = without_spaces(&part.to_token_stream().to_string());
        let word = written.trim_matches('"');
        let write = match names::kind_elsewhere(word) {
            Some(known) => format!("write `{known}`"),
            None => "write its type, as in `fires![BeforeToolCall]`, or a built-in one's name".to_owned(),
        };
        errors.on(part, format!("`{written}` is no kind: {write}"));
    }
    syn::parse2(path?.into_token_stream()).ok()
}
