//! Interprets the answer of a rule in its dialect.

use serde_json::Value;

use crate::answer::{Answer, RuleDecision, RunStatus, judgement};
use crate::dialect::Dialect;
use crate::event::{Event, Exit2};
use crate::formats;
use crate::rule::FailureMode;

/// How to interpret an answer.
#[derive(Clone, Copy, Debug)]
pub struct AnswerReader {
    /// The dialect of the rule's file.
    pub dialect: Dialect,
    /// The event.
    pub event: Event,
    /// The effect of a failure.
    pub on_failure: FailureMode,
}

impl AnswerReader {
    /// Creates a reading in which failures have no effect.
    pub fn new(dialect: Dialect, event: Event) -> Self {
        Self { dialect, event, on_failure: FailureMode::Continue }
    }

    /// Interprets the output of a command or a server. Never panics, whatever the output is.
    ///
    /// ```
    /// use hooks_rules::{RuleDecision, Dialect, Event, AnswerReader, RunStatus};
    ///
    /// let reading = AnswerReader::new(Dialect::Claude, Event::PreToolUse);
    /// let refused = reading.read(&RunStatus::Exit(2), "", "no pushes on Friday\n");
    /// assert_eq!(refused.decision, RuleDecision::Deny("no pushes on Friday".into()));
    /// let failed = reading.read(&RunStatus::Exit(1), "", "cannot read the calendar");
    /// assert_eq!(failed.decision, RuleDecision::None);
    /// assert!(failed.failure.is_some());
    /// ```
    pub fn read(self, status: &RunStatus, stdout: &str, stderr: &str) -> Answer {
        let mut answer = formats::of(self.dialect).answer(self.event, status, stdout, stderr);
        self.settle_end(&mut answer, status, stdout);
        if *status == RunStatus::Exit(2) && answer.failure.is_none() {
            self.settle_refusal(&mut answer, stderr);
        }
        self.settle_failure(&mut answer);
        // Whatever it said, it has not masked what it did not replace. An interpreter without its script leaves with 2.
        let is_judged = match status {
            RunStatus::Exit(2) => answer.updated_output.is_some(),
            RunStatus::Exit(code) => *code == 0,
            _ => matches!(status, RunStatus::Http(_)),
        };
        if !is_judged {
            let left = matches!(status, RunStatus::Exit(_));
            self.withhold(&mut answer, if left { "it exited with an error" } else { "it did not come to its end" });
        }
        answer.cut_notes();
        answer
    }

    /// Interprets the answer of a model to a `prompt` rule.
    pub fn read_judgement(self, text: &str, continue_on_block: bool) -> Answer {
        let mut answer = judgement(self.event, text, continue_on_block);
        self.settle_failure(&mut answer);
        answer.cut_notes();
        answer
    }

    /// Creates the answer for a failure without output.
    pub fn failed(self, why: impl Into<String>) -> Answer {
        let mut answer = Answer { failure: Some(why.into()), ..Answer::default() };
        self.settle_failure(&mut answer);
        answer.cut_notes();
        answer
    }

    /// A guard that did not come to its end, or whose no has no effect, has not allowed anything, whatever it printed; nor has one
    /// that nobody is to wait for.
    fn settle_end(self, answer: &mut Answer, status: &RunStatus, stdout: &str) {
        let refuses =
            matches!(answer.decision, RuleDecision::Deny(_) | RuleDecision::Feedback(_) | RuleDecision::Continue(_));
        let is_guard = self.on_failure == FailureMode::Block;
        let goes_on_alone = is_guard && std::mem::take(&mut answer.goes_on_alone);
        if refuses || answer.failure.is_some() || answer.stop.is_some() {
            return;
        }
        let text = stdout.trim_start_matches('\u{feff}').trim();
        let said = formats::json::<Value>(text);
        let unheeded = said
            .as_ref()
            .is_ok_and(says_no)
            .then(|| format!("its answer says no in a form that {} ignores", self.event));
        if !is_guard {
            answer.remarks.extend(unheeded.filter(|_| answer.remarks.is_empty()));
            return;
        }
        let broke_off = match status {
            RunStatus::Exit(0 | 2) if goes_on_alone => {
                Some("it says that it goes on alone, which a rule with `\"onFailure\": \"block\"` cannot".to_owned())
            }
            RunStatus::Exit(0) if said.is_err() && text.starts_with('{') => {
                Some("it printed only the beginning of an answer, or more than that".to_owned())
            }
            RunStatus::Exit(0) | RunStatus::Http(_) => unheeded,
            RunStatus::Exit(2) if formats::of(self.dialect).exit_2_is_an_answer() => None,
            RunStatus::Exit(code) => Some(format!("it left with code {code}, and its answer refuses nothing")),
            RunStatus::Signal(signal) => {
                Some(format!("it was killed by signal {signal}, and its answer refuses nothing"))
            }
            _ => None,
        };
        if broke_off.is_some() {
            *answer = Answer { failure: broke_off, remarks: std::mem::take(&mut answer.remarks), ..Answer::default() };
        }
    }

    /// Exit code 2 does nothing when permission is requested, but a rule that says `"onFailure": "block"` means no with it.
    fn settle_refusal(self, answer: &mut Answer, stderr: &str) {
        if self.event == Event::PermissionRequest && self.on_failure == FailureMode::Block {
            let said = Some(stderr.trim()).filter(|text| !text.is_empty()).unwrap_or("it exited with code 2");
            answer.remarks.clear();
            answer.decision = RuleDecision::Deny(said.to_owned());
        }
    }

    /// What a failure means for the event, where the rule says `"onFailure": "block"`.
    fn settle_failure(self, answer: &mut Answer) {
        let exempt =
            matches!(self.event, Event::Stop | Event::SubagentStop | Event::TaskCompleted | Event::TeammateIdle);
        if self.on_failure == FailureMode::Continue || exempt {
            return;
        }
        if let Some(failure) = answer.failure.clone() {
            self.withhold(answer, &failure);
            match (self.event, self.event.spec().exit2) {
                (Event::PermissionRequest, _) => answer.decision = RuleDecision::Deny(failure),
                // There is nothing to block. As a message, it would hide that the rule failed.
                (_, Exit2::Notice | Exit2::Ignored) => {}
                (event, _) => answer.exit2(event, &failure),
            }
        }
    }

    /// A result that its guard has not judged is not read, where the rule says `"onFailure": "block"`.
    fn withhold(self, answer: &mut Answer, why: &str) {
        let is_result = matches!(self.event, Event::PostToolUse | Event::PostToolUseFailure);
        if is_result && self.on_failure == FailureMode::Block {
            answer.withheld.get_or_insert_with(|| why.to_owned());
        }
    }
}

/// Whether an answer refuses something in any spelling of any dialect, even with a value of the wrong type.
fn says_no(answer: &Value) -> bool {
    let refuses = |(key, value): (&String, &Value)| {
        let word = value.as_str().map(str::trim);
        match key.replace('_', "").to_lowercase().as_str() {
            "blockingerror" | "hookblockingerror" | "preventcontinuation" | "hookstoppedcontinuation" => {
                !matches!(value, Value::Null | Value::Bool(false)) && word != Some("")
            }
            "continue" => !matches!(value, Value::Null | Value::Bool(true)),
            "hookspecificoutput" | "decision" if value.is_object() => says_no(value),
            "hookspecificoutput" => !value.is_null(),
            "decision" | "permissiondecision" | "behavior" => {
                !value.is_null() && !matches!(word, Some("approve" | "allow" | "ask" | "defer"))
            }
            "attachmenttype" => !matches!(word, Some("hook_success" | "hook_additional_context")),
            _ => false,
        }
    };
    match answer {
        Value::Object(object) => object.iter().any(refuses),
        Value::Array(records) => records.iter().any(|record| record.is_object() && says_no(record)),
        _ => false,
    }
}
