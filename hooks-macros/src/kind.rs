//! Parses a kind: a built-in one by its name, or the path of a type.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Ident, LitStr, Path};

use crate::errors::Errors;
use crate::names;
use crate::options::{first_span, without_spaces};

pub(crate) enum Kind {
    /// A built-in kind by name: the name of its type, and the span of the word.
    BuiltIn(String, Span),
    /// The path of a type.
    Type(Path),
}

impl Kind {
    /// The name of the event's type.
    pub(crate) fn event(&self) -> String {
        match self {
            Self::BuiltIn(event, _) => event.clone(),
            Self::Type(path) => path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        }
    }

    /// The span for errors about the kind.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::BuiltIn(_, span) => *span,
            Self::Type(path) => path.segments.last().map_or_else(Span::call_site, |last| last.ident.span()),
        }
    }

    /// The type of the event.
    pub(crate) fn ty(&self, kinds: &TokenStream) -> TokenStream {
        match self {
            Self::BuiltIn(event, span) => {
                let event = Ident::new(event, *span);
                quote!(#kinds::#event)
            }
            Self::Type(path) => path.to_token_stream(),
        }
    }
}

/// Parses a kind, or reports what to write. `one` and `list` show where a kind and a list of kinds are written.
pub(crate) fn read(tokens: &TokenStream, [one, list]: [fn(&str) -> String; 2], errors: &mut Errors) -> Option<Kind> {
    let written = without_spaces(&tokens.to_string());
    let span = first_span(tokens).unwrap_or_else(Span::call_site);
    let Ok(path) = syn::parse2::<Path>(tokens.clone()) else {
        let text = syn::parse2::<LitStr>(tokens.clone()).map(|text| text.value()).ok();
        let word = text.as_ref().unwrap_or(&written);
        let problem = match (several(word), names::kind_elsewhere(word), &text) {
            (Some(kinds), None, Some(_)) => {
                format!("a list of kinds is written in brackets, without quotes: write `{}`", list(&kinds))
            }
            (_, here, Some(_)) => {
                format!("a kind is written without quotes: write `{}`", one(here.unwrap_or("before_tool_call")))
            }
            (Some(kinds), _, None) => format!("a list of kinds is written in brackets: write `{}`", list(&kinds)),
            // Not an expression, such as `BeforeToolCall()` or `&BeforeToolCall`.
            (None, Some(here), None) if !written.contains('-') => {
                format!("expected only the name of a kind: write `{}`", one(here))
            }
            (None, Some(here), None) => format!("`{written}` is called `{here}` here"),
            (None, None, None) => {
                "expected a kind in snake_case, such as `before_tool_call`, or the path of a type".to_owned()
            }
        };
        errors.on(tokens, problem);
        return None;
    };
    if path.segments.iter().any(|segment| !segment.arguments.is_empty()) {
        errors.on(&path, "an event is one concrete type; remove `<…>`");
        return None;
    }
    let is_type =
        path.segments.last().is_some_and(|last| last.ident.to_string().starts_with(|c: char| c.is_ascii_uppercase()));
    let problem = match (path.get_ident().map(ToString::to_string), is_type) {
        (Some(word), false) => match names::kind_type(&word) {
            Some(kind) => return Some(Kind::BuiltIn(kind, span)),
            None => names::unknown_kind(&word),
        },
        (Some(word), true) => match names::kind_elsewhere(&word) {
            // The type of a built-in kind may be imported and named like any other.
            Some(here) if names::kind_type(here).as_ref() != Some(&word) => format!("`{word}` is called `{here}` here"),
            _ => return Some(Kind::Type(path)),
        },
        (None, true) => return Some(Kind::Type(path)),
        (None, false) => {
            "expected the path of a type in CamelCase, or a built-in kind as one word, such as `before_tool_call`"
                .to_owned()
        }
    };
    errors.on(&path, problem);
    None
}

/// The kinds of a text that contains several: `(a, b)`, `a | b`, `a + b`.
fn several(written: &str) -> Option<String> {
    let inner = written.trim_start_matches('(').trim_end_matches(')');
    let words: Vec<&str> = inner.split([',', '|', '+']).map(str::trim).filter(|word| !word.is_empty()).collect();
    let kinds: Option<Vec<&str>> = words.iter().map(|word| names::kind_elsewhere(word)).collect();
    kinds.filter(|kinds| kinds.len() > 1).map(|kinds| kinds.join(", "))
}
