//! `&With<T>` in every form of a hook: it is recognised by its type, under any name, and contains the values of the list.
#![allow(clippy::unwrap_used)] // hooks of tests unwrap to assert
#![allow(clippy::ptr_arg, clippy::needless_pass_by_value)] // these forms are tested here

use crate::common::{BeforePublish, summary};
use hook_sdk::With as Given;
use hook_sdk::prelude::*;
use hook_sdk::scope::{HookRef, HookUse};
use serde_json::json;

#[derive(serde::Deserialize)]
struct Limits {
    word: String,
}

/// Macros see only this name, not the type behind it.
type Alias = Given<Limits>;

#[hook(id = "alone", kind = BeforePublish)]
fn alone(limits: &With<Limits>) -> Permission {
    Permission::deny(&*limits.word)
}

#[hook(id = "alone_async", kind = BeforePublish)]
async fn alone_async(limits: &With<Limits>) -> Permission {
    tokio::task::yield_now().await;
    Permission::deny(&*limits.word)
}

#[hook(id = "lent", kind = BeforePublish)]
fn lent(text: &mut String, limits: &With<Limits>) {
    text.push_str(&limits.word);
}

#[hook(id = "lent_async", kind = BeforePublish)]
async fn lent_async(limits: &Given<Limits>, text: &mut String) {
    tokio::task::yield_now().await;
    text.push_str(&limits.word);
}

#[hook(id = "owned", kind = BeforePublish)]
fn owned(limits: &Alias, text: String) -> String {
    text + &limits.word
}

#[hook(id = "owned_async", kind = BeforePublish)]
async fn owned_async(text: String, limits: &Alias) -> String {
    tokio::task::yield_now().await;
    text + &limits.word
}

#[hook(id = "beside_all", kind = BeforePublish)]
fn beside_all(cx: &HookContext, limits: &With<Limits>, event: &BeforePublish, text: &mut String) {
    *text = format!("{} {} {}", cx.agent().unwrap(), event.topic, limits.word);
}

/// Every parameter that there is, and a fallback with the same.
#[hook(id = "beside_states", kind = BeforePublish, fallback = beside_states_instead)]
fn beside_states(
    cx: &HookContext,
    event: &BeforePublish,
    text: &mut String,
    limits: &With<Limits>,
    small: &State<u8>,
    large: &State<u64>,
) -> Result<(), std::num::ParseIntError> {
    let _: u8 = format!("{:?} {} {text} {} {} {}", cx.agent(), event.topic, limits.word, **small, **large).parse()?;
    Ok(())
}

fn beside_states_instead(
    _: &HookContext,
    _: &BeforePublish,
    text: &mut String,
    limits: &With<Limits>,
    small: &State<u8>,
    large: &State<u64>,
) {
    *text = format!("{} {} {}", limits.word, **small, **large);
}

#[hook(id = "named_lifetime", kind = BeforePublish)]
fn named_lifetime<'a>(text: &'a String, limits: &'a With<Limits>) -> Permission {
    let longer: &'a str = if limits.word.is_empty() { text } else { &limits.word };
    Permission::deny(longer)
}

#[hook(id = "any_type", kind = BeforePublish)]
fn any_type(text: &mut String, given: &With<std::collections::BTreeMap<String, String>>) {
    text.push_str(&given["word"]);
}

fn with(hook: [HookRef; 1], word: &str) -> HookSet {
    let id = Registry::empty().with(hook).unwrap().hooks()[0].id().to_string();
    let agent = AgentDef::new("agent").hooks([HookUse::id(&id).with(json!({ "word": word }))]);
    Registry::empty().with(hook).unwrap().scope(&agent, None).unwrap()
}

#[tokio::test]
async fn every_form_gets_the_values_of_its_own_list() {
    let cx = HookContext::builder().agent("ada").build();
    let event = BeforePublish { topic: "news".into() };
    for (hook, denies, subject) in [
        (hooks![alone], true, "draft"),
        (hooks![alone_async], true, "draft"),
        (hooks![lent], false, "draftWORD"),
        (hooks![lent_async], false, "draftWORD"),
        (hooks![owned], false, "draftWORD"),
        (hooks![owned_async], false, "draftWORD"),
        (hooks![beside_all], false, "ada news WORD"),
        (hooks![named_lifetime], true, "draft"),
        (hooks![any_type], false, "draftWORD"),
    ] {
        // Two sets can contain one hook with different values.
        for (set, word) in ["first", "second"].map(|word| (with(hook, word), word)) {
            let fired = set.fire(&cx, &event, "draft".to_owned()).await.unwrap();
            let actual = summary(&fired, fired.subject.as_deref().unwrap());
            let expected = subject.replace("WORD", word);
            assert_eq!(actual, if denies { format!("{expected} | deny") } else { expected });
            let reason = fired.verdict.denial().map(|denial| denial.reason.as_str());
            assert!(reason.is_none_or(|reason| reason == word), "{reason:?}");
        }
    }
}

#[test]
fn a_hook_with_parameters_of_a_list_can_still_be_called() {
    assert_eq!(owned(&With::new(Limits { word: "!".into() }), "a".into()), "a!");
}

/// Every field has a default, so serde ignores a misspelt key, and the hook would run without its limit.
#[derive(serde::Deserialize)]
#[serde(default)]
struct Refunds {
    currency: String,
    limits: Inner,
}

impl Default for Refunds {
    fn default() -> Self {
        Self { currency: "EUR".into(), limits: Inner::default() }
    }
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Inner {
    cents: Option<u64>,
}

#[hook(id = "guard_refund", kind = BeforePublish)]
fn guard_refund(refunds: &With<Refunds>) -> Permission {
    Permission::deny(format!("{} {:?}", refunds.currency, refunds.limits.cents))
}

#[test]
fn an_unknown_key_is_an_error_with_the_nearest_field() {
    let scope = |with: serde_json::Value| {
        let agent = AgentDef::new("agent").hooks([HookUse::id("guard_refund").with(with)]);
        Registry::empty().with(hooks![guard_refund]).unwrap().scope(&agent, None).map_err(|error| error.to_string())
    };
    for (with, expected) in [
        (json!({"curency": "USD"}), "unknown field `curency`; did you mean `currency`?"),
        (json!({"currency": "USD", "x": 1}), "unknown field `x`, expected one of `currency`, `limits`"),
        (json!({"limits": {"cent": 1}}), "unknown field `limits.cent`"),
        (json!({"curency": "USD", "limit": {}}), "`currency`?; unknown field `limit`; did you mean `limits`?"),
    ] {
        let error = scope(with).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    assert!(scope(json!({"currency": "USD", "limits": {"cents": 1}})).is_ok());
}
