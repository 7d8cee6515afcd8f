//! A buggy hook, to show that its failures have no effect.

use hook_sdk::data::ToolResult;
use hook_sdk::hook;
use serde_json::{Map, Value};

/// Adds the customer's tier for the model, and fails if a profile has an unexpected form.
///
/// It fails on purpose: a result that is not a JSON object is an error, a profile without `membership` is a panic, and
/// before that it has already modified its copy of the result. None of this reaches the transcript.
#[hook(id = "fragile_tier", kind = after_tool_call_success, tool = "get_user_details|*_reservation")]
pub(crate) fn fragile_tier(result: &mut ToolResult) -> Result<(), serde_json::Error> {
    let said = result.text().into_owned();
    let profile: Map<String, Value> = serde_json::from_str(&said)?;
    if profile.contains_key("reservation_id") {
        return Ok(()); // a reservation, not a profile
    }
    result.rewrite_text(|_| Some("half a result".to_owned()));
    let tier = &profile["membership"]; // panics if there is none
    result.rewrite_text(|_| Some(said.clone()));
    result.add_context(format!("The customer's tier is {tier}."));
    Ok(())
}
