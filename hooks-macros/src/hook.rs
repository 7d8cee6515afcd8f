//! `#[hook]`.

mod check;
mod emit;
mod function;
mod model;
mod patterns;
mod table;
mod values;
mod words;

pub(crate) use function::description;
pub(crate) use table::OPTIONS;

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::errors::Errors;
use crate::options;

/// The module `patterns`, for the core.
pub(crate) fn patterns() -> TokenStream {
    include_str!("hook/patterns.rs").parse().unwrap_or_default()
}

/// Emits the unchanged function first, and then the errors or the registration.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = options::read([attribute], &mut errors);
    let function = function::read(item.clone(), &mut errors);
    let hook = check::check(&written, function.as_ref(), &mut errors);
    let mut output = item;
    match (&hook.id, function) {
        (Some(id), Some(function)) if errors.is_empty() => emit::emit(&hook, id, &function).to_tokens(&mut output),
        _ => errors.into_tokens().to_tokens(&mut output),
    }
    output
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proc_macro2::{Group, TokenStream, TokenTree};
    use quote::{ToTokens, quote};
    use syn::{File, Item, Meta};

    use super::expand;

    /// Editors and debuggers must find the function where the user wrote it, even if the attribute has errors.
    #[test]
    fn the_function_comes_first_and_unchanged() {
        let attributes = [
            quote!(id = "a", kind = before_tool_call),
            quote!(id = "A", kind = [PreToolUse, x::Y], what = ?),
            quote!(kind = x::Y, priority = "high"),
            quote!(),
        ];
        let functions = [
            quote!(
                #[doc = " Doc."]
                #[inline]
                pub(crate) async fn a<'x>(cx: &'x HookContext, _: &mut S) -> Result<(), E> {
                    odd!(> syntax)
                }
            ),
            quote!(
                unsafe fn a<T>(self) -> ! {
                    loop {}
                }
            ),
            quote!(
                struct NotAFunction;
            ),
        ];
        for function in &functions {
            for attribute in &attributes {
                let expanded = expand(attribute.clone(), function.clone()).to_string();
                let rest = expanded.strip_prefix(&function.to_string());
                assert!(rest.is_some_and(|rest| !rest.is_empty()), "{expanded}");
            }
        }
    }

    #[test]
    fn a_hook_adds_one_unnamed_item() {
        let attribute = quote!(id = "a", kind = [before_tool_call, X], tool = "x", on_failure = deny);
        let file: syn::File = syn::parse2(expand(
            attribute,
            quote!(
                fn a(_: &mut S) {}
            ),
        ))
        .unwrap();
        let [syn::Item::Fn(_), syn::Item::Const(generated)] = &file.items[..] else { panic!("{:?}", file.items.len()) };
        assert_eq!(generated.ident, "_");
    }

    /// Compares `expansions/*.rs` with `expansions/*.expanded`. With `UPDATE_EXPANSIONS=1` it writes the latter.
    #[test]
    fn the_generated_code_matches_the_reviewed_files() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/expansions"));
        let mut sources: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        sources.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        assert_eq!(sources.len(), 12);
        let mut outdated = Vec::new();
        for source in sources {
            let (expanded, file) =
                (expanded(&std::fs::read_to_string(&source).unwrap()), source.with_extension("expanded"));
            if std::fs::read_to_string(&file).is_ok_and(|there| there == expanded) {
                continue;
            }
            if std::env::var_os("UPDATE_EXPANSIONS").is_some_and(|value| value == "1") {
                std::fs::write(&file, expanded).unwrap();
            } else {
                outdated.push(file);
            }
        }
        assert!(
            outdated.is_empty(),
            "review the changes to {outdated:#?}; run the test with UPDATE_EXPANSIONS=1 to write them"
        );
    }

    fn expanded(source: &str) -> String {
        let file: File = syn::parse_str(source).unwrap();
        let [Item::Fn(function)] = &file.items[..] else { panic!("one function") };
        let mut function = function.clone();
        let at = function.attrs.iter().position(|attribute| attribute.path().is_ident("hook")).unwrap();
        let Meta::List(attribute) = function.attrs.remove(at).meta else { panic!("a list of options") };
        let output = expand(attribute.tokens, function.to_token_stream());
        prettyplease::unparse(&syn::parse2(as_static(output)).unwrap())
    }

    /// Replaces `submit!` by a static with its value, because formatters do not format macro arguments.
    fn as_static(code: TokenStream) -> TokenStream {
        let mut output: Vec<TokenTree> = Vec::new();
        for token in code {
            let TokenTree::Group(group) = token else {
                output.push(token);
                continue;
            };
            let inner = as_static(group.stream());
            if let [.., TokenTree::Ident(name), TokenTree::Punct(_)] = &output[..] {
                if name == "submit" {
                    // `__hook_sdk::inventory::submit!`, whose `::` are two tokens each.
                    output.truncate(output.len() - 8);
                    output.extend(quote!(static HOOK: __hook_sdk::LinkedHook = #inner;));
                    continue;
                }
            }
            output.push(Group::new(group.delimiter(), inner).into());
        }
        output.into_iter().collect()
    }
}
