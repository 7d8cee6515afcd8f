//! From `#[hook_kind(…)]` to a kind about which nothing is wrong that its syntax can tell.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{DeriveInput, Ident, LitStr, Path, Token, Type};

use crate::errors::Errors;
use crate::hook::description;
use crate::names::{self, KIND_OPTIONS};
use crate::options::{self, Once, Value, Written, without_spaces};

/// A kind to be.
pub(crate) struct Kind {
    pub(crate) event: Ident,
    pub(crate) name: LitStr,
    pub(crate) subject: Option<Type>,
    pub(crate) verdict: Option<Type>,
    /// Where it is said that hooks may remove the subject.
    pub(crate) removable: Option<Span>,
    pub(crate) fields: Vec<Field>,
    pub(crate) check: Option<Path>,
    pub(crate) outside_turn: bool,
    /// What is done when a hook fails that does not say it itself, where the kind departs from the rule.
    pub(crate) on_failure: Option<Ident>,
    /// Where it is said that the kind can be fired as JSON.
    pub(crate) json: Option<Span>,
    pub(crate) description: String,
    pub(crate) core: TokenStream,
    /// Whether the kind can be implemented, although something about it may be wrong.
    pub(crate) is_sound: bool,
}

/// A field to filter by: the option's name, and the way to it from the event.
pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) path: TokenStream,
}

impl Parse for Field {
    /// `tool` or `tool = call.name`
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = Ident::parse_any(input)?;
        if input.is_empty() {
            // A keyword is an option as it is, and a field as a raw name.
            let field =
                if name == name.unraw() { Ident::new_raw(&name.to_string(), name.span()) } else { name.clone() };
            return Ok(Self { path: quote!(#field), name });
        }
        input.parse::<Token![=]>()?;
        Ok(Self { name, path: input.parse()? })
    }
}

/// The kind as far as it is right. Whether nothing is wrong, `errors` says.
pub(crate) fn check(item: &DeriveInput, errors: &mut Errors) -> Kind {
    if let syn::Data::Union(item) = &item.data {
        errors.on(&item.union_token, "an event is a struct or an enum");
    }
    for parameter in &item.generics.params {
        errors.on(parameter, "an event is one concrete type: take its generics and lifetimes away");
    }
    let attributes: Vec<_> = item.attrs.iter().filter(|attribute| attribute.path().is_ident("hook_kind")).collect();
    if attributes.is_empty() {
        errors.on(&item.ident, "a kind needs `#[hook_kind(name = \"before_refund\", …)]`");
    }
    let mut kind = Kind {
        event: item.ident.clone(),
        name: LitStr::new("", Span::call_site()),
        subject: None,
        verdict: None,
        removable: None,
        fields: Vec::new(),
        check: None,
        outside_turn: false,
        on_failure: None,
        json: None,
        description: description(&item.attrs),
        core: quote!(::hooks_core),
        is_sound: item.generics.params.is_empty() && !matches!(item.data, syn::Data::Union(_)),
    };
    let mut once = Once::new();
    let mut named = false;
    let (mut subject, mut verdict) = (None, None);
    for attribute in attributes {
        let tokens = match &attribute.meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => {
                errors.on(attribute.path(), "a kind needs a name: `#[hook_kind(name = \"before_refund\")]`");
                continue;
            }
        };
        for option in options::read(tokens, errors) {
            if once.first(&option, errors) {
                // What other macros call the name is answered as such.
                let elsewhere = names::kind_option_elsewhere(&option.name());
                named |= option.name() == "name" || elsewhere.is_some_and(|here| here.starts_with("`name ="));
                subject = subject.or((option.name() == "subject").then_some(()));
                verdict = verdict.or((option.name() == "verdict").then_some(()));
                if !matches!(option.value, Value::Unreadable) {
                    set(&mut kind, &option, errors);
                }
            }
        }
        if !named {
            errors.on(attribute.path(), "a kind needs a name: `#[hook_kind(name = \"before_refund\")]`");
            named = true;
        }
    }
    kind.is_sound &= subject.is_some() == kind.subject.is_some() && verdict.is_some() == kind.verdict.is_some();
    if let (Some(removable), None) = (kind.removable, subject) {
        errors
            .at(removable, "`removable` needs a subject, such as `subject = Refund`: nothing flows through this kind");
    }
    kind
}

fn set(kind: &mut Kind, option: &Written, errors: &mut Errors) {
    match option.name().as_str() {
        "name" => {
            let Some(name) = option.parse::<LitStr>(errors, "a string, such as `name = \"before_refund\"`") else {
                return;
            };
            if !names::is_snake_case(&name.value()) {
                let mended = names::snake_case(&name.value()).map(|snake| format!("; write `\"{snake}\"`"));
                errors.on(
                    &name,
                    format!(
                        "a kind's name is a lower-case letter, then lower-case letters, digits and `_`{}",
                        mended.unwrap_or_default()
                    ),
                );
            }
            kind.name = name;
        }
        "subject" => {
            kind.subject = option.parse(errors, "a type, such as `subject = Refund`");
            let itself = kind.subject.as_ref().is_some_and(|subject| {
                let tokens = subject.to_token_stream().to_string();
                tokens == "Self" || kind.event == tokens
            });
            if itself {
                kind.subject = None;
                errors.at(
                    option.value_span(),
                    "the subject cannot be the event itself: hooks rewrite the one and read the other",
                );
            }
        }
        "verdict" => kind.verdict = option.parse(errors, "a type, such as `verdict = Permission`"),
        "removable" => kind.removable = flag(option, errors).then(|| option.key.span()),
        "outside_turn" => kind.outside_turn = flag(option, errors),
        "on_failure" => kind.on_failure = on_failure(option, errors),
        "json" => kind.json = flag(option, errors).then(|| option.key.span()),
        "match" => kind.fields = fields(option, errors),
        "check" => kind.check = option.parse(errors, "the path of a function of the subject before and after"),
        "crate" => {
            if let Some(path) = option.parse::<Path>(errors, "the path of hooks-core, such as `crate = ::my_hooks`") {
                kind.core = path.into_token_stream();
            }
        }
        name => {
            let known = || KIND_OPTIONS.iter().copied();
            let hint = match (names::kind_option_elsewhere(name), names::nearest(name, known())) {
                (Some(here), _) => {
                    errors.at(option.key.span(), format!("here, `{name}` is {here}"));
                    return;
                }
                (None, Some(meant)) => format!("did you mean `{meant}`?"),
                (None, None) => format!("there are {}", names::list(known(), "and")),
            };
            errors.at(option.key.span(), format!("there is no option `{name}`; {hint}"));
        }
    }
}

fn flag(option: &Written, errors: &mut Errors) -> bool {
    let is_flag = matches!(option.value, Value::Flag);
    if !is_flag {
        errors.at(option.value_span(), format!("`{0}` takes no value: write `{0}`", option.name()));
    }
    is_flag
}

/// What a kind may ask of all its hooks: that a gate refuses goes without saying, and removal is for the hook to say.
fn on_failure(option: &Written, errors: &mut Errors) -> Option<Ident> {
    let word = match &option.value {
        Value::Is(tokens) => tokens.to_string(),
        Value::Of(_) | Value::Flag | Value::Unreadable => String::new(),
    };
    let policy = match word.as_str() {
        "continue" => "Continue",
        "required" => "Required",
        _ => {
            errors.at(option.value_span(), "`on_failure` of a kind is `continue` or `required`");
            return None;
        }
    };
    Some(Ident::new(policy, option.value_span()))
}

fn fields(option: &Written, errors: &mut Errors) -> Vec<Field> {
    let Value::Of(tokens) = &option.value else {
        errors.at(option.value_span(), "`match` takes fields in parentheses, such as `match(tool = call.name)`");
        return Vec::new();
    };
    let mut fields: Vec<Field> = Vec::new();
    for part in options::split_at_commas(tokens.clone()) {
        let Ok(field) = syn::parse2::<Field>(part.clone()) else {
            errors.on(&part, "`match` takes fields, such as `match(tool)` or `match(tool = call.name)`");
            continue;
        };
        let name = field.name.unraw().to_string();
        if names::HOOK_OPTIONS.contains(&name.as_str()) {
            errors.on(
                &field.name,
                format!(
                    "`{name}` is an option of every hook; give the field another word: `match(of_{name} = {})`",
                    without_spaces(&field.path.to_string()).trim_start_matches("r#")
                ),
            );
        } else if fields.iter().any(|other| other.name.unraw() == field.name.unraw()) {
            errors.on(&field.name, format!("`{name}` is there twice; keep one"));
        }
        fields.push(field);
    }
    fields
}
