//! The places at which `limit_calls` runs.

use std::time::Instant;

use hook_sdk::hook;
use hook_sdk::kinds::{AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall, PermissionRequest};
use hook_sdk::prelude::*;

use super::{Calls, LimitCalls, Open};
use crate::kept;

hook_sdk::group! {
    /// Limits how often each tool may be called, per turn, per conversation and per minute.
    pub limit_calls
}

impl LimitCalls {
    fn with<R>(&self, cx: &HookContext, change: impl FnOnce(&mut Calls) -> R) -> Option<R> {
        kept::with(cx, cx.session(), &self.settings, change)
    }

    fn warn(&self, cx: &HookContext, call: &ToolCall, result: &mut ToolResult) {
        let left = self.with(cx, |calls| {
            if let Some(open) = calls.open.get_mut(&key(cx, call)) {
                open.may_be_refused = false;
            }
            self.left(calls, &call.name)
        });
        if let Some(Some(left)) = left {
            result.add_context(left);
        }
    }
}

fn key(cx: &HookContext, call: &ToolCall) -> (String, String) {
    (cx.conversation().unwrap_or_default().to_owned(), call.id.clone())
}

// Late, so that a call is not counted that another gate denies.
#[hook(group = limit_calls, kind = before_tool_call, priority = 10_000)]
fn judge(cx: &HookContext, limits: &With<LimitCalls>, event: &BeforeToolCall) -> Permission {
    let tool = &event.call.name;
    if limits.limits_of(tool).next().is_none() {
        return Permission::NoOpinion;
    }
    let (key, by, at) = (key(cx, &event.call), std::ptr::from_ref::<LimitCalls>(limits).addr(), Instant::now());
    let counted = limits.with(cx, |calls| {
        let mut by = vec![by];
        match calls.again(&key, tool, by[0], !cx.agent_path().is_empty()) {
            Some(open) if open.waits => {
                calls.open.insert(key, open);
                return Ok(());
            }
            Some(open) => {
                calls.uncount(&open);
                by.extend(open.by);
            }
            None => {}
        }
        let (turn, may_be_refused) = (kept::turn(cx, calls.turn), !calls.open.contains_key(&key));
        limits.count(calls, turn, tool, at)?;
        // Calls without ids would all be one.
        if !event.call.id.is_empty() {
            calls.open.insert(key, Open { tool: tool.clone(), turn, at, by, waits: false, may_be_refused });
        }
        Ok(())
    });
    let nobody = || Err(format!("calls of `{tool}` are limited, and nobody counts them here; continue without it"));
    counted.unwrap_or_else(nobody).map_or_else(Permission::deny, |()| Permission::NoOpinion)
}

#[hook(group = limit_calls, kind = permission_request)]
fn wait(cx: &HookContext, limits: &With<LimitCalls>, event: &PermissionRequest) {
    let _ = limits.with(cx, |calls| {
        if let Some(open) = calls.open.get_mut(&key(cx, &event.call)) {
            open.waits = true;
        }
    });
}

// A warning that fails changes nothing: the calls are still counted and denied.
#[hook(group = limit_calls, kind = after_tool_call_success, on_failure = continue)]
fn warn(cx: &HookContext, limits: &With<LimitCalls>, event: &AfterToolCallSuccess, result: &mut ToolResult) {
    limits.warn(cx, &event.call, result);
}

#[hook(group = limit_calls, kind = after_tool_call_failure, on_failure = continue)]
fn warn_of_failure(cx: &HookContext, limits: &With<LimitCalls>, event: &AfterToolCallFailure, result: &mut ToolResult) {
    limits.warn(cx, &event.call, result);
}

#[hook(group = limit_calls, kind = after_tool_call)]
fn end(cx: &HookContext, limits: &With<LimitCalls>, event: &AfterToolCall) {
    let refused = event.error.is_some() && event.attempt == 0;
    let _ = limits.with(cx, |calls| calls.end(&key(cx, &event.call), &event.call.name, refused));
}
