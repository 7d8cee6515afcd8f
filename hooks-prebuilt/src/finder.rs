//! Replaces what a finder finds, in whole texts and in the windows of a stream.

use std::ops::Range;

/// A part of a text, and what to write in its place.
pub(crate) type Found = (Range<usize>, String);

/// Finds parts of texts.
pub(crate) trait Finder {
    /// The parts that begin at `from` or later, from left to right. What is before `from` may be read, but not found.
    fn find<'a>(&'a self, text: &'a str, from: usize) -> impl Iterator<Item = Found> + 'a;

    /// The beginning of the end of a text about which nothing can be said until more text arrives. A part that begins
    /// before it is the same whatever follows.
    fn tail(&self, text: &str) -> usize;
}

/// The place `count` characters before `at`.
pub(crate) fn before(text: &str, at: usize, count: usize) -> usize {
    text[..at].char_indices().rev().take(count).last().map_or(at, |(at, _)| at)
}

/// The text before a window that a finder may read.
const CONTEXT: usize = 64;

/// A window after its parts were replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamWindow {
    /// The text that replaces the window.
    pub text: String,
    /// From this byte on, the text has to be held back until more arrives.
    pub held: usize,
}

/// Replaces the parts of a window that are the same whatever follows. The rest stays as it is, and is held back.
pub(crate) fn window(finder: &impl Finder, shown: &str, window: &str, last: bool) -> StreamWindow {
    let context = before(shown, shown.len(), CONTEXT);
    let text = format!("{}{window}", &shown[context..]);
    let mut at = shown.len() - context;
    let mut tail = if last { text.len() } else { finder.tail(&text).max(at) };
    let mut written = String::with_capacity(window.len());
    for (place, by) in finder.find(&text, at) {
        if place.start >= tail {
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
