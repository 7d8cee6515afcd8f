//! Tags of HTML that load something.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::source::Sources;

/// Elements whose content is removed with them.
const WITH_CONTENT: [&str; 2] = ["style", "script"];

/// Attributes that hold an address.
#[rustfmt::skip]
const ADDRESSES: &[&str] = &[
    "src", "srcset", "imagesrcset", "poster", "background", "data", "xlink:href", "lowsrc", "dynsrc", "icon", "code", "archive",
    "classid", "codebase", "manifest", "longdesc", "ping", "formaction", "attributionsrc",
];

/// The place of the next tag that begins at `from` or later, not in code, and loads something that `sources` do not allow,
/// and the text that describes it.
pub(super) fn next(
    text: &str,
    from: usize,
    sources: &Sources,
    code: &[Range<usize>],
) -> Option<(Range<usize>, String)> {
    let in_code = |tag: &Parsed| code.iter().any(|code| code.contains(&tag.place.start));
    let next_in = |text: &str| tags(text, from).find(|tag| !in_code(tag) && !tag.is_harmless(sources));
    let next = next_in(text).into_iter().chain(unquoted(text).and_then(|unquoted| next_in(&unquoted)));
    let tag = next.min_by_key(|tag| (tag.place.start, usize::MAX - tag.place.end))?;
    let alt = tag.value("alt").or(tag.value("title")).unwrap_or_default().to_owned();
    Some((tag.place, alt))
}

/// Where a tag begins that the end of the text cuts off.
pub(super) fn tail(text: &str, from: usize) -> usize {
    let end = text.len() - usize::from(text[from..].ends_with('<'));
    let tail_in = |text: &str| tags(text, from).find(|tag| !tag.is_closed).map_or(end, |tag| tag.place.start);
    unquoted(text).map_or(end, |unquoted| tail_in(&unquoted)).min(tail_in(text))
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

fn tags(text: &str, from: usize) -> impl Iterator<Item = Parsed> {
    text[from..].match_indices('<').filter_map(move |(at, _)| Parsed::at(text, from + at))
}

/// A tag as a browser reads it, which takes nearly anything.
struct Parsed {
    name: String,
    attributes: Vec<(String, String)>,
    /// With the content of an element that is removed with it.
    place: Range<usize>,
    /// Whether its end was found, rather than that of the text.
    is_closed: bool,
}

static BLANK_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\n\s*\n").ok());
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^</?([a-zA-Z][^\s/>]*)").ok());

/// An attribute, or the end of the tag. An equals sign at the beginning belongs to the name.
static ATTRIBUTE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let value = r#""(?<double>[^"]*)(?:"|$)|'(?<single>[^']*)(?:'|$)|(?<plain>[^\s>]*)"#;
    Regex::new(&format!(r"^[\s/]*(?:>|(?<name>[^\s/>][^\s/>=]*)(?:\s*=\s*(?:{value}))?)")).ok()
});

impl Parsed {
    /// The tag that begins with the `<` at `start`.
    fn at(text: &str, start: usize) -> Option<Self> {
        // Markdown ends a tag at a blank line.
        let limit = BLANK_LINE.as_ref()?.find(&text[start..]).map_or(text.len(), |line| start + line.start());
        let rest = &text[start..limit];
        let name = NAME.as_ref()?.captures(rest)?;
        let mut at = name[0].len();
        let mut tag = Self {
            name: name[1].to_ascii_lowercase(),
            attributes: Vec::new(),
            place: start..limit,
            is_closed: limit < text.len(),
        };
        while let Some(part) = ATTRIBUTE.as_ref()?.captures(&rest[at..]) {
            at += part[0].len();
            let Some(name) = part.name("name") else {
                (tag.place.end, tag.is_closed) = (start + at, true);
                break;
            };
            let value = ["double", "single", "plain"].iter().find_map(|form| part.name(form));
            let value = value.map_or("", |value| value.as_str());
            tag.attributes.push((name.as_str().to_ascii_lowercase(), value.to_owned()));
        }
        if WITH_CONTENT.contains(&&*tag.name) {
            let end = end_of_content(&text[tag.place.end..], &tag.name).map(|end| tag.place.end + end);
            (tag.place.end, tag.is_closed) = (end.unwrap_or(text.len()), end.is_some());
        }
        Some(tag)
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

/// Where the tag ends that closes an element.
fn end_of_content(rest: &str, name: &str) -> Option<usize> {
    let rest = rest.to_ascii_lowercase();
    let close = rest.find(&format!("</{name}"))?;
    Some(close + rest[close..].find('>')? + 1)
}
