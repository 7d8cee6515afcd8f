//! A hook that returns a verdict needs a fallback that returns one too.
use hook_sdk::prelude::*;

#[hook(id = "guards", kind = before_tool_call, fallback = shrugs)]
//~                                                       ^^^^^^
fn guards(_input: &ToolInput) -> Permission {
    Permission::deny("no")
}

fn shrugs(_input: &ToolInput) {}

type Done = Result<(), String>;
type Both = (ToolInput, Permission);

#[hook(id = "guards_async", kind = before_tool_call, fallback = shrugs_async)]
//~                                                             ^^^^^^^^^^^^
async fn guards_async(_input: &ToolInput) -> Result<Permission, String> {
    Ok(Permission::deny("no"))
}

async fn shrugs_async(_input: &ToolInput) -> Done {
    Ok(())
}

#[hook(id = "rewrites", kind = before_tool_call, fallback = keeps)]
//~                                                         ^^^^^
fn rewrites(input: ToolInput) -> Both {
    (input, Permission::deny("no"))
}

fn keeps(input: ToolInput) -> ToolInput {
    input
}

#[hook(id = "adds", kind = pre_policy, fallback = adds_nothing)]
fn adds() -> Contributions {
    Contributions::default()
}

fn adds_nothing() {}

#[hook(id = "only_rewrites", kind = before_tool_call, fallback = keeps)]
fn only_rewrites(input: ToolInput) -> Result<ToolInput, String> {
    Ok(input)
}

fn main() {}
