//! The constructors and setters of events, and the words of their enums, as the sources of the kinds define them.

use std::collections::BTreeMap;
use std::fs;

use proc_macro2::TokenTree;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, FnArg, Ident, ImplItem, Item, ItemStruct, LitStr, Pat, ReturnType, Token, Type, Visibility, braced,
};

use super::root;
use super::source::{paragraphs, shown};

/// The constructors and setters of an event.
#[derive(Default)]
pub(crate) struct Made {
    /// Each as `Stop::new(reason: impl Into<StopReason>)`.
    pub(crate) constructors: Vec<String>,
    /// Each as `.at_iteration_cap(bool)`.
    pub(crate) setters: Vec<String>,
}

/// The words of an enum.
pub(crate) struct Words {
    /// Variant, word and comment of each.
    pub(crate) words: Vec<(String, String, String)>,
    /// Whether a harness can use other words.
    pub(crate) open: bool,
}

/// The constructors and setters of the events in a file, by the names of their types.
pub(crate) fn made(source: &syn::File) -> BTreeMap<String, Made> {
    let mut all: BTreeMap<String, Made> = BTreeMap::new();
    for item in &source.items {
        match item {
            Item::Impl(item) if item.trait_.is_none() => {
                let event = shown(&item.self_ty);
                let made = all.entry(event.clone()).or_default();
                for function in &item.items {
                    if let ImplItem::Fn(function) = function {
                        method(&event, function, made);
                    }
                }
            }
            Item::Struct(item) => {
                if let Some(takes) = item.attrs.iter().find_map(takes) {
                    by_derive(item, &takes, all.entry(item.ident.to_string()).or_default());
                }
            }
            _ => {}
        }
    }
    all
}

/// The fields in `new(…)` of a `#[hook_kind(…)]`.
fn takes(attribute: &Attribute) -> Option<Vec<String>> {
    let list = attribute.meta.require_list().ok().filter(|list| list.path.is_ident("hook_kind"))?;
    let mut tokens = list.tokens.clone().into_iter();
    tokens.find(|token| token.to_string() == "new")?;
    let Some(TokenTree::Group(names)) = tokens.next() else { return Some(Vec::new()) };
    Some(names.stream().into_iter().map(|token| token.to_string()).filter(|token| token != ",").collect())
}

/// Adds the constructor that takes these fields, and a setter for each other field.
fn by_derive(item: &ItemStruct, takes: &[String], made: &mut Made) {
    let fields: Vec<(String, String)> =
        item.fields.iter().map(|field| (field.ident.as_ref().unwrap().to_string(), shown(&field.ty))).collect();
    let ty = |name: &String| fields.iter().find(|(field, _)| field == name).map(|(_, ty)| ty).unwrap();
    let list: Vec<String> = takes.iter().map(|name| format!("{name}: impl Into<{}>", ty(name))).collect();
    made.constructors.push(format!("{}::new({})", item.ident, list.join(", ")));
    for (name, ty) in fields.iter().filter(|(name, _)| !takes.contains(name)) {
        let ty = ty.strip_prefix("Option<").and_then(|ty| ty.strip_suffix('>')).unwrap_or(ty);
        made.setters.push(format!(".{name}({ty})"));
    }
}

/// A public function that returns the event is a constructor or a setter.
fn method(event: &str, function: &syn::ImplItemFn, made: &mut Made) {
    let signature = &function.sig;
    let gives_itself = matches!(&signature.output, ReturnType::Type(_, ty) if shown(ty) == "Self");
    if !gives_itself || !matches!(function.vis, syn::Visibility::Public(_)) {
        return;
    }
    let parameter = |argument: &FnArg| match argument {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => Some((name.ident.to_string(), readable(&typed.ty))),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    };
    let parameters: Vec<(String, String)> = signature.inputs.iter().filter_map(parameter).collect();
    match (signature.receiver(), &*parameters) {
        (None, parameters) => {
            let list: Vec<String> = parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
            made.constructors.push(format!("{event}::{}({})", signature.ident, list.join(", ")));
        }
        (Some(_), [(_, ty)]) => made.setters.push(format!(".{}({ty})", signature.ident)),
        _ => {}
    }
}

fn readable(ty: &Type) -> String {
    let text = shown(ty);
    if matches!(ty, Type::ImplTrait(_)) { text.replacen("impl", "impl ", 1) } else { text }
}

/// The enums of the kinds, and the roles of messages, by their names.
pub(crate) fn words() -> BTreeMap<String, Words> {
    let kinds = fs::read_dir(root().join("hooks-core/src/kinds")).unwrap().map(|entry| entry.unwrap().path());
    let files = kinds.chain([root().join("hooks-core/src/data/message.rs")]);
    let of_file = |file| {
        let source = syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap();
        source.items.into_iter().filter_map(of_item)
    };
    files.flat_map(of_file).collect()
}

fn of_item(item: Item) -> Option<(String, Words)> {
    match item {
        Item::Macro(item) if item.mac.path.is_ident("words") || item.mac.path.is_ident("closed_words") => {
            let Named { name, words } = item.mac.parse_body().unwrap();
            Some((name, Words { words, open: item.mac.path.is_ident("words") }))
        }
        Item::Enum(item) => {
            let word = |variant: &syn::Variant| {
                let name = variant.ident.to_string();
                let word = name.to_lowercase(); // each is one word, in `snake_case` on the wire
                (name, word, paragraphs(&variant.attrs).join(" "))
            };
            Some((item.ident.to_string(), Words { words: item.variants.iter().map(word).collect(), open: false }))
        }
        _ => None,
    }
}

/// The arguments of `words!` and `closed_words!`.
struct Named {
    name: String,
    words: Vec<(String, String, String)>,
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
            let doc = paragraphs(&input.call(Attribute::parse_outer)?).join(" ");
            let variant = input.parse::<Ident>()?.to_string();
            input.parse::<Token![=]>()?;
            Ok((variant, input.parse::<LitStr>()?.value(), doc))
        };
        let words = Punctuated::<_, Token![,]>::parse_terminated_with(&words, word)?;
        Ok(Self { name, words: words.into_iter().collect() })
    }
}
