//! What an app that writes hooks uses: `use hooks_core::prelude::*;`

pub use crate::config::ConfigError;
pub use crate::context::{HookContext, MissingState};
pub use crate::data::{Message, Messages, Role, ToolCall, ToolInput, ToolResult};
pub use crate::dispatch::{DispatchError, Fired};
pub use crate::hook::{Hook, OnFailure, Timeout};
pub use crate::hooks;
pub use crate::kind::{HookKind, Semantics};
pub use crate::kinds::{
    AfterCreateMessage, AfterToolCallSuccess, BeforeCreateMessage, BeforeToolCall, FilterMessages, PrePromptContext,
    UserPromptSubmit,
};
pub use crate::plan::HookSet;
pub use crate::registry::Registry;
pub use crate::scope::{AgentDef, AppDef, PromptDef};
pub use crate::verdict::{Contribution, Contributions, Halt, Permission, PromptDecision, PromptVerdict, Verdict};
pub use crate::with::With;
pub use hooks_macros::{HookKind, hook};
