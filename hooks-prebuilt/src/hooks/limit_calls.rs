//! `limit_calls`: how often tools may be called, per turn, per conversation and per minute.

mod group;

pub use group::limit_calls;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use wildmatch::WildMatch;

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
    turn: Option<u32>,
    conversation: Option<u32>,
    per_minute: Option<u32>,
    /// Whether the calls of all these tools count together.
    together: bool,
}

impl Limit {
    /// The pattern, and the tool unless the tools of the pattern count together.
    fn key(&self, tool: &str) -> (String, String) {
        (self.pattern.to_string(), if self.together { String::new() } else { tool.to_owned() })
    }
}

from_fields!(LimitCalls, |fields: &mut Fields| {
    let expected = r#"a map such as {"web_*": {"turn": 5, "conversation": 40, "per_minute": 10}}"#;
    let limits: BTreeMap<String, Map<String, Value>> = fields.required("limits", expected);
    if limits.is_empty() {
        fields.problem(format_args!("`limits` is empty: write {expected}"));
    }
    let mut read = Vec::new();
    for (pattern, given) in limits {
        let mut one = Fields::new(given);
        let limit = Limit {
            pattern: WildMatch::new(&pattern),
            turn: one.optional("turn"),
            conversation: one.optional("conversation"),
            per_minute: one.optional("per_minute"),
            together: one.or("together", false),
        };
        if one.is_fine() && (limit.turn, limit.conversation, limit.per_minute) == (None, None, None) {
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
    /// The calls of each pattern, and of a tool unless its tools count together.
    counts: HashMap<(String, String), Count>,
    /// Calls that were counted and wait for an answer of a person. The gates judge them again.
    waiting: HashMap<String, String>,
}

#[derive(Debug, Default)]
struct Count {
    turn: u32,
    conversation: u32,
    recent: VecDeque<Instant>,
}

const MINUTE: Duration = Duration::from_secs(60);

impl Calls {
    fn wait(&mut self, id: &str, tool: &str) {
        // Calls without ids would all be the one that was asked about.
        if !id.is_empty() {
            self.waiting.insert(id.to_owned(), tool.to_owned());
        }
    }

    fn is_waiting(&self, id: &str, tool: &str) -> bool {
        self.waiting.get(id).is_some_and(|waiting| waiting == tool)
    }

    fn end(&mut self, id: &str) {
        self.waiting.remove(id);
    }
}

impl LimitCalls {
    fn limits_of(&self, tool: &str) -> impl Iterator<Item = &Limit> {
        self.limits.iter().filter(move |limit| limit.pattern.matches(tool))
    }

    /// Counts a call, unless a limit is reached.
    ///
    /// # Errors
    /// The limit that is reached. The call is not counted then.
    pub fn count(&self, calls: &mut Calls, turn: Option<u64>, tool: &str, now: Instant) -> Result<(), String> {
        if calls.turn != turn {
            calls.turn = turn;
            calls.counts.values_mut().for_each(|count| count.turn = 0);
        }
        for limit in self.limits_of(tool) {
            if turn.is_none() && limit.turn.is_some() {
                return Err(format!("calls of `{tool}` are limited per turn, and the context has no turn to count in"));
            }
            let count = calls.counts.entry(limit.key(tool)).or_default();
            while count.recent.front().is_some_and(|call| now.saturating_duration_since(*call) >= MINUTE) {
                count.recent.pop_front();
            }
            let recent = u32::try_from(count.recent.len()).unwrap_or(u32::MAX);
            let reached = |of: Option<u32>, count: u32, within: &str| {
                let most = of.filter(|most| count >= *most)?;
                let what = if limit.together { format!("tools such as `{tool}`") } else { format!("`{tool}`") };
                Some(match most {
                    0 => format!("{what} may not be called; continue without it"),
                    1 => format!("{what} may be called once {within}, and was; continue without it"),
                    _ => format!("{what} may be called {most} times {within}, and was; continue without it"),
                })
            };
            let error = reached(limit.turn, count.turn, "in a turn")
                .or_else(|| reached(limit.conversation, count.conversation, "in a conversation"))
                .or_else(|| reached(limit.per_minute, recent, "in a minute"));
            if let Some(error) = error {
                return Err(error);
            }
        }
        for limit in self.limits_of(tool) {
            let count = calls.counts.entry(limit.key(tool)).or_default();
            count.turn = count.turn.saturating_add(1);
            count.conversation = count.conversation.saturating_add(1);
            if limit.per_minute.is_some() {
                count.recent.push_back(now);
            }
        }
        Ok(())
    }

    /// The least number of calls that a tool has left, and within what, if only a fifth of them, or one, is left.
    pub fn left(&self, calls: &Calls, tool: &str) -> Option<String> {
        let left = self.limits_of(tool).flat_map(|limit| {
            let count = calls.counts.get(&limit.key(tool));
            let of =
                move |most: Option<u32>, done: Option<u32>, within| Some((most?, most?.saturating_sub(done?), within));
            let recent = |count: &Count| u32::try_from(count.recent.len()).unwrap_or(u32::MAX);
            [
                of(limit.turn, count.map(|count| count.turn), "turn"),
                of(limit.conversation, count.map(|count| count.conversation), "conversation"),
                of(limit.per_minute, count.map(recent), "minute"),
            ]
        });
        let (most, left, within) = left.flatten().min_by_key(|(_, left, _)| *left)?;
        (left <= (most / 5).max(1)).then(|| format!("calls of `{tool}` left in this {within}: {left} of {most}."))
    }
}
