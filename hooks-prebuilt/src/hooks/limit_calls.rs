//! `limit_calls`: how often tools may be called, per turn, per conversation and per minute.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use hook_sdk::hook;
use hook_sdk::kinds::{AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeToolCall, PermissionRequest};
use hook_sdk::prelude::*;
use serde_json::{Map, Value};
use wildmatch::WildMatch;

use crate::kept;
use crate::parameters::{Fields, from_fields};

/// The parameters of `limit_calls`.
#[derive(Debug)]
pub struct LimitCalls {
    limits: Vec<Limit>,
    settings: String,
}

/// What holds for the tools of a pattern.
#[derive(Clone, Debug)]
struct Limit {
    pattern: WildMatch,
    /// The most calls within each of [`WITHIN`].
    most: [Option<u32>; 3],
    /// Whether the calls of all these tools count together.
    together: bool,
}

/// Within what calls are counted.
const WITHIN: [&str; 3] = ["turn", "conversation", "minute"];

from_fields!(LimitCalls, |fields: &mut Fields| {
    let expected = r#"a map such as {"web_*": {"turn": 5, "conversation": 40, "per_minute": 10}}"#;
    let limits: BTreeMap<String, Map<String, Value>> = fields.required("limits", expected);
    let mut read = Vec::new();
    for (pattern, given) in limits {
        let mut one = Fields::new(given);
        let limit = Limit {
            pattern: WildMatch::new(&pattern),
            most: ["turn", "conversation", "per_minute"].map(|name| one.optional(name)),
            together: one.or("together", false),
        };
        if one.is_fine() && limit.most == [None; 3] {
            one.problem("it limits nothing: write `turn`, `conversation` or `per_minute`");
        }
        match one.finish(limit) {
            Ok(limit) => read.push(limit),
            Err(problem) => fields.problem(format_args!("`limits.{pattern}`: {problem}")),
        }
    }
    LimitCalls { limits: read, settings: fields.settings.clone() }
});

/// The calls of one session.
#[derive(Debug, Default)]
pub struct Calls {
    turn: Option<u64>,
    /// The calls of each tool, whatever limits it, so that other limits count on.
    counts: HashMap<String, Count>,
    /// Calls that were counted and have not ended, by their conversation and id. The gates can judge one again.
    open: HashMap<(String, String), Open>,
}

/// A call that was counted.
#[derive(Debug)]
struct Open {
    tool: String,
    turn: Option<u64>,
    at: Instant,
    /// Those that judged it: a sub-agent and its caller can have the same entry, and both judge.
    by: Vec<usize>,
    /// Whether a person is asked about it.
    waits: bool,
    /// Whether a refusal with its id is its own: it did not run, and no other call has the id.
    may_be_refused: bool,
}

#[derive(Debug, Default)]
struct Count {
    turn: u32,
    conversation: u32,
    recent: Vec<Instant>,
}

const MINUTE: Duration = Duration::from_secs(60);

impl Calls {
    /// The calls that a limit of the tool counts, within each of [`WITHIN`].
    fn done(&self, limit: &Limit, tool: &str) -> [u32; 3] {
        let is_counted = |other: &str| if limit.together { limit.pattern.matches(other) } else { other == tool };
        self.counts.iter().filter(|(other, _)| is_counted(other)).fold([0; 3], |done: [u32; 3], (_, count)| {
            let recent = u32::try_from(count.recent.len()).unwrap_or(u32::MAX);
            let more = [count.turn, count.conversation, recent];
            [0, 1, 2].map(|within| done[within].saturating_add(more[within]))
        })
    }

    /// Takes the call with this key before it is judged again: the one that waits for a person, or that of a sub-agent
    /// (`is_within`), which its caller judges too. Another call with its id is not the same one.
    fn again(&mut self, key: &(String, String), tool: &str, by: usize, is_within: bool) -> Option<Open> {
        let open = self.open.get_mut(key)?;
        if open.tool == tool && (open.waits || is_within && !open.by.contains(&by)) {
            return self.open.remove(key);
        }
        open.may_be_refused = false;
        None
    }

    /// A call that was refused does not count.
    fn end(&mut self, key: &(String, String), tool: &str, refused: bool) {
        if self.open.get(key).is_none_or(|open| open.tool != tool) {
            return;
        }
        let Some(open) = self.open.remove(key).filter(|open| refused && open.may_be_refused) else { return };
        self.uncount(&open);
    }

    fn uncount(&mut self, open: &Open) {
        if let Some(count) = self.counts.get_mut(&open.tool) {
            count.turn = count.turn.saturating_sub(u32::from(open.turn == self.turn));
            count.conversation = count.conversation.saturating_sub(1);
            count.recent.retain(|at| *at != open.at);
        }
    }
}

impl LimitCalls {
    fn limits_of(&self, tool: &str) -> impl Iterator<Item = &Limit> {
        self.limits.iter().filter(move |limit| limit.pattern.matches(tool))
    }

    /// Every number that limits a tool, with how many calls it counted, and within what.
    fn numbers<'a>(
        &'a self,
        calls: &'a Calls,
        tool: &'a str,
    ) -> impl Iterator<Item = (&'a Limit, u32, u32, &'static str)> {
        self.limits_of(tool).flat_map(move |limit| {
            let numbers = limit.most.into_iter().zip(calls.done(limit, tool)).zip(WITHIN);
            numbers.filter_map(move |((most, done), within)| Some((limit, most?, done, within)))
        })
    }

    /// Counts a call, unless a limit is reached.
    ///
    /// # Errors
    /// The limit that is reached. The call is not counted then.
    pub fn count(&self, calls: &mut Calls, turn: Option<u64>, tool: &str, now: Instant) -> Result<(), String> {
        if calls.turn != turn {
            calls.turn = turn;
            calls.counts.values_mut().for_each(|count| count.turn = 0);
            calls.open.retain(|_, open| open.waits);
        }
        let is_recent = |call: &Instant| now.saturating_duration_since(*call) < MINUTE;
        calls.counts.values_mut().for_each(|count| count.recent.retain(is_recent));
        if turn.is_none() && self.limits_of(tool).any(|limit| limit.most[0].is_some()) {
            return Err(format!("calls of `{tool}` are limited per turn, and the context has no turn to count in"));
        }
        if let Some((limit, most, _, within)) = self.numbers(calls, tool).find(|(_, most, done, _)| done >= most) {
            let what = if limit.together { format!("tools such as `{tool}`") } else { format!("`{tool}`") };
            let often = match most {
                0 => return Err(format!("{what} may not be called; continue without it")),
                1 => "once".to_owned(),
                _ => format!("{most} times"),
            };
            return Err(format!("{what} may be called {often} in a {within}, and was; continue without it"));
        }
        if self.limits_of(tool).next().is_some() {
            let count = calls.counts.entry(tool.to_owned()).or_default();
            count.turn = count.turn.saturating_add(1);
            count.conversation = count.conversation.saturating_add(1);
            count.recent.push(now);
        }
        Ok(())
    }

    /// The least number of calls that a tool has left, and within what, if only a fifth of them, or one, is left.
    pub fn left(&self, calls: &Calls, tool: &str) -> Option<String> {
        let left = self.numbers(calls, tool).map(|(_, most, done, within)| (most.saturating_sub(done), most, within));
        let (left, most, within) = left.min_by_key(|(left, ..)| *left)?;
        (left <= (most / 5).max(1)).then(|| format!("calls of `{tool}` left in this {within}: {left} of {most}."))
    }
}

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
