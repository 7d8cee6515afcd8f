//! `plugin!`: declares a crate as a plugin.

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

use crate::errors::Errors;
use crate::names;
use crate::options::{self, Known, names_of, options, split_at_commas};
use crate::private::{Core, behind_core, private};

/// Expands `[$crate] "name", version = "…"` to the declaration or its errors.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (core, written) = behind_core(input);
    let mut errors = Errors::default();
    let mut parts = split_at_commas(written.clone()).into_iter();
    let name = name(parts.next(), &written, &mut errors);
    let version = version(parts, &mut errors);
    match name {
        Some(name) if errors.is_empty() => emit(&core, &name, version.as_ref()),
        _ => errors.into_tokens(),
    }
}

fn name(part: Option<TokenStream>, written: &TokenStream, errors: &mut Errors) -> Option<LitStr> {
    let Some(part) = part else {
        errors.on(written, "a plugin needs a name: write `plugin!(\"acme\");`");
        return None;
    };
    match syn::parse2::<LitStr>(part.clone()) {
        Ok(name) => names::check("a plugin's name", &name, errors).then_some(name),
        Err(_) => {
            errors.on(&part, "`plugin!` takes a name first, a string: write `plugin!(\"acme\");`");
            None
        }
    }
}

const OPTIONS: &[Known<Option<LitStr>>] = options! { |version: &mut Option<LitStr>, option, errors|
    "version = \"1.2.0\"", "" => *version = option.parse(errors, "a string, such as `version = \"1.2.0\"`");
};

fn version(parts: impl Iterator<Item = TokenStream>, errors: &mut Errors) -> Option<LitStr> {
    let mut version = None;
    let written = options::read(parts, errors);
    for option in options::take(&written, OPTIONS, &mut version, errors) {
        let name = option.name();
        let hint = match names::nearest(&name, names_of(OPTIONS)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "it takes a name and `version`".to_owned(),
        };
        errors.at(option.key.span(), format!("`plugin!` has no `{name}`; {hint}"));
    }
    version
}

fn emit(core: &Core, name: &LitStr, version: Option<&LitStr>) -> TokenStream {
    let private = private(core);
    let version = match version {
        Some(version) => quote!(#version),
        // Set by Cargo; empty in a build without Cargo.
        None => quote!(match ::core::option_env!("CARGO_PKG_VERSION") {
            #private::Option::Some(version) => version,
            #private::Option::None => "",
        }),
    };
    quote! {
        const _: () = {
            #private::inventory::submit! {
                #private::PluginEntry {
                    name: #name,
                    version: #version,
                    origin: #private::Origin::new(::core::file!(), ::core::line!(), ::core::module_path!()),
                }
            }
        };
    }
}
