//! The requests that are sent to a provider.

use hook_sdk::data::{Block, Message, Role, ToolCall, ToolResultBlock};
use hooks_agent::model::{Genai, ModelCall};
use hooks_agent::tool::ToolSpec;
use serde_json::{Value, json};

use super::server::{Asked, Reply, Server, call, hello};

async fn sent(message_list: Vec<Message>) -> Value {
    let server = Server::start([Reply::says("ok")]).await;
    let mut asked = ModelCall::default();
    asked.messages = message_list.into();
    call(&server.model(), &asked).await.0.unwrap();
    server.asked()[0].body["messages"].clone()
}

fn block(value: Value) -> Block {
    serde_json::from_value(value).unwrap()
}

#[tokio::test]
async fn a_conversation_is_sent_in_the_provider_s_format() {
    let server = Server::start([Reply::says("ok")]).await;
    let mut asked = hello();
    asked.system_prompt = "Be brief.".to_owned();
    asked.messages.push(Message::of(
        Role::Assistant,
        vec![Block::from("Let me see."), Block::ToolUse(ToolCall::new("a", "find", json!({ "id": 7 })))],
    ));
    let mut result = ToolResultBlock::new("a", vec![Block::from("found"), Block::from("it")]);
    result.name = Some("find".to_owned());
    asked.messages.push(Message::of(Role::Tool, vec![Block::ToolResult(result)]));
    let schema = json!({ "type": "object", "properties": { "id": { "type": "integer" } } });
    asked.tools = vec![ToolSpec::new("find").description("Finds it.").schema(schema.clone())];
    let model = server.model().max_tokens(50).extra(json!({ "top_k": 3 }));
    call(&model, &asked).await.0.unwrap();

    let Asked { head, body } = &server.asked()[0];
    assert!(head.starts_with("post /v1/chat/completions "), "{head}");
    assert_eq!((&body["model"], &body["stream"]), (&json!("test-model"), &json!(true)));
    assert_eq!((&body["max_tokens"], &body["top_k"]), (&json!(50), &json!(3)));
    assert_eq!(body["tools"][0]["function"]["parameters"], schema);
    assert_eq!(body["tools"][0]["function"]["description"], "Finds it.");
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0], json!({ "role": "system", "content": "Be brief." }));
    assert_eq!(messages[1], json!({ "role": "user", "content": "hello" }));
    assert_eq!(messages[2]["content"], "Let me see.");
    let function = json!({ "name": "find", "arguments": "{\"id\":7}" });
    assert_eq!(messages[2]["tool_calls"], json!([{ "type": "function", "id": "a", "function": function }]));
    assert_eq!(messages[3]["role"], "tool");
    assert_eq!(messages[3]["tool_call_id"], "a");
    assert_eq!(messages[3]["content"], "found\nit");
}

#[tokio::test]
async fn results_in_a_message_of_the_user_come_first() {
    let result = ToolResultBlock::new("a", vec![Block::from("found")]);
    let call = Block::ToolUse(ToolCall::new("a", "find", json!({})));
    let messages = sent(vec![
        Message::of(Role::Assistant, vec![call]),
        Message::of(Role::User, vec![Block::ToolResult(result), Block::from("and now?")]),
    ]);
    let roles: Vec<_> = messages.await.as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["assistant", "tool", "user"]);
}

#[tokio::test]
async fn the_arguments_of_a_call_are_always_sent_as_an_object() {
    for (written, expected) in [
        (json!({ "id": 7 }), json!({ "id": 7 })),
        (json!(null), json!({})),
        (json!("{\"id"), json!({ "arguments": "{\"id" })),
        (json!([1]), json!({ "arguments": [1] })),
    ] {
        let call = Block::ToolUse(ToolCall::new("a", "find", written));
        let result = Block::ToolResult(ToolResultBlock::new("a", vec![Block::from("no")]));
        let messages =
            sent(vec![Message::of(Role::Assistant, vec![call]), Message::of(Role::Tool, vec![result])]).await;
        let arguments = messages[0]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(arguments).unwrap(), expected);
    }
}

#[tokio::test]
async fn a_call_is_sent_with_the_role_of_the_assistant_whatever_the_role_of_its_row() {
    for role in [Role::User, Role::System, Role::Tool] {
        let call = Block::ToolUse(ToolCall::new("a", "find", json!({})));
        let result = Block::ToolResult(ToolResultBlock::new("a", vec![Block::from("found")]));
        let messages = sent(vec![Message::of(role, vec![call]), Message::of(Role::Tool, vec![result])]).await;
        assert_eq!((&messages[0]["role"], &messages[0]["tool_calls"][0]["id"]), (&json!("assistant"), &json!("a")));
        assert_eq!(messages[1]["tool_call_id"], "a");
    }
}

#[tokio::test]
async fn images_are_sent_and_unknown_blocks_are_omitted() {
    let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } });
    let url = json!({ "type": "image_url", "image_url": { "url": "https://example.org/a.png" } });
    let data = json!({ "type": "image_url", "image_url": { "url": "data:image/gif;base64,BBBB" } });
    let messages = sent(vec![Message::of(
        Role::User,
        vec![
            Block::from("look"),
            block(image),
            block(url.clone()),
            block(data.clone()),
            block(json!({ "type": "hologram", "beam": 7 })),
        ],
    )])
    .await;
    assert_eq!(
        messages[0]["content"],
        json!([
            { "type": "text", "text": "look" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
            url,
            data,
        ])
    );
}

#[tokio::test]
async fn blocks_of_a_result_that_are_not_text_are_sent_as_a_placeholder() {
    let call = Block::ToolUse(ToolCall::new("a", "paint", json!({})));
    let image = block(json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" }));
    let result = Block::ToolResult(ToolResultBlock::new("a", vec![Block::from("done"), image]));
    let messages = sent(vec![Message::of(Role::Assistant, vec![call]), Message::of(Role::Tool, vec![result])]).await;
    assert_eq!(messages[1]["content"], "done\n[left out, not text: image]");
}

#[tokio::test]
async fn the_configured_key_is_sent_and_none_of_the_environment() {
    for (key, header) in [(Some("secret"), "authorization: bearer secret"), (None, "authorization: bearer none")] {
        let server = Server::start([Reply::says("ok")]).await;
        let model = Genai::new("gpt-4o").base_url(server.url.clone() + "/");
        let model = if let Some(key) = key { model.api_key(key) } else { model };
        call(&model, &hello()).await.0.unwrap();
        let asked = server.asked();
        assert!(asked[0].head.contains(header), "{}", asked[0].head);
        assert!(!format!("{model:?}").contains("secret"));
    }
}

#[tokio::test]
async fn call_options_set_by_a_hook_replace_those_of_the_model() {
    let server = Server::start([Reply::says("ok")]).await;
    let mut asked = hello();
    asked.tools = vec![ToolSpec::new("find")];
    asked.tool_choice = Some("find".to_owned());
    (asked.temperature, asked.max_tokens) = (Some(0.5), Some(64));
    asked.extra.insert("seed".to_owned(), json!(7));
    let model = server.model().max_tokens(50).temperature(1.0).extra(json!({ "top_k": 3 }));
    call(&model, &asked).await.0.unwrap();
    let body = &server.asked()[0].body;
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.5), &json!(64)));
    assert_eq!((&body["seed"], &body["top_k"]), (&json!(7), &json!(3)));
    assert_eq!(body["tool_choice"]["function"]["name"], "find");
}

/// A model with Anthropic's protocol on this server.
fn anthropic(server: &Server) -> Genai {
    Genai::new("anthropic::claude-test").base_url(server.url.as_str()).api_key("secret")
}

/// The positions of cache marks in a body.
fn marks(at: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "cache_control" => found.push(format!("{at}: {}", value["type"].as_str().unwrap())),
                    _ => marks(&format!("{at}/{name}"), value, found),
                }
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| marks(&format!("{at}/{index}"), value, found));
        }
        _ => {}
    }
}

#[tokio::test]
async fn cache_marks_are_sent_only_if_prompt_caching_is_enabled() {
    let mut asked = hello();
    asked.system_prompt = "Be brief.".to_owned();
    asked.tools = vec![ToolSpec::new("find")];
    let calls = Block::ToolUse(ToolCall::new("a", "find", json!({ "id": 7 })));
    asked.messages.push(Message::of(Role::Assistant, vec![calls]));
    let result = ToolResultBlock::new("a", vec![Block::from("found")]);
    asked.messages.push(Message::of(Role::Tool, vec![Block::ToolResult(result)]));
    let server = Server::start([Reply::stream(), Reply::stream(), Reply::says("ok")]).await;
    for model in [anthropic(&server).cached(), anthropic(&server), server.model().cached()] {
        drop(call(&model, &asked).await);
    }
    let sent = server.asked();
    let marked = |number: usize| {
        let mut found = Vec::new();
        marks("", &sent[number].body, &mut found);
        found.sort();
        found
    };
    assert_eq!(marked(0), ["/messages/2/content/0: ephemeral", "/system/0: ephemeral"]);
    assert_eq!(sent[0].body["system"][0]["text"], "Be brief.");
    assert!(marked(1).is_empty() && marked(2).is_empty(), "{:?}", (marked(1), marked(2)));
    assert_eq!(sent[2].body["messages"][0], json!({ "role": "system", "content": "Be brief." }));
}

#[tokio::test]
async fn the_next_call_begins_with_the_marked_prefix() {
    let mut asked = hello();
    asked.system_prompt = "Be brief.".to_owned();
    let server = Server::start([Reply::stream(), Reply::stream()]).await;
    let model = anthropic(&server).cached();
    drop(call(&model, &asked).await);
    asked.messages.push(Message::new(Role::Assistant, "hello"));
    asked.messages.push(Message::new(Role::User, "and now?"));
    drop(call(&model, &asked).await);
    let sent = server.asked();
    assert_eq!(sent[0].body["system"], sent[1].body["system"]);
    let text = |number: usize| &sent[number].body["messages"][0]["content"];
    // The mark is not part of the content.
    assert_eq!(text(0)[0]["text"], "hello");
    assert_eq!(text(1), "hello");
}
