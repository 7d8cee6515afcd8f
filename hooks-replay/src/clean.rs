//! Redacts and truncates a line before it is written or shown.

use std::ops::BitOrAssign;
use std::sync::Arc;

use hook_sdk::HookKind;
use hook_sdk::kinds::StreamDelta;
use json_patch::{AddOperation, Patch, PatchOperation, ReplaceOperation, TestOperation};
use serde_json::Value;

use crate::line::{self, DispatchLine, Mark, TurnLine};
use crate::secrets::{OwnRule, Scrubber};

/// Removes secrets and truncates long texts. A replayed line is cleaned like the recorded one before they are compared.
pub(crate) struct Cleaner {
    scrubber: Scrubber,
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
        Self { scrubber: Scrubber::new(rules), field }
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
        let mut left = Redaction { redacted: self.stream(line), cut: false };
        left |= self.value(&mut line.event);
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

    /// Cleans the texts of a piece of a stream. What was shown before may end in the middle of a secret that the piece
    /// completes, and the piece may end in the middle of one that is not complete yet.
    fn stream(&mut self, line: &mut DispatchLine) -> bool {
        if line.kind != StreamDelta::NAME {
            return false;
        }
        let is_last = line.event["last"].as_bool().unwrap_or_default();
        let shown = line.event["shown"].as_str().unwrap_or_default().to_owned();
        let mut any = false;
        let subject = line.subject.as_str().unwrap_or_default().to_owned();
        if let Value::String(text) = &mut line.subject {
            any |= self.scrubber.scrub_piece(&shown, text, is_last);
        }
        for change in line.runs.iter_mut().flatten().filter_map(|run| run.change.as_mut()) {
            for operation in &mut change.0 {
                if let PatchOperation::Add(AddOperation { value: Value::String(text), .. })
                | PatchOperation::Replace(ReplaceOperation { value: Value::String(text), .. }) = operation
                {
                    any |= self.scrubber.scrub_piece(&shown, text, is_last);
                }
            }
        }
        if let Some(Value::String(text)) = line.event.get_mut("shown") {
            // With what follows, a secret whose beginning was shown is recognised.
            any |= self.scrubber.scrub_shown(text, &subject, is_last);
        }
        any
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
