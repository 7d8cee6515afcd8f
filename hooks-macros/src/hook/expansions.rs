//! The generated code of twelve hooks, as files for review.

use std::path::Path;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{File, Item, Meta};

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
    let output = super::expand(attribute.tokens, function.to_token_stream());
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
                output.extend(quote!(static SUBMITTED: __hook_sdk::HookSpec = #inner;));
                continue;
            }
        }
        output.push(Group::new(group.delimiter(), inner).into());
    }
    output.into_iter().collect()
}
