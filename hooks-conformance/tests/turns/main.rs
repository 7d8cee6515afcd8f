//! The test by what a loop does: a loop that is right passes, and each way of getting it wrong is named.

mod by_hand;
mod by_hand_model;
mod by_hand_tool;
mod by_steps;
mod faults;
mod streams;

use std::collections::BTreeSet;

use hooks_conformance::{NotConforming, check_turns};

use by_hand::ByHand;
use by_steps::BySteps;
use faults::{BY_STEPS, FAULTS, Fault};

hook_sdk::fires![
    prompt,
    store,
    model_call,
    tool_call,
    stop,
    hook_sdk::kinds::StreamDelta,
    hook_sdk::kinds::BeforeCompaction,
    hook_sdk::kinds::PostCompact,
    hook_sdk::kinds::PostTurn,
];

#[tokio::test]
async fn a_loop_by_hand_that_is_right_passes() {
    check_turns(&ByHand(None)).await.unwrap();
}

#[tokio::test]
async fn each_broken_loop_is_named_by_what_it_does_wrong() {
    let mut unnamed = Vec::new();
    for (fault, told) in FAULTS {
        unnamed.extend(unnamed_by(check_turns(&ByHand(Some(*fault))).await, *fault, told));
    }
    let page = include_str!("../../../docs/design.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(&format!("{} broken loops", FAULTS.len())), "docs/design.md does not say {}", FAULTS.len());
    assert!(unnamed.is_empty(), "{}", unnamed.join("\n\n"));
}

#[tokio::test]
async fn each_broken_loop_written_with_the_steps_is_named_by_what_it_does_wrong() {
    let mut unnamed = Vec::new();
    for (fault, told) in FAULTS.iter().filter(|(fault, _)| BY_STEPS.contains(fault)) {
        let report = check_turns(&BySteps { asks: true, fault: Some(*fault) }).await;
        unnamed.extend(unnamed_by(report, *fault, told));
    }
    assert!(unnamed.is_empty(), "{}", unnamed.join("\n\n"));
}

fn unnamed_by(report: Result<(), NotConforming>, fault: Fault, told: &str) -> Option<String> {
    match report {
        Err(breaches) if breaches.to_string().contains(told) => None,
        other => Some(format!("{fault:?}: wanted `{told}` in: {other:?}")),
    }
}

#[tokio::test]
async fn a_loop_written_with_the_steps_passes() {
    check_turns(&BySteps { asks: true, fault: None }).await.unwrap();
    check_turns(&BySteps { asks: false, fault: None }).await.unwrap();
}

#[test]
fn the_sentences_are_data() {
    let sentences = hooks_conformance::sentences();
    let sentences = sentences.as_array().unwrap();
    let kinds: BTreeSet<_> = sentences.iter().map(|sentence| sentence["kind"].as_str().unwrap()).collect();
    assert!(sentences.len() > 60 && kinds.len() > 15, "{} sentences, {} kinds", sentences.len(), kinds.len());
}
