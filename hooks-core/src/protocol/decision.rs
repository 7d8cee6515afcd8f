//! The decision about a tool call: what the gates, the hooks at `permission_request` and the approver answer, in order.
//!
//! [`HookSet::tool_call`](crate::HookSet::tool_call) walks through these states. They are public for a loop that cannot
//! wait within a step, because its turns are suspended or its calls run in groups.

use super::approval::{Approval, ToolQuestion};
use crate::data::{ToolCall, ToolInput, ToolResult};
use crate::id::HookId;
use crate::verdict::{Denial, Halt, Permission, Question};

/// How often the input of a call may be edited if the gates ask again.
const EDITS: u32 = 8;

/// What has to happen next with a tool call.
#[must_use = "a call runs only if it is decided that it does"]
#[derive(Clone, Debug, PartialEq)]
pub enum CallState {
    /// The hooks at `before_tool_call` judge the input.
    Judge(PendingCall),
    /// The hooks at `permission_request` may answer the question of a gate.
    Request(CallQuestion),
    /// The approver answers the question of a gate.
    Ask(CallQuestion),
    /// Nobody can answer now.
    Suspend(CallQuestion),
    /// It is decided.
    Decided(ToolInput, Ruling),
}

/// What happens with a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// The tool runs.
    Run,
    /// The tool does not run. This is the result of the call.
    Answer(ToolResult),
    /// The tool does not run.
    Refuse(CallRefusal),
}

/// Why a call does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallRefusal {
    /// The text for the model.
    pub message: String,
    /// The hook that refused it, or asked.
    pub by: Option<HookId>,
}

/// A call that its gates have to judge.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingCall {
    input: ToolInput,
    history: CallHistory,
}

/// A call about which a gate asks.
#[derive(Clone, Debug, PartialEq)]
pub struct CallQuestion {
    asked: ToolQuestion,
    history: CallHistory,
    /// Set while the question of an earlier turn is asked.
    now: Option<Box<AskedNow>>,
}

/// What follows if nobody has answered the question of an earlier turn.
#[derive(Clone, Debug, PartialEq)]
struct AskedNow {
    question: ToolQuestion,
    /// What the hooks at `permission_request` answered, and the input that they left.
    by_hooks: (Permission, ToolInput),
}

/// What happened to a call so far.
#[derive(Clone, Debug, PartialEq)]
struct CallHistory {
    call: ToolCall,
    /// The question of an earlier turn, until its answer is known.
    held: Option<ToolQuestion>,
    /// The questions that were answered with the input `edited`, and whether each was deferred.
    answered: Vec<(Question, bool)>,
    edited: Option<ToolInput>,
    edits: u32,
    /// How often the gates asked about the call in this turn.
    questions: u32,
}

impl CallState {
    /// A call as the model made it.
    pub fn new(call: &ToolCall) -> Self {
        let input = call.input.clone();
        Self::Judge(PendingCall { input, history: CallHistory::new(call, None, None) })
    }

    /// A call as the model made it, about which the gates gave this verdict, with the input that they left.
    pub(super) fn judged(call: &ToolCall, verdict: Permission, input: ToolInput) -> Self {
        let history = CallHistory::new(call, None, None);
        PendingCall { input: input.clone(), history }.by_gates(verdict, input)
    }

    /// A call about which an earlier turn asked `question`, with the input of an earlier answer, if there was one. It
    /// needs the answer to that question, whatever the gates ask now.
    pub fn resumed(question: ToolQuestion, edited: Option<ToolInput>) -> Self {
        let edited = edited.or_else(|| question.edited.clone());
        let (call, input) = (question.call.clone(), edited.as_ref().unwrap_or(&question.call.input).clone());
        Self::Judge(PendingCall { input, history: CallHistory::new(&call, edited, Some(question)) })
    }
}

impl PendingCall {
    /// The input to judge: the subject of `before_tool_call`.
    pub fn input(&self) -> &ToolInput {
        &self.input
    }

    /// The gates gave this verdict and left this input.
    pub fn by_gates(self, verdict: Permission, input: ToolInput) -> CallState {
        let history = self.history;
        let asked = match verdict {
            Permission::Answer(result) => return CallState::Decided(input, Ruling::Answer(*result)),
            Permission::Deny(denial) => {
                return CallState::Decided(input, Ruling::Refuse(CallRefusal::denied(*denial)));
            }
            Permission::Ask(_) | Permission::Defer(_) => verdict.into_questions(),
            Permission::NoOpinion | Permission::Allow => match &history.held {
                Some(held) => held.questions(),
                None => history.answered.clone(),
            },
        };
        // An answer is about the edited input: if the gates leave another one, nobody has approved that.
        let known = if history.edited.as_ref() == Some(&input) { &history.answered[..] } else { &[] };
        match to_ask(asked, known) {
            Some(asked) => history.ask(input, asked),
            None => CallState::Decided(input, Ruling::Run),
        }
    }
}

impl CallQuestion {
    /// The question, and the input that the tool would get: the subject of `permission_request`.
    pub fn question(&self) -> &ToolQuestion {
        &self.asked
    }

    /// The input of an earlier answer, about which the gates ask now.
    pub fn edited(&self) -> Option<&ToolInput> {
        self.history.edited.as_ref()
    }

    /// The number of this question among those about the call in this turn, starting at 1. An answer is about one of them.
    pub fn number(&self) -> u32 {
        self.history.questions
    }

    /// Whether this is the question of an earlier turn, as it was asked then.
    pub fn is_held(&self) -> bool {
        self.now.is_some()
    }

    /// The hooks at `permission_request` gave this verdict and left this input. They cannot take the place of an answer
    /// that somebody gave to the question of an earlier turn.
    pub fn by_hooks(mut self, verdict: Permission, input: ToolInput) -> CallState {
        if let Permission::Deny(denial) = verdict {
            return CallState::Decided(self.asked.input, Ruling::Refuse(CallRefusal::denied(*denial)));
        }
        if let Some(held) = self.history.held.take() {
            let now = Some(Box::new(AskedNow { question: self.asked, by_hooks: (verdict, input) }));
            return CallState::Ask(Self { asked: held, now, ..self });
        }
        let ruling = match verdict {
            Permission::Allow if input != self.asked.input => return self.again(input),
            Permission::Allow => Ruling::Run,
            Permission::Answer(result) => Ruling::Answer(*result),
            _ => return CallState::Ask(self),
        };
        CallState::Decided(self.asked.input, ruling)
    }

    /// The approver answered.
    pub fn by_approver(mut self, answer: Approval) -> CallState {
        let Some(now) = self.now.take() else { return self.answered(answer) };
        let is_silent = !matches!(now.by_hooks.0, Permission::Allow | Permission::Answer(_));
        let known = self.asked.questions();
        let known = if now.question.input == self.asked.input { &known[..] } else { &[] };
        match (answer, to_ask(now.question.questions(), known)) {
            (Approval::Suspend, None) if is_silent => CallState::Suspend(Self { now: Some(now), ..self }),
            (Approval::Suspend, _) => {
                let (verdict, input) = now.by_hooks;
                Self { asked: now.question, ..self }.by_hooks(verdict, input)
            }
            // What approves one question does not approve another one.
            (Approval::Yes, Some((question, deferred))) => {
                let asked = ToolQuestion { question, deferred, ..now.question };
                CallState::Ask(Self { asked, ..self })
            }
            // The gates judge an edited input and ask about that. What keeps the call from running is about the call,
            // whatever they ask.
            (answer, _) => self.answered(answer),
        }
    }

    fn answered(self, answer: Approval) -> CallState {
        match answer {
            Approval::Yes => CallState::Decided(self.asked.input, Ruling::Run),
            Approval::Answer(result) => CallState::Decided(self.asked.input, Ruling::Answer(result)),
            Approval::Edited(input) => self.again(input),
            Approval::Suspend => CallState::Suspend(self),
            Approval::No(answer) => {
                let message = format!("Denied: {}. {answer}", self.asked.question.reason);
                self.refuse(message)
            }
        }
    }

    /// There is no answer. `message` is for the model.
    pub fn refuse(self, message: impl Into<String>) -> CallState {
        let refusal = CallRefusal { message: message.into(), by: self.asked.question.by };
        CallState::Decided(self.asked.input, Ruling::Refuse(refusal))
    }

    /// The gates have to judge an edited input.
    fn again(self, input: ToolInput) -> CallState {
        if self.history.edits == EDITS {
            let message = format!("Denied: {}. The input was edited too often", self.asked.question.reason);
            return self.refuse(message);
        }
        let (answered, edited) = (self.asked.questions(), Some(input.clone()));
        let history = CallHistory { answered, edited, edits: self.history.edits + 1, ..self.history };
        CallState::Judge(PendingCall { input, history })
    }
}

impl CallHistory {
    fn new(call: &ToolCall, edited: Option<ToolInput>, held: Option<ToolQuestion>) -> Self {
        Self { call: call.clone(), held, answered: Vec::new(), edited, edits: 0, questions: 0 }
    }

    fn ask(mut self, input: ToolInput, (question, deferred): (Question, bool)) -> CallState {
        self.questions += 1;
        // Later ones are about what somebody edited, so hooks do not answer in the person's place.
        let is_first = self.questions == 1;
        let edited = self.edited.clone();
        let asked = ToolQuestion { edited, ..ToolQuestion::new(self.call.clone(), input, question, deferred) };
        let call = CallQuestion { asked, history: self, now: None };
        if is_first { CallState::Request(call) } else { CallState::Ask(call) }
    }
}

/// All questions as one, of which the strongest one that is not `known` is shown. `None` if there is none.
fn to_ask(mut questions: Vec<(Question, bool)>, known: &[(Question, bool)]) -> Option<(Question, bool)> {
    let new = |defers: bool| questions.iter().position(|one| one.1 == defers && !known.contains(one));
    let (mut shown, deferred) = questions.remove(new(true).or_else(|| new(false))?);
    shown.others = questions;
    Some((shown, deferred))
}

impl CallRefusal {
    /// A call that does not run for another reason than a decision.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), by: None }
    }

    /// A hook ended the turn before the call ran.
    pub fn halted(halt: &Halt) -> Self {
        Self { message: format!("Not run, the turn ended: {}", halt.reason), by: halt.by.clone() }
    }

    fn denied(denial: Denial) -> Self {
        Self { message: format!("Denied: {}", denial.reason), by: denial.by }
    }
}
