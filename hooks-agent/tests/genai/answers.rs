//! How answers of a provider are read.

use std::sync::Mutex;

use hook_sdk::data::{Block, Message, Role, Usage};
use hooks_agent::model::{Delta, Deltas, Genai, MAX_TOKENS, Model, ModelCall};
use serde_json::{Value, json};

use super::server::{Reply, Server, call, hello};

async fn answered(reply: Reply) -> (Vec<Block>, String) {
    let server = Server::start([reply]).await;
    let answer = call(&server.model(), &hello()).await.0.unwrap();
    (answer.content, answer.stop_reason)
}

fn tool_calls(calls: &Value) -> Value {
    json!({ "choices": [{ "delta": { "tool_calls": calls } }] })
}

/// The names and arguments of the calls in an answer.
fn calls(content: &[Block]) -> Vec<(String, Value)> {
    let called = content.iter().filter_map(|block| match block {
        Block::ToolUse(call) => Some((call.name.clone(), (*call.input).clone())),
        _ => None,
    });
    called.collect()
}

#[tokio::test]
async fn text_is_reported_piece_by_piece_as_it_arrives() {
    // The server sends the second piece only after the first was shown.
    let server = Server::start([Reply::stream().text("good ").wait().text("morning").end("stop")]).await;
    let reported = Mutex::new(Vec::new());
    let listener = |delta: Delta<'_>| {
        let Delta::Text(text) = delta else { return };
        reported.lock().unwrap().push(text.to_owned());
        server.go_on();
    };
    let model = server.model();
    let answer = model.call(&hello(), Deltas::to(&listener)).await.unwrap();
    assert_eq!(*reported.lock().unwrap(), ["good ", "morning"]);
    assert_eq!(answer.content, [Block::from("good morning")]);
    assert_eq!((answer.stop_reason.as_str(), answer.model.as_str()), ("stop", "test-model"));
}

#[tokio::test]
async fn a_character_that_is_split_between_two_packets_is_decoded() {
    let event = json!({ "choices": [{ "delta": { "content": "grün" } }] });
    let bytes = format!("data: {event}\n\n").into_bytes();
    let middle = bytes.iter().position(|byte| *byte > 127).unwrap() + 1;
    let reply = Reply::stream().bytes(&bytes[..middle]).bytes(&bytes[middle..]).end("stop");
    assert_eq!(answered(reply).await.0, [Block::from("grün")]);
}

#[tokio::test]
async fn usage_is_requested_and_reported_and_a_server_without_it_reports_none() {
    let reported = json!({ "choices": [], "usage": {
        "prompt_tokens": 120, "completion_tokens": 7, "total_tokens": 127, "prompt_tokens_details": { "cached_tokens": 100 },
    } });
    let reply = Reply::stream()
        .text("hello")
        .event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }))
        .event(&reported)
        .bytes(b"data: [DONE]\n\n");
    let server = Server::start([reply, Reply::says("hello")]).await;
    let usage = call(&server.model(), &hello()).await.0.unwrap().usage;
    assert_eq!(usage, Some(Usage::new(120, 7).cache_read(100)));
    assert_eq!(server.asked()[0].body["stream_options"]["include_usage"], true);
    assert_eq!(call(&server.model(), &hello()).await.0.unwrap().usage, None);
}

#[tokio::test]
async fn calls_are_assembled_from_their_pieces() {
    let two = Reply::stream()
        .text("Let me see.")
        .event(&tool_calls(&json!([{ "index": 0, "id": "a", "function": { "name": "find", "arguments": "" } }])))
        .event(&tool_calls(&json!([{ "index": 0, "function": { "arguments": "{\"id\":" } }])))
        .event(&tool_calls(&json!([{ "index": 0, "function": { "arguments": "7}" } }])))
        .event(&tool_calls(&json!([{ "index": 1, "id": "b", "function": { "name": "now", "arguments": "{}" } }])));
    let (content, reason) = answered(two.end("tool_calls")).await;
    assert_eq!(content[0], Block::from("Let me see."));
    assert_eq!(calls(&content), [("find".to_owned(), json!({ "id": 7 })), ("now".to_owned(), json!({}))]);
    assert_eq!(reason, "tool_calls");
}

#[tokio::test]
async fn arguments_are_unchanged_and_missing_ones_are_an_empty_object() {
    for (written, read) in [("", json!({})), ("{}", json!({})), ("{oops", json!("{oops"))] {
        let (content, _) = answered(Reply::calls("a", "find", written)).await;
        assert_eq!(calls(&content), [("find".to_owned(), read)]);
    }
}

#[tokio::test]
async fn a_provider_whose_call_indexes_start_at_one_makes_one_call() {
    for arguments in ["", "{\"id\":7}"] {
        let first = json!([{ "index": 1, "id": "a", "function": { "name": "find", "arguments": arguments } }]);
        let rest =
            json!([{ "index": 1, "function": { "arguments": if arguments.is_empty() { "{\"id\":7}" } else { "" } } }]);
        let reply = Reply::stream().event(&tool_calls(&first)).event(&tool_calls(&rest)).end("tool_calls");
        assert_eq!(calls(&answered(reply).await.0), [("find".to_owned(), json!({ "id": 7 }))]);
    }
}

#[tokio::test]
async fn two_equal_calls_stay_two_calls() {
    let call =
        |index: u32, id: &str| json!({ "index": index, "id": id, "function": { "name": "now", "arguments": "{}" } });
    let reply = Reply::stream().event(&tool_calls(&json!([call(0, "a"), call(1, "b")]))).end("tool_calls");
    assert_eq!(calls(&answered(reply).await.0).len(), 2);
}

#[tokio::test]
async fn a_truncated_answer_has_the_stop_reason_of_the_loop() {
    let (content, reason) = answered(Reply::stream().text("It is a long").end("length")).await;
    assert_eq!((content, reason.as_str()), (vec![Block::from("It is a long")], MAX_TOKENS));
}

#[tokio::test]
async fn lines_that_are_not_part_of_an_answer_are_ignored() {
    let reply = Reply::stream()
        .bytes(b": keep-alive\n\n")
        .event(&json!({ "choices": [], "usage": { "total_tokens": 3 } }))
        .text("yes")
        .end("stop");
    assert_eq!(answered(reply).await.0, [Block::from("yes")]);
}

#[tokio::test]
async fn thoughts_are_sent_only_to_the_model_that_had_them() {
    let thinks = Reply::stream()
        .event(&json!({ "choices": [{ "delta": { "reasoning_content": "Which " } }] }))
        .event(&json!({ "choices": [{ "delta": { "reasoning_content": "one?" } }] }))
        .text("This one.")
        .end("stop");
    let server = Server::start([thinks, Reply::says("ok"), Reply::says("ok")]).await;
    let content = call(&server.model(), &hello()).await.0.unwrap().content;
    let thought = json!({ "type": "thinking", "thinking": "Which one?", "model": "test-model" });
    assert_eq!(content, [Block::Other(thought), Block::from("This one.")]);
    let mut again = hello();
    again.messages.push(Message::of(Role::Assistant, content));
    for model in ["test-model", "another-model"] {
        let model = Genai::new(model).base_url(server.url.as_str());
        call(&model, &again).await.0.unwrap();
    }
    let asked = server.asked();
    let sent = |number: usize| &asked[number].body["messages"][1]["reasoning_content"];
    assert_eq!((sent(1), sent(2)), (&json!("Which one?"), &Value::Null));
    assert_eq!(asked[2].body["messages"][1]["content"], "This one.");
}

#[tokio::test]
async fn thoughts_are_kept_and_sent_again_with_their_signature() {
    let event = |event: &str, data: Value| format!("event: {event}\ndata: {data}\n\n").into_bytes();
    let stream = Reply::stream()
        .bytes(&event("message_start", json!({ "message": { "usage": {} } })))
        .bytes(&event("content_block_start", json!({ "index": 0, "content_block": { "type": "thinking" } })))
        .bytes(&event(
            "content_block_delta",
            json!({ "index": 0, "delta": { "type": "thinking_delta", "thinking": "Which one?" } }),
        ))
        .bytes(&event(
            "content_block_delta",
            json!({ "index": 0, "delta": { "type": "signature_delta", "signature": "signed" } }),
        ))
        .bytes(&event("content_block_stop", json!({ "index": 0 })))
        .bytes(&event(
            "content_block_start",
            json!({ "index": 1, "content_block": { "type": "tool_use", "id": "a", "name": "find", "input": {} } }),
        ))
        .bytes(&event(
            "content_block_delta",
            json!({ "index": 1, "delta": { "type": "input_json_delta", "partial_json": "{\"id\":7}" } }),
        ))
        .bytes(&event("content_block_stop", json!({ "index": 1 })))
        .bytes(&event("message_delta", json!({ "delta": { "stop_reason": "tool_use" }, "usage": {} })))
        .bytes(&event("message_stop", json!({})));
    let server = Server::start([stream.clone(), stream]).await;
    // The prefix of the name determines the protocol.
    let model = Genai::new("anthropic::claude-test").base_url(server.url.as_str()).api_key("secret");
    let answer = call(&model, &hello()).await.0.unwrap();
    let thought = json!({ "type": "thinking", "thinking": "Which one?", "signature": "signed" });
    let mut kept = thought.clone();
    kept["model"] = "anthropic::claude-test".into();
    assert_eq!(answer.content[0], Block::Other(kept));
    assert_eq!(calls(&answer.content), [("find".to_owned(), json!({ "id": 7 }))]);

    let mut again = ModelCall::default();
    again.messages.push(Message::of(Role::Assistant, answer.content));
    call(&model, &again).await.0.unwrap();
    let asked = server.asked();
    assert!(asked[1].head.starts_with("post /v1/messages ") && asked[1].head.contains("x-api-key: secret"));
    assert_eq!(asked[1].body["messages"][0]["content"][0], thought);
    assert_eq!(asked[1].body["messages"][0]["content"][1]["input"], json!({ "id": 7 }));
}

/// The deltas of a stream as strings.
async fn deltas_and_answer(
    model: &Genai,
) -> (Vec<String>, Result<hooks_agent::model::ModelAnswer, hooks_agent::model::ModelError>) {
    let reported = Mutex::new(Vec::new());
    let listener = |delta: Delta<'_>| {
        reported.lock().unwrap().push(match delta {
            Delta::Text(text) => format!("text: {text}"),
            Delta::Thinking(text) => format!("thinking: {text}"),
            Delta::ToolInput { call, tool, text, .. } => format!("{tool} {call}: {text}"),
            _ => "?".to_owned(),
        });
    };
    let answer = model.call(&hello(), Deltas::to(&listener)).await;
    let reported = reported.lock().unwrap().clone();
    (reported, answer)
}

#[tokio::test]
async fn each_piece_of_thoughts_and_inputs_is_reported_once_as_it_arrives() {
    let call = |index: u32, function: &Value| {
        let mut call = json!({ "index": index, "function": function });
        if function.get("name").is_some() {
            call["id"] = format!("c{index}").into();
        }
        tool_calls(&json!([call]))
    };
    let stream = Reply::stream()
        .event(&json!({ "choices": [{ "delta": { "reasoning_content": "Which " } }] }))
        .event(&json!({ "choices": [{ "delta": { "reasoning_content": "one?" } }] }))
        .text("Let me see.")
        .event(&call(0, &json!({ "name": "find", "arguments": "" })))
        .event(&call(0, &json!({ "arguments": "{\"id\":" })))
        .event(&call(0, &json!({ "arguments": "7}" })))
        .event(&call(1, &json!({ "name": "now", "arguments": "{}" })))
        .end("tool_calls");
    let server = Server::start([stream]).await;
    let (reported, answer) = deltas_and_answer(&server.model()).await;
    assert_eq!(
        reported,
        ["thinking: Which ", "thinking: one?", "text: Let me see.", "find c0: {\"id\":", "find c0: 7}", "now c1: {}"]
    );
    assert_eq!(calls(&answer.unwrap().content).len(), 2);
}

#[tokio::test]
async fn each_piece_of_signed_thoughts_is_reported_once_as_it_arrives() {
    let event = |event: &str, data: Value| format!("event: {event}\ndata: {data}\n\n").into_bytes();
    let delta = |index: u32, delta: Value| event("content_block_delta", json!({ "index": index, "delta": delta }));
    let input = |text: &str| delta(1, json!({ "type": "input_json_delta", "partial_json": text }));
    let begins =
        |index: u32, block: Value| event("content_block_start", json!({ "index": index, "content_block": block }));
    let stream = || {
        Reply::stream()
            .bytes(&event("message_start", json!({ "message": { "usage": {} } })))
            .bytes(&begins(0, json!({ "type": "thinking" })))
            .bytes(&delta(0, json!({ "type": "thinking_delta", "thinking": "Which " })))
            .bytes(&delta(0, json!({ "type": "thinking_delta", "thinking": "one?" })))
            .bytes(&event("content_block_stop", json!({ "index": 0 })))
            .bytes(&begins(1, json!({ "type": "tool_use", "id": "a", "name": "find", "input": {} })))
            .bytes(&input("{\"id\":"))
            .bytes(&input("7}"))
    };
    let whole = stream()
        .bytes(&event("content_block_stop", json!({ "index": 1 })))
        .bytes(&event("message_delta", json!({ "delta": { "stop_reason": "tool_use" }, "usage": {} })))
        .bytes(&event("message_stop", json!({})));
    // The second one breaks off in the middle of the input.
    let server = Server::start([whole, stream()]).await;
    let model = Genai::new("anthropic::claude-test").base_url(server.url.as_str()).api_key("secret");
    let pieces = ["thinking: Which ", "thinking: one?", "find a: {\"id\":", "find a: 7}"];
    let (heard, answer) = deltas_and_answer(&model).await;
    assert_eq!(heard, pieces);
    assert_eq!(calls(&answer.unwrap().content), [("find".to_owned(), json!({ "id": 7 }))]);
    let (heard, answer) = deltas_and_answer(&model).await;
    assert_eq!(heard, pieces);
    assert!(matches!(answer, Err(hooks_agent::model::ModelError::Broken(_))), "{answer:?}");
}
