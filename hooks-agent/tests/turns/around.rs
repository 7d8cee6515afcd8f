//! What fires around turns: the program's life, channels, changes of stored messages.

use std::sync::Mutex;
use std::time::Duration;

use hooks_agent::channel::{Channel, Heard};
use hooks_agent::model::Line;
use hooks_core::data::{Message, MessageUpdate};
use hooks_core::hook::BoxFuture;
use hooks_core::kinds::Delivery;
use hooks_core::kinds::*;
use hooks_core::prelude::*;
use serde_json::json;

use super::bench::Bench;

/// Keeps what is sent, or refuses it.
#[derive(Default)]
struct Mail {
    sent: Mutex<Vec<String>>,
    full: bool,
}

impl Channel for Mail {
    fn name(&self) -> &'static str {
        "mail"
    }

    fn send<'a>(&'a self, recipient: &'a str, message: &'a Message) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async move {
            if self.full {
                return Err("the box is full".to_owned());
            }
            self.sent.lock().unwrap().push(format!("{recipient}: {}", message.text()));
            Ok(Some("m-1".to_owned()))
        })
    }
}

#[tokio::test]
async fn a_message_is_received_answered_and_sent_as_the_hooks_leave_it() {
    let mut bench = Bench::new([Line::text("noon")]);
    bench.app(Hook::at::<MessageReceived>("strip").writer(|_, _, message: &mut Message| {
        message.rewrite_text(|text| text.strip_suffix(" -- sent from a phone").map(str::to_owned));
    }));
    bench.app(Hook::at::<MessageSending>("sign").writer(|_, _, message: &mut Message| {
        message.rewrite_text(|text| Some(format!("{text}\nthe desk")));
    }));
    let log = bench.log.clone();
    bench.app(Hook::at::<MessageSent>("sent").reader(move |_, event: &MessageSent, ()| {
        log.note(format!("{} {}", event.channel, event.delivery.as_ref()));
    }));
    let (session, mail) = (bench.session(bench.harness()).await, Mail::default());
    let heard = session.hear(&mail, "ada", "when? -- sent from a phone", None).await.unwrap();
    assert!(matches!(heard, Heard::Answered { delivery: Delivery::Sent { .. }, .. }), "{heard:?}");
    assert_eq!(*mail.sent.lock().unwrap(), ["ada: noon\nthe desk"]);
    assert_eq!(bench.log.take(), ["the model", "mail sent"]);
    assert_eq!(bench.stored().await, ["user: when?", "assistant: noon"]);
}

#[tokio::test]
async fn a_dropped_message_has_no_turn_and_a_held_reply_is_not_sent() {
    let mut bench = Bench::new([Line::text("noon")]);
    bench.app(
        Hook::at::<MessageReceived>("no_spam")
            .replacer(|_, _, message: Message| (!message.text().contains("win")).then_some(message)),
    );
    bench.app(Hook::at::<MessageSending>("hold").replacer(|_, _, _: Message| None::<Message>));
    let (session, mail) = (bench.session(bench.harness()).await, Mail::default());
    assert!(matches!(session.hear(&mail, "eve", "win!", None).await.unwrap(), Heard::Dropped));
    assert!(bench.stored().await.is_empty());
    assert!(matches!(session.hear(&mail, "ada", "when?", None).await.unwrap(), Heard::HeldBack { .. }));
    assert!(mail.sent.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_channel_that_fails_is_told_and_the_reply_is_kept() {
    let bench = Bench::new([Line::text("noon")]);
    let (session, mail) = (bench.session(bench.harness()).await, Mail { full: true, ..Mail::default() });
    let heard = session.hear(&mail, "ada", "when?", None).await.unwrap();
    let Heard::Answered { reply, delivery: Delivery::Failed { error }, .. } = heard else { panic!("{heard:?}") };
    assert_eq!((reply.to_string().as_str(), error.as_str()), ("noon", "the box is full"));
}

#[tokio::test]
async fn a_stored_message_is_changed_as_the_hooks_leave_the_change() {
    let mut bench = Bench::new([Line::text("noon")]);
    bench.app(Hook::at::<BeforeUpdateMessage>("stamp").writer(|_, _, update: &mut MessageUpdate| {
        update.insert("edited".to_owned(), json!(true));
    }));
    let log = bench.log.clone();
    bench.app(Hook::at::<AfterUpdateMessage>("see").reader(move |_, event: &AfterUpdateMessage, ()| {
        log.note(format!("{}: {} {}", event.message_id, event.message.text(), event.message.extra["edited"]));
    }));
    let session = bench.session(bench.harness()).await;
    session.turn(None, "when?").await;
    session.update("1", MessageUpdate::from_iter([("content", json!("one"))])).await.unwrap();
    assert_eq!(bench.log.take(), ["the model", "1: one true"]);
    assert_eq!(bench.stored().await, ["user: when?", "assistant: one"]);
    let missing = session.update("9", MessageUpdate::default()).await.unwrap_err();
    assert_eq!(missing.to_string(), "the message store failed: `c` has no row `9`");
}

#[tokio::test]
async fn the_program_begins_and_ends_once() {
    let mut bench = Bench::new([]);
    macro_rules! note {
        ($($kind:ident),*) => {$({
            let log = bench.log.clone();
            let id = <$kind as HookKind>::NAME;
            bench.app(Hook::at::<$kind>(&format!("at_{id}")).reader(move |_, _, ()| log.note(id)));
        })*};
    }
    note!(Init, GatewayStart, GatewayStop, Shutdown);
    let harness = bench.harness().build();
    harness.start("127.0.0.1:8080").await.unwrap();
    harness.stop("the end", Duration::ZERO).await.unwrap();
    assert_eq!(bench.log.take(), ["init", "gateway_start", "gateway_stop", "shutdown"]);
    bench.app(Hook::at::<Init>("cannot").reader(|_, _, ()| Err::<(), _>("no database")));
    let error = bench.harness().build().start("here").await.unwrap_err().to_string();
    assert!(error.contains("no database"), "{error}");
}

#[tokio::test]
async fn plugins_start_and_stop_with_the_program_and_a_set_is_made_anew_when_something_changes() {
    let mut bench = Bench::new((0..4).map(|i| Line::text(format!("answer {i}"))));
    bench.app(Hook::at::<TurnEnd>("alive").reader(|_, _, ()| ()));
    let [init, gone, turn] = [(); 3].map(|()| bench.log.clone());
    let plugin = hooks_core::plugin::Plugin::new("acme")
        .hook(Hook::at::<Init>("acme_init").reader(move |_, _, ()| init.note("init of acme")))
        .hook(Hook::at::<Shutdown>("acme_gone").reader(move |_, _, ()| gone.note("shutdown of acme")))
        .hook(Hook::at::<BeforeAgentStart>("acme_turn").reader(move |_, _, ()| turn.note("a turn")));
    let harness = bench.harness().build();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    session.turn(None, "before").await;
    bench.registry.install(plugin).unwrap();
    harness.start("here").await.unwrap();
    session.turn(None, "with it").await;
    bench.registry.disable("acme_turn").unwrap();
    session.turn(None, "without").await;
    harness.stop("the end", Duration::ZERO).await.unwrap();
    let log = bench.log.take();
    assert_eq!(log, ["the model", "init of acme", "a turn", "the model", "the model", "shutdown of acme"]);
}

#[tokio::test]
async fn a_conversation_that_is_gone_on_with_counts_on_and_hooks_know_the_profile() {
    let mut bench = Bench::new((0..3).map(|i| Line::text(format!("answer {i}"))));
    let [prompt, compile, sent] = [(); 3].map(|()| bench.log.clone());
    bench.app(
        Hook::at::<UserPromptSubmit>("turn")
            .reader(move |cx, event: &UserPromptSubmit, _| {
                prompt.note(format!("turn {} for {}", cx.turn().unwrap(), event.profile));
            })
            .only("profile", "main"),
    );
    bench.app(
        Hook::at::<PrePromptCompile>("compile").reader(move |_, _, ()| compile.note("compile")).only("profile", "main"),
    );
    bench.app(Hook::at::<PrefilterLlmHistory>("sent").reader(move |_, _, _| sent.note("sent")).only("profile", "main"));
    let session = bench.session(bench.harness()).await;
    session.turn(None, "one").await;
    session.turn(None, "two").await;
    drop(session);
    bench.session(bench.harness()).await.turn(None, "three").await;
    let turn = |number: u32| [format!("turn {number} for main"), "compile".into(), "sent".into(), "the model".into()];
    assert_eq!(bench.log.take(), [turn(1), turn(2), turn(3)].concat());
}
