//! `retry_tools`: runs a failed tool again where that is safe, and lets a tool rest that only fails.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hook_sdk::hook;
use hook_sdk::kinds::{AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall};
use hook_sdk::prelude::*;
use hook_sdk::verdict::Retry;
use serde::Deserialize;
use wildmatch::WildMatch;

use crate::parameters::{Fields, from_fields, patterns};

/// The parameters of `retry_tools`.
#[derive(Debug)]
pub struct RetryTools {
    tools: Vec<WildMatch>,
    retries: u32,
    /// In seconds.
    first: f64,
    factor: f64,
    most: f64,
    /// Errors after which it makes sense.
    on: Vec<WildMatch>,
    breaker: Option<Breaker>,
    /// The failures in a row of each tool, and the last of them.
    failures: Mutex<HashMap<String, (u32, Instant)>>,
}

/// When a tool rests.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Breaker {
    failures: u32,
    seconds: u64,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { failures: 5, seconds: 60 }
    }
}

from_fields!(RetryTools, |fields: &mut Fields| {
    let read = RetryTools {
        tools: patterns(fields, "tools", &["*"]),
        retries: fields.or("retries", 2),
        first: fields.or("first", 1.0),
        factor: fields.or("factor", 2.0),
        most: fields.or("most", 60.0),
        on: patterns(fields, "on", &["*"]),
        breaker: fields.optional("breaker"),
        failures: Mutex::default(),
    };
    let is_time = |seconds: f64| (0.0..=86_400.0).contains(&seconds);
    if !is_time(read.first) || !is_time(read.most) || !(1.0..=100.0).contains(&read.factor) {
        fields.problem("`first` and `most` are seconds, at most a day, and `factor` is from 1 to 100");
    }
    if read.breaker.is_some_and(|breaker| breaker.failures == 0) {
        fields.problem("`breaker.failures` is 0: a tool that may not fail could never be called");
    }
    read
});

impl RetryTools {
    /// How long to wait before the next attempt; `None` if there should be none. `call` spreads calls that failed together.
    pub fn wait(&self, tool: &str, call: &str, attempt: u32, error: &str) -> Option<Duration> {
        let matches = |patterns: &[WildMatch], text: &str| patterns.iter().any(|pattern| pattern.matches(text));
        if attempt == 0 || attempt > self.retries || !matches(&self.tools, tool) || !matches(&self.on, error) {
            return None;
        }
        let wait = (self.first * self.factor.powf(f64::from(attempt - 1))).min(self.most);
        let mut hasher = DefaultHasher::new();
        (call, attempt).hash(&mut hasher);
        // A quarter less or more.
        #[allow(clippy::cast_precision_loss, reason = "a number below a thousand")]
        let jitter = 0.75 + (hasher.finish() % 1_000) as f64 / 2_000.0;
        Some(Duration::from_secs_f64((wait * jitter).min(self.most)))
    }

    /// How many seconds a tool still rests after its failures.
    pub fn rests(&self, tool: &str, now: Instant) -> Option<u64> {
        let breaker = self.breaker?;
        let (count, last) = self.known().get(tool).copied()?;
        let rest = Duration::from_secs(breaker.seconds).checked_sub(now.saturating_duration_since(last))?;
        // After the rest one call may try; if it fails, the tool rests again.
        (count >= breaker.failures && !rest.is_zero()).then(|| rest.as_secs() + 1)
    }

    /// Notes how a call of a tool ended.
    pub fn ended(&self, tool: &str, failed: bool, now: Instant) {
        let mut known = self.known();
        if failed {
            let (count, last) = known.entry(tool.to_owned()).or_insert((0, now));
            (*count, *last) = (count.saturating_add(1), now);
        } else {
            known.remove(tool);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, (u32, Instant)>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

hook_sdk::group! {
    /// Runs failed tools again after a while, where the harness allows it, and lets a tool rest that only fails.
    pub retry_tools
}

#[hook(group = retry_tools, kind = after_tool_call_failure)]
fn again(retry: &With<RetryTools>, event: &AfterToolCallFailure) -> Retry {
    let tool = &event.call.name;
    // A call that did not run says nothing about the tool.
    if event.attempt > 0 {
        retry.ended(tool, true, Instant::now());
    }
    let rests = retry.rests(tool, Instant::now()).is_some();
    let wait = retry.wait(tool, &event.call.id, event.attempt, &event.error).filter(|_| event.may_retry && !rests);
    wait.map_or(Retry::NoOpinion, Retry::After)
}

#[hook(group = retry_tools, kind = after_tool_call_success, on_failure = continue)]
fn worked(retry: &With<RetryTools>, event: &AfterToolCallSuccess, _result: &mut ToolResult) {
    retry.ended(&event.call.name, false, Instant::now());
}

#[hook(group = retry_tools, kind = before_tool_call)]
fn rest(retry: &With<RetryTools>, event: &BeforeToolCall) -> Permission {
    match retry.rests(&event.call.name, Instant::now()) {
        None => Permission::NoOpinion,
        Some(seconds) => Permission::deny(format!(
            "`{}` has failed several times in a row and rests; try again in {seconds} seconds, or continue without it",
            event.call.name
        )),
    }
}
