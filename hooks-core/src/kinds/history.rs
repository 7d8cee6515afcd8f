use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::Messages;

/// Fires when the stored conversation is read for a turn: hooks may leave messages out or rewrite them.
///
/// A call and its result stay together: a hook that keeps one without the other has failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "filter_messages", subject = Messages, check = Messages::check_history, new, json)]
#[non_exhaustive]
pub struct FilterMessages {}

/// Fires before messages are sent to a model, in the form in which they are sent: hooks may leave some out or rewrite them.
///
/// What is changed here is not stored. A call and its result stay together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "prefilter_llm_history",
    subject = Messages,
    check = Messages::check_history,
    match(profile, model, call_site),
    new,
    json
)]
#[serde(default)]
#[non_exhaustive]
pub struct PrefilterLlmHistory {
    /// The model profile of the call; empty where there is none.
    pub profile: String,
    /// The model; empty where the harness does not know yet.
    pub model: String,
    /// What the call is for, such as `main` or `title`; empty where the harness has but one.
    pub call_site: String,
}
