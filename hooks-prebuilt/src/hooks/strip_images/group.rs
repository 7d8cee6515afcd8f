//! The places at which `strip_images` runs.

use hook_sdk::data::Role;
use hook_sdk::hook;
use hook_sdk::kinds::StreamDelta;
use hook_sdk::prelude::*;

use super::StripImages;
use crate::texts;

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
