//! The places at which a mask runs: wherever text is stored, read by a model, returned by a tool or shown.

/// Defines the hooks of a group whose parameters have the functions `edit`, for a text and the name of its field, and
/// `stream`, for a window.
macro_rules! mask_everywhere {
    ($group:ident, $mask:ty) => {
        use hook_sdk::data::{MessageUpdate, ResultRow};
        use hook_sdk::hook;
        use hook_sdk::kinds::StreamDelta;
        use hook_sdk::prelude::*;

        use $crate::finder::{HOLD, LONGEST};
        use $crate::texts;

        #[hook(group = $group, kind = before_create_message, on_failure = required)]
        fn rows(mask: &With<$mask>, row: &mut Message) {
            texts::of_message(row, &mut |name, text| mask.edit(name, text));
        }

        #[hook(group = $group, kind = before_update_message, on_failure = required)]
        fn updates(mask: &With<$mask>, update: &mut MessageUpdate) {
            if let Some(fields) = texts::object(update, &mut |name, text| mask.edit(name, text)) {
                **update = fields;
            }
        }

        #[hook(group = $group, kind = before_store_tool_result, on_failure = required)]
        fn stored_results(mask: &With<$mask>, row: &mut ResultRow) {
            texts::of_row(row, &mut |name, text| mask.edit(name, text));
        }

        #[hook(group = $group, kind = prefilter_llm_history, on_failure = required)]
        fn history(mask: &With<$mask>, messages: &mut Messages) {
            texts::of_messages(messages, &mut |name, text| mask.edit(name, text));
        }

        #[hook(group = $group, kind = [after_tool_call_success, after_tool_call_failure], on_failure = remove)]
        fn results(mask: &With<$mask>, result: &mut ToolResult) {
            texts::of_result(result, &mut |name, text| mask.edit(name, text));
        }

        #[hook(group = $group, kind = stream_delta, hold = 340, on_failure = deny)]
        fn stream(mask: &With<$mask>, event: &StreamDelta, window: &mut String) -> Permission {
            match mask.stream(&event.shown, window, event.last) {
                Some(read) if read.text[read.held..].chars().nth(HOLD).is_some() => {
                    Permission::deny(format!("the answer contains a secret that is longer than {LONGEST} characters"))
                }
                Some(read) => {
                    *window = read.text;
                    Permission::NoOpinion
                }
                None => Permission::NoOpinion,
            }
        }
    };
}

pub(crate) use mask_everywhere;
