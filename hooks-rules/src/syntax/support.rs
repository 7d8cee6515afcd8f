use std::time::Duration;

use crate::dialect::Dialect;

/// What a dialect supports at an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandlerSupport {
    /// The dialect, for messages.
    pub(crate) dialect: Dialect,
    /// The supported types of handlers, except `hook`.
    pub(crate) types: &'static [&'static str],
    /// The default timeout of a command.
    pub(crate) command: Duration,
    /// The default timeout of a question to a model.
    pub(crate) question: Duration,
    /// Whether a prompt is text for the conversation instead of a question to a model.
    pub(crate) prompt_is_text: bool,
}
