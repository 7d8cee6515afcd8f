//! Runs recorded conversations through the whole loop. They are not part of the project; without them, this prints a
//! notice.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::path::Path;
use std::sync::Arc;

use hook_sdk::data::{Block, Messages, Role};
use hook_sdk::prelude::*;
use hooks_agent::model::Recording;
use hooks_agent::store::{MemoryStore, MessageStore};
use hooks_agent::{Harness, Outcome};

#[tokio::test]
async fn every_recorded_message_is_kept_and_calls_keep_their_results() {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/airline-trajectories.jsonl"));
    let Ok(text) = std::fs::read_to_string(file) else {
        println!("skipped: the recorded conversations are not here");
        return;
    };
    let (mut said, mut kept, mut calls, mut unanswered) = (0, 0, 0, 0);
    for (number, line) in text.lines().enumerate() {
        let mut conversation: serde_json::Value = serde_json::from_str(line).unwrap();
        let messages = conversation["messages"].as_array_mut().map(std::mem::take).unwrap();
        let messages = Messages::from_openai(messages).unwrap();
        let recording = Recording::of(&messages);
        let store = Arc::new(MemoryStore::new());
        let harness = Harness::builder(Registry::empty())
            .model("main", recording.model())
            .tools(recording.tools())
            .shared_store(Arc::clone(&store) as Arc<dyn MessageStore>)
            .build()
            .unwrap();
        let id = number.to_string();
        let session = harness.session(id.as_str(), AgentDef::new("a")).system_prompt(recording.system_prompt());
        let session = session.open().await.unwrap();
        for prompt in recording.prompts() {
            let reply = session.turn(None, prompt).await;
            // A recording can end with a message of the person or of a tool.
            unanswered += u32::from(!matches!(reply.outcome, Outcome::Answered(_)));
        }
        let stored = store.page(&id, None, 10_000).await.unwrap().rows;
        let instructions = messages.iter().filter(|message| message.role == Role::System).count();
        said += messages.len() - instructions;
        kept += stored.len();
        let mut open = Vec::new();
        for block in stored.iter().flat_map(|row| &row.message.content) {
            match block {
                Block::ToolUse(call) => open.push(call.id.clone()),
                Block::ToolResult(result) => {
                    assert_eq!(open.pop().as_deref(), Some(result.call_id.as_str()), "conversation {id}");
                    calls += 1;
                }
                _ => {}
            }
        }
        assert!(open.is_empty(), "conversation {id}: {open:?}");
        let texts = |messages: &mut dyn Iterator<Item = &Message>| {
            messages.map(|message| message.text().into_owned()).collect::<Vec<_>>()
        };
        let recorded = texts(&mut messages.iter().filter(|message| message.role != Role::System));
        assert_eq!(texts(&mut stored.iter().map(|row| &row.message)), recorded, "conversation {id}");
    }
    println!("{said} messages said, {kept} kept, {calls} calls, {unanswered} prompts without an answer");
    assert_eq!((said, kept, calls, unanswered), (2_426, 2_426, 577, 100));
}
