//! Redacts and truncates a line before it is written or shown.

use std::ops::BitOrAssign;
use std::sync::Arc;

use hook_sdk::HookKind;
use hook_sdk::kinds::StreamDelta;
use hooks_secrets::{find, find_unfinished};
use json_patch::{AddOperation, Patch, PatchOperation, ReplaceOperation, TestOperation};
use serde_json::Value;

use crate::line::{self, DispatchLine, Mark, TurnLine};
use crate::secrets::{OwnRule, Scrubber};
use crate::stream::Streams;

/// Removes secrets and truncates long texts. A replayed line is cleaned like the recorded one before they are compared.
pub(crate) struct Cleaner {
    scrubber: Scrubber,
    streams: Streams,
    /// The number of bytes after which a text is truncated.
    pub(crate) field: usize,
}

/// What was removed from a value.
#[derive(Clone, Copy, Default)]
pub(crate) struct Redaction {
    pub(crate) cut: bool,
    pub(crate) redacted: bool,
}

impl Default for Cleaner {
    fn default() -> Self {
        Self::new(Arc::default(), line::field())
    }
}

impl Cleaner {
    pub(crate) fn new(rules: Arc<[OwnRule]>, field: usize) -> Self {
        Self { scrubber: Scrubber::new(rules), streams: Streams::default(), field }
    }

    pub(crate) fn value(&mut self, value: &mut Value) -> Redaction {
        self.named("", value)
    }

    /// Cleans the value of `key`. Some secrets can only be recognised by their key.
    fn named(&mut self, key: &str, value: &mut Value) -> Redaction {
        Redaction { redacted: self.scrubber.scrub(key, value), cut: shorten(value, self.field) }
    }

    pub(crate) fn line(&mut self, line: &mut DispatchLine) {
        let was_whole = !line.lacks_input();
        let shown = (line.kind == StreamDelta::NAME).then(|| self.stream(line));
        let mut left = self.value(&mut line.event);
        if let (Some((shown, redacted)), Some(place)) = (shown, line.event.get_mut("shown")) {
            *place = Value::String(shown);
            left |= Redaction { redacted, cut: shorten(place, self.field) };
        }
        left |= self.value(&mut line.subject);
        line.whole_input = was_whole && !left.cut && !left.redacted;
        left |= self.value(&mut line.verdict);
        for run in line.runs.iter_mut().flatten() {
            left |= self.value(&mut run.verdict);
            if let Some(change) = &mut run.change {
                left |= self.change(change);
            }
        }
        for text in line.runs.iter_mut().flatten().filter_map(|run| run.cause.as_mut()).chain(&mut line.error) {
            left.redacted |= self.scrubber.scrub_text("", text);
        }
        left.mark(&mut line.marks);
        line.whole_input &= !line.marks.is_empty();
    }

    /// Cleans the pieces of a stream, and takes what was shown before out of the event, because it grows and has to be
    /// scanned only once. Returns it, clean.
    fn stream(&mut self, line: &mut DispatchLine) -> (String, bool) {
        let answer = format!("{:?} {:?} {}", line.ids.conversation, line.ids.request, line.event["channel"]);
        let is_last = line.event["last"].as_bool().unwrap_or_default();
        let mut shown = match line.event.get_mut("shown") {
            Some(Value::String(shown)) => std::mem::take(shown),
            _ => String::new(),
        };
        let mut pieces = Vec::new();
        if let Value::String(piece) = &mut line.subject {
            pieces.push(piece);
        }
        for change in line.runs.iter_mut().flatten().filter_map(|run| run.change.as_mut()) {
            for operation in &mut change.0 {
                if let PatchOperation::Add(AddOperation { value: Value::String(text), .. })
                | PatchOperation::Replace(ReplaceOperation { value: Value::String(text), .. }) = operation
                {
                    pieces.push(text);
                }
            }
        }
        let find = if is_last { find } else { find_unfinished };
        let redacted = self.streams.clean(&answer, &mut shown, &mut pieces, &mut |text| find(text));
        if is_last {
            self.streams.end(&answer);
        }
        let redacted = redacted | self.scrubber.apply_own(&mut shown);
        (shown, redacted)
    }

    pub(crate) fn turn(&mut self, line: &mut TurnLine) {
        let mut reply = Value::String(std::mem::take(&mut line.reply));
        let mut left = self.value(&mut line.inputs);
        left |= self.value(&mut reply);
        if let Value::String(reply) = reply {
            line.reply = reply;
        }
        left.mark(&mut line.marks);
    }

    fn change(&mut self, change: &mut Patch) -> Redaction {
        let mut left = Redaction::default();
        for operation in &mut change.0 {
            let key = operation.path().last().map(|key| key.decoded().into_owned()).unwrap_or_default();
            match operation {
                PatchOperation::Add(AddOperation { value, .. })
                | PatchOperation::Replace(ReplaceOperation { value, .. })
                | PatchOperation::Test(TestOperation { value, .. }) => left |= self.named(&key, value),
                _ => {}
            }
        }
        // Paths contain keys, which rarely have to be redacted. If they are, the patch can no longer be applied.
        if change.iter().any(|operation| self.scrubber.scrub_text("", &mut operation.path().to_string())) {
            let mut operations = serde_json::to_value(&*change).unwrap_or_default();
            left |= self.value(&mut operations);
            *change = serde_json::from_value(operations).unwrap_or_default();
        }
        left
    }
}

impl Redaction {
    pub(crate) fn mark(self, marks: &mut Vec<Mark>) {
        for (mark, is_so) in [(Mark::Cut, self.cut), (Mark::Redacted, self.redacted)] {
            if is_so && !marks.contains(&mark) {
                marks.push(mark);
            }
        }
    }
}

impl BitOrAssign for Redaction {
    fn bitor_assign(&mut self, other: Self) {
        self.cut |= other.cut;
        self.redacted |= other.redacted;
    }
}

/// Truncates every text to `limit` bytes. Returns whether one was longer.
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
