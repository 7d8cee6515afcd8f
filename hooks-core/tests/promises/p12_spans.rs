//! Promise 12: a run that never returns has been announced before, and each log line of a hook is inside a span that
//! names the hook.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::HookId;
use hook_sdk::context::Ids;
use hook_sdk::plugin::Plugin;
use hook_sdk::record::{Observer, Record};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

use super::support::*;

thread_local! {
    /// The spans that this thread has entered.
    static INSIDE: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Keeps each log line of a hook with its span.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    spans: Vec<String>,
    lines: Vec<String>,
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "hook_sdk::dispatch" || metadata.target() == "own_line"
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut text = Text(attributes.metadata().name().to_owned());
        attributes.record(&mut text);
        let mut kept = self.0.lock().unwrap();
        kept.spans.push(text.0);
        span::Id::from_u64(kept.spans.len() as u64)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        if event.metadata().target() != "own_line" {
            return;
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        let inside = INSIDE.with_borrow(|inside| inside.last().copied());
        let mut kept = self.0.lock().unwrap();
        let span = inside.map_or("nowhere".to_owned(), |id| kept.spans[usize::try_from(id).unwrap() - 1].clone());
        kept.lines.push(format!("{} in {span}", text.0.trim()));
    }

    fn enter(&self, id: &span::Id) {
        INSIDE.with_borrow_mut(|inside| inside.push(id.into_u64()));
    }

    fn exit(&self, _: &span::Id) {
        INSIDE.with_borrow_mut(Vec::pop);
    }
}

fn says(word: &'static str) {
    tracing::info!(target: "own_line", "{word}");
}

#[tokio::test(start_paused = true)]
async fn in_every_form_the_log_lines_of_a_hook_are_inside_a_span_that_names_it() {
    let lines = Lines::default();
    let _default = tracing::subscriber::set_default(lines.clone());
    let at = Hook::at::<Spend>;
    let waits = || async {
        says("before");
        tokio::time::sleep(Duration::from_secs(1)).await;
        says("after");
    };
    let hooks = [
        at("plain").reader(|_, _, _| says("plain")),
        at("writes").writer(|_, _, _| says("writes")),
        at("replaces").replacer(|_, _, subject| {
            says("replaces");
            subject
        }),
        at("waits").async_reader(move |_, _, _| Box::pin(waits())),
        at("owns").async_replacer(move |_, _, subject| {
            Box::pin(async move {
                waits().await;
                subject
            })
        }),
    ];
    for hook in hooks {
        // Tests on other threads have no subscriber, and `tracing` caches their interest in a callsite.
        tracing::callsite::rebuild_interest_cache();
        let (id, registry) = (hook.id().to_string(), Registry::empty());
        registry.install(Plugin::new("acme").hook(hook)).unwrap();
        let set = registry.scope(&AgentDef::new("a"), None).unwrap();
        let cx = HookContext::builder().agent("a").conversation("c-1").turn(3).build();
        drop(set.fire(&cx, &spend(), Trail::default()).await.unwrap());
        let reported = std::mem::take(&mut *lines.0.lock().unwrap());
        assert!(!reported.lines.is_empty(), "{id}");
        for line in reported.lines {
            for part in [format!("hook={id}"), "plugin=\"acme\"".into(), "conversation=\"c-1\"".into(), "turn=3".into()]
            {
                assert!(line.contains(&part), "{id}: {line}");
            }
        }
    }
    assert!(INSIDE.with_borrow(Vec::is_empty), "every span was exited");
}

/// Keeps the hook that is about to run, and the ends of dispatches.
#[derive(Clone, Default)]
struct Starts(Arc<Mutex<Vec<String>>>);

impl Observer for Starts {
    fn starts(&self, kind: &'static str, hook: &HookId, ids: &Arc<Ids>) {
        self.0.lock().unwrap().push(format!("{kind} {hook} {}", ids.conversation.as_deref().unwrap_or_default()));
        assert_ne!(hook.as_str(), "panics", "of course");
    }

    fn dispatched(&self, record: &Record) {
        self.0.lock().unwrap().push(format!("{} done", record.kind));
    }
}

#[tokio::test(start_paused = true)]
async fn the_start_of_a_hook_that_hangs_is_announced_and_that_of_a_filtered_hook_is_not() {
    let registry = Registry::empty();
    let starts = Starts::default();
    registry.observe(starts.clone());
    registry.register(Hook::at::<BeforeToolCall>("other").reader(|_, _, _| ()).only("tool", "other")).unwrap();
    // If the observer panics, the hook runs nevertheless.
    registry.register(Hook::at::<BeforeToolCall>("panics").reader(|_, _, _| ())).unwrap();
    let hangs = Hook::at::<BeforeToolCall>("hangs").async_reader(|_, _, _| Box::pin(std::future::pending::<()>()));
    registry.register(hangs.timeout(Timeout::None).priority(1)).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(["other", "panics", "hangs"]), None).unwrap();
    let call = ToolCall::new("1", "refund", json!({}));
    let cx = HookContext::builder().conversation("c-1").build();
    let event = BeforeToolCall::new(call.clone());
    let fire = set.fire(&cx, &event, call.input.clone());
    assert!(tokio::time::timeout(Duration::from_secs(3_600), fire).await.is_err());
    let reported = std::mem::take(&mut *starts.0.lock().unwrap());
    assert_eq!(reported, ["before_tool_call panics c-1", "before_tool_call hangs c-1", "before_tool_call done"]);
}
