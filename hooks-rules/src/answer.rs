//! The answer of a rule: exit code, stdout and stderr, interpreted according to the dialect and the event.

mod decision;
mod judgement;

pub use decision::RuleDecision;
pub(crate) use judgement::read as judgement;

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::event::{Event, Exit2};
use crate::rule::RuleSource;

/// The fields of a JSON object.
pub(crate) type Fields = Map<String, Value>;

/// The answer of one rule, or the merged answer of all rules of an event. Its meaning depends on the event: a
/// [`RuleDecision::Deny`] at a tool call prevents the call, and at a prompt it rejects the prompt.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The decision.
    pub decision: RuleDecision,
    /// The rule that decided, or that ends the turn.
    pub by: Option<RuleSource>,
    /// If set, the agent stops after this event. The text is the reason for the person.
    pub stop: Option<String>,
    /// Text for the model.
    pub contexts: Vec<String>,
    /// Messages for the person, in order.
    pub messages: Vec<String>,
    /// Messages for the model that are not tied to the event, in order.
    pub for_the_model: Vec<String>,
    /// Whether the contexts are hidden from the person. Only has an effect in flat files.
    pub suppress_output: bool,
    /// Replaces the tool's whole input.
    pub updated_input: Option<Value>,
    /// Why it does.
    pub input_reason: Option<String>,
    /// Replaces the tool's output.
    pub updated_output: Option<Value>,
    /// Why nobody may read the tool's output: a rule that has to judge it did not.
    pub withheld: Option<String>,
    /// The other members of `hookSpecificOutput` that the event supports, such as `sessionTitle`.
    pub members: Map<String, Value>,
    /// Whether the first line on stdout requested that the command continues in the background.
    pub goes_on_alone: bool,
    /// Why the rule failed, if it did. The event continues unless the rule says `"onFailure": "block"`.
    pub failure: Option<String>,
    /// Warnings about probable mistakes of the rule's author.
    pub remarks: Vec<String>,
}

/// How a rule ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// The command exited with this code.
    Exit(i32),
    /// The command was killed by this signal.
    Signal(i32),
    /// The server answered with this HTTP status.
    Http(u16),
    /// The rule exceeded its deadline.
    TimedOut,
    /// The command could not be started, or the server could not be reached, for this reason.
    NotStarted(String),
}

/// The number of characters up to which a text is passed on unchanged. See [`Answer::shorten`].
pub const TEXT_LIMIT: usize = 10_000;

/// The number of characters of the preview that replaces a longer text.
const PREVIEW: usize = 2_000;

/// The number of characters of a failure's reason that are kept.
const NOTE_LIMIT: usize = 512;

impl Answer {
    /// Applies the effect of exit code 2.
    pub(crate) fn exit2(&mut self, event: Event, reason: &str) {
        let reason = reason.to_owned();
        match event.spec().exit2 {
            Exit2::Deny => self.decision = RuleDecision::Deny(reason),
            Exit2::Feedback => self.decision = RuleDecision::Feedback(reason),
            Exit2::Continue => self.decision = RuleDecision::Continue(reason),
            Exit2::Stop => self.stop = Some(reason),
            Exit2::Notice => self.messages.push(reason),
            Exit2::Ignored => self.remarks.push(format!("exit code 2 does nothing at {event}")),
        }
    }

    /// Merges the answer of a rule that comes later in the files. The decision with the higher rank wins, and the first
    /// of equal ones: `deny > defer > ask > allow`. The later input or output replaces the earlier one. Texts are
    /// concatenated.
    pub fn merge(&mut self, later: Self) {
        // Ending the turn takes precedence over decisions. Of several, the first one counts.
        let ends = later.stop.is_some() && self.stop.is_none();
        let decides = later.decision.outranks(&self.decision) && self.stop.is_none();
        if ends || decides {
            self.by = later.by;
        }
        self.decision.merge(later.decision);
        self.stop = self.stop.take().or(later.stop);
        self.contexts.extend(later.contexts);
        self.messages.extend(later.messages);
        self.for_the_model.extend(later.for_the_model);
        self.suppress_output |= later.suppress_output;
        if later.updated_input.is_some() {
            (self.updated_input, self.input_reason) = (later.updated_input, later.input_reason);
        }
        self.updated_output = later.updated_output.or(self.updated_output.take());
        self.withheld = self.withheld.take().or(later.withheld);
        self.members.extend(later.members);
        self.failure = self.failure.take().or(later.failure);
        self.remarks.extend(later.remarks);
    }

    /// The answer as attachments of the conversation, in the four types of flat files.
    pub fn attachments(&self) -> Vec<Attachment> {
        let mut found = Vec::new();
        if let RuleDecision::Deny(reason) = &self.decision {
            found.push(Attachment { kind: "hook_blocking_error", text: reason.clone() });
        }
        if let Some(reason) = &self.stop {
            found.push(Attachment { kind: "hook_stopped_continuation", text: reason.clone() });
        }
        let context = |text: &String| Attachment { kind: "hook_additional_context", text: text.clone() };
        found.extend(self.contexts.iter().map(context));
        if found.is_empty() && self.failure.is_none() {
            found.push(Attachment { kind: "hook_success", text: String::new() });
        }
        found
    }

    /// Shortens texts of more than [`TEXT_LIMIT`] characters. `keep` saves the whole text and returns its path; the
    /// text is then replaced by a preview with that path. Reasons are not shortened.
    pub fn shorten(&mut self, mut keep: impl FnMut(&str) -> Option<PathBuf>) {
        let texts = self.contexts.iter_mut().chain(&mut self.messages).chain(&mut self.for_the_model);
        for text in texts.chain(&mut self.stop) {
            shorten(text, &mut keep);
        }
        for member in self.members.values_mut() {
            if let Value::String(text) = member {
                shorten(text, &mut keep);
            }
        }
    }

    /// Truncates the failure and the remarks, which are logged and may quote what the command printed.
    pub(crate) fn cut_notes(&mut self) {
        for note in self.failure.iter_mut().chain(&mut self.remarks) {
            cut(note, NOTE_LIMIT);
        }
    }
}

fn shorten(text: &mut String, keep: &mut impl FnMut(&str) -> Option<PathBuf>) {
    let count = text.chars().count();
    if count <= TEXT_LIMIT {
        return;
    }
    match keep(text) {
        None => cut(text, TEXT_LIMIT),
        Some(path) => {
            let end = text.char_indices().nth(PREVIEW).map_or(text.len(), |(end, _)| end);
            text.truncate(end);
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\n[{count} characters in all; the whole text is in {}]", path.display());
        }
    }
}

/// An attachment of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attachment {
    /// `hook_additional_context`, `hook_success`, `hook_stopped_continuation` or `hook_blocking_error`.
    pub kind: &'static str,
    /// The text.
    pub text: String,
}

fn cut(text: &mut String, limit: usize) {
    if let Some((end, _)) = text.char_indices().nth(limit) {
        let left_out = text[end..].chars().count();
        text.truncate(end);
        text.push_str("\n[");
        text.push_str(&left_out.to_string());
        text.push_str(" more characters were left out]");
    }
}

/// The first line of a command's stderr.
pub(crate) fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or("no stderr output")
}
