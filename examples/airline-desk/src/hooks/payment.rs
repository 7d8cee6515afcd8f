//! What the model need not know to do its work: which card, not its id.

use hooks_core::data::{Block, Message, ToolResult};
use hooks_core::hook;

use crate::mask::Masks;

/// Names cards and certificates by their sort in what a tool shows the model.
///
/// What a tool says when it fails is shown to the model too. Keys of a JSON result stay, whatever they hold, so that the result keeps its shape. Inputs of tools are not touched:
/// a masked id could not be paid with. A result that could not be masked is
/// removed.
#[hook(id = "mask_payment_ids", kind = [after_tool_call_success, after_tool_call_failure], on_failure = remove)]
pub(crate) fn mask_payment_ids(result: &mut ToolResult) -> Result<(), regex::Error> {
    let masks = Masks::get()?;
    result.rewrite_text(|text| masks.payment_ids(text));
    Ok(())
}

/// Names cards and certificates by their sort in stored prose. The arguments of stored calls stay as they ran, so that
/// the transcript still says what was paid with.
#[hook(id = "mask_payment_prose", kind = before_create_message, after = ["redact_pii"], on_failure = required)]
pub(crate) fn mask_payment_prose(row: &mut Message) -> Result<(), regex::Error> {
    let masks = Masks::get()?;
    let masked = |block: &Block| masks.payment_ids(block.as_text()?);
    let edits: Vec<Option<String>> = row.content.iter().map(masked).collect();
    // Writing to a row copies it, so nothing is written where nothing is found.
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
