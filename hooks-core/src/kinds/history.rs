use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::Messages;

/// Fires when the stored conversation is read for a turn: hooks may leave messages out or rewrite them.
///
/// A call and its result stay together: a hook that keeps one without the other has failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "filter_messages", subject = Messages, check = Messages::check_pairs)]
#[non_exhaustive]
pub struct FilterMessages {}

impl FilterMessages {
    /// A conversation is read for a turn.
    pub fn new() -> Self {
        Self {}
    }
}
