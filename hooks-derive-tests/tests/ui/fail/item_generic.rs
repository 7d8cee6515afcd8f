//! A hook is registered once, so it cannot be generic.
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

fn main() {}
