//! Turns in which one thing happens, each shown with every kind that fires: what `--scene` prints.
//!
//! The model says lines that are written down, so that each is the same whenever it is shown.

mod never;
mod table;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;
use hooks_agent::TurnEvent;
use hooks_agent::store::{Append, MemoryStore, MessageStore};
use hooks_core::data::{Message, Role};

use crate::chat::bookings;
use crate::desk::Desk;
use crate::run::{RunError, runtime};
use crate::trace::{Trace, Tracing};
use never::Never;

/// What happens in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scene {
    /// All of these, one after the other.
    All,
    /// The model answers.
    Plain,
    /// It calls two tools in one answer.
    TwoCalls,
    /// A gate denies a call.
    Denied,
    /// A gate asks, and the answer is yes.
    Asked,
    /// A gate asks, and the answer is no.
    Declined,
    /// A tool fails.
    FailingTool,
    /// The model's window is full: what is old is summed up.
    Compaction,
    /// The provider says that the messages are too long.
    Overflow,
    /// The provider refuses the messages, and a hook repairs them.
    Repair,
    /// The model says nothing, and a hook at `stop` has it go on.
    EmptyReply,
    /// A hook refuses the prompt.
    Blocked,
    /// Another agent is asked.
    SubAgent,
    /// What is old cannot be summed up: nothing is folded.
    SummaryFails,
    /// A hook stops the answer while it comes.
    StreamStopped,
    /// Calls of tools that only read run together.
    ParallelCalls,
    /// A gate answers in a tool's place.
    AnsweredCall,
    /// A tool fails, and a hook has it run again.
    ToolRetried,
    /// A model does not answer, and a hook has another one asked.
    OtherModel,
    /// The person says something more while the turn runs.
    SteeredTurn,
    /// The turn has spent its tokens.
    BudgetSpent,
    /// A plugin of guards could not start: its guards refuse.
    PluginClosed,
    /// Cancelled while a hook is waited for.
    CancelledInHook,
    /// Cancelled while the first look at the prompt is taken.
    CancelledInPreflight,
    /// Cancelled while the model answers.
    CancelledInModel,
    /// Cancelled while a provider asks to wait.
    CancelledInWait,
    /// Cancelled while a person is asked.
    CancelledInQuestion,
    /// Cancelled while a tool runs.
    CancelledInTool,
    /// Cancelled while another agent answers.
    CancelledInAgent,
    /// Cancelled while the conversation is summed up.
    CancelledInSummary,
}

impl Scene {
    /// Its name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Plays `scene` at the desk of the agent in `agent`, and shows what happens.
///
/// # Errors
/// [`RunError`] where the desk cannot open, a session cannot, or nothing can be written.
pub fn run(scene: Scene, agent: &Path, tracing: Tracing, to: &mut dyn Write) -> Result<ExitCode, RunError> {
    let runtime = runtime().map_err(RunError::Runtime)?;
    let scenes = match scene {
        Scene::All => Scene::value_variants(),
        _ => &[scene],
    };
    for scene in scenes.iter().filter(|scene| **scene != Scene::All) {
        runtime.block_on(play(*scene, agent, tracing, to))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn play(scene: Scene, agent: &Path, tracing: Tracing, to: &mut dyn Write) -> Result<(), RunError> {
    let never = Never::default();
    let stage = table::stage(scene, &never);
    let is_started = !stage.plugins.is_empty();
    let desk =
        Desk::open(agent, None)?.attended(true).with_plugins(stage.plugins)?.also(stage.hooks)?.traced(tracing)?;
    let store = Arc::new(MemoryStore::new());
    store.append(CONVERSATION, Append::new(said(stage.said))).await.map_err(hooks_agent::TurnError::from)?;
    let harness = desk.harness().model("clerk", stage.model).tools(bookings::tools());
    let harness = harness.shared_store(Arc::clone(&store) as Arc<dyn MessageStore>);
    let harness = (stage.more)(harness, &never).build();
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

/// What was said before the turn: that many messages of both sides.
fn said(count: usize) -> Vec<Message> {
    let message = |i: usize| match i % 2 {
        0 => Message::new(Role::User, format!("Is there a seat to Bergen on day {i}?")),
        _ => Message::new(Role::Assistant, "There is one."),
    };
    (0..count).map(message).collect()
}
