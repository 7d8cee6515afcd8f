//! The hooks under measurement: the least that a hook can do, thirty-two of each.

use std::hint::black_box;
use std::time::Duration;

use hook_sdk::prelude::*;
use hook_sdk::scope::HookRef;
use measure::other;

/// An app's own point: its payload is the same struct as that of the loops by hand.
#[derive(HookKind, Clone, Debug)]
#[hook_kind(name = "before_lookup", subject = Query)]
pub(crate) struct BeforeLookup {
    #[allow(dead_code)] // there to be handed on
    pub(crate) tool: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Query {
    pub(crate) text: String,
}

/// Thirty-two functions with one signature and one body. The ids repeat from module to module; no registry sees two.
macro_rules! thirty_two {
    ($(mod $module:ident: $options:tt $signature:tt $body:block)*) => {
        $(pub(crate) mod $module {
            use super::*;

            thirty_two! { @each $options $signature $body
                h00 "h00" h01 "h01" h02 "h02" h03 "h03" h04 "h04" h05 "h05" h06 "h06" h07 "h07"
                h08 "h08" h09 "h09" h10 "h10" h11 "h11" h12 "h12" h13 "h13" h14 "h14" h15 "h15"
                h16 "h16" h17 "h17" h18 "h18" h19 "h19" h20 "h20" h21 "h21" h22 "h22" h23 "h23"
                h24 "h24" h25 "h25" h26 "h26" h27 "h27" h28 "h28" h29 "h29" h30 "h30" h31 "h31"
            }

            /// The first so many of them.
            pub(crate) fn first(count: usize) -> Vec<HookRef> {
                let all = hooks![
                    h00, h01, h02, h03, h04, h05, h06, h07, h08, h09, h10, h11, h12, h13, h14, h15,
                    h16, h17, h18, h19, h20, h21, h22, h23, h24, h25, h26, h27, h28, h29, h30, h31
                ];
                all.into_iter().take(count).collect()
            }
        })*
    };
    (@each $options:tt $signature:tt $body:block $($name:ident $id:literal)*) => {
        $(thirty_two! { @one $options $signature $body $name $id })*
    };
    (@one [$($option:tt)*] (fn $arguments:tt) $body:block $name:ident $id:literal) => {
        #[hook(id = $id, $($option)*)]
        fn $name $arguments $body
    };
    (@one [$($option:tt)*] (fn $arguments:tt -> $returned:ty) $body:block $name:ident $id:literal) => {
        #[hook(id = $id, $($option)*)]
        fn $name $arguments -> $returned $body
    };
    (@one [$($option:tt)*] (async fn $arguments:tt) $body:block $name:ident $id:literal) => {
        #[hook(id = $id, $($option)*)]
        async fn $name $arguments $body
    };
    (@one [$($option:tt)*] (async fn $arguments:tt -> $returned:ty) $body:block $name:ident $id:literal) => {
        #[hook(id = $id, $($option)*)]
        async fn $name $arguments -> $returned $body
    };
}

thirty_two! {
    // An app's own kind.
    mod app_read: [kind = BeforeLookup] (fn (query: &Query)) { black_box(query); }
    mod app_lend: [kind = BeforeLookup] (fn (query: &mut Query)) { black_box(query); }
    mod app_write: [kind = BeforeLookup] (fn (query: &mut Query)) { query.text = other(&query.text); }
    mod app_async_read: [kind = BeforeLookup, timeout = none] (async fn (query: &Query)) { black_box(query); }
    mod app_async_own: [kind = BeforeLookup, timeout = none] (async fn (query: Query) -> Query) { black_box(query) }
    mod app_async_deadline: [kind = BeforeLookup, timeout = "2s"] (async fn (query: Query) -> Query) { black_box(query) }
    mod app_async_write: [kind = BeforeLookup, timeout = none] (async fn (mut query: Query) -> Query) {
        query.text = other(&query.text);
        query
    }

    // A built-in kind whose subject is one `Arc` wide.
    mod read: [kind = after_tool_call_success] (fn (result: &ToolResult)) { black_box(result); }
    mod lend: [kind = after_tool_call_success] (fn (result: &mut ToolResult)) { black_box(result); }
    mod own: [kind = after_tool_call_success] (fn (result: ToolResult) -> ToolResult) { black_box(result) }
    mod write: [kind = after_tool_call_success] (fn (result: &mut ToolResult)) {
        result.rewrite_text(|text| Some(other(text)));
    }
    mod async_read: [kind = after_tool_call_success] (async fn (result: &ToolResult)) { black_box(result); }
    mod async_own: [kind = after_tool_call_success] (async fn (result: ToolResult) -> ToolResult) { black_box(result) }
    mod async_write: [kind = after_tool_call_success] (async fn (mut result: ToolResult) -> ToolResult) {
        result.rewrite_text(|text| Some(other(text)));
        result
    }
    mod waiting: [kind = after_tool_call_success] (async fn (result: &ToolResult)) {
        black_box(result);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    // A gate.
    mod gate: [kind = before_tool_call] (fn (input: &ToolInput) -> Permission) {
        black_box(input);
        Permission::NoOpinion
    }
    mod async_gate: [kind = before_tool_call] (async fn (input: &ToolInput) -> Permission) {
        black_box(input);
        Permission::NoOpinion
    }

    // A conversation.
    mod history: [kind = filter_messages] (fn (messages: &mut Messages)) { black_box(messages); }
    mod history_edit: [kind = filter_messages] (fn (messages: &mut Messages)) {
        let middle = messages.len() / 2;
        messages[middle].rewrite_text(|text| Some(other(text)));
    }
}

/// The set of these hooks.
pub(crate) fn set(refs: Vec<HookRef>) -> HookSet {
    scope(&Registry::empty().with(refs.iter().copied()).expect("they are hooks"), refs)
}

/// The set of these hooks, with somebody who listens to the records.
pub(crate) fn observed(refs: Vec<HookRef>) -> HookSet {
    let registry = Registry::empty().with(refs.iter().copied()).expect("they are hooks");
    registry.observe(|record: &hook_sdk::record::Record| {
        black_box(record);
    });
    scope(&registry, refs)
}

fn scope(registry: &Registry, refs: Vec<HookRef>) -> HookSet {
    registry.scope(&AgentDef::new("bench").hooks(refs), None).expect("nothing is wrong with them")
}
