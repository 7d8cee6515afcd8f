//! `derive(Verdict)`: verdicts of an app, merged directly and in a dispatch.
#![allow(clippy::unwrap_used, clippy::ptr_arg)] // helpers of tests unwrap to assert

use std::collections::{BTreeMap, BTreeSet};

use hook_sdk::prelude::*;
use hook_sdk::record::{FailureKind, Note};
use hook_sdk::scope::HookRef;
use hook_sdk::verdict::{Cause, Denial};
use hook_sdk::{HookId, kinds};

/// A verdict of a gate whose variants have every option.
#[derive(Clone, Debug, PartialEq, Verdict)]
enum Review {
    #[verdict(neutral)]
    NoOpinion,
    #[verdict(lapses)]
    Pass,
    Look(#[verdict(joined)] Vec<String>, u8),
    #[verdict(freezes)]
    AskFirst {
        why: String,
        #[verdict(by)]
        by: Option<HookId>,
    },
    #[verdict(final)]
    Park,
    #[verdict(deny)]
    Refuse(#[verdict(by)] Box<Denial>),
}

fn look(texts: &[&str], weight: u8) -> Review {
    Review::Look(texts.iter().map(ToString::to_string).collect(), weight)
}

fn ask(why: &str) -> Review {
    Review::AskFirst { why: why.into(), by: None }
}

fn refuse(why: &str) -> Review {
    Review::Refuse(Box::new(Denial::new(why)))
}

fn merged<V: Verdict>(answers: impl IntoIterator<Item = V>) -> V {
    let mut all = V::from(());
    for answer in answers {
        all.merge(answer);
    }
    all
}

#[test]
fn the_strongest_variant_wins_and_the_first_of_equal_ones() {
    use Review::{NoOpinion, Park, Pass};
    let table = [
        (vec![], NoOpinion),
        (vec![NoOpinion, Pass, NoOpinion], Pass),
        (vec![look(&["a"], 1), Pass], look(&["a"], 1)),
        // If both variants are the same, fields with a rule are merged. The other fields keep the first value.
        (vec![look(&["a"], 1), NoOpinion, look(&["b", "c"], 2)], look(&["a", "b", "c"], 1)),
        (vec![look(&["a"], 1), ask("x"), look(&["b"], 2)], ask("x")),
        (vec![ask("x"), ask("y")], ask("x")),
        (vec![ask("x"), Park], Park),
        (vec![refuse("no"), Park, refuse("never")], refuse("no")),
    ];
    for (answers, expected) in table {
        assert_eq!(merged(answers.clone()), expected, "{answers:?}");
    }
}

#[test]
fn a_variant_has_the_properties_that_its_options_declare() {
    use Review::{NoOpinion, Park, Pass};
    // Whether it is silent, is final, freezes the subject and lapses, and its word in records.
    let table = [
        (NoOpinion, [true, false, false, false], None),
        (Pass, [false, false, false, true], Some("pass")),
        (look(&[], 0), [false, false, false, false], Some("look")),
        (ask("x"), [false, false, true, false], Some("ask first")),
        (Park, [false, true, false, false], Some("park")),
        (refuse("no"), [false, true, false, false], Some("refuse")),
    ];
    for (answer, properties, word) in table {
        let mut after = answer.clone();
        let lapses = after.subject_changed();
        assert_eq!([answer.is_silent(), answer.is_final(), answer.freezes_subject(), lapses], properties, "{answer:?}");
        assert_eq!(after, if lapses { NoOpinion } else { answer.clone() });
        assert_eq!(answer.summary(), word);
    }
    assert_eq!(Review::default(), NoOpinion);
}

/// The values for `Prepared` in a form that is short in a table.
#[derive(Clone, Debug, Default, PartialEq)]
struct Given {
    model: Option<&'static str>,
    note: &'static str,
    context: &'static str,
    texts: Vec<u8>,
    environment: Vec<(&'static str, u8)>,
    tools: Option<Vec<&'static str>>,
    groups: Option<Vec<u8>>,
    cancel: bool,
    most: Option<i8>,
    least: Option<i8>,
}

#[derive(Clone, Debug, PartialEq, Verdict)]
struct Prepared {
    #[verdict(first)]
    model: Option<String>,
    #[verdict(last)]
    note: String,
    #[verdict(joined)]
    context: Option<String>,
    #[verdict(joined)]
    texts: Vec<u8>,
    #[verdict(joined)]
    environment: BTreeMap<String, u8>,
    #[verdict(intersected)]
    tools: Option<Vec<String>>,
    #[verdict(intersected)]
    groups: Option<BTreeSet<u8>>,
    #[verdict(any, final)]
    cancel: bool,
    #[verdict(max)]
    most: Option<i8>,
    #[verdict(min)]
    least: Option<i8>,
}

impl From<Given> for Prepared {
    fn from(given: Given) -> Self {
        Self {
            model: given.model.map(str::to_owned),
            note: given.note.to_owned(),
            context: (!given.context.is_empty()).then(|| given.context.to_owned()),
            texts: given.texts,
            environment: given.environment.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            tools: given.tools.map(|tools| tools.into_iter().map(str::to_owned).collect()),
            groups: given.groups.map(|groups| groups.into_iter().collect()),
            cancel: given.cancel,
            most: given.most,
            least: given.least,
        }
    }
}

#[test]
fn each_field_of_a_struct_is_merged_by_its_rule() {
    let none = Given::default;
    // The first answer, the second answer, and the merged one.
    let table = [
        (none(), none(), none()),
        (
            Given { model: Some("a"), ..none() },
            Given { model: Some("b"), ..none() },
            Given { model: Some("a"), ..none() },
        ),
        (none(), Given { model: Some("b"), ..none() }, Given { model: Some("b"), ..none() }),
        (Given { note: "a", ..none() }, Given { note: "b", ..none() }, Given { note: "b", ..none() }),
        (Given { note: "a", ..none() }, none(), Given { note: "a", ..none() }),
        (Given { context: "a", ..none() }, Given { context: "b", ..none() }, Given { context: "a\n\nb", ..none() }),
        (none(), Given { context: "b", ..none() }, Given { context: "b", ..none() }),
        (
            Given { texts: vec![1], ..none() },
            Given { texts: vec![2, 1], ..none() },
            Given { texts: vec![1, 2, 1], ..none() },
        ),
        (
            Given { environment: vec![("A", 1), ("B", 1)], ..none() },
            Given { environment: vec![("B", 2)], ..none() },
            Given { environment: vec![("A", 1), ("B", 2)], ..none() },
        ),
        (
            Given { tools: Some(vec!["read", "write"]), ..none() },
            Given { tools: Some(vec!["run", "write"]), ..none() },
            Given { tools: Some(vec!["write"]), ..none() },
        ),
        (
            Given { tools: Some(vec![]), ..none() },
            Given { tools: Some(vec!["run"]), ..none() },
            Given { tools: Some(vec![]), ..none() },
        ),
        (none(), Given { tools: Some(vec!["run"]), ..none() }, Given { tools: Some(vec!["run"]), ..none() }),
        (
            Given { groups: Some(vec![1, 2]), ..none() },
            Given { groups: Some(vec![2, 3]), ..none() },
            Given { groups: Some(vec![2]), ..none() },
        ),
        (Given { cancel: true, ..none() }, none(), Given { cancel: true, ..none() }),
        (none(), Given { cancel: true, ..none() }, Given { cancel: true, ..none() }),
        (Given { most: Some(-5), ..none() }, Given { most: Some(-7), ..none() }, Given { most: Some(-5), ..none() }),
        (Given { least: Some(5), ..none() }, Given { least: Some(-7), ..none() }, Given { least: Some(-7), ..none() }),
        (Given { least: Some(5), ..none() }, none(), Given { least: Some(5), ..none() }),
    ];
    for (first, second, expected) in table {
        let text = format!("{first:?} and {second:?}");
        let silent = first == none();
        assert_eq!(Prepared::from(first.clone()).is_silent(), silent, "{text}");
        assert_eq!(Prepared::from(first.clone()).is_final(), first.cancel, "{text}");
        assert_eq!(merged([Prepared::from(first), Prepared::from(second)]), Prepared::from(expected), "{text}");
    }
    assert_eq!(Prepared::from(Given { cancel: true, ..none() }).summary(), Some("cancel"));
    assert_eq!(Prepared::from(none()).summary(), None);
}

/// A permission with findings.
#[derive(Clone, Debug, PartialEq, Verdict)]
struct Inspected {
    #[verdict(nested)]
    permission: Permission,
    #[verdict(joined)]
    findings: Vec<String>,
    #[verdict(by)]
    by: Option<HookId>,
}

/// A verdict that contributes.
#[derive(Clone, Debug, PartialEq, Verdict)]
#[verdict(contribute)]
struct Notes(#[verdict(joined)] Vec<String>);

macro_rules! event {
    ($event:ident, $name:literal, $verdict:ty) => {
        #[derive(Debug, HookKind)]
        #[hook_kind(name = $name, subject = String, verdict = $verdict)]
        struct $event;
    };
}

event!(BeforeReview, "before_review", Review);
event!(BeforeInspection, "before_inspection", Inspected);
event!(BeforePrepared, "before_prepared", Prepared);
event!(BeforeNotes, "before_notes", Notes);

#[test]
fn the_semantics_of_a_kind_follow_from_its_verdict() {
    assert_eq!(BeforeReview::SEMANTICS, Semantics::Gate);
    assert_eq!(BeforeInspection::SEMANTICS, Semantics::Gate, "it contains a permission");
    assert_eq!(BeforePrepared::SEMANTICS, Semantics::Control);
    assert_eq!(BeforeNotes::SEMANTICS, Semantics::Contribute);
    let known = |name| kinds::all().into_iter().find(|kind| kind.name == name).unwrap().on_failure;
    assert_eq!((known("before_review"), known("before_notes")), (OnFailure::Deny, OnFailure::Continue));
}

#[hook(id = "passes", kind = BeforeReview, priority = -1)]
fn passes() -> Review {
    Review::Pass
}

#[hook(id = "rewrites", kind = BeforeReview)]
fn rewrites(text: &mut String) {
    text.push('!');
}

#[hook(id = "asks", kind = BeforeReview, priority = -1)]
fn asks() -> Review {
    ask("who pays?")
}

#[hook(id = "parks", kind = BeforeReview, priority = -2)]
fn parks() -> Review {
    Review::Park
}

#[hook(id = "refuses", kind = BeforeReview, priority = 1)]
fn refuses() -> Review {
    refuse("never")
}

#[hook(id = "breaks", kind = BeforeReview, priority = 1)]
fn breaks() -> Result<Review, String> {
    Err("the list is gone".into())
}

fn fire<K: HookKind<Subject = String>, const N: usize>(hooks: [HookRef; N], event: &K) -> Fired<K> {
    let registry = Registry::empty().with(hooks).unwrap();
    let set = registry.scope(&AgentDef::new("agent").hooks(hooks), None).unwrap();
    let cx = HookContext::builder().keep_records(true).build();
    set.fire_blocking(&cx, event, "draft".to_owned()).unwrap()
}

#[test]
fn a_gate_with_a_verdict_of_the_app_keeps_the_promises_of_gates() {
    let lapsed = fire(hooks![passes, rewrites], &BeforeReview);
    assert_eq!((lapsed.verdict, lapsed.subject.as_str()), (Review::NoOpinion, "draft!"));
    assert_eq!(lapsed.report.record.as_ref().unwrap().runs[0].note, Some(Note::AllowOutdated));

    let frozen = fire(hooks![asks, rewrites], &BeforeReview);
    let Review::AskFirst { by, .. } = &frozen.verdict else { unreachable!("{frozen:?}") };
    assert_eq!((by.as_ref().unwrap().as_str(), frozen.subject.as_str()), ("asks", "draft"));

    let parked = fire(hooks![parks, refuses], &BeforeReview);
    assert_eq!(parked.verdict, Review::Park, "the verdict is final");

    let refused = fire(hooks![refuses], &BeforeReview);
    let Review::Refuse(denial) = refused.verdict else { unreachable!() };
    assert_eq!((denial.cause, denial.by.unwrap().as_str()), (Cause::Policy, "refuses"));

    let failed = fire(hooks![breaks], &BeforeReview);
    let Review::Refuse(denial) = failed.verdict else { unreachable!() };
    assert_eq!((denial.cause, denial.by.unwrap().as_str()), (Cause::CouldNotAnswer(FailureKind::Error), "breaks"));
}

#[hook(id = "finds", kind = BeforeInspection, priority = -1)]
fn finds() -> Inspected {
    Inspected { findings: vec!["a".into()], ..().into() }
}

#[hook(id = "inspects", kind = BeforeInspection)]
fn inspects() -> Inspected {
    Inspected { permission: Permission::ask("really?"), findings: vec!["b".into()], by: None }
}

#[hook(id = "stumbles", kind = BeforeInspection, priority = 1)]
fn stumbles(text: &String) -> Inspected {
    assert!(text.is_empty(), "a text with something in it");
    ().into()
}

#[test]
fn a_permission_in_a_struct_decides_for_the_whole_verdict() {
    let asked = fire(hooks![finds, inspects], &BeforeInspection).verdict;
    assert!(
        matches!(asked.permission, Permission::Ask(question) if question.by.as_ref().unwrap().as_str() == "inspects")
    );
    assert_eq!(asked.findings, ["a", "b"]);
    assert_eq!(asked.by.unwrap().as_str(), "finds", "the first hook that is not silent");

    let failed = fire(hooks![finds, stumbles], &BeforeInspection).verdict;
    assert_eq!(failed.permission.denial().unwrap().cause, Cause::CouldNotAnswer(FailureKind::Panicked));
    assert_eq!(failed.findings, ["a"]);
}

/// A permission with notes, and the hook that decided.
#[derive(Clone, Debug, PartialEq, Verdict)]
struct Judged {
    #[verdict(nested)]
    permission: Permission,
    #[verdict(joined)]
    notes: Vec<String>,
    #[verdict(by = permission)]
    by: Option<HookId>,
}

event!(BeforeJudgement, "before_judgement", Judged);

#[hook(id = "notes", kind = BeforeJudgement, priority = -1)]
fn notes() -> Judged {
    Judged { notes: vec!["a".into()], ..().into() }
}

#[hook(id = "allows", kind = BeforeJudgement)]
fn allows() -> Judged {
    Judged { permission: Permission::Allow, ..().into() }
}

#[hook(id = "allows_too", kind = BeforeJudgement)]
fn allows_too() -> Judged {
    Judged { permission: Permission::Allow, ..().into() }
}

#[hook(id = "questions", kind = BeforeJudgement, priority = 2)]
fn questions() -> Judged {
    Judged { permission: Permission::ask("really?"), ..().into() }
}

#[hook(id = "edits", kind = BeforeJudgement, priority = 1)]
fn edits(text: &mut String) {
    text.push('!');
}

#[test]
fn by_names_the_hook_whose_decision_is_in_force() {
    let by = |judged: Judged| judged.by.map(|by| by.to_string());
    let of = |hook: &str| Some(hook.to_owned());
    assert_eq!(by(fire(hooks![notes], &BeforeJudgement).verdict), None, "a note decides nothing");
    assert_eq!(
        by(fire(hooks![notes, allows, allows_too], &BeforeJudgement).verdict),
        of("allows"),
        "the first of equals"
    );
    assert_eq!(by(fire(hooks![notes, allows, questions], &BeforeJudgement).verdict), of("questions"));
    assert_eq!(by(fire(hooks![allows, edits], &BeforeJudgement).verdict), None, "the allow has lapsed");
    assert_eq!(by(fire(hooks![allows, edits, questions], &BeforeJudgement).verdict), of("questions"));
}
