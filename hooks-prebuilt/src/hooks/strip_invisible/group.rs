//! The places at which `strip_invisible` runs.

use hook_sdk::hook;
use hook_sdk::prelude::*;

use super::StripInvisible;
use crate::texts;

hook_sdk::group! {
    /// Removes characters that nobody sees and a model reads: tags, direction marks, fillers, and data in variation
    /// selectors. Those that an emoji or a script needs stay.
    pub strip_invisible
}

// Before the masks, for which a character that nobody sees can part a value.
#[hook(group = strip_invisible, kind = user_prompt_submit, on_failure = required, priority = -10_000)]
fn prompts(strip: &With<StripInvisible>, messages: &mut Messages) {
    texts::of_messages(messages, &mut |_, text| strip.strip(text));
}

#[hook(group = strip_invisible, kind = [after_tool_call_success, after_tool_call_failure], on_failure = remove, priority = -10_000)]
fn results(strip: &With<StripInvisible>, result: &mut ToolResult) {
    texts::of_result(result, &mut |_, text| strip.strip(text));
}

#[hook(group = strip_invisible, kind = prefilter_llm_history, on_failure = required, priority = -10_000)]
fn history(strip: &With<StripInvisible>, messages: &mut Messages) {
    texts::of_messages(messages, &mut |_, text| strip.strip(text));
}
