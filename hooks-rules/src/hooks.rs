//! The hooks that run the rules of one event each. They convert an event of the loop to an occurrence, and the merged
//! answer to what the kind can carry.

mod call;
mod compaction;
mod conversation;
mod end;
mod permission;
mod prompt;
mod result;
mod session;
mod tool;

use std::sync::Arc;

use hook_sdk::hook::{OnFailure, Timeout};
use hook_sdk::verdict::{Attribution, Halt};
use hook_sdk::{Hook, HookId};

use crate::event::Event;
use crate::firing::Firing;
use crate::rule::RuleSource;

pub(crate) use conversation::{follow, leftover};

/// Attributes a decision to the rule that made it, or to the hook if the rule is not known.
fn attributed<T>(answer: T, by: Option<&RuleSource>, attribute: impl FnOnce(T, Attribution) -> T) -> T {
    let named = by.and_then(|by| {
        let rule = Attribution::new(HookId::named(by.rule.as_str())?).file(by.file.to_string_lossy(), by.line);
        Some(by.plugin.iter().fold(rule, Attribution::plugin))
    });
    match named {
        Some(rule) => attribute(answer, rule),
        None => answer,
    }
}

/// Ends the turn for this reason.
fn halt(reason: String, by: Option<&RuleSource>) -> Halt {
    attributed(Halt::new(reason), by, Halt::attributed_to)
}

/// Why a hook of rules has no answer: the rules end the turn, have failed, or none of them was selected.
type Ended = Box<dyn std::error::Error + Send + Sync>;

/// The hook for an event. `None` if no kind fires the event.
pub(crate) fn of(event: Event, firing: Arc<Firing>) -> Option<Hook> {
    let id = event.hook_id();
    let hook = match event {
        Event::PreToolUse => tool::before(&id, firing),
        Event::PermissionRequest => permission::request(&id, firing),
        Event::PostToolUse => result::success(&id, firing),
        Event::PostToolUseFailure => result::failure(&id, firing),
        Event::UserPromptSubmit => prompt::submit(&id, firing),
        Event::Stop | Event::SubagentStop => end::stop(&id, firing),
        Event::StopFailure => end::failure(&id, firing),
        Event::SessionStart => session::start(&id, firing),
        Event::SessionEnd => session::end(&id, firing),
        Event::SubagentStart => session::agent(&id, firing),
        Event::PreCompact => compaction::before(&id, firing),
        Event::PostCompact => compaction::after(&id, firing),
        _ => return None,
    };
    // Each rule has its own deadline and its own `onFailure`.
    Some(hook.timeout(Timeout::None).on_failure(OnFailure::Continue))
}
