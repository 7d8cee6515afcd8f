use std::sync::Arc;

use hooks_core::Hook;
use hooks_core::data::ToolInput;
use hooks_core::kinds::PermissionRequest;
use hooks_core::verdict::{Halt, Permission};

use super::{Ended, call, tool};
use crate::answer::Decision;
use crate::firing::Firing;

/// `PermissionRequest`. It has no word for the call's id.
pub(super) fn request(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::at::<PermissionRequest>(id).async_replacer(move |cx, event, input: ToolInput| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            let mut occurrence = firing.occurrence(cx);
            call::tell_input(&firing, &mut occurrence, &event.call, &input);
            let answer = firing.fire(occurrence, Some(&event.call.name)).await?;
            match (answer.stop, answer.decision) {
                // `interrupt` has no reason of its own.
                (Some(reason), Decision::Deny(message)) if reason.is_empty() => Err(Ended::from(Halt::new(message))),
                (Some(reason), _) => Err(Ended::from(Halt::new(reason))),
                (None, Decision::Allow(_)) => {
                    Ok((answer.updated_input.map_or(input, ToolInput::from), Permission::Allow))
                }
                (None, decision @ Decision::Deny(_)) => Ok((input, tool::permission(decision, None))),
                (None, _) => Ok((input, Permission::NoOpinion)),
            }
        })
    })
}
