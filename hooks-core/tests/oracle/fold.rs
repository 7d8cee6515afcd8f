//! The outcome that docs/design.md promises for a dispatch, computed hook after hook. It uses no code of the crate
//! except the types of the outcome.

use hook_sdk::hook::OnFailure;
use hook_sdk::prelude::*;
use hook_sdk::record::{FailureKind, Note, Skip, Status};

use super::case::{Act, Case, Edit, Form, Move, Point, Role, Spec};
use super::hooks::{FORBIDDEN, answer};
use super::order::stages;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    Through,
    Removed(usize),
    Decided,
    Required(usize),
}

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) index: usize,
    pub(crate) status: Status,
    pub(crate) changed: bool,
    pub(crate) verdict: Option<&'static str>,
    pub(crate) note: Option<Note>,
}

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) subject: Vec<u8>,
    pub(crate) permission: Permission,
    /// The hook that asked, deferred or denied, and how it failed if that was not its decision.
    pub(crate) by: Option<(usize, Option<FailureKind>)>,
    pub(crate) halt: Option<usize>,
    pub(crate) failures: Vec<(usize, FailureKind)>,
    pub(crate) end: End,
    /// `None` if no hook is in force.
    pub(crate) runs: Option<Vec<Run>>,
    /// The detached runs that were started.
    pub(crate) started: Vec<Started>,
}

/// A detached run: the subject that it received, and how it ended.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) index: usize,
    pub(crate) given: Vec<u8>,
    pub(crate) status: Status,
}

/// The result of one hook for a given subject.
enum Alone {
    Failed(FailureKind),
    /// It took the subject, and what it made of it is lost.
    HaltsWithoutSubject,
    /// The subject that it leaves (`None` for readers), and what it does.
    Done(Option<Vec<u8>>, Then),
}

enum Then {
    Says(Permission),
    Halts,
    Removes,
}

fn alone(case: &Case, spec: &Spec, it: Move, subject: &[u8]) -> Alone {
    if it.act == Act::PanicAtCall && !(spec.filtered && spec.form.is_async()) {
        return Alone::Failed(FailureKind::Panicked);
    }
    if spec.form.is_async() && it.delay > 0 && spec.timeout.is_some_and(|timeout| it.delay > timeout) {
        return Alone::Failed(FailureKind::TimedOut);
    }
    // An async hook with `&mut` has the form of one that takes the subject, but returns what it was lent.
    let takes = matches!(spec.form, Form::Own | Form::OwnAsync) && spec.id != "g2";
    match it.act {
        Act::Fail => return Alone::Failed(FailureKind::Error),
        Act::Panic | Act::PanicAtCall => return Alone::Failed(FailureKind::Panicked),
        Act::HaltAsError if takes => return Alone::HaltsWithoutSubject,
        Act::HaltAsError | Act::Say(_) | Act::Remove => {}
    }
    let mut left = spec.form.writes().then(|| subject.to_vec());
    if let Some(left) = &mut left {
        match it.edit {
            Edit::Nothing | Edit::Same => {}
            Edit::Push(byte) => left.push(byte),
            Edit::Break => left.push(FORBIDDEN),
        }
    }
    let then = match spec.role {
        _ if it.act == Act::HaltAsError => Then::Halts,
        Role::Halts => Then::Halts,
        Role::Answers if case.point == Point::Step && takes && it.act == Act::Remove => Then::Removes,
        Role::Answers if case.point == Point::Gate => Then::Says(answer(it)),
        _ => Then::Says(Permission::NoOpinion),
    };
    Alone::Done(left, then)
}

fn rank(permission: &Permission) -> usize {
    match permission {
        Permission::Allow => 1,
        Permission::Ask(_) => 2,
        Permission::Defer(_) => 3,
        Permission::Deny(_) => 4,
        _ => 0,
    }
}

struct Fold<'a> {
    case: &'a Case,
    out: Outcome,
    runs: Vec<Run>,
}

impl Fold<'_> {
    /// Runs the hook, and its fallback if it fails.
    fn one(&mut self, index: usize, [it, instead]: [Move; 2]) {
        let spec = &self.case.specs[index];
        let has_failed = !matches!(alone(self.case, spec, it, &self.out.subject), Alone::HaltsWithoutSubject);
        let has_fallback = spec.fallback && has_failed;
        let (status, verdict) = match self.answer(index, it) {
            Ok(verdict) => (Status::Completed, verdict),
            Err(kind) => match has_fallback.then(|| self.answer(index, instead)) {
                Some(Ok(verdict)) => {
                    self.out.failures.push((index, kind));
                    self.last().note = Some(Note::FallbackAnswered);
                    (status(kind), verdict)
                }
                Some(Err(_)) | None => (self.failed(index, kind), None),
            },
        };
        let run = self.last();
        run.status = status;
        run.verdict = verdict;
    }

    /// Runs one function. Returns the word of its verdict, or how it failed.
    fn answer(&mut self, index: usize, it: Move) -> Result<Option<&'static str>, FailureKind> {
        match alone(self.case, &self.case.specs[index], it, &self.out.subject) {
            Alone::Failed(kind) => Err(kind),
            Alone::HaltsWithoutSubject => match policy(self.case, index) {
                OnFailure::Required => Err(FailureKind::Error),
                policy => {
                    self.halts(index);
                    if policy == OnFailure::Remove {
                        self.out.end = End::Removed(index);
                    }
                    Ok(Some("halt"))
                }
            },
            Alone::Done(_, Then::Removes) => {
                self.out.end = End::Removed(index);
                Ok(None)
            }
            Alone::Done(left, then) => self.commit(left).map(|()| self.then(index, then)),
        }
    }

    fn last(&mut self) -> &mut Run {
        self.runs.last_mut().expect("the run was begun")
    }

    fn commit(&mut self, left: Option<Vec<u8>>) -> Result<(), FailureKind> {
        let Some(left) = left.filter(|left| *left != self.out.subject) else { return Ok(()) };
        if matches!(self.out.permission, Permission::Ask(_) | Permission::Defer(_)) {
            self.last().note = Some(Note::SubjectFrozen);
            return Ok(());
        }
        if left.contains(&FORBIDDEN) {
            return Err(FailureKind::Violation);
        }
        self.out.subject = left;
        self.last().changed = true;
        if self.out.permission == Permission::Allow {
            self.out.permission = Permission::NoOpinion;
            for run in self.runs.iter_mut().filter(|run| run.verdict == Some("allow")) {
                run.note = Some(Note::AllowOutdated);
            }
        }
        Ok(())
    }

    fn then(&mut self, index: usize, then: Then) -> Option<&'static str> {
        match then {
            Then::Removes => None,
            Then::Halts => {
                self.halts(index);
                Some("halt")
            }
            Then::Says(answer) => {
                let word = answer.summary();
                if rank(&answer) == 4 {
                    self.out.end = End::Decided;
                }
                if rank(&answer) > rank(&self.out.permission) {
                    self.out.by = (rank(&answer) > 1).then_some((index, None));
                    self.out.permission = answer;
                }
                word
            }
        }
    }

    /// Ends the turn, which denies at a gate.
    fn halts(&mut self, index: usize) {
        self.out.halt.get_or_insert(index);
        if self.case.point == Point::Gate {
            self.out.end = End::Decided;
            self.out.by = Some((index, None));
            self.out.permission = Permission::deny("the turn ends");
        }
    }

    fn failed(&mut self, index: usize, kind: FailureKind) -> Status {
        self.out.failures.push((index, kind));
        match policy(self.case, index) {
            OnFailure::Remove => self.out.end = End::Removed(index),
            OnFailure::Required => self.out.end = End::Required(index),
            OnFailure::Deny => {
                self.out.end = End::Decided;
                self.out.by = Some((index, Some(kind)));
                self.out.permission = Permission::deny("could not answer");
            }
            _ => {}
        }
        status(kind)
    }

    /// Records that a detached run was started, which changes nothing else.
    fn started(&mut self, index: usize, [it, _]: [Move; 2]) {
        let status = match alone(self.case, &self.case.specs[index], it, &self.out.subject) {
            Alone::Failed(kind) => status(kind),
            Alone::HaltsWithoutSubject => Status::Failed,
            Alone::Done(..) if it.act == Act::HaltAsError => Status::Failed,
            Alone::Done(..) => Status::Completed,
        };
        self.out.started.push(Started { index, given: self.out.subject.clone(), status });
    }
}

fn status(kind: FailureKind) -> Status {
    match kind {
        FailureKind::Panicked => Status::Panicked,
        FailureKind::TimedOut => Status::TimedOut,
        _ => Status::Failed,
    }
}

fn policy(case: &Case, index: usize) -> OnFailure {
    let default = if case.point == Point::Gate { OnFailure::Deny } else { OnFailure::Continue };
    case.specs[index].policy.unwrap_or(default)
}

/// Whether a reader ends the chain before the next reader of its stage is called: it does so without waiting.
fn ends_at_once(case: &Case, index: usize, moves: &[Move]) -> bool {
    let spec = &case.specs[index];
    let [it, instead @ ..] = moves else { return policy(case, index) != OnFailure::Continue };
    let at_call = it.act == Act::PanicAtCall && !spec.filtered;
    if spec.form == Form::Detached || (spec.form.is_async() && it.delay > 0 && !at_call) {
        return false;
    }
    match alone(case, spec, *it, &[]) {
        Alone::Failed(_) => ends_at_once(case, index, if spec.fallback { instead } else { &[] }),
        Alone::Done(_, Then::Says(answer)) => rank(&answer) == 4,
        Alone::Done(_, Then::Removes) => true,
        Alone::Done(_, Then::Halts) | Alone::HaltsWithoutSubject => case.point == Point::Gate,
    }
}

pub(crate) fn fold(case: &Case, order: &[usize], round: usize) -> Outcome {
    let start = if case.point == Point::Event { vec![] } else { vec![round.try_into().unwrap_or(0)] };
    let out = Outcome {
        subject: start,
        permission: Permission::NoOpinion,
        by: None,
        halt: None,
        failures: Vec::new(),
        end: End::Through,
        runs: None,
        started: Vec::new(),
    };
    let stages = stages(case, order);
    let mut fold = Fold { case, out, runs: Vec::new() };
    let mut ended_in = None;
    // The stage in which no further hook is called.
    let mut closed = None;
    for (&index, &stage) in order.iter().zip(&stages) {
        let matches = !case.specs[index].filtered || Case::filters_match(round);
        let detached = case.specs[index].form == Form::Detached;
        let reached = fold.out.end == End::Through || ended_in == Some(stage);
        let status = match (fold.out.end, matches) {
            (_, false) => Status::Skipped(Skip::Filter),
            // It is started while other readers of its stage still wait, whatever their results are.
            _ if detached && reached && closed != Some(stage) => Status::Detached,
            (End::Through, true) => Status::Completed,
            _ if ended_in == Some(stage) => Status::Cancelled,
            (End::Removed(_), _) => Status::Skipped(Skip::Removed),
            (End::Decided, _) => Status::Skipped(Skip::Decided),
            (End::Required(_), _) => Status::Skipped(Skip::Aborted),
        };
        fold.runs.push(Run { index, status, changed: false, verdict: None, note: None });
        if status == Status::Detached {
            fold.started(index, case.moves[round][index]);
        }
        if matches && reached && ends_at_once(case, index, &case.moves[round][index]) {
            closed = Some(stage);
        }
        if status == Status::Completed {
            fold.one(index, case.moves[round][index]);
            if fold.out.end != End::Through {
                ended_in = Some(stage);
            }
        }
    }
    fold.out.runs = (!fold.runs.is_empty()).then_some(fold.runs);
    fold.out
}
