//! Differences between a recorded dispatch and its replay.

use std::fmt;
use std::sync::LazyLock;

use hook_sdk::record::{Skip, Status};
use json_patch::Patch;
use serde::Serialize;
use serde_json::{Value, json};

use crate::line::{DispatchLine, RunLine};

/// A verdict that changed to another decision.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Flip {
    /// The recorded decision, such as `allow`, or `none`.
    pub from: String,
    /// The decision of the replay.
    pub to: String,
}

/// A difference between a recorded dispatch and its replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "difference", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Difference {
    /// The dispatch has another verdict.
    Verdict {
        /// The hook that decides differently. `None` if only the order or the list of hooks differs.
        hook: Option<String>,
        /// The two decisions.
        flip: Flip,
        /// The reason of the new verdict, or of the recorded one if the new one has none.
        reason: Option<String>,
        /// A unified diff of both verdicts as JSON, if they are the same decision.
        diff: String,
    },
    /// The subject is different after the dispatch.
    Rewrite {
        /// The first hook with a different change.
        hook: Option<String>,
        /// The later hooks that decide or change something differently, because they got another subject.
        followed: Vec<String>,
        /// A unified diff of both subjects as JSON.
        diff: String,
    },
    /// Only one of the dispatches failed, or both failed with different errors.
    Outcome {
        /// The recorded error.
        recorded: Option<String>,
        /// The error of the replay.
        replayed: Option<String>,
    },
    /// The turn diverges: it dispatches another kind, ends differently, or passes another subject to a kind although no
    /// hook before that behaved differently.
    Flow {
        /// The recorded kind or exit. `None` if the recorded turn was over.
        recorded: Option<String>,
        /// The kind or exit of the replay. `None` if the replayed turn was over.
        replayed: Option<String>,
        /// A unified diff of both subjects as JSON. Empty if the kinds differ.
        diff: String,
    },
    /// A hook has another status, or another answer that is not in effect, because another hook decides or because it
    /// runs in shadow mode.
    Status {
        /// The hook.
        hook: String,
        /// The recorded status or answer.
        recorded: String,
        /// The status or answer in the replay.
        replayed: String,
        /// The cause of the failure, in the recording or in the replay, or both causes.
        cause: Option<String>,
    },
    /// The hook is only in the replay.
    Added {
        /// The hook.
        hook: String,
    },
    /// The hook is only in the recording.
    Gone {
        /// The hook.
        hook: String,
    },
    /// The hook has other options, filters, parameters or rules, or another version, than it had.
    Revised {
        /// The hook.
        hook: String,
    },
    /// The order of the hooks is different.
    Order {
        /// The recorded order.
        recorded: Vec<String>,
        /// The order in the replay.
        replayed: Vec<String>,
    },
}

impl Difference {
    /// The importance for sorting. Flips come first.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Verdict { flip, .. } if flip.is_of_decision() => 0,
            Self::Outcome { .. } | Self::Flow { .. } => 1,
            // The same decision for another reason, or with other texts for the model.
            Self::Verdict { .. } | Self::Rewrite { .. } => 2,
            Self::Status { .. } => 3,
            Self::Order { .. } => 4,
            Self::Added { .. } | Self::Gone { .. } | Self::Revised { .. } => 5,
        }
    }

    /// Whether a turn may diverge because of it.
    #[cfg(feature = "agent")]
    pub(crate) fn is_effective(&self) -> bool {
        self.rank() <= 2
    }

    /// Whether another input of the hooks may be its cause, and not only another list of hooks.
    pub(crate) fn may_follow_from_input(&self) -> bool {
        !matches!(self, Self::Added { .. } | Self::Gone { .. } | Self::Revised { .. } | Self::Order { .. })
    }

    /// Whether it is only that one of both has a hook more.
    pub(crate) fn is_of_list(&self) -> bool {
        matches!(self, Self::Added { .. } | Self::Gone { .. })
    }

    /// The unified diff that shows it, if it has one.
    pub(crate) fn diff(&self) -> Option<&str> {
        match self {
            Self::Verdict { diff, .. } | Self::Rewrite { diff, .. } | Self::Flow { diff, .. } => {
                Some(diff.as_str()).filter(|diff| !diff.is_empty())
            }
            _ => None,
        }
    }

    /// Passes each text that may be foreign to `line`, or to `lines` if it may have several lines.
    pub(crate) fn each_text(&mut self, line: &mut dyn FnMut(&mut String), lines: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Verdict { hook, flip, reason, diff } => {
                hook.iter_mut().chain([&mut flip.from, &mut flip.to]).chain(reason).for_each(line);
                lines(diff);
            }
            Self::Rewrite { hook, followed, diff } => {
                hook.iter_mut().chain(followed).for_each(line);
                lines(diff);
            }
            Self::Outcome { recorded, replayed } => recorded.iter_mut().chain(replayed).for_each(line),
            Self::Flow { recorded, replayed, diff } => {
                recorded.iter_mut().chain(replayed).for_each(line);
                lines(diff);
            }
            Self::Status { hook, recorded, replayed, cause } => {
                [hook, recorded, replayed].into_iter().for_each(line);
                cause.iter_mut().for_each(lines);
            }
            Self::Added { hook } | Self::Gone { hook } | Self::Revised { hook } => line(hook),
            Self::Order { recorded, replayed } => recorded.iter_mut().chain(replayed).for_each(line),
        }
    }

    /// Whether it already says that this hook behaves differently.
    fn tells_of(&self, of: &str) -> bool {
        match self {
            Self::Verdict { hook, .. } => hook.as_deref() == Some(of),
            Self::Rewrite { hook, followed, .. } => {
                hook.as_deref() == Some(of) || followed.iter().any(|hook| hook == of)
            }
            _ => false,
        }
    }

    /// Whether it changes the behaviour of the agent.
    pub fn is_flip(&self) -> bool {
        self.rank() <= 1
    }
}

/// Whether there is no difference. This check is fast, because it creates no messages.
pub(crate) fn is_same(recorded: &DispatchLine, replayed: &DispatchLine) -> bool {
    let (Some(then), Some(today)) = (&recorded.runs, &replayed.runs) else { return false };
    let is_same_run = |(then, now): (&RunLine, &RunLine)| {
        let behaves_alike = || then.status == now.status && then.cause == now.cause && answer_alike(then, now);
        then.hook == now.hook && then.revision == now.revision && (is_of_a_replay(now) || behaves_alike())
    };
    recorded.error == replayed.error
        && recorded.verdict == replayed.verdict
        && leave_the_same(recorded, replayed)
        && then.len() == today.len()
        && then.iter().zip(today).all(is_same_run)
}

/// All differences, most important first.
pub(crate) fn compare(recorded: &DispatchLine, replayed: &DispatchLine) -> Vec<Difference> {
    let today = replayed.runs.as_deref().unwrap_or_default();
    let mut found = Vec::new();
    let responsible = diverging(recorded.runs.as_deref().unwrap_or_default(), today);
    if recorded.error == replayed.error {
        // Traffic of other programs contains at most a decision, but no verdict.
        let differs =
            if recorded.runs.is_some() { recorded.verdict != replayed.verdict } else { recorded.word != replayed.word };
        if differs {
            found.push(verdict(recorded, replayed, &responsible));
        }
        if !leave_the_same(recorded, replayed)
            && let (then, now) = (outcome(recorded), outcome(replayed))
            && then != now
        {
            let changes = |hook: &&Diverging<'_>| effect(hook.then) != effect(hook.now);
            let hook = responsible.iter().find(changes).or(responsible.first()).map(|hook| hook.id);
            let later = responsible.iter().map(|hook| hook.id).skip_while(|id| Some(*id) != hook).skip(1);
            // Nothing is known of the hooks that another program had.
            let followed = if recorded.runs.is_some() { later.map(str::to_owned).collect() } else { Vec::new() };
            found.push(Difference::Rewrite { hook: hook.map(str::to_owned), followed, diff: diff(&then, &now) });
        }
    } else {
        found.push(Difference::Outcome { recorded: recorded.error.clone(), replayed: replayed.error.clone() });
    }
    match &recorded.runs {
        Some(then) => runs(then, today, &mut found),
        // Another program had other hooks. Report at least the failures of these.
        None => found.extend(today.iter().filter_map(new_failure)),
    }
    found.sort_by_key(Difference::rank);
    found
}

/// A hook that decides or changes something differently: its run in the recording and in the replay.
struct Diverging<'a> {
    id: &'a str,
    then: Option<&'a RunLine>,
    now: Option<&'a RunLine>,
}

/// The difference of what the hooks of two recorded dispatches got, if it is another call or another subject.
pub(crate) fn inputs(then: &DispatchLine, now: &DispatchLine) -> Option<Difference> {
    let input = |line: &DispatchLine| json!({ "call": line.event.get("call"), "subject": line.subject });
    let (recorded, replayed) = (Some(then.kind.clone()), Some(now.kind.clone()));
    let flow = |diff| Difference::Flow { recorded, replayed, diff };
    Some(diff(&input(then), &input(now))).filter(|diff| !diff.is_empty()).map(flow)
}

/// The hooks that decide or change something differently, in the order of the replay, after those that were removed.
fn diverging<'a>(then: &'a [RunLine], today: &'a [RunLine]) -> Vec<Diverging<'a>> {
    // The run of a hook that has no opinion is like none.
    let acts = |run: &&RunLine| run.answers() || run.cause.is_some();
    let gone = then.iter().filter(acts).filter(|run| find(today, &run.hook).is_none());
    let gone = gone.map(|run| Diverging { id: &run.hook, then: Some(run), now: None });
    let other = today.iter().filter_map(|now| {
        let then = find(then, &now.hook);
        let differs = match then {
            Some(before) => {
                // The failure policy is one of the options.
                let revised = before.revision != now.revision && now.cause.is_some();
                !answer_alike(before, now) || revised || before.status != now.status
            }
            None => acts(&now),
        };
        differs.then_some(Diverging { id: &now.hook, then, now: Some(now) })
    });
    gone.chain(other).collect()
}

fn answer_alike(then: &RunLine, now: &RunLine) -> bool {
    then.verdict == now.verdict && then.word == now.word && then.shadow == now.shadow && then.changes() == now.changes()
}

/// The change that took effect.
fn effect(run: Option<&RunLine>) -> Option<&Patch> {
    run.filter(|run| !run.shadow).and_then(RunLine::changes)
}

/// Whether one of the hooks that decide or change something differently is new, was removed, or was revised.
pub(crate) fn is_by_changed_hook(recorded: &DispatchLine, replayed: &DispatchLine) -> bool {
    let (then, today) = (recorded.runs.as_deref().unwrap_or_default(), replayed.runs.as_deref().unwrap_or_default());
    let is_changed = |hook: &Diverging<'_>| match (hook.then, hook.now) {
        (Some(before), Some(now)) => before.revision.is_some() && before.revision != now.revision,
        _ => true,
    };
    diverging(then, today).iter().any(is_changed)
}

fn verdict(recorded: &DispatchLine, replayed: &DispatchLine, responsible: &[Diverging<'_>]) -> Difference {
    // The hook that decides so now, or no longer. A hook that decides as before is not the cause.
    let says = |run: Option<&RunLine>, line: &DispatchLine| {
        run.is_some_and(|run| !run.shadow && run.word.is_some() && run.word == line.word)
    };
    let in_force = |hook: &&Diverging<'_>| [hook.then, hook.now].into_iter().flatten().any(|run| !run.shadow);
    let now = responsible.iter().find(|hook| says(hook.now, replayed));
    let then = || responsible.iter().find(|hook| says(hook.then, recorded));
    let hook = now.or_else(then).or_else(|| responsible.iter().find(in_force));
    let word = |line: &DispatchLine| line.word.clone().unwrap_or_else(|| NONE.to_owned());
    let flip = Flip { from: word(recorded), to: word(replayed) };
    let diff = if flip.is_of_decision() { String::new() } else { diff(&recorded.verdict, &replayed.verdict) };
    Difference::Verdict {
        hook: hook.map(|hook| hook.id.to_owned()),
        flip,
        reason: reason(&replayed.verdict).or_else(|| reason(&recorded.verdict)),
        diff,
    }
}

/// The first reason in a verdict: its field `reason`, or what its `decision` contains, as in `{"block": "no prompts"}`.
pub(crate) fn reason(verdict: &Value) -> Option<String> {
    match verdict {
        Value::Object(fields) => {
            let decision = fields.get("decision").and_then(Value::as_object);
            match fields.get("reason").or_else(|| decision?.values().next()) {
                Some(Value::String(reason)) => Some(reason.clone()),
                _ => fields.values().find_map(reason),
            }
        }
        Value::Array(items) => items.iter().find_map(reason),
        _ => None,
    }
}

/// Whether both dispatches made the same changes to the same subject, without applying the changes.
fn leave_the_same(recorded: &DispatchLine, replayed: &DispatchLine) -> bool {
    let same = recorded.removed == replayed.removed && recorded.subject == replayed.subject;
    same && changes(recorded).eq(changes(replayed))
}

/// The changes that took effect.
fn changes(line: &DispatchLine) -> impl Iterator<Item = &Patch> {
    line.runs.iter().flatten().filter(|run| !run.shadow).filter_map(|run| run.change.as_ref())
}

/// The subject after the dispatch. Null if it was removed.
fn outcome(line: &DispatchLine) -> Value {
    if line.removed {
        return Value::Null;
    }
    let mut subject = line.subject.clone();
    for change in changes(line) {
        // If the place of a patch was truncated, the patch cannot be applied. The line is marked as truncated.
        let _ = json_patch::patch(&mut subject, change);
    }
    subject
}

pub(crate) fn diff(then: &Value, now: &Value) -> String {
    let text = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let (then, now) = (text(then), text(now));
    let lines = similar::TextDiff::from_lines(&then, &now);
    lines.unified_diff().context_radius(1).missing_newline_hint(false).to_string()
}

fn runs(then: &[RunLine], today: &[RunLine], found: &mut Vec<Difference>) {
    for run in today {
        let Some(before) = find(then, &run.hook) else {
            found.push(Difference::Added { hook: run.hook.clone() });
            found.extend(new_failure(run));
            continue;
        };
        if let (Some(then), Some(now)) = (&before.revision, &run.revision)
            && then != now
        {
            found.push(Difference::Revised { hook: run.hook.clone() });
        }
        if is_of_a_replay(run) {
            continue;
        }
        if before.status != run.status || before.cause != run.cause {
            let cause = match (&before.cause, &run.cause) {
                (Some(then), Some(now)) if then != now => Some(format!("{then} → {now}")),
                (then, now) => now.as_ref().or(then.as_ref()).cloned(),
            };
            let (recorded, replayed) = (before.status.clone(), run.status.clone());
            found.push(Difference::Status { hook: run.hook.clone(), recorded, replayed, cause });
        } else if !answer_alike(before, run) && !found.iter().any(|difference| difference.tells_of(&run.hook)) {
            let (recorded, replayed) = (answer(before), answer(run));
            found.push(Difference::Status { hook: run.hook.clone(), recorded, replayed, cause: None });
        }
    }
    let gone = then.iter().filter(|run| find(today, &run.hook).is_none());
    found.extend(gone.map(|run| Difference::Gone { hook: run.hook.clone() }));
    let order = |runs: &[RunLine], others: &[RunLine]| -> Vec<String> {
        runs.iter().filter(|run| find(others, &run.hook).is_some()).map(|run| run.hook.clone()).collect()
    };
    let (recorded, replayed) = (order(then, today), order(today, then));
    if recorded != replayed {
        found.push(Difference::Order { recorded, replayed });
    }
}

/// What a hook answered, in words.
fn answer(run: &RunLine) -> String {
    let word = run.word.as_deref().unwrap_or(if run.changes().is_some() { "changes" } else { NONE });
    if run.shadow { format!("{word} in shadow") } else { word.to_owned() }
}

/// The failure of a hook that was not in the recording.
fn new_failure(run: &RunLine) -> Option<Difference> {
    run.cause.clone().map(|cause| Difference::Status {
        hook: run.hook.clone(),
        recorded: "missing".to_owned(),
        replayed: run.status.clone(),
        cause: Some(cause),
    })
}

pub(crate) fn find<'a>(runs: &'a [RunLine], hook: &str) -> Option<&'a RunLine> {
    runs.iter().find(|run| run.hook == hook)
}

/// Whether a hook that is not in the replay decided or changed something. The results without it cannot be compared.
pub(crate) fn answers_are_missing(then: &[RunLine], today: &[RunLine]) -> bool {
    let answered = |run: &RunLine| !run.shadow && run.answers();
    today.iter().filter(|run| is_of_a_replay(run)).any(|run| find(then, &run.hook).is_some_and(answered))
}

/// Whether a hook was skipped because of its filter.
pub(crate) fn is_filtered(run: &RunLine) -> bool {
    static SKIPPED: LazyLock<String> = LazyLock::new(|| Status::Skipped(Skip::Filter).to_string());
    run.status == *SKIPPED
}

/// Whether a hook was skipped because the dispatch is a replay.
pub(crate) fn is_of_a_replay(run: &RunLine) -> bool {
    // Every run of every dispatch is asked.
    static SKIPPED: LazyLock<String> = LazyLock::new(|| Status::Skipped(Skip::Replay).to_string());
    run.status == *SKIPPED
}

/// The word for a hook or a dispatch without a decision.
const NONE: &str = "none";

/// The words of verdicts that add something and decide nothing.
const ADDITIONS: [&str; 6] = [NONE, "contexts", "contributes", "suppress output", "system messages", "system prompt"];

impl Flip {
    /// Whether one of the two decides something, and the other does not decide the same.
    fn is_of_decision(&self) -> bool {
        self.from != self.to && [&self.from, &self.to].iter().any(|word| !ADDITIONS.contains(&word.as_str()))
    }
}

impl fmt::Display for Flip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.from, self.to)
    }
}
