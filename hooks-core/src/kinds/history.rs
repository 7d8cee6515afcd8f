use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::Messages;

/// Fires when the stored conversation is read for a turn: hooks may omit messages or rewrite them.
///
/// A call and its result belong together: a hook that keeps only one of them fails.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "filter_messages", subject = Messages, check = Messages::check_history, new, json)]
#[non_exhaustive]
pub struct FilterMessages {}

/// Fires before messages are sent to a model, in the form that is sent: hooks may omit some or rewrite them.
///
/// Changes at this kind are not stored. A call and its result belong together.
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
    /// The model profile of the call; empty if there is none.
    pub profile: String,
    /// The model; empty if the harness does not know it yet.
    pub model: String,
    /// The purpose of the call, such as `main` or `title`; empty if the harness does not say.
    pub call_site: String,
}
