//! What a replay came to: differences in groups, the ones that matter most first.

mod github;
mod html;
mod text;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::Value;

use crate::compare::{Difference, Flip, find};
use crate::line::{DispatchLine, RunLine};

/// How many examples a group keeps.
const EXAMPLES: usize = 3;

/// How many groups a hook has of one sort at a kind, and how many types of lines are told apart: reasons may name ids.
const DISTINCT: usize = 20;

/// How many runs of a hook its median is of, at most and at least.
const SAMPLES: usize = 1024;
const FEWEST: usize = 10;

/// How many reasons for lines that could not be replayed are kept.
const PROBLEMS: usize = 20;

/// What a replay came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Dispatches that were replayed.
    pub replayed: usize,
    /// Dispatches of which the recording has no whole line, because a text was cut or a secret removed: what was replayed is
    /// what the recording has.
    pub partly: usize,
    /// Dispatches that a hook decided or changed which is not replayed: what they came to without it was not compared.
    pub unanswered: usize,
    /// Turns that were replayed.
    pub turns: usize,
    /// Turns that went another way than the recorded ones.
    pub diverged: usize,
    /// Dispatches within another one, which are replayed with it.
    pub nested: usize,
    /// Hooks that a replay does not start, since they would outlive it, and how often they were due.
    pub not_started: BTreeMap<String, usize>,
    /// Lines of another program's traffic that hold nothing a hook sees, by their type.
    pub other: BTreeMap<String, usize>,
    /// The differences, grouped.
    pub groups: Vec<Group>,
    /// Lines and dispatches that could not be replayed.
    pub failed: usize,
    /// Why, for the first of them; `failed` says how many there are.
    pub problems: Vec<String>,
    /// Dispatches that differ.
    pub differing: usize,
    /// Hooks that take more than twice as long, by the median of their runs. No difference: a machine may be busy.
    pub slower: Vec<Slower>,
    #[serde(skip)]
    times: HashMap<String, Times>,
}

/// A hook that takes longer than it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Slower {
    /// The hook.
    pub hook: String,
    /// The median of its recorded runs, in microseconds.
    pub recorded: u64,
    /// The median of today's runs, in microseconds.
    pub replayed: u64,
}

/// How long the first runs of a hook took, in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
struct Times {
    recorded: Vec<u64>,
    replayed: Vec<u64>,
}

/// Differences of one sort by one hook.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The kind.
    pub kind: String,
    /// What differs, in a line.
    pub title: String,
    /// The hook that is responsible.
    pub hook: Option<String>,
    /// Where the verdict flipped, how.
    pub flip: Option<Flip>,
    /// Whether it comes after a turn went another way: what the recording answered there, nobody was asked.
    pub counterfactual: bool,
    /// How often.
    pub count: usize,
    /// The first of them.
    pub examples: Vec<Example>,
    #[serde(skip)]
    rank: u8,
}

/// One dispatch that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Example {
    /// The file and the line, or what else names the place.
    pub place: String,
    /// The conversation, where it is known.
    pub conversation: Option<String>,
    /// The call of a tool that the dispatch is about.
    pub call: Option<ExampleCall>,
    /// The difference.
    #[serde(flatten)]
    pub difference: Difference,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExampleCall {
    /// The tool.
    pub tool: String,
    /// The call's id.
    pub id: String,
}

impl ExampleCall {
    /// The call that an event is about.
    fn of(event: &Value) -> Option<Self> {
        let text = |name: &str| Some(plain(event.get("call")?.get(name)?.as_str()?));
        Some(Self { tool: text("name")?, id: text("id")? })
    }
}

impl Report {
    /// Whether today's hooks do what the recorded ones did, and everything could be replayed.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.failed == 0
    }

    /// Whether a verdict or the end of a dispatch differs.
    pub fn has_flips(&self) -> bool {
        self.groups.iter().any(Group::is_flip)
    }

    /// For the end of a program: 2 where a verdict flipped; else 3 where something could not be replayed, or nothing was there
    /// to replay; else 1 where something differs; 0 where nothing does.
    pub fn exit_code(&self) -> u8 {
        match self {
            _ if self.has_flips() => 2,
            _ if self.failed > 0 || (self.replayed == 0 && self.turns == 0) => 3,
            _ if !self.groups.is_empty() => 1,
            _ => 0,
        }
    }

    /// Notes how a dispatch differs from the `recorded` one.
    pub(crate) fn add(&mut self, recorded: &DispatchLine, place: &str, differences: Vec<Difference>) {
        self.add_to(false, recorded, place, differences);
    }

    /// As [`add`](Self::add), where it may come after the turn went another way.
    pub(crate) fn add_to(
        &mut self,
        counterfactual: bool,
        recorded: &DispatchLine,
        place: &str,
        differences: Vec<Difference>,
    ) {
        self.differing += usize::from(!differences.is_empty());
        for difference in differences {
            let group = self.group(&recorded.kind, counterfactual, &difference);
            group.count += 1;
            if group.examples.len() < EXAMPLES {
                let conversation = recorded.ids.conversation.as_deref().map(plain);
                let call = ExampleCall::of(&recorded.event);
                group.examples.push(Example { place: plain(place), conversation, call, difference });
            }
        }
    }

    /// The group of such differences.
    fn group(&mut self, kind: &str, counterfactual: bool, difference: &Difference) -> &mut Group {
        let (rank, hook) = (difference.rank(), hook(difference).map(str::to_owned));
        let flip = if let Difference::Verdict { flip, .. } = difference { Some(flip.clone()) } else { None };
        let is_alike = |group: &Group| {
            let of_one_sort = group.counterfactual == counterfactual && group.rank == rank && group.flip == flip;
            of_one_sort && group.kind == kind && group.hook == hook
        };
        let mut title = plain(&title(difference));
        let is_known = self.groups.iter().any(|group| is_alike(group) && group.title == title);
        if !is_known && self.groups.iter().filter(|group| is_alike(group)).count() >= DISTINCT {
            title = flip.as_ref().map_or_else(|| "other".to_owned(), |flip| format!("{flip}: for other reasons"));
        }
        let at = self.groups.iter().position(|group| is_alike(group) && group.title == title).unwrap_or_else(|| {
            let kind = kind.to_owned();
            let (count, examples) = (0, Vec::new());
            self.groups.push(Group { kind, title, hook, flip, counterfactual, count, examples, rank });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    /// Notes a line that holds nothing a hook sees.
    pub(crate) fn foreign(&mut self, what: &str) {
        let what = plain(what);
        let is_known = self.other.contains_key(&what) || self.other.len() < DISTINCT;
        *self.other.entry(if is_known { what } else { "of other types".to_owned() }).or_default() += 1;
    }

    /// Notes something that could not be replayed.
    pub(crate) fn fail(&mut self, place: &str, problem: &dyn std::fmt::Display) {
        self.failed += 1;
        if self.problems.len() < PROBLEMS {
            self.problems.push(plain(&format!("{place}: {problem}")));
        }
    }

    /// Notes how long the hooks of one dispatch took.
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

    /// Puts what matters most first.
    pub(crate) fn sort(&mut self) {
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
            let sort = |group: &Group| (group.counterfactual, group.rank);
            (sort(a), b.count, &a.kind, &a.title).cmp(&(sort(b), a.count, &b.kind, &b.title))
        });
    }
}

impl Group {
    /// Whether it changes what the agent does.
    pub(crate) fn is_flip(&self) -> bool {
        self.rank <= 1 && !self.counterfactual
    }
}

/// What a hook, a person or a file says must neither steer a terminal nor begin a line of its own.
pub(crate) fn plain(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(|c: char| c.is_control() || turns(c), " ")
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
        Difference::Rewrite { .. } => "rewrites otherwise".to_owned(),
        Difference::Outcome { recorded: None, replayed: Some(error) } => format!("fails now: {error}"),
        Difference::Outcome { recorded: Some(error), replayed: None } => format!("fails no longer: {error}"),
        Difference::Outcome { replayed, .. } => {
            format!("fails otherwise: {}", replayed.as_deref().unwrap_or_default())
        }
        Difference::Flow { recorded: Some(then), replayed: Some(now), .. } if then == now => {
            "is given something else".to_owned()
        }
        Difference::Flow { recorded, replayed, .. } => {
            let word = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
            format!("goes another way: {} → {}", word(recorded), word(replayed))
        }
        Difference::Status { recorded, replayed, .. } => format!("{recorded} → {replayed}"),
        Difference::Revised { .. } => "has other options, filters or parameters".to_owned(),
        Difference::Added { .. } => "is new".to_owned(),
        Difference::Gone { .. } => "is gone".to_owned(),
        Difference::Order { recorded, replayed } => format!("order: {} → {}", recorded.join(", "), replayed.join(", ")),
    }
}
