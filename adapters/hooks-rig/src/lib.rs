//! Hooks in the agents of [rig](https://docs.rs/rig-agent): [`RigHooks`] is one hook of rig, and the steps of a turn run in
//! it as in any other loop.
//!
//! # What is carried
//!
//! | Hooks | An agent of rig |
//! |---|---|
//! | rewrite or block the prompt | sends the rewritten one; stops with the reason |
//! | add contexts | sends them in front of the prompt, in this run |
//! | rewrite the history before a call, the system prompt, tools, temperature, limit of tokens, schema | sends that; what it keeps is not changed |
//! | rewrite the answer of the model | keeps and returns the rewritten one |
//! | ask for another answer | repeats the call |
//! | deny a tool call; ask, and the approver says no | the model reads the reason |
//! | rewrite the arguments | runs the tool with these |
//! | answer in the tool's place | the model reads the answer; the tool does not run |
//! | rewrite or remove a result, add a context to it | the model reads that |
//! | continue the turn at its end | calls the model again with the follow-up |
//! | block the answer, halt, fail although required | stops with the reason |
//!
//! # What stops the run
//!
//! What rig cannot carry stops the run with a reason: an answer in the model's place, another profile, an answer held back
//! or a rewritten piece of a stream, an approver that cannot answer yet, a rewritten row of the history at the prompt, a
//! result that somebody else than the tool says, and content that rig has no form for.
//!
//! # What is not carried
//!
//! A tool that failed does not run again. A model call that fails ends the run, whatever `post_model_call` says. What hooks
//! say to the person at the end of a turn becomes a [`RunEntry`](rig_agent::agent::RunEntry) of the kind
//! [`NOTICE`]. Text that was streamed was shown before the hooks that judge the whole answer.

mod parked;
mod rows;
mod request;
mod run;
mod hooks;

pub use hooks::{NOTICE, RigHooks};

hook_sdk::fires![prompt, store, model_call, tool_call, stop, stream_delta, turn_end];
