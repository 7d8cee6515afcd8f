//! Images of Markdown, as its specification and GitHub's additions to it read them.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use regex::Regex;

use super::source::Sources;

/// What is in a text.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The images that must not be loaded, or the definitions after them to which they refer, and what describes them.
    pub(super) images: Vec<(Range<usize>, String)>,
    /// Every image, also those that may be loaded.
    places: Vec<Range<usize>>,
    /// Code, which is shown and not read.
    pub(super) code: Vec<Range<usize>>,
}

/// Reads a text in both ways: an image of either is one, and only what is code in both is code.
pub(super) fn read(text: &str, sources: &Sources) -> Read {
    let github = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let (mut read, other) = (read_as(text, sources, Options::empty()), read_as(text, sources, github));
    let both = |one: &Range<usize>| other.code.iter().any(|code| code.start <= one.start && one.end <= code.end);
    read.code.retain(both);
    read.images.extend(other.images);
    read.places.extend(other.places);
    read
}

/// An image whose end was not read yet.
struct OpenImage {
    /// What has to go: nothing, the image, or the definition to which it refers, if that comes later.
    goes: Option<Range<usize>>,
    is_definition: bool,
    alt: String,
}

fn read_as(text: &str, sources: &Sources, options: Options) -> Read {
    let mut read = Read::default();
    let mut open: Vec<OpenImage> = Vec::new();
    let mut events = Parser::new_ext(text, options).into_offset_iter();
    while let Some((event, place)) = events.next() {
        let part = match event {
            Event::Start(Tag::Image { link_type, dest_url, id, .. }) => {
                let refers = matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut);
                let definition =
                    events.reference_definitions().get(&id).filter(|_| refers).map(|found| found.span.clone());
                let collapsed = link_type == LinkType::Collapsed && text[place.end..].starts_with("[]");
                let place = place.start..place.end + if collapsed { 2 } else { 0 };
                // An image before its definition was perhaps shown before it could be known to be one.
                let later = definition.filter(|definition| definition.start > place.start);
                read.places.push(place.clone());
                let is_definition = later.is_some();
                let goes = Some(later.unwrap_or(place)).filter(|_| !sources.allow(&dest_url));
                open.push(OpenImage { goes, is_definition, alt: String::new() });
                continue;
            }
            Event::End(TagEnd::Image) => {
                let Some(OpenImage { goes, is_definition, alt }) = open.pop() else { continue };
                read.images.extend(goes.map(|place| (place, if is_definition { String::new() } else { alt.clone() })));
                alt.into()
            }
            Event::Start(Tag::CodeBlock(_)) => {
                read.code.push(place);
                continue;
            }
            Event::Code(code) => {
                read.code.push(place);
                code
            }
            Event::Text(part) => part,
            Event::SoftBreak | Event::HardBreak => " ".into(),
            _ => continue,
        };
        if let Some(image) = open.last_mut() {
            image.alt.push_str(&part);
        }
    }
    read
}

impl Read {
    /// Where something begins, at `from` or later, that may become an image or code with more text.
    pub(super) fn tail(&self, text: &str, from: usize) -> usize {
        // Nothing of this crosses a blank line.
        let paragraph = text.rfind("\n\n").map_or(0, |at| at + 2).max(from);
        let in_code = |at: usize| {
            let code = self.code.iter().find(|code| code.contains(&at)).cloned();
            // More backticks may follow those at the end.
            code.is_some_and(|code| code.end < text.len() || text[code].contains('\n'))
        };
        let is_image = |at: usize| {
            let mut places = self.places.iter().filter(|place| place.start == at && place.end < text.len());
            // A reference may follow its text.
            places.any(|place| !text[place.end..].starts_with(['[', '(']))
        };
        let is_open = |at: usize, mark: &str| match mark {
            "!" => at + 1 == text.len() || (text[at + 1..].starts_with('[') && !is_image(at)),
            _ => true,
        };
        let marks = text[paragraph..].match_indices(['!', '`']).map(|(at, mark)| (paragraph + at, mark));
        let mark = marks.filter(|(at, _)| !in_code(*at)).find(|(at, mark)| is_open(*at, mark)).map(|(at, _)| at);
        mark.unwrap_or(text.len()).min(line_tail(text, paragraph))
    }
}

/// A line whose meaning depends on more text: a definition whose label or address is not complete, which ends at white
/// space, with a title up to the end of the line; or what may be the first row of a table, whose cells are cut before
/// code is read.
static OPEN_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let definition = r"(?s:[\s>*+\-0-9.)]*\[(?:[^\[\]\\]|\\.)*(?:\\?|\](?::[\s>]*(?:[^\s>]\S*[^\n]*)?)?))";
    let row = r"(?:[^\n]*\|[^\n]*`|[^\n]*`[^\n]*\|)[^\n]*(?:\n[|:\- \t>]*)?";
    Regex::new(&format!(r"(?m:^)(?:{definition}|{row})\z")).ok()
});

/// Where such a line begins.
fn line_tail(text: &str, from: usize) -> usize {
    let first = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let open = OPEN_LINE.as_ref().map_or(Some(first), |line| Some(first + line.find(&text[first..])?.start()));
    open.unwrap_or(text.len()).max(from)
}
