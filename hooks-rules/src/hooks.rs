//! The hooks that run the rules of one event each: from an event of the loop to an occurrence on the wire, and from the
//! folded answer to what the kind can carry.

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

use hooks_core::Hook;
use hooks_core::hook::OnFailure;
use hooks_core::hook::Timeout;

use crate::event::Event;
use crate::firing::Firing;

pub(crate) use conversation::{follow, leftover};

/// Why a hook of rules has no answer: they end the turn, or have failed.
type Ended = Box<dyn std::error::Error + Send + Sync>;

/// The hook for an event; `None` where no kind carries it.
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
    // Each rule has a deadline of its own, and says itself what its failure means.
    Some(hook.timeout(Timeout::None).on_failure(OnFailure::Continue))
}
