//! Records an agent's hook dispatches, and replays them with the current hooks.
//!
//! A [`Recorder`] is an observer. Registered before hook sets are created, it writes a line of JSON per dispatch, with
//! secrets removed. A [`Replay`] fires each recorded dispatch through a set of current hooks. Its [`ReplayReport`] lists the
//! differences: which verdicts flipped, which hook rewrites something else, and how that affects later hooks.
//!
//! ```no_run
//! use hook_sdk::prelude::*;
//! use hooks_replay::{RecordLimits, Recorder, Replay};
//!
//! # async fn example(agent: AgentDef) -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::discover()?;
//! registry.observe(Recorder::create("yesterday.jsonl", "my-agent", RecordLimits::default())?);
//! // … the agent runs, and later, with the current hooks:
//! let registry = Registry::discover()?;
//! let replay = Replay::new(&registry, |registry, _ids| registry.scope(&agent, None));
//! let report = replay.file("yesterday.jsonl").await?;
//! println!("{report}");
//! # Ok(())
//! # }
//! ```
//!
//! The traffic of other programs can be replayed too: transcripts of Claude Code, rollouts of Codex, sessions of goose,
//! and messages in OpenAI's chat format contain prompts, tool calls and results, which the current hooks judge.
//!
//! A replay fires hooks and nothing else: it has no tool and no model. Hooks that run detached or in the background are
//! not started, and every hook can check [`HookContext::is_replay`](hook_sdk::HookContext::is_replay).
//!
//! With the feature `agent`, which is off by default, whole turns of the loop of `hooks-agent` are recorded
//! (`harness.on_inputs(recorder.turns())`) and replayed (`TurnReplay`), with a model and tools that only return
//! recorded answers.

// The layers. A module uses those above it, never those below it.
mod new_file;
mod refs;
mod secrets;
mod stream;
mod line;
mod clean;
mod messages;
mod lines;
mod recorder;
mod reader;
mod traffic;
mod source;
mod compare;
mod comparer;
mod report;
mod options;
mod shadow;
mod replay;
mod diff;
#[cfg(feature = "agent")]
mod turns;

pub use compare::{Difference, Flip};
pub use diff::diff;
pub use line::{DispatchLine, Header, Mark, RecordingLine, RunLine, SCHEMA, SharedLine, TurnLine};
pub use lines::LineError;
pub use new_file::NewFile;
pub use reader::{Gaps, Reader};
pub use recorder::{RecordLimits, Recorder};
pub use refs::{MissingReference, SharedId};
pub use replay::Replay;
pub use report::{Example, ExampleCall, Group, ReplayReport, Slower};
pub use secrets::OwnRule;
pub use shadow::{ShadowHook, ShadowReport};
pub use source::{Progress, ReplayError};
#[cfg(feature = "agent")]
pub use turns::{Matching, TurnReplay};
