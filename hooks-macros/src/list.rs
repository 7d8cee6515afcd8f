//! `hooks![…]` and the refusal of `setup!(…)`: parts of macros of `hooks-core` that need a syntax tree.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{LitStr, Path};

use crate::errors::Errors;
use crate::options::{split_at_commas, without_spaces};

/// `[$crate] path, path, …`: an array of references to the hooks that these functions are.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut trees = input.into_iter();
    // Put there by `hooks!`, whose `$crate` finds the core under any name.
    let core = match trees.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => quote!(::hooks_core),
    };
    let mut errors = Errors::default();
    let mut paths = Vec::new();
    for part in split_at_commas(trees.collect()) {
        paths.extend(path(&part, &mut errors));
    }
    if !errors.is_empty() {
        let errors = errors.into_tokens();
        return quote!({ #errors [] as [#core::scope::HookRef; 0] });
    }
    let references = paths.iter().map(|path| {
        let text = without_spaces(&quote!(#path).to_string());
        quote! {{
            const __HOOKS_CORE_REF: #core::scope::HookRef = #core::scope::HookRef::new(
                #text, || #core::private::type_of(&#path), ::core::file!(), ::core::line!(),
            );
            #core::private::inventory::submit! { __HOOKS_CORE_REF }
            __HOOKS_CORE_REF
        }}
    });
    let count = paths.len();
    // The type is for the empty list.
    quote!(([#(#references),*] as [#core::scope::HookRef; #count]))
}

/// The path of a function; anything else is told at its own place.
fn path(part: &TokenStream, errors: &mut Errors) -> Option<Path> {
    if syn::parse2::<LitStr>(part.clone()).is_ok() {
        errors.on(part, "`hooks!` takes the functions themselves; a list of ids is `.hooks([\"redact_pii\"])`");
        return None;
    }
    if let Some(TokenTree::Group(call)) = part.clone().into_iter().last() {
        errors.at(call.span(), "`hooks!` takes the function itself; leave what stands behind its name out");
        return None;
    }
    let path = syn::parse2(part.clone()).ok();
    if path.is_none() {
        errors.on(part, "`hooks!` takes paths of functions: write `hooks![redact_pii, guards::no_shouting]`");
    }
    path
}

/// What stands in `setup!(…)`.
pub(crate) fn nothing(input: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    errors.on(input, "`setup!` takes nothing: write `hooks_core::setup!();`");
    errors.into_tokens()
}
