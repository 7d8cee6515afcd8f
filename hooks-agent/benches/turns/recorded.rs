//! The conversations, and a harness whose model and tools replay them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use hook_sdk::data::{Block, Messages, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError, RecordedTool, Recording};
use hooks_agent::store::MemoryStore;
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use hooks_agent::{Harness, HarnessBuilder};
use serde_json::{Value, json};

use crate::by_hand::{Around, ByHand};

pub(crate) struct Conversations {
    what: &'static str,
    recordings: Vec<(String, Recording)>,
}

impl Conversations {
    /// The recorded conversations if they exist, otherwise generated ones.
    pub(crate) fn read() -> Self {
        let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/airline-trajectories.jsonl"));
        let (what, recordings): (_, Vec<_>) = match std::fs::read_to_string(file) {
            Ok(text) => ("recorded conversations", text.lines().map(recorded).collect()),
            Err(_) => ("conversations of our own", (0..100).map(|_| made()).collect()),
        };
        let numbered = recordings.into_iter().enumerate().map(|(number, recording)| (number.to_string(), recording));
        Self { what, recordings: numbered.collect() }
    }

    pub(crate) fn what(&self) -> &'static str {
        self.what
    }

    pub(crate) fn turns(&self) -> usize {
        self.recordings.iter().map(|(_, recording)| recording.prompts().count()).sum()
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, &Recording)> {
        self.recordings.iter().map(|(id, recording)| (id.as_str(), recording))
    }

    /// Adds one model and one set of tools for all conversations to `harness`, like in an app.
    pub(crate) fn give(&self, harness: HarnessBuilder, by_hand: ByHand) -> Harness {
        let said = self.each().map(|(id, recording)| (id.to_owned(), Box::new(recording.model()) as Box<dyn Model>));
        let mut tools: BTreeMap<String, HashMap<String, RecordedTool>> = BTreeMap::new();
        for (id, recording) in self.each() {
            for tool in recording.tools() {
                tools.entry(tool.spec().name).or_default().insert(id.to_owned(), tool);
            }
        }
        let tools = tools.into_iter().map(|(name, tools)| Around(Answers { name, tools }, by_hand));
        let harness = harness.model("main", Around(Says(said.collect()), by_hand)).tools(tools);
        harness.store(Around(MemoryStore::new(), by_hand)).build().unwrap()
    }
}

/// The models of all conversations.
struct Says(HashMap<String, Box<dyn Model>>);

impl Model for Says {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        self.0[&call.conversation].call(call, deltas)
    }
}

/// A tool in all conversations.
struct Answers {
    name: String,
    tools: HashMap<String, RecordedTool>,
}

impl Tool for Answers {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new(self.name.as_str())
    }

    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        self.tools[cx.conversation().unwrap_or_default()].run(cx, call, input)
    }
}

fn recorded(line: &str) -> Recording {
    let mut line: Value = serde_json::from_str(line).unwrap();
    let messages = line["messages"].as_array_mut().map(std::mem::take).unwrap();
    Recording::of(&Messages::from_openai(messages).unwrap())
}

fn made() -> Recording {
    let message = |role, text: &str| Message::new(role, text.repeat(20));
    let turn = |i: usize| {
        let call = ToolCall::new(format!("call_{i}"), "lookup", json!({ "id": i }));
        let result = ToolResult::new("what was found ".repeat(40)).into_block(&call);
        [
            message(Role::User, "what is it? "),
            Message::of(Role::Assistant, vec![Block::ToolUse(call)]),
            Message::of(Role::Tool, vec![result]),
            message(Role::Assistant, "it is this. "),
        ]
    };
    Recording::of(&(0..6).flat_map(turn).collect::<Vec<_>>().into())
}
