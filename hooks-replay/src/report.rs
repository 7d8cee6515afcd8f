//! The report of a replay: groups of differences, most important first.

mod github;
mod html;
mod text;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;
use serde_json::Value;

use crate::compare::{Difference, Flip, find, is_filtered};
use crate::line::{DispatchLine, RunLine};

/// The number of examples per group.
const EXAMPLES: usize = 3;

/// The maximum number of groups per hook, kind and sort of difference, and of counted line types, because reasons may
/// contain ids.
const DISTINCT: usize = 20;

/// The maximum and minimum number of runs for the median duration of a hook.
const SAMPLES: usize = 1024;
const FEWEST: usize = 10;

/// The maximum number of messages about lines that could not be replayed.
const PROBLEMS: usize = 20;

/// The report of a replay.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReplayReport {
    /// The number of replayed dispatches.
    pub replayed: usize,
    /// The number of dispatches whose recorded line is incomplete, because a text was truncated or a secret removed.
    /// They were replayed with the recorded data.
    pub partly: usize,
    /// The number of those dispatches that had another outcome, perhaps because their hooks did not get all that they got
    /// when it was recorded. They are not counted as differing, and their [groups](Group::uncertain) say so. If a hook that
    /// is new, removed or revised is among those that behave differently, the dispatch is counted as usual.
    pub uncertain: usize,
    /// The number of dispatches that were not compared, because a hook that is not in the replay decided or changed
    /// them.
    pub unanswered: usize,
    /// Where the lines are that were not compared: the dispatches of [`unanswered`](Self::unanswered), and those that could not
    /// be read or replayed. Replayed turns have more of them.
    pub left_out: Vec<String>,
    /// The number of replayed turns.
    pub turns: usize,
    /// The number of turns that diverged from the recording.
    pub diverged: usize,
    /// The number of turns that were not replayed beyond that place, or beyond a dispatch that could not be compared.
    pub stopped: usize,
    /// The number of nested dispatches, which are replayed with the outer ones.
    pub nested: usize,
    /// Hooks that rewrite or decide and that ran in no recorded dispatch, each with those of its kinds of which there is
    /// none: what it would have done there is not known. A recorder writes only dispatches that had hooks.
    pub not_compared: BTreeMap<String, Vec<String>>,
    /// Hooks that only the replay has, or only the candidate, and that ran in no dispatch, because of their filters: how
    /// often they were skipped.
    pub ran_for_none: BTreeMap<String, usize>,
    /// The number of replayed dispatches, by kind.
    pub kinds: BTreeMap<String, usize>,
    /// Whether some of those hooks have other kinds, or there are other hooks.
    #[serde(skip)]
    tried: bool,
    /// Hooks that a replay does not start, because they would outlive it, and the number of their runs.
    pub not_started: BTreeMap<String, usize>,
    /// Lines of other programs that contain nothing for hooks, by type.
    pub other: BTreeMap<String, usize>,
    /// The differences, grouped.
    pub groups: Vec<Group>,
    /// The number of lines and dispatches that could not be replayed.
    pub failed: usize,
    /// The first error messages. `failed` is the total number.
    pub problems: Vec<String>,
    /// The number of dispatches that differ, not counting those of which one side only has hooks more.
    pub differing: usize,
    /// Hooks whose median duration has more than doubled. This is not a difference, because a machine may be busy.
    pub slower: Vec<Slower>,
    #[serde(skip)]
    ran_for_some: BTreeSet<String>,
    #[serde(skip)]
    times: HashMap<String, Times>,
}

/// A hook that is slower than in the recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Slower {
    /// The hook.
    pub hook: String,
    /// The median duration in the recording, in microseconds.
    pub recorded: u64,
    /// The median duration in the replay, in microseconds.
    pub replayed: u64,
}

/// The durations of the first runs of a hook, in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
struct Times {
    recorded: Vec<u64>,
    replayed: Vec<u64>,
}

/// Differences of the same sort, caused by the same hook.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The kind.
    pub kind: String,
    /// A one-line description.
    pub title: String,
    /// The hook that caused the difference.
    pub hook: Option<String>,
    /// How the verdict flipped, if it did.
    pub flip: Option<Flip>,
    /// Whether the turn had diverged before. The recorded answers then belong to another course of the turn.
    pub counterfactual: bool,
    /// Whether they may differ only because a part of what hooks get was not recorded.
    pub uncertain: bool,
    /// The number of differences.
    pub count: usize,
    /// Where all of them are. Empty if only the lists of hooks differ.
    pub places: Vec<String>,
    /// The first differences.
    pub examples: Vec<Example>,
    #[serde(skip)]
    rank: u8,
}

/// A dispatch that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Example {
    /// The file and line, or another description of the place.
    pub place: String,
    /// The conversation, if it is known.
    pub conversation: Option<String>,
    /// The tool call that the dispatch concerns.
    pub call: Option<ExampleCall>,
    /// The difference.
    #[serde(flatten)]
    pub difference: Difference,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExampleCall {
    /// The name of the tool.
    pub tool: String,
    /// The id of the call.
    pub id: String,
}

/// What may be the reason of differences besides hooks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Doubts {
    /// Whether the turn had diverged before.
    pub(crate) counterfactual: bool,
    /// Whether hooks got less than they got when it was recorded.
    pub(crate) lacks_input: bool,
}

impl ExampleCall {
    /// The tool call that an event concerns.
    fn of(event: &Value) -> Option<Self> {
        let text = |name: &str| Some(plain(event.get("call")?.get(name)?.as_str()?));
        Some(Self { tool: text("name")?, id: text("id")? })
    }
}

impl ReplayReport {
    /// Whether there is no difference, be it an uncertain one, and everything could be replayed.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.failed == 0
    }

    /// Whether a verdict or the outcome of a dispatch differs, be it after the turn diverged.
    pub fn has_flips(&self) -> bool {
        self.groups.iter().any(Group::decides)
    }

    /// The exit code for a program: 2 if a verdict flipped; otherwise 3 if something could not be replayed, or it is
    /// uncertain whether something differs, or there was nothing to compare for any hook; otherwise 1 if there is a
    /// difference; otherwise 0.
    pub fn exit_code(&self) -> u8 {
        match self {
            _ if self.has_flips() => 2,
            _ if self.failed > 0 || self.uncertain > 0 || (self.replayed <= self.unanswered && self.turns == 0) => 3,
            _ if !self.groups.is_empty() => 1,
            _ if !self.tried && !self.not_compared.is_empty() => 3,
            _ => 0,
        }
    }

    /// How much was replayed, how much of it differs, and how much is not counted as either.
    pub fn headline(&self) -> String {
        let Self { turns, diverged, replayed, differing, .. } = self;
        let of_turns = if *turns > 0 { format!("{turns} turns replayed, {diverged} diverge; ") } else { String::new() };
        let not_counted = match self.uncertain + self.unanswered {
            0 => String::new(),
            count => format!(", {count} not counted"),
        };
        format!("{of_turns}{replayed} dispatches replayed, {differing} differ{not_counted}")
    }

    /// What else has to be known about the numbers, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let (unanswered, partly, uncertain, stopped) = (self.unanswered, self.partly, self.uncertain, self.stopped);
        let not_compared: Vec<String> =
            self.not_compared.iter().map(|(hook, kinds)| format!("`{hook}` ({})", kinds.join(", "))).collect();
        let ran_for_none: Vec<String> = self
            .ran_for_none
            .iter()
            .map(|(name, count)| format!("`{name}` ran for none of {count} dispatches"))
            .collect();
        let notes = [
            (!ran_for_none.is_empty(), format!("not tried: {}", ran_for_none.join(", "))),
            (
                !not_compared.is_empty(),
                format!("not compared, because no dispatch of their kinds was recorded: {}", not_compared.join(", ")),
            ),
            (
                stopped > 0,
                format!(
                    "{stopped} turns were not replayed beyond the first such place: `--turns=loose`, or `Matching::Loose`, goes on"
                ),
            ),
            (self.replayed == 0 && self.turns == 0, "there was nothing to replay".to_owned()),
            (
                unanswered > 0,
                format!(
                    "{unanswered} of the dispatches were not compared: a hook that is not in the replay had decided or changed them"
                ),
            ),
            (
                partly > 0,
                format!(
                    "{partly} of the dispatches were recorded partially: a text was truncated, or a secret removed"
                ),
            ),
            (
                uncertain > 0,
                format!(
                    "{uncertain} of the dispatches had another outcome, perhaps only because their recording is incomplete, \
                     and are not counted: compare two sets of hooks, or record anew"
                ),
            ),
        ];
        notes.into_iter().filter_map(|(is_so, note)| is_so.then_some(note)).collect()
    }

    /// Adds the differences of a dispatch.
    pub(crate) fn add(&mut self, recorded: &DispatchLine, place: &str, differences: Vec<Difference>) {
        self.add_to(Doubts::default(), recorded, place, differences);
    }

    /// Like [`add`](Self::add), for a dispatch whose differences may have another reason than its hooks.
    pub(crate) fn add_to(
        &mut self,
        doubts: Doubts,
        recorded: &DispatchLine,
        place: &str,
        differences: Vec<Difference>,
    ) {
        let is_uncertain = |difference: &Difference| doubts.lacks_input && difference.may_follow_from_input();
        let counts = |difference: &Difference| !is_uncertain(difference) && !difference.is_of_list();
        self.differing += usize::from(differences.iter().any(counts));
        self.uncertain += usize::from(differences.iter().any(is_uncertain));
        let kind = plain(&recorded.kind);
        for mut difference in differences {
            let (uncertain, is_of_list) = (is_uncertain(&difference), difference.is_of_list());
            difference.each_text(&mut |text| *text = plain(text), &mut |lines| *lines = plain_lines(lines));
            let group = self.group(&kind, (doubts.counterfactual, uncertain), &difference);
            group.count += 1;
            if !is_of_list {
                group.places.push(plain(place));
            }
            if group.examples.len() < EXAMPLES {
                let conversation = recorded.ids.conversation.as_deref().map(plain);
                let call = ExampleCall::of(&recorded.event);
                group.examples.push(Example { place: plain(place), conversation, call, difference });
            }
        }
    }

    /// The group of such a difference.
    fn group(&mut self, kind: &str, (counterfactual, uncertain): (bool, bool), difference: &Difference) -> &mut Group {
        let (rank, hook) = (difference.rank(), hook(difference).map(str::to_owned));
        let flip = if let Difference::Verdict { flip, .. } = difference { Some(flip.clone()) } else { None };
        let is_alike = |group: &Group| {
            let of_one_sort = (group.counterfactual, group.uncertain) == (counterfactual, uncertain);
            of_one_sort && group.rank == rank && group.flip == flip && group.kind == kind && group.hook == hook
        };
        let mut title = plain(&title(difference));
        let is_known = self.groups.iter().any(|group| is_alike(group) && group.title == title);
        if !is_known && self.groups.iter().filter(|group| is_alike(group)).count() >= DISTINCT {
            title = flip.as_ref().map_or_else(|| "other".to_owned(), |flip| format!("{flip}: for other reasons"));
        }
        let at = self.groups.iter().position(|group| is_alike(group) && group.title == title).unwrap_or_else(|| {
            let kind = kind.to_owned();
            let (count, places, examples) = (0, Vec::new(), Vec::new());
            self.groups.push(Group {
                kind,
                title,
                hook,
                flip,
                counterfactual,
                uncertain,
                count,
                places,
                examples,
                rank,
            });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    /// Counts a line that contains nothing for hooks.
    pub(crate) fn foreign(&mut self, what: &str) {
        let what = plain(what);
        let is_known = self.other.contains_key(&what) || self.other.len() < DISTINCT;
        *self.other.entry(if is_known { what } else { "of other types".to_owned() }).or_default() += 1;
    }

    /// Notes a line that is not compared.
    pub(crate) fn leave_out(&mut self, place: &str) {
        self.left_out.push(plain(place));
    }

    /// Adds an error.
    pub(crate) fn fail(&mut self, place: &str, problem: &dyn std::fmt::Display) {
        self.failed += 1;
        if self.problems.len() < PROBLEMS {
            self.problems.push(plain(&format!("{place}: {problem}")));
        }
    }

    /// Notes a hook with its kinds. With `recorded`, only those kinds were tried.
    pub(crate) fn tries(&mut self, hook: &str, kinds: &BTreeSet<&str>, recorded: Option<&BTreeSet<String>>) {
        let is_missing = |kind: &&&str| recorded.is_some_and(|recorded| !recorded.contains(**kind));
        let missing: Vec<String> = kinds.iter().filter(is_missing).map(|kind| (*kind).to_owned()).collect();
        self.tried |= missing.len() < kinds.len();
        if !missing.is_empty() {
            self.not_compared.insert(hook.to_owned(), missing);
        }
    }

    /// Notes which hooks were skipped by their filters that the recording does not have.
    pub(crate) fn filtered(&mut self, recorded: &[RunLine], replayed: &[RunLine]) {
        for run in replayed.iter().filter(|run| find(recorded, &run.hook).is_none()) {
            if !is_filtered(run) {
                self.ran_for_some.insert(run.hook.clone());
            } else if let Some(count) = self.ran_for_none.get_mut(&run.hook) {
                *count += 1;
            } else {
                self.ran_for_none.insert(run.hook.clone(), 1);
            }
        }
    }

    /// Adds the durations of the hooks of a dispatch.
    pub(crate) fn time(&mut self, recorded: &[RunLine], replayed: &[RunLine]) {
        for run in replayed {
            let before = find(recorded, &run.hook).and_then(|run| run.micros);
            let (Some(before), Some(now)) = (before, run.micros) else { continue };
            let times = self.times.entry(run.hook.clone()).or_default();
            if times.recorded.len() < SAMPLES {
                times.recorded.push(before);
                times.replayed.push(now);
            }
        }
    }

    /// Sorts by importance.
    pub(crate) fn sort(&mut self) {
        self.ran_for_none.retain(|hook, _| !self.ran_for_some.contains(hook));
        let median = |mut times: Vec<u64>| {
            times.sort_unstable();
            times.get(times.len() / 2).copied().unwrap_or_default()
        };
        for (hook, times) in std::mem::take(&mut self.times) {
            let enough = times.recorded.len() >= FEWEST;
            let (recorded, replayed) = (median(times.recorded), median(times.replayed));
            if enough && replayed > 2 * recorded && replayed - recorded >= 1_000 {
                self.slower.push(Slower { hook, recorded, replayed });
            }
        }
        self.slower.sort_by(|a, b| a.hook.cmp(&b.hook));
        self.groups.sort_by(|a, b| {
            let sort = |group: &Group| (group.uncertain, group.counterfactual, group.rank);
            (sort(a), b.count, &a.kind, &a.title).cmp(&(sort(b), a.count, &b.kind, &b.title))
        });
    }
}

impl Group {
    /// Whether it changes the behaviour of the agent.
    pub(crate) fn is_flip(&self) -> bool {
        self.decides() && !self.counterfactual
    }

    /// Whether a decision certainly differs.
    fn decides(&self) -> bool {
        self.rank <= 1 && !self.uncertain
    }

    /// What has to be known about its differences.
    fn aside(&self) -> &'static str {
        match (self.counterfactual, self.uncertain) {
            (false, false) => "",
            (true, false) => ", after the turn diverged",
            (false, true) => ", perhaps only because the recording is incomplete",
            (true, true) => ", after the turn diverged, and perhaps only because the recording is incomplete",
        }
    }

    /// Whether it says only that the lists of hooks differ.
    fn is_of_list(&self) -> bool {
        self.examples.first().is_some_and(|example| example.difference.is_of_list())
    }

    /// The hook that the replay does not have, if that is what differs.
    fn gone(&self) -> Option<&str> {
        let example = self.examples.first()?;
        if let Difference::Gone { hook } = &example.difference { Some(hook) } else { None }
    }
}

/// Removes characters that act on a terminal, turn a text around or cannot be seen, so that recorded text can neither control a
/// terminal nor begin a line.
pub(crate) fn plain(text: &str) -> String {
    let turns =
        |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}');
    let hides = |c| matches!(c, '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    text.replace(|c: char| c.is_control() || turns(c) || hides(c), " ")
}

/// The same line by line, for a text that is shown indented.
fn plain_lines(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

fn hook(difference: &Difference) -> Option<&str> {
    match difference {
        Difference::Verdict { hook, .. } | Difference::Rewrite { hook, .. } => hook.as_deref(),
        Difference::Status { hook, .. }
        | Difference::Added { hook }
        | Difference::Gone { hook }
        | Difference::Revised { hook } => Some(hook),
        Difference::Outcome { .. } | Difference::Order { .. } | Difference::Flow { .. } => None,
    }
}

fn title(difference: &Difference) -> String {
    match difference {
        Difference::Verdict { flip, reason: Some(reason), .. } => format!("{flip}: {reason}"),
        Difference::Verdict { flip, .. } => flip.to_string(),
        Difference::Rewrite { .. } => "rewrites differently".to_owned(),
        Difference::Outcome { recorded: None, replayed: Some(error) } => format!("fails now: {error}"),
        Difference::Outcome { recorded: Some(error), replayed: None } => format!("fails no longer: {error}"),
        Difference::Outcome { replayed, .. } => {
            format!("fails differently: {}", replayed.as_deref().unwrap_or_default())
        }
        Difference::Flow { recorded: Some(then), replayed: Some(now), .. } if then == now => {
            "has other data".to_owned()
        }
        Difference::Flow { recorded, replayed, .. } => {
            let word = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
            format!("diverges: {} → {}", word(recorded), word(replayed))
        }
        Difference::Status { recorded, replayed, .. } if recorded == replayed => format!("{recorded}, but differently"),
        Difference::Status { recorded, replayed, .. } => format!("{recorded} → {replayed}"),
        Difference::Revised { .. } => "has other options, filters, parameters or rules".to_owned(),
        Difference::Added { .. } => "was added".to_owned(),
        Difference::Gone { .. } => "was removed".to_owned(),
        Difference::Order { recorded, replayed } => format!("order: {} → {}", recorded.join(", "), replayed.join(", ")),
    }
}
