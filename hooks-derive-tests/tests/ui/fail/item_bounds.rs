//! Trait bounds make a function generic, and a hook cannot be generic.
use hook_sdk::prelude::*;

#[hook(id = "bounded", kind = before_tool_call)]
fn bounded<T>(_input: &T)
//~        ^
where
    T: AsRef<ToolInput>,
{
}

#[hook(id = "in_type", kind = before_tool_call)]
fn in_type(_input: &Vec<impl Clone>) {}
//~                     ^^^^

#[hook(id = "higher", kind = before_tool_call)]
fn higher<F: for<'a> Fn(&'a ToolInput)>(_check: &F) {}
//~       ^

#[hook(id = "of_async", kind = before_tool_call)]
async fn of_async<S: Send + 'static>(_state: &S, _cx: &HookContext) {}
//~               ^

fn main() {}
