//! Masks payment data that the model does not need.

use hook_sdk::data::{Block, Message, ToolResult};
use hook_sdk::hook;

use crate::mask::Masks;

/// Replaces the ids of cards and certificates in tool results by their type.
///
/// This includes error messages of tools. The keys of a JSON result are kept, so that the result keeps its structure.
/// The inputs of tools are not masked, because a masked id cannot be used for a payment. A result that cannot be masked
/// is removed.
#[hook(id = "mask_payment_ids", kind = [after_tool_call_success, after_tool_call_failure], on_failure = remove)]
pub(crate) fn mask_payment_ids(result: &mut ToolResult) -> Result<(), regex::Error> {
    let masks = Masks::get()?;
    result.rewrite_text(|text| masks.payment_ids(text));
    Ok(())
}

/// Replaces the ids of cards and certificates in stored text by their type. The arguments of stored calls are not
/// masked, so that the transcript shows which payment method was used.
#[hook(id = "mask_payment_prose", kind = before_create_message, after = ["redact_pii"], on_failure = required)]
pub(crate) fn mask_payment_prose(row: &mut Message) -> Result<(), regex::Error> {
    let masks = Masks::get()?;
    let masked = |block: &Block| masks.payment_ids(block.as_text()?);
    let edits: Vec<Option<String>> = row.content.iter().map(masked).collect();
    // Writing to a row copies it, so do not write if there is nothing to mask.
    if edits.iter().all(Option::is_none) {
        return Ok(());
    }
    for (block, edit) in row.content.iter_mut().zip(edits) {
        if let (Block::Text(text), Some(edit)) = (block, edit) {
            text.text = edit;
        }
    }
    Ok(())
}
