//! What an app lends to rules: a model to ask, and a client for requests.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use hooks_core::hook::BoxFuture;

use crate::event::Event;

/// What a model or a server said, or why it could not be reached.
pub type ClientResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A question of a rule to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JudgeQuestion {
    /// The event.
    pub event: Event,
    /// The question with the input in it.
    pub text: String,
    /// The model that the rule asks for, where it does.
    pub model: Option<String>,
}

/// Asks a model the questions of `prompt` rules. Dropping the future takes the question back.
///
/// The model is to answer `{"ok": true}`, or `{"ok": false, "reason": "…"}`; say so in the instructions you give it.
pub trait Judge: Send + Sync + 'static {
    /// The model's answer, as it said it.
    fn judge<'a>(&'a self, question: &'a JudgeQuestion) -> BoxFuture<'a, ClientResult<String>>;
}

/// A request of a rule.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostRequest {
    /// The address.
    pub url: String,
    /// The headers, filled.
    pub headers: BTreeMap<String, String>,
    /// The body: the input in JSON.
    pub body: Arc<[u8]>,
}

/// Headers are filled with variables that may be secret, and the body holds the conversation: it shows the names of the ones
/// and the length of the other.
impl fmt::Debug for PostRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.keys().collect();
        let mut shown = f.debug_struct("PostRequest");
        shown.field("url", &self.url).field("headers", &headers).field("body", &self.body.len()).finish()
    }
}

/// Sends the requests of `http` rules. Dropping the future takes the request back.
pub trait Post: Send + Sync + 'static {
    /// The status and the body of the answer.
    fn post<'a>(&'a self, request: &'a PostRequest) -> BoxFuture<'a, ClientResult<(u16, String)>>;
}

/// What an app lends to rules.
#[derive(Clone, Default)]
#[non_exhaustive]
pub(crate) struct Clients {
    /// The model to ask.
    pub(crate) judge: Option<Arc<dyn Judge>>,
    /// The client for requests.
    pub(crate) post: Option<Arc<dyn Post>>,
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clients").field("judge", &self.judge.is_some()).field("post", &self.post.is_some()).finish()
    }
}
