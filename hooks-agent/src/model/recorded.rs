use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::HookContext;
use hook_sdk::data::{Block, Message, Messages, Role, ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;

use super::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use crate::tool::{Tool, ToolError, ToolSpec};

/// A recorded conversation, split into a model and tools that replay what they said in it.
///
/// ```
/// use hooks_agent::model::Recording;
/// use hooks_agent::Harness;
/// use hook_sdk::data::{Message, Role};
/// use hook_sdk::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let messages = vec![Message::new(Role::User, "hello"), Message::new(Role::Assistant, "good morning")];
/// let recording = Recording::of(&messages.into());
/// let harness = Harness::builder(Registry::empty()).model("main", recording.model()).tools(recording.tools()).build()?;
/// let session = harness.session("c-1", AgentDef::new("support")).open().await?;
/// for prompt in recording.prompts() {
///     assert_eq!(session.turn(None, prompt).await.to_string(), "good morning");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recording {
    system_prompt: String,
    turns: Vec<Played>,
}

/// What was said in one turn.
#[derive(Clone, Debug, Default)]
struct Played {
    prompt: String,
    answers: VecDeque<Message>,
    results: Vec<Recorded>,
    /// Calls without a result so far, each with the index of its answer.
    open: Vec<(usize, ToolCall)>,
}

impl Played {
    /// Removes the call to which the result with this id belongs: the first one with this id in the latest answer that
    /// has one.
    fn called(&mut self, id: &str) -> Option<ToolCall> {
        let latest = self.open.iter().filter(|(_, call)| call.id == id).map(|(answer, _)| *answer).max()?;
        let at = self.open.iter().position(|(answer, call)| *answer == latest && call.id == id)?;
        Some(self.open.remove(at).1)
    }
}

/// The result of a tool call.
#[derive(Clone, Debug)]
struct Recorded {
    call: ToolCall,
    result: ToolResult,
}

impl Recording {
    /// Splits `messages`. A result belongs to the nearest preceding call with its id. If several calls of one answer
    /// have the same id, results are assigned to them in order. Messages before the first prompt are not replayed.
    pub fn of(messages: &Messages) -> Self {
        let mut recording = Self::default();
        for message in messages.iter() {
            let answers = results(message).next().is_some();
            match message.role {
                Role::System | Role::Developer => recording.system_prompt = message.text().into_owned(),
                Role::User if !answers => {
                    recording.turns.push(Played { prompt: message.text().into_owned(), ..Played::default() });
                }
                _ => {}
            }
            let Some(turn) = recording.turns.last_mut() else { continue };
            for (id, result) in results(message) {
                if let Some(call) = turn.called(id) {
                    turn.results.push(Recorded { call, result });
                }
            }
            if message.role == Role::Assistant {
                let answer = turn.answers.len();
                turn.open.extend(message.tool_calls().map(|call| (answer, call.clone())));
                turn.answers.push_back(message.clone());
            }
        }
        recording
    }

    /// The system prompt of the recording.
    pub fn system_prompt(&self) -> &str {
        &self.system_prompt
    }

    /// The prompts of the person. In the n-th turn of a session, the model and the tools replay what they said in the
    /// n-th recorded turn.
    pub fn prompts(&self) -> impl Iterator<Item = &str> {
        self.turns.iter().map(|turn| turn.prompt.as_str())
    }

    /// A model that replays the recorded answers. When the recording of a turn is exhausted, it rejects the call.
    pub fn model(&self) -> impl Model {
        RecordedModel(Mutex::new(self.turns.iter().map(|turn| turn.answers.clone()).collect()))
    }

    /// The tools that were called. They replay the recorded results.
    pub fn tools(&self) -> Vec<RecordedTool> {
        let results: Vec<Vec<Recorded>> = self.turns.iter().map(|turn| turn.results.clone()).collect();
        let results = Arc::new(Mutex::new(results));
        let answers = self.turns.iter().flat_map(|turn| &turn.answers);
        let names: BTreeSet<&str> = answers.flat_map(Message::tool_calls).map(|call| call.name.as_str()).collect();
        let tool = |name: &str| RecordedTool { name: name.to_owned(), results: Arc::clone(&results) };
        names.into_iter().map(tool).collect()
    }
}

/// The recording of the turn with this number, starting at 1.
fn of_turn<T>(turns: &mut [T], number: u64) -> Option<&mut T> {
    turns.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// The results in a message, each with the id of its call.
fn results(message: &Message) -> impl Iterator<Item = (&str, ToolResult)> {
    message.content.iter().filter_map(|block| match block {
        Block::ToolResult(block) => {
            let mut result = ToolResult::default();
            result.content.clone_from(&block.content);
            result.is_error = block.is_error;
            // Some providers put extra fields next to the content of a result, others into it.
            result
                .extra
                .extend(message.extra.iter().chain(&block.extra).map(|(key, value)| (key.clone(), value.clone())));
            Some((block.call_id.as_str(), result))
        }
        _ => None,
    })
}

struct RecordedModel(Mutex<Vec<VecDeque<Message>>>);

impl Model for RecordedModel {
    fn call<'a>(&'a self, call: &'a ModelCall, _deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let said = of_turn(&mut turns, call.turn).and_then(VecDeque::pop_front);
            let said = said.ok_or_else(|| ModelError::Rejected("the recording ends here".to_owned()))?;
            let mut answer = ModelAnswer::new(said.content.clone());
            answer.extra.clone_from(&said.extra);
            Ok(answer)
        })
    }
}

/// A tool that replays the results of a [`Recording`].
#[derive(Clone, Debug)]
pub struct RecordedTool {
    name: String,
    results: Arc<Mutex<Vec<Vec<Recorded>>>>,
}

impl RecordedTool {
    fn results(&self) -> MutexGuard<'_, Vec<Vec<Recorded>>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tool for RecordedTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new(self.name.as_str())
    }

    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        call: &'a ToolCall,
        _input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let mut turns = self.results();
            // The loop may have changed the id of the call, so compare what it asks for.
            let same = |recorded: &Recorded| recorded.call.name == call.name && recorded.call.input == call.input;
            let results = of_turn(&mut turns, cx.turn().unwrap_or_default());
            let found = results.and_then(|results| Some(results.remove(results.iter().position(same)?)));
            let found = found
                .ok_or_else(|| ToolError::new(format!("no result of `{}` for this input was recorded", self.name)));
            found.map(|recorded| recorded.result)
        })
    }
}
