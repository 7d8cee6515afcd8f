//! A hook is registered once, so it cannot be generic.
//! Trait bounds make a function generic, and a hook cannot be generic.
//! Function qualifiers that a hook cannot have.
use hook_sdk::prelude::*;

#[hook(id = "generic_type", kind = before_tool_call)]
fn generic_type<T>(_input: &ToolInput) {}
//~             ^

#[hook(id = "generic_const", kind = before_tool_call)]
fn generic_const<const N: usize>(_input: &ToolInput) {}
//~                    ^

#[hook(id = "impl_trait", kind = before_tool_call)]
fn impl_trait(_input: impl Into<ToolInput>) {}
//~                   ^^^^

#[hook(id = "ref_impl_trait", kind = before_tool_call)]
fn ref_impl_trait(_input: &impl Into<ToolInput>) {}
//~                        ^^^^

#[hook(id = "two_generics", kind = before_tool_call)]
fn two_generics<A, B: Clone>(_a: &A, _b: &B) {}
//~             ^  ^

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

mod hooks {
    use super::*;

    #[hook(id = "unsafe_hook", kind = before_tool_call)]
    unsafe fn unsafe_hook() {}
//~ ^^^^^^

    #[hook(id = "extern_hook", kind = before_tool_call)]
    extern "C" fn extern_hook() {}
//~ ^^^^^^^^^^

    #[hook(id = "const_hook", kind = before_tool_call)]
    const fn const_hook() {}
//~ ^^^^^

    #[hook(id = "all", kind = before_tool_call)]
    const unsafe extern "C" fn all() {}
//~ ^^^^^ ^^^^^^ ^^^^^^^^^^
}

fn main() {}
