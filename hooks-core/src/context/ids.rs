//! The ids that say where something happens.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The ids of the place where a dispatch happens. Contexts, records, jobs and end notices share them. They contain no
/// app state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Ids {
    /// The app's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<Arc<str>>,
    /// The app's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_version: Option<Arc<str>>,
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Arc<str>>,
    /// The agents that called this one, outermost first; empty if it is not a sub-agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent_path: Vec<String>,
    /// The prompt's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Arc<str>>,
    /// The id of the person's session, if it differs from the conversation's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Arc<str>>,
    /// The conversation's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Arc<str>>,
    /// The turn's number within the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The id of the request that the turn answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Arc<str>>,
    /// The id of the stored row of the person's message that the turn answers, once it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<str>>,
    /// The place in the app from which the model is called, such as `chat` or `title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_site: Option<Arc<str>>,
    /// The agent's working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Arc<Path>>,
    /// Whether a person is present who can be asked.
    pub human_present: bool,
}

impl Ids {
    /// The id of the person's session. It equals the conversation's id except in a sub-agent, which has its own
    /// conversation within the session of its caller.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref().or(self.conversation.as_deref())
    }
}
