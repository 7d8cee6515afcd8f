//! A hook at each kind that does nothing: a kind at which it is in force has a record, so that it has a line.

use hooks_core::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeAgentStart, BeforeCompaction,
    BeforeCreateMessage, BeforeStoreToolResult, BeforeToolCall, FilterMessages, GatewayStart, GatewayStop, Init,
    PostCompact, PostModelCall, PostPreflightPromptContext, PostTurn, PreModelCall, PrePolicy, PrePromptCompile,
    PrePromptContext, PreToolMaterialization, PrefilterLlmHistory, SessionEnd, SessionStart, Shutdown, Stop, TurnEnd,
    UserPromptSubmit,
};
use hooks_core::{Hook, HookKind};

/// How the ids of these hooks begin.
pub(super) const SILENT: &str = "traced_at_";

macro_rules! silent {
    ($($kind:ident),* $(,)?) => {
        vec![$(
            Hook::reader::<$kind, _, _, _>(&format!("{SILENT}{}", <$kind as HookKind>::NAME), |_, _, _| ())
        ),*]
    };
}

/// The hooks.
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
