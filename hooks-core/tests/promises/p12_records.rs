//! Promise 12: one record per dispatch of a kind that has hooks in force, with one run for each hook.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::hook::{OnFailure, Timeout};
use hook_sdk::record::{Record, Skip, Status};

use super::detached_support::SeenOften;
use super::support::*;

#[tokio::test(start_paused = true)]
async fn each_run_has_its_status_its_verdict_its_cause_and_whether_it_changed_the_subject() {
    let registry = registry([
        Hook::at::<Spend>("changes")
            .writer(|_, _, trail| {
                trail.0.push("x");
                Permission::Allow
            })
            .priority(-9),
        Hook::at::<Spend>("leaves").writer(|_, _, _| ()).priority(-8),
        Hook::at::<Spend>("panics")
            .reader::<_, (), _>(|_, _, _| panic!("oh"))
            .on_failure(OnFailure::Continue)
            .priority(-7),
        Hook::at::<Spend>("fails").reader(|_, _, _| Err::<(), _>("no luck")).on_failure(OnFailure::Continue),
        says_later("slow", 99, Permission::Allow)
            .on_failure(OnFailure::Continue)
            .timeout(Timeout::After(Duration::from_millis(1))),
        says_later("denies", 1, Permission::deny("no")),
        says_later("dropped", 99, Permission::Allow),
        says("never", Permission::Allow).priority(1),
        says("off", Permission::Allow),
    ]);
    registry.disable("off").unwrap();
    let ids = ["off", "changes", "leaves", "panics", "fails", "slow", "denies", "dropped", "never"];
    let set = registry.scope(&AgentDef::new("support").hooks(ids), None).unwrap();
    let cx = cx().to_builder().agent("support").conversation("c-1").turn(3).build();
    let fired = set.fire(&cx, &spend(), Trail::default()).await.unwrap();
    let record = fired.report.record.clone().unwrap();
    let rows: Vec<_> = record
        .runs
        .iter()
        .map(|run| {
            (run.hook.as_str(), run.status, run.changed, run.verdict, run.cause.as_deref(), run.duration.is_some())
        })
        .collect();
    let expected = [
        ("changes", Status::Completed, true, Some("allow"), None, true),
        ("leaves", Status::Completed, false, None, None, true),
        ("panics", Status::Panicked, false, None, Some("oh"), true),
        ("fails", Status::Failed, false, None, Some("no luck"), true),
        ("slow", Status::TimedOut, false, None, Some("not finished within 1ms"), true),
        ("denies", Status::Completed, false, Some("deny"), None, true),
        ("dropped", Status::Cancelled, false, None, None, true),
        ("never", Status::Skipped(Skip::Decided), false, None, None, false),
        ("off", Status::Skipped(Skip::Disabled), false, None, None, false),
    ];
    assert_eq!(rows, expected);
    assert_eq!((record.kind, record.verdict, record.removed), ("spend", Some("deny"), false));
    let ids = (record.ids.agent.as_deref(), record.ids.conversation.as_deref(), record.ids.turn);
    assert_eq!(ids, (Some("support"), Some("c-1"), Some(3)));
}

#[test]
fn every_observer_and_a_caller_that_asks_get_one_record_per_dispatch() {
    let registry = registry([writes("a")]);
    let heard: Arc<Mutex<Vec<Record>>> = Arc::default();
    for _ in 0..2 {
        let into = Arc::clone(&heard);
        registry.observe(move |record: &Record| into.lock().unwrap().push(record.clone()));
    }
    let set = registry.scope(&AgentDef::new("x").hooks(["a"]), None).unwrap();
    let fired = set.fire_blocking(&HookContext::new(), &step(), Trail::default()).unwrap();
    assert!(fired.report.record.is_none(), "nobody asked");
    let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 4);
    assert_eq!(heard[2], *fired.report.record.clone().unwrap());
}

#[test]
fn a_dispatch_that_ends_with_an_error_has_its_record_too() {
    let registry = registry([
        Hook::at::<Step>("needed").reader(|_, _, _| Err::<(), _>("gone")).on_failure(OnFailure::Required),
        writes("later"),
    ]);
    let heard: Arc<Mutex<Vec<(String, Status)>>> = Arc::default();
    let into = Arc::clone(&heard);
    registry.observe(move |record: &Record| into.lock().unwrap().extend(statuses(record)));
    let set = registry.scope(&AgentDef::new("x").hooks(["needed", "later"]), None).unwrap();
    assert!(set.fire_blocking(&cx(), &step(), Trail::default()).is_err());
    let expected = [("needed", Status::Failed), ("later", Status::Skipped(Skip::Aborted))];
    assert_eq!(*heard.lock().unwrap(), expected.map(|(id, status)| (id.to_owned(), status)));
}

#[test]
fn a_dispatch_whose_hooks_were_all_filtered_out_is_recorded() {
    #[hook(id = "rare", kind = Step, topic = "never")]
    fn rare() {}
    let registry = Registry::empty().with(hooks![rare]).unwrap();
    registry.register(writes("off")).unwrap();
    registry.disable("off").unwrap();
    let filtered = ("rare", Status::Skipped(Skip::Filter));
    let disabled = ("off", Status::Skipped(Skip::Disabled));
    for (list, expected) in [(vec!["rare"], vec![filtered]), (vec!["rare", "off"], vec![filtered, disabled])] {
        let set = registry.scope(&AgentDef::new("x").hooks(list), None).unwrap();
        let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
        let record = fired.report.record.clone().unwrap();
        assert!(!record.is_selected());
        let expected: Vec<_> = expected.into_iter().map(|(id, status)| (id.to_owned(), status)).collect();
        assert_eq!(statuses(&record), expected);
    }
    for list in [vec![], vec!["off"]] {
        let set = registry.scope(&AgentDef::new("x").hooks(list), None).unwrap();
        let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
        assert!(fired.report.record.is_none(), "no hook is in force");
    }
}

#[test]
fn error_texts_are_truncated_to_512_characters() {
    for (character, count) in [("a", 511), ("a", 512), ("a", 513), ("é", 600), ("🦀", 2_000)] {
        let text = character.repeat(count);
        let fails = Hook::at::<Step>("h").reader(move |_, _, _| Err::<(), _>(text.clone()));
        let fired = set([fails]).fire_blocking(&cx(), &step(), Trail::default()).unwrap();
        let expected = if count > 512 { format!("{}...", character.repeat(509)) } else { character.repeat(count) };
        assert_eq!(fired.report.failures[0].cause, expected);
        assert_eq!(fired.report.record.clone().unwrap().runs[0].cause.as_deref(), Some(expected.as_str()));
    }
}

#[test]
fn no_payload_is_in_a_record_or_in_an_error() {
    const SECRET: &str = "4111-1111";
    let call = ToolCall::new("1", "pay", serde_json::json!({ "card": SECRET }));
    let needed = Hook::at::<BeforeToolCall>("needed").writer(|_, _, input| {
        input["more"] = SECRET.into();
        Err::<(), _>("no luck")
    });
    let changes = Hook::at::<BeforeToolCall>("changes").writer(|_, _, input| {
        input["more"] = SECRET.into();
        Permission::ask(SECRET)
    });
    let fire = |hook: Hook| set([hook]).fire_blocking(&cx(), &BeforeToolCall::new(call.clone()), call.input.clone());
    let record = fire(changes).unwrap().report.record.clone().unwrap();
    assert!(record.runs[0].changed);
    for shown in [serde_json::to_string(&*record).unwrap(), format!("{record:?}")] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
    let error = fire(needed.on_failure(OnFailure::Required)).unwrap_err();
    for shown in [error.to_string(), format!("{error:?}")] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
}

#[tokio::test]
async fn a_record_has_the_fingerprint_of_each_contribution_and_not_its_content() {
    let context = Contribution::prompt_context("customer", "tier", "a gold member");
    let both = vec![context.clone(), Contribution::audit("looked it up")];
    let says = Hook::at::<PrePromptContext>("says").reader(move |_, _, ()| both.clone());
    let waits = Hook::at::<PrePromptContext>("waits").async_reader(|_, _, ()| {
        Box::pin(async {
            tokio::task::yield_now().await;
            Contribution::policy("memory", "read", true, 0)
        })
    });
    let silent = Hook::at::<PrePromptContext>("silent").reader(|_, _, ()| ());
    let cx = HookContext::builder().keep_records(true).build();
    let fired = set([says, waits, silent]).fire(&cx, &PrePromptContext::new("hi"), ()).await.unwrap();
    let record = fired.report.record.as_ref().unwrap();
    let of = |id: &str| {
        let run = record.runs.iter().find(|run| run.hook.as_str() == id).unwrap();
        run.contributed.iter().map(|one| one.what.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of("says"), ["prompt_context customer.tier", "audit"]);
    assert_eq!((of("waits"), of("silent")), (vec!["policy memory.read"], vec![]));
    assert_eq!(record.runs[0].contributed[0].fingerprint, context.fingerprint());
    let written = serde_json::to_string(&**record).unwrap();
    assert!(!written.contains("gold") && !written.contains("looked"), "{written}");
}

/// A hook may find out only while it runs that an event is not for it. Then it has no effect and has not failed.
#[test]
fn a_hook_that_returns_that_the_event_is_not_for_it_counts_as_filtered_out() {
    let looks = |on_failure| {
        Hook::at::<Step>("looks")
            .writer(|_, _, trail: &mut Trail| {
                trail.0.push("dropped");
                Err::<(), _>(hook_sdk::hook::NotSelected)
            })
            .on_failure(on_failure)
    };
    for on_failure in [OnFailure::Continue, OnFailure::Required] {
        let set = set([looks(on_failure), writes("other")]);
        let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
        let report = &fired.report;
        assert_eq!(report.not_selected.iter().map(hook_sdk::HookId::as_str).collect::<Vec<_>>(), ["looks"]);
        assert!(report.failures.is_empty());
        let expected = [("looks", Status::Skipped(Skip::Filter)), ("other", Status::Completed)];
        assert_eq!(statuses(report.record.as_ref().unwrap()), expected.map(|(id, status)| (id.to_owned(), status)));
        assert_eq!(fired.subject.unwrap().0, ["other"]);
    }
}

#[hook(id = "reads_one", kind = Spend)]
async fn reads_one() -> Permission {
    Permission::Allow
}

#[hook(id = "reads_two", kind = Spend)]
async fn reads_two(_trail: &Trail) -> Permission {
    tokio::task::yield_now().await;
    Permission::NoOpinion
}

#[hook(id = "reads_here", kind = Spend)]
fn reads_here(_trail: &Trail) -> Permission {
    Permission::NoOpinion
}

/// Annotated functions run on paths of their own if nobody listens. With a listener, each is reported.
#[tokio::test]
async fn annotated_readers_are_reported_one_by_one() {
    use hook_sdk::HookId;
    use hook_sdk::context::Ids;
    use hook_sdk::record::Observer;

    #[derive(Clone, Default)]
    struct Starts(Arc<Mutex<Vec<String>>>);
    impl Observer for Starts {
        fn starts(&self, _: &'static str, hook: &HookId, _: &Arc<Ids>) {
            self.0.lock().unwrap().push(hook.to_string());
        }
        fn dispatched(&self, record: &Record) {
            let is_complete = |run: &hook_sdk::record::Run| run.status == Status::Completed && run.duration.is_some();
            assert!(record.runs.iter().all(is_complete), "{record:?}");
            self.0.lock().unwrap().push("end".to_owned());
        }
    }
    for all in [hooks![reads_one, reads_two], hooks![reads_here, reads_two]] {
        let registry = Registry::empty().with(all).unwrap();
        let starts = Starts::default();
        registry.observe(starts.clone());
        let set = registry.scope(&AgentDef::new("a").hooks(all), None).unwrap();
        let _ = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
        let mut expected: Vec<String> = set.plan("spend").map(|hook| hook.hook().to_string()).collect();
        expected.push("end".to_owned());
        assert_eq!(*starts.0.lock().unwrap(), expected);
    }
}

/// A hook may hold the rules of others, such as those of a file.
#[test]
fn a_record_names_the_rule_that_decided() {
    use hook_sdk::HookId;
    use hook_sdk::verdict::{Attribution, Denial, Question};

    let rule = Attribution::new(HookId::named("no_rm").unwrap()).file("hooks.json", 3);
    let table = [
        Permission::Deny(Box::new(Denial::from("no").attributed_to(rule.clone()))),
        Permission::from(Question::new("why").attributed_to(rule.clone())),
    ];
    for answer in table {
        let fired = set([says("rules", answer)]).fire_blocking(&cx(), &spend(), Trail::default()).unwrap();
        let record = fired.report.record.clone().unwrap();
        assert_eq!(record.runs[0].attribution.as_deref(), Some(&rule));
    }
}

/// A harness that shows only some records needs to know that it misses one, so failures are logged too.
#[tokio::test]
async fn a_failed_hook_and_a_dropped_run_are_logged_as_warnings() {
    let lines = Warnings::default();
    let _guard = tracing::subscriber::set_default(lines.clone());
    let fails = || Hook::at::<Step>("fails").reader(|_, _, _| Err::<(), _>("down"));
    let _ = set([fails()]).fire(&cx(), &step(), Trail::default()).await.unwrap();
    let _ = set([fails().fallback(&Hook::at::<Step>("other").reader(|_, _, _| ()))])
        .fire(&cx(), &step(), Trail::default())
        .await
        .unwrap();
    let registry = registry([Hook::at::<SeenOften>("late").detached(|_, _, ()| later(0, ()))]);
    registry.set_detached_limit(0);
    let late = registry.scope(&AgentDef::new("x").hooks(["late"]), None).unwrap();
    let _ = late.fire(&cx(), &SeenOften {}, ()).await.unwrap();
    let expected =
        ["hook failed hook=fails", "hook failed; its fallback answered hook=fails", "hook dropped hook=late"];
    assert_eq!(*lines.0.lock().unwrap(), expected);
}

/// Keeps the message of each warning, and the hook in it.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "hook_sdk" && *metadata.level() == tracing::Level::WARN
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Text(String, String);
        impl tracing::field::Visit for Text {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                match field.name() {
                    "message" => self.0 = format!("{value:?}"),
                    "hook" => self.1 = format!("{value:?}"),
                    _ => {}
                }
            }
        }
        let mut text = Text(String::new(), String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(format!("{} hook={}", text.0, text.1));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
