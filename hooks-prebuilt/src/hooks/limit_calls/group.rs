//! The places at which `limit_calls` runs.

use std::time::Instant;

use hook_sdk::hook;
use hook_sdk::kinds::{AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall, PermissionRequest};
use hook_sdk::prelude::*;

use super::{Calls, LimitCalls};
use crate::kept;

hook_sdk::group! {
    /// Limits how often each tool may be called, per turn, per conversation and per minute.
    pub limit_calls
}

impl LimitCalls {
    fn with<R>(&self, cx: &HookContext, change: impl FnOnce(&mut Calls) -> R) -> Option<R> {
        kept::with(cx, cx.session(), &self.settings, change)
    }

    fn warn(&self, cx: &HookContext, tool: &str, result: &mut ToolResult) {
        if let Some(Some(left)) = self.with(cx, |calls| self.left(calls, tool)) {
            result.add_context(left);
        }
    }
}

// Late, so that a call is not counted that another gate denies.
#[hook(group = limit_calls, kind = before_tool_call, priority = 10_000)]
fn judge(cx: &HookContext, limits: &With<LimitCalls>, event: &BeforeToolCall) -> Permission {
    let tool = &event.call.name;
    if limits.limits_of(tool).next().is_none() {
        return Permission::NoOpinion;
    }
    let counted = limits.with(cx, |calls| {
        // A person was asked about it, and the gates judge it again.
        if calls.is_waiting(&event.call.id, tool) {
            return Ok(());
        }
        limits.count(calls, kept::turn(cx, calls.turn), tool, Instant::now())
    });
    match counted {
        Some(Ok(())) => Permission::NoOpinion,
        Some(Err(reached)) => Permission::deny(reached),
        None => {
            Permission::deny(format!("calls of `{tool}` are limited, and nobody counts them here; continue without it"))
        }
    }
}

#[hook(group = limit_calls, kind = permission_request)]
fn wait(cx: &HookContext, limits: &With<LimitCalls>, event: &PermissionRequest) {
    let _ = limits.with(cx, |calls| calls.wait(&event.call.id, &event.call.name));
}

// A warning that fails changes nothing: the calls are still counted and denied.
#[hook(group = limit_calls, kind = after_tool_call_success, on_failure = continue)]
fn warn(cx: &HookContext, limits: &With<LimitCalls>, event: &AfterToolCallSuccess, result: &mut ToolResult) {
    limits.warn(cx, &event.call.name, result);
}

#[hook(group = limit_calls, kind = after_tool_call_failure, on_failure = continue)]
fn warn_of_failure(cx: &HookContext, limits: &With<LimitCalls>, event: &AfterToolCallFailure, result: &mut ToolResult) {
    limits.warn(cx, &event.call.name, result);
}

#[hook(group = limit_calls, kind = after_tool_call)]
fn end(cx: &HookContext, limits: &With<LimitCalls>, event: &AfterToolCall) {
    let _ = limits.with(cx, |calls| calls.end(&event.call.id));
}
