//! Events outside of turns: start and stop of the program, channels, changes of stored messages.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::data::{Message, MessageUpdate, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::plugin::Plugin;
use hook_sdk::prelude::*;
use hooks_agent::channel::{Address, Channel, Heard, Incoming};
use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::MessageStore as _;
use hooks_agent::{Outcome, TurnError};
use serde_json::json;

use super::bench::Bench;

/// Keeps what is sent, or fails.
#[derive(Default)]
struct Mail {
    sent: Mutex<Vec<String>>,
    full: bool,
}

impl Channel for Mail {
    fn name(&self) -> &'static str {
        "mail"
    }

    fn send<'a>(&'a self, address: &'a Address, message: &'a Message) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(async move {
            if self.full {
                return Err("the box is full".to_owned());
            }
            self.sent.lock().unwrap().push(format!("{}: {}", address.recipient, message.text()));
            Ok(Some("m-1".to_owned()))
        })
    }
}

#[tokio::test]
async fn messages_are_received_and_sent_as_the_hooks_leave_them() {
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
    let heard = session.hear(&mail, Incoming::new("ada", "when? -- sent from a phone"), None).await.unwrap();
    assert!(matches!(heard, Heard::Answered { delivery: Delivery::Sent { .. }, .. }), "{heard:?}");
    assert_eq!(*mail.sent.lock().unwrap(), ["ada: noon\nthe desk"]);
    assert_eq!(bench.log.take(), ["the model", "mail sent"]);
    assert_eq!(bench.stored().await, ["user: when?", "assistant: noon"]);
}

#[tokio::test]
async fn the_hooks_of_a_plugin_for_one_agent_run_at_the_messages_of_its_channel() {
    let mask = || {
        Hook::at::<MessageSending>("mask")
            .writer(|_, _, message: &mut Message| {
                message.rewrite_text(|_| Some("[masked]".to_owned()));
            })
            .on_failure(OnFailure::Required)
    };
    for (agent, sent) in [("support", "ada: [masked]"), ("billing", "ada: the secret")] {
        let bench = Bench::new([Line::text("the secret")]);
        bench.registry.install(Plugin::new("p").agent(agent).hook(mask())).unwrap();
        let session = bench.harness().build().unwrap().session("c", AgentDef::new("support")).open().await.unwrap();
        let mail = Mail::default();
        session.hear(&mail, Incoming::new("ada", "what is it?"), None).await.unwrap();
        assert_eq!(*mail.sent.lock().unwrap(), [sent], "a plugin for {agent}");
    }
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
    assert!(matches!(session.hear(&mail, Incoming::new("eve", "win!"), None).await.unwrap(), Heard::Dropped));
    assert!(bench.stored().await.is_empty());
    assert!(matches!(session.hear(&mail, Incoming::new("ada", "when?"), None).await.unwrap(), Heard::HeldBack { .. }));
    assert!(mail.sent.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_channel_that_fails_is_reported_and_the_reply_is_kept() {
    let bench = Bench::new([Line::text("noon")]);
    let (session, mail) = (bench.session(bench.harness()).await, Mail { full: true, ..Mail::default() });
    let heard = session.hear(&mail, Incoming::new("ada", "when?"), None).await.unwrap();
    let Heard::Answered { reply, delivery: Delivery::Failed { error }, .. } = heard else { panic!("{heard:?}") };
    assert_eq!((reply.to_string().as_str(), error.as_str()), ("noon", "the box is full"));
}

#[tokio::test]
async fn an_update_is_stored_as_the_hooks_leave_it() {
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
    let id = bench.store.page("c", None, 10).await.unwrap().rows[1].id.clone();
    session.update(&id, MessageUpdate::from_iter([("content", json!("one"))])).await.unwrap();
    assert_eq!(bench.log.take(), ["the model".to_owned(), format!("{id}: one true")]);
    assert_eq!(bench.stored().await, ["user: when?", "assistant: one"]);
    let missing = session.update("9", MessageUpdate::default()).await.unwrap_err();
    assert_eq!(missing.to_string(), "the message store failed: `c` has no row `9`");
}

#[tokio::test]
async fn start_and_stop_of_the_program_fire_once() {
    let mut bench = Bench::new([]);
    macro_rules! note {
        ($($kind:ident),*) => {$({
            let log = bench.log.clone();
            let id = <$kind as HookKind>::NAME;
            bench.app(Hook::at::<$kind>(&format!("at_{id}")).reader(move |_, _, ()| log.note(id)));
        })*};
    }
    note!(Init, GatewayStart, GatewayStop, Shutdown);
    let harness = bench.harness().build().unwrap();
    harness.start("127.0.0.1:8080").await.unwrap();
    harness.stop("the end", Duration::ZERO).await.unwrap();
    assert_eq!(bench.log.take(), ["init", "gateway_start", "gateway_stop", "shutdown"]);
    bench.app(Hook::at::<Init>("cannot").reader(|_, _, ()| Err::<(), _>("no database")));
    let error = bench.harness().build().unwrap().start("here").await.unwrap_err().to_string();
    assert!(error.contains("no database"), "{error}");
}

#[tokio::test]
async fn plugins_start_and_stop_with_the_program_and_a_change_makes_a_new_set() {
    let mut bench = Bench::new((0..4).map(|i| Line::text(format!("answer {i}"))));
    bench.app(Hook::at::<TurnEnd>("alive").reader(|_, _, ()| ()));
    let [init, gone, turn] = [(); 3].map(|()| bench.log.clone());
    let plugin = Plugin::new("acme")
        .hook(Hook::at::<Init>("acme_init").reader(move |_, _, ()| init.note("init of acme")))
        .hook(Hook::at::<Shutdown>("acme_gone").reader(move |_, _, ()| gone.note("shutdown of acme")))
        .hook(Hook::at::<BeforeAgentStart>("acme_turn").reader(move |_, _, ()| turn.note("a turn")));
    let harness = bench.harness().build().unwrap();
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
async fn a_continued_conversation_continues_its_turn_numbers_and_hooks_know_the_profile() {
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

/// A plugin with guards whose `init` fails.
fn guards() -> Plugin {
    Plugin::new("guards")
        .hook(Hook::at::<Init>("starts").reader(|_, _, ()| Err::<(), _>("no licence")))
        .hook(Hook::at::<BeforeToolCall>("locked").reader(|_, _, _| Permission::deny("never")).locked())
}

#[tokio::test]
async fn a_failed_plugin_stops_the_program_or_if_it_is_optional_its_guards_refuse() {
    let bench = Bench::watched([Line::call("1", "lookup", json!({})), Line::text("then not")]);
    bench.registry.install(guards()).unwrap();
    let error = bench.harness().build().unwrap().start("here").await.unwrap_err();
    assert!(matches!(error, TurnError::Plugins(_)) && error.to_string().contains("no licence"), "{error}");
    bench.turn().await;
    assert!(!bench.log.take().contains(&"the tool".to_owned()), "also where the app goes on");

    let bench = Bench::watched([Line::call("1", "lookup", json!({})), Line::text("then not")]);
    bench.registry.install(guards().optional()).unwrap();
    let harness = bench.harness();
    bench.harness().build().unwrap().start("here").await.unwrap();
    bench.session(harness).await.turn(None, "hi").await;
    assert!(!bench.log.take().contains(&"the tool".to_owned()));
    let stored = bench.stored().await;
    assert!(stored[2].starts_with("tool: <- Denied: the hook `locked` failed ("), "{stored:?}");
}

/// A model that never answers, and signals when it was called.
struct Never(Arc<tokio::sync::Notify>);

impl Model for Never {
    fn call<'a>(&'a self, _: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async {
            self.0.notify_one();
            std::future::pending().await
        })
    }
}

/// A bench that records turns, sessions and the stop of the program.
fn noting_ends() -> Bench {
    let mut bench = Bench::new([Line::text("so be it")]);
    macro_rules! note {
        ($($kind:ident),*) => {$({
            let log = bench.log.clone();
            let id = <$kind as HookKind>::NAME;
            bench.app(Hook::at::<$kind>(&format!("at_{id}")).reader(move |_, _, ()| log.note(id)));
        })*};
    }
    note!(TurnEnd, SessionEnd, GatewayStop, Shutdown);
    bench
}

#[tokio::test(start_paused = true)]
async fn a_program_ends_after_its_turns_and_its_sessions() {
    for (deadline, answer) in [(Duration::from_secs(60), "so be it"), (Duration::ZERO, "[Cancelled]")] {
        let bench = noting_ends();
        bench
            .registry
            .register(
                Hook::at::<PreModelCall>("slow")
                    .async_reader(|_, _, _| Box::pin(tokio::time::sleep(Duration::from_secs(30)))),
            )
            .unwrap();
        let harness = bench.harness().build().unwrap();
        let session = harness.session("c", AgentDef::new("a").hooks(["slow"])).open().await.unwrap();
        let closed = harness.session("d", AgentDef::new("a")).open().await.unwrap();
        closed.clone().close(SessionEndReason::Idle).await.unwrap();
        drop(harness.session("e", AgentDef::new("a")).open().await.unwrap());
        bench.log.take();
        let turn = session.turn(None, "hi");
        tokio::task::yield_now().await;
        harness.stop("deploy", deadline).await.unwrap();
        assert_eq!(turn.await.to_string(), answer);
        let ends: Vec<_> = bench.log.take().into_iter().filter(|what| what != "the model").collect();
        assert_eq!(ends, ["gateway_stop", "turn_end", "session_end", "shutdown"]);
        assert_eq!(session.turn(None, "too late").await.to_string(), "[Cancelled]");
        assert!(bench.log.take().is_empty(), "a turn that never began fires nothing");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_cancelled_in_the_queue_ends_at_once() {
    let bench = noting_ends();
    let asked = Arc::new(tokio::sync::Notify::new());
    let session = bench.session(bench.harness().model("main", Never(Arc::clone(&asked)))).await;
    let first = session.turn(None, "first");
    asked.notified().await;
    let second = session.turn(None, "second");
    second.cancel();
    let before = tokio::time::Instant::now();
    assert_eq!(second.await.to_string(), "[Cancelled]");
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert!(bench.log.take().is_empty());
    first.cancel();
    assert_eq!(first.await.to_string(), "[Cancelled]");
    assert_eq!((bench.log.take(), bench.stored().await), (vec!["turn_end".to_owned()], vec!["user: first".to_owned()]));
}

#[tokio::test]
async fn an_error_of_a_provider_about_a_key_is_not_sent_to_the_user() {
    let secret = "401: Incorrect API key provided: sk-proj-abc";
    let bench = Bench::new([Line::error(ModelError::Unanswered(secret.to_owned()))]);
    let session = bench.session(bench.harness()).await;
    let mail = Mail::default();
    let heard = session.hear(&mail, Incoming::new("ada", "hi"), None).await.unwrap();
    let Heard::Answered { reply, .. } = heard else { panic!("{heard:?}") };
    assert_eq!(*mail.sent.lock().unwrap(), ["ada: [Failed] The model did not answer."]);
    let Outcome::Failed(error) = reply.outcome else { panic!("{reply:?}") };
    assert!(error.to_string().contains(secret), "the app reads it: {error}");
}

#[tokio::test]
async fn a_wrapper_of_turns_that_panics_loses_neither_the_answer_nor_a_message() {
    for at in ["the call", "the beginning", "the end"] {
        let replies = Arc::new(Mutex::new(0));
        let count = Arc::clone(&replies);
        let panics = || std::panic::resume_unwind(Box::new("of course"));
        let bench = Bench::new([Line::text("one"), Line::text("two")]);
        let harness = bench.harness().on_reply(move |_, _| *count.lock().unwrap() += 1).around_turns(move |_, turn| {
            if at == "the call" {
                panics();
            }
            Box::pin(async move {
                if at == "the beginning" {
                    panics();
                }
                drop(turn.await);
                panics()
            })
        });
        let session = bench.session(harness).await;
        let turn = session.turn(None, "hi");
        let steering = turn.steering();
        assert!(turn.steer(Message::new(Role::User, "and more")));
        let reply = turn.await;
        assert!(matches!(reply.outcome, Outcome::Failed(TurnError::Panicked(_))), "{at}: {reply:?}");
        assert_eq!((reply.exit, *replies.lock().unwrap()), (ExitReason::Error, 1), "{at}");
        assert!(!steering.steer(Message::new(Role::User, "too late")), "{at}");
        if at == "the end" {
            let answer = reply.answer.as_ref().map(|answer| answer.text().into_owned());
            assert_eq!((answer.as_deref(), reply.messages.len(), reply.not_joined.len()), (Some("one"), 3, 0));
        } else {
            assert_eq!((reply.messages.len(), reply.not_joined.len()), (0, 1), "{at}");
        }
        // The next turn is not blocked.
        assert!(matches!(session.turn(None, "again").await.outcome, Outcome::Failed(TurnError::Panicked(_))));
    }
}
