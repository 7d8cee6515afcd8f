//! What the kinds reject: JSON that is not a message, and subjects that no provider accepts.

use hook_sdk::data::{Block, Messages, ModelReply, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use serde_json::{Value, json};

fn text() -> Value {
    json!({"type": "text", "text": "hi"})
}

/// Blocks of known types in which something is missing or has the wrong type.
fn malformed() -> Vec<Value> {
    vec![
        json!("hi"),
        json!({"text": "hi"}),
        json!({"type": 3}),
        json!({"type": "text"}),
        json!({"type": "text", "text": 3}),
        json!({"type": "tool_use", "name": "lookup", "input": {}}),
        json!({"type": "tool_use", "id": "c", "input": {}}),
        json!({"type": "tool_result", "content": "found"}),
        json!({"type": "tool_result", "tool_use_id": "c", "content": 3}),
        json!({"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text"}]}),
        json!({"type": "image"}),
        json!({"type": "image", "source": "here"}),
        json!({"type": "document", "source": null}),
        json!({"type": "thinking", "signature": "s"}),
        json!({"type": "redacted_thinking"}),
        json!({"type": "image_url", "image_url": "https://example.com"}),
    ]
}

fn well_formed() -> Vec<Value> {
    vec![
        text(),
        json!({"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}),
        json!({"type": "tool_use", "id": "", "name": "lookup", "input": {}}),
        json!({"type": "tool_result", "tool_use_id": "c", "content": "found"}),
        json!({"type": "tool_result", "tool_use_id": "c", "content": [text()], "is_error": true}),
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}),
        json!({"type": "image", "data": "AA==", "mimeType": "image/png"}),
        json!({"type": "document", "source": {"type": "text", "data": "hi"}}),
        json!({"type": "thinking", "thinking": "hm", "signature": "s"}),
        json!({"type": "redacted_thinking", "data": "AA"}),
        json!({"type": "image_url", "image_url": {"url": "https://example.com"}}),
        json!({"type": "hologram"}),
    ]
}

#[test]
fn v7_v10_v11_messages_as_json() {
    for role in ["narrator", "User", ""] {
        assert!(serde_json::from_value::<Message>(json!({"role": role, "content": [text()]})).is_err(), "{role}");
    }
    for content in [json!(3), json!({"type": "text", "text": "hi"}), json!([3])] {
        assert!(serde_json::from_value::<Message>(json!({"role": "user", "content": content})).is_err(), "{content}");
    }
    for block in malformed() {
        assert!(serde_json::from_value::<Message>(json!({"role": "user", "content": [block]})).is_err(), "{block}");
    }
    for block in well_formed() {
        let message = serde_json::from_value::<Message>(json!({"role": "user", "content": [block]}));
        assert!(message.is_ok(), "{block}: {message:?}");
    }
}

/// A bare string means the same as one text block. Providers send both, so a message may contain either.
#[test]
fn v8_a_string_is_one_block_of_text() {
    let message: Message = serde_json::from_value(json!({"role": "user", "content": "hi"})).unwrap();
    assert_eq!(serde_json::to_value(&message).unwrap()["content"], json!([text()]));
}

#[test]
fn v13_null_where_something_is_required() {
    for message in
        [json!({"role": null, "content": []}), json!({"content": []}), json!({"role": "user", "content": null})]
    {
        assert!(serde_json::from_value::<Message>(message.clone()).is_err(), "{message}");
    }
    assert!(serde_json::from_value::<ModelReply>(json!({"content": null})).is_err());
}

#[test]
fn v14_the_content_of_a_reply_is_a_list_of_blocks() {
    assert!(serde_json::from_value::<ModelReply>(json!({"content": "rewritten"})).is_err());
    for block in malformed() {
        assert!(serde_json::from_value::<ModelReply>(json!({"content": [block]})).is_err(), "{block}");
    }
    for block in well_formed() {
        assert!(serde_json::from_value::<ModelReply>(json!({"content": [block]})).is_ok(), "{block}");
    }
}

/// Fires `K` at a hook that turns the subject into `after`. Returns whether the hook failed, and the rule that it
/// broke.
fn left<K: HookKind>(event: &K, before: K::Subject, after: K::Subject) -> Option<String> {
    let registry = Registry::empty();
    let write = move |_: &HookContext, _: &K, subject: &mut K::Subject| subject.clone_from(&after);
    registry.register(Hook::at::<K>("writes").writer(write)).unwrap();
    let hooks = registry.scope(&AgentDef::new("test").hooks(["writes"]), None).unwrap();
    let fired = hooks.fire_blocking(&HookContext::new(), event, before).unwrap_or_else(|error| panic!("{error}"));
    fired.report.failures.first().map(ToString::to_string)
}

fn list(messages: Value) -> Messages {
    serde_json::from_value(messages).unwrap()
}

/// Built from Rust, where no JSON is read and the block is not checked.
fn with(block: &Value) -> Messages {
    Messages::from(vec![Message::of(Role::User, vec![Block::Other(block.clone())])])
}

fn call() -> Value {
    json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "t", "input": {}}]})
}

fn result() -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "found"}]})
}

fn says(role: &str) -> Value {
    json!({"role": role, "content": [text()]})
}

/// Subject before, subject after, and the expected failure.
fn changes() -> Vec<(Messages, Messages, Option<&'static str>)> {
    let pair = || list(json!([says("user"), call(), result()]));
    vec![
        (pair(), pair(), None),
        (pair(), list(json!([says("user")])), None),
        (pair(), list(json!([says("user"), result()])), Some("the result of tool call `c` has no call before it")),
        (pair(), list(json!([says("user"), call()])), Some("tool call `c` has no result")),
        (pair(), list(json!([result(), call()])), Some("the result of tool call `c` has no call before it")),
        (list(json!([call()])), list(json!([says("user"), call()])), None),
        (pair(), with(&json!({"type": "image"})), Some("a block of type `image` needs `source`, an object")),
        (pair(), with(&json!({"type": "hologram", "beam": 7})), None),
        (pair(), with(&json!(3)), Some("a block is an object with a `type`")),
        (
            pair(),
            with(&json!({"type": "tool_use", "id": "x"})),
            Some("a block of type `tool_use` must be its own variant"),
        ),
        (with(&json!({"type": "image"})), with(&json!({"type": "image"})), None),
    ]
}

fn assert_failures(reported: Option<&String>, expected: Option<&str>, at: &str) {
    match (reported, expected) {
        (None, None) => {}
        (Some(reported), Some(expected)) if reported.contains(expected) => {}
        _ => panic!("{at}: expected {expected:?}, found {reported:?}"),
    }
}

#[test]
fn s17_histories_that_no_provider_takes() {
    for (i, (before, after, expected)) in changes().into_iter().enumerate() {
        let reported = left(&FilterMessages::new(), before.clone(), after.clone());
        assert_failures(reported.as_ref(), expected, &format!("filter_messages, row {i}"));
        let reported = left(&PrefilterLlmHistory::new(), before.clone(), after.clone());
        assert_failures(reported.as_ref(), expected, &format!("prefilter_llm_history, row {i}"));
        let event = UserPromptSubmit::new("hi", before.clone());
        assert_failures(
            left(&event, before.clone(), after.clone()).as_ref(),
            expected,
            &format!("user_prompt_submit, {i}"),
        );
        let reply = |messages: &Messages| ModelReply::default().messages(messages.clone());
        let reported = left(&PostModelCall::new("end_turn"), reply(&before), reply(&after));
        assert_failures(reported.as_ref(), expected, &format!("post_model_call, row {i}"));
        let compacted = |messages: &Messages| CompactedHistory::new(messages.clone());
        let reported = left(&PostCompact::new("auto", "full"), compacted(&before), compacted(&after));
        assert_failures(reported.as_ref(), expected, &format!("post_compact, row {i}"));
    }
}

#[test]
fn v7_nobody_adds_instructions_to_a_conversation() {
    let table = [
        (json!([says("user")]), json!([says("system"), says("user")]), true),
        (json!([says("user")]), json!([says("user"), says("developer")]), true),
        (json!([says("system"), says("user")]), json!([says("system"), says("user"), says("user")]), false),
        (json!([says("system"), says("user")]), json!([says("user")]), false),
    ];
    for (before, after, refused) in table {
        let (before, after) = (list(before), list(after));
        let reported = left(&UserPromptSubmit::new("hi", before.clone()), before.clone(), after.clone());
        assert_eq!(
            reported.is_some_and(|reported| reported.contains("role `system`")),
            refused,
            "{before:?} {after:?}"
        );
        assert_eq!(left(&FilterMessages::new(), before, after), None, "messages that are read may contain them");
    }
}

#[test]
fn rows_and_requests() {
    let tool = ToolCall::new("c", "t", json!({}));
    let row = ResultRow::new(&tool, &ToolResult::new("found"));
    let mut other = row.clone();
    other.call_id = "d".to_owned();
    let reported = left(&BeforeStoreToolResult::new(tool.clone()), row.clone(), other);
    assert_failures(reported.as_ref(), Some("`call_id` changed from `c`"), "another call");
    let mut fine = row.clone();
    fine.content = vec![Block::from("masked")];
    assert_failures(left(&BeforeStoreToolResult::new(tool.clone()), row, fine).as_ref(), None, "other content");

    let update = |field: &str, value: Value| MessageUpdate::from_iter([(field, value)]);
    let updates = [
        (update("role", json!("narrator")), Some("unknown role \"narrator\"")),
        (update("role", json!("user")), None),
        (update("content", json!(3)), Some("`content` of the update")),
        (update("content", json!([{"type": "image"}])), Some("`content` of the update")),
        (update("content", json!("hi")), None),
        (update("status", json!("done")), None),
    ];
    for (after, expected) in updates {
        let reported = left(&BeforeUpdateMessage::new("m"), MessageUpdate::default(), after.clone());
        assert_failures(reported.as_ref(), expected, &format!("{after:?}"));
    }

    let reported = left(&PreModelCall::new(), ModelRequest::new("x"), ModelRequest::new("x").profile("  "));
    assert_failures(reported.as_ref(), Some("`profile` is blank"), "profile");

    let bad = || vec![Block::Other(json!({"type": "thinking"}))];
    let expected = Some("a block of type `thinking` needs `thinking`, a string");
    let reported = left(&BeforeCreateMessage::new(), Message::default(), Message::of(Role::User, bad()));
    assert_failures(reported.as_ref(), expected, "row");
    let mut result = ToolResult::new("found");
    result.content = bad();
    assert_failures(
        left(&AfterToolCallSuccess::new(tool.clone(), tool.input), ToolResult::new("x"), result).as_ref(),
        expected,
        "result",
    );
}
