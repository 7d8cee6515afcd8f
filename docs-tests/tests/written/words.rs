//! The words of the enums in events, as the sources of the kinds define them.

use std::collections::BTreeMap;
use std::fs;

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Item, LitStr, Token, Visibility, braced};

use super::root;

/// The enums of the kinds, and the roles of messages: the words of each, by its name.
pub(crate) fn words() -> BTreeMap<String, Vec<String>> {
    let kinds = fs::read_dir(root().join("hooks-core/src/kinds")).unwrap().map(|entry| entry.unwrap().path());
    let files = kinds.chain([root().join("hooks-core/src/data/message.rs")]);
    let of_file = |file| {
        let source = syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap();
        source.items.into_iter().filter_map(of_item)
    };
    files.flat_map(of_file).collect()
}

fn of_item(item: Item) -> Option<(String, Vec<String>)> {
    match item {
        Item::Macro(item) if item.mac.path.is_ident("words") || item.mac.path.is_ident("closed_words") => {
            let Named { name, words } = item.mac.parse_body().unwrap();
            Some((name, words))
        }
        // Each variant is one word, in `snake_case` on the wire.
        Item::Enum(item) => {
            let words = item.variants.iter().map(|variant| variant.ident.to_string().to_lowercase());
            Some((item.ident.to_string(), words.collect()))
        }
        _ => None,
    }
}

/// The arguments of `words!` and `closed_words!`.
struct Named {
    name: String,
    words: Vec<String>,
}

impl Parse for Named {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        input.parse::<Option<Token![enum]>>()?;
        let name = input.parse::<Ident>()?.to_string();
        let words;
        braced!(words in input);
        let word = |input: ParseStream<'_>| {
            input.call(Attribute::parse_outer)?;
            input.parse::<Ident>()?;
            input.parse::<Token![=]>()?;
            Ok(input.parse::<LitStr>()?.value())
        };
        let words = Punctuated::<_, Token![,]>::parse_terminated_with(&words, word)?;
        Ok(Self { name, words: words.into_iter().collect() })
    }
}
