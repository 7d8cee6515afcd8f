//! A set fired again and again: what comes out goes in again.

use std::hint::black_box;

use hook_sdk::data::Role;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use measure::TEXT;

use crate::hooks::{BeforeLookup, Query};

pub(crate) fn lookup() -> BeforeLookup {
    BeforeLookup { tool: "lookup".to_owned() }
}

pub(crate) fn query() -> Query {
    Query { text: TEXT.to_owned() }
}

fn call() -> ToolCall {
    ToolCall::new("call_1", "lookup", serde_json::json!({ "query": TEXT }))
}

pub(crate) fn success() -> AfterToolCallSuccess {
    AfterToolCallSuccess::new(call(), call().input)
}

/// The subject is where a call takes it from and puts it back to.
macro_rules! again {
    ($subject:ident, $fired:expr, $kept:ident => $back:expr) => {{
        let fired = $fired.expect("nothing fails");
        let $kept = fired.subject;
        $subject = $back;
        black_box(&fired.verdict);
    }};
}

pub(crate) fn app(set: HookSet) -> impl FnMut() {
    let (cx, event, mut subject) = (HookContext::new(), lookup(), Some(query()));
    move || again!(subject, set.fire_blocking(black_box(&cx), black_box(&event), subject.take().expect("it comes back")), kept => Some(kept))
}

pub(crate) fn app_async(set: HookSet) -> impl AsyncFnMut() {
    let (cx, event, mut subject) = (HookContext::new(), lookup(), Some(query()));
    async move || again!(subject, set.fire(black_box(&cx), black_box(&event), subject.take().expect("it comes back")).await, kept => Some(kept))
}

pub(crate) fn result(set: HookSet) -> impl FnMut() {
    let (cx, event, mut subject) = (HookContext::new(), success(), Some(ToolResult::new(TEXT)));
    move || again!(subject, set.fire_blocking(black_box(&cx), black_box(&event), subject.take().expect("it comes back")), kept => kept)
}

pub(crate) fn result_async(set: HookSet) -> impl AsyncFnMut() {
    let (cx, event, mut subject) = (HookContext::new(), success(), Some(ToolResult::new(TEXT)));
    async move || again!(subject, set.fire(black_box(&cx), black_box(&event), subject.take().expect("it comes back")).await, kept => kept)
}

pub(crate) fn gate(set: HookSet) -> impl FnMut() {
    let (cx, event, mut subject) = (HookContext::new(), BeforeToolCall::new(call()), Some(call().input));
    move || again!(subject, set.fire_blocking(black_box(&cx), black_box(&event), subject.take().expect("it comes back")), kept => Some(kept))
}

pub(crate) fn gate_async(set: HookSet) -> impl AsyncFnMut() {
    let (cx, event, mut subject) = (HookContext::new(), BeforeToolCall::new(call()), Some(call().input));
    async move || again!(subject, set.fire(black_box(&cx), black_box(&event), subject.take().expect("it comes back")).await, kept => Some(kept))
}

pub(crate) fn history(set: HookSet, length: usize) -> impl FnMut() {
    let messages: Vec<Message> = (0..length).map(|_| Message::new(Role::User, TEXT)).collect();
    let (cx, event, mut subject) = (HookContext::new(), FilterMessages::new(), Some(Messages::from(messages)));
    move || again!(subject, set.fire_blocking(black_box(&cx), black_box(&event), subject.take().expect("it comes back")), kept => Some(kept))
}
