//! What the model need not know to do its work: which card, not its id.

use hooks_core::data::{Block, Message, ToolResult};
use hooks_core::hook;

use crate::mask;

/// Names cards and certificates by their sort in what a tool shows the model.
///
/// Keys of a JSON result stay, whatever they hold, so that the result keeps its shape. Inputs of tools are not touched:
/// a masked id could not be paid with.
#[hook(id = "mask_payment_ids", kind = after_tool_call_success, on_failure = remove)]
pub fn mask_payment_ids(result: &mut ToolResult) {
    result.rewrite_text(mask::payment_ids);
}

/// Names cards and certificates by their sort in stored prose. The arguments of stored calls stay as they ran, so that
/// the transcript still says what was paid with.
#[hook(id = "mask_payment_prose", kind = before_create_message, after = ["redact_pii"])]
pub fn mask_payment_prose(row: &mut Message) {
    let masked = |block: &Block| block.as_text().and_then(mask::payment_ids);
    let edits: Vec<Option<String>> = row.content.iter().map(masked).collect();
    // Writing to a row copies it, so nothing is written where nothing is found.
    if edits.iter().all(Option::is_none) {
        return;
    }
    for (block, edit) in row.content.iter_mut().zip(edits) {
        if let (Block::Text(text), Some(edit)) = (block, edit) {
            text.text = edit;
        }
    }
}
