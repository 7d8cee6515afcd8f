use hook_sdk::kinds::{PostPreflightPromptContext, PrePromptContext};
use hook_sdk::prelude::*;
use hook_sdk::verdict::{AuditNote, PromptContext};
use serde_json::json;

use super::Failure;
use crate::fact::{Fact, words};
use crate::policy::{DOMAIN, Policy};
use crate::store::Store;
use crate::topics::Plan;

/// The maximum number of notes that each of the two hooks recalls.
pub const NOTES: usize = 5;

/// Recalls the notes that contain words of the prompt. It is deterministic.
///
/// The notes are in a memory-mapped file, so the hook does not have to be async.
///
/// # Errors
/// If the notes cannot be read. The turn continues without them.
#[hook(id = "recall_words", kind = pre_prompt_context)]
pub fn recall_words(cx: &HookContext, event: &PrePromptContext) -> Result<Vec<Contribution>, Failure> {
    if !Policy::in_force(&event.contributions).read {
        return Ok(Vec::new());
    }
    let found = cx.state::<Store>()?.about(&words(&event.prompt), NOTES)?;
    // Notes with matching words are more relevant than notes with matching topics.
    Ok(found.iter().map(|fact| note(fact, 10)).collect())
}

/// Recalls the notes on the topics of the plan, even if they share no words with the prompt.
///
/// # Errors
/// If the plan or the notes cannot be read. The turn continues without them.
#[hook(id = "recall_topics", kind = post_preflight_prompt_context)]
pub fn recall_topics(cx: &HookContext, event: &PostPreflightPromptContext) -> Result<Vec<Contribution>, Failure> {
    let Plan { topics, .. } = event.read_plan()?.unwrap_or_default();
    if !Policy::in_force(&event.contributions).read || topics.is_empty() {
        return Ok(Vec::new());
    }
    let here = event.contributions.prompt_context();
    let known = |fact: &Fact| here.entries.iter().any(|entry| entry.domain == DOMAIN && entry.id == fact.key);
    // Request as many more as are already there, so that duplicates do not displace others.
    let found = cx.state::<Store>()?.on(&topics, NOTES + here.entries.len())?;
    let under: Vec<&str> = topics.iter().map(String::as_str).collect();
    let lookup = AuditNote::new(format!("looked under {}", under.join(", "))).data(json!({ "topics": topics }));
    Ok([lookup.into()]
        .into_iter()
        .chain(found.iter().filter(|fact| !known(fact)).take(NOTES).map(|fact| note(fact, 0)))
        .collect())
}

fn note(fact: &Fact, priority: i32) -> Contribution {
    PromptContext::new(DOMAIN, fact.key.as_str(), fact.to_string()).priority(priority).into()
}
