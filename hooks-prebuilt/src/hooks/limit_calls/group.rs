//! The places at which `limit_calls` runs.

use std::time::Instant;

use hook_sdk::hook;
use hook_sdk::kinds::{AfterToolCall, AfterToolCallSuccess, BeforeToolCall, PermissionRequest};
use hook_sdk::prelude::*;

use super::LimitCalls;

hook_sdk::group! {
    /// Limits how often each tool may be called, per turn, per conversation and per minute.
    pub limit_calls
}

// Late, so that a call is not counted that another gate denies.
#[hook(group = limit_calls, kind = before_tool_call, priority = 10_000)]
fn judge(cx: &HookContext, limits: &With<LimitCalls>, event: &BeforeToolCall) -> Permission {
    let tool = &event.call.name;
    if limits.limits_of(tool).next().is_none() {
        return Permission::NoOpinion;
    }
    let Some(conversation) = cx.conversation() else {
        return Permission::deny(format!(
            "calls of `{tool}` are limited, and the context has no conversation to count in"
        ));
    };
    let counted = limits.calls.with(conversation, |calls| {
        // A person was asked about it, and the gates judge it again.
        if calls.is_waiting(&event.call.id, tool) {
            return Ok(());
        }
        limits.count(calls, cx.turn(), tool, Instant::now())
    });
    counted.map_or_else(Permission::deny, |()| Permission::NoOpinion)
}

#[hook(group = limit_calls, kind = permission_request)]
fn wait(cx: &HookContext, limits: &With<LimitCalls>, event: &PermissionRequest) {
    if let Some(conversation) = cx.conversation() {
        limits.calls.with(conversation, |calls| calls.wait(&event.call.id, &event.call.name));
    }
}

#[hook(group = limit_calls, kind = after_tool_call_success)]
fn warn(cx: &HookContext, limits: &With<LimitCalls>, event: &AfterToolCallSuccess, result: &mut ToolResult) {
    let tool = &event.call.name;
    let left = cx.conversation().and_then(|id| limits.calls.with(id, |calls| limits.left(calls, tool)));
    if let Some(left) = left {
        result.add_context(left);
    }
}

#[hook(group = limit_calls, kind = after_tool_call)]
fn end(cx: &HookContext, limits: &With<LimitCalls>, event: &AfterToolCall) {
    if let Some(conversation) = cx.conversation() {
        limits.calls.with(conversation, |calls| calls.end(&event.call.id));
    }
}
