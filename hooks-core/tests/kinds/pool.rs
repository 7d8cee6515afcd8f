//! The message pool: JSON may refer to messages instead of repeating them.

use hook_sdk::data::{MessageData, MessagePool, Messages, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::record::{Observer, Record, Trace};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn history() -> Messages {
    vec![Message::new(Role::User, "hello"), Message::new(Role::Assistant, "hi")].into()
}

/// A row of an app that has the fields of a message among its own.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AppRow {
    row: u64,
    #[serde(flatten)]
    message: Message,
    before: Option<Message>,
    all: Messages,
}

fn row() -> AppRow {
    AppRow { row: 5, message: history()[0].clone(), before: Some(history()[1].clone()), all: history() }
}

#[test]
fn a_reference_reads_and_prints_like_the_message_itself() {
    let mut pool = MessagePool::default();
    let whole = serde_json::to_value(row()).unwrap();
    let written = pool.within(|| serde_json::to_value(row())).unwrap();
    assert!(!written.to_string().contains("hello"), "{written}");
    assert_eq!(pool.whole(written.clone()), whole);
    assert_eq!(pool.within(|| serde_json::from_value::<AppRow>(written.clone())).unwrap(), row());
    // JSON that contains its messages can be read with a pool too.
    assert_eq!(pool.within(|| serde_json::from_value::<AppRow>(whole.clone())).unwrap(), row());
    // Without the pool, or with another one, a reference is not a message.
    assert!(serde_json::from_value::<AppRow>(written.clone()).is_err());
    assert!(MessagePool::default().within(|| serde_json::from_value::<AppRow>(written.clone())).is_err());
    let list = pool.within(|| serde_json::to_value(history())).unwrap();
    assert!(pool.within(|| serde_json::from_value::<Message>(list)).is_err());
    let one = pool.refer(history()[1].clone());
    assert_eq!(pool.within(|| serde_json::from_value::<Message>(one)).unwrap(), history()[1]);
}

/// A pool is set for the closure on its thread only, however the closure ends.
#[test]
fn a_pool_is_unset_when_its_closure_ends() {
    let (mut outer, mut inner) = (MessagePool::default(), MessagePool::default());
    let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| outer.within(|| panic!("no"))));
    assert!(panics.is_err());
    assert_eq!(serde_json::to_value(&history()[0]).unwrap()["role"], "user");
    let (here, there) = outer.within(|| {
        let there = inner.within(|| serde_json::to_value(&history()[1])).unwrap();
        (serde_json::to_value(&history()[0]).unwrap(), there)
    });
    assert_eq!(
        (outer.whole(here)["content"][0]["text"].clone(), inner.whole(there)["role"].clone()),
        (json!("hello"), json!("assistant"))
    );
}

#[derive(Clone, Default)]
struct Traces(Arc<Mutex<Vec<Trace>>>);

impl Observer for Traces {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        self.0.lock().unwrap().push(trace.clone());
    }
}

/// A trace refers to the messages of the conversation and copies none of them, however often they occur in a dispatch.
#[tokio::test]
async fn a_trace_shares_its_messages_with_the_dispatch() {
    let forgets = Hook::at::<UserPromptSubmit>("forgets").writer(|_, _, messages: &mut Messages| {
        messages.remove(0);
    });
    let registry = Registry::empty();
    registry.register(forgets).unwrap();
    let traces = Traces::default();
    registry.observe(traces.clone());
    let set = registry.scope(&AgentDef::new("a").hooks(["forgets"]), None).unwrap();
    let history = history();
    let mut pool = MessagePool::default();
    let event =
        json!({"prompt": "and now?", "original": [pool.refer(history[0].clone()), pool.refer(history[1].clone())]});
    let subject = event["original"].clone();
    let cx = HookContext::new();
    let fired = set.fire_json_within(&mut pool, "user_prompt_submit", &cx, event.clone(), subject).await.unwrap();
    assert_eq!(pool.whole(fired.subject.unwrap()), serde_json::to_value(&history[1..]).unwrap());
    let trace = traces.0.lock().unwrap().pop().unwrap();
    for value in [&trace.event, &trace.before, trace.runs[0].after.as_ref().unwrap()] {
        assert!(!value.to_string().contains("hello"), "{value}");
        let (mut seen, mut value) = (Vec::new(), Value::clone(value));
        trace.pool.replace(&mut value, &mut |message| {
            seen.push(message.clone());
            Value::Null
        });
        let place = |message: &Message| std::ptr::from_ref::<MessageData>(message);
        let is_of = |message: &Message| history.iter().any(|known| place(known) == place(message));
        assert!(!seen.is_empty() && seen.iter().all(is_of));
    }
    assert_eq!(trace.pool.whole(Value::clone(&trace.event)), pool.whole(event_of(&history)));
}

fn event_of(history: &Messages) -> Value {
    serde_json::to_value(UserPromptSubmit::new("and now?", history.clone())).unwrap()
}
