//! Checks `#[verdict(…)]` for everything that its syntax can show.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Ident, Index, Member};

use super::model::{Field, RULES, Rule, Shape, Variant, Verdict, WORDS, Word};
use crate::errors::Errors;
use crate::names;
use crate::options::{self, Value, Written};
use crate::private::Core;
use crate::types::place;

const OF_TYPE: [&str; 2] = ["contribute", "crate"];

/// Checks the verdict and returns what is usable. `errors` shows whether it is valid.
pub(crate) fn check(item: &DeriveInput, errors: &mut Errors) -> Option<Verdict> {
    for parameter in &item.generics.params {
        errors.on(parameter, "a verdict is one concrete type: remove its generics and lifetimes");
    }
    let (contributes, core) = of_type(&item.attrs, errors);
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

/// All options of the `#[verdict(…)]` attributes.
fn read(attributes: &[Attribute], errors: &mut Errors) -> Vec<Written> {
    let mut written = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("verdict")) {
        match &attribute.meta {
            syn::Meta::List(list) => written.extend(options::read(list.tokens.clone(), errors)),
            _ => errors.on(attribute.path(), "expected words in parentheses, such as `#[verdict(neutral)]`"),
        }
    }
    written
}

/// The well-formed options without duplicates.
fn readable<'w>(written: &'w [Written], errors: &mut Errors) -> Vec<&'w Written> {
    let mut once = options::once(written, errors);
    once.retain(|option| {
        let write = if option.key == "crate" { "crate = ::my_hooks" } else { &option.name() };
        option.is_well_formed(write, errors)
    });
    once
}

fn of_type(attributes: &[Attribute], errors: &mut Errors) -> (Option<Span>, Core) {
    let (mut contributes, mut core) = (None, Core::default());
    for option in readable(&read(attributes, errors), errors) {
        match option.name().as_str() {
            "contribute" => contributes = option.flag(errors).then(|| option.key.span()),
            "crate" => core = Core::read(option, errors),
            name if WORDS.iter().any(|(word, _)| *word == name) => {
                errors.at(option.key.span(), format!("`{name}` applies to a variant: write it above that variant"));
            }
            name if rule(name).is_some() => {
                errors.at(option.key.span(), format!("`{name}` applies to a field: write it above that field"));
            }
            name => unknown(name, option, &OF_TYPE, errors),
        }
    }
    (contributes, core)
}

fn variant(written: &syn::Variant, errors: &mut Errors) -> Variant {
    let mut words: Vec<Word> = Vec::new();
    let mut is_unclear = false;
    for option in readable(&read(&written.attrs, errors), errors) {
        let name = option.name();
        let at = option.key.span();
        if let Some((_, word)) = WORDS.iter().find(|(known, _)| *known == name) {
            if let Some(why) = words.iter().find_map(|other| contradiction(*other, *word)) {
                errors.at(at, why);
            }
            if option.flag(errors) {
                words.push(*word);
            }
        } else if rule(&name).is_some() {
            errors.at(at, format!("`{name}` applies to a field: write it above that field"));
        } else if OF_TYPE.contains(&name.as_str()) {
            errors.at(at, format!("`{name}` applies to the whole type: write it above the enum"));
        } else {
            is_unclear = true;
            unknown(&name, option, &WORDS.map(|(word, _)| word), errors);
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
    let mut neutral = variants.iter().enumerate().filter(|(_, variant)| variant.is(Word::Neutral));
    match neutral.next() {
        // An unknown word, which may have been meant as `neutral`, was reported already.
        None if variants.iter().any(|variant| variant.is_unclear) => {}
        None => errors
            .on(ty, "a hook may have no opinion: mark the variant for that, the first, with `#[verdict(neutral)]`"),
        Some((0, _)) => {}
        Some((_, late)) => errors.on(
            &late.name,
            "variants are ordered from the weakest to the strongest, and the neutral one is the weakest: put it first",
        ),
    }
    for (_, second) in neutral {
        errors.on(&second.name, "only one variant can be `neutral`, and there is one already");
    }
    let denying: Vec<usize> = (0..variants.len()).filter(|i| variants[*i].is(Word::Deny)).collect();
    match denying[..] {
        [only] if only + 1 < variants.len() => errors.on(
            &variants[only].name,
            "variants are ordered from the weakest to the strongest, and `deny` is the strongest: put it last",
        ),
        [] | [_] => {}
        [_, ref others @ ..] => {
            for other in others {
                errors.on(&variants[*other].name, "only one variant can be `deny`, and there is one already");
            }
        }
    }
}

/// A field. A field of a variant needs no rule: by default the first of two equal variants is kept.
fn field(i: usize, written: &syn::Field, in_variant: bool, errors: &mut Errors) -> Option<Field> {
    let mut found: Option<Rule> = None;
    let mut of = None;
    let mut is_final = false;
    let mut unclear = false;
    for option in readable(&read(&written.attrs, errors), errors) {
        let name = option.name();
        match rule(&name) {
            Some(rule) => {
                match &option.value {
                    Value::Is(_) if rule == Rule::By && !in_variant => {
                        of = option.parse(errors, "a field of this struct that is `nested`, as in `by = decision`");
                        unclear |= of.is_none();
                    }
                    _ => unclear |= !option.flag(errors),
                }
                if found.replace(rule).is_some() {
                    errors.at(option.key.span(), "a field has one merge rule; keep one");
                }
            }
            None if name == "final" && !in_variant => is_final = option.flag(errors),
            None if WORDS.iter().any(|(word, _)| *word == name) => {
                let place = if in_variant { "of a variant, not of its field" } else { "of a variant of an enum" };
                errors.at(option.key.span(), format!("`{name}` is an attribute {place}"));
            }
            None => {
                unclear = true;
                let words: Vec<&str> = RULES.iter().map(|(word, _)| *word).collect();
                unknown(&name, option, &words, errors);
            }
        }
        if is_final && found == Some(Rule::By) {
            errors.at(option.key.span(), "the name of the hook is not a decision: remove `final`");
        }
    }
    match found {
        Some(rule) => {
            Some(Field { member: member(i, written), ty: written.ty.clone(), rule, of, is_final, span: span(written) })
        }
        None if in_variant || unclear => None,
        None => {
            let at: &dyn ToTokens = match &written.ident {
                Some(name) => name,
                None => &written.ty,
            };
            let words = RULES.iter().map(|(word, _)| *word);
            errors.on(
                &at.to_token_stream(),
                format!(
                    "this field needs a merge rule: write one of {}, as in `#[verdict(first)]`",
                    names::list(words, "and")
                ),
            );
            None
        }
    }
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

fn rule(name: &str) -> Option<Rule> {
    RULES.iter().find(|(word, _)| *word == name).map(|(_, rule)| *rule)
}

fn unknown(name: &str, option: &Written, known: &[&str], errors: &mut Errors) {
    let hint = names::hint(name, known.iter().copied());
    errors.at(option.key.span(), format!("unknown attribute `{name}`; {hint}"));
}
