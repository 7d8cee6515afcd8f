//! What a content block may contain, how deep it may nest, and that it reads back as it was written.

use hook_sdk::data::{Block, MAX_NESTED_RESULTS, ToolResultBlock};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// `deep` tool results, each inside the previous one.
fn nested(deep: usize) -> Block {
    (0..deep).fold(Block::from("found"), |inner, _| Block::ToolResult(ToolResultBlock::new("call_1", vec![inner])))
}

fn set(hooks: Vec<Hook>) -> HookSet {
    let registry = Registry::empty();
    let ids: Vec<String> = hooks.iter().map(|hook| hook.id().to_string()).collect();
    for hook in hooks {
        registry.register(hook).unwrap();
    }
    registry.scope(&AgentDef::new("a").hooks(ids), None).unwrap()
}

fn appends(id: &'static str, block: impl Fn() -> Block + Send + Sync + 'static) -> Hook {
    Hook::at::<AfterToolCallSuccess>(id).writer(move |_, _, result: &mut ToolResult| result.content.push(block()))
}

/// The reason why this block is refused inside a tool result.
fn refused(block: impl Fn() -> Block + Send + Sync + 'static) -> Option<String> {
    let set = set(vec![appends("appends", block), appends("second", || Block::from("and"))]);
    let call = ToolCall::new("call_1", "lookup", json!({}));
    let fired = set
        .fire_blocking(
            &HookContext::new(),
            &AfterToolCallSuccess::new(call.clone(), call.input),
            ToolResult::new("found"),
        )
        .unwrap();
    let failures = &fired.report.failures;
    assert_eq!(fired.subject.unwrap().content.len(), 3 - failures.len(), "the other hook's text stays");
    failures.first().map(ToString::to_string)
}

#[test]
fn tool_results_nested_thousands_deep_are_a_violation_and_do_not_overflow_the_stack() {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let run = thread.spawn(|| {
        for (deep, is_refused) in
            [(1, false), (MAX_NESTED_RESULTS - 1, false), (MAX_NESTED_RESULTS, true), (100_000, true)]
        {
            let found = refused(move || nested(deep));
            assert_eq!(found.is_some(), is_refused, "{deep}: {found:?}");
            if let Some(found) = found {
                assert!(found.contains("tool results are nested more than 32 deep"), "{found}");
            }
        }
    });
    run.unwrap().join().unwrap();
}

#[test]
fn tool_results_nested_too_deep_are_not_read() {
    for (deep, is_read) in [(MAX_NESTED_RESULTS, true), (MAX_NESTED_RESULTS + 1, false)] {
        let text = serde_json::to_string(&nested(deep)).unwrap();
        let block: Result<Block, _> = serde_json::from_str(&text);
        assert_eq!(block.is_ok(), is_read, "{deep}: {block:?}");
    }
}

#[test]
fn a_tool_result_contains_neither_calls_nor_results_of_provider_tools() {
    let table = [
        json!({"type": "tool_use", "id": "call_2", "name": "lookup", "input": {}}),
        json!({"type": "server_tool_use", "id": "call_2"}),
        json!({"type": "web_search_tool_result", "tool_use_id": "call_2", "content": []}),
        json!({"type": "mcp_tool_result", "tool_use_id": "call_2"}),
    ];
    for wire in table {
        let block: Block = serde_json::from_value(wire.clone()).unwrap();
        let found = refused(move || block.clone()).unwrap_or_else(|| panic!("{wire} went through"));
        assert!(found.contains("a tool result cannot contain"), "{found}");
        let result = serde_json::from_value::<ToolResult>(json!({"content": [wire]}));
        assert!(result.unwrap_err().to_string().contains("a tool result cannot contain"));
        let message = json!({"role": "assistant", "content": [wire]});
        assert!(serde_json::from_value::<Message>(message).is_ok(), "a message may contain these blocks");
    }
}

#[test]
fn an_unknown_block_is_not_read_as_an_empty_result() {
    let error = serde_json::from_value::<ToolResult>(json!({"type": "tool_use", "id": "1", "name": "n", "input": {}}));
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "expected a tool result, found a block of type \"tool_use\"");

    let block = json!({"type": "tool_result", "tool_use_id": "call_1", "content": "found"});
    let result: ToolResult = serde_json::from_value(block).unwrap();
    let call = ToolCall::new("call_2", "lookup", json!({}));
    let written = serde_json::to_string(&result.into_block(&call)).unwrap();
    assert_eq!(written.matches("tool_use_id").count(), 1, "{written}");
}

#[test]
fn extra_fields_cannot_shadow_the_fields_of_a_block() {
    let found = refused(|| {
        let Block::Text(mut text) = Block::from("found") else { unreachable!() };
        text.extra.insert("type".to_owned(), json!("tool_use"));
        Block::Text(text)
    });
    assert!(
        found.unwrap().contains("`extra` of a block of type `text` contains `type`, which is a field of the block")
    );
}

const NAMES: [&str; 8] = ["note", "type", "text", "id", "input", "tool_use_id", "content", "is_error"];

fn extra() -> impl Strategy<Value = Map<String, Value>> {
    let field = (proptest::sample::select(&NAMES[..]), any::<u8>());
    proptest::collection::vec(field, 0..4)
        .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect())
}

fn text() -> impl Strategy<Value = Block> {
    ("[a-z]{0,4}", extra()).prop_map(|(text, extra)| {
        let Block::Text(mut block) = Block::from(text) else { unreachable!() };
        block.extra = extra;
        Block::Text(block)
    })
}

fn block() -> impl Strategy<Value = Block> {
    let call = ("[a-z]{1,4}", extra()).prop_map(|(name, extra)| {
        let mut call = ToolCall::new("call_1", name, json!({"n": 1}));
        call.extra = extra;
        Block::ToolUse(call)
    });
    let other = extra().prop_map(|mut fields| {
        fields.insert("type".to_owned(), json!("hologram"));
        Block::Other(Value::Object(fields))
    });
    let within = text().prop_recursive(3, 8, 3, |inner| {
        (proptest::collection::vec(inner, 0..3), extra(), any::<bool>()).prop_map(|(content, extra, is_error)| {
            let mut block = ToolResultBlock::new("call_1", content);
            block.is_error = is_error;
            block.extra = extra;
            Block::ToolResult(block)
        })
    });
    prop_oneof![text(), call, other, within]
}

/// Fields that a block does not define itself.
fn extras(block: &Block) -> Vec<&str> {
    let (extra, within) = match block {
        Block::Text(text) => (&text.extra, &[][..]),
        Block::ToolUse(call) => (&call.extra, &[][..]),
        Block::ToolResult(result) => (&result.extra, &result.content[..]),
        _ => return Vec::new(),
    };
    extra.keys().map(String::as_str).chain(within.iter().flat_map(extras)).collect()
}

proptest! {
    #[test]
    fn a_block_reads_back_as_it_was_written(block in block()) {
        let text = serde_json::to_string(&block).unwrap();
        let read: Block = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        prop_assert_eq!(std::mem::discriminant(&read), std::mem::discriminant(&block), "{}", text);
        let again = serde_json::to_string(&read).unwrap();
        let fields = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        // Builds differ in the order of fields. A duplicate field makes the text longer.
        prop_assert_eq!((fields(&again), again.len()), (fields(&text), text.len()));
        if extras(&block).iter().all(|name| *name == "note") {
            prop_assert_eq!(read, block);
        }
    }
}
