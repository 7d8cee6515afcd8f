//! What the model reads of a tool's result.

use hook_sdk::data::{Messages, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::testing;
use serde_json::json;

fn call() -> ToolCall {
    ToolCall::new("call_1", "camera", json!({}))
}

#[test]
fn contexts_follow_the_result_and_another_speaker_has_its_own_message() {
    let plain = ToolResult::new("a cat");
    let mut beside = plain.clone();
    beside.add_context("in the hall");
    let mut by_tool = plain.clone();
    by_tool.said_by = Some(Role::Tool);
    let mut by_person = beside.clone();
    by_person.said_by = Some(Role::User);
    by_person.is_error = true;
    let answered = json!({"role": "tool", "tool_call_id": "call_1", "name": "camera", "content": "a cat"});
    let elsewhere = json!({
        "role": "tool", "tool_call_id": "call_1", "name": "camera",
        "content": "The answer is in the next message, of the user.",
    });
    let table = [
        (plain, vec![answered.clone()]),
        (by_tool, vec![answered.clone()]),
        (beside, vec![answered, json!({"role": "user", "content": "in the hall"})]),
        (
            by_person,
            vec![
                elsewhere,
                json!({"role": "user", "content": [
                    {"type": "text", "text": "a cat"}, {"type": "text", "text": "in the hall"},
                ]}),
            ],
        ),
    ];
    for (result, expected) in table {
        let text = format!("{result:?}");
        let is_error = result.is_error;
        let messages: Messages = result.into_messages(&call()).into();
        assert_eq!(messages.to_openai(), expected, "{text}");
        let blocks = serde_json::to_value(&messages[0].content[0]).unwrap();
        assert_eq!(blocks["is_error"], is_error, "{text}");
    }
}

#[test]
fn context_and_speaker_are_not_stored() {
    let mut result = ToolResult::new("a cat");
    result.add_context("in the hall");
    result.said_by = Some(Role::User);
    assert_eq!(ResultRow::new(&call(), &result), ResultRow::new(&call(), &ToolResult::new("a cat")));
    let read: ToolResult = serde_json::from_value(serde_json::to_value(&result).unwrap()).unwrap();
    assert_eq!(read, result);
}

#[test]
fn a_tool_result_does_not_become_an_instruction() {
    let table = [
        (Role::System, true),
        (Role::Developer, true),
        (Role::User, false),
        (Role::Assistant, false),
        (Role::Tool, false),
    ];
    for (role, is_refused) in table {
        let says = |id| {
            Hook::at::<AfterToolCallSuccess>(id).writer(move |_, _, result: &mut ToolResult| {
                result.said_by = Some(role);
            })
        };
        let ran = testing::run_blocking(
            [says("says")],
            &AfterToolCallSuccess::new(call(), call().input),
            ToolResult::new("a"),
        )
        .unwrap();
        assert_eq!(ran.report.failures.len(), usize::from(is_refused), "{role}: {ran}");
        let said_by = ran.subject.clone().unwrap().said_by;
        assert_eq!(said_by, (!is_refused).then_some(role));
    }
}
