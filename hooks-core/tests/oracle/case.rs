//! Generates random sets of hooks, and what each of them does in each dispatch.

use hook_sdk::hook::OnFailure;
use proptest::prelude::*;

/// The maximum number of hooks in one set that are made as values. Functions with a filter come on top.
pub(crate) const VALUES: usize = 8;
pub(crate) const FILTERED: usize = 4;

const IDS: [&str; VALUES] = ["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Point {
    Gate,
    Step,
    Event,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Read,
    Lend,
    Own,
    ReadAsync,
    OwnAsync,
    /// A detached hook: it is started at its position, and the dispatch does not wait for it.
    Detached,
}

impl Form {
    pub(crate) fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::ReadAsync | Self::Detached)
    }

    pub(crate) fn is_async(self) -> bool {
        matches!(self, Self::ReadAsync | Self::OwnAsync | Self::Detached)
    }
}

/// What the signature can return: a verdict, nothing, or a halt in place of the verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    Answers,
    Silent,
    Halts,
}

/// The properties of a hook that are fixed when the set is made.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of a hook, as it has them")]
pub(crate) struct Spec {
    pub(crate) id: &'static str,
    pub(crate) form: Form,
    pub(crate) role: Role,
    pub(crate) priority: i32,
    pub(crate) after: Vec<usize>,
    pub(crate) before: Vec<usize>,
    pub(crate) requires: Vec<usize>,
    /// In milliseconds. `None` means no deadline.
    pub(crate) timeout: Option<u64>,
    pub(crate) policy: Option<OnFailure>,
    pub(crate) in_app: bool,
    pub(crate) filtered: bool,
    /// Whether the hook has a fallback, a function of the same form.
    pub(crate) fallback: bool,
    /// Whether the hook runs on the thread pool.
    pub(crate) blocking: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Act {
    Say(u8),
    Fail,
    Panic,
    PanicAtCall,
    HaltAsError,
    Remove,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Edit {
    Nothing,
    /// Writes without a change: removes a byte and puts it back.
    Same,
    Push(u8),
    /// Breaks the rule of the kind.
    Break,
}

/// What a hook does in one dispatch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) act: Act,
    pub(crate) edit: Edit,
    /// In milliseconds. With 0, the first poll completes.
    pub(crate) delay: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) point: Point,
    pub(crate) specs: Vec<Spec>,
    /// What each hook and its fallback do, by dispatch and hook.
    pub(crate) moves: Vec<Vec<[Move; 2]>>,
}

impl Case {
    /// Whether the filters match in this dispatch.
    pub(crate) fn filters_match(round: usize) -> bool {
        round % 2 == 0
    }
}

fn one_move() -> impl Strategy<Value = Move> {
    let act = prop_oneof![
        10 => (0_u8..10).prop_map(|answer| Act::Say(answer.saturating_sub(5).min(4))),
        2 => Just(Act::Fail),
        1 => Just(Act::Panic),
        1 => Just(Act::PanicAtCall),
        1 => Just(Act::HaltAsError),
        1 => Just(Act::Remove),
    ];
    let edit = prop_oneof![
        3 => Just(Edit::Nothing),
        1 => Just(Edit::Same),
        6 => (1_u8..200).prop_map(Edit::Push),
        1 => Just(Edit::Break),
    ];
    let delay = prop_oneof![2 => Just(0), 3 => 1_u64..9];
    (act, edit, delay).prop_map(|(act, edit, delay)| Move { act, edit, delay })
}

fn spec(point: Point) -> impl Strategy<Value = Spec> {
    let forms = match point {
        Point::Event => vec![Form::Read, Form::ReadAsync, Form::ReadAsync, Form::Detached],
        _ => vec![Form::Read, Form::ReadAsync, Form::ReadAsync, Form::Lend, Form::Own, Form::OwnAsync, Form::Detached],
    };
    let mut policies = vec![None, None, None, Some(OnFailure::Continue), Some(OnFailure::Required)];
    policies.extend(match point {
        Point::Gate => Some(Some(OnFailure::Deny)),
        Point::Step => Some(Some(OnFailure::Remove)),
        Point::Event => None,
    });
    let edges = || prop_oneof![5 => Just(Vec::new()), 2 => prop::collection::vec(0..VALUES + FILTERED, 1..3)];
    (
        prop::sample::select(forms),
        prop_oneof![6 => Just(Role::Answers), 2 => Just(Role::Silent), 1 => Just(Role::Halts)],
        prop_oneof![4 => Just(0), 2 => -2_i32..3],
        (edges(), edges(), edges()),
        prop_oneof![1 => Just(None), 2 => (1_u64..12).prop_map(Some)],
        prop::sample::select(policies),
        (prop::bool::weighted(0.2), prop::bool::weighted(0.3), prop::bool::weighted(0.15)),
    )
        .prop_map(
            |(form, role, priority, (after, before, requires), timeout, policy, (in_app, fallback, blocking))| Spec {
                id: "",
                form,
                // A detached hook answers nothing, and its failure changes nothing.
                role: if form == Form::Detached { Role::Silent } else { role },
                priority,
                after,
                before,
                requires,
                timeout,
                policy: policy.filter(|_| form != Form::Detached),
                in_app,
                filtered: false,
                fallback: fallback && form != Form::Detached,
                blocking: blocking && !form.is_async(),
            },
        )
}

/// The functions with a filter, declared in `filtered.rs`.
fn filtered(point: Point) -> Vec<Spec> {
    let forms = match point {
        Point::Gate => [("g0", Form::ReadAsync), ("g1", Form::Lend), ("g2", Form::OwnAsync), ("g3", Form::Read)],
        Point::Step => [("s0", Form::ReadAsync), ("s1", Form::Lend), ("s2", Form::OwnAsync), ("s3", Form::Read)],
        Point::Event => [("e0", Form::ReadAsync), ("e1", Form::Read), ("e2", Form::ReadAsync), ("e3", Form::Read)],
    };
    let spec = |(id, form)| Spec {
        id,
        form,
        role: Role::Answers,
        priority: 0,
        after: Vec::new(),
        before: Vec::new(),
        requires: Vec::new(),
        timeout: Some(30_000),
        policy: None,
        in_app: false,
        filtered: true,
        fallback: false,
        blocking: false,
    };
    forms.map(spec).into()
}

/// Keeps the edges that are allowed. In most cases, it also drops edges that would make a cycle.
fn joined(point: Point, mut values: Vec<Spec>, functions: &[bool], ranks: &[usize], loose: bool) -> Vec<Spec> {
    let chosen = filtered(point).into_iter().zip(functions).filter(|(_, chosen)| **chosen).map(|(spec, _)| spec);
    for (spec, id) in values.iter_mut().zip(IDS) {
        spec.id = id;
    }
    let at = values.len() / 2;
    values.splice(at..at, chosen);
    let count = values.len();
    let detached: Vec<bool> = values.iter().map(|spec| spec.form == Form::Detached).collect();
    let starts = detached.contains(&true);
    for (i, spec) in values.iter_mut().enumerate() {
        // A thread may or may not have finished at the first poll, so the outcome must not depend on what starts after
        // it.
        spec.blocking &= !starts;
        // Nothing can be ordered after a detached hook.
        let fits = |earlier: usize, later: usize| !detached[earlier] && (loose || ranks[earlier] < ranks[later]);
        spec.after.retain(|&other| other < count && fits(other, i));
        spec.requires.retain(|&other| other < count && fits(other, i));
        spec.before.retain(|&other| other < count && fits(i, other));
    }
    values
}

pub(crate) fn strategy(rounds: usize) -> impl Strategy<Value = Case> {
    let point = prop_oneof![3 => Just(Point::Gate), 3 => Just(Point::Step), 1 => Just(Point::Event)];
    let all = VALUES + FILTERED;
    point.prop_flat_map(move |point| {
        (
            prop::collection::vec(spec(point), 0..=VALUES),
            prop::collection::vec(prop::bool::weighted(0.3), FILTERED),
            Just((0..all).collect::<Vec<usize>>()).prop_shuffle(),
            prop::bool::weighted(0.05),
            prop::collection::vec(prop::collection::vec([one_move(), one_move()], all), rounds),
        )
            .prop_map(move |(values, functions, ranks, loose, moves)| Case {
                point,
                specs: joined(point, values, &functions, &ranks, loose),
                moves,
            })
    })
}
