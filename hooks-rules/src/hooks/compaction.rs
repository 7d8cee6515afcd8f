use std::sync::Arc;

use hook_sdk::Hook;
use hook_sdk::hook::NotSelected;
use hook_sdk::kinds::{BeforeCompaction, PostCompact};
use hook_sdk::verdict::Permission;
use serde_json::Value;

use super::Ended;
use super::tool::permission;
use crate::answer::Decision;
use crate::firing::Firing;

/// `PreCompact`.
pub(super) fn before(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::at::<BeforeCompaction>(id).async_reader(move |cx, event, (): &()| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            let mut occurrence = firing.occurrence(cx);
            let instructions = Some(event.instructions.as_str()).filter(|text| !text.is_empty());
            occurrence.set("trigger", event.trigger.as_ref());
            occurrence.set("custom_instructions", instructions.map_or(Value::Null, Value::from));
            occurrence.set_flat("compaction_type", event.compaction.as_ref());
            occurrence.set_flat("reason", event.reason.as_str());
            let answer = firing.fire(occurrence, None).await?.ok_or(NotSelected)?;
            Ok::<_, Ended>(match answer.decision {
                refused @ Decision::Deny(_) => permission(refused, answer.by.as_ref()),
                _ => Permission::NoOpinion,
            })
        })
    })
}

/// `PostCompact`.
pub(super) fn after(id: &str, firing: Arc<Firing>) -> Hook {
    Hook::at::<PostCompact>(id).async_reader(move |cx, event, history| {
        let firing = Arc::clone(&firing);
        Box::pin(async move {
            let mut occurrence = firing.occurrence(cx);
            occurrence.set("trigger", event.trigger.as_ref());
            occurrence.set("compact_summary", history.summary.clone().unwrap_or_default());
            firing.fire(occurrence, None).await?.ok_or(NotSelected)?;
            Ok::<_, Ended>(())
        })
    })
}
