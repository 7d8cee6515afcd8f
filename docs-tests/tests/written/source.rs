//! The parts of a kind that only its source contains: types, fields and comments.

use std::collections::BTreeMap;
use std::fs;

use quote::ToTokens;
use syn::{Attribute, Expr, Field, Item, ItemStruct, Lit, Meta, Token, Type};

use super::root;

/// An event, as in the source.
pub(crate) struct Event {
    /// Its file, without the extension, and its position among the items of the file.
    pub(crate) file: String,
    pub(crate) position: usize,
    /// The name of the kind.
    pub(crate) name: String,
    /// The types of subject and verdict, empty if there is none.
    pub(crate) subject: String,
    pub(crate) verdict: String,
    /// The paragraphs of its comment.
    pub(crate) doc: Vec<String>,
    /// Name, type and comment of each field.
    pub(crate) fields: Vec<(String, String, String)>,
}

/// The events of the built-in kinds, by name.
pub(crate) fn events() -> BTreeMap<String, Event> {
    let folder = root().join("hooks-core/src/kinds");
    let mut events = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let source = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        let structs = source.items.iter().enumerate().filter_map(|(position, item)| match item {
            Item::Struct(item) => event(&file, position, item),
            _ => None,
        });
        events.extend(structs.map(|event| (event.name.clone(), event)));
    }
    events
}

fn event(file: &str, position: usize, item: &ItemStruct) -> Option<Event> {
    let attribute = item.attrs.iter().find(|attribute| attribute.path().is_ident("event"))?;
    let (mut name, mut subject, mut verdict) = (String::new(), String::new(), String::new());
    let read = attribute.parse_nested_meta(|option| {
        if option.path.is_ident("name") {
            name = option.value()?.parse::<syn::LitStr>()?.value();
        } else if option.path.is_ident("subject") {
            subject = shown(&option.value()?.parse::<Type>()?);
        } else if option.path.is_ident("verdict") {
            verdict = shown(&option.value()?.parse::<Type>()?);
        } else if option.input.peek(Token![=]) {
            option.value()?.parse::<Expr>()?;
        } else if option.input.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in option.input);
            inner.parse::<proc_macro2::TokenStream>()?;
        }
        Ok(())
    });
    read.unwrap_or_else(|error| panic!("hooks-core/src/kinds/{file}.rs, `{}`: {error}", item.ident));
    Some(Event {
        file: file.to_owned(),
        position,
        name,
        subject,
        verdict,
        doc: paragraphs(&item.attrs),
        fields: item.fields.iter().map(field).collect(),
    })
}

fn field(field: &Field) -> (String, String, String) {
    let name = field.ident.as_ref().unwrap().to_string();
    (name, shown(&field.ty), paragraphs(&field.attrs).join(" "))
}

/// A type without the spaces that separate its tokens.
pub(crate) fn shown(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "").replace(',', ", ")
}

/// A doc comment, one text per paragraph.
pub(crate) fn paragraphs(attributes: &[Attribute]) -> Vec<String> {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(text) => match &text.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).filter(|text| !text.is_empty()).collect()
}

/// A table in `names.rs` of the macros. A crate for macros can export nothing else, so the source is parsed.
fn table(name: &str) -> Vec<Expr> {
    let file = root().join("hooks-macros/src/names.rs");
    let source = syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap();
    let found = source.items.into_iter().find_map(|item| match item {
        Item::Const(item) if item.ident == name => Some(item.expr),
        _ => None,
    });
    let Some(Expr::Reference(list)) = found.map(|list| *list) else { panic!("names.rs has no table `{name}`") };
    let Expr::Array(list) = *list.expr else { panic!("the table `{name}` is not a list") };
    list.elems.into_iter().collect()
}

fn word(expression: &Expr) -> String {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(word) => word.value(),
            _ => panic!("a word is not a string"),
        },
        _ => panic!("a word is not a literal"),
    }
}

/// The rows of a table of pairs.
pub(crate) fn pairs(name: &str) -> Vec<(String, String)> {
    let pair = |row: &Expr| match row {
        Expr::Tuple(row) => (word(&row.elems[0]), word(&row.elems[1])),
        _ => panic!("a row of `{name}` is not a pair"),
    };
    table(name).iter().map(pair).collect()
}
