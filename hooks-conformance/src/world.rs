//! The world of a loop under test: a model, tools, a person and a store that note what the loop does with them.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use hook_sdk::context::Ids;
use hook_sdk::data::{Block, Message, Messages, ModelRequest, ToolCall, ToolInput, ToolResult};
use hook_sdk::protocol::{Approval, ToolQuestion};
use serde::Serialize;
use serde_json::{Value, json};

/// The prompt of each turn that is the first of its conversation.
pub(crate) const PROMPT: &str = "the prompt";
/// The prompt of a second turn.
pub(crate) const NEXT: &str = "another question";
/// What a prompt says again and again that fills the conversation.
pub(crate) const LONG: &str = "a long story, ";
/// The text of each answer of the model, followed by a number.
pub(crate) const ANSWER: &str = "answer ";
/// What the model says besides a call, if it calls a tool twice.
pub(crate) const ASIDE: &str = "let me look";
/// The output of each tool, followed by ` of ` and the id of the call that it ran for.
pub(crate) const OUTPUT: &str = "tool output";
/// The word with which a person replaces the one of an input.
pub(crate) const EDITED: &str = "the edited word";
/// Why a person says no.
pub(crate) const REFUSAL: &str = "the person's reason";
/// The result that a person gives in place of the tool.
pub(crate) const SAID: &str = "the person's result";
/// The error of a tool that fails, followed by ` of ` and the id of the call that it ran for.
pub(crate) const ERROR: &str = "tool error";

/// How many characters a piece of a stream has.
const PIECE: usize = 3;

/// A loop that does more than this has no bound.
const BOUND: usize = 64;

/// What a loop did, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    ModelCalled {
        /// The request and the messages, as JSON.
        sent: Value,
        messages: Messages,
    },
    ToolRan {
        /// The id of the call; empty if the loop does not know it.
        call: String,
        input: Value,
    },
    Asked(Box<ToolQuestion>),
    Stored {
        row: Message,
    },
    Shown {
        text: String,
    },
    /// A hook at this kind ran.
    Came {
        kind: &'static str,
        ids: Arc<Ids>,
    },
    /// A hook was told that it may ask to run the tool again, and did.
    Retried,
    /// A hook saw this row at `after_create_message`.
    Announced {
        row: Message,
    },
}

/// The first answers of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scenario {
    /// It answers.
    Answer,
    /// It calls a tool, and then answers.
    Tool,
    /// It calls a tool that fails, and then answers.
    Failure,
    /// It calls a tool that fails, reads the error, calls it again, and then answers.
    TwoFailures,
    /// It calls two tools in one reply, and then answers.
    TwoTools,
    /// It calls a tool, reads its result, calls a tool again, and then answers.
    TwoRounds,
    /// It calls a tool and answers, and answers the prompt of a second turn.
    TwoTurns,
    /// It answers a prompt of 4,000 characters, and the prompt of a second turn.
    LongTurns,
}

impl Scenario {
    /// How many turns the conversation has.
    pub(crate) fn turns(self) -> usize {
        if matches!(self, Self::TwoTurns | Self::LongTurns) { 2 } else { 1 }
    }
}

/// What the person does about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Person {
    Yes,
    No,
    /// Says yes to the first question, and no to the others.
    YesOnce,
    /// Says yes to another input, and to what becomes of it.
    Edits,
    /// Gives a result in place of the tool.
    Answers,
    /// Answers later.
    Suspends,
}

/// What surrounds a loop under test. Let the loop use it in place of its model, its tools, the person and the store.
/// Clones share what they note.
#[derive(Clone)]
pub struct World {
    scenario: Scenario,
    person: Person,
    acts: Acts,
    /// The conversation when the turn began.
    stored: Messages,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("scenario", &self.scenario).finish_non_exhaustive()
    }
}

/// The acts of a loop, shared with the hooks of a case.
#[derive(Clone, Default)]
pub(crate) struct Acts(Arc<Mutex<Vec<Act>>>);

impl Acts {
    fn lock(&self) -> MutexGuard<'_, Vec<Act>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, act: Act) {
        self.lock().push(act);
    }

    pub(crate) fn take(&self) -> Vec<Act> {
        std::mem::take(&mut *self.lock())
    }

    fn count(&self, is: fn(&Act) -> bool) -> usize {
        self.lock().iter().filter(|act| is(act)).count()
    }

    /// All rows, in the order in which they were stored.
    fn rows(&self) -> Messages {
        let row = |act: &Act| if let Act::Stored { row } = act { Some(row.clone()) } else { None };
        self.lock().iter().filter_map(row).collect()
    }
}

impl World {
    /// The model profile that hooks route calls to. A loop that has a model per profile needs one for this profile.
    pub const PROFILE: &'static str = "probed profile";

    /// What surrounds the next turn of the conversation with these acts.
    pub(crate) fn new(scenario: Scenario, person: Person, acts: Acts) -> Self {
        let stored = acts.rows();
        Self { scenario, person, acts, stored }
    }

    /// The rows of the conversation when the turn begins. It is empty at first.
    pub fn stored(&self) -> &Messages {
        &self.stored
    }

    /// The prompt to submit.
    pub fn prompt(&self) -> &'static str {
        static STORY: LazyLock<String> = LazyLock::new(|| LONG.repeat(4_000 / LONG.len()));
        match self.scenario {
            _ if !self.stored.is_empty() => NEXT,
            Scenario::LongTurns => &STORY,
            _ => PROMPT,
        }
    }

    /// Notes what the loop does, unless it does so without end.
    fn act(&self, act: Act, is: fn(&Act) -> bool, without_end: &str) -> usize {
        self.acts.note(act);
        let times = self.acts.count(is);
        assert!(times < BOUND, "{without_end}");
        times
    }

    /// Calls the model. Pass the request and the messages as the loop would send them.
    ///
    /// # Panics
    /// If the loop calls it without end. The test reports that.
    pub fn model(&self, request: &ModelRequest, messages: &Messages) -> Vec<Block> {
        let sent = json!({ "request": request, "messages": messages });
        let called = Act::ModelCalled { sent, messages: messages.clone() };
        let times = self.act(called, |act| matches!(act, Act::ModelCalled { .. }), "the model is called without end");
        let call = |id: &str, tool: &str| Block::ToolUse(ToolCall::new(id, tool, json!({ "word": "blue" })));
        match (times, self.scenario) {
            (1, Scenario::Tool | Scenario::TwoTurns) => vec![call("call_1", "find")],
            (1, Scenario::Failure) => vec![call("call_1", "fail")],
            (1 | 2, Scenario::TwoFailures) => vec![call(&format!("call_{times}"), "fail")],
            (1 | 2, Scenario::TwoRounds) => vec![ASIDE.into(), call(&format!("call_{times}"), "find")],
            (1, Scenario::TwoTools) => vec![call("call_1", "find"), call("call_2", "find")],
            _ => vec![format!("{ANSWER}{times}").into()],
        }
    }

    /// Runs a tool for this call, with the input that the hooks left. Its names are `find` and `fail`.
    ///
    /// # Errors
    /// The text of the failure, for the tool `fail`.
    ///
    /// # Panics
    /// If the loop calls it without end. The test reports that.
    pub fn tool(&self, call: &ToolCall, input: &ToolInput) -> Result<String, String> {
        let ran = Act::ToolRan { call: call.id.clone(), input: (**input).clone() };
        self.act(ran, |act| matches!(act, Act::ToolRan { .. }), "a tool runs without end");
        let of = if call.id.is_empty() { String::new() } else { format!(" of {}", call.id) };
        if call.name == "fail" { Err(format!("{ERROR}{of}")) } else { Ok(format!("{OUTPUT}{of}")) }
    }

    /// A text of the model in the pieces in which it arrives, for a loop that streams.
    pub fn pieces(&self, text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
    }

    /// Asks the person what the loop would show to its own.
    ///
    /// # Panics
    /// If the loop asks without end. The test reports that.
    pub fn approve(&self, asked: &ToolQuestion) -> Approval {
        let question = Act::Asked(Box::new(asked.clone()));
        let times = self.act(question, |act| matches!(act, Act::Asked(_)), "the person is asked without end");
        match self.person {
            Person::YesOnce if times > 1 => Approval::No(REFUSAL.to_owned()),
            Person::Edits if times > 1 => Approval::Yes,
            Person::Yes | Person::YesOnce => Approval::Yes,
            Person::No => Approval::No(REFUSAL.to_owned()),
            Person::Edits => Approval::Edited(json!({ "word": EDITED }).into()),
            Person::Answers => Approval::Answer(ToolResult::new(SAID)),
            Person::Suspends => Approval::Suspend,
        }
    }

    /// Stores a row. Call it where the loop stores it.
    pub fn store(&self, row: &Message) {
        self.acts.note(Act::Stored { row: row.clone() });
    }

    /// Shows a text to the person: a piece of a stream, an answer, a notice, an error.
    pub fn show(&self, text: &str) {
        self.acts.note(Act::Shown { text: text.to_owned() });
    }
}
