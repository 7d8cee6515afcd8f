use std::sync::Arc;

use hook_sdk::Hook;
use hook_sdk::data::ToolInput;
use hook_sdk::hook::NotSelected;
use hook_sdk::kinds::PermissionRequest;
use hook_sdk::verdict::Permission;

use super::{BoxError, call, halt, tool};
use crate::answer::RuleDecision;
use crate::runner::{EventRules, RuleNote, RuleNotes};

/// `PermissionRequest`, which has no field for the id of the call.
pub(super) fn request(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<PermissionRequest>(id).async_replacer(move |cx, event, input: ToolInput| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let mut occurrence = rules.occurrence(cx);
            call::set_input(&rules, &mut occurrence, &event.call, &input);
            let Some(answer) = rules.fire(cx, occurrence, Some(&event.call.name)).await? else {
                return Err(NotSelected.into());
            };
            let by = answer.by.as_ref();
            match (answer.stop, answer.decision) {
                // `interrupt` has no reason of its own.
                (Some(reason), RuleDecision::Deny(message)) if reason.is_empty() => {
                    Err(BoxError::from(halt(message, by)))
                }
                (Some(reason), _) => Err(BoxError::from(halt(reason, by))),
                (None, RuleDecision::Allow(_)) => {
                    RuleNotes::say(cx, answer.input_reason.map(RuleNote::Change));
                    Ok((answer.updated_input.map_or(input, ToolInput::from), Permission::Allow))
                }
                (None, decision @ RuleDecision::Deny(_)) => Ok((input, tool::permission(decision, by))),
                (None, _) => Ok((input, Permission::NoOpinion)),
            }
        })
    })
}
