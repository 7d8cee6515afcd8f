//! After a call: contexts of rules for its result, and replacements of the result.

use hooks_agent::model::Line;
use serde_json::json;

use super::desk::{Desk, bash, output, prints};

/// The lines of the model.
type Says = fn() -> Line;

fn context_line(text: &str) -> String {
    format!("user: <tool-hook-context>\n{text}\n</tool-hook-context>")
}

fn breaks() -> Line {
    Line::call("call_1", "breaks", json!({}))
}

#[tokio::test]
async fn feedback_and_context_are_next_to_the_result() {
    let context = |event: &str, text: &str| prints(&output(event, json!({"additionalContext": text})));
    let before = context("PreToolUse", "the disk is full");
    let after = context("PostToolUse", "the tests are slow");
    let blocks = prints(&json!({"decision": "block", "reason": "run the formatter"}));
    let failed = context("PostToolUseFailure", "try again later");
    let table: [(&str, &str, Says, &str); 6] = [
        ("PreToolUse", &before, || bash("ls"), "the disk is full"),
        ("PreToolUse", &before, breaks, "the disk is full"),
        ("PostToolUse", &after, || bash("ls"), "the tests are slow"),
        ("PostToolUse", &blocks, || bash("ls"), "run the formatter"),
        ("PostToolUse", "echo 'run the formatter' >&2; exit 2", || bash("ls"), "run the formatter"),
        ("PostToolUseFailure", &failed, breaks, "try again later"),
    ];
    for (event, script, call, reported) in table {
        let desk = Desk::new(&[(event, "", script)], [call(), Line::text("ok")]);
        desk.turn().await;
        assert_eq!(desk.sent().last(), Some(&context_line(reported)), "{event} {script}");
        // Nothing is undone.
        assert_eq!(desk.ran().len(), 1, "{event} {script}");
    }
}

#[tokio::test]
async fn contexts_of_all_rules_are_in_the_order_of_the_files() {
    let before = prints(&output("PreToolUse", json!({"additionalContext": "first"})));
    let second = format!("cat > /dev/null\n{}", prints(&output("PostToolUse", json!({"additionalContext": "second"}))));
    let third = prints(&output("PostToolUse", json!({"additionalContext": "third"})));
    let scripts = [("PostToolUse", "", second.as_str()), ("PostToolUse", "", &third), ("PreToolUse", "", &before)];
    let desk = Desk::new(&scripts, [bash("ls"), Line::text("ok")]);
    desk.turn().await;
    assert_eq!(desk.sent().last(), Some(&context_line("first\n\nsecond\n\nthird")));
}

/// There is no result to which it could be added.
#[tokio::test]
async fn the_context_for_a_denied_call_is_in_the_row_of_its_denial() {
    let denies = output(
        "PreToolUse",
        json!({"permissionDecision": "deny", "permissionDecisionReason": "no", "additionalContext": "use the API"}),
    );
    let asks = output(
        "PreToolUse",
        json!({"permissionDecision": "ask", "permissionDecisionReason": "no", "additionalContext": "use the API"}),
    );
    for (answer, reported) in [(denies, "Denied: no"), (asks, "Denied: no. there is nobody to ask")] {
        let desk = Desk::new(&[("PreToolUse", "", &prints(&answer))], [bash("ls"), bash("ls"), Line::text("ok")]);
        desk.turn().await;
        let row = format!("tool: <- {reported} + use the API");
        assert_eq!(desk.sent().iter().filter(|line| **line == row).count(), 2, "{:#?}", desk.sent());
    }
}

/// Models that number their calls use the same ids in two conversations.
#[tokio::test]
async fn a_context_stays_in_its_conversation() {
    // Each session gets its own name.
    let script = r#"id=$(sed -n 's/.*"session_id":"\([^"]*\)".*/\1/p')
printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "for %s"}}\n' "$id""#;
    let desk = Desk::new(&[("PreToolUse", "", script)], [bash("a"), bash("b"), Line::text("ok"), Line::text("ok")]);
    // Both calls have passed their gate before either of them has its result.
    let gate = std::sync::Arc::new(tokio::sync::Barrier::new(2));
    let waits = Waits(gate);
    let harness = desk.harness().tool(waits).build().unwrap();
    let session = |name: &str| harness.session(name, hook_sdk::prelude::AgentDef::new("clerk"));
    let (one, two) = (session("one").open().await.unwrap(), session("two").open().await.unwrap());
    let (first, second) = tokio::join!(one.turn(None, "hi"), two.turn(None, "hi"));
    assert_eq!((first.to_string().as_str(), second.to_string().as_str()), ("ok", "ok"));
    let heard = desk.model.heard();
    let reported: Vec<_> =
        heard.iter().filter_map(|call| call.messages.last()).map(|last| last.text().into_owned()).collect();
    for name in ["one", "two"] {
        let expected = format!("<tool-hook-context>\nfor {name}\n</tool-hook-context>");
        assert_eq!(reported.iter().filter(|text| **text == expected).count(), 1, "{reported:#?}");
    }
}

/// A shell that waits until it was called twice.
struct Waits(std::sync::Arc<tokio::sync::Barrier>);

impl hooks_agent::tool::Tool for Waits {
    fn spec(&self) -> hooks_agent::tool::ToolSpec {
        hooks_agent::tool::ToolSpec::new("run_shell_command")
    }

    fn run<'a>(
        &'a self,
        _cx: &'a hook_sdk::HookContext,
        _call: &'a hook_sdk::data::ToolCall,
        _input: hook_sdk::data::ToolInput,
    ) -> hook_sdk::hook::BoxFuture<'a, Result<hook_sdk::data::ToolResult, hooks_agent::tool::ToolError>> {
        Box::pin(async move {
            self.0.wait().await;
            Ok(hook_sdk::data::ToolResult::new("done"))
        })
    }
}

#[tokio::test]
async fn a_replaced_output_is_stored_and_sent_to_the_model() {
    let replaces = prints(&output("PostToolUse", json!({"updatedToolOutput": "[cut]"})));
    let desk = Desk::new(&[("PostToolUse", "Bash", &replaces)], [bash("cat secrets"), Line::text("ok")]);
    desk.turn().await;
    assert_eq!(desk.sent().last().unwrap(), "tool: <- [cut]");
    assert_eq!(desk.stored().await[2], "tool: <- [cut]");
}
