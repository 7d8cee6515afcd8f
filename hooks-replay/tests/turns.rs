//! Promise 24 for turns: they are replayed without a model and without tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hook_sdk::context::Ids;
use hook_sdk::data::Block;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Line as Says, ModelAnswer, ModelError, Scripted};
use hooks_agent::store::StoreFuture;
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{Harness, HarnessBuilder, Limits, SubAgent};
use hooks_replay::{Matching, TurnReplay};

use crate::every_kind::watching;
use crate::support::*;

/// The number of tool runs.
pub(crate) type Ran = Arc<AtomicUsize>;

/// The program: its tools, its approver, and its model.
pub(crate) fn harness(registry: Registry, script: Vec<Says>, ran: &Ran) -> HarnessBuilder {
    let tool = |name: &str| {
        let ran = Arc::clone(ran);
        FnTool::new(ToolSpec::new(name).parallel(), move |_, input| {
            ran.fetch_add(1, Ordering::SeqCst);
            match input["cents"].as_u64() {
                Some(13) => Err(ToolError::new("the bank is closed, write to ada@example.org")),
                Some(cents) => Ok(format!("paid {cents} to ada@example.org")),
                None => std::panic::resume_unwind(Box::new("no cents")),
            }
        })
    };
    let mut limits = Limits::default();
    limits.approval = Duration::from_secs(60);
    let sub = SubAgent::new(AgentDef::new("research"), "Looks things up.");
    Harness::builder(registry)
        .model("main", Scripted::new(script))
        .tools([tool("refund"), tool("transfer")])
        .bundled_tool(tool("extra"))
        .agent(sub)
        .limits(limits)
        .approver(Person)
        .preflight(|_: &HookContext, prompt: &str, _: &Messages| vec![format!("{} letters", prompt.len())])
}

/// Approves small transfers, edits others, and never answers about large ones.
struct Person;

impl Approver for Person {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async move {
            Ok(match request.input["cents"].as_u64() {
                Some(..100) => Approval::Yes,
                Some(100..1_000) => Approval::Edited(json!({ "cents": 50 }).into()),
                Some(1_000..2_000) => Approval::No("not today".to_owned()),
                Some(2_000..3_000) => std::panic::resume_unwind(Box::new("nobody")),
                _ => std::future::pending().await,
            })
        })
    }
}

/// Its hooks, which act on many kinds depending on the text.
pub(crate) fn hooks() -> Hooks {
    let asks = Hook::at::<BeforeToolCall>("asks").reader(|_, event: &BeforeToolCall, _| {
        if event.call.name == "transfer" { Permission::ask("a transfer is asked for") } else { Permission::NoOpinion }
    });
    let blocks = Hook::at::<UserPromptSubmit>("blocks").reader(|_, event: &UserPromptSubmit, _| {
        if event.prompt.contains("forbidden") {
            PromptVerdict::block("not that")
        } else {
            PromptVerdict::context("be kind")
        }
    });
    let stops = Hook::at::<StreamDelta>("stops_stream").reader(|_, _, window: &String| {
        if window.contains("SECRET") { Permission::deny("a secret") } else { Permission::NoOpinion }
    });
    let halts = Hook::at::<AfterToolCall>("halts").reader(|_, event: &AfterToolCall, ()| {
        if event.error.as_deref().is_some_and(|error| error.contains("closed")) {
            Err(Halt::new("no bank"))
        } else {
            Ok(())
        }
    });
    let bundle = Hook::at::<PreToolMaterialization>("bundles").reader(|_, event: &PreToolMaterialization, ()| {
        let wanted = event.prompt.contains("more tools");
        wanted.then(|| Contribution::tool_bundle("more", ["extra"])).into_iter().collect::<Vec<_>>()
    });
    let instead = Hook::at::<PreModelCall>("instead").writer(|_, event: &PreModelCall, request: &mut ModelRequest| {
        if event.messages.last().is_some_and(|last| last.text().contains("hello?")) {
            request.answer = Some(vec![Block::from("hello!")]);
        }
    });
    let masks = Hook::at::<BeforeCreateMessage>("masks_rows").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|text| text.contains("ada@example.org").then(|| text.replace("ada@example.org", "[mail]")));
    });
    let [instead, masks] = [instead, masks].map(|hook| hook.on_failure(OnFailure::Required));
    let hooks = desk().with(asks).with(blocks).with(stops).with(halts).with(bundle).with(instead).with(masks);
    watching().into_iter().fold(hooks, Hooks::with)
}

/// Records one turn per prompt.
async fn record(
    path: &std::path::Path,
    hooks: &Hooks,
    script: Vec<Says>,
    prompts: &[&str],
    more: impl Fn(HarnessBuilder) -> HarnessBuilder,
) -> Ran {
    let ran = Ran::default();
    let registry = hooks.registry();
    let recorder = Recorder::create(path, "support", RecordLimits::default()).unwrap();
    registry.observe(recorder.clone());
    let agent = hooks.agent(&registry);
    let harness = more(harness(registry, script, &ran).on_inputs(recorder.turns())).build().unwrap();
    let session = harness.session("c-1", agent).system_prompt("Pay people back.").dynamic_ui(true);
    let session = session.open().await.unwrap();
    for prompt in prompts {
        let _reply = session.turn(None, *prompt).await;
    }
    recorder.flush();
    ran
}

pub(crate) async fn replay(path: &std::path::Path, hooks: &Hooks, matching: Matching) -> ReplayReport {
    let registry = hooks.registry();
    let _support = hooks.agent(&registry);
    let agent = |ids: &Ids| (AgentDef::new(ids.agent.as_deref().unwrap_or("support")), None);
    let replay = TurnReplay::new(&registry, agent).matching(matching);
    replay.window(Window::new(100_000).compact_at(3_000)).file(path).await.unwrap()
}

/// The turns of a recording, including those of sub-agents.
fn turns(path: &std::path::Path) -> usize {
    Reader::open(path).unwrap().filter(|(_, line)| matches!(line, Ok(RecordingLine::Turn(_)))).count()
}

fn refund(id: &str, cents: u64) -> Says {
    Says::call(id, "refund", json!({ "cents": cents }))
}

pub(crate) fn transfer(id: &str, cents: u64) -> Says {
    Says::call(id, "transfer", json!({ "cents": cents }))
}

fn busy() -> Says {
    Says::error(ModelError::rate_limited("busy", Some(Duration::from_secs(20))))
}

/// Different turns: what the model says, and the prompts.
fn turns_to_record() -> Vec<(&'static str, Vec<Says>, Vec<&'static str>)> {
    let long = "word ".repeat(1_500);
    vec![
        ("an answer", vec![Says::text("hi")], vec!["hello"]),
        ("a call", vec![refund("a", 900), Says::text("done")], vec!["pay"]),
        ("a call that is denied", vec![refund("a", 9_900), Says::text("no")], vec!["pay"]),
        ("a tool that fails, and a halt", vec![refund("a", 13), Says::text("never")], vec!["pay", "and now?"]),
        ("a tool that panics", vec![Says::call("a", "refund", json!({})), Says::text("well")], vec!["pay"]),
        ("a tool that nobody has", vec![Says::call("a", "fly", json!({})), Says::text("well")], vec!["fly"]),
        (
            "calls together, of which two have one id",
            vec![
                Says::calls([
                    ("a", "refund", json!({"cents": 1})),
                    ("b", "refund", json!({"cents": 2})),
                    ("a", "refund", json!({"cents": 3})),
                ]),
                Says::text("done"),
            ],
            vec!["pay all"],
        ),
        ("a person says yes", vec![transfer("a", 5), Says::text("done")], vec!["pay"]),
        ("a person edits", vec![transfer("a", 500), Says::text("done")], vec!["pay"]),
        ("a person says no", vec![transfer("a", 1_500), Says::text("done")], vec!["pay"]),
        ("a person says nothing", vec![transfer("a", 5_000), Says::text("done")], vec!["pay"]),
        ("an approver that panics", vec![transfer("a", 2_500), Says::text("done")], vec!["pay"]),
        ("a model that is busy", vec![busy(), busy(), Says::text("done")], vec!["pay"]),
        ("a model that is gone", vec![Says::error(ModelError::Unanswered("no key".to_owned()))], vec!["pay", "pay"]),
        ("a stream", vec![Says::text("one two three").streamed()], vec!["count"]),
        (
            "a stream that is stopped",
            vec![Says::text("the SECRET is 5").streamed(), Says::text("x")],
            vec!["tell", "so"],
        ),
        ("a stream that breaks", vec![Says::error(ModelError::Broken("cut".to_owned())).streamed()], vec!["tell"]),
        (
            "an answer that is cut",
            vec![Says::answer(ModelAnswer::text("and so").stop_reason("max_tokens"))],
            vec!["tell"],
        ),
        ("a prompt that is blocked", vec![Says::text("done")], vec!["forbidden", "allowed"]),
        ("a hook in the model's place", vec![], vec!["hello?"]),
        (
            "a tool that a hook contributes",
            vec![Says::call("a", "extra", json!({"cents": 4})), Says::text("done")],
            vec!["more tools"],
        ),
        (
            "an agent that is asked",
            vec![
                Says::call("a", "research", json!({"prompt": "where?", "cents": 1})),
                refund("a", 7),
                Says::text("there, ask ada@example.org"),
                Says::text("done"),
            ],
            vec!["look it up"],
        ),
        (
            "a conversation that is compacted",
            vec![Says::text(long.as_str()), Says::text(long.as_str()), Says::text("a summary"), Says::text("done")],
            vec!["one", "two", "three"],
        ),
        (
            "a call with the id of one that a summary replaces",
            vec![
                refund("a", 1),
                Says::text(long.as_str()),
                Says::text(long.as_str()),
                Says::text("a summary"),
                refund("a", 2),
                Says::text("done"),
            ],
            vec!["one", "two", "three"],
        ),
    ]
}

/// Different turns, replayed without changes, with hooks at every kind.
#[tokio::test(start_paused = true)]
async fn a_replay_of_an_unchanged_turn_has_no_differences() {
    // Each session begins with another context.
    let begun = Arc::new(AtomicUsize::new(0));
    let hooks = || {
        let begun = Arc::clone(&begun);
        let begins = Hook::at::<SessionStart>("begins");
        hooks().with(begins.reader(move |_, _, ()| format!("session {}", begun.fetch_add(1, Ordering::SeqCst))))
    };
    let mut kinds = std::collections::BTreeSet::new();
    for (what, script, prompts) in turns_to_record() {
        let folder = Folder::new();
        let path = folder.path("turns.jsonl");
        let window = || Window::new(100_000).compact_at(3_000);
        let ran = record(&path, &hooks(), script, &prompts, |harness| harness.window(window())).await;
        let then = ran.load(Ordering::SeqCst);
        for matching in [Matching::Strict, Matching::Loose] {
            let report = replay(&path, &hooks(), matching).await;
            assert!(report.is_empty(), "{what}: {report}");
            assert_eq!((report.turns, report.diverged), (turns(&path), 0), "{what}: {report}");
            assert!(report.turns >= prompts.len(), "{what}: {report}");
            assert!(report.replayed > 10, "{what}: {report}");
        }
        assert_eq!(ran.load(Ordering::SeqCst), then, "{what}");
        let lines = Reader::open(&path).unwrap().filter_map(|(_, line)| line.ok());
        kinds.extend(
            lines.filter_map(|line| if let RecordingLine::Dispatch(line) = line { Some(line.kind) } else { None }),
        );
    }
    // Kinds that no turn fires.
    let outside = ["init", "gateway_", "shutdown", "message_", "session_end", "before_update_", "after_update_"];
    let all = hook_sdk::kinds::all();
    let missing: Vec<_> = all.iter().filter(|kind| !kinds.contains(kind.name)).map(|kind| kind.name).collect();
    let unexpected: Vec<_> = missing.iter().filter(|kind| !outside.iter().any(|word| kind.starts_with(word))).collect();
    assert!(
        unexpected.is_empty(),
        "no recorded turn fired {unexpected:?}; if no turn fires them, add them to `outside`"
    );
}

/// A more permissive policy does not execute what was blocked: there is nothing that could execute it.
#[tokio::test(start_paused = true)]
async fn blocked_calls_run_nothing_in_a_replay_that_allows_them() {
    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    let script =
        vec![refund("a", 9_900), refund("b", 8_800), Says::text("I could not."), refund("c", 100), Says::text("done")];
    let ran = record(&path, &desk(), script, &["pay both", "pay one"], |harness| harness).await;
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let open = desk().with(limit(1_000_000));
    let report = replay(&path, &open, Matching::Strict).await;
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    assert_eq!((report.turns, report.diverged, report.exit_code()), (2, 1, 2), "{report}");
    assert_eq!(
        differences(&report),
        ["1 refund_limit deny → allow: refunds over 5000 cents need a person"],
        "it stops at the first one: {report}"
    );
    assert_eq!(report.groups[0].examples[0].call.as_ref().unwrap().id, "a");
    assert!(report.stopped == 1 && report.to_string().contains("`Matching::Loose`, goes on"), "{report}");
    let report = replay(&path, &open, Matching::Loose).await;
    assert_eq!(report.stopped, 0, "{report}");
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    assert_eq!((report.turns, report.diverged), (2, 1), "{report}");
    let reported = |counterfactual: bool| {
        report
            .groups
            .iter()
            .filter(move |group| group.counterfactual == counterfactual)
            .map(|group| group.title.as_str())
    };
    assert_eq!(reported(false).collect::<Vec<_>>(), ["deny → allow: refunds over 5000 cents need a person"]);
    assert!(reported(true).any(|title| title.starts_with("deny → allow")), "{report}");
    for page in [report.to_string(), report.to_html()] {
        assert!(page.contains("2 turns replayed, 1 diverge"), "{page}");
        assert!(page.contains("after the turn diverged"), "{page}");
    }
}

/// The first different dispatch is reported, with its hook; its consequences are not.
#[tokio::test(start_paused = true)]
async fn the_first_divergence_is_reported_with_its_hook() {
    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    let script = vec![refund("a", 900), Says::text("ada@example.org has it"), refund("b", 5), Says::text("done")];
    record(&path, &hooks(), script, &["pay", "pay more"], |harness| harness).await;
    let report = replay(&path, &hooks().without("mask_mail"), Matching::Strict).await;
    assert_eq!((report.turns, report.diverged), (2, 2), "{report}");
    let rewrite = report.groups.iter().find(|group| group.title == "rewrites differently").unwrap();
    assert_eq!(
        (rewrite.kind.as_str(), rewrite.hook.as_deref(), rewrite.count),
        ("after_tool_call_success", Some("mask_mail"), 2)
    );
    assert!(report.groups.iter().all(|group| group.kind == "after_tool_call_success"), "{report}");
    // A new hook that changes nothing is reported, and does not end the turn.
    let added = Hook::at::<TurnEnd>("counts").reader(|_, _, ()| ());
    let report = replay(&path, &hooks().with(added), Matching::Strict).await;
    assert_eq!((report.diverged, differences(&report)), (0, vec!["2 counts was added".to_owned()]), "{report}");
    // Hooks at kinds that had none, and kinds that have none any more.
    let report = replay(&path, &desk(), Matching::Strict).await;
    assert!(report.groups.iter().any(|group| group.title == "was removed"), "{report}");
    assert_eq!(report.diverged, 2, "{report}");
    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    record(&path, &desk(), vec![refund("a", 900), Says::text("done")], &["pay"], |harness| harness).await;
    let calm = watching().into_iter().fold(desk(), Hooks::with);
    let report = replay(&path, &calm, Matching::Strict).await;
    assert_eq!((report.turns, report.diverged, report.exit_code()), (1, 0, 1), "{report}");
}

/// Whatever the reason of the first difference is, the rest of the turn was not compared.
#[tokio::test(start_paused = true)]
async fn a_turn_that_stops_where_a_secret_is_missing_says_so() {
    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    let guard = Hook::at::<UserPromptSubmit>("no_keys").reader(|_, event: &UserPromptSubmit, _| {
        if event.prompt.contains("ghp_") { PromptVerdict::block("a key") } else { PromptVerdict::default() }
    });
    let hooks = hooks().with(guard);
    let prompt = concat!("pay with ghp", "_JTeKdNnFRIBXuDL7DxtpYlSXpfKtHF4vUCsM");
    record(&path, &hooks, vec![Says::text("done")], &[prompt], |harness| harness).await;
    let report = replay(&path, &hooks, Matching::Strict).await;
    assert_eq!((report.turns, report.diverged, report.stopped, report.exit_code()), (1, 1, 1, 3), "{report}");
    assert_eq!((report.uncertain, report.differing), (1, 0), "{report}");
    let group = &report.groups[0];
    assert!(group.uncertain && group.hook.as_deref() == Some("no_keys") && !group.places.is_empty(), "{report}");
    let loose = replay(&path, &hooks, Matching::Loose).await;
    assert_eq!((loose.diverged, loose.stopped), (1, 0), "{loose}");
}

/// If a hook that is not in the replay decided, the rest of the turn is unknown.
#[tokio::test(start_paused = true)]
async fn the_replay_of_a_turn_ends_at_the_decision_of_a_skipped_hook() {
    use hook_sdk::hook::OnReplay;

    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    let hooks = hooks().with(limit(5_000).on_replay(OnReplay::Skip));
    let script = vec![refund("a", 900), Says::text("done"), Says::text("hi")];
    let ran = record(&path, &hooks, script, &["pay", "hello"], |harness| harness).await;
    let report = replay(&path, &hooks, Matching::Strict).await;
    assert_eq!((report.turns, report.diverged, report.unanswered, report.stopped), (2, 0, 1, 1), "{report}");
    assert!(report.is_empty() && report.headline().ends_with("0 differ, 1 not counted"), "{report}");
    assert_eq!((report.not_started.get("refund_limit"), ran.load(Ordering::SeqCst)), (Some(&1), 1));
}

/// What cannot be replayed is reported, and the rest is replayed.
#[tokio::test(start_paused = true)]
async fn turns_that_cannot_be_replayed_are_reported_with_the_reason() {
    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    let hooks = hooks();
    let registry = hooks.registry();
    let mut limits = RecordLimits::default();
    limits.turn = 20_000;
    let recorder = Recorder::create(&path, "support", limits).unwrap();
    registry.observe(recorder.clone());
    let agent = hooks.agent(&registry);
    let script =
        vec![Says::text("one"), Says::text("two"), Says::text("three"), Says::text("four"), Says::text("five")];
    let harness = harness(registry, script, &Ran::default()).on_inputs(recorder.turns()).build().unwrap();
    let session = harness.session("c-1", agent).open().await.unwrap();
    let _ = session.turn(None, "begin").await;
    let cancelled = session.turn(None, "and then");
    cancelled.cancel();
    let _ = cancelled.await;
    let _ = session.turn(None, "x".repeat(10_000)).await;
    let fresh = harness.session("c-2", hooks.agent(&hooks.registry())).open().await.unwrap();
    let _ = fresh.turn(None, "short").await;
    recorder.flush();
    let report = replay(&path, &hooks, Matching::Strict).await;
    assert_eq!((report.turns, report.diverged), (2, 0), "{report}");
    let reported = |what: &str| report.problems.iter().any(|problem| problem.contains(what));
    assert!(reported("the turn was cancelled") && reported("exceeded the size limit of the recorder"), "{report}");
    // In a replay of dispatches, skipped lines are reported too.
    let registry = hooks.registry();
    let report = Replay::new(&registry, |registry, _ids| Hooks::scope(registry)).file(&path).await.unwrap();
    assert!(
        report.groups.is_empty() && report.to_string().contains("the rest of the turn was not recorded"),
        "{report}"
    );
}

/// The turn of a sub-agent is replayed separately, with the gates of its caller.
#[tokio::test(start_paused = true)]
async fn turns_of_sub_agents_are_replayed_with_the_gates_of_their_callers() {
    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    let own = Hook::at::<BeforeToolCall>("own_gate").reader(|_, _, input: &ToolInput| {
        if input["cents"] == 77 { Permission::deny("not by others") } else { Permission::NoOpinion }
    });
    let (hooks, ran) = (hooks(), Ran::default());
    let program = || {
        let registry = hooks.registry();
        let _ = hooks.agent(&registry);
        registry.register(own.clone()).unwrap();
        registry
    };
    let registry = program();
    let recorder = Recorder::create(&path, "support", RecordLimits::default()).unwrap();
    registry.observe(recorder.clone());
    let script = vec![
        Says::calls([("q", "research", json!({"prompt": "one", "cents": 1})), ("r", "refund", json!({"cents": 3}))]),
        refund("a", 77),
        Says::text("it was not allowed"),
        Says::text("done"),
    ];
    let mut limits = Limits::default();
    limits.iterations = 4;
    let harness = harness(registry, script, &ran).limits(limits).on_inputs(recorder.turns()).build().unwrap();
    let support = AgentDef::new("support").hooks(["own_gate"]);
    let session = harness.session("c-1", support.clone()).open().await.unwrap();
    assert_eq!(session.turn(None, "look").await.to_string(), "done");
    recorder.flush();
    let then = ran.load(Ordering::SeqCst);
    let replay = async |support: AgentDef, research: &str| {
        let registry = program();
        let agents = |ids: &Ids| {
            let is_support = ids.agent.as_deref() == Some("support");
            (if is_support { support.clone() } else { AgentDef::new(research) }, None)
        };
        TurnReplay::new(&registry, agents).file(&path).await.unwrap()
    };
    let report = replay(support.clone(), "research").await;
    assert!(report.is_empty(), "{report}");
    assert_eq!((report.turns, report.diverged), (2, 0), "{report}");
    // Without the gate of its caller, the sub-agent's call is allowed.
    let report = replay(AgentDef::new("support"), "research").await;
    assert!(report.groups.iter().any(|group| group.kind == "before_tool_call"), "{report}");
    assert!(report.diverged > 0, "{report}");
    // A sub-agent without a definition has no turn in the replay.
    let report = replay(support, "somebody").await;
    assert_eq!((report.turns, report.failed), (1, 1), "{report}");
    assert!(report.to_string().contains("the definition of `somebody` was returned"), "{report}");
    assert_eq!(ran.load(Ordering::SeqCst), then);
}

/// A recording in an earlier format is rejected.
#[tokio::test(start_paused = true)]
async fn a_turn_of_an_earlier_version_is_reported() {
    let folder = Folder::new();
    let path = folder.path("turns.jsonl");
    record(&path, &desk(), vec![Says::text("hi")], &["hello"], |harness| harness).await;
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"joined\":[]", "\"steered\":0")).unwrap();
    let report = replay(&path, &desk(), Matching::Strict).await;
    assert_eq!((report.turns, report.failed), (0, 1), "{report}");
    assert!(report.to_string().contains("by an earlier version"), "{report}");
}
