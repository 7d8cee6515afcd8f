//! A hook at each kind that does nothing: a kind at which it is in force has a record, so that it has a line.

use hooks_core::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeAgentStart, BeforeCompaction,
    BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, FilterMessages, GatewayStart, GatewayStop, Init,
    PermissionRequest, PostCompact, PostModelCall, PostPreflightPromptContext, PostTurn, PreModelCall, PrePolicy,
    PrePromptCompile, PrePromptContext, PreToolMaterialization, PrefilterLlmHistory, SessionEnd, SessionStart,
    Shutdown, Stop, TurnEnd, UserPromptSubmit,
};
use hooks_core::{Hook, HookId, HookKind};

/// How the ids of these hooks begin.
const SILENT: &str = "traced_at_";

/// Whether `hook` is one of these.
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

/// The hooks. There is none at `stream_delta`, which would have a line for each piece of an answer.
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
