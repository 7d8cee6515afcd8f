//! Attributes next to `#[hook]`, and hooks that a user's macro defines.
#![allow(clippy::unwrap_used)] // helpers of tests unwrap to assert
#![allow(clippy::non_minimal_cfg)] // conditions that are always and never true

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

/// Hooks that `#[cfg]` removes, with the attributes in either order.
mod left_out {
    #[cfg(any())]
    #[hook_sdk::hook(id = "cfg_above", kind = before_tool_call)]
    fn cfg_above(_missing: &Missing) {}

    #[hook_sdk::hook(id = "cfg_below", kind = before_tool_call)]
    #[cfg(any())]
    fn cfg_below(_missing: &Missing) {}

    #[cfg_attr(any(), hook(id = "cfg_attr_off", kind = before_tool_call))]
    pub(super) fn cfg_attr_off() {}
}

#[cfg(all())]
#[hook(id = "cfg_above_on", kind = before_tool_call)]
fn cfg_above_on() {}

#[hook(id = "cfg_below_on", kind = before_tool_call)]
#[cfg(all())]
fn cfg_below_on() {}

#[cfg_attr(all(), hook(id = "cfg_attr_on", kind = before_tool_call))]
fn cfg_attr_on() {}

/// Masks what is secret.
///
/// Twice.
#[hook(id = "documented", kind = before_tool_call)]
#[allow(clippy::needless_pass_by_ref_mut)]
#[must_use = "an attribute of the function"]
#[inline]
fn documented(_input: &mut ToolInput) -> Permission {
    Permission::Allow
}

#[deprecated(note = "use `documented`")]
#[hook(id = "old", kind = before_tool_call)]
fn old() {}

fn ids() -> Vec<String> {
    let registry = Registry::discover().unwrap();
    registry.hooks().iter().map(|hook| hook.id().to_string()).collect()
}

#[test]
fn a_hook_that_cfg_removes_is_not_registered() {
    left_out::cfg_attr_off();
    let ids = ids();
    for id in ["cfg_above", "cfg_below", "cfg_attr_off"] {
        assert!(!ids.iter().any(|known| known == id), "{id}");
    }
    for id in ["cfg_above_on", "cfg_below_on", "cfg_attr_on", "documented", "old"] {
        assert!(ids.iter().any(|known| known == id), "{id}");
    }
}

/// Every part of a hook can come from the macro or from its caller.
macro_rules! hooks_of_mine {
    (name $name:ident, id $id:literal, kind $kind:ident, type $subject:ty, returns $returned:ty, $body:block) => {
        #[hook(id = $id, kind = $kind)]
        fn $name(_cx: &HookContext, _subject: &mut $subject) -> $returned $body
    };
    (all $name:ident) => {
        #[hook(id = "all_of_the_macro", kind = before_tool_call, tool = "*")]
        fn $name(_cx: &HookContext, event: &BeforeToolCall, input: ToolInput) -> (ToolInput, Permission) {
            let verdict = if event.call.name == "x" { Permission::Allow } else { Permission::deny("not x") };
            (input, verdict)
        }
    };
    (waits $(#[$meta:meta])* $vis:vis $name:ident($($parameter:tt)*) $(-> $returned:ty)? $body:block) => {
        $(#[$meta])*
        #[hook(id = "waits", kind = before_tool_call)]
        $vis async fn $name($($parameter)*) $(-> $returned)? $body
    };
    (option $option:ident = $value:expr) => {
        #[hook(id = "option_of_the_caller", kind = before_tool_call, $option = $value)]
        fn option_of_the_caller() {}
    };
}

hooks_of_mine!(name of_the_caller, id "of_the_caller", kind before_tool_call, type ToolInput, returns Permission, { Permission::Allow });
hooks_of_mine!(all all_of_the_macro);
hooks_of_mine!(waits /** Waits. */ pub(crate) waits(input: &mut ToolInput, cx: &HookContext) -> Result<(), String> {
    let _ = (input, cx);
    Err("waited".into())
});
hooks_of_mine!(option priority = -3);

#[tokio::test]
async fn a_macro_of_the_user_can_define_hooks() {
    let hooks = hooks![of_the_caller, all_of_the_macro, waits, option_of_the_caller];
    let registry = Registry::empty().with(hooks).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(hooks), None).unwrap();
    let event = BeforeToolCall::new(ToolCall::new("1", "x", ToolInput::default()));
    let fired = set.fire(&HookContext::new(), &event, ToolInput::default()).await.unwrap();
    assert_eq!(fired.report.failures[0].cause, "waited");
}
