//! An empty hook for each kind that the desk fires, so that each has a record and therefore a line in the trace.

use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeAgentStart, BeforeCompaction,
    BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, FilterMessages, GatewayStart, GatewayStop, Init,
    PermissionRequest, PostCompact, PostModelCall, PostPreflightPromptContext, PostTurn, PreModelCall, PrePolicy,
    PrePromptCompile, PrePromptContext, PreToolMaterialization, PrefilterLlmHistory, SessionEnd, SessionStart,
    Shutdown, Stop, TurnEnd, UserPromptSubmit,
};
use hook_sdk::{Hook, HookId, HookKind};

/// The prefix of the ids of these hooks.
const SILENT: &str = "traced_at_";

/// Whether `hook` is one of these hooks.
pub(crate) fn is_own(hook: &HookId) -> bool {
    hook.as_str().starts_with(SILENT)
}

macro_rules! silent {
    ($($kind:ident),* $(,)?) => {
        vec![$(
            Hook::at::<$kind>(&format!("{SILENT}{}", <$kind as HookKind>::NAME)).reader(|_, _, _| ())
        ),*]
    };
}

/// The hooks. There is none for `stream_delta`, which would add a line for each piece of an answer.
pub(crate) fn every_kind() -> Vec<Hook> {
    silent![
        AfterCreateMessage,
        AfterToolCall,
        AfterToolCallFailure,
        AfterToolCallSuccess,
        BeforeAgentStart,
        BeforeCompaction,
        BeforeCreateMessage,
        BeforeStoreToolResult,
        BeforeToolCall,
        FilterMessages,
        GatewayStart,
        GatewayStop,
        Init,
        PermissionRequest,
        PostCompact,
        PostModelCall,
        PostPreflightPromptContext,
        PostTurn,
        PreModelCall,
        PrePolicy,
        PrePromptCompile,
        PrePromptContext,
        PreToolMaterialization,
        PrefilterLlmHistory,
        SessionEnd,
        SessionStart,
        Shutdown,
        Stop,
        TurnEnd,
        UserPromptSubmit,
    ]
}
