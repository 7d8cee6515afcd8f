//! Every form of a parameter, alone and with the others, sync and async: it has to compile and to have its effect.
#![allow(clippy::unwrap_used)] // hooks of tests unwrap to assert
#![allow(clippy::ptr_arg, clippy::needless_pass_by_value, clippy::unnecessary_wraps, clippy::option_option)] // these forms are tested here

use crate::common::BeforePublish;
use crate::table;
use hook_sdk::prelude::*;

#[hook(id = "nothing", kind = BeforePublish)]
fn nothing() {}

#[hook(id = "nothing_async", kind = BeforePublish)]
async fn nothing_async() {}

#[hook(id = "context", kind = BeforePublish)]
fn context(cx: &HookContext) -> Permission {
    Permission::deny(cx.agent().unwrap())
}

#[hook(id = "context_async", kind = BeforePublish)]
async fn context_async(cx: &HookContext) -> Permission {
    Permission::deny(cx.agent().unwrap())
}

#[hook(id = "event", kind = BeforePublish)]
fn event(event: &BeforePublish) -> Permission {
    if event.topic == "news" { Permission::Allow } else { Permission::deny("no news") }
}

#[hook(id = "event_async", kind = BeforePublish)]
async fn event_async(event: &BeforePublish) -> Permission {
    if event.topic == "news" { Permission::Allow } else { Permission::deny("no news") }
}

#[hook(id = "reads", kind = BeforePublish)]
fn reads(text: &String) -> Permission {
    if text == "draft" { Permission::ask("a draft") } else { Permission::Allow }
}

#[hook(id = "reads_async", kind = BeforePublish)]
async fn reads_async(text: &String) -> Permission {
    if text == "draft" { Permission::ask("a draft") } else { Permission::Allow }
}

#[hook(id = "lent", kind = BeforePublish)]
fn lent(text: &mut String) {
    text.push('!');
}

#[hook(id = "lent_async", kind = BeforePublish)]
async fn lent_async(text: &mut String) {
    tokio::task::yield_now().await;
    text.push('!');
}

#[hook(id = "owned", kind = BeforePublish)]
fn owned(text: String) -> String {
    text + "?"
}

#[hook(id = "owned_async", kind = BeforePublish)]
async fn owned_async(text: String) -> String {
    tokio::task::yield_now().await;
    text + "?"
}

#[hook(id = "all_that_read", kind = BeforePublish)]
fn all_that_read(text: &String, cx: &HookContext, event: &BeforePublish) -> Permission {
    Permission::deny(format!("{} {} {text}", cx.agent().unwrap(), event.topic))
}

#[hook(id = "all_that_read_async", kind = BeforePublish)]
async fn all_that_read_async(event: &BeforePublish, text: &String, cx: &HookContext) -> Permission {
    Permission::deny(format!("{} {} {text}", cx.agent().unwrap(), event.topic))
}

#[hook(id = "lent_beside_all", kind = BeforePublish)]
fn lent_beside_all(cx: &HookContext, text: &mut String, event: &BeforePublish) -> Permission {
    *text = format!("{} {} {text}", cx.agent().unwrap(), event.topic);
    Permission::Allow
}

#[hook(id = "lent_beside_all_async", kind = BeforePublish)]
async fn lent_beside_all_async(event: &BeforePublish, cx: &HookContext, text: &mut String) -> Permission {
    *text = format!("{} {} {text}", cx.agent().unwrap(), event.topic);
    Permission::Allow
}

#[hook(id = "owned_beside_all", kind = BeforePublish)]
fn owned_beside_all(text: String, cx: &HookContext, event: &BeforePublish) -> String {
    format!("{} {} {text}", cx.agent().unwrap(), event.topic)
}

#[hook(id = "owned_beside_all_async", kind = BeforePublish)]
async fn owned_beside_all_async(cx: &HookContext, event: &BeforePublish, text: String) -> String {
    format!("{} {} {text}", cx.agent().unwrap(), event.topic)
}

#[hook(id = "named_lifetime", kind = BeforePublish)]
fn named_lifetime<'a>(text: &'a String, event: &'a BeforePublish) -> Permission {
    let longer: &'a str = if text.len() > event.topic.len() { text } else { &event.topic };
    Permission::deny(longer)
}

#[hook(id = "patterns", kind = BeforePublish)]
fn patterns(BeforePublish { topic }: &BeforePublish, mut text: String, _: &HookContext) -> String {
    text += topic;
    text
}

#[hook(id = "aliased", kind = crate::common::BeforePublish)]
fn aliased(cx: &hook_sdk::HookContext, text: &mut std::string::String) {
    text.push_str(cx.agent().unwrap());
}

#[hook(id = "other_topic", kind = BeforePublish, topic = "sports|games")]
fn other_topic(text: &mut String) {
    text.clear();
}

#[hook(id = "this_topic", kind = BeforePublish, topic = "sports|n*s")]
fn this_topic(text: &mut String) {
    text.clear();
}

table! { every_form_of_a_parameter_has_its_effect:
    sync nothing => "draft",
    waits nothing_async => "draft",
    sync context => "draft | deny",
    waits context_async => "draft | deny",
    sync event => "draft | allow",
    waits event_async => "draft | allow",
    sync reads => "draft | ask",
    waits reads_async => "draft | ask",
    sync lent => "draft!",
    waits lent_async => "draft!",
    sync owned => "draft?",
    waits owned_async => "draft?",
    sync all_that_read => "draft | deny",
    waits all_that_read_async => "draft | deny",
    sync lent_beside_all => "ada news draft | allow",
    waits lent_beside_all_async => "ada news draft | allow",
    sync owned_beside_all => "ada news draft",
    waits owned_beside_all_async => "ada news draft",
    sync named_lifetime => "draft | deny",
    sync patterns => "draftnews",
    sync aliased => "draftada",
    sync other_topic => "draft",
    sync this_topic => "",
}

#[test]
fn a_hook_can_still_be_called_as_a_function() {
    assert_eq!(owned("a".into()), "a?");
    let mut text = String::from("b");
    lent(&mut text);
    assert_eq!(text, "b!");
}
