//! The built-in kinds. [`all`] lists them together with the app's.

mod channel;
mod compaction;
mod end;
mod history;
mod lifecycle;
mod message;
mod model;
mod phase;
mod prompt;
mod session;
mod tool;
mod words;

pub use channel::{Delivery, MessageReceived, MessageSending, MessageSent};
pub use compaction::{BeforeCompaction, CompactionKind, CompactionTrigger, InjectionMode, PostCompact};
pub use end::{ExitReason, Stop, StopReason, TurnEnd};
pub use history::{FilterMessages, PrefilterLlmHistory};
pub use lifecycle::{GatewayStart, GatewayStop, Init, Shutdown, ShutdownReason};
pub use message::{AfterCreateMessage, AfterUpdateMessage, BeforeCreateMessage, BeforeUpdateMessage};
pub use model::{ModelFailure, PostModelCall, PreModelCall, StreamChannel, StreamDelta};
pub use phase::{
    PostPreflightPromptContext, PostTurn, PrePolicy, PrePromptCompile, PrePromptContext, PreToolMaterialization,
};
pub use prompt::{BeforeAgentStart, UserPromptSubmit};
pub use session::{SessionEnd, SessionEndReason, SessionSource, SessionStart};
pub use tool::{
    AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeStoreToolResult, BeforeToolCall, PermissionRequest,
};

use crate::kind::KindDescriptor;

/// All kinds linked into this program, built-in ones and the app's, sorted by name.
///
/// If two types have the same name, both are listed; a set with hooks of both is an error.
///
/// ```
/// let names: Vec<_> = hook_sdk::kinds::all().iter().map(|kind| kind.name).collect();
/// assert!(names.is_sorted() && names.contains(&"before_tool_call"));
/// ```
pub fn all() -> Vec<&'static KindDescriptor> {
    crate::kind::all().to_vec()
}
