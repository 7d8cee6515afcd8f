//! A minimal event and subject of each kind, for tests that fire all kinds.

use serde_json::{Value, json};

/// The minimal event and subject of a kind. If you add a kind, add them here.
pub(crate) fn minimal(kind: &str) -> (Value, Value) {
    let call = || json!({"call": {"id": "c", "name": "t", "input": {}}});
    let message = || json!({"role": "user", "content": [{"type": "text", "text": "hi"}]});
    match kind {
        "shutdown" | "stop" | "turn_end" => (json!({"reason": "shutdown"}), Value::Null),
        "gateway_start" => (json!({"address": "here"}), Value::Null),
        "init" | "gateway_stop" => (json!({}), Value::Null),
        "session_start" => (json!({"session": "s", "source": "startup"}), Value::Null),
        "session_end" => (json!({"session": "s", "reason": "idle"}), Value::Null),
        "message_received" | "message_sending" => (json!({"channel": "mail"}), message()),
        "message_sent" => {
            (json!({"channel": "mail", "message": message(), "delivery": {"status": "sent"}}), Value::Null)
        }
        "user_prompt_submit" => (json!({"prompt": "hi", "original": [message()]}), json!([message()])),
        "stream_delta" => (json!({"channel": "text"}), json!("hello")),
        "filter_messages" | "prefilter_llm_history" => (json!({}), json!([message()])),
        "pre_model_call" => (json!({}), json!({"system_prompt": "", "profile": null, "defer_output": false})),
        "post_model_call" => (json!({}), json!({"content": [], "messages": []})),
        "before_tool_call" | "permission_request" => (call(), json!({"limit": 3})),
        "after_tool_call_success" => (call(), json!({"content": [], "is_error": false})),
        "after_tool_call_failure" => {
            (json!({"call": call()["call"], "error": "no"}), json!({"content": [], "is_error": true}))
        }
        "after_tool_call" => (call(), Value::Null),
        "before_store_tool_result" => {
            (call(), json!({"call_id": "c", "tool": "t", "content": [], "is_error": false, "column": 7}))
        }
        "before_create_message" => (json!({}), message()),
        "after_create_message" => (json!({"message": message()}), Value::Null),
        "before_update_message" => (json!({"message_id": "m"}), json!({"status": "done"})),
        "after_update_message" => (json!({"message_id": "m", "message": message()}), Value::Null),
        "before_compaction" => (json!({"trigger": "auto", "compaction": "full"}), Value::Null),
        "post_compact" => (json!({"trigger": "auto", "compaction": "full"}), json!({"messages": [], "summary": null})),
        "before_agent_start"
        | "pre_policy"
        | "pre_prompt_context"
        | "post_preflight_prompt_context"
        | "pre_tool_materialization"
        | "pre_prompt_compile"
        | "post_turn" => (json!({"prompt": "hi"}), Value::Null),
        _ => panic!("`{kind}` has no minimal event: add it to hooks-core/tests/kinds/minimal.rs"),
    }
}
