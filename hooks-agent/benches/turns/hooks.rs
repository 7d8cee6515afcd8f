//! The functions, as hooks.

use std::hint::black_box;

use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallSuccess, BeforeAgentStart, BeforeCreateMessage,
    BeforeStoreToolResult, BeforeToolCall, FilterMessages, PostModelCall, PostTurn, PreModelCall, PrePolicy,
    PrefilterLlmHistory, Stop, TurnEnd, UserPromptSubmit,
};
use hook_sdk::prelude::*;

use crate::by_hand::{brief, mark_input, mark_result, mark_row, mark_stored};

/// A harness wants to know what becomes of a value whose writer fails.
fn goes_on(hook: Hook) -> Hook {
    hook.on_failure(OnFailure::Continue)
}

/// The first `count` of twenty hooks over the kinds of a turn, of which the first five write a little.
fn all(count: usize) -> Vec<Hook> {
    let mut all = vec![
        goes_on(Hook::at::<BeforeCreateMessage>("mark_row").writer(|_, _, row: &mut Message| mark_row(row))),
        goes_on(Hook::at::<AfterToolCallSuccess>("mark_result").writer(|_, _, result: &mut ToolResult| {
            mark_result(result);
        })),
        goes_on(Hook::at::<PreModelCall>("brief").writer(|_, _, request: &mut ModelRequest| {
            brief(&mut request.system_prompt);
        })),
        Hook::at::<BeforeToolCall>("mark_input").writer(|_, _, input: &mut ToolInput| mark_input(input)),
        goes_on(Hook::at::<BeforeStoreToolResult>("mark_stored").writer(|_, _, row: &mut ResultRow| {
            mark_stored(&mut row.extra);
        })),
    ];
    macro_rules! readers {
        ($($kind:ident),* $(,)?) => {
            $(all.push(Hook::at::<$kind>(&format!("read_{}", all.len())).reader(|_, event, _| { black_box(event); }));)*
        };
    }
    readers!(
        FilterMessages,
        UserPromptSubmit,
        BeforeAgentStart,
        PrefilterLlmHistory,
        PreModelCall,
        PostModelCall,
        AfterCreateMessage,
        BeforeToolCall,
        AfterToolCallSuccess,
        AfterToolCall,
        Stop,
        TurnEnd,
        AfterCreateMessage,
        PrePolicy,
        PostTurn,
    );
    all.truncate(count);
    all
}

pub(crate) fn registry(count: usize) -> Registry {
    let registry = Registry::empty();
    for hook in all(count) {
        registry.register(hook).unwrap();
    }
    registry
}

pub(crate) fn agent(count: usize) -> AgentDef {
    AgentDef::new("a").hooks(all(count).iter().map(|hook| hook.id().to_string()))
}
