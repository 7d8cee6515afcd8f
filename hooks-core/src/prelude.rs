//! The imports for writing hooks: `use hook_sdk::prelude::*;`
//!
//! The built-in kinds are not included, because apps use their names too (`Stop`, `Init`, `Shutdown`). Import them from
//! [`kinds`](crate::kinds).

pub use crate::context::{HookContext, MissingState, State, With};
pub use crate::data::{
    CompactedHistory, Message, MessageUpdate, Messages, ModelReply, ModelRequest, ResultRow, ToolCall, ToolInput,
    ToolResult,
};
pub use crate::diagnostics::{ConfigError, HarnessFacts};
pub use crate::dispatch::{DispatchError, Fired};
pub use crate::failure::OnFailure;
pub use crate::hook::Hook;
pub use crate::hooks;
pub use crate::kind::HookKind;
pub use crate::options::{RunMode, Timeout, Visibility};
pub use crate::plan::HookSet;
pub use crate::registry::Registry;
pub use crate::scope::{AgentDef, AppDef, PromptDef};
pub use crate::verdict::{
    AgentStart, Capability, Contexts, Contribution, Contributions, Halt, Permission, PromptDecision, PromptVerdict,
    ReplyVerdict, Retry, Semantics, StopDecision, StopVerdict, Verdict,
};
pub use hooks_macros::{HookKind, hook};
