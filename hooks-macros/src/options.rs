//! The grammar of options: `key = value`, `key(…)` or `key`, separated by commas.
//!
//! What cannot be parsed is told and passed over, so that the options after it are read too.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Token};

use crate::errors::Errors;
use crate::names;

/// One option as it is written.
pub(crate) struct Written {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

/// What stands behind the key.
pub(crate) enum Value {
    /// `key = tokens`
    Is(TokenStream),
    /// `key(tokens)`
    Of(TokenStream),
    /// `key`
    Flag,
    /// Something else, which has been told.
    Unreadable,
}

impl Written {
    pub(crate) fn name(&self) -> String {
        self.key.unraw().to_string()
    }

    /// The place to point at when the value is wrong.
    pub(crate) fn value_span(&self) -> Span {
        match &self.value {
            Value::Is(tokens) | Value::Of(tokens) => first_span(tokens).unwrap_or(self.key.span()),
            Value::Flag | Value::Unreadable => self.key.span(),
        }
    }

    /// The value, which `T` parses; otherwise `expected` is told.
    pub(crate) fn parse<T: Parse>(&self, errors: &mut Errors, expected: &str) -> Option<T> {
        let parsed = match &self.value {
            Value::Is(tokens) => syn::parse2(tokens.clone()).ok(),
            Value::Of(_) | Value::Flag => None,
            Value::Unreadable => return None,
        };
        if parsed.is_none() {
            errors.at(self.value_span(), format!("`{}` takes {expected}", self.name()));
        }
        parsed
    }
}

/// Reads `tokens` option by option.
pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Vec<Written> {
    let mut written = Vec::new();
    for part in split_at_commas(tokens) {
        // The key of an option that cannot be read is there, so that nobody is told it is missing.
        let key = part.clone().into_iter().next();
        match (syn::parse2::<Written>(part), key) {
            (Ok(option), _) => written.push(option),
            (Err(error), Some(TokenTree::Ident(key))) => {
                errors.push(error);
                written.push(Written { key, value: Value::Unreadable });
            }
            (Err(error), _) => errors.push(error),
        }
    }
    written
}

impl Parse for Written {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any).map_err(|_| input.error("expected an option: `key = value`"))?;
        if input.is_empty() {
            return Ok(Self { key, value: Value::Flag });
        }
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            if input.is_empty() {
                let advice = if names::FLAGS.iter().any(|flag| key == flag) { "" } else { " = …" };
                return Err(syn::Error::new(key.span(), format!("`{key}` has no value: write `{key}{advice}`")));
            }
            return Ok(Self { key, value: Value::Is(input.parse()?) });
        }
        if let Ok(TokenTree::Group(group)) = input.parse::<TokenTree>() {
            if group.delimiter() == Delimiter::Parenthesis && input.is_empty() {
                return Ok(Self { key, value: Value::Of(group.stream()) });
            }
        }
        // `match` is the one word that takes parentheses, and it is no option of a hook.
        let form = if key == "match" { "match(…)" } else { &format!("{key} = …") };
        Err(syn::Error::new(key.span(), format!("expected `{form}`")))
    }
}

/// The parts between commas that stand in no bracket, the angle brackets of a type included; empty ones are left out.
pub(crate) fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = Vec::new();
    let mut part = TokenStream::new();
    let mut depth = 0_usize;
    let mut after_dash = false;
    for token in tokens {
        let punct = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        match punct {
            '<' => depth += 1,
            // The end of an arrow closes nothing.
            '>' if !after_dash => depth = depth.saturating_sub(1),
            _ => {}
        }
        after_dash = punct == '-';
        if punct == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            token.to_tokens(&mut part);
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

/// The place of the first token.
pub(crate) fn first_span(tokens: &TokenStream) -> Option<Span> {
    tokens.clone().into_iter().next().map(|token| token.span())
}

/// A list, its parts unread: `["a", "b"]`.
pub(crate) struct List(pub(crate) Vec<TokenStream>);

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        syn::bracketed!(content in input);
        Ok(Self(split_at_commas(content.parse()?)))
    }
}

/// Tokens as one would write them; the compiler may put spaces between them.
pub(crate) fn without_spaces(tokens: &str) -> String {
    tokens.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Options of which each is there at most once.
pub(crate) struct Once {
    seen: Vec<(String, Span)>,
}

impl Once {
    pub(crate) fn new() -> Self {
        Self { seen: Vec::new() }
    }

    /// Whether this is the first of its name; a second one is told at its own place.
    pub(crate) fn first(&mut self, option: &Written, errors: &mut Errors) -> bool {
        let name = option.name();
        let repeated = self.seen.iter().any(|(seen, _)| *seen == name);
        if repeated {
            errors.at(option.key.span(), format!("`{name}` is there twice; keep one"));
        } else {
            self.seen.push((name, option.key.span()));
        }
        !repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_split_outside_of_brackets_only() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            (",, ,", &[]),
            ("a, b = 2,", &["a", "b=2"]),
            ("f(a, b), [c, d], {e, f}", &["f(a,b)", "[c,d]", "{e,f}"]),
            ("subject = Result<u32, Vec<(u8, u8)>>, json", &["subject=Result<u32,Vec<(u8,u8)>>", "json"]),
            ("subject = fn(u8) -> u8, json", &["subject=fn(u8)->u8", "json"]),
        ];
        for (written, parts) in cases {
            let split: Vec<String> = split_at_commas(written.parse().unwrap())
                .iter()
                .map(|part| without_spaces(&part.to_string()))
                .collect();
            assert_eq!(&split, parts, "{written}");
        }
    }

    #[test]
    fn an_option_that_cannot_be_read_does_not_hide_the_others() {
        let mut errors = Errors::default();
        let options = read("id =, kind = a, \"b\", tool".parse().unwrap(), &mut errors);
        let names: Vec<String> = options.iter().map(Written::name).collect();
        assert_eq!(names, ["id", "kind", "tool"]);
        assert!(matches!(options[0].value, Value::Unreadable));
        assert!(!errors.is_empty());
    }
}
