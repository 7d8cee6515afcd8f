//! Checks `#[verdict(…)]` for everything that its syntax can show.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Ident, Index, Member};

use super::model::{Field, Rule, Shape, Variant, Verdict, Word};
use crate::errors::Errors;
use crate::names;
use crate::options::{self, Value, Written};
use crate::private::Core;
use crate::types::place;

const OF_TYPE: &[&str] = &["contribute", "crate"];

/// Attributes, what they apply to, and where they are written.
const PLACES: [(&[&str], &str, &str); 3] = [
    (OF_TYPE, "the whole type", "the type"),
    (Word::NAMES, "a variant of an enum", "that variant"),
    (Rule::NAMES, "a field", "that field"),
];

/// Checks the verdict and returns what is usable. `errors` shows whether it is valid.
pub(crate) fn check(item: &DeriveInput, errors: &mut Errors) -> Option<Verdict> {
    for parameter in &item.generics.params {
        errors.on(parameter, "a verdict is one concrete type: remove its generics and lifetimes");
    }
    let (mut contributes, mut core) = (None, Core::default());
    for option in read(&item.attrs, OF_TYPE, errors).0 {
        if option.key == "crate" {
            core = Core::read(&option, errors);
        } else {
            contributes = option.flag(errors).then(|| option.key.span());
        }
    }
    let shape = match &item.data {
        Data::Struct(data) => {
            let fields: Vec<Field> =
                data.fields.iter().enumerate().filter_map(|(i, it)| field(i, it, false, errors)).collect();
            whose(&fields, errors);
            Shape::Struct(fields)
        }
        Data::Enum(data) => {
            let variants: Vec<Variant> = data.variants.iter().map(|written| variant(written, errors)).collect();
            strength(&item.ident, &variants, errors);
            Shape::Enum(variants)
        }
        Data::Union(data) => {
            errors.on(&data.union_token, "a verdict is an enum or a struct");
            return None;
        }
    };
    let verdict = Verdict { ty: item.ident.clone(), core, contributes: contributes.is_some(), shape };
    if let (Some(span), true) = (contributes, verdict.denies()) {
        errors.at(span, "hooks that only contribute cannot deny: remove `contribute`, or `deny` from its variant");
    }
    item.generics.params.is_empty().then_some(verdict)
}

/// The well-formed options of the `#[verdict(…)]` attributes, of those that are `known` here, and whether there are
/// others, which it reports.
fn read(attributes: &[Attribute], known: &[&str], errors: &mut Errors) -> (Vec<Written>, bool) {
    let mut lists = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("verdict")) {
        match &attribute.meta {
            syn::Meta::List(list) => lists.push(list.tokens.clone()),
            _ => errors.on(attribute.path(), "expected words in parentheses, such as `#[verdict(neutral)]`"),
        }
    }
    let mut options = options::read(lists, errors);
    let all = options.len();
    options.retain(|option| {
        let name = &*option.name();
        if known.contains(&name) {
            return option.is_well_formed(if name == "crate" { "crate = ::my_hooks" } else { name }, errors);
        }
        let problem = match PLACES.iter().find(|(names, ..)| names.contains(&name)) {
            Some((_, what, there)) => format!("`{name}` applies to {what}: write it above {there}"),
            None => format!("unknown attribute `{name}`; {}", names::hint(name, known.iter().copied())),
        };
        errors.at(option.key.span(), problem);
        false
    });
    let is_unclear = options.len() < all;
    (options, is_unclear)
}

fn variant(written: &syn::Variant, errors: &mut Errors) -> Variant {
    let (options, is_unclear) = read(&written.attrs, Word::NAMES, errors);
    let mut words: Vec<Word> = Vec::new();
    for (option, word) in options.iter().filter_map(|option| Some((option, Word::of(&option.name())?))) {
        if let Some(why) = words.iter().find_map(|other| contradiction(*other, word)) {
            errors.at(option.key.span(), why);
        }
        if option.flag(errors) {
            words.push(word);
        }
    }
    let fields: Vec<Field> =
        written.fields.iter().enumerate().filter_map(|(i, it)| field(i, it, true, errors)).collect();
    if words.contains(&Word::Neutral) && !written.fields.is_empty() {
        errors.on(&written.fields, "the neutral variant holds no value: remove its fields");
    }
    let denies = words.contains(&Word::Deny);
    if denies && written.fields.len() > 1 {
        errors.on(
            &written.fields,
            "the `deny` variant is also the answer of a hook that failed: give it one field that is `From<Denial>`, or none",
        );
    }
    let refusal = written.fields.iter().next().filter(|_| denies);
    let refusal = refusal.map(|field| (member(0, field), span(field)));
    Variant { name: written.ident.clone(), fields, refusal, words, is_unclear }
}

/// Why two attributes conflict.
fn contradiction(one: Word, other: Word) -> Option<&'static str> {
    let either = |word| one == word || other == word;
    if either(Word::Neutral) {
        Some("a neutral variant cannot have another word: keep `neutral`, or the other word")
    } else if either(Word::Lapses) {
        Some(
            "an answer that lapses when the subject changes cannot be final or freeze the subject: keep one of the two words",
        )
    } else {
        None
    }
}

/// Checks the order of the variants, from weakest to strongest.
fn strength(ty: &Ident, variants: &[Variant], errors: &mut Errors) {
    let places = |word| (0..variants.len()).filter(|i| variants[*i].is(word)).collect::<Vec<_>>();
    let (neutral, denying) = (places(Word::Neutral), places(Word::Deny));
    match neutral.first() {
        // An attribute that may have been meant as `neutral` was reported already.
        None if variants.iter().any(|variant| variant.is_unclear) => {}
        None => errors
            .on(ty, "a hook may have no opinion: mark the variant for that, the first, with `#[verdict(neutral)]`"),
        Some(0) => {}
        Some(late) => errors.on(
            &variants[*late].name,
            "variants are ordered from the weakest to the strongest, and the neutral one is the weakest: put it first",
        ),
    }
    if let Some(only) = denying.first().filter(|only| denying.len() == 1 && **only + 1 < variants.len()) {
        errors.on(
            &variants[*only].name,
            "variants are ordered from the weakest to the strongest, and `deny` is the strongest: put it last",
        );
    }
    for (word, places) in [("neutral", neutral), ("deny", denying)] {
        for other in places.iter().skip(1) {
            let problem = format!("only one variant can be `{word}`, and there is one already");
            errors.on(&variants[*other].name, problem);
        }
    }
}

/// A field. A field of a variant needs no rule: by default the first of two equal variants is kept.
fn field(i: usize, written: &syn::Field, in_variant: bool, errors: &mut Errors) -> Option<Field> {
    let also: &[&str] = if in_variant { &[] } else { &["final"] };
    let (options, mut is_unclear) = read(&written.attrs, &[Rule::NAMES, also].concat(), errors);
    let (mut found, mut of, mut is_final) = (None, None, false);
    for option in options {
        let rule = Rule::of(&option.name());
        match (rule, &option.value) {
            (None, _) => is_final = option.flag(errors),
            (Some(Rule::By), Value::Is(_)) if !in_variant => {
                of = option.parse(errors, "a field of this struct that is `nested`, as in `by = decision`");
                is_unclear |= of.is_none();
            }
            _ => is_unclear |= !option.flag(errors),
        }
        if found.is_some() && rule.is_some() {
            errors.at(option.key.span(), "a field has one merge rule; keep one");
        }
        found = rule.or(found);
        if is_final && found == Some(Rule::By) {
            errors.at(option.key.span(), "the name of the hook is not a decision: remove `final`");
        }
    }
    if let Some(rule) = found {
        let (member, ty) = (member(i, written), written.ty.clone());
        return Some(Field { member, ty, rule, of, is_final, span: span(written) });
    }
    if !in_variant && !is_unclear {
        let at = written.ident.as_ref().map_or_else(|| written.ty.to_token_stream(), ToTokens::to_token_stream);
        let rules = names::list(Rule::NAMES.iter().copied(), "and");
        let problem = format!("this field needs a merge rule: write one of {rules}, as in `#[verdict(first)]`");
        errors.on(&at, problem);
    }
    None
}

/// Checks that `by = field` names an existing verdict.
fn whose(fields: &[Field], errors: &mut Errors) {
    for of in fields.iter().filter_map(|field| field.of.as_ref()) {
        if !fields.iter().any(|field| field.member == *of && field.rule == Rule::Nested) {
            errors.on(of, "`by = …` must name a `nested` field of this struct");
        }
    }
}

fn member(i: usize, written: &syn::Field) -> Member {
    written.ident.clone().map_or_else(|| Member::Unnamed(Index::from(i)), Member::Named)
}

/// The span of the field's type.
fn span(written: &syn::Field) -> Span {
    place(&written.ty).unwrap_or_else(|| written.ty.span())
}
