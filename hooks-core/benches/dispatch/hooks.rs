//! The hooks under measurement: the least that a hook can do.

use std::hint::black_box;
use std::time::Duration;

use hook_sdk::prelude::*;
use hook_sdk::record::Record;
use hook_sdk::scope::HookRef;

/// Eight hooks with one body, at `after_tool_call_success` unless another kind is named.
macro_rules! eight {
    ($($name:ident at $kind:ident: [$($id:literal)*] => $signature:tt $body:block)*) => {
        $(pub(crate) mod $name {
            use super::*;

            eight!(@hooks $kind $signature $body a b c d e f g h; $($id)*);

            pub(crate) fn refs() -> [HookRef; 8] {
                hooks![a, b, c, d, e, f, g, h]
            }
        })*
    };
    (@hooks $kind:ident $signature:tt $body:block $($function:ident)*; $($id:literal)*) => {
        $(eight!(@hook $kind $signature $body $function $id);)*
    };
    (@hook $kind:ident (fn $arguments:tt) $body:block $function:ident $id:literal) => {
        #[hook(id = $id, kind = $kind)]
        fn $function $arguments $body
    };
    (@hook $kind:ident (fn $arguments:tt -> $returned:ty) $body:block $function:ident $id:literal) => {
        #[hook(id = $id, kind = $kind)]
        fn $function $arguments -> $returned $body
    };
    (@hook $kind:ident (async fn $arguments:tt) $body:block $function:ident $id:literal) => {
        #[hook(id = $id, kind = $kind)]
        async fn $function $arguments $body
    };
    (@hook $kind:ident (async fn $arguments:tt -> $returned:ty) $body:block $function:ident $id:literal) => {
        #[hook(id = $id, kind = $kind)]
        async fn $function $arguments -> $returned $body
    };
}

eight! {
    sync_read at after_tool_call_success: ["sr_a" "sr_b" "sr_c" "sr_d" "sr_e" "sr_f" "sr_g" "sr_h"] =>
        (fn (result: &ToolResult)) { black_box(result); }
    sync_lend at after_tool_call_success: ["sl_a" "sl_b" "sl_c" "sl_d" "sl_e" "sl_f" "sl_g" "sl_h"] =>
        (fn (result: &mut ToolResult)) { black_box(result); }
    sync_own at after_tool_call_success: ["so_a" "so_b" "so_c" "so_d" "so_e" "so_f" "so_g" "so_h"] =>
        (fn (result: ToolResult) -> ToolResult) { black_box(result) }
    sync_write at after_tool_call_success: ["sw_a" "sw_b" "sw_c" "sw_d" "sw_e" "sw_f" "sw_g" "sw_h"] =>
        (fn (result: &mut ToolResult)) { result.is_error = !result.is_error; }
    async_read at after_tool_call_success: ["ar_a" "ar_b" "ar_c" "ar_d" "ar_e" "ar_f" "ar_g" "ar_h"] =>
        (async fn (result: &ToolResult)) { black_box(result); }
    async_own at after_tool_call_success: ["ao_a" "ao_b" "ao_c" "ao_d" "ao_e" "ao_f" "ao_g" "ao_h"] =>
        (async fn (result: ToolResult) -> ToolResult) { black_box(result) }
    async_write at after_tool_call_success: ["aw_a" "aw_b" "aw_c" "aw_d" "aw_e" "aw_f" "aw_g" "aw_h"] =>
        (async fn (mut result: ToolResult) -> ToolResult) { result.is_error = !result.is_error; result }
    gate at before_tool_call: ["ga_a" "ga_b" "ga_c" "ga_d" "ga_e" "ga_f" "ga_g" "ga_h"] =>
        (fn (input: &ToolInput) -> Permission) { black_box(input); Permission::NoOpinion }
    history at filter_messages: ["hi_a" "hi_b" "hi_c" "hi_d" "hi_e" "hi_f" "hi_g" "hi_h"] =>
        (fn (messages: &mut Messages)) { black_box(messages); }
    waiting at after_tool_call_success: ["wa_a" "wa_b" "wa_c" "wa_d" "wa_e" "wa_f" "wa_g" "wa_h"] =>
        (async fn (_result: &ToolResult)) { tokio::time::sleep(Duration::from_millis(10)).await; }
}

/// The set of these hooks.
pub(crate) fn set(refs: impl IntoIterator<Item = HookRef>) -> HookSet {
    scoped(refs, |_| {})
}

/// A set of which somebody is given the records.
pub(crate) fn observed(refs: impl IntoIterator<Item = HookRef>) -> HookSet {
    scoped(refs, |registry| {
        registry.observe(|record: &Record| {
            black_box(record);
        });
    })
}

fn scoped(refs: impl IntoIterator<Item = HookRef>, prepare: impl FnOnce(&Registry)) -> HookSet {
    let refs: Vec<HookRef> = refs.into_iter().collect();
    let registry = Registry::empty().with(refs.iter().copied()).expect("they are hooks");
    prepare(&registry);
    registry.scope(&AgentDef::new("bench").hooks(refs), None).expect("nothing is wrong with them")
}
