//! Hooks around MCP tools: each `tools/call` goes through [`HookSet::tool_call`](hook_sdk::HookSet::tool_call).
//!
//! A [`McpGuard`] is a set of hooks for the tools of one server. [`GuardedServer`] wraps a server with it, whatever its
//! handler and its transport, and [`McpGuard::call_tool`] a call of a client. Hooks see a tool under the name that agent
//! programs give it: `mcp__SERVER__TOOL`.
//!
//! # What is carried
//!
//! | Hooks | A client gets |
//! |---|---|
//! | do nothing | the answer of the server, as it is |
//! | rewrite the arguments | the answer of a call with these arguments |
//! | deny; ask, and the approver says no | a result with `isError` and the reason |
//! | answer | this result, and an object of JSON in its text as its structure; the server is not asked |
//! | rewrite or remove a result | the result as they left it, with `isError` if its structure is gone or of another shape |
//! | halt | a result with `isError`: a server cannot end the turn of its client |
//! | fail although required | a result with `isError` and nothing that the server said |
//!
//! Hooks read structured content and embedded texts as texts, and `_meta` and other keys of a result as the text of a result
//! within, so that what masks texts masks them too. An error of the protocol is a tool that failed; it stays an error unless a
//! hook rewrites it or adds to it.
//!
//! Not carried: if the server makes a task of a call, whose result comes later, the client gets an error in its place,
//! although the server goes on with it. What a server says beside results, such as progress and logs, passes as it is. So does
//! a request for more input (`input_required`), which is no result yet.
//!
//! # Features
//!
//! `rmcp`, on by default: [`GuardedServer`] and [`McpGuard::call_tool`].

mod content;
mod guard;
#[cfg(feature = "rmcp")]
mod json;
#[cfg(feature = "rmcp")]
mod client;
#[cfg(feature = "rmcp")]
mod server;

pub use content::unreadable;
pub use guard::{GuardedCall, McpCall, McpGuard, ServerAnswer, ServerNameError};
#[cfg(feature = "rmcp")]
pub use server::GuardedServer;
