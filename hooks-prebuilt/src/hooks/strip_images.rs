//! `strip_images`: replaces images whose host is not listed by their alternative text.

mod html;
mod markdown;
mod source;

use std::ops::Range;

use hook_sdk::data::Role;
use hook_sdk::hook;
use hook_sdk::kinds::StreamDelta;
use hook_sdk::prelude::*;
use markdown::Read;
use source::Sources;

use crate::finder::StreamWindow;
use crate::parameters::{Fields, from_fields};
use crate::{addresses, texts};

/// The parameters of `strip_images`.
#[derive(Clone, Debug, Default)]
pub struct StripImages {
    sources: Sources,
}

from_fields!(StripImages, |fields: &mut Fields| {
    let (hosts, relative) = (addresses::hosts(fields, "hosts"), fields.or("relative", false));
    StripImages { sources: Sources { hosts, relative } }
});

/// How often a text is read again after images were removed from it.
const ROUNDS: usize = 1_000;

impl StripImages {
    /// The text without images whose host is not listed; `None` if it has none.
    ///
    /// ```
    /// use hooks_prebuilt::StripImages;
    ///
    /// let stripped = StripImages::default().strip("see ![the chart](https://example.com/?q=secret)!");
    /// assert_eq!(stripped.as_deref(), Some("see the chart!"));
    /// ```
    pub fn strip(&self, text: &str) -> Option<String> {
        let window = self.window("", text, true);
        (window.text != text).then_some(window.text)
    }

    /// The window of a stream without such images. `shown` is the text before it, and `last` says that no more follows.
    pub fn window(&self, shown: &str, window: &str, last: bool) -> StreamWindow {
        let mut text = format!("{shown}{window}");
        let from = shown.len();
        if !window.contains(['!', '<', '[', ']', ':', '`']) {
            return StreamWindow { text: window.to_owned(), held: window.len() };
        }
        for _ in 0..ROUNDS {
            let read = markdown::read(&text, &self.sources);
            let tail = if last { text.len() } else { read.tail(&text, from).min(html::tail(&text, from)) };
            let Some((place, alt)) = self.first(&text, from..tail, read) else {
                return StreamWindow { text: text[from..].to_owned(), held: tail - from };
            };
            text.replace_range(place, &plain(&alt));
        }
        // Something that is an image again and again.
        let rest = text[from..].replace('<', "").replace("![", "[");
        let held = rest.len();
        StreamWindow { text: rest, held }
    }

    /// The first image or tag in this part of the text that has to go, and its description.
    fn first(&self, text: &str, within: Range<usize>, read: Read) -> Option<(Range<usize>, String)> {
        let tag = html::next(text, within.start, &self.sources, &read.code);
        let parts = read.images.into_iter().chain(tag).filter(|(place, _)| within.contains(&place.start));
        parts.min_by_key(|(place, _)| (place.start, usize::MAX - place.end))
    }
}

/// The text without signs that Markdown or HTML read.
fn plain(alt: &str) -> String {
    alt.chars().filter(|c| !"![]()<>`\\&".contains(*c)).map(|c| if c.is_whitespace() { ' ' } else { c }).collect()
}

hook_sdk::group! {
    /// Replaces images of a model's answer, whose host is not listed, by their alternative text. The address of an
    /// image can carry what the model has read to somebody else as soon as it is shown.
    pub strip_images
}

#[hook(group = strip_images, kind = post_model_call, on_failure = required)]
fn answers(images: &With<StripImages>, reply: &mut ModelReply) {
    if let Some(content) = texts::of_answer(&reply.content, &mut |_, text| images.strip(text)) {
        reply.content = content;
    }
}

#[hook(group = strip_images, kind = before_create_message, on_failure = required)]
fn rows(images: &With<StripImages>, row: &mut Message) {
    if row.role != Role::Assistant {
        return;
    }
    if let Some(content) = texts::of_answer(&row.content, &mut |_, text| images.strip(text)) {
        row.content = content;
    }
}

/// The `hold` of [`stream`], in characters.
const HOLD: usize = 2_000;

#[hook(group = strip_images, kind = stream_delta, channel = "text|thinking", hold = 2_000, on_failure = deny)]
fn stream(images: &With<StripImages>, event: &StreamDelta, window: &mut String) -> Permission {
    let read = images.window(&event.shown, window, event.last);
    // What is longer than the hold would be shown before it is known what it is.
    if read.text[read.held..].chars().count() > HOLD {
        return Permission::deny(format!("an image or tag is open for more than {HOLD} characters"));
    }
    *window = read.text;
    Permission::NoOpinion
}
