//! The places at which `mask_pii` runs.

use hook_sdk::data::{MessageUpdate, ResultRow};
use hook_sdk::hook;
use hook_sdk::kinds::StreamDelta;
use hook_sdk::prelude::*;

use super::MaskPii;
use crate::texts;

hook_sdk::group! {
    /// Replaces personal data that has a form, such as e-mail addresses and card numbers, wherever text is stored,
    /// read by a model, returned by a tool or shown.
    pub mask_pii
}

#[hook(group = mask_pii, kind = before_create_message, on_failure = required)]
fn rows(mask: &With<MaskPii>, row: &mut Message) {
    texts::of_message(row, &mut |text| mask.replace(text));
}

#[hook(group = mask_pii, kind = before_update_message, on_failure = required)]
fn updates(mask: &With<MaskPii>, update: &mut MessageUpdate) {
    if let Some(fields) = texts::object(update, &mut |text| mask.replace(text)) {
        **update = fields;
    }
}

#[hook(group = mask_pii, kind = before_store_tool_result, on_failure = required)]
fn stored_results(mask: &With<MaskPii>, row: &mut ResultRow) {
    texts::of_row(row, &mut |text| mask.replace(text));
}

#[hook(group = mask_pii, kind = prefilter_llm_history, on_failure = required)]
fn history(mask: &With<MaskPii>, messages: &mut Messages) {
    texts::of_messages(messages, &mut |text| mask.replace(text));
}

#[hook(group = mask_pii, kind = [after_tool_call_success, after_tool_call_failure], on_failure = remove)]
fn results(mask: &With<MaskPii>, result: &mut ToolResult) {
    texts::of_result(result, &mut |text| mask.replace(text));
}

#[hook(group = mask_pii, kind = stream_delta, channel = "text|thinking", hold = 340, on_failure = deny)]
fn stream(mask: &With<MaskPii>, event: &StreamDelta, window: &mut String) {
    *window = mask.window(&event.shown, window, event.last).text;
}
