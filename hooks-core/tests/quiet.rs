//! Promise 5: `quiet_panics` routes the panic messages of hooks to tracing, and leaves all other panic messages alone.
//!
//! A binary of its own, because the panic hook and the subscriber belong to the whole process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::fmt;
use std::sync::{Arc, Mutex};

use hook_sdk::data::Role;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps the text of each event with the target of panics.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "hook_sdk::panic"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "from the payload's drop");
    }
}

#[tokio::test(start_paused = true)]
async fn quiet_panics_routes_only_the_panics_of_hooks_to_tracing() {
    let others: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&others);
    std::panic::set_hook(Box::new(move |info| {
        into.lock().unwrap().push(info.payload_as_str().unwrap_or("no text").to_owned());
    }));
    hook_sdk::quiet_panics();
    hook_sdk::quiet_panics();
    let heard = Heard::default();
    let _default = tracing::subscriber::set_default(heard.clone());

    let hooks = [
        Hook::at::<AfterCreateMessage>("sync").reader::<_, (), _>(|_, _, ()| panic!("from a function")),
        Hook::at::<AfterCreateMessage>("now")
            .async_reader::<_, (), _>(|_, _, ()| Box::pin(async { panic!("from a poll") })),
        Hook::at::<AfterCreateMessage>("later").async_reader::<_, (), _>(|_, _, ()| {
            Box::pin(async {
                tokio::task::yield_now().await;
                panic!("from a later poll")
            })
        }),
        Hook::at::<AfterCreateMessage>("payload").reader::<_, (), _>(|_, _, ()| std::panic::panic_any(Bomb)),
    ];
    let registry = Registry::empty();
    let mut agent = AgentDef::new("a");
    for hook in hooks {
        agent = agent.hooks([hook.id().as_str()]);
        registry.register(hook).unwrap();
    }
    let set = registry.scope(&agent, None).unwrap();
    let event = AfterCreateMessage::new(Message::new(Role::User, "hi"));
    let fired = set.fire(&HookContext::new(), &event, ()).await.unwrap();
    assert_eq!(fired.report.failures.len(), 4);

    let mut reported = heard.take();
    reported.sort();
    let expected =
        ["a panic without a message", "from a function", "from a later poll", "from a poll", "from the payload's drop"];
    assert_eq!(reported, expected);
    assert_eq!(*others.lock().unwrap(), [""; 0]);

    assert!(std::panic::catch_unwind(|| panic!("from the harness")).is_err());
    assert_eq!(*others.lock().unwrap(), ["from the harness"]);
    assert!(heard.take().is_empty());
    drop(std::panic::take_hook());
}
