//! Running one rule: a command in a process group of its own, a request, a question to a model, or text.

mod background;
#[cfg(unix)]
mod capture;
mod environment;
#[cfg(feature = "http")]
mod http;
mod outside;
mod process;
#[cfg(unix)]
mod tree;

pub(crate) use background::Background;
pub(crate) use environment::{Environment, Surroundings};
#[cfg(feature = "http")]
pub use http::PlainHttp;
pub(crate) use outside::Outside;
pub use outside::{Asked, Judge, Post, Posted, Reply};
pub(crate) use process::{Ran, command, run};
