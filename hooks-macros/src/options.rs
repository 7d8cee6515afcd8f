//! The grammar of options (`key = value`, `key(…)` or `key`, separated by commas), and the tables of known options.
//!
//! An option that cannot be parsed is reported and skipped, so that later options are parsed too.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Token};

use crate::errors::Errors;
use crate::names;

/// One option as it was written.
pub(crate) struct Written {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

/// What follows the key.
pub(crate) enum Value {
    /// `key = tokens`
    Is(TokenStream),
    /// `key(tokens)`
    Of(TokenStream),
    /// `key`
    Flag,
    /// `key =`
    Missing,
    /// Something else.
    Odd,
}

/// A known option, and how it is parsed. Its documentation is a row of `options.md`, next to the table.
pub(crate) struct Known<T> {
    /// An example, for messages. It begins with the name; for a flag it is the name.
    pub(crate) write: &'static str,
    /// Names of the option in other systems, separated by spaces.
    pub(crate) elsewhere: &'static str,
    pub(crate) read: fn(&mut T, &Written, &mut Errors),
}

/// A table of options, a row each: what to write, names in other systems, and how the option is parsed.
macro_rules! options {
    (|$target:ident: &mut $of:ty, $option:ident, $errors:ident| $($write:literal, $elsewhere:literal => $read:expr;)*) => {
        &[$($crate::options::Known {
            write: $write,
            elsewhere: $elsewhere,
            read: |$target: &mut $of, $option, $errors| $read,
        },)*]
    };
}

pub(crate) use options;

impl<T> Known<T> {
    pub(crate) fn name(&self) -> &'static str {
        self.write.split([' ', '(']).next().unwrap_or_default()
    }
}

impl Written {
    pub(crate) fn name(&self) -> String {
        self.key.unraw().to_string()
    }

    /// The span for errors about the value.
    pub(crate) fn value_span(&self) -> Span {
        match &self.value {
            Value::Is(tokens) | Value::Of(tokens) => first_span(tokens).unwrap_or(self.key.span()),
            Value::Flag | Value::Missing | Value::Odd => self.key.span(),
        }
    }

    /// The tokens after `=`; empty if there are none.
    pub(crate) fn tokens(&self) -> TokenStream {
        if let Value::Is(tokens) = &self.value { tokens.clone() } else { TokenStream::new() }
    }

    /// Parses the value as a `T`, or reports `expected`.
    pub(crate) fn parse<T: Parse>(&self, errors: &mut Errors, expected: &str) -> Option<T> {
        let parsed = syn::parse2(self.tokens()).ok().filter(|_| matches!(self.value, Value::Is(_)));
        if parsed.is_none() {
            errors.at(self.value_span(), format!("`{}` takes {expected}", self.name()));
        }
        parsed
    }

    /// Whether the option is a plain flag; otherwise reports it.
    pub(crate) fn flag(&self, errors: &mut Errors) -> bool {
        let alone = matches!(self.value, Value::Flag);
        if !alone {
            errors.at(self.value_span(), format!("`{0}` takes no value: write `{0}`, or remove it", self.name()));
        }
        alone
    }

    /// Whether the option is well formed; otherwise reports what to write.
    pub(crate) fn is_well_formed(&self, write: &str, errors: &mut Errors) -> bool {
        let problem = match self.value {
            Value::Missing => format!("`{}` has no value: write `{write}`", self.key),
            Value::Odd => format!("expected `{write}`"),
            Value::Is(_) | Value::Of(_) | Value::Flag => return true,
        };
        errors.at(self.key.span(), problem);
        false
    }
}

/// Parses lists of options: the first one of each name. Reports the others.
pub(crate) fn read(lists: impl IntoIterator<Item = TokenStream>, errors: &mut Errors) -> Vec<Written> {
    let parts = lists.into_iter().flat_map(split_at_commas).flat_map(|part| split_without_comma(part, errors));
    let parts: Vec<TokenStream> = parts.collect();
    let mut options: Vec<Written> = Vec::new();
    for part in parts {
        let Some(option) = errors.ok(syn::parse2::<Written>(part)) else { continue };
        if options.iter().any(|earlier| earlier.name() == option.name()) {
            errors.at(option.key.span(), format!("`{}` appears twice; keep one", option.name()));
        } else {
            options.push(option);
        }
    }
    options
}

/// Parses each known option into `target`, and returns the others.
pub(crate) fn take<'w, T>(
    written: &'w [Written],
    table: &[Known<T>],
    target: &mut T,
    errors: &mut Errors,
) -> Vec<&'w Written> {
    let mut others = Vec::new();
    for option in written {
        match table.iter().find(|known| option.key.unraw() == known.name()) {
            Some(known) if option.is_well_formed(known.write, errors) => (known.read)(target, option, errors),
            Some(_) => {}
            None => others.push(option),
        }
    }
    others
}

/// The option that another system calls `name`.
pub(crate) fn elsewhere<T>(table: &'static [Known<T>], name: &str) -> Option<&'static Known<T>> {
    table.iter().find(|known| names::contains(known.elsewhere, name))
}

/// The names that a table knows.
pub(crate) fn names_of<T>(table: &'static [Known<T>]) -> impl Iterator<Item = &'static str> + Clone {
    table.iter().map(Known::name)
}

impl Parse for Written {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any).map_err(|_| input.error("expected an option: `key = value`"))?;
        if input.is_empty() {
            return Ok(Self { key, value: Value::Flag });
        }
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let value = if input.is_empty() { Value::Missing } else { Value::Is(input.parse()?) };
            return Ok(Self { key, value });
        }
        let (first, rest): (TokenTree, TokenStream) = (input.parse()?, input.parse()?);
        let value = match first {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis && rest.is_empty() => {
                Value::Of(group.stream())
            }
            _ => Value::Odd,
        };
        Ok(Self { key, value })
    }
}

/// Splits at commas outside of brackets, including the angle brackets of types. Omits empty parts.
pub(crate) fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for (token, depth) in with_depth(tokens) {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' && depth == 0 => parts.push(TokenStream::new()),
            _ => parts.last_mut().into_iter().for_each(|part| token.to_tokens(part)),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Splits two options with a missing comma between them, or with a semicolon. Within a value, no identifier follows another one, except
/// keywords in types.
fn split_without_comma(part: TokenStream, errors: &mut Errors) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    let mut ended = false;
    for (token, depth) in with_depth(part) {
        match &token {
            TokenTree::Ident(word) if ended && depth == 0 => {
                errors.at(word.span(), format!("expected `,` before `{word}`"));
                parts.push(TokenStream::new());
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => {
                errors.at(mark.span(), "options are separated by `,`");
                parts.push(TokenStream::new());
                ended = false;
                continue;
            }
            _ => {}
        }
        ended = match &token {
            TokenTree::Punct(_) => false,
            TokenTree::Ident(word) => syn::parse2::<Ident>(word.to_token_stream()).is_ok(),
            TokenTree::Group(_) | TokenTree::Literal(_) => true,
        };
        parts.last_mut().into_iter().for_each(|part| token.to_tokens(part));
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Pairs each token with the number of angle brackets around it.
fn with_depth(tokens: TokenStream) -> impl Iterator<Item = (TokenTree, usize)> {
    let (mut depth, mut after_dash) = (0_usize, false);
    tokens.into_iter().map(move |token| {
        let punct = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        match punct {
            '<' => depth += 1,
            // The end of an arrow is not a closing bracket.
            '>' if !after_dash => depth = depth.saturating_sub(1),
            _ => {}
        }
        after_dash = punct == '-';
        (token, depth)
    })
}

/// The span of the first token.
pub(crate) fn first_span(tokens: &TokenStream) -> Option<Span> {
    tokens.clone().into_iter().next().map(|token| token.span())
}

/// Reads each part of a list, once, and reports duplicates.
pub(crate) fn each<T>(
    parts: Vec<TokenStream>,
    errors: &mut Errors,
    mut read: impl FnMut(&TokenStream, &mut Errors) -> Option<T>,
) -> Vec<T> {
    let (mut seen, mut found) = (Vec::new(), Vec::new());
    for part in parts {
        let text = without_spaces(&part.to_string());
        if seen.contains(&text) {
            errors.on(&part, format!("`{}` appears twice; keep one", text.trim_matches('"')));
        } else {
            found.extend(read(&part, errors));
        }
        seen.push(text);
    }
    found
}

/// A list with unparsed elements: `["a", "b"]`.
pub(crate) struct List(pub(crate) Vec<TokenStream>);

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        syn::bracketed!(content in input);
        Ok(Self(split_at_commas(content.parse()?)))
    }
}

/// The words of an option: the variants of an enum in `hook-sdk`, in `snake_case`.
pub(crate) struct Words {
    /// The name of the enum.
    pub(crate) of: &'static str,
    /// The words, separated by spaces.
    pub(crate) known: &'static str,
    /// Words here, and the corresponding words of other systems, separated by spaces.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
}

impl Words {
    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.known.split(' ')
    }

    pub(crate) fn list(&self) -> String {
        names::list(self.words(), "and")
    }

    /// The word that was likely meant: `"Deny"` and `OnFailure::Deny` are `deny`.
    pub(crate) fn nearest(&self, written: &str) -> Option<&'static str> {
        let last = written.trim_matches('"').rsplit([':', ' ']).next().unwrap_or_default().to_lowercase();
        let elsewhere = self.elsewhere.iter().find(|(_, others)| names::contains(others, &last));
        elsewhere.map(|(here, _)| *here).or_else(|| names::nearest(&last, self.words()))
    }

    /// The variant for a word, at `place`.
    pub(crate) fn variant(&self, word: &str, place: Span) -> Option<Ident> {
        self.words().any(|known| known == word).then(|| Ident::new(&names::camel_case(word), place))
    }

    /// The path of a variant.
    pub(crate) fn path(&self, variant: &Ident) -> TokenStream {
        let of = Ident::new(self.of, Span::call_site());
        quote!(__hook_sdk::#of::#variant)
    }

    /// Parses an option whose value is one of the words.
    pub(crate) fn one(&self, option: &Written, errors: &mut Errors) -> Option<Ident> {
        let written = match &option.value {
            Value::Is(tokens) | Value::Of(tokens) => tokens.to_string(),
            Value::Flag | Value::Missing | Value::Odd => String::new(),
        };
        let place = option.value_span();
        let found = self.variant(&written, place).filter(|_| matches!(option.value, Value::Is(_)));
        if found.is_none() {
            let name = option.name();
            let hint = self.nearest(&written).map(|meant| format!("; did you mean `{name} = {meant}`?"));
            errors.at(place, format!("`{name}` takes one of {}{}", self.list(), hint.unwrap_or_default()));
        }
        found
    }
}

/// Removes the spaces that the compiler may put between tokens.
pub(crate) fn without_spaces(tokens: &str) -> String {
    tokens.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The documentation has a row for each option of the table, in the same order, with a meaning and a default.
    pub(crate) fn assert_documented<T>(page: &str, table: &'static [Known<T>]) {
        let rows = page.lines().skip(2).map(|row| row.replace("\\|", "").split(" | ").map(str::to_owned).collect());
        let rows: Vec<Vec<String>> = rows.collect();
        let documented = rows.iter().filter_map(|row| row[0].strip_prefix("| `")?.strip_suffix('`'));
        assert_eq!(documented.collect::<Vec<_>>(), names_of(table).collect::<Vec<_>>());
        assert!(
            rows.iter().all(|row| row.len() == 3 && row.iter().all(|cell| !cell.trim_matches([' ', '|']).is_empty()))
        );
    }

    /// A name of another system must not equal the name of an option, and must not occur twice. Errors about a value must
    /// contain the option's name.
    pub(crate) fn assert_answers<T>(table: &'static [Known<T>], others: &[(&str, &str)], target: impl Fn() -> T) {
        let mut names: Vec<&str> = table.iter().flat_map(|known| known.elsewhere.split_whitespace()).collect();
        names.extend(others.iter().flat_map(|(names, _)| names.split(' ')));
        assert!(names.iter().all(|name| !names_of(table).any(|known| known == *name)));
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        for known in table {
            for value in [Value::Missing, Value::Odd, Value::Is("?".parse().unwrap())] {
                let key = syn::parse::Parser::parse_str(Ident::parse_any, known.name()).unwrap();
                let (mut target, mut errors) = (target(), Errors::default());
                take(&[Written { key, value }], std::slice::from_ref(known), &mut target, &mut errors);
                let message = errors.into_tokens().to_string();
                assert!(
                    message.contains(known.name()) || known.name() == "kind" && message.contains("kind"),
                    "{message}"
                );
            }
        }
    }

    #[test]
    fn commas_separate_options_only_outside_of_brackets() {
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
    fn a_missing_comma_does_not_hide_an_option() {
        let cases: &[(&str, &[&str], usize)] = &[
            ("id = \"a\" kind = b", &["id", "kind"], 1),
            ("id = \"a\" kind = b locked tool = \"c\", json", &["id", "kind", "locked", "tool", "json"], 3),
            ("locked blocking", &["locked", "blocking"], 1),
            ("match(a) json", &["match", "json"], 1),
            ("subject = dyn Fn(u8) -> u8, verdict = &'static mut T", &["subject", "verdict"], 0),
            ("subject = Box<dyn for<'a> Fn(&'a mut u8)>, json", &["subject", "json"], 0),
        ];
        for (written, names, missing) in cases {
            let mut errors = Errors::default();
            let read: Vec<String> = read([written.parse().unwrap()], &mut errors).iter().map(Written::name).collect();
            assert_eq!(&read, names, "{written}");
            assert_eq!(errors.into_tokens().to_string().matches("expected `,` before").count(), *missing, "{written}");
        }
    }

    #[test]
    fn an_option_that_cannot_be_read_does_not_hide_the_others() {
        let mut errors = Errors::default();
        let options = read(["id =, kind = a, \"b\", tool".parse().unwrap()], &mut errors);
        let names: Vec<String> = options.iter().map(Written::name).collect();
        assert_eq!(names, ["id", "kind", "tool"]);
        assert!(matches!(options[0].value, Value::Missing));
        assert!(!errors.is_empty());
    }
}
