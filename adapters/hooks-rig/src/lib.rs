//! Hooks in the agents of [rig](https://docs.rs/rig-agent): [`RigHooks`] is one hook of rig, and the steps of a turn run in
//! it as in any other loop.
//!
//! # What is carried
//!
//! | Hooks | An agent of rig |
//! |---|---|
//! | rewrite or block the prompt | sends the rewritten one; stops with the reason |
//! | add contexts | sends them in front of the prompt, in this run |
//! | rewrite the history before a call, whose first row are the documents of the agent; the system prompt, tools, temperature, limit of tokens, schema | sends that; what it keeps is not changed |
//! | rewrite the answer of the model | keeps and returns the rewritten one |
//! | rewrite a reply with calls | sends the rewritten one in this run and stores it in its memory; see [below](#what-stays-as-it-was). Gates and tools get the arguments that hooks at `post_model_call` left: a mask of the stored row does not reach them |
//! | ask for another answer | repeats the call, unless text of the answer was streamed |
//! | deny a tool call; ask, and the approver says no | the model reads the reason |
//! | rewrite the arguments | runs the tool with these |
//! | answer in the tool's place | the model reads the answer; the tool does not run |
//! | rewrite or remove a result, add a context to it | the model reads that |
//! | continue the turn at its end | calls the model again with the follow-up |
//! | block the answer, halt, fail although required | stops with the reason |
//! | judge a stream | shows a piece after hooks have passed it; passes them an answer that it does not stream whole |
//!
//! Add [`RigHooks`] behind all other hooks of the agent: what those in front of it make of arguments is judged, and what those
//! behind it make of them is not. If hooks rewrote the same arguments at `post_model_call`, the call is denied. An answer that
//! the model gives by a tool of rig (`submit`, `final_result`) is judged at `stop` as the text that rig makes of it.
//!
//! # What stops the run
//!
//! What rig cannot carry stops the run with a reason: an answer in the model's place, another profile, an answer held back,
//! a rewritten piece of a stream, rewritten thinking or a rewritten input of a tool at `stream_delta`, an approver that
//! cannot answer yet, a rewritten row of the history at the prompt, a rewritten answer that the model gave by a tool, a
//! result that somebody else than the tool says, and content that rig has no form for.
//!
//! - **`hold`.** rig shows pieces as they come. A run that streams stops before its first call if a hook at `stream_delta`
//!   has a `hold`. Do not stream there: the hook then judges whole answers.
//! - **Invalid calls.** rig shows no hook a reply with a call that another hook of the agent repaired, skipped or retried.
//!   If hooks at `post_model_call` or `before_create_message` are in force, the run stops. Only if the call was repaired
//!   into an answer by a tool is the run over before that.
//!
//! # What stays as it was
//!
//! rig replaces no reply with calls. As the model wrote it, such a reply stays in `messages` of the response, in the history
//! that `chat` extends, in the `chat_history` of an error, and in the items of a stream. So does any answer in `raw` of
//! `completion_calls`, and each piece of a stream that was shown before hooks rewrote the whole answer. If you keep or show
//! one of these, mask it yourself; a model that gets such a history in a later run does not read what you mask at
//! `prefilter_llm_history` too.
//!
//! Hooks can remove images and files from a request, but not rewrite them, and at `user_prompt_submit` they see only the text
//! of a prompt.
//!
//! # What is not carried
//!
//! - A tool that failed does not run again. A model call that fails ends the run, whatever `post_model_call` says.
//! - What hooks say to the person at the end of a turn becomes a [`RunEntry`](rig_agent::agent::RunEntry) of the kind
//!   [`NOTICE`].
//! - rig does not tell its hooks how many turns a run has. Unless [`RigHooks::max_turns`] says it, hooks that continue a run
//!   in its last turn make rig end it with its error `MaxTurns`, and the answer is only in the history of that error.
//! - A run that is dropped fires no `turn_end`.
//! - In a run that is [resumed](rig_agent::Agent::resume), hooks see what is still to do: not its prompt, nor the replies that
//!   it has. The gates judge the open calls as the model made them, and rows that hooks had masked are as they were.
//! - Use one [`RigHooks`] in an agent. With two, each run stops.
//! - An agent that is a tool of another one has its own hooks: add a [`RigHooks`] to each. The gates of the outer agent judge
//!   only that it is called.
//! - The stop reason of an answer that was cut off with a call in it is `length`, and its calls run, as rig runs them.

mod parked;
mod rows;
mod request;
mod run;
mod hooks;

pub use hooks::{NOTICE, RigHooks};

hook_sdk::fires![prompt, store, model_call, tool_call, stop, stream_delta, turn_end];
