//! Runs a rule: a command in its own session, a request, a question to a model, or text.

mod background;
mod capture;
mod environment;
#[cfg(feature = "http")]
mod http;
mod clients;
mod process;
mod tree;

pub(crate) use background::Background;
pub(crate) use clients::Clients;
pub use clients::{ClientResult, Judge, JudgeQuestion, Post, PostRequest};
pub(crate) use environment::{Environment, Surroundings};
#[cfg(feature = "http")]
pub use http::PlainHttp;
pub(crate) use process::{Ran, command, run};
