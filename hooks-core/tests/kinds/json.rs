//! Kinds fired by name with JSON, including kinds of an app.

use hook_sdk::prelude::*;
use hook_sdk::{JsonError, JsonFired};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::minimal::minimal;

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Refund {
    cents: u64,
}

/// A kind of an app, with JSON.
#[derive(Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_refund", subject = Refund, verdict = Permission, match(region), json)]
struct BeforeRefund {
    region: String,
}

/// A kind of an app, without JSON.
#[derive(HookKind)]
#[hook_kind(name = "opaque")]
struct Opaque {}

#[hook(id = "halve", kind = BeforeRefund, region = "eu")]
fn halve(refund: &mut Refund) -> Permission {
    refund.cents /= 2;
    Permission::ask("half of it")
}

#[hook(id = "drop_empty", kind = after_tool_call_success)]
fn drop_empty(result: ToolResult) -> Option<ToolResult> {
    (!result.text().is_empty()).then_some(result)
}

#[hook(id = "later", kind = pre_model_call)]
async fn later(request: &mut ModelRequest) -> Halt {
    tokio::task::yield_now().await;
    request.system_prompt.push('!');
    Halt::new("enough")
}

#[hook(id = "sees_opaque", kind = Opaque)]
fn sees_opaque() {}

fn hooks() -> HookSet {
    let all = || hooks![halve, drop_empty, later, sees_opaque];
    Registry::empty().with(all()).unwrap().scope(&AgentDef::new("test").hooks(all()), None).unwrap()
}

async fn fire(kind: &str, event: Value, subject: Value) -> Result<JsonFired, JsonError> {
    hooks().fire_json(kind, &HookContext::new(), event, subject).await
}

#[tokio::test]
async fn a_kind_of_the_app_is_fired_like_a_built_in_one() {
    let fired = fire("before_refund", json!({"region": "eu"}), json!({"cents": 100})).await.unwrap();
    assert_eq!(fired.subject, Some(json!({"cents": 50})));
    assert_eq!((&fired.verdict["permission"], &fired.verdict["by"]), (&json!("ask"), &json!("halve")));
    let fired = fire("before_refund", json!({"region": "us"}), json!({"cents": 100})).await.unwrap();
    assert_eq!(fired.subject, Some(json!({"cents": 100})));
    assert_eq!(fired.verdict, json!({"permission": "no_opinion"}));
}

#[tokio::test]
async fn a_removed_subject_differs_from_null() {
    let event = json!({"call": {"id": "c", "name": "lookup"}});
    let fired = fire("after_tool_call_success", event.clone(), json!({"content": ""})).await.unwrap();
    assert_eq!((fired.subject, fired.verdict), (None, Value::Null));
    assert_eq!(fired.report.removed_by.as_ref().unwrap().as_str(), "drop_empty");
    let fired = fire("after_tool_call_success", event, json!({"content": "found", "took": 3})).await.unwrap();
    assert_eq!(fired.subject.unwrap()["took"], 3, "unknown fields are kept");
}

#[tokio::test]
async fn async_hooks_and_halts() {
    let fired = fire("pre_model_call", json!({}), json!({"system_prompt": "hi"})).await.unwrap();
    assert_eq!(fired.subject.unwrap()["system_prompt"], "hi!");
    assert_eq!(fired.report.halt.as_ref().unwrap().reason.as_str(), "enough");
}

#[tokio::test]
async fn invalid_json_is_reported() {
    let call = json!({"call": {"id": "c", "name": "t"}});
    let table = [
        (
            "before_tol_call",
            json!({}),
            Value::Null,
            "there is no kind `before_tol_call`; did you mean `before_tool_call`?",
        ),
        ("breakfast", json!({}), Value::Null, "there is no kind `breakfast`"),
        ("opaque", json!({}), Value::Null, "the kind `opaque` cannot be fired as JSON; add `json`"),
        (
            "before_tool_call",
            json!({"tool": "t"}),
            Value::Null,
            "the event of `before_tool_call` is invalid: missing field `call`",
        ),
        ("before_tool_call", json!(3), Value::Null, "the event of `before_tool_call` is invalid: invalid type"),
        (
            "before_refund",
            json!({"region": "eu"}),
            json!({}),
            "the subject of `before_refund` is invalid: missing field `cents`",
        ),
        ("after_tool_call", call, json!({}), "the subject of `after_tool_call` is invalid: invalid type"),
    ];
    for (kind, event, subject, expected) in table {
        let error = fire(kind, event, subject).await.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{kind}: {error}");
    }
}

#[tokio::test]
async fn every_built_in_kind_accepts_a_minimal_event_and_returns_the_subject() {
    let none = Registry::empty().scope(&AgentDef::new("nobody"), None).unwrap();
    for kind in hook_sdk::kinds::all() {
        if !kind.origin.module.starts_with("hook_sdk::kinds") {
            continue;
        }
        let (event, subject) = minimal(kind.name);
        let fired = none.fire_json(kind.name, &HookContext::new(), event, subject.clone()).await;
        let fired = fired.unwrap_or_else(|error| panic!("{}: {error}", kind.name));
        assert_eq!(fired.subject, Some(subject), "{}", kind.name);
    }
}

/// Two kinds with one name, which makes the name ambiguous.
mod twins {
    use super::*;

    #[derive(Serialize, Deserialize, HookKind)]
    #[hook_kind(name = "twin_of_json", json)]
    pub(super) struct First {}

    pub(super) mod inner {
        use super::*;

        #[derive(Serialize, Deserialize, HookKind)]
        #[hook_kind(name = "twin_of_json", json)]
        pub(in super::super) struct Second {}
    }
}

#[tokio::test]
async fn an_ambiguous_name_fires_neither_kind() {
    let registry = Registry::empty();
    registry.register(Hook::at::<twins::First>("first").reader(|_, _, ()| ())).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["first"]), None).unwrap();
    assert!(set.has::<twins::First>() && !set.has::<twins::inner::Second>());
    let error = set.fire_json("twin_of_json", &HookContext::new(), json!({}), Value::Null).await.unwrap_err();
    assert!(matches!(error, JsonError::KindNameTwice { .. }), "{error}");
    let reported = error.to_string();
    assert!(reported.starts_with("two kinds are named `twin_of_json`: hooks-core/tests/kinds/json.rs:"), "{reported}");
}
