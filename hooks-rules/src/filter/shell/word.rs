//! A word of a command, without its quotes.

use tree_sitter::Node;

/// An argument as the program receives it, as far as it is known before the line runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether it contains a part that is known only at run time: a variable, a command substitution, a glob.
    pub(super) computed: bool,
    /// Whether a part outside of quotes can become several words.
    pub(super) splits: bool,
    /// The length of the text in front of the first computed part.
    known: usize,
}

impl Word {
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(super) fn computed() -> Self {
        Self { computed: true, splits: true, ..Self::default() }
    }

    /// A part of this word.
    pub(super) fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), known: 0, ..self.clone() }
    }

    /// Whether it contains a quoted `$( )` or backticks, which arithmetic and prompts execute anyway.
    pub(super) fn hides_a_command(&self) -> bool {
        self.text.contains("$(") || self.text.contains('`')
    }

    /// The text that the word begins with, whatever is computed.
    pub(super) fn prefix(&self) -> &str {
        if self.computed { &self.text[..self.known] } else { &self.text }
    }

    /// Whether it is an option, or may become one.
    pub(super) fn may_be_an_option(&self) -> bool {
        let prefix = self.prefix();
        prefix.starts_with(['-', '+']) || (self.computed && (self.splits || prefix.is_empty()))
    }

    /// Appends the adjacent part of the word.
    pub(super) fn append(&mut self, next: &Self) {
        if next.computed {
            self.compute(self.text.len() + next.known);
        }
        self.splits |= next.splits;
        self.text.push_str(&next.text);
        if let Some(at) = brace(&self.text) {
            self.compute(at);
        }
    }

    /// What follows the first `known` bytes is computed.
    fn compute(&mut self, known: usize) {
        self.known = if self.computed { self.known.min(known) } else { known };
        self.computed = true;
    }

    /// The word of a node.
    pub(super) fn of(node: Node<'_>, source: &str) -> Self {
        let text = &source[node.byte_range()];
        match node.kind() {
            "word" | "number" if node.named_child_count() == 0 => bare(text),
            "extglob_pattern" | "regex" | "variable_name" | "special_variable_name" => bare(text),
            "raw_string" => Self::plain(text.trim_start_matches('\'').trim_end_matches('\'')),
            "string" => quoted(node, source),
            "ansi_c_string" => ansi_c(text.trim_start_matches("$'").strip_suffix('\'').unwrap_or(text)),
            "concatenation" | "variable_assignment" => {
                let mut word = Self::default();
                let mut cursor = node.walk();
                for part in node.children(&mut cursor) {
                    word.append(&Self::of(part, source));
                }
                word
            }
            // The program gets the name of a stream.
            "process_substitution" => Self { text: "/dev/fd/".to_owned(), ..Self::computed() },
            _ if !node.is_named() => bare(text),
            _ => Self::computed(),
        }
    }
}

/// Whether a word is options of one letter each.
pub(super) fn is_short(option: &str) -> bool {
    option.starts_with('-') && !option.starts_with("--")
}

/// An unquoted word, in which a backslash escapes the next character.
fn bare(text: &str) -> Word {
    let mut word = Word::default();
    // A home, the current or an earlier folder, whichever they are when the line runs.
    if text.starts_with('~') && !text.starts_with("~/") {
        word.compute(0);
    }
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => word.text.extend(letters.next().filter(|next| *next != '\n')),
            '*' | '?' | '[' | '`' => {
                word.compute(word.text.len());
                word.text.push(c);
            }
            c => word.text.push(c),
        }
    }
    if brace(text).is_some() {
        word.compute(word.text.find('{').unwrap_or_default());
    }
    word
}

/// Where a brace expansion begins: `{a,b}` or `{1..9}`.
fn brace(text: &str) -> Option<usize> {
    let (before, inner) = text.split_once('{')?;
    (inner.contains('}') && (inner.contains(',') || inner.contains(".."))).then_some(before.len())
}

/// A string in double quotes.
fn quoted(node: Node<'_>, source: &str) -> Word {
    let mut word = Word::default();
    let mut cursor = node.walk();
    let mut end = node.start_byte() + 1;
    for part in node.named_children(&mut cursor) {
        // Leading whitespace of a string has no node.
        unescaped(source.get(end..part.start_byte()).unwrap_or_default(), &mut word.text);
        match part.kind() {
            "string_content" => unescaped(&source[part.byte_range()], &mut word.text),
            _ => {
                word.compute(word.text.len());
                // A list stays one, even in quotes: `"$@"`.
                word.splits |= source[part.byte_range()].contains('@');
            }
        }
        end = part.end_byte();
    }
    unescaped(source.get(end..node.end_byte() - 1).unwrap_or_default(), &mut word.text);
    word
}

fn unescaped(text: &str, to: &mut String) {
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        if c != '\\' {
            to.push(c);
            continue;
        }
        match letters.next() {
            Some('\n') | None => {}
            Some(next @ ('"' | '\\' | '$' | '`')) => to.push(next),
            Some(next) => to.extend(['\\', next]),
        }
    }
}

/// `$'…'`, which supports numeric escapes.
fn ansi_c(text: &str) -> Word {
    let mut word = Word::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            word.text.push(c);
            continue;
        }
        let Some(sign) = rest.chars().next() else { break };
        let (radix, most, skip) = match sign {
            'x' => (16, 2, 1),
            'u' => (16, 4, 1),
            'U' => (16, 8, 1),
            '0'..='7' => (8, 3, 0),
            _ => {
                rest = &rest[sign.len_utf8()..];
                match sign {
                    'n' => word.text.push('\n'),
                    't' => word.text.push('\t'),
                    'r' => word.text.push('\r'),
                    '\\' | '\'' | '"' | '?' => word.text.push(sign),
                    // A control character, or an escape that only some shells support.
                    _ => word.compute(word.text.len()),
                }
                continue;
            }
        };
        let digits = &rest[skip..];
        let end = digits.char_indices().take(most).take_while(|(_, c)| c.is_digit(radix)).count();
        let letter = u32::from_str_radix(&digits[..end], radix).ok().and_then(char::from_u32);
        // Above ASCII, the number is one byte of a multi-byte character.
        if letter.is_none_or(|letter| !letter.is_ascii() || letter == '\0') {
            word.compute(word.text.len());
        }
        word.text.extend(letter);
        rest = &digits[end..];
    }
    word
}
