//! Promise 4: if the code of an app's verdict panics, subject and verdict are as they were before that hook.

use hook_sdk::HookId;
use hook_sdk::record::Status;
use hook_sdk::scope::HookRef;
use hook_sdk::verdict::{Capabilities, Capability};

use super::support::*;

/// A sum of bids that panics at the place that a bid names.
#[derive(Clone, Debug, Default)]
struct Bids {
    sum: u32,
    panics: &'static str,
}

impl Bids {
    fn of(sum: u32, panics: &'static str) -> Self {
        Self { sum, panics }
    }

    fn may_panic(&self, place: &str) {
        assert!(self.panics != place, "in {place}");
    }
}

impl From<()> for Bids {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl Verdict for Bids {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
    const CAPABILITIES: &'static [Capability] = &[Capability::Audit];

    fn merge(&mut self, later: Self) {
        self.sum += later.sum;
        later.may_panic("merge");
        if !later.panics.is_empty() {
            self.panics = later.panics;
        }
    }

    fn is_final(&self) -> bool {
        self.may_panic("is_final");
        false
    }

    fn subject_changed(&mut self) -> bool {
        self.sum = 0;
        self.may_panic("subject_changed");
        false
    }

    fn attribute(&mut self, _: &HookId) {
        self.may_panic("attribute");
    }

    fn lacks(&self, _: Capabilities) -> Option<Capability> {
        self.may_panic("lacks");
        None
    }

    fn summary(&self) -> Option<&'static str> {
        self.may_panic("summary");
        Some("bids")
    }
}

#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "bidding", subject = Trail, verdict = Bids)]
struct Bidding {
    panics: &'static str,
}

#[hook(id = "first", kind = Bidding)]
fn first(event: &Bidding, trail: &mut Trail) -> Bids {
    trail.0.push("first");
    // Merging this answer panics at the next change.
    Bids::of(7, if event.panics == "subject_changed" { "subject_changed" } else { "" })
}

#[hook(id = "bad", kind = Bidding)]
fn bad_read(event: &Bidding, _trail: &Trail) -> Bids {
    Bids::of(13, event.panics)
}

#[hook(id = "bad_lent", kind = Bidding)]
fn bad_lent(event: &Bidding, trail: &mut Trail) -> Bids {
    trail.0.push("bad");
    Bids::of(13, event.panics)
}

#[hook(id = "bad_owned", kind = Bidding)]
fn bad_owned(event: &Bidding, mut trail: Trail) -> (Trail, Bids) {
    trail.0.push("bad");
    (trail, Bids::of(13, event.panics))
}

#[hook(id = "last", kind = Bidding)]
fn last(_trail: &Trail) -> Bids {
    Bids::of(1, "")
}

/// With annotated functions: in lanes without a listener, and step by step with one.
fn annotated() -> Vec<Vec<HookRef>> {
    [hooks![bad_read], hooks![bad_lent], hooks![bad_owned]]
        .into_iter()
        .map(|bad| hooks![first].into_iter().chain(bad).chain(hooks![last]).collect())
        .collect()
}

/// With hooks built as values, which run one after the other: each form, at once and after waiting.
fn values() -> Vec<Hook> {
    let async_read =
        |millis| Hook::at::<Bidding>("bad").async_reader(move |_, event, _| later(millis, Bids::of(13, event.panics)));
    let async_own = |millis| {
        Hook::at::<Bidding>("bad").async_replacer(move |_, event, mut trail: Trail| {
            trail.0.push("bad");
            later(millis, (trail, Bids::of(13, event.panics)))
        })
    };
    let halts = Hook::at::<Bidding>("bad").replacer(|_, _, mut trail: Trail| {
        trail.0.push("bad");
        (trail, Halt::new("enough"))
    });
    let pool = Hook::at::<Bidding>("bad").blocking();
    vec![
        Hook::at::<Bidding>("bad").reader(|_, event, _| Bids::of(13, event.panics)),
        async_read(0),
        async_read(2),
        async_own(0),
        async_own(2),
        halts,
        pool.writer(|_, event, trail| {
            trail.0.push("bad");
            Bids::of(13, event.panics)
        }),
    ]
}

const PLACES: [&str; 6] = ["merge", "subject_changed", "is_final", "attribute", "lacks", "summary"];

async fn check(set: &HookSet, place: &'static str, what: &str) {
    for cx in [HookContext::new(), cx()] {
        let fired = set.fire(&cx, &Bidding { panics: place }, Trail::default()).await.unwrap();
        assert_eq!(fired.subject.0, ["first"], "{what}, {place}: the subject");
        assert_eq!(fired.verdict.sum, 8, "{what}, {place}: the verdict");
        let failed: Vec<_> = fired.report.failures.iter().map(|failure| failure.cause.as_str()).collect();
        assert_eq!(failed, [format!("in {place}")], "{what}");
        let Some(record) = fired.report.record.clone() else { continue };
        let bad = record.runs.iter().find(|run| run.hook.as_str().starts_with("bad")).unwrap();
        assert_eq!((bad.status, bad.changed, bad.verdict), (Status::Panicked, false, None), "{what}, {place}");
        assert!(record.runs.iter().all(|run| run.note.is_none()), "{what}, {place}: {record:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn if_a_verdict_panics_its_hook_leaves_neither_a_change_nor_a_partial_verdict() {
    for place in PLACES {
        for list in annotated() {
            let what = format!("{list:?}");
            // A reader changes nothing, and `lacks` is only called for hooks with `capabilities`.
            if place == "lacks" || (place == "subject_changed" && what.contains("bad_read")) {
                continue;
            }
            let registry = Registry::empty().with(list.iter().copied()).unwrap();
            check(&registry.scope(&AgentDef::new("a").hooks(list), None).unwrap(), place, &what).await;
        }
        for (row, bad) in values().into_iter().enumerate() {
            let (reads, halts) = (row <= 2, row == 5);
            if (place == "subject_changed" && reads) || (halts && place != "subject_changed") {
                continue;
            }
            let registry = Registry::empty().with(hooks![first, last]).unwrap();
            registry.register(bad.priority(0).capabilities([Capability::Audit])).unwrap();
            let waits = Hook::at::<Bidding>("waits").async_reader(|_, _, _| later(1, ()));
            registry.register(waits).unwrap();
            let agent = AgentDef::new("a").hooks(["first", "waits", "bad", "last"]);
            check(&registry.scope(&agent, None).unwrap(), place, &format!("value {row}")).await;
        }
    }
}

/// A panicking change does not mark an earlier allow as outdated.
#[test]
fn the_note_on_an_earlier_hook_is_reverted_too() {
    #[derive(Clone, Debug, PartialEq)]
    enum Vote {
        Nothing,
        Yes,
        Bad,
    }
    impl From<()> for Vote {
        fn from((): ()) -> Self {
            Self::Nothing
        }
    }
    impl Verdict for Vote {
        const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
        fn merge(&mut self, later: Self) {
            assert!(later != Self::Bad, "in merge");
            if later != Self::Nothing {
                *self = later;
            }
        }
        fn subject_changed(&mut self) -> bool {
            std::mem::replace(self, Self::Nothing) == Self::Yes
        }
        fn summary(&self) -> Option<&'static str> {
            (*self == Self::Yes).then_some("yes")
        }
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "voting", subject = Trail, verdict = Vote)]
    struct Voting {}

    let yes = Hook::at::<Voting>("yes").reader(|_, _, _| Vote::Yes).priority(-1);
    let bad = Hook::at::<Voting>("bad").writer(|_, _, trail| {
        trail.0.push("bad");
        Vote::Bad
    });
    let fired = set([yes, bad]).fire_blocking(&cx(), &Voting {}, Trail::default()).unwrap();
    assert_eq!((fired.verdict, fired.subject.0.len()), (Vote::Yes, 0));
    let record = fired.report.record.clone().unwrap();
    assert_eq!(record.runs.iter().map(|run| run.note).collect::<Vec<_>>(), [None, None]);
}

/// The fallback answers whenever the answer of its hook came, at once or later.
#[tokio::test(start_paused = true)]
async fn if_merging_panics_the_fallback_answers() {
    for (of_hook, of_fallback) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
        let bad = Hook::at::<Bidding>("bad").async_reader(move |_, _, _| later(of_hook, Bids::of(13, "merge")));
        let good = Hook::at::<Bidding>("good").async_reader(move |_, _, _| later(of_fallback, Bids::of(5, "")));
        let waits = Hook::at::<Bidding>("waits").async_reader(|_, _, _| later(1, ()));
        let after = Hook::at::<Bidding>("after").reader(|_, _, _| Bids::of(1, ""));
        let set = set([waits, bad.fallback(&good), after]);
        let fired = set.fire(&cx(), &Bidding { panics: "" }, Trail::default()).await.unwrap();
        assert_eq!(fired.verdict.sum, 6, "{of_hook} {of_fallback}");
        let failures: Vec<_> = fired.report.failures.iter().map(|f| (f.hook.as_str(), f.fell_back)).collect();
        assert_eq!(failures, [("bad", true)], "{of_hook} {of_fallback}");
    }
}

/// A final verdict drops the readers after it. If merging it panics, the dropped readers count as failed.
#[tokio::test(start_paused = true)]
async fn readers_dropped_for_a_verdict_that_panics_have_failed() {
    #[derive(Clone, Debug)]
    struct Ruling {
        is_final: bool,
    }
    impl From<()> for Ruling {
        fn from((): ()) -> Self {
            Self { is_final: false }
        }
    }
    impl Verdict for Ruling {
        const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
        fn merge(&mut self, later: Self) {
            assert!(!later.is_final, "in merge");
        }
        fn is_final(&self) -> bool {
            self.is_final
        }
    }
    #[derive(Clone, Debug, HookKind)]
    #[hook_kind(name = "ruling", verdict = Ruling, match(topic))]
    struct Rule {
        topic: String,
    }

    let guard = || Hook::at::<Rule>("guard").async_reader(|_, _, ()| later(5, ()));
    let rules = || Hook::at::<Rule>("rules").async_reader(|_, _, ()| later(1, Ruling { is_final: true }));
    let of_rules = ("rules", "in merge");
    let of_guard = ("guard", "dropped because of an earlier hook's final verdict, which did not end the chain");
    let table = [
        (guard().on_failure(OnFailure::Required), Err("`guard`")),
        (guard().on_failure(OnFailure::Continue), Ok(vec![of_rules, of_guard])),
        // It would not have run.
        (guard().only("topic", "other").on_failure(OnFailure::Required), Ok(vec![of_rules])),
    ];
    for (guard, expected) in table {
        let set = set([rules().on_failure(OnFailure::Continue), guard]);
        let fired = set.fire(&cx(), &Rule { topic: "any".to_owned() }, ()).await;
        match (fired, expected) {
            (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{error}"),
            (Ok(fired), Ok(expected)) => {
                let failures = fired.report.failures.iter().map(|one| (one.hook.as_str(), one.cause.as_str()));
                assert_eq!(failures.collect::<Vec<_>>(), expected);
            }
            (fired, expected) => panic!("{fired:?}, {expected:?}"),
        }
    }
    // Each of the dropped guards counts.
    let second = Hook::at::<Rule>("second").async_reader(|_, _, ()| later(5, ())).on_failure(OnFailure::Required);
    let set = set([rules().on_failure(OnFailure::Continue), guard().on_failure(OnFailure::Continue), second]);
    let error = set.fire(&cx(), &Rule { topic: "any".to_owned() }, ()).await.unwrap_err();
    assert!(error.to_string().contains("`second`"), "{error}");
}
