//! Where the masks run: every place in which a text can be stored, read, returned or shown.

use hook_sdk::data::{Block, MessageUpdate, ResultRow, Role};
use hook_sdk::diagnostics::{FindingKind, HarnessFacts};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::testing::Trial;
use hooks_prebuilt::{
    MaskPii, MaskSecrets, confine_urls, limit_calls, mask_pii, mask_secrets, strip_images, strip_invisible,
};
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
fn what_is_shown_of_an_input_is_masked_too() {
    let input = r#"{"to": "ada@example.com", "card": "x\n4111111111111111"}"#;
    for channel in ["text", "thinking", "tool_input"] {
        let event = StreamDelta::new(channel).last(true);
        let shown = trial().run_blocking(&event, input.to_owned()).unwrap().subject;
        assert_eq!(shown, r#"{"to": "[email]", "card": "x\n[card]"}"#, "{channel}");
    }
}

/// What another mask makes longer in the part that is held back moves nothing out of it that is not judged.
#[test]
fn a_value_before_many_secrets_is_not_shown() {
    let registry = Registry::empty().with(hooks![mask_pii, mask_secrets]).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["mask_pii", "mask_secrets"]), None).unwrap();
    let secrets = "--token k7Qd81mZ ".repeat(40);
    for lead in 0..9 {
        let text = format!("{}4111 1111 1111 1111 {secrets}", "and ".repeat(lead));
        let (mut shown, mut held) = (String::new(), String::new());
        for piece in text.as_bytes().chunks(9) {
            held.push_str(std::str::from_utf8(piece).unwrap());
            let event = StreamDelta::new("text").shown(std::sync::Arc::new(shown.clone())).fresh(piece.len());
            held = set.fire_blocking(&HookContext::new(), &event, held).unwrap().subject;
            let from = held.len() - set.hold::<StreamDelta>().of(&held).len();
            shown.extend(held.drain(..from));
        }
        assert!(shown.contains("[card]") && !shown.contains("1111"), "{shown}");
    }
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

#[test]
fn every_hook_says_what_its_failure_does() {
    let registry = Registry::discover().unwrap();
    let list = json!({ "name": "all", "hooks": [
        "check_input", "deny_secrets", "mask_pii", "mask_secrets", "retry_tools", "strip_images", "strip_invisible",
        { "id": "ask_for", "with": { "pay": "ask" } },
        { "id": "budget", "with": { "cost": 0.5, "prices": { "*": { "input": 3, "output": 15 } } } },
        { "id": "cap_results", "with": { "tools": { "read_log": 4000 } } },
        { "id": "confine_commands", "with": { "tools": ["Bash"], "allow": ["ls"] } },
        { "id": "confine_paths", "with": { "fields": { "read": ["path"] }, "roots": ["/tmp"] } },
        { "id": "confine_urls", "with": { "hosts": ["example.org"] } },
        { "id": "limit_calls", "with": { "limits": { "WebFetch": { "conversation": 2 } } } },
        { "id": "read_only_sql", "with": { "fields": { "query": ["sql"] }, "dialect": "postgres" } },
    ] });
    let set = registry.scope(&AgentDef::from_json("all.json", &list.to_string()).unwrap(), None).unwrap();
    let all: Vec<String> = registry.hooks().iter().map(|hook| hook.id().as_str().to_owned()).collect();
    assert!(all.iter().all(|id| list.to_string().contains(&format!("{id:?}"))), "{all:?}");
    let findings = registry.audit([&set]);
    let left = findings.iter().filter(|finding| finding.kind() == FindingKind::RewriteWithoutPolicy);
    assert_eq!(left.count(), 0, "{findings:?}");
}

/// A guard of a tool that does not exist guards nothing.
#[test]
fn a_misspelt_tool_in_the_parameters_of_a_hook_is_found() {
    let registry = Registry::discover().unwrap();
    let facts = HarnessFacts::new().tools(["refund", "read_file"]);
    for (id, with, misspelt) in [
        ("ask_for", json!({ "refnd": "deny" }), true),
        ("ask_for", json!({ "refund": "deny", "ref*": "ask" }), false),
        ("cap_results", json!({ "tools": { "read_fil": 1000 } }), true),
        ("check_input", json!({ "schemas": { "refnd": { "properties": {} } } }), true),
        ("confine_commands", json!({ "tools": ["refnd"], "allow": ["ls"] }), true),
        ("confine_commands", json!({ "tools": ["*"], "allow": ["ls"] }), false),
        ("confine_paths", json!({ "fields": { "raed_file": ["path"] }, "roots": ["/srv"] }), true),
        ("confine_paths", json!({ "fields": { "read_*": ["path"], "write_*": ["path"] }, "roots": ["/srv"] }), false),
        ("confine_urls", json!({ "hosts": ["example.org"], "fields": { "refnd": ["url"] } }), true),
        ("confine_urls", json!({ "hosts": ["example.org"], "tools": ["refnd"] }), true),
        ("check_input", json!({ "tools": ["refnd"] }), true),
        ("retry_tools", json!({ "tools": ["refnd"] }), true),
        ("deny_secrets", json!({ "tools": ["refund", "read_fiel"] }), true),
        ("deny_secrets", json!({ "tools": ["refund"] }), false),
        ("limit_calls", json!({ "limits": { "refnd": { "turn": 1 } } }), true),
        ("read_only_sql", json!({ "fields": { "refnd": ["sql"] }, "dialect": "postgres" }), true),
    ] {
        let list = json!({ "name": "a", "hooks": [{ "id": id, "with": with }] }).to_string();
        let set = registry.scope(&AgentDef::from_json("a.json", &list).unwrap(), None).unwrap();
        let findings = registry.audit_with([&set, &set], &facts);
        let of_tools: Vec<_> = findings.iter().filter(|found| found.kind() == FindingKind::MatchesNothing).collect();
        assert_eq!(of_tools.len(), usize::from(misspelt), "{list}: {findings:?}");
        assert!(of_tools.iter().all(|found| found.to_string().contains("did you mean")), "{of_tools:?}");
    }
}

/// Padding hides nothing, and neither does a depth at which a walk of the tree would end the program.
#[test]
fn long_and_deep_json_is_masked_in_time() {
    let key = format!("AKIA{}", "Q3EGZ5XYVTLPW2QF");
    for padding in ["a/", "+", "A=", "4111/"] {
        for (hook, value) in [("mask_secrets", &*key), ("mask_pii", "4111111111111111")] {
            let text = json!({ "x": format!("{}/{value}/{}", padding.repeat(2_000), padding.repeat(300)) }).to_string();
            let trial = Trial::of(hooks![mask_pii, mask_secrets]);
            let event = AfterToolCallSuccess::new(call(), call().input);
            let left = trial.run_blocking(&event, ToolResult::new(text.as_str())).unwrap().subject.unwrap();
            assert!(!left.text().contains(value) && left.text().len() > 2_000, "{hook}: {padding}");
        }
    }
    // Does not end in time if a key is read again with each value in it.
    let text = format!("{{\"{}\": [{}\"ada@example.com\"]}}", "k".repeat(100_000), "\"a1\", ".repeat(50_000));
    assert!(
        MaskSecrets::default().mask(&text).is_none() && MaskPii::default().mask(&text).unwrap().contains("[email]")
    );
    // Or if each level is.
    for (open, inner, close) in [("[", "\"\\u0061da@example.com\"", "]"), ("{\"a\":", "4111111111111111", "}")] {
        let deep = |count: usize| format!("{}{inner}{}", open.repeat(count), close.repeat(count));
        for mask in [|text: &str| MaskPii::default().mask(text), |text: &str| MaskSecrets::default().mask(text)] {
            let _ = mask(&deep(100_000));
        }
        let masked = MaskPii::default().mask(&deep(100_000)).unwrap();
        assert!(masked.contains("\"[email]\"") || masked.contains("\"[card]\""));
    }
}
