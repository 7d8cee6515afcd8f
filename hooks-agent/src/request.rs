//! What a turn answers, and what started it.

use std::collections::BTreeSet;

use hook_sdk::data::{Message, Role};
use hook_sdk::scope::PromptDef;

use crate::inputs::{JoinedInput, ResultInput, TurnInputs, WaitingInput};

/// The request that a turn answers: the message of a person, or one of a timer or another program.
///
/// ```
/// use hooks_agent::TurnRequest;
///
/// // No person is present or sees the prompt.
/// let nightly = TurnRequest::new("Sum up today's tickets.").trigger("cron").human_present(false).hidden();
/// ```
#[derive(Clone, Debug)]
#[must_use = "pass it to `Session::begin`"]
pub struct TurnRequest {
    /// `None` if the turn continues with calls that wait.
    pub(crate) message: Option<Message>,
    pub(crate) prompt: Option<PromptDef>,
    pub(crate) trigger: Option<String>,
    pub(crate) human_present: Option<bool>,
    pub(crate) hidden: bool,
    pub(crate) again: Option<Box<Again>>,
}

/// The inputs of a recorded turn that do not come from models, tools or a person.
#[derive(Clone, Debug)]
pub(crate) struct Again {
    pub(crate) joined: Vec<JoinedInput>,
    pub(crate) waiting: WaitingInput,
    pub(crate) results: Vec<ResultInput>,
    pub(crate) folded: BTreeSet<String>,
    pub(crate) contexts: Vec<String>,
    pub(crate) allowed: Option<BTreeSet<String>>,
}

impl TurnRequest {
    /// Creates a request with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Message::new(Role::User, text).into()
    }

    /// Creates a request to continue with calls that wait.
    pub(crate) fn resuming() -> Self {
        Self { message: None, prompt: None, trigger: None, human_present: None, hidden: false, again: None }
    }

    /// Creates a request that repeats a recorded turn, with the same prompt or the same open calls, and with the same
    /// messages joining it. The contexts of `session_start` hooks are those of the recording. The harness needs a tool in place of each agent that the turn called. What agents returned
    /// besides their result comes from `inputs`.
    pub fn again(inputs: &TurnInputs) -> Self {
        let TurnInputs { joined, waiting, results, folded, contexts, allowed, .. } = inputs.clone();
        let again = Again { joined, waiting, results, folded, contexts, allowed };
        Self {
            message: inputs.prompt.clone(),
            trigger: Some(inputs.trigger.clone()),
            hidden: inputs.hidden,
            again: Some(Box::new(again)),
            ..Self::resuming()
        }
    }

    /// Sets the prompt, whose list of hooks replaces the agent's.
    pub fn prompt(mut self, prompt: impl Into<Option<PromptDef>>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// Sets what started the turn, as a word for hooks at `before_agent_start`, such as `cron`. Default: that of the
    /// session.
    pub fn trigger(mut self, word: impl Into<String>) -> Self {
        self.trigger = Some(word.into());
        self
    }

    /// Sets whether a person is present who can be asked. Default: that of the session.
    pub fn human_present(mut self, present: bool) -> Self {
        self.human_present = Some(present);
        self
    }

    /// Hides the prompt from the person.
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }
}

/// A message with more than text: images, or fields of a provider.
impl From<Message> for TurnRequest {
    fn from(message: Message) -> Self {
        Self { message: Some(message), ..Self::resuming() }
    }
}

impl From<&str> for TurnRequest {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for TurnRequest {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}
