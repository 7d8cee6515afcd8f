//! Transcripts of Claude Code are imported as conversations without loss.

use hook_sdk::data::{Block, Message};
use hook_sdk::prelude::*;
use hooks_agent::Harness;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::store::{MessageStore, StoreError};
use hooks_store::Transcript;

use crate::databases;

/// A session with parallel calls, a compaction, a rewound prompt, and other things that such files contain.
const TRANSCRIPT: &str = r#"
{"type": "summary", "summary": "an older session", "leafUuid": "x"}
{"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s-1", "message": {"role": "user", "content": "look around"}}
{"type": "assistant", "uuid": "a1", "parentUuid": "u1", "message": {"id": "m1", "role": "assistant", "model": "m", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}], "usage": {"input_tokens": 3}}}
{"type": "assistant", "uuid": "a2", "parentUuid": "a1", "message": {"id": "m1", "role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]}}
{"type": "user", "uuid": "r1", "parentUuid": "a2", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a file"}]}}
{"type": "assistant", "uuid": "a3", "parentUuid": "a2", "message": {"id": "m1", "role": "assistant", "content": [{"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "pwd"}}]}}
{"type": "user", "uuid": "r2", "parentUuid": "a3", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "/shop", "is_error": true}]}}
{"type": "user", "uuid": "k1", "parentUuid": "a1", "isSidechain": true, "message": {"role": "user", "content": "a sub-agent's"}}
{"type": "assistant", "uuid": "e1", "parentUuid": "r2", "isApiErrorMessage": true, "message": {"id": "e", "role": "assistant", "content": [{"type": "text", "text": "API Error: 529"}]}}
{"type": "assistant", "uuid": "a4", "parentUuid": "r2", "message": {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "one file"}]}}
{"type": "assistant", "uuid": "a4", "parentUuid": "r2", "message": {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "one file"}]}}
{"type": "system", "subtype": "compact_boundary", "uuid": "c1", "parentUuid": null, "content": "compacted"}
{"type": "user", "uuid": "u2", "parentUuid": "c1", "isCompactSummary": true, "message": {"role": "user", "content": "Summary: one file in /shop"}}
{"type": "user", "uuid": "u3", "parentUuid": "u2", "message": {"role": "user", "content": "a joke please"}}
{"type": "user", "uuid": "u5", "parentUuid": "u3", "message": {"role": "user", "content": []}}
{"type": "user", "uuid": "u6", "parentUuid": "u3", "message": {"role": "user", "content": " "}}
{"type": "assistant", "uuid": "a8", "parentUuid": "u3", "message": {"id": "m3", "role": "assistant", "content": []}}
{"type": "assistant", "uuid": "a5", "parentUuid": "u3", "message": {"id": "m3", "role": "assistant", "content": [{"type": "text", "text": "knock knock"}]}}
{"type": "user", "uuid": "u4", "parentUuid": "u2", "message": {"role": "user", "content": [{"type": "text", "text": "remove it"}]}}
{"type": "assistant", "uuid": "a6", "parentUuid": "u4", "message": {"id": "m4", "role": "assistant", "content": [{"type": "tool_use", "id": "t3", "name": "Bash", "input": {"command": "rm file"}}]}}
{"type": "user", "uuid": "r9", "parentUuid": "a6", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a second result"}]}}
{"type": "assistant", "uuid": "a7", "parentUuid": "r9", "mess"#;

/// The content of a message as a short text.
fn words(message: &Message) -> String {
    let block = |block: &Block| match block {
        Block::Text(text) => text.text.clone(),
        Block::ToolUse(call) => format!("call {}", call.id),
        Block::ToolResult(result) => {
            format!("result {}{}", result.call_id, if result.is_error { " failed" } else { "" })
        }
        _ => "other".to_owned(),
    };
    format!("{}: {}", message.role, message.content.iter().map(block).collect::<Vec<_>>().join(", "))
}

fn transcript() -> Transcript {
    Transcript::claude_code(TRANSCRIPT.trim_start().as_bytes()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_imported_transcript_is_complete_and_has_the_view_of_its_program() {
    let transcript = transcript();
    assert_eq!((transcript.session.as_deref(), transcript.unreadable.as_slice()), (Some("s-1"), [22].as_slice()));
    let skipped: Vec<_> = transcript.skipped.iter().map(|(what, number)| (what.as_str(), *number)).collect();
    assert_eq!(
        skipped,
        [
            ("compact_boundary", 1),
            ("empty message", 3),
            ("failed request", 1),
            ("repeated", 1),
            ("sub-agent", 1),
            ("summary", 1),
            ("tool_result without a call", 1),
        ]
    );
    for database in databases::all().await {
        let store = &database.store;
        store.import("c", &transcript).await.unwrap();
        let history = store.history("c", None, 100).await.unwrap().rows;
        let history: Vec<_> = history.iter().map(|row| words(&row.message)).collect();
        let read = store.page("c", None, 100).await.unwrap().rows;
        let read: Vec<_> = read.iter().map(|row| words(&row.message)).collect();
        assert_eq!(
            history,
            [
                "user: look around",
                "assistant: other, call t1, call t2",
                "tool: result t1",
                "tool: result t2 failed",
                "assistant: one file",
                "user: Summary: one file in /shop",
                "user: a joke please",
                "assistant: knock knock",
                "user: remove it",
                "assistant: call t3",
            ]
        );
        assert_eq!(read, ["user: Summary: one file in /shop", "user: remove it", "assistant: call t3"]);
        let version = store.page("c", None, 1).await.unwrap().version;
        assert_eq!(version.get() & 0xffff_ffff, 1, "{}: nobody reads a part of the import", database.name);
        let again = store.import("c", &transcript).await;
        assert!(matches!(again, Err(StoreError::Conflict)), "{}: nothing is stored twice: {again:?}", database.name);
    }
}

/// Or else a model could give a new call the id of one in a branch that was left.
#[tokio::test(flavor = "multi_thread")]
async fn an_imported_conversation_is_complete_only_without_rows_that_are_not_read() {
    let prompt = |id: &str, parent: Option<&str>| {
        let message = serde_json::json!({ "role": "user", "content": id });
        serde_json::json!({ "type": "user", "uuid": id, "parentUuid": parent, "message": message }).to_string()
    };
    let straight = [prompt("one", None), prompt("two", Some("one"))].join("\n");
    let rewound = [prompt("one", None), prompt("two", Some("one")), prompt("three", Some("one"))].join("\n");
    for database in databases::all().await {
        for (text, complete) in [(&straight, true), (&rewound, false)] {
            let conversation = format!("complete-{complete}");
            let transcript = Transcript::claude_code(text.as_bytes()).unwrap();
            database.store.import(&conversation, &transcript).await.unwrap();
            let page = database.store.page(&conversation, None, 10).await.unwrap();
            assert_eq!((page.rows.len(), page.complete), (2, complete), "{}", database.name);
        }
    }
}

/// The call that had no result when the program ended gets one, so that a model accepts the conversation.
#[tokio::test(flavor = "multi_thread")]
async fn an_imported_conversation_can_be_continued() {
    let database = databases::sqlite().await;
    database.store.import("c", &transcript()).await.unwrap();
    let model = std::sync::Arc::new(Scripted::new([Line::text("it is gone")]));
    let harness = Harness::builder(Registry::empty())
        .shared_model("main", model.clone())
        .store(database.store.clone())
        .build()
        .unwrap();
    let session = harness.session("c", AgentDef::new("clerk")).open().await.unwrap();
    let reply = session.turn(None, "and?").await;
    assert_eq!(reply.to_string(), "it is gone");
    let heard = &model.heard()[0];
    let heard: Vec<_> = heard.messages.iter().map(words).collect();
    assert_eq!(
        heard,
        [
            "user: Summary: one file in /shop",
            "user: remove it",
            "assistant: call t3",
            "tool: result t3 failed",
            "user: and?",
        ]
    );
}
