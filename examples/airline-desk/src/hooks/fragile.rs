//! A hook as it is written on a Friday, to show that it harms nobody.

use hooks_core::data::ToolResult;
use hooks_core::hook;
use serde_json::{Map, Value};

/// Tells the model the customer's tier, and breaks where a profile is not as its author thought.
///
/// It fails on purpose: an answer that is no JSON object is an error, a profile without `membership` is a panic, and by
/// then it has already written to its copy of the result. Nothing of that reaches the transcript.
#[hook(id = "fragile_tier", kind = after_tool_call_success, tool = "get_user_details|*_reservation")]
pub(crate) fn fragile_tier(result: &mut ToolResult) -> Result<(), serde_json::Error> {
    let said = result.text().into_owned();
    let profile: Map<String, Value> = serde_json::from_str(&said)?;
    if profile.contains_key("reservation_id") {
        return Ok(()); // a reservation, not a profile
    }
    result.rewrite_text(|_| Some("half a result".to_owned()));
    let tier = &profile["membership"]; // panics where there is none
    result.rewrite_text(|_| Some(said.clone()));
    result.add_context(format!("The customer's tier is {tier}."));
    Ok(())
}
