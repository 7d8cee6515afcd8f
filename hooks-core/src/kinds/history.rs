use hooks_macros::__event as event;

use crate::data::Messages;

/// Fires when the stored conversation is read for a turn: hooks may omit messages or rewrite them.
///
/// A call and its result belong together: a hook that keeps only one of them fails.
#[event(name = "filter_messages", subject = Messages, check = Messages::check_history, new)]
#[derive(Default, Eq)]
pub struct FilterMessages {}

/// Fires before messages are sent to a model, in the form that is sent: hooks may omit some or rewrite them.
///
/// Changes at this kind are not stored. A call and its result belong together.
#[event(
    name = "prefilter_llm_history",
    subject = Messages,
    check = Messages::check_history,
    match(profile, model, call_site),
    new
)]
#[derive(Default, Eq)]
pub struct PrefilterLlmHistory {
    /// The model profile of the call; empty if there is none.
    pub profile: String,
    /// The model; empty if the harness does not know it yet.
    pub model: String,
    /// The purpose of the call, such as `main` or `title`; empty if the harness does not say.
    pub call_site: String,
}
