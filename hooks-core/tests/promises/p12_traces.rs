//! What an observer of traces receives: the committed changes, and the reason if a dispatch has no outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::CancellationToken;
use hook_sdk::hook::HookMode;
use hook_sdk::record::{Observer, Record, Trace};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::support::*;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Notes(Vec<String>);

/// A verdict of an app that may panic when it is merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Opinion(Option<String>);

impl From<()> for Opinion {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl Verdict for Opinion {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Control);

    fn merge(&mut self, later: Self) {
        assert!(later.0.as_deref() != Some("broken"), "in merge");
        if later.0.is_some() {
            *self = later;
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "noted", subject = Notes, verdict = Opinion, json)]
struct Noted {
    #[serde(default)]
    pages: BTreeMap<u8, Odd>,
}

/// A value that cannot always be serialised.
#[derive(Clone, Debug, Deserialize)]
enum Odd {
    Fails,
    Panics,
}

impl Serialize for Odd {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fails => Err(serde::ser::Error::custom("no JSON")),
            Self::Panics => panic!("no JSON"),
        }
    }
}

#[derive(Clone, Default)]
struct Traces(Arc<Mutex<Vec<Trace>>>);

impl Observer for Traces {
    fn dispatched(&self, _: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        self.0.lock().unwrap().push(trace.clone());
    }
}

/// An observer of which every method panics.
struct Broken;

impl Observer for Broken {
    fn dispatched(&self, _: &Record) {
        panic!("no record")
    }

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, _: &Trace) {
        panic!("no trace")
    }
}

fn writes(id: &'static str, says: Option<&'static str>) -> Hook {
    Hook::at::<Noted>(id).writer(move |_, _, notes: &mut Notes| {
        notes.0.push(id.to_owned());
        Opinion(says.map(str::to_owned))
    })
}

/// The set of an agent with these hooks, and the traces of its dispatches. A second observer panics.
fn traced(hooks: Vec<Hook>) -> (HookSet, Traces) {
    let ids: Vec<String> = hooks.iter().map(|hook| hook.id().to_string()).collect();
    let (registry, traces) = (registry(hooks), Traces::default());
    registry.observe(Broken);
    registry.observe(traces.clone());
    (registry.scope(&AgentDef::new("x").hooks(ids), None).unwrap(), traces)
}

#[test]
fn a_trace_has_each_change_and_each_decision() {
    let (set, traces) = traced(vec![writes("a", None), writes("b", Some("fine"))]);
    let fired = set.fire_blocking(&cx(), &Noted::default(), Notes::default()).unwrap();
    assert_eq!(fired.subject, Notes(vec!["a".to_owned(), "b".to_owned()]));
    let traces = traces.0.lock().unwrap();
    let [trace] = &traces[..] else { panic!("{traces:?}") };
    assert_eq!((&*trace.event, &*trace.before), (&json!({"pages": {}}), &json!([])));
    let after: Vec<_> = trace.runs.iter().map(|run| run.after.as_deref().cloned()).collect();
    assert_eq!(after, [Some(json!(["a"])), Some(json!(["a", "b"]))]);
    assert_eq!((&*trace.runs[0].verdict, &*trace.runs[1].verdict), (&Value::Null, &json!("fine")));
    assert_eq!((&*trace.verdict, &trace.error), (&json!("fine"), &None));
}

#[test]
fn a_change_that_was_reverted_is_not_in_the_trace() {
    let (set, traces) = traced(vec![writes("a", None), writes("b", Some("broken"))]);
    let fired = set.fire_blocking(&cx(), &Noted::default(), Notes::default()).unwrap();
    assert_eq!(fired.subject, Notes(vec!["a".to_owned()]));
    let traces = traces.0.lock().unwrap();
    let [trace] = &traces[..] else { panic!("{traces:?}") };
    let [first, second] = &trace.runs[..] else { panic!("{trace:?}") };
    assert_eq!((first.after.is_some(), &second.after, &*second.verdict), (true, &None, &Value::Null));
    assert_ne!(second.revision, 0, "a hook that changed nothing has a revision too");
    assert_eq!(trace.record.runs.iter().map(|run| run.changed).collect::<Vec<_>>(), [true, false]);
}

#[tokio::test(start_paused = true)]
async fn a_trace_says_why_there_is_no_outcome() {
    let fails =
        || Hook::at::<Noted>("fails").reader(|_, _, _| Err::<Opinion, _>("down")).on_failure(OnFailure::Required);
    let waits = || {
        Hook::at::<Noted>("waits").async_reader(|_, _, _| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Opinion::default()
            })
        })
    };
    let table: [(Hook, bool, &[&str]); 2] =
        [(fails(), false, &["`fails`", "down"]), (waits(), true, &["cancelled while `waits` was waiting"])];
    for (hook, cancels, words) in table {
        let (set, traces) = traced(vec![hook]);
        let cancel = CancellationToken::new();
        let cx = HookContext::builder().cancellation(cancel.clone()).build();
        let stop = async {
            if cancels {
                tokio::time::sleep(Duration::from_millis(1)).await;
                cancel.cancel();
            }
        };
        let noted = Noted::default();
        let (fired, ()) = tokio::join!(set.fire(&cx, &noted, Notes::default()), stop);
        assert!(fired.is_err(), "{words:?}");
        let traces = traces.0.lock().unwrap();
        let [trace] = &traces[..] else { panic!("{traces:?}") };
        let error = trace.error.as_deref().unwrap();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert_eq!(*trace.verdict, Value::Null);
    }
}

#[test]
fn a_payload_that_cannot_be_serialised_has_no_trace_and_the_dispatch_succeeds() {
    for odd in [Odd::Fails, Odd::Panics] {
        let (set, traces) = traced(vec![writes("a", Some("fine"))]);
        let noted = Noted { pages: BTreeMap::from([(1, odd)]) };
        let fired = set.fire_blocking(&cx(), &noted, Notes::default()).unwrap();
        assert_eq!((fired.subject.0.len(), fired.verdict.0.as_deref()), (1, Some("fine")));
        assert!(traces.0.lock().unwrap().is_empty());
    }
}

#[test]
fn a_revision_changes_with_the_options_of_a_hook() {
    let revision = |hook: Hook| {
        let (set, traces) = traced(vec![hook]);
        let _ = set.fire_blocking(&cx(), &Noted::default(), Notes::default()).unwrap();
        let traces = traces.0.lock().unwrap();
        traces[0].runs[0].revision
    };
    let hook = || writes("a", None);
    let (required, shadow) = (hook().on_failure(OnFailure::Required), hook().mode(HookMode::Shadow));
    let variants = [hook(), hook().priority(1), required, shadow, hook().version("2")];
    let revisions: BTreeSet<u64> = variants.map(revision).into();
    assert_eq!(revisions.len(), 5, "{revisions:?}");
    assert!(revisions.contains(&revision(hook())), "the revision is stable");
}

#[test]
fn a_trace_has_the_change_that_a_hook_in_shadow_would_have_made() {
    let (set, traces) = traced(vec![writes("a", None).mode(HookMode::Shadow), writes("b", None)]);
    let fired = set.fire_blocking(&cx(), &Noted::default(), Notes::default()).unwrap();
    assert_eq!(fired.subject, Notes(vec!["b".to_owned()]));
    let traces = traces.0.lock().unwrap();
    let after: Vec<_> = traces[0].runs.iter().map(|run| run.after.as_deref().cloned()).collect();
    assert_eq!(after, [Some(json!(["a"])), Some(json!(["b"]))]);
}

/// Serialising an event costs more than a dispatch.
#[test]
fn nothing_is_serialised_if_no_observer_wants_traces() {
    thread_local! {
        static WRITTEN: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }
    #[derive(Debug, Default, Deserialize)]
    struct Counted;
    impl Serialize for Counted {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            WRITTEN.set(WRITTEN.get() + 1);
            serializer.serialize_unit()
        }
    }
    #[derive(Debug, Default, Serialize, Deserialize, HookKind)]
    #[hook_kind(name = "counted", json)]
    struct Counts {
        #[serde(default)]
        field: Counted,
    }
    struct Unwilling;
    impl Observer for Unwilling {
        fn dispatched(&self, _: &Record) {}

        fn traced(&self, trace: &Trace) {
            panic!("{trace:?}")
        }
    }

    let registry = registry([Hook::at::<Counts>("reads").reader(|_, _, &()| ())]);
    registry.observe(Unwilling);
    let fire = |registry: &Registry| {
        let set = registry.scope(&AgentDef::new("x").hooks(["reads"]), None).unwrap();
        let _ = set.fire_blocking(&cx(), &Counts::default(), ()).unwrap();
        WRITTEN.get()
    };
    assert_eq!(fire(&registry), 0);
    registry.observe(Traces::default());
    assert_eq!(fire(&registry), 1);
}
