//! Scenes: short turns for `--scene`, which shows every kind that fires in them.
//!
//! The model is scripted, so each scene is deterministic.

mod never;
mod table;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;
use hook_sdk::data::{Message, Role};
use hooks_agent::TurnEvent;
use hooks_agent::store::{Append, MemoryStore, MessageStore};

use crate::args::Args;
use crate::chat::bookings;
use crate::desk::{Desk, DeskError};
use crate::run::{RunError, runtime};
use crate::trace::{Trace, Tracing};
use never::Never;

/// A scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scene {
    /// All scenes in order.
    All,
    /// The model answers.
    Plain,
    /// The model calls two tools in one answer.
    TwoCalls,
    /// A gate denies a call.
    Denied,
    /// A gate asks, and the answer is yes.
    Asked,
    /// A gate asks, and the answer is no.
    Declined,
    /// A tool fails.
    FailingTool,
    /// The context window is full: old messages are summarised.
    Compaction,
    /// The provider rejects the messages as too long.
    Overflow,
    /// The provider rejects the messages, and a hook repairs them.
    Repair,
    /// The model's answer is empty, and a hook at `stop` continues the turn.
    EmptyReply,
    /// A hook rejects the prompt.
    Blocked,
    /// The agent calls another agent.
    SubAgent,
    /// The summary fails, so nothing is folded.
    SummaryFails,
    /// A hook stops the answer while it is streamed.
    StreamStopped,
    /// Calls of read-only tools run concurrently.
    ParallelCalls,
    /// A gate answers instead of a tool.
    AnsweredCall,
    /// A tool fails, and a hook retries it.
    ToolRetried,
    /// A model fails, and a hook switches to another one.
    OtherModel,
    /// The person adds a message during the turn.
    SteeredTurn,
    /// The turn reaches its token limit.
    BudgetSpent,
    /// A plugin with guards cannot be started: its guards deny.
    PluginClosed,
    /// Cancelled during a hook.
    CancelledInHook,
    /// Cancelled during the preflight.
    CancelledInPreflight,
    /// Cancelled during a model call.
    CancelledInModel,
    /// Cancelled while waiting for a retry.
    CancelledInWait,
    /// Cancelled during an approval.
    CancelledInQuestion,
    /// Cancelled during a tool call.
    CancelledInTool,
    /// Cancelled during a call of another agent.
    CancelledInAgent,
    /// Cancelled during a summary.
    CancelledInSummary,
}

impl Scene {
    /// The name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Runs `scene` with the agent in the file `agent`, and shows what happens.
///
/// # Errors
/// [`RunError`] if the desk or a session cannot be opened, or the output cannot be written.
#[cfg_attr(not(feature = "replay"), expect(unused_variables, reason = "only what is recorded has more arguments"))]
pub fn run(
    scene: Scene,
    args: &Args,
    agent: &Path,
    tracing: Tracing,
    to: &mut dyn Write,
) -> Result<ExitCode, RunError> {
    let runtime = runtime().map_err(RunError::Runtime)?;
    let scenes = match scene {
        Scene::All => Scene::value_variants(),
        _ => &[scene],
    };
    #[cfg(feature = "replay")]
    let recorder = crate::run::recorder(args)?;
    let record = |desk: Desk| -> Result<Desk, RunError> {
        #[cfg(feature = "replay")]
        if let Some(recorder) = &recorder {
            return Ok(desk.recorded(recorder)?);
        }
        Ok(desk)
    };
    for scene in scenes.iter().filter(|scene| **scene != Scene::All) {
        runtime.block_on(play(*scene, agent, tracing, &record, to))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `scene` with the agent in the file `agent`, and serves a page of its recording until Ctrl-C.
///
/// # Errors
/// [`RunError`] if the scene cannot be run or recorded, or the page cannot be served.
#[cfg(feature = "inspect")]
pub fn inspect(scene: Scene, args: &Args, agent: &Path) -> Result<ExitCode, RunError> {
    let folder = tempfile::tempdir().map_err(RunError::Inspect)?;
    let file = args.record.clone().unwrap_or_else(|| folder.path().join("scenes.jsonl"));
    run(scene, &Args { record: Some(file.clone()), ..args.clone() }, agent, Tracing::All, &mut io::sink())?;

    let desk = Desk::open(agent, None)?;
    let page = hooks_inspect::HooksPage::new("airline-desk").registry(&desk.registry).scope(&desk.hooks);
    let page = page.audit(desk.audit(&Desk::folder().join("prompts"))?);
    let inspector = hooks_inspect::Inspector::new(page).recording(file);
    let served = runtime().map_err(RunError::Runtime)?.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let ready = |address: &str| crate::run::tell(&format!("{address}\nCtrl-C ends it"));
        tokio::select! {
            ended = inspector.serve(listener, ready) => ended,
            interrupted = tokio::signal::ctrl_c() => interrupted,
        }
    });
    served.map(|()| ExitCode::SUCCESS).map_err(RunError::Inspect)
}

async fn play(
    scene: Scene,
    agent: &Path,
    tracing: Tracing,
    record: &dyn Fn(Desk) -> Result<Desk, RunError>,
    to: &mut dyn Write,
) -> Result<(), RunError> {
    let never = Never::default();
    let stage = table::stage(scene, &never);
    let is_started = !stage.plugins.is_empty();
    let desk =
        Desk::open(agent, None)?.attended(true).with_plugins(stage.plugins)?.also(stage.hooks)?.traced(tracing)?;
    let desk = record(desk)?;
    let store = Arc::new(MemoryStore::new());
    store.append(CONVERSATION, Append::new(said(stage.said))).await.map_err(hooks_agent::TurnError::from)?;
    let harness = desk.harness().model("clerk", stage.model).tools(bookings::tools());
    let harness = harness.shared_store(Arc::clone(&store) as Arc<dyn MessageStore>);
    let harness = (stage.more)(harness, &never).build().map_err(DeskError::from)?;
    if is_started {
        harness.start("here").await?;
    }
    let session = harness.session(CONVERSATION, desk.agent.clone()).open().await?;
    let trace = desk.trace.clone().unwrap_or_default();
    trace.begin(1);
    let mut turn = session.turn(None, stage.prompt);
    if let Some(more) = stage.steered {
        turn.steer(Message::new(Role::User, more));
    }
    let cancellation = turn.cancellation();
    loop {
        let event = tokio::select! {
            biased;
            event = turn.next() => event,
            () = never.begun() => {
                cancellation.cancel();
                continue;
            }
        };
        let Some(event) = event else { break };
        trace.event(&event);
        if scene == Scene::CancelledInWait && matches!(event, TurnEvent::Retrying { .. }) {
            cancellation.cancel();
        }
    }
    let reply = turn.await;
    trace.end(reply.exit.as_ref());
    show(scene, &trace, &reply.to_string(), to).map_err(RunError::Report)
}

fn show(scene: Scene, trace: &Trace, reply: &str, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "{}", scene.name())?;
    trace.take().iter().try_for_each(|line| writeln!(to, "{line}"))?;
    writeln!(to, "  = {reply}\n")
}

const CONVERSATION: &str = "scene";

/// The history before the turn: `count` messages.
fn said(count: usize) -> Vec<Message> {
    let message = |i: usize| match i % 2 {
        0 => Message::new(Role::User, format!("Is there a seat to Bergen on day {i}?")),
        _ => Message::new(Role::Assistant, "There is one."),
    };
    (0..count).map(message).collect()
}
