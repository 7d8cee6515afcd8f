//! Reading what a rule said, in its dialect.

use crate::answer::{Answer, Decision, RunStatus, judgement};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::formats;
use crate::rule::FailureMode;

/// How an answer is to be read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The form of the rule's file.
    pub dialect: Dialect,
    /// The event.
    pub event: Event,
    /// What a failure means.
    pub on_failure: FailureMode,
}

impl Reading {
    /// A reading where failures do nothing.
    pub fn new(dialect: Dialect, event: Event) -> Self {
        Self { dialect, event, on_failure: FailureMode::Continue }
    }

    /// Reads what a command or a server said. Never panics, whatever it was.
    ///
    /// ```
    /// use hooks_rules::{Decision, Dialect, Event, Reading, RunStatus};
    ///
    /// let reading = Reading::new(Dialect::Claude, Event::PreToolUse);
    /// let refused = reading.read(&RunStatus::Exit(2), "", "no pushes on Friday\n");
    /// assert_eq!(refused.decision, Decision::Deny("no pushes on Friday".into()));
    /// let failed = reading.read(&RunStatus::Exit(1), "", "cannot read the calendar");
    /// assert_eq!(failed.decision, Decision::None);
    /// assert!(failed.failure.is_some());
    /// ```
    pub fn read(self, status: &RunStatus, stdout: &str, stderr: &str) -> Answer {
        let mut answer = formats::of(self.dialect).answer(self.event, status, stdout, stderr);
        self.settle_failure(&mut answer);
        answer.cut_failure();
        answer
    }

    /// Reads what a model said to the question of a `prompt` rule.
    pub fn read_judgement(self, text: &str, continue_on_block: bool) -> Answer {
        let mut answer = judgement(self.event, text, continue_on_block);
        self.settle_failure(&mut answer);
        answer.cut_failure();
        answer
    }

    /// A failure of which there is nothing to read.
    pub fn failed(self, why: impl Into<String>) -> Answer {
        let mut answer = Answer { failure: Some(why.into()), ..Answer::default() };
        self.settle_failure(&mut answer);
        answer.cut_failure();
        answer
    }

    /// What a failure means for the event, where the rule says `"onFailure": "block"`.
    fn settle_failure(self, answer: &mut Answer) {
        let exempt =
            matches!(self.event, Event::Stop | Event::SubagentStop | Event::TaskCompleted | Event::TeammateIdle);
        if self.on_failure == FailureMode::Continue || exempt {
            return;
        }
        if let Some(failure) = answer.failure.clone() {
            match self.event {
                Event::PermissionRequest => answer.decision = Decision::Deny(failure),
                event => answer.exit2(event, &failure),
            }
        }
    }
}
