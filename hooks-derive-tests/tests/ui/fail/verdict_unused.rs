//! A verdict has no effect unless the hook returns it and the loop reads it.
#![deny(unused_must_use)]

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "guard", kind = before_tool_call)]
fn guard(event: &BeforeToolCall) {
    if event.call.name == "rm" {
        Permission::deny("not this tool");
//~     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    }
}

#[hook(id = "guard_of_prompts", kind = user_prompt_submit)]
fn guard_of_prompts(event: &UserPromptSubmit) {
    if event.prompt.is_empty() {
        PromptVerdict::block("empty");
//~     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        Halt::new("empty");
//~     ^^^^^^^^^^^^^^^^^^
    }
}

#[hook(id = "note", kind = pre_policy)]
fn note() {
    Contribution::audit("seen");
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^
}

fn run(set: &HookSet, cx: &HookContext, event: &BeforeToolCall) -> Result<(), DispatchError> {
    set.fire_blocking(cx, event, event.call.input.clone())?;
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(())
}

fn main() {}
