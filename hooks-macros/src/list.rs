//! `hooks![…]`, and the error of `setup!(…)` with arguments: parts of macros of `hook-sdk` that need a syntax tree.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::{LitStr, Path};

use crate::errors::Errors;
use crate::options::{split_at_commas, without_spaces};
use crate::private::{behind_core, private};

/// Expands `[$crate] path, path, …` to an array of references to the hooks.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (core, written) = behind_core(input);
    let mut errors = Errors::default();
    let mut paths = Vec::new();
    for part in split_at_commas(written) {
        paths.extend(path(&part, &mut errors));
    }
    if !errors.is_empty() {
        let errors = errors.into_tokens();
        return quote!({ #errors [] as [#core::scope::HookRef; 0] });
    }
    let private = private(&core);
    let references = paths.iter().map(|path| {
        let text = without_spaces(&quote!(#path).to_string());
        quote! {{
            const __HOOK_SDK_REF: #core::scope::HookRef = #core::scope::HookRef::new(
                #text, || #private::type_of(&#path), ::core::file!(), ::core::line!(),
            );
            #private::inventory::submit! { __HOOK_SDK_REF }
            __HOOK_SDK_REF
        }}
    });
    let count = paths.len();
    // The type is needed for the empty list.
    quote!(([#(#references),*] as [#core::scope::HookRef; #count]))
}

/// Parses the path of a function, and reports anything else.
fn path(part: &TokenStream, errors: &mut Errors) -> Option<Path> {
    if syn::parse2::<LitStr>(part.clone()).is_ok() {
        errors.on(part, "`hooks!` takes functions; for a list of ids, write `.hooks([\"redact_pii\"])`");
        return None;
    }
    let trees: Vec<TokenTree> = part.clone().into_iter().collect();
    let is_path = |name: &[TokenTree]| syn::parse2::<Path>(name.iter().cloned().collect()).is_ok();
    match trees.split_last() {
        Some((TokenTree::Group(call), name)) if call.delimiter() == Delimiter::Parenthesis && is_path(name) => {
            errors.at(call.span(), "`hooks!` takes the function itself; remove everything after its name");
        }
        _ => match syn::parse2(part.clone()) {
            Ok(path) => return Some(path),
            Err(_) => errors.on(part, TAKES_PATHS),
        },
    }
    None
}

const TAKES_PATHS: &str = "`hooks!` takes paths of functions: write `hooks![redact_pii, guards::no_shouting]`";

/// Reports the arguments of `setup!(…)`.
pub(crate) fn nothing(input: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    errors.on(input, "`setup!` takes no arguments: write `hook_sdk::setup!();`");
    errors.into_tokens()
}
