//! Hooks of streams, in pieces.
#![allow(clippy::unwrap_used, clippy::ptr_arg, reason = "a helper of tests is one too; a subject is a `&String`")]

use hook_sdk::kinds::StreamDelta;
use hook_sdk::prelude::*;
use hooks_conformance::{StreamBreach, check_stream};

/// Removes digits that follow the words. If it waits, only when no more can follow.
fn mask(window: &mut String, start: &str, waits: bool, last: bool) {
    let Some(at) = window.find(start) else { return };
    let after = &window[at + start.len()..];
    let end = after.find(|c: char| !c.is_ascii_digit());
    if end.is_some() || last || !waits {
        window.replace_range(at..at + start.len() + end.unwrap_or(after.len()), "[number]");
    }
}

#[hook(kind = stream_delta, hold = 20, on_failure = deny)]
fn number_at_once(window: &mut String) {
    mask(window, "No. ", false, true);
}

#[hook(kind = stream_delta, hold = 20, on_failure = deny)]
fn number_at_its_end(event: &StreamDelta, window: &mut String) {
    mask(window, "No. ", true, event.last);
}

#[hook(kind = stream_delta, hold = 4, on_failure = deny)]
fn number_held_too_briefly(event: &StreamDelta, window: &mut String) {
    mask(window, "No. ", true, event.last);
}

#[hook(kind = stream_delta, hold = 20)]
fn no_numbers(window: &String) -> Permission {
    if window.contains("No. ") { Permission::deny("a number") } else { Permission::NoOpinion }
}

#[hook(kind = stream_delta)]
fn no_numbers_in_one_piece(window: &String) -> Permission {
    if window.contains("No. ") { Permission::deny("a number") } else { Permission::NoOpinion }
}

async fn tried(hooks: impl IntoIterator<Item = hook_sdk::scope::HookRef>, text: &str) -> Result<(), StreamBreach> {
    let hooks = Registry::discover().unwrap().scope(&AgentDef::new("desk").hooks(hooks), None).unwrap();
    check_stream(&hooks, text).await
}

#[tokio::test]
async fn a_mask_that_shows_the_rest_of_a_match_is_found() {
    let text = "it is No. 4711 é, and nothing else";
    tried(hooks![number_at_its_end], text).await.unwrap();
    tried(hooks![], text).await.unwrap();
    tried(hooks![number_at_its_end], "").await.unwrap();
    let told = tried(hooks![number_at_once], text).await.unwrap_err().to_string();
    assert!(told.contains("this is shown: \"it is [number]4711 é, and nothing else\""), "{told}");
    let told = tried(hooks![number_held_too_briefly], text).await.unwrap_err();
    assert!(matches!(told, StreamBreach::Differs { .. }), "{told}");
}

#[tokio::test]
async fn a_guard_that_misses_pieces_is_found() {
    let text = "it is No. 4711, and nothing else";
    tried(hooks![no_numbers], text).await.unwrap();
    let told = tried(hooks![no_numbers_in_one_piece], text).await.unwrap_err();
    assert!(matches!(told, StreamBreach::NotStopped { .. }), "{told}");
}
