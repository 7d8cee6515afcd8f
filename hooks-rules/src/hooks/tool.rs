use std::sync::Arc;

use hook_sdk::Hook;
use hook_sdk::data::ToolInput;
use hook_sdk::hook::NotSelected;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::verdict::{Denial, Permission, Question};

use super::{BoxError, attributed, call, halt};
use crate::answer::RuleDecision;
use crate::rule::RuleSource;
use crate::runner::{EventRules, RuleNote, RuleNotes};

/// `PreToolUse`.
pub(super) fn before(id: &str, rules: Arc<EventRules>) -> Hook {
    Hook::at::<BeforeToolCall>(id).async_replacer(move |cx, event, input: ToolInput| {
        let rules = Arc::clone(&rules);
        Box::pin(async move {
            let call = &event.call;
            let mut occurrence = rules.occurrence(cx);
            call::set_call(&rules, &mut occurrence, call, &input);
            let seen = occurrence.get("tool_input").cloned();
            let Some(answer) = rules.fire(cx, occurrence, Some(&call.name)).await? else {
                return Err(NotSelected.into());
            };
            if let Some(reason) = answer.stop {
                return Err(BoxError::from(halt(reason, answer.by.as_ref())));
            }
            rules.shared.keep_contexts(cx, &call.id, answer.contexts);
            RuleNotes::say(cx, answer.input_reason.map(RuleNote::Change));
            // The tool gets the same absolute path that the rules have judged. A host resolves its paths by itself, and would
            // take this for a rewritten call.
            let is_of_host = cx.state::<RuleNotes>().is_ok();
            let judged = seen.filter(|seen| !is_of_host && *seen != *input).map_or(input, ToolInput::from);
            let input = answer.updated_input.map_or(judged, ToolInput::from);
            Ok((input, permission(answer.decision, answer.by.as_ref())))
        })
    })
}

/// Converts a decision to a permission that names the rule.
pub(super) fn permission(decision: RuleDecision, by: Option<&RuleSource>) -> Permission {
    let question = |reason: String| attributed(Question::new(reason), by, Question::attributed_to);
    match decision {
        RuleDecision::Deny(reason) => {
            Permission::Deny(attributed(Denial::new(reason), by, Denial::attributed_to).into())
        }
        RuleDecision::Defer(reason) => Permission::Defer(question(reason).into()),
        RuleDecision::Ask(reason) => Permission::Ask(question(reason).into()),
        RuleDecision::Allow(_) => Permission::Allow,
        RuleDecision::None | RuleDecision::Feedback(_) | RuleDecision::Continue(_) => Permission::NoOpinion,
    }
}
