//! Invariants of turns.

use hook_sdk::data::{Block, Message};
use proptest::prelude::*;

/// Each call has exactly one result after it. If the store failed, calls may be open, because it accepted no more rows.
pub(super) fn well_formed<'a>(
    messages: impl Iterator<Item = &'a Message>,
    store_failed: bool,
) -> Result<(), TestCaseError> {
    let mut open: Vec<&str> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for block in messages.flat_map(|message| &message.content) {
        match block {
            Block::ToolUse(call) => {
                prop_assert!(!seen.contains(&call.id.as_str()), "two calls have the id {}", call.id);
                seen.push(&call.id);
                open.push(&call.id);
            }
            Block::ToolResult(result) => {
                let at = open.iter().position(|id| *id == result.call_id);
                prop_assert!(at.is_some(), "a result without its call: {}", result.call_id);
                open.remove(at.unwrap());
            }
            _ => {}
        }
    }
    prop_assert!(open.is_empty() || store_failed, "calls without a result: {open:?}");
    Ok(())
}

/// Invariants of the order of events. `undisturbed` means that nothing prevented a row from being stored.
pub(super) fn in_order(log: &[String], undisturbed: bool) -> Result<(), TestCaseError> {
    let count = |what: &str| log.iter().filter(|noted| *noted == what).count();
    prop_assert_eq!(count("turn_end"), 1, "{:?}", log);
    prop_assert_eq!(log.last().map(String::as_str), Some("turn_end"), "{:?}", log);

    // Each `before` has its `after`: for calls always, otherwise if nothing prevented it.
    prop_assert_eq!(count("before_tool_call"), count("after_tool_call"), "{:?}", log);
    alternate(&without_withdrawn(log), "before_create_message", "after_create_message", undisturbed)?;
    alternate(log, "pre_model_call", "post_model_call", false)?;
    alternate(log, "before_compaction", "post_compact", false)?;

    for (before, after) in log.iter().zip(log.iter().skip(1)) {
        // Not before the store has it, and never without it.
        prop_assert_eq!(after == "after_create_message", before == "the store", "{:?}", log);
        let ran = ["after_tool_call_success", "after_tool_call_failure", "the tool"].contains(&after.as_str());
        let asked = before == "before_tool_call" && after == "permission_request";
        match before.as_str() {
            "before_tool_call" | "permission_request" => {
                let follows = ran || asked || after == "after_tool_call";
                prop_assert!(follows, "between a gate and its result: {after}: {log:?}");
            }
            "after_tool_call" => prop_assert_eq!(after, "before_store_tool_result", "{:?}", log),
            "before_store_tool_result" => prop_assert_eq!(after, "before_create_message", "{:?}", log),
            _ => {}
        }
    }
    let (first_call, prompt) = (
        log.iter().position(|what| what == "pre_model_call"),
        log.iter().position(|what| what == "user_prompt_submit"),
    );
    prop_assert!(first_call.is_none() || prompt < first_call, "{:?}", log);
    Ok(())
}

/// The log without the rows that hooks at `stop` saw but which were not stored, because an error replaced them.
fn without_withdrawn(log: &[String]) -> Vec<String> {
    let withdrawn = ["before_create_message", "stop", "before_create_message"];
    let begins = |at: usize| log[at..].iter().take(3).map(String::as_str).eq(withdrawn);
    (0..log.len()).filter(|&at| !begins(at)).map(|at| log[at].clone()).collect()
}

/// No `after` without a `before`. If they are `paired`, also no `before` without an `after`.
fn alternate(log: &[String], before: &str, after: &str, paired: bool) -> Result<(), TestCaseError> {
    let mut open = 0;
    for what in log {
        if what == before {
            prop_assert!(!paired || open == 0, "{before} twice: {log:?}");
            open += 1;
        } else if what == after {
            prop_assert!(open > 0, "{after} without {before}: {log:?}");
            open = 0;
        }
    }
    prop_assert!(!paired || open == 0, "{before} without {after}: {log:?}");
    Ok(())
}
