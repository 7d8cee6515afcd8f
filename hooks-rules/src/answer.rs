//! What a rule said: exit code, stdout and stderr, read as its dialect and its event have it.

mod decision;
mod judgement;

pub use decision::Decision;
pub(crate) use judgement::read as judgement;

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::event::{Event, Exit2};
use crate::rule::RuleSource;

/// The fields of a JSON object.
pub(crate) type Fields = Map<String, Value>;

/// What one rule said, or all rules of an event together. Its meaning is that of the event: a [`Decision::Deny`] at a tool
/// call keeps the call from running, at a prompt it refuses the prompt.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// What was decided.
    pub decision: Decision,
    /// The rule that decided it, or ends the turn.
    pub by: Option<RuleSource>,
    /// Set where the agent is to stop after this event, with the reason for the person.
    pub stop: Option<String>,
    /// Text for the model.
    pub contexts: Vec<String>,
    /// Messages for the person, in order.
    pub messages: Vec<String>,
    /// Messages for the model out of turn, in order.
    pub for_the_model: Vec<String>,
    /// Whether the contexts are kept from the person. Has power in flat files only.
    pub suppress_output: bool,
    /// What takes the place of the tool's whole input.
    pub updated_input: Option<Value>,
    /// What takes the place of the tool's output.
    pub updated_output: Option<Value>,
    /// What else `hookSpecificOutput` held of what the event knows, such as `sessionTitle`.
    pub members: Map<String, Value>,
    /// Whether the command said on its first line that it goes on alone.
    pub goes_on_alone: bool,
    /// Why the rule failed, where it did: the event goes on unless the rule says `"onFailure": "block"`.
    pub failure: Option<String>,
    /// What the author of the rule likely did not mean.
    pub remarks: Vec<String>,
}

/// How a rule ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// A command left with this code.
    Exit(i32),
    /// A command was killed by this signal.
    Signal(i32),
    /// An answer of HTTP with this status.
    Http(u16),
    /// It was not done at its deadline.
    TimedOut,
    /// It could not be started or reached, and why.
    NotStarted(String),
}

/// How many characters of a text reach the model or the person as they are: see [`Answer::shorten`].
pub const TEXT_LIMIT: usize = 10_000;

/// How many characters of a longer text stand in its place.
const PREVIEW: usize = 2_000;

/// How many characters of the reason of a failure are kept.
const FAILURE_LIMIT: usize = 512;

impl Answer {
    /// Puts the effect of exit code 2 in.
    pub(crate) fn exit2(&mut self, event: Event, reason: &str) {
        let reason = reason.to_owned();
        match event.spec().exit2 {
            Exit2::Deny => self.decision = Decision::Deny(reason),
            Exit2::Feedback => self.decision = Decision::Feedback(reason),
            Exit2::Continue => self.decision = Decision::Continue(reason),
            Exit2::Stop => self.stop = Some(reason),
            Exit2::Notice => self.messages.push(reason),
            Exit2::Ignored => self.remarks.push(format!("exit code 2 does nothing at {event}")),
        }
    }

    /// Folds in the answer of a rule that comes later in the files: deny > defer > ask > allow, the first of equals; an
    /// input or output replaces an earlier one; texts are kept in order.
    pub fn merge(&mut self, later: Self) {
        // An end wins over decisions; of equals the first holds.
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
        self.updated_input = later.updated_input.or(self.updated_input.take());
        self.updated_output = later.updated_output.or(self.updated_output.take());
        self.members.extend(later.members);
        self.failure = self.failure.take().or(later.failure);
        self.remarks.extend(later.remarks);
    }

    /// What the answer stands for in the conversation, in the four types of flat files.
    pub fn attachments(&self) -> Vec<Attachment> {
        let mut found = Vec::new();
        if let Decision::Deny(reason) = &self.decision {
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

    /// Shortens texts of more than [`TEXT_LIMIT`] characters. `keep` puts the whole text somewhere and says where, so that
    /// nothing is lost: then a preview stands in its place. Reasons stay as they are.
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

    /// It ends up in logs.
    pub(crate) fn cut_failure(&mut self) {
        if let Some(failure) = &mut self.failure {
            cut(failure, FAILURE_LIMIT);
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
            // Writing to a string cannot fail.
            let _ = write!(text, "\n[{count} characters in all; the whole text is in {}]", path.display());
        }
    }
}

/// What an answer puts into a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attachment {
    /// `hook_additional_context`, `hook_success`, `hook_stopped_continuation` or `hook_blocking_error`.
    pub kind: &'static str,
    /// Its text.
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

/// The first line of what a command complained of.
pub(crate) fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or("no stderr output")
}
