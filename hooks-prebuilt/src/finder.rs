//! Replaces what a finder finds, in whole texts and in the windows of a stream.

use std::ops::Range;

/// A part of a text, and what to write in its place.
pub(crate) type Found = (Range<usize>, String);

/// Finds parts of texts.
pub(crate) trait Finder {
    /// The characters before a part that decide about it.
    const BEFORE: usize;

    /// The parts that begin at `from` or later, from left to right. What is before `from` may be read, but not found.
    fn find<'a>(&'a self, text: &'a str, from: usize) -> impl Iterator<Item = Found> + 'a;

    /// Where a part begins that is found only with its end, which is still to come.
    fn open(&self, _text: &str) -> Option<usize> {
        None
    }
}

/// The place `count` characters before `at`.
pub(crate) fn before(text: &str, at: usize, count: usize) -> usize {
    text[..at].char_indices().rev().take(count).last().map_or(at, |(at, _)| at)
}

/// The characters at the end of a stream that are held back: the longest part, and what decides about it. All finders
/// have the same, so that one does not push out with a long replacement what another has not judged.
pub(crate) const HOLD: usize = 340;

/// The most characters of a part.
pub(crate) const LONGEST: usize = 256;

/// A window after its parts were replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamWindow {
    /// The text that replaces the window.
    pub text: String,
    /// From this byte on, the text has to be held back until more arrives. If that is more than can be held back, the
    /// stream has to stop.
    pub held: usize,
}

/// Replaces the parts of a window that begin before what is held back. They are the same whatever follows, and the text
/// before the window is read, so that a stream shows what is shown of the whole text. What begins there, but may not be
/// over, is held back from its beginning.
pub(crate) fn window<F: Finder>(finder: &F, shown: &str, window: &str, last: bool) -> StreamWindow {
    let context = before(shown, shown.len(), F::BEFORE);
    let text = format!("{}{window}", &shown[context..]);
    let mut at = shown.len() - context;
    let end = if last { text.len() } else { before(&text, text.len(), HOLD - LONGEST) };
    let mut tail = if last { text.len() } else { before(&text, text.len(), HOLD).max(at) };
    if let Some(open) = finder.open(&text).filter(|open| !last && *open < tail) {
        tail = open.max(at);
    }
    let mut written = String::with_capacity(window.len());
    for (place, by) in finder.find(&text, at) {
        if place.start >= tail {
            break;
        }
        if place.end > end {
            tail = place.start;
            break;
        }
        written.push_str(&text[at..place.start]);
        written.push_str(&by);
        at = place.end;
        tail = tail.max(at);
    }
    written.push_str(&text[at..tail]);
    let held = written.len();
    written.push_str(&text[tail..]);
    StreamWindow { text: written, held }
}
