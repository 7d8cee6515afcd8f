//! What a turn is asked for, and how it came to be.

use hooks_core::data::{Message, Role};
use hooks_core::scope::PromptDef;

use crate::inputs::{JoinedInput, ResultInput, TurnInputs, WaitingInput};

/// What a turn is to answer: a person's message, or one of a timer or another program.
///
/// ```
/// use hooks_agent::TurnRequest;
///
/// // Nobody is there, and nobody sees the prompt.
/// let nightly = TurnRequest::new("Sum up today's tickets.").trigger("cron").human_present(false).hidden();
/// ```
#[derive(Clone, Debug)]
#[must_use = "a turn is begun with `Session::begin`"]
pub struct TurnRequest {
    /// None where it goes on with calls that wait.
    pub(crate) message: Option<Message>,
    pub(crate) prompt: Option<PromptDef>,
    pub(crate) trigger: Option<String>,
    pub(crate) human_present: Option<bool>,
    pub(crate) hidden: bool,
    pub(crate) again: Option<Box<Again>>,
}

/// What a recorded turn took from outside while it ran, other than by models, tools and a person.
#[derive(Clone, Debug)]
pub(crate) struct Again {
    pub(crate) joined: Vec<JoinedInput>,
    pub(crate) waiting: WaitingInput,
    pub(crate) results: Vec<ResultInput>,
}

impl TurnRequest {
    /// The turn answers `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Message::new(Role::User, text).into()
    }

    /// The turn goes on with calls that wait.
    pub(crate) fn resuming() -> Self {
        Self { message: None, prompt: None, trigger: None, human_present: None, hidden: false, again: None }
    }

    /// A recorded turn again: with the same prompt, or going on with the same calls, and with the messages that joined it. Its
    /// harness has a tool in the place of each agent that it asked; what that says of agents is taken from `inputs`.
    pub fn again(inputs: &TurnInputs) -> Self {
        let TurnInputs { joined, waiting, results, .. } = inputs;
        let again = Again { joined: joined.clone(), waiting: waiting.clone(), results: results.clone() };
        Self {
            message: inputs.prompt.clone(),
            trigger: Some(inputs.trigger.clone()),
            hidden: inputs.hidden,
            again: Some(Box::new(again)),
            ..Self::resuming()
        }
    }

    /// At this prompt: its list of hooks replaces the agent's.
    pub fn prompt(mut self, prompt: impl Into<Option<PromptDef>>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// What started it, in a word for hooks at `before_agent_start`, such as `cron`; that of the session where nothing is said.
    pub fn trigger(mut self, word: impl Into<String>) -> Self {
        self.trigger = Some(word.into());
        self
    }

    /// Whether a person is there to be asked; as in the rest of the session where nothing is said.
    pub fn human_present(mut self, present: bool) -> Self {
        self.human_present = Some(present);
        self
    }

    /// The person does not see the prompt.
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }
}

/// A message that is more than text: images, fields of a provider.
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
