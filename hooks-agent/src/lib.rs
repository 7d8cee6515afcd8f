//! A turn loop for LLM agents that fires every kind of hook.
//!
//! [`Harness`] holds the parts that all sessions of an app share. A [`Session`] is a conversation with an agent, and a
//! [`Turn`] answers one prompt. The hooks are those of [`hook_sdk`]: only the hooks in the lists of the app, the
//! agent and the prompt run.
//!
//! ```text
//! init, gateway_start                              Harness::start
//! session_start                                    Opening::open
//! message_received                                 Session::hear
//! per turn                                         Session::turn
//!   filter_messages, user_prompt_submit, [the prompt is stored], before_agent_start,
//!   pre_policy, pre_prompt_context, the preflight, post_preflight_prompt_context, pre_tool_materialization,
//!   pre_prompt_compile
//!   per call of the model
//!     if the window is full: before_compaction, post_compact
//!     prefilter_llm_history, pre_model_call, the model, stream_delta as it speaks, post_model_call
//!     no tools wanted:  before_create_message, stop, the store, after_create_message
//!     per tool call:    before_tool_call, permission_request if a gate asks, the tool,
//!                       after_tool_call_success | after_tool_call_failure, after_tool_call,
//!                       before_store_tool_result, [the result is stored]
//!   post_turn, turn_end
//! message_sending, message_sent                    Session::hear
//! [a message that nobody answers is stored]        Session::add
//! before_update_message, after_update_message      Session::update
//! before_compaction, the model, post_compact       Session::compact
//! session_end                                      Session::close
//! gateway_stop, shutdown                           Harness::stop
//!
//! [stored] = before_create_message, the store, after_create_message
//! ```
//!
//! However a turn ends, its conversation stays well formed (each call has a result), and `turn_end` fires exactly once.
//!
//! # Features
//!
//! | Feature | Adds |
//! |---|---|
//! | `genai` | `model::Genai`: models of many providers, and of servers with an OpenAI-compatible API |
//! | `mcp` | `tool::mcp`: tools of servers that speak the Model Context Protocol |
//! | `mcp-http` | the same for servers over HTTP |
//! | `schema` | `tool::typed`: tools whose schema and description come from the type of their input |
//! | `tokens` | `window::Tokenizer`: counts the tokens of the window with OpenAI's tokenizers |
//!
//! No feature is enabled by default.
//!
#![doc = include_str!("../EVENTS.md")]

/// Why the loop calls a model: the values of `call_site` in events.
mod call_site {
    /// The answer of a turn.
    pub(crate) const MAIN: &str = "main";

    /// The answer of a sub-agent.
    pub(crate) const SUB_AGENT: &str = "sub_agent";

    /// The summary of a compaction.
    pub(crate) const COMPACTION: &str = "compaction";
}

mod limits;
mod panics;
#[cfg(any(feature = "genai", feature = "mcp-http"))]
mod tls;
mod injected;
pub mod tool;
mod budget;
mod agents;
pub mod model;
pub mod store;
pub mod approve;
pub mod inputs;
pub mod window;
mod preflight;
mod request;
mod reply;
mod event;
mod event_queue;
mod queues;
mod running;
mod hook_sets;
mod state;
mod turn;
mod session;
mod harness;
mod lifecycle;
pub mod channel;
pub mod testing;

pub use agents::{SubAgent, caller_of};
pub use event::{StopEffect, TurnEvent};
pub use harness::{Harness, HarnessBuilder};
pub use limits::Limits;
pub use preflight::Preflight;
pub use reply::{EndedBy, Outcome, Reply, TurnError};
pub use request::TurnRequest;
pub use session::{Opening, Session};
pub use turn::{Steering, Turn};

hook_sdk::fires![
    after_create_message,
    after_tool_call,
    after_tool_call_failure,
    after_tool_call_success,
    after_update_message,
    before_agent_start,
    before_compaction,
    before_create_message,
    before_store_tool_result,
    before_tool_call,
    before_update_message,
    filter_messages,
    gateway_start,
    gateway_stop,
    // The registry fills in the fields about the plugin for the plugin's own hooks.
    init [never plugin, version, config, data_dir],
    message_received,
    message_sending,
    message_sent,
    permission_request,
    post_compact,
    post_model_call,
    post_preflight_prompt_context,
    post_turn,
    pre_model_call,
    pre_policy,
    pre_prompt_compile,
    pre_prompt_context,
    pre_tool_materialization,
    prefilter_llm_history,
    session_end,
    session_start,
    shutdown [never plugin],
    stop,
    stream_delta,
    turn_end,
    user_prompt_submit,
];
