//! What is left out of a line before it is written, or shown.

use serde_json::Value;

use crate::line::{DispatchLine, Mark, TurnLine};
use crate::secrets::Scrubber;

/// Removes secrets from a line and cuts what is too long. A replayed line is cleaned in the same way before it is compared.
pub(crate) fn clean(line: &mut DispatchLine, scrubber: &mut Scrubber, field: usize) {
    let (mut redacted, mut cut) = (false, false);
    let mut value = |value: &mut Value| {
        redacted |= scrubber.scrub(value);
        cut |= shorten(value, field);
    };
    value(&mut line.event);
    value(&mut line.subject);
    value(&mut line.verdict);
    for run in line.runs.iter_mut().flatten() {
        value(&mut run.verdict);
        if let Some(change) = &mut run.change {
            let mut operations = serde_json::to_value(&*change).unwrap_or_default();
            value(&mut operations);
            *change = serde_json::from_value(operations).unwrap_or_default();
        }
    }
    for text in line.runs.iter_mut().flatten().filter_map(|run| run.cause.as_mut()).chain(&mut line.error) {
        redacted |= scrubber.scrub_text("", text);
    }
    marked(&mut line.marks, cut, redacted);
}

/// As [`clean`], of a turn.
pub(super) fn clean_turn(line: &mut TurnLine, scrubber: &mut Scrubber, field: usize) {
    let mut redacted = scrubber.scrub(&mut line.inputs);
    redacted |= scrubber.scrub_text("", &mut line.reply);
    let mut reply = Value::String(std::mem::take(&mut line.reply));
    let cut = shorten(&mut line.inputs, field) | shorten(&mut reply, field);
    if let Value::String(reply) = reply {
        line.reply = reply;
    }
    marked(&mut line.marks, cut, redacted);
}

pub(super) fn marked(marks: &mut Vec<Mark>, cut: bool, redacted: bool) {
    for (mark, is_so) in [(Mark::Cut, cut), (Mark::Redacted, redacted)] {
        if is_so && !marks.contains(&mark) {
            marks.push(mark);
        }
    }
}

/// Cuts every text to `limit` bytes. Returns whether one was longer.
fn shorten(value: &mut Value, limit: usize) -> bool {
    match value {
        Value::String(text) if text.len() > limit => {
            let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |any, item| shorten(item, limit) | any),
        Value::Object(fields) => fields.values_mut().fold(false, |any, item| shorten(item, limit) | any),
        _ => false,
    }
}
