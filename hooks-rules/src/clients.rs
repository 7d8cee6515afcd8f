//! Clients that an app provides for rules: a model, and an HTTP client.

#[cfg(feature = "http")]
mod http;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use hook_sdk::hook::BoxFuture;

use crate::event::Event;
#[cfg(feature = "http")]
pub use http::PlainHttp;

/// The answer of a model or a server, or the error of reaching it.
pub type ClientResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The question of a `prompt` rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JudgeQuestion {
    /// The event.
    pub event: Event,
    /// The question, including the input.
    pub text: String,
    /// The model, if the rule names one.
    pub model: Option<String>,
}

/// Answers the questions of `prompt` rules. Dropping the future cancels the question.
///
/// The model has to answer `{"ok": true}`, or `{"ok": false, "reason": "…"}`. Say so in its system prompt.
pub trait Judge: Send + Sync + 'static {
    /// Returns the model's answer, unchanged.
    fn judge<'a>(&'a self, question: &'a JudgeQuestion) -> BoxFuture<'a, ClientResult<String>>;
}

/// The request of an `http` rule.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostRequest {
    /// The URL.
    pub url: String,
    /// The headers, with variables expanded.
    pub headers: BTreeMap<String, String>,
    /// The body: the input as JSON.
    pub body: Arc<[u8]>,
}

/// Headers may contain secrets, and the body contains the conversation, so only the names of the former and the length
/// of the latter are shown.
impl fmt::Debug for PostRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.keys().collect();
        let mut shown = f.debug_struct("PostRequest");
        shown.field("url", &self.url).field("headers", &headers).field("body", &self.body.len()).finish()
    }
}

/// Sends the requests of `http` rules. Dropping the future cancels the request.
pub trait Post: Send + Sync + 'static {
    /// Returns the status and the body of the response.
    fn post<'a>(&'a self, request: &'a PostRequest) -> BoxFuture<'a, ClientResult<(u16, String)>>;
}

/// The clients that an app provides.
#[derive(Clone, Default)]
#[non_exhaustive]
pub(crate) struct Clients {
    /// The model.
    pub(crate) judge: Option<Arc<dyn Judge>>,
    /// The HTTP client.
    pub(crate) post: Option<Arc<dyn Post>>,
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clients").field("judge", &self.judge.is_some()).field("post", &self.post.is_some()).finish()
    }
}
