//! Messages in the formats of providers are read and written without loss.

use hook_sdk::data::{Block, FormatError, Messages};
use hook_sdk::prelude::*;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn anthropic() -> Vec<Value> {
    vec![
        json!({"role": "user", "content": "hello"}),
        json!({"role": "user", "content": ""}),
        json!({"role": "user", "content": []}),
        json!({"role": "user", "content": [{"type": "text", "text": "hello"}], "id": "msg_1"}),
        json!({"role": "user", "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
            {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}, "title": "a"},
            {"type": "text", "text": "what is this?", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
        ]}),
        json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "let me look", "signature": "EqQB"},
            {"type": "redacted_thinking", "data": "Emwk"},
            {"type": "text", "text": "I look it up.", "citations": null},
            {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"id": "4WQ150", "n": 1.5}, "caller": {"type": "direct"}},
            {"type": "tool_use", "id": "toolu_2", "name": "lookup", "input": {}}
        ], "stop_reason": "tool_use", "usage": {"input_tokens": 12}}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": [
                {"type": "text", "text": "one"},
                {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
            ], "is_error": false},
            {"type": "tool_result", "tool_use_id": "toolu_3"},
            {"type": "tool_result", "tool_use_id": "toolu_4", "content": [], "is_error": true, "cache_control": {"type": "ephemeral"}}
        ]}),
        json!({"role": "assistant", "content": [{"type": "hologram", "beam": [7, null]}]}),
    ]
}

#[test]
fn messages_of_anthropic_round_trip() {
    for wire in anthropic() {
        let message = Message::from_anthropic(wire.clone()).unwrap_or_else(|error| panic!("{wire}: {error}"));
        assert_eq!(message.to_anthropic(), wire);
    }
    let list = Messages::from_anthropic(anthropic()).unwrap();
    assert_eq!(list.to_anthropic(), anthropic());
}

#[test]
fn invalid_messages_of_anthropic_are_rejected() {
    let table = [
        (json!("hi"), "message: expected an object"),
        (json!({"role": "system", "content": "hi"}), "role: expected `user` or `assistant`, found `system`"),
        (json!({"role": "narrator", "content": "hi"}), "role: expected `system`"),
        (json!({"role": "user"}), "content: expected a string or a list of blocks, found nothing"),
        (json!({"role": "user", "content": null}), "content: expected a string or a list of blocks, found null"),
        (json!({"role": "user", "content": [{"type": "text"}]}), "content[0]: missing field `text`"),
        (
            json!({"role": "user", "content": [{"type": "text", "text": ""}, {"type": "image"}]}),
            "content[1]: a block of type `image` needs `source`, an object",
        ),
        (
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "b"}]}),
            "content[0].input: expected the tool's input, an object",
        ),
    ];
    for (wire, expected) in table {
        let error = Message::from_anthropic(wire.clone()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{wire}: {error}");
    }
    let error: FormatError = Messages::from_anthropic([json!({"role": "user", "content": ""}), json!({})]).unwrap_err();
    assert_eq!(error.field, "messages[1].role");
}

fn openai() -> Vec<Value> {
    vec![
        json!({"role": "system", "content": "You are a clerk."}),
        json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.com"}}], "name": "ada"}),
        json!({"role": "assistant", "content": null, "refusal": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "lookup", "arguments": "{ \"n\": 1 }"}},
            {"id": "b", "type": "function", "function": {"name": "lookup", "arguments": "{}", "strict": true}}
        ]}),
        json!({"role": "tool", "tool_call_id": "a", "content": "one"}),
        json!({"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "two"}], "name": "lookup"}),
        json!({"role": "assistant", "content": "done"}),
    ]
}

#[test]
fn lists_of_openai_round_trip() {
    assert_eq!(Messages::from_openai(openai()).unwrap().to_openai(), openai());
    let error = Messages::from_openai([json!({"role": "tool", "content": ""})]).unwrap_err();
    assert_eq!(error.field, "messages[0].tool_call_id");
}

#[test]
fn calls_of_openai_are_read_in_every_form() {
    let messages = Messages::from_openai(openai()).unwrap();
    let again: Messages = serde_json::from_value(serde_json::to_value(&messages).unwrap()).unwrap();
    assert_eq!(again[2].tool_calls().count(), 2);
    let wire = messages.to_anthropic();
    assert_eq!(messages.instructions().count(), 1);
    let roles: Vec<_> = wire.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
    assert_eq!(wire[1]["content"][0], json!({"type": "tool_use", "id": "a", "name": "lookup", "input": {"n": 1}}));
    let results: Vec<_> = wire[2]["content"].as_array().unwrap().iter().map(|block| &block["tool_use_id"]).collect();
    assert_eq!(results, ["a", "b"]);
}

/// A custom tool takes text of its own grammar. A call of any other type is kept as it is.
#[test]
fn calls_of_other_types_are_kept_and_do_not_hide_the_rest() {
    let function = json!({"id": "a", "type": "function", "function": {"name": "lookup", "arguments": "{}"}});
    let custom = json!({"id": "b", "type": "custom", "custom": {"name": "run", "input": "1 + 1"}});
    let number = json!({"id": "c", "type": "custom", "custom": {"name": "run", "input": "1"}});
    let unknown = json!({"id": "d", "type": "computer", "action": {"type": "click"}});
    let wire = vec![
        json!({"role": "assistant", "content": null, "tool_calls": [function, custom, number, unknown]}),
        json!({"role": "tool", "tool_call_id": "b", "content": "2"}),
        json!({"role": "assistant", "content": null, "tool_calls": [unknown]}),
    ];
    let messages = Messages::from_openai(wire.clone()).unwrap();
    let calls: Vec<_> = messages[0].tool_calls().map(|call| (&*call.name, Value::clone(&call.input))).collect();
    assert_eq!(calls, [("lookup", json!({})), ("run", json!("1 + 1")), ("run", json!("1"))]);
    assert_eq!(messages.to_openai(), wire);
    let again: Messages = serde_json::from_value(json!(messages)).unwrap();
    assert_eq!(again.to_openai(), wire);

    let error = |call: Value| {
        let message = json!({"role": "assistant", "tool_calls": [call]});
        Messages::from_openai([message]).unwrap_err().to_string()
    };
    assert_eq!(
        error(json!({"id": "a", "type": "custom"})),
        "messages[0].tool_calls[0].custom: expected an object with `name` and `input`"
    );
    assert_eq!(
        error(json!({"id": "a", "custom": {"name": "run"}})),
        "messages[0].tool_calls[0].custom.input: expected the arguments as text"
    );
    assert_eq!(error(json!("a")), "messages[0].tool_calls[0]: expected an object with `id` and `function`");
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\ é]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

/// Unknown fields. Their names begin with `x_`.
fn extra() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("x_[a-z]{1,3}", json_value(), 0..3).prop_map(|map| map.into_iter().collect())
}

fn with(known: Value, extra: Map<String, Value>) -> Value {
    let Value::Object(mut fields) = known else { panic!("an object") };
    fields.extend(extra);
    Value::Object(fields)
}

fn simple_block() -> impl Strategy<Value = Value> {
    prop_oneof![
        (".{0,8}", extra()).prop_map(|(text, extra)| with(json!({"type": "text", "text": text}), extra)),
        (json_value(), extra()).prop_map(|(value, extra)| with(json!({"type": "x_new", "value": value}), extra)),
        extra().prop_map(|extra| with(json!({"type": "image", "source": {"type": "url", "url": "u"}}), extra)),
        (".{0,8}", extra())
            .prop_map(|(text, extra)| { with(json!({"type": "thinking", "thinking": text, "signature": "s"}), extra) }),
    ]
}

fn content() -> impl Strategy<Value = Value> {
    prop_oneof![".{0,8}".prop_map(Value::from), prop::collection::vec(simple_block(), 0..3).prop_map(Value::from)]
}

fn anthropic_block() -> impl Strategy<Value = Value> {
    let input = prop::collection::btree_map("[a-z]{1,3}", json_value(), 0..3);
    let call = ("[a-z]{0,4}", input, extra()).prop_map(|(id, input, extra)| {
        with(json!({"type": "tool_use", "id": id, "name": "lookup", "input": input}), extra)
    });
    let result = ("[a-z]{0,4}", prop::option::of(content()), prop::option::of(any::<bool>()), extra());
    let result = result.prop_map(|(id, content, is_error, extra)| {
        let mut fields = extra;
        fields.extend(content.map(|content| ("content".to_owned(), content)));
        fields.extend(is_error.map(|is_error| ("is_error".to_owned(), json!(is_error))));
        with(json!({"type": "tool_result", "tool_use_id": id}), fields)
    });
    prop_oneof![simple_block(), call, result]
}

fn anthropic_message() -> impl Strategy<Value = Value> {
    let blocks = prop::collection::vec(anthropic_block(), 0..4).prop_map(Value::from);
    let content = prop_oneof![".{0,8}".prop_map(Value::from), blocks];
    (prop_oneof!["user", "assistant"], content, extra())
        .prop_map(|(role, content, extra)| with(json!({"role": role, "content": content}), extra))
}

fn openai_message() -> impl Strategy<Value = Value> {
    let calls = prop::collection::vec(("[a-z]{1,3}", json_value(), extra()), 1..3).prop_map(|calls| {
        let call = |(id, input, extra): (String, Value, Map<String, Value>)| {
            let text = input.to_string();
            let call = match input {
                Value::String(_) => json!({"id": id, "type": "custom", "custom": {"name": "run", "input": text}}),
                _ => json!({"id": id, "type": "function", "function": {"name": "lookup", "arguments": text}}),
            };
            with(call, extra)
        };
        calls.into_iter().map(call).collect::<Vec<_>>()
    });
    prop_oneof![
        (prop_oneof!["system", "developer", "user"], content(), extra())
            .prop_map(|(role, content, extra)| with(json!({"role": role, "content": content}), extra)),
        (prop::option::of(content()), calls, extra()).prop_map(|(content, calls, extra)| {
            with(json!({"role": "assistant", "content": content, "tool_calls": calls}), extra)
        }),
        ("[a-z]{1,3}", content(), extra()).prop_map(|(id, content, extra)| with(
            json!({"role": "tool", "tool_call_id": id, "content": content}),
            extra
        )),
    ]
}

proptest! {
    #[test]
    fn any_message_of_anthropic_round_trips(wire in anthropic_message()) {
        let message = Message::from_anthropic(wire.clone()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(message.to_anthropic(), wire);
    }

    #[test]
    fn any_list_of_openai_round_trips(wire in prop::collection::vec(openai_message(), 0..4)) {
        let messages = Messages::from_openai(wire.clone()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(messages.to_openai(), wire);
    }

    /// A conversion from one format to the other loses no block and keeps separate messages separate.
    #[test]
    fn a_conversion_between_the_formats_loses_no_block(wire in prop::collection::vec(anthropic_message(), 0..4)) {
        let messages = Messages::from_anthropic(wire).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let chat = messages.to_openai();
        let again = Messages::from_openai(chat.clone()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let blocks = |messages: &Messages, calls: bool| {
            let is = |block: &&Block| matches!(block, Block::ToolUse(_)) == calls;
            messages.iter().map(|message| message.content.iter().filter(is).count()).sum::<usize>()
        };
        prop_assert_eq!(blocks(&again, true), blocks(&messages, true));
        prop_assert_eq!(blocks(&again, false), blocks(&messages, false));
        prop_assert_eq!(again.to_openai(), chat);
    }

    /// A message also round-trips through serde, except for how a string was written.
    #[test]
    fn any_message_round_trips_through_serde(wire in anthropic_message()) {
        let message = Message::from_anthropic(wire).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let value = serde_json::to_value(&message).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let again: Message = serde_json::from_value(value.clone()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(serde_json::to_value(&again).ok(), Some(value));
    }
}
