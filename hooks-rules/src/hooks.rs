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
use crate::rule::RuleSource;
use crate::runner::EventRules;

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

/// Why a hook of rules has no verdict: the rules end the turn, have failed, or none of them was selected.
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The hook for an event. `None` if no kind fires the event.
pub(crate) fn of(event: Event, rules: Arc<EventRules>) -> Option<Hook> {
    let id = event.hook_id();
    let hook = match event {
        Event::PreToolUse => tool::before(&id, rules),
        Event::PermissionRequest => permission::request(&id, rules),
        Event::PostToolUse => result::success(&id, rules),
        Event::PostToolUseFailure => result::failure(&id, rules),
        Event::UserPromptSubmit => prompt::submit(&id, rules),
        Event::Stop | Event::SubagentStop => end::stop(&id, rules),
        Event::StopFailure => end::failure(&id, rules),
        Event::SessionStart => session::start(&id, rules),
        Event::SessionEnd => session::end(&id, rules),
        Event::SubagentStart => session::agent(&id, rules),
        Event::PreCompact => compaction::before(&id, rules),
        Event::PostCompact => compaction::after(&id, rules),
        _ => return None,
    };
    // Each rule has its own deadline and its own `onFailure`.
    Some(hook.timeout(Timeout::None).on_failure(OnFailure::Continue))
}
