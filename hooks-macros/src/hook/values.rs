//! Parses the values of the options and checks their syntax.

use std::ops::RangeInclusive;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Lit, LitInt, LitStr, Token};

use super::words::CAPABILITIES;
use crate::errors::Errors;
use crate::kind::{self, Kind};
use crate::names;
use crate::options::{List, Value, Words, Written, each, first_span, split_at_commas, without_spaces};

const MILLIS_OF_A_DAY: u64 = 86_400_000;

/// The name of something in `snake_case`; `what` is what it is, as in `an id`.
pub(crate) fn name(what: &str, option: &Written, errors: &mut Errors) -> Option<LitStr> {
    let example = if option.key == "id" { "id = \"redact_pii\"" } else { "plugin = \"acme\"" };
    let name = option.parse::<LitStr>(errors, &format!("a string, such as `{example}`"))?;
    names::check(what, &name, errors).then_some(name)
}

/// A flag.
pub(crate) fn flag(option: &Written, errors: &mut Errors) -> Option<TokenStream> {
    option.flag(errors).then(|| quote!(true))
}

/// One of the words.
pub(crate) fn word(words: &Words, option: &Written, errors: &mut Errors) -> Option<TokenStream> {
    let variant = words.one(option, errors)?;
    Some(words.path(&variant))
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
    let write: [fn(&str) -> String; 2] = [|one| format!("kind = {one}"), |list| format!("kind = [{list}]")];
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(proc_macro2::TokenTree::Group(group)), None) if group.delimiter() == proc_macro2::Delimiter::Bracket => {
            let parts = split_at_commas(group.stream());
            if parts.is_empty() {
                errors.at(group.span(), "`kind` is an empty list; name the kinds at which the hook runs");
            }
            each(parts, errors, |part, errors| kind::read(part, write, errors))
        }
        _ => kind::read(tokens, write, errors).into_iter().collect(),
    }
}

/// A whole number within `range`.
pub(crate) fn number(
    range: RangeInclusive<i64>,
    example: &str,
    option: &Written,
    errors: &mut Errors,
) -> Option<TokenStream> {
    let read = |input: ParseStream<'_>| {
        let sign = if input.parse::<Option<Token![-]>>()?.is_some() { "-" } else { "" };
        let digits: LitInt = input.parse()?;
        Ok(format!("{sign}{}", digits.base10_digits()).parse::<i64>().ok())
    };
    let number = read.parse2(option.tokens()).ok().flatten().filter(|number| range.contains(number));
    if number.is_none() {
        let (name, first, last) = (option.name(), range.start(), range.end());
        let problem = format!("`{name}` takes a whole number from {first} to {last}, such as `{example}`");
        errors.at(option.value_span(), problem);
    }
    number?.to_string().parse().ok()
}

/// A list of ids without duplicates.
pub(crate) fn ids(option: &Written, errors: &mut Errors) -> Vec<LitStr> {
    let name = option.name();
    let expected = format!("a list of ids, such as `{name} = [\"redact_pii\"]`");
    let Some(List(parts)) = option.parse(errors, &expected) else { return Vec::new() };
    each(parts, errors, |part, errors| {
        let id = syn::parse2::<LitStr>(part.clone()).ok();
        match &id {
            Some(id) => _ = names::check("an id", id, errors),
            None => errors.on(part, format!("`{name}` takes {expected}")),
        }
        id
    })
}

pub(crate) fn timeout(option: &Written, errors: &mut Errors) -> Option<TokenStream> {
    if syn::parse2::<Ident>(option.tokens()).is_ok_and(|word| word == "none") {
        return Some(quote!(__hook_sdk::Timeout::None));
    }
    let text = syn::parse2::<LitStr>(option.tokens()).ok();
    if let Some(text) = text.filter(|text| text.value() == "none") {
        errors.on(&text, "write `timeout = none` without quotes");
        return None;
    }
    let time = time(option, ", or the word `none`", "; write `none` for no limit", errors)?;
    Some(quote!(__hook_sdk::Timeout::After(#time)))
}

pub(crate) fn delay(option: &Written, errors: &mut Errors) -> Option<TokenStream> {
    time(option, "", "", errors)
}

/// A duration: a number with a unit.
fn time(option: &Written, or: &str, no_limit: &str, errors: &mut Errors) -> Option<TokenStream> {
    let name = option.name();
    if let Ok(number) = syn::parse2::<LitInt>(option.tokens()) {
        let digits = number.base10_digits();
        errors.on(&number, format!("a time needs a unit: write `{name} = \"{digits}s\"` or `\"{digits}ms\"`"));
        return None;
    }
    let expected = format!("a time, such as `\"250ms\"`, `\"2s\"`, `\"1m\"`, `\"2h\"` or `\"1d\"`{or}");
    let text = option.parse::<LitStr>(errors, &expected)?;
    let written = text.value();
    let unit = written.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = written.strip_suffix(unit).unwrap_or_default();
    let factor: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => MILLIS_OF_A_DAY,
        _ => 0,
    };
    let problem = if unit.is_empty() && !digits.is_empty() {
        format!("a time needs a unit: write `{name} = \"{digits}s\"` or `\"{digits}ms\"`")
    } else if factor == 0 || digits.is_empty() {
        format!("`{name}` takes {expected}")
    } else {
        match digits.parse().ok().and_then(|number: u64| number.checked_mul(factor)) {
            Some(0) => format!("`{name}` must be longer than zero{no_limit}"),
            Some(millis) if millis <= 365 * MILLIS_OF_A_DAY => {
                return Some(quote!(__hook_sdk::Duration::from_millis(#millis)));
            }
            _ => format!("`{name}` must not be longer than 365 days{no_limit}"),
        }
    };
    errors.on(&text, problem);
    None
}

/// The part of a stream to hold back.
pub(crate) fn hold(option: &Written, errors: &mut Errors) -> Option<TokenStream> {
    let expected = "a number of characters or `\"sentence\"`, such as `hold = 200`";
    match option.parse::<Lit>(errors, expected)? {
        Lit::Int(chars) if chars.base10_parse::<usize>().is_ok_and(|chars| chars > 0) => {
            Some(quote!(__hook_sdk::Hold::from(#chars)))
        }
        Lit::Str(word) if word.value() == "sentence" => Some(quote!(__hook_sdk::Hold::SENTENCE)),
        other => {
            errors.on(&other, format!("`hold` takes {expected}"));
            None
        }
    }
}

/// Whether one of the kinds may be `stream_delta`: by name, or as a type that the macro does not know.
pub(crate) fn may_stream(kinds: &[Kind]) -> bool {
    kinds.iter().any(|kind| match kind {
        Kind::BuiltIn(kind, _) => kind == "StreamDelta",
        Kind::Type(_) => true,
    })
}

/// The variants of the capabilities.
pub(crate) fn capabilities(option: &Written, errors: &mut Errors) -> Vec<Ident> {
    let expected = "a list of words, such as `capabilities = [policy, audit]`";
    let Some(List(parts)) = option.parse(errors, expected) else { return Vec::new() };
    each(parts, errors, |part, errors| {
        let written = without_spaces(&part.to_string());
        let variant = CAPABILITIES.variant(&written, first_span(part).unwrap_or(option.key.span()));
        if variant.is_none() {
            let plain = written.trim_matches('"');
            let hint = match CAPABILITIES.nearest(plain) {
                Some(meant) if meant == plain => format!("write `{meant}` without quotes"),
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", CAPABILITIES.list()),
            };
            errors.on(part, format!("there is no capability `{plain}`; {hint}"));
        }
        variant
    })
}

/// The set of these capabilities.
pub(crate) fn capability_set(variants: &[Ident]) -> TokenStream {
    let paths = variants.iter().map(|variant| CAPABILITIES.path(&Ident::new(&variant.to_string(), Span::call_site())));
    quote!(__hook_sdk::Option::Some(__hook_sdk::Capabilities::of(&[#(#paths),*])))
}
