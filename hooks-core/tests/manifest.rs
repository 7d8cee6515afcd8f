//! The manifest: what a program tells other programs about its hooks and kinds.
//!
//! A binary of its own, because `fires!` applies to a whole binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::panic::catch_unwind;

use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCallSuccess, BeforeCreateMessage, BeforeToolCall, FilterMessages, PrePromptContext,
    UserPromptSubmit,
};
use hook_sdk::prelude::*;
use hook_sdk::testing::assert_manifest;

hook_sdk::fires![
    AfterCreateMessage,
    AfterToolCallSuccess,
    BeforeCreateMessage,
    BeforeToolCall,
    FilterMessages,
    PrePromptContext,
    UserPromptSubmit,
];

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/manifest.json");

/// When the desk opens.
#[derive(Debug, HookKind)]
#[hook_kind(name = "desk_opens", outside_turn)]
struct DeskOpens {}

/// Lights the lamp.
#[hook(id = "lamp", kind = DeskOpens)]
fn lamp() {}

/// Masks what looks like a card number.
#[hook(id = "mask", kind = before_create_message, priority = -5, on_failure = required)]
fn mask(_row: &mut Message) {}

/// Asks the bank.
#[hook(id = "bank", kind = before_tool_call, tool = "refund|pay_*", timeout = "2s", requires = ["limit"])]
async fn bank() -> Permission {
    Permission::NoOpinion
}

/// Knows the limit.
#[hook(id = "limit", kind = before_tool_call, before = ["bank"])]
fn limit() {}

/// Stands before everything.
#[hook(id = "shield", kind = before_tool_call, plugin = "acme", locked)]
fn shield() {}

/// Counts what is stored.
#[hook(id = "count", kind = after_create_message, run = detached)]
async fn count() {}

/// Gives what is stored to the search index.
#[hook(id = "index", kind = after_create_message, run = background, blocking, idempotent, retries = 3, timeout = "5s")]
fn index() {}

fn registry() -> Registry {
    Registry::empty().with(hooks![lamp, mask, bank, limit, count, index, shield]).unwrap()
}

#[test]
fn the_manifest_matches_the_stored_file() {
    assert_manifest(FILE, &registry().manifest());
}

#[test]
fn every_difference_to_the_stored_file_is_reported() {
    let registry = registry();
    registry.replace(Hook::at::<BeforeToolCall>("limit").reader(|_, _, _| ()).priority(7)).unwrap();
    registry.register(Hook::at::<BeforeToolCall>("new_one").reader(|_, _, _| ())).unwrap();
    let manifest = registry.manifest();
    if std::env::var_os("UPDATE_MANIFEST").is_some_and(|value| value == "1") {
        return;
    }
    let reported = *catch_unwind(|| assert_manifest(FILE, &manifest)).unwrap_err().downcast::<String>().unwrap();
    let file_and_changes = "tests/manifest.json: the manifest has changed:\n  hook `limit`: ";
    assert!(reported.contains(file_and_changes), "{reported}");
    assert!(reported.contains("\n  hook `limit` at `before_tool_call`: `priority` was 0, and is 7\n"), "{reported}");
    assert!(reported.contains("\n  hook `new_one` is new\n"), "{reported}");
    assert!(!reported.contains("hook `mask`"), "{reported}");
    assert!(reported.ends_with("if this is intended, run the test with UPDATE_MANIFEST=1"), "{reported}");
}

#[test]
fn hooks_and_declarations_have_their_positions() {
    let manifest = serde_json::to_value(registry().manifest()).unwrap();
    assert!(manifest["hooks"][0]["origin"]["file"].as_str().unwrap().ends_with("manifest.rs"));
    assert!(manifest["hooks"][0]["origin"]["line"].as_u64().unwrap() > 30);
    let places = manifest["kinds"].as_array().unwrap().iter().filter(|kind| kind.get("fired_at").is_some());
    assert_eq!(places.count(), 7, "`desk_opens` has a hook, but no `fires!` declares it");
}
