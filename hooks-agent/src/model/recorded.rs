use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::HookContext;
use hooks_core::data::{Block, Message, Messages, Role, ToolCall, ToolInput, ToolResult};
use hooks_core::hook::BoxFuture;

use super::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use crate::tool::{Tool, ToolError, ToolSpec};

/// A recorded conversation, taken apart into what each side of it said: the model and the tools say it again.
///
/// ```
/// use hooks_agent::model::Recording;
/// use hooks_agent::Harness;
/// use hooks_core::data::{Message, Role};
/// use hooks_core::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let messages = vec![Message::new(Role::User, "hello"), Message::new(Role::Assistant, "good morning")];
/// let recording = Recording::of(&messages.into());
/// let harness = Harness::builder(Registry::empty()).model("main", recording.model()).tools(recording.tools()).build();
/// let session = harness.session("c-1", AgentDef::new("support")).open().await?;
/// for prompt in recording.prompts() {
///     assert_eq!(session.turn(None, prompt).await.to_string(), "good morning");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    system_prompt: String,
    prompts: Vec<String>,
    answers: Vec<Vec<Block>>,
    results: Vec<Recorded>,
}

/// What a tool answered to a call.
#[derive(Clone, Debug)]
struct Recorded {
    call: ToolCall,
    result: ToolResult,
}

impl Recording {
    /// What each side said in `messages`. A result is that of the nearest call before it with its id.
    pub fn of(messages: &Messages) -> Self {
        let mut recording =
            Self { system_prompt: String::new(), prompts: Vec::new(), answers: Vec::new(), results: Vec::new() };
        let mut calls: Vec<ToolCall> = Vec::new();
        for message in messages.iter() {
            match message.role {
                Role::System | Role::Developer => recording.system_prompt = message.text().into_owned(),
                Role::Assistant => {
                    calls.extend(message.tool_calls().cloned());
                    recording.answers.push(message.content.clone());
                }
                Role::User if results(message).next().is_none() => recording.prompts.push(message.text().into_owned()),
                _ => {}
            }
            for (id, result) in results(message) {
                if let Some(call) = calls.iter().rfind(|call| call.id == id) {
                    recording.results.push(Recorded { call: call.clone(), result });
                }
            }
        }
        recording
    }

    /// What the model was told before the conversation.
    pub fn system_prompt(&self) -> &str {
        &self.system_prompt
    }

    /// What the person wrote, prompt by prompt.
    pub fn prompts(&self) -> impl Iterator<Item = &str> {
        self.prompts.iter().map(String::as_str)
    }

    /// A model that says again what was recorded. Where the recording ends, it refuses.
    pub fn model(&self) -> impl Model {
        Said(Mutex::new(self.answers.iter().cloned().collect()))
    }

    /// The tools that were called, which answer again what was recorded.
    pub fn tools(&self) -> Vec<RecordedTool> {
        let results: Arc<Mutex<Vec<Recorded>>> = Arc::new(Mutex::new(self.results.clone()));
        let names: BTreeSet<&str> = self
            .answers
            .iter()
            .flatten()
            .filter_map(|block| if let Block::ToolUse(call) = block { Some(call.name.as_str()) } else { None })
            .collect();
        let tool = |name: &str| RecordedTool { name: name.to_owned(), results: Arc::clone(&results) };
        names.into_iter().map(tool).collect()
    }
}

/// The results in a message, with the ids of their calls.
fn results(message: &Message) -> impl Iterator<Item = (&str, ToolResult)> {
    message.content.iter().filter_map(|block| match block {
        Block::ToolResult(block) => {
            let mut result = ToolResult::default();
            result.content.clone_from(&block.content);
            result.is_error = block.is_error;
            Some((block.call_id.as_str(), result))
        }
        _ => None,
    })
}

struct Said(Mutex<VecDeque<Vec<Block>>>);

impl Model for Said {
    fn call<'a>(&'a self, _call: &'a ModelCall, _deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let said = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            said.map(ModelAnswer::new).ok_or_else(|| ModelError::Rejected("the recording ends here".to_owned()))
        })
    }
}

/// A tool of a [`Recording`].
#[derive(Clone, Debug)]
pub struct RecordedTool {
    name: String,
    results: Arc<Mutex<Vec<Recorded>>>,
}

impl RecordedTool {
    fn results(&self) -> MutexGuard<'_, Vec<Recorded>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tool for RecordedTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new(self.name.as_str())
    }

    fn run<'a>(
        &'a self,
        _cx: &'a HookContext,
        call: &'a ToolCall,
        _input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let mut results = self.results();
            // The loop may have given the call another id; what was asked for is the same.
            let same = |recorded: &Recorded| recorded.call.name == call.name && recorded.call.input == call.input;
            let at = results.iter().position(same);
            let at = at.ok_or_else(|| ToolError::new(format!("no answer of `{}` to this was recorded", self.name)))?;
            Ok(results.remove(at).result)
        })
    }
}
