//! Parses the values of the options and checks their syntax.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Ident, Lit, LitInt, LitStr, Path, Token};

use super::model::{Kind, Timeout};
use super::table::CAPABILITIES;
use crate::errors::Errors;
use crate::names;
use crate::options::{List, Value, Written, first_span, split_at_commas, without_spaces};

const MOST_RETRIES: u32 = 100;

pub(crate) fn id(option: &Written, errors: &mut Errors) -> Option<LitStr> {
    let id = option.parse::<LitStr>(errors, "a string, such as `id = \"redact_pii\"`")?;
    check_id(&id, errors).then_some(id)
}

fn check_id(id: &LitStr, errors: &mut Errors) -> bool {
    let text = id.value();
    if matches!(text.as_str(), "self" | "super" | "crate") {
        errors.on(id, format!("`{text}` cannot be an id, because it is a path in Rust; choose another word"));
        return false;
    }
    if names::is_snake_case(&text) {
        return true;
    }
    let mended = names::snake_case(&text).map(|snake| format!("; write `\"{snake}\"`")).unwrap_or_default();
    errors
        .on(id, format!("an id is `snake_case`: a lower-case letter, then lower-case letters, digits and `_`{mended}"));
    false
}

/// The plugin that the hook belongs to.
pub(crate) fn plugin(option: &Written, errors: &mut Errors) -> Option<LitStr> {
    let name = option.parse::<LitStr>(errors, "the name of a plugin, such as `plugin = \"acme\"`")?;
    names::check_plugin(&name, errors).then_some(name)
}

/// The id or kind that corresponds to another system's name for the option.
pub(crate) fn renamed(name: &str, option: &Written) -> String {
    let text = without_spaces(&option.tokens().to_string());
    let text = text.trim_matches('"');
    match name {
        "id" => format!("`id = \"{}\"`", names::snake_case(text).unwrap_or_else(|| "redact_pii".to_owned())),
        _ => format!("`kind = {}`", names::kind_elsewhere(text).unwrap_or("before_tool_call")),
    }
}

/// One kind, or several in brackets.
pub(crate) fn kinds(option: &Written, errors: &mut Errors) -> Vec<Kind> {
    let Value::Is(tokens) = &option.value else {
        errors.at(option.value_span(), "`kind` takes a kind, such as `kind = before_tool_call`");
        return Vec::new();
    };
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(proc_macro2::TokenTree::Group(group)), None) if group.delimiter() == proc_macro2::Delimiter::Bracket => {
            let parts = split_at_commas(group.stream());
            if parts.is_empty() {
                errors.at(group.span(), "`kind` is an empty list; name the kinds at which the hook runs");
            }
            let mut seen: Vec<String> = Vec::new();
            let mut kinds = Vec::new();
            for part in parts {
                let text = part.to_string();
                if seen.contains(&text) {
                    errors.on(&part, format!("`{}` appears twice; keep one", without_spaces(&text)));
                } else {
                    kinds.extend(kind(&part, errors));
                }
                seen.push(text);
            }
            kinds
        }
        _ => kind(tokens, errors).into_iter().collect(),
    }
}

fn kind(tokens: &TokenStream, errors: &mut Errors) -> Option<Kind> {
    let written = without_spaces(&tokens.to_string());
    let span = first_span(tokens).unwrap_or_else(Span::call_site);
    if let Ok(text) = syn::parse2::<LitStr>(tokens.clone()) {
        let word = text.value();
        let here = names::kind_elsewhere(&word);
        match (here, several(&word)) {
            (None, Some(list)) => {
                errors.on(
                    &text,
                    format!("a list of kinds is written in brackets, without quotes: write `kind = [{list}]`"),
                );
            }
            _ => {
                let hint = here.unwrap_or("before_tool_call");
                errors.on(&text, format!("a kind is written without quotes: write `kind = {hint}`"));
            }
        }
        return None;
    }
    let Ok(path) = syn::parse2::<Path>(tokens.clone()) else {
        if let Some(list) = several(&written) {
            errors.on(tokens, format!("a list of kinds is written in brackets: write `kind = [{list}]`"));
            return None;
        }
        match names::kind_elsewhere(&written) {
            // Not an expression, such as `BeforeToolCall()` or `&BeforeToolCall`.
            Some(here) if !written.contains('-') => {
                errors.on(tokens, format!("expected only the name of a kind: write `kind = {here}`"));
            }
            Some(here) => errors.on(tokens, format!("`{written}` is called `{here}` here")),
            None => {
                errors.on(tokens, "expected a kind in snake_case, such as `before_tool_call`, or the path of a type");
            }
        }
        return None;
    };
    if path.segments.iter().any(|segment| !segment.arguments.is_empty()) {
        errors.on(&path, "an event is one concrete type; remove `<…>`");
        return None;
    }
    let is_type =
        path.segments.last().is_some_and(|last| last.ident.to_string().starts_with(|c: char| c.is_ascii_uppercase()));
    match (path.get_ident().map(ToString::to_string), is_type) {
        (Some(word), false) => {
            let built_in = names::kind_type(&word).map(|kind| Kind::BuiltIn(kind, span));
            if built_in.is_none() {
                errors.at(span, names::unknown_kind(&word));
            }
            built_in
        }
        (Some(word), true) => match names::kind_elsewhere(&word) {
            // The type of a built-in kind may be imported and named like any other.
            Some(here) if names::kind_type(here) != Some(word.as_str()) => {
                errors.at(span, format!("`{word}` is called `{here}` here"));
                None
            }
            _ => Some(Kind::Type(path)),
        },
        (None, true) => Some(Kind::Type(path)),
        (None, false) => {
            errors.on(
                &path,
                "expected the path of a type in CamelCase, or a built-in kind as one word, such as `before_tool_call`",
            );
            None
        }
    }
}

/// The kinds of a text that contains several: `(a, b)`, `a | b`, `a + b`.
fn several(written: &str) -> Option<String> {
    let inner = written.trim_start_matches('(').trim_end_matches(')');
    let words: Vec<&str> = inner.split([',', '|', '+']).map(str::trim).filter(|word| !word.is_empty()).collect();
    let kinds: Option<Vec<&str>> = words.iter().map(|word| names::kind_elsewhere(word)).collect();
    kinds.filter(|kinds| kinds.len() > 1).map(|kinds| kinds.join(", "))
}

pub(crate) fn priority(option: &Written, errors: &mut Errors) -> Option<i32> {
    struct Number(Option<Token![-]>, LitInt);

    impl syn::parse::Parse for Number {
        fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
            Ok(Self(input.parse()?, input.parse()?))
        }
    }

    let Number(minus, digits) = option.parse(errors, "a whole number, such as `priority = -10`")?;
    let sign = if minus.is_some() { "-" } else { "" };
    let number = format!("{sign}{}", digits.base10_digits()).parse().ok();
    if number.is_none() {
        errors.on(&digits, format!("`priority` must be between {} and {}", i32::MIN, i32::MAX));
    }
    number
}

/// A list of ids without duplicates.
pub(crate) fn ids(option: &Written, errors: &mut Errors) -> Vec<LitStr> {
    let name = option.name();
    let expected = format!("a list of ids, such as `{name} = [\"redact_pii\"]`");
    let Some(List(parts)) = option.parse(errors, &expected) else { return Vec::new() };
    let mut ids: Vec<LitStr> = Vec::new();
    for part in parts {
        let Ok(id) = syn::parse2::<LitStr>(part.clone()) else {
            errors.on(&part, format!("`{name}` takes {expected}"));
            continue;
        };
        check_id(&id, errors);
        if ids.iter().any(|earlier| earlier.value() == id.value()) {
            errors.on(&id, format!("`{}` appears twice; keep one", id.value()));
        }
        ids.push(id);
    }
    ids
}

pub(crate) fn timeout(option: &Written, errors: &mut Errors) -> Option<Timeout> {
    let expected = "a time, such as `\"250ms\"`, `\"2s\"` or `\"1m\"`, or the word `none`";
    if syn::parse2::<Ident>(option.tokens()).is_ok_and(|word| word == "none") {
        return Some(Timeout::None);
    }
    if let Ok(number) = syn::parse2::<LitInt>(option.tokens()) {
        let digits = number.base10_digits();
        errors.on(&number, format!("a time needs a unit: write `timeout = \"{digits}s\"` or `\"{digits}ms\"`"));
        return None;
    }
    let text = option.parse::<LitStr>(errors, expected)?;
    match millis(&text.value()) {
        None if text.value() == "none" => {
            errors.on(&text, "write `timeout = none` without quotes");
        }
        None => errors.on(&text, format!("`timeout` takes {expected}")),
        Some(0) => errors.on(&text, "`timeout` must be longer than zero; write `none` for no limit"),
        Some(millis) => return Some(Timeout::Millis(millis)),
    }
    None
}

/// The delay of a background run in milliseconds.
pub(crate) fn delay(option: &Written, errors: &mut Errors) -> Option<u64> {
    let expected = "a time, such as `\"250ms\"`, `\"2s\"` or `\"10m\"`";
    let text = option.parse::<LitStr>(errors, expected)?;
    let millis = millis(&text.value()).filter(|millis| *millis > 0);
    if millis.is_none() {
        errors.on(&text, format!("`delay` takes {expected}"));
    }
    millis
}

fn millis(text: &str) -> Option<u64> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.checked_mul(factor)
}

/// The number of retries.
pub(crate) fn retries(option: &Written, errors: &mut Errors) -> Option<u32> {
    let expected = format!("a whole number from 1 to {MOST_RETRIES}, such as `retries = 3`");
    let digits = option.parse::<LitInt>(errors, &expected)?;
    let number = digits.base10_parse().ok().filter(|number| (1..=MOST_RETRIES).contains(number));
    if number.is_none() {
        errors.on(&digits, format!("`retries` takes {expected}"));
    }
    number
}

/// The part of a stream to hold back, as the item after `Hold::`.
pub(crate) fn hold(option: &Written, errors: &mut Errors) -> Option<TokenStream> {
    let expected = "a number of characters or `\"sentence\"`, such as `hold = 200`";
    match option.parse::<Lit>(errors, expected)? {
        Lit::Int(chars) if chars.base10_parse::<usize>().is_ok_and(|chars| chars > 0) => Some(quote!(chars(#chars))),
        Lit::Str(word) if word.value() == "sentence" => Some(quote!(SENTENCE)),
        other => {
            errors.on(&other, format!("`hold` takes {expected}"));
            None
        }
    }
}

/// Whether one of the kinds may be `stream_delta`: by name, or as a type that the macro does not know.
pub(crate) fn may_stream(kinds: &[Kind]) -> bool {
    kinds.iter().any(|kind| match kind {
        Kind::BuiltIn(kind, _) => *kind == "StreamDelta",
        Kind::Type(_) => true,
    })
}

/// The capabilities: the span of the option, and the variants.
pub(crate) fn capabilities(option: &Written, errors: &mut Errors) -> Option<(Span, Vec<Ident>)> {
    let List(parts) = option.parse(errors, "a list of words, such as `capabilities = [policy, audit]`")?;
    let mut found: Vec<Ident> = Vec::new();
    for part in parts {
        let written = without_spaces(&part.to_string());
        let span = first_span(&part).unwrap_or(option.key.span());
        match CAPABILITIES.get(&written).map(|variant| Ident::new(variant, span)) {
            Some(variant) if found.contains(&variant) => {
                errors.at(span, format!("`{written}` appears twice; keep one"));
            }
            Some(variant) => found.push(variant),
            None => {
                let plain = written.trim_matches('"');
                let hint = match CAPABILITIES.nearest(plain) {
                    Some(meant) if meant == plain => format!("write `{meant}` without quotes"),
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("there are {}", CAPABILITIES.list()),
                };
                errors.on(&part, format!("there is no capability `{plain}`; {hint}"));
            }
        }
    }
    Some((option.key.span(), found))
}

/// A variant of an enum of the core, with the span of the option's value.
pub(crate) fn variant(name: &str, option: &Written) -> Ident {
    Ident::new(name, option.value_span())
}
