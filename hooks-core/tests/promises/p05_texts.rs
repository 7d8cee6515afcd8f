//! Promise 5: the text of a failure is one line without secrets, wherever it is shown.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::Violation;
use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use hook_sdk::hook::OnFailure;
use hook_sdk::plugin::Plugin;
use hook_sdk::record::{OnEnd, Record, RunEnd};
use hook_sdk::verdict::Diagnostic;
use hook_sdk::worker::Worker;
use tracing::field::{Field, Visit};
use tracing::span;
use tracing::{Event, Metadata, Subscriber};

use super::detached_support::*;
use super::support::*;

const TEXT: &str = "401:\n\tthe key sk-proj-0123456789abcdef is wrong";
const SHOWN: &str = "401:  the key [redacted] is wrong";

/// Collects each line that `tracing` receives, field by field.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Visit for Lines {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.lock().unwrap().push(format!("{}={value}", field.name()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.lock().unwrap().push(format!("{}={value:?}", field.name()));
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("hook_sdk")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[track_caller]
fn clean(place: &str, text: &str) {
    assert!(!text.contains("sk-proj"), "{place}: {text}");
    assert!(!text.contains(['\n', '\t', '\r']), "{place}: {text}");
}

/// A gate with a rule that quotes the value it rejects.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "quotes", subject = Trail, verdict = Permission, check = refuses)]
struct Quotes {}

fn refuses(_: &Trail, _: &Trail) -> Result<(), Violation> {
    Err(Violation::new(TEXT))
}

/// Each way of failing with a text of one's own.
fn failing() -> Vec<Hook> {
    let fails = |millis| Hook::at::<Quotes>("h").async_reader(move |_, _, _| later(millis, Err::<(), _>(TEXT)));
    let blocking = Hook::at::<Quotes>("h").blocking().reader(|_, _, _| Err::<(), _>(TEXT));
    vec![
        Hook::at::<Quotes>("h").reader(|_, _, _| Err::<(), _>(TEXT)),
        Hook::at::<Quotes>("h").reader(|_, _, _| -> () { panic!("{TEXT}") }),
        Hook::at::<Quotes>("h").writer(|_, _, trail| trail.0.push("x")),
        fails(0),
        fails(1),
        fails(1).fallback(&fails(1)),
        blocking,
    ]
}

struct Full;

impl BackgroundSink for Full {
    fn enqueue(&self, _: Job) -> Result<(), EnqueueError> {
        Err(EnqueueError::Failed(TEXT.to_owned()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_one_clean_line_in_reports_records_denials_errors_and_logs() {
    let lines = Lines::default();
    let _default = tracing::subscriber::set_default(lines.clone());
    for (row, hook) in failing().into_iter().enumerate() {
        for policy in [OnFailure::Continue, OnFailure::Deny, OnFailure::Required] {
            // Tests on other threads have no subscriber, and `tracing` caches their interest in a callsite. They may
            // also do so while the cache is rebuilt, so it is rebuilt more than once.
            tracing::callsite::rebuild_interest_cache();
            let (place, registry) = (format!("row {row}, {}", policy.as_str()), Registry::empty());
            registry.register(hook.clone().on_failure(policy)).unwrap();
            let heard: Arc<Mutex<Vec<String>>> = Arc::default();
            let into = Arc::clone(&heard);
            registry.observe(move |record: &Record| {
                into.lock().unwrap().extend(record.runs[0].cause.clone());
            });
            let set = registry.scope(&AgentDef::new("a").hooks(["h"]), None).unwrap();
            match set.fire(&cx(), &Quotes {}, Trail::default()).await {
                Ok(fired) => {
                    assert!(fired.report.failures[0].cause.contains(SHOWN), "{place}: {:?}", fired.report.failures);
                    clean(&place, &fired.report.failures[0].to_string());
                    clean(&place, &fired.report.record.as_ref().unwrap().runs[0].cause.clone().unwrap());
                    if let Some(denial) = fired.verdict.denial() {
                        clean(&place, denial.reason.as_str());
                    }
                }
                Err(error) => {
                    assert!(error.to_string().contains(SHOWN), "{place}: {error}");
                    clean(&place, &error.to_string());
                }
            }
            heard.lock().unwrap().iter().for_each(|cause| clean(&place, cause));
        }
    }
    let lines = lines.0.lock().unwrap();
    assert!(lines.iter().any(|line| line.contains(SHOWN)), "{lines:?}");
    lines.iter().for_each(|line| clean("log", line));
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_a_detached_run_a_queue_or_a_plugin_is_one_clean_line() {
    let lines = Lines::default();
    let _default = tracing::subscriber::set_default(lines.clone());
    // Tests on other threads have no subscriber, and `tracing` caches their interest in a callsite.
    tracing::callsite::rebuild_interest_cache();
    let detached = Hook::at::<SeenOften>("detached").detached(|_, _, ()| later(0, Err::<(), _>(TEXT)));
    let panics = Hook::at::<SeenOften>("panics").detached::<_, (), _>(|_, _, ()| panic!("{TEXT}"));
    let background = Hook::at::<SeenOften>("background").background(|_, _, ()| later(0, Err::<(), _>(TEXT)));
    let registry = registry([detached, panics, background.idempotent().retries(1)]);
    let causes: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&causes);
    registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
        into.lock().unwrap().extend(ended.run.cause.clone());
    }));
    Worker::new().start(&registry).unwrap();
    let ids = ["detached", "panics", "background"];
    let _ = scope(&registry, &ids).fire(&cx(), &SeenOften {}, ()).await.unwrap();
    registry.drain(Duration::from_secs(60)).await;
    assert_eq!(*causes.lock().unwrap(), vec![SHOWN; 4], "two detached runs and two attempts");

    registry.set_background(Full);
    let fired = scope(&registry, &["background"]).fire(&cx(), &SeenOften {}, ()).await.unwrap();
    assert!(fired.report.failures[0].cause.ends_with(SHOWN), "{:?}", fired.report.failures);

    let init = Hook::at::<Init>("init").reader(|_, _, ()| Err::<(), _>(TEXT));
    registry.install(Plugin::new("bad").hook(init)).unwrap();
    let failed = registry.start_plugins(&cx()).await.unwrap_err().to_string();
    assert!(failed.contains(SHOWN), "{failed}");
    clean("plugin", &failed);
    let set = scope(&registry, &[]);
    registry.audit([&set]).iter().for_each(|finding| clean("audit", &finding.to_string()));
    lines.0.lock().unwrap().iter().for_each(|line| clean("log", line));
}

/// Panics outside the call of a hook: in the drop of its future, and in an observer.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_drop_or_an_observer_is_one_clean_line() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("{TEXT}");
        }
    }
    let lines = Lines::default();
    let _default = tracing::subscriber::set_default(lines.clone());
    // Tests on other threads have no subscriber, and `tracing` caches their interest in a callsite.
    tracing::callsite::rebuild_interest_cache();
    let waits = Hook::at::<Step>("waits").async_reader(|_, _, _| {
        Box::pin(async {
            let _bomb = Bomb;
            std::future::pending::<()>().await;
        })
    });
    let registry = registry([waits]);
    registry.observe(|_: &Record| panic!("{TEXT}"));
    registry.observe(OnEnd(|_: &RunEnd, _: &Contributions| panic!("{TEXT}")));
    let detached = Hook::at::<SeenOften>("detached").detached(|_, _, ()| later(0, ()));
    registry.register(detached).unwrap();
    let event = step();
    let set = scope(&registry, &["waits", "detached"]);
    let cx = HookContext::new();
    let fired = tokio::time::timeout(Duration::from_millis(1), set.fire(&cx, &event, Trail::default())).await;
    assert!(fired.is_err());
    let _ = set.fire(&cx, &SeenOften {}, ()).await.unwrap();
    registry.drain(SOON).await;
    let lines = lines.0.lock().unwrap();
    let panics = lines.iter().filter(|line| line.starts_with("panic=")).count();
    assert!(panics >= 3, "{lines:?}");
    lines.iter().for_each(|line| clean("log", line));
}

#[tokio::test]
async fn an_unreadable_job_and_a_diagnostic_are_each_one_clean_line() {
    let registry = registry([background("note", |_, _| vec![])]);
    let sink = super::detached_support::Lines::default();
    registry.set_background(sink.clone());
    let _ = scope(&registry, &["note"]).fire(&cx(), &wind_down(), vec![]).await.unwrap();
    let mut job = sink.jobs().remove(0);
    job.event = serde_json::json!({ "number": TEXT });
    let error = registry.run_job(&HookContext::new(), &job).await.unwrap_err().to_string();
    clean("job", &error);
    clean("diagnostic", &Diagnostic::new("a.b", TEXT).to_string());
}
