//! Turns in which a hook decides differently from the recording: each message keeps its place, each call its result.
#![allow(clippy::unwrap_used, reason = "tests unwrap to assert")]

use crate::support;
use airline_desk::desk::Desk;
use airline_desk::summary::Summary;
use hook_sdk::data::{Message, Messages, ToolInput, ToolResult};
use hook_sdk::hook::OnFailure;
use hook_sdk::kinds::{AfterToolCallSuccess, BeforeCreateMessage, BeforeToolCall, UserPromptSubmit};
use hook_sdk::scope::AgentDef;
use hook_sdk::verdict::{Halt, Permission, PromptVerdict};
use hook_sdk::{Hook, HookContext, Registry};
use serde_json::{Value, json};

/// Two turns: the first with a call, the second without.
fn conversation() -> Value {
    let call = json!({"id": "1", "type": "function", "function": {"name": "t", "arguments": "{\"n\": 1}"}});
    json!({"id": "c", "messages": [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "let me see", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "name": "t", "content": "recorded"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "second"},
        {"role": "assistant", "content": "bye"},
    ]})
}

/// The contents of the output with only `hooks` in force.
fn replay(hooks: impl IntoIterator<Item = Hook>) -> (Vec<String>, Summary) {
    let registry = Registry::discover().unwrap();
    let mut agent = AgentDef::new("test");
    for hook in hooks {
        agent = agent.hooks([hook.id().as_str()]);
        registry.register(hook).unwrap();
    }
    let desk = Desk::with(registry, &agent, None).unwrap();
    let (transcripts, summary) = support::replay(&desk, conversation().to_string().as_bytes());
    let messages = transcripts.iter().flat_map(|transcript| transcript["messages"].as_array().unwrap());
    (messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect(), summary)
}

fn gate(verdict: Permission) -> Hook {
    Hook::at::<BeforeToolCall>("gate").reader(move |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| verdict.clone())
}

#[test]
fn a_blocked_prompt_ends_only_its_own_turn() {
    let block = |_: &HookContext, event: &UserPromptSubmit, _: &Messages| {
        if event.prompt == "first" { PromptVerdict::block("not today") } else { PromptVerdict::default() }
    };
    let (contents, summary) = replay([Hook::at::<UserPromptSubmit>("block").reader(block)]);
    let said = "[not said, the turn had ended: not today]";
    // A rejected prompt is not stored, so the output contains only a placeholder.
    assert_eq!(contents, ["[not taken: not today]", said, "Not run, the turn ended: not today", said, "second", "bye"]);
    assert_eq!((summary.totals.refused, summary.metrics.tools.len()), (1, 0));
}

#[test]
fn a_halt_at_the_gate_ends_the_turn_before_the_call_runs() {
    let halt = |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| -> Result<(), Halt> { Err(Halt::new("enough")) };
    let (contents, _) = replay([Hook::at::<BeforeToolCall>("halt").reader(halt)]);
    assert_eq!(
        contents[1..4],
        ["let me see", "Not run, the turn ended: enough", "[not said, the turn had ended: enough]"]
    );
    assert_eq!(contents[5], "bye");
}

#[test]
fn the_model_reads_the_decision_of_the_gate() {
    let table = [
        (Permission::NoOpinion, "recorded"),
        (Permission::Allow, "recorded"),
        (Permission::ask("it is dear"), "recorded"), // the default answer is yes
        (
            Permission::defer("ask again tomorrow"),
            "Denied: ask again tomorrow. It was put off, and a recording does not wait",
        ),
        (Permission::deny("never"), "Denied: never"),
    ];
    for (verdict, expected) in table {
        assert_eq!(replay([gate(verdict)]).0[2], expected);
    }
}

#[test]
fn a_gate_that_fails_denies_and_states_that_this_is_not_a_policy_decision() {
    let fail =
        |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| -> Result<(), std::fmt::Error> { Err(std::fmt::Error) };
    let (contents, _) = replay([Hook::at::<BeforeToolCall>("fail").reader(fail)]);
    assert!(contents[2].contains("this is not a policy decision"), "{}", contents[2]);
}

#[test]
fn a_tool_gets_the_input_that_the_gate_rewrote() {
    let cap = Hook::at::<BeforeToolCall>("cap").writer(|_: &HookContext, _: &BeforeToolCall, input: &mut ToolInput| {
        input["n"] = 0.into();
    });
    let tell = |_: &HookContext, event: &AfterToolCallSuccess, result: &mut ToolResult| {
        let text = format!("{} of {}", event.input.text(), event.call.input.text());
        result.rewrite_text(|_| Some(text.clone()));
    };
    let (contents, _) = replay([cap, Hook::at::<AfterToolCallSuccess>("tell").writer(tell)]);
    assert_eq!(contents[2], r#"{"n":0} of {"n": 1}"#);
}

#[test]
fn a_removed_result_leaves_a_placeholder() {
    let remove = |_: &HookContext, _: &AfterToolCallSuccess, _: ToolResult| -> Option<ToolResult> { None };
    let (contents, summary) = replay([Hook::at::<AfterToolCallSuccess>("remove").replacer(remove)]);
    assert_eq!(contents[2], "[result removed by remove]");
    assert_eq!((summary.totals.removed, summary.totals.messages_out), (1, 6));
}

#[test]
fn a_conversation_is_not_stored_if_a_required_hook_fails() {
    let fail = |_: &HookContext, _: &BeforeCreateMessage, _: &mut Message| -> Result<(), std::fmt::Error> {
        Err(std::fmt::Error)
    };
    let hook = Hook::at::<BeforeCreateMessage>("mask").writer(fail).on_failure(OnFailure::Required);
    let (contents, summary) = replay([hook]);
    assert_eq!(contents, [""; 0]);
    assert!(summary.skipped[0].problem.starts_with("hook `mask` at `before_create_message` failed"));
}
