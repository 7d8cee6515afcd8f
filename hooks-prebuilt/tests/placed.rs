//! Where the masks run: every place in which a text can be stored, read, returned or shown.

use hook_sdk::data::{Block, MessageUpdate, ResultRow, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::testing::Trial;
use hooks_prebuilt::{confine_urls, limit_calls, mask_pii, strip_images, strip_invisible};
use serde_json::{Value, json};

fn call() -> ToolCall {
    ToolCall::new("call_1", "lookup", json!({ "to": "ada@example.com", "n": [4_111_111_111_111_111_u64] }))
}

fn blocks() -> Vec<Block> {
    serde_json::from_value(json!([
        { "type": "text", "text": "ada@example.com" },
        { "type": "text", "text": "{\"ada@example.com\": \"4111111111111111\"}" },
        { "type": "text", "text": "see", "citations": [{ "cited_text": "ada@example.com" }] },
        { "type": "tool_use", "id": "call_1", "name": "mail", "input": { "to": ["ada@example.com"] } },
        { "type": "tool_use", "id": "call_2", "name": "mail", "input": {}, "caller": "ada@example.com" },
        { "type": "hologram", "beam": { "label": "to ada@example.com", "data": "QUJD" } },
    ]))
    .unwrap()
}

/// Whether nothing personal is left.
fn is_clean(value: &impl serde::Serialize) {
    let text = serde_json::to_string(value).unwrap();
    assert!(!text.contains("ada@") && !text.contains("4111") && text.contains("[email]"), "{text}");
}

fn trial() -> Trial {
    Trial::of(hooks![mask_pii])
}

#[test]
fn personal_data_is_masked_wherever_it_is_stored() {
    let row = Message::of(Role::Assistant, blocks());
    is_clean(&trial().run_blocking(&BeforeCreateMessage::new(), row).unwrap().subject);
    let update =
        MessageUpdate::from_iter([("content", json!("ada@example.com")), ("meta", json!({ "x": "ada@example.com" }))]);
    is_clean(&trial().run_blocking(&BeforeUpdateMessage::new("m1"), update).unwrap().subject);
    let row = ResultRow::new(&call(), &ToolResult::new("ada@example.com"));
    is_clean(&trial().run_blocking(&BeforeStoreToolResult::new(call()), row).unwrap().subject);
}

#[test]
fn personal_data_is_masked_wherever_a_model_reads_it() {
    let result: Value = json!({ "type": "tool_result", "tool_use_id": "call_1", "content": "ada@example.com", "structuredContent": { "mail": "ada@example.com" } });
    let answer = Message::of(Role::Tool, vec![serde_json::from_value(result).unwrap()]);
    let history = Messages::from(vec![Message::of(Role::Assistant, blocks()), answer]);
    is_clean(&trial().run_blocking(&PrefilterLlmHistory::new(), history).unwrap().subject);

    let mut result = ToolResult::new("{\"mail\": \"ada@example.com\"}");
    result.add_context("ask ada@example.com");
    let event = AfterToolCallSuccess::new(call(), call().input);
    is_clean(&trial().run_blocking(&event, result).unwrap().subject);
    let event = AfterToolCallFailure::new(call(), call().input, "x");
    is_clean(&trial().run_blocking(&event, ToolResult::error("no such user: ada@example.com")).unwrap().subject);
}

#[test]
fn an_agent_program_is_answered_by_the_hooks_of_a_list() {
    use hooks_hosts::{Request, Responder, Stdout, find};

    let registry = Registry::empty().with(hooks![confine_urls, limit_calls]).unwrap();
    let list = json!({ "name": "ready", "hooks": [
        { "id": "confine_urls", "with": { "hosts": ["example.org"] } },
        { "id": "limit_calls", "with": { "limits": { "WebFetch": { "conversation": 2 } } } },
    ] });
    registry.set_app(AppDef::from_json("ready.json", &list.to_string()).unwrap());
    let responder = Responder::new(registry).unwrap();
    let call = |session: &str, url: &str| {
        let stdin = json!({
            "session_id": session, "transcript_path": "/t.jsonl", "cwd": "/", "hook_event_name": "PreToolUse",
            "tool_name": "WebFetch", "tool_input": { "url": url, "prompt": "read" },
        });
        let request = stdin.to_string();
        let answer = responder.respond_blocking(&Request::new(find("claude").unwrap(), request.as_bytes())).unwrap();
        match answer.stdout {
            Stdout::Json(said) => said["hookSpecificOutput"]["permissionDecisionReason"].to_string(),
            _ => "none".to_owned(),
        }
    };
    assert!(call("a", "https://evil.org").contains("`evil.org` is not listed"));
    let answers = ["a", "a", "a", "b"].map(|session| call(session, "https://example.org/").contains("2 times"));
    assert_eq!(answers, [false, false, true, false], "a denied call does not count");
}

#[test]
fn a_tool_gets_what_the_model_wrote() {
    let registry = Registry::empty().with(hooks![mask_pii]).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(hooks![mask_pii]), None).unwrap();
    assert!(!set.has::<BeforeToolCall>());
}

#[test]
fn an_image_is_replaced_in_answers_rows_and_streams() {
    let trial = || Trial::of(hooks![strip_images]).with("strip_images", json!({ "hosts": ["good.org"] }));
    let text = "see ![it](https://evil.org)";
    let reply = ModelReply::new(vec![Block::from(text)]);
    let ran = trial().run_blocking(&PostModelCall::new("end_turn"), reply).unwrap();
    assert_eq!(ran.subject.content[0].as_text(), Some("see it"));
    let ran = trial().run_blocking(&BeforeCreateMessage::new(), Message::new(Role::Assistant, text)).unwrap();
    assert_eq!(ran.subject.text(), "see it");
    let ran = trial().run_blocking(&StreamDelta::new("text").last(true), text.to_owned()).unwrap();
    assert_eq!(ran.subject, "see it");
}

#[test]
fn a_stream_stops_before_it_shows_the_beginning_of_an_image_that_is_longer_than_its_hold() {
    let open = |url: usize, tag: bool| {
        let (from, to) = if tag { ("<img src='", "") } else { ("![it](", "") };
        let window = format!("see {from}https://evil.org/{}{to}", "a".repeat(url));
        Trial::of(hooks![strip_images]).run_blocking(&StreamDelta::new("text"), window).unwrap()
    };
    for tag in [false, true] {
        assert!(open(1_000, tag).verdict.is_silent(), "{tag}");
        open(3_000, tag).expect_denied("2000 characters");
    }
}

/// Whatever the order of the list.
#[test]
fn a_character_that_nobody_sees_parts_no_value() {
    let registry = Registry::empty().with(hooks![mask_pii, strip_invisible]).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["mask_pii", "strip_invisible"]), None).unwrap();
    let event = AfterToolCallSuccess::new(call(), call().input);
    let result = ToolResult::new("a\u{200b}d\u{200b}a@exam\u{e0041}ple.com");
    let fired = set.fire_blocking(&HookContext::new(), &event, result).unwrap();
    assert_eq!(fired.subject.unwrap().text(), "[email]");
}

#[test]
fn invisible_characters_are_removed_from_prompts_results_and_history() {
    let trial = || Trial::of(hooks![strip_invisible]);
    let hidden = "a\u{e0041}b\u{200b}";
    let messages = Messages::from(vec![Message::new(Role::User, hidden)]);
    let ran = trial().run_blocking(&UserPromptSubmit::new(hidden, messages.clone()), messages.clone()).unwrap();
    assert_eq!(ran.subject[0].text(), "ab");
    assert_eq!(trial().run_blocking(&PrefilterLlmHistory::new(), messages).unwrap().subject[0].text(), "ab");
    let result = ToolResult::new(format!("{{\"x\": \"{hidden}\", \"y\": \"\\u200bz\"}}"));
    let ran = trial().run_blocking(&AfterToolCallSuccess::new(call(), call().input), result).unwrap();
    assert_eq!(ran.subject.unwrap().text(), "{\"x\": \"ab\", \"y\": \"z\"}");
}

#[test]
fn an_app_that_links_the_crate_need_not_list_its_hooks() {
    let findings = Registry::discover().unwrap().audit([]);
    assert_eq!(findings, [], "{findings:?}");
}
