use std::sync::Arc;

use hook_sdk::Hook;
use hook_sdk::hook::NotSelected;
use hook_sdk::kinds::{BeforeCompaction, PostCompact};
use hook_sdk::verdict::Permission;
use serde_json::Value;

use super::BoxError;
use super::tool::permission;
use crate::answer::RuleDecision;
use crate::runner::EventRules;

/// `PreCompact`.
pub(super) fn before(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<BeforeCompaction>(id).async_reader(move |cx, event, (): &()| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let mut occurrence = rules.occurrence(cx);
            let instructions = Some(event.instructions.as_str()).filter(|text| !text.is_empty());
            occurrence.set("trigger", event.trigger.as_ref());
            occurrence.set("custom_instructions", instructions.map_or(Value::Null, Value::from));
            occurrence.set_detail("compaction_type", event.compaction.as_ref());
            occurrence.set_detail("reason", event.reason.as_str());
            let answer = rules.fire(cx, occurrence, None).await?.ok_or(NotSelected)?;
            Ok::<_, BoxError>(match answer.decision {
                refused @ RuleDecision::Deny(_) => permission(refused, answer.by.as_ref()),
                _ => Permission::NoOpinion,
            })
        })
    })
}

/// `PostCompact`.
pub(super) fn after(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<PostCompact>(id).async_reader(move |cx, event, history| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let mut occurrence = rules.occurrence(cx);
            occurrence.set("trigger", event.trigger.as_ref());
            occurrence.set("compact_summary", history.summary.clone().unwrap_or_default());
            rules.fire(cx, occurrence, None).await?.ok_or(NotSelected)?;
            Ok::<_, BoxError>(())
        })
    })
}
