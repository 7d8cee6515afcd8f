//! Compactions: refused, or observed.

use hook_sdk::data::{Message, Role};
use hooks_agent::model::{Line, ModelError};
use hooks_agent::store::{Append, MessageStore as _};
use hooks_agent::window::Window;
use serde_json::json;

use super::desk::Desk;

/// A turn in a conversation of eight messages with a smaller window. Returns the number of model calls.
async fn compacted(desk: &Desk) -> usize {
    let old =
        |i: u32| Message::new(if i.is_multiple_of(2) { Role::User } else { Role::Assistant }, format!("message {i}"));
    desk.store.append("c-1", Append::new((0..8).map(old))).await.unwrap();
    let window = Window::new(1_000).compact_at(60);
    desk.open(desk.harness().window(window)).await.turn(None, "hi").await;
    desk.model.heard().len()
}

fn lines() -> [Line; 2] {
    [Line::text("they talked"), Line::text("hello")]
}

#[tokio::test]
async fn a_rule_may_refuse_a_compaction() {
    for script in ["echo 'the audit runs' >&2; exit 2", r#"echo '{"decision": "block", "reason": "the audit runs"}'"#] {
        let desk = Desk::new(&[("PreCompact", "auto", script)], lines());
        assert_eq!(compacted(&desk).await, 1, "{script}");
        assert_eq!(desk.sent().len(), 9, "all that was said");
    }
    // For another trigger, and if the answer has no effect.
    for (trigger, script) in [("manual", "exit 2"), ("auto", r#"echo '{"continue": false}'"#)] {
        assert_eq!(compacted(&Desk::new(&[("PreCompact", trigger, script)], lines())).await, 2, "{script}");
    }
}

#[tokio::test]
async fn scripts_get_the_compaction_and_its_summary() {
    let desk =
        Desk::new(&[("PreCompact", "", "cat > before.json"), ("PostCompact", "", "cat >> after.jsonl")], lines());
    compacted(&desk).await;
    let before = desk.kept("before.json");
    assert_eq!((&before["trigger"], &before["custom_instructions"]), (&json!("auto"), &json!(null)));
    assert!(before.get("permission_mode").is_none(), "the contract does not have it there");
    let after = desk.read("after.jsonl");
    assert!(after.contains(r#""compact_summary":"they talked""#), "{after}");
}

/// A conversation that does not fit cannot be sent, so this cannot be refused.
#[tokio::test]
async fn a_refusal_has_no_effect_if_the_provider_rejected_the_conversation() {
    let overflow = Line::error(ModelError::Overflow("too long".into()));
    let desk = Desk::new(&[("PreCompact", "", "exit 2")], [overflow, Line::text("they talked"), Line::text("hello")]);
    let old =
        |i: u32| Message::new(if i.is_multiple_of(2) { Role::User } else { Role::Assistant }, format!("message {i}"));
    desk.store.append("c-1", Append::new((0..8).map(old))).await.unwrap();
    assert_eq!(desk.turn().await.to_string(), "hello");
}
