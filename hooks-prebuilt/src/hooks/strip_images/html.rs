//! Tags of HTML that load something.

use std::ops::Range;

use super::source::Sources;

/// A tag, and what remains of it.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) place: Range<usize>,
    /// The text that describes it.
    pub(super) alt: String,
}

/// Elements whose content is removed with them.
const WITH_CONTENT: [&str; 2] = ["style", "script"];

/// Attributes that hold an address.
#[rustfmt::skip]
const ADDRESSES: &[&str] = &[
    "src", "srcset", "imagesrcset", "poster", "background", "data", "xlink:href", "lowsrc", "dynsrc", "icon", "code", "archive",
    "classid", "codebase", "manifest", "longdesc", "ping", "formaction", "attributionsrc",
];

/// The next tag that begins at `from` or later and loads something that `sources` do not allow.
pub(super) fn next(text: &str, from: usize, sources: &Sources) -> Option<Tag> {
    let plain = next_in(text, from, sources);
    let quoted = unquoted(text).and_then(|unquoted| next_in(&unquoted, from, sources));
    plain.into_iter().chain(quoted).min_by_key(|tag| (tag.place.start, usize::MAX - tag.place.end))
}

/// The text without the marks of quotes, which Markdown takes away before it reads a tag of several lines; each is a space.
fn unquoted(text: &str) -> Option<String> {
    let mut read = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let marks = |c: char| " \t>*+-.)".contains(c) || c.is_ascii_digit();
        let rest = line.trim_start_matches(marks);
        read.push_str(&line[..line.len() - rest.len()].replace('>', " "));
        read.push_str(rest);
    }
    (read != text).then_some(read)
}

fn next_in(text: &str, mut from: usize, sources: &Sources) -> Option<Tag> {
    loop {
        let start = from + text[from..].find('<')?;
        if let Some(tag) = Parsed::at(text, start) {
            if !tag.is_harmless(sources) {
                let alt = tag.value("alt").or(tag.value("title")).unwrap_or_default().to_owned();
                let end = if WITH_CONTENT.contains(&&*tag.name) {
                    end_of_content(text, &tag).unwrap_or(text.len())
                } else {
                    tag.end
                };
                return Some(Tag { place: start..end, alt });
            }
        }
        from = start + 1;
    }
}

/// Where a tag begins that the end of the text cuts off.
pub(super) fn tail(text: &str, from: usize) -> usize {
    unquoted(text).map_or(text.len(), |unquoted| tail_in(&unquoted, from)).min(tail_in(text, from))
}

fn tail_in(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let is_open = Parsed::at(text, start).is_some_and(|tag| {
            !tag.is_closed || (WITH_CONTENT.contains(&&*tag.name) && end_of_content(text, &tag).is_none())
        });
        if is_open || start + 1 == text.len() {
            return start;
        }
        at = start + 1;
    }
    text.len()
}

/// A tag as a browser reads it, which takes nearly anything.
struct Parsed {
    name: String,
    attributes: Vec<(String, String)>,
    end: usize,
    /// Whether its `>` was found, rather than a blank line or the end of the text.
    is_closed: bool,
}

impl Parsed {
    /// The tag that begins with the `<` at `start`.
    fn at(text: &str, start: usize) -> Option<Self> {
        let rest = &text[start + 1..];
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        // Markdown ends a tag at a blank line.
        let limit = blank_line(text, start).unwrap_or(text.len());
        let mut at = text.len() - rest.len();
        let is_end = |c: char| c.is_whitespace() || c == '/' || c == '>';
        let word = |at: usize, stop: &dyn Fn(char) -> bool| text[at..limit].find(stop).map_or(limit, |end| at + end);
        let name_end = word(at, &is_end);
        let name = text[at..name_end].to_ascii_lowercase();
        let mut attributes = Vec::new();
        at = name_end;
        loop {
            at = word(at, &|c: char| !c.is_whitespace() && c != '/');
            if at >= limit {
                return Some(Self { name, attributes, end: limit, is_closed: limit < text.len() });
            }
            if text[at..].starts_with('>') {
                return Some(Self { name, attributes, end: at + 1, is_closed: true });
            }
            // An equals sign at the beginning belongs to the name.
            let begin = at + text[at..].chars().next().map_or(1, char::len_utf8);
            let end = word(begin, &|c: char| is_end(c) || c == '=');
            let attribute = text[at..end].to_ascii_lowercase();
            at = word(end, &|c: char| !c.is_whitespace());
            let mut value = "";
            if text[at..limit].starts_with('=') {
                at = word(at + 1, &|c: char| !c.is_whitespace());
                let quote = text[at..limit].chars().next().filter(|c| *c == '"' || *c == '\'');
                let begin = at + usize::from(quote.is_some());
                let end = match quote {
                    Some(quote) => word(begin, &|c: char| c == quote),
                    None => word(begin, &|c: char| c.is_whitespace() || c == '>'),
                };
                value = &text[begin..end];
                at = (end + usize::from(quote.is_some())).min(limit);
            }
            attributes.push((attribute, value.to_owned()));
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(attribute, _)| attribute == name).map(|(_, value)| value.as_str())
    }

    fn is_harmless(&self, sources: &Sources) -> bool {
        !WITH_CONTENT.contains(&&*self.name)
            && !matches!(&*self.name, "base" | "meta")
            && self.attributes.iter().all(|(name, value)| self.is_harmless_attribute(name, value, sources))
    }

    fn is_harmless_attribute(&self, name: &str, value: &str, sources: &Sources) -> bool {
        let value = value.trim();
        let styles = || {
            let value = value.to_ascii_lowercase();
            !["url", "image", "src(", "\\", "@", "/*", "&", "expression"].iter().any(|part| value.contains(part))
        };
        match name {
            "srcset" | "imagesrcset" => {
                value.split(',').all(|one| one.split_whitespace().next().is_none_or(|address| sources.allow(address)))
            }
            // The paint of a drawing is a colour, or the address of one.
            "style" | "fill" | "filter" | "mask" | "clip-path" | "stroke" | "cursor" | "marker" | "marker-start"
            | "marker-mid" | "marker-end" | "content" => styles(),
            // Each of the values becomes one of another attribute.
            "to" | "from" | "by" | "values" if self.name == "set" || self.name.starts_with("animate") => {
                styles() && value.split(';').all(|one| !one.contains([':', '/']) || sources.allow(one.trim()))
            }
            "srcdoc" => false,
            "href" => matches!(&*self.name, "a" | "area") || value.starts_with('#') || sources.allow(value),
            name if name.starts_with("on") => false,
            name => !ADDRESSES.contains(&name) || value.is_empty() || sources.allow(value),
        }
    }
}

/// The end of an element with its content.
fn end_of_content(text: &str, tag: &Parsed) -> Option<usize> {
    let rest = text[tag.end..].to_ascii_lowercase();
    let close = rest.find(&format!("</{}", tag.name))?;
    Some(tag.end + close + rest[close..].find('>')? + 1)
}

/// Where the next blank line begins.
fn blank_line(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(end) = text[at..].find('\n').map(|end| at + end) {
        let line = &text[end + 1..];
        let length = line.find('\n')?;
        if line[..length].trim().is_empty() {
            return Some(end);
        }
        at = end + 1;
    }
    None
}
