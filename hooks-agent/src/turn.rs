//! One turn, from the prompt to its end.
//!
//! Each part of it has a file; this one has their order. A part that cannot go on returns an [`Exit`], and the turn goes
//! to its end from wherever it was: the conversation is left well formed, and `turn_end` fires once.

mod ask;
mod call;
mod delegate;
mod end;
mod exit;
mod fire;
mod gate;
mod lineage;
mod pairs;
mod phases;
mod prompt;
mod room;
mod rows;
mod stop;
mod tools;

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use hooks_core::data::{Message, Messages, Usage};
use hooks_core::kinds::{ExitReason, StopReason};
use hooks_core::scope::PromptDef;
use hooks_core::verdict::{Contributions, Halt};
use hooks_core::{CancellationToken, HookContext, HookSet};
use tokio::sync::mpsc::UnboundedSender;

use crate::beside;
use crate::event::TurnEvent;
use crate::limits::Limits;
use crate::panics;
use crate::reply::{Reply, TurnError};
use crate::session::Inner;
use crate::tool::ToolSpec;
use crate::window::Counted;
use ask::Said;
use exit::{Ending, Exit};
use lineage::Lineage;
use tools::Repeats;

/// What a turn begins with.
pub(crate) struct Start {
    pub(crate) session: Arc<Inner>,
    pub(crate) prompt: Option<PromptDef>,
    pub(crate) message: Message,
    pub(crate) number: u64,
    pub(crate) events: UnboundedSender<TurnEvent>,
    pub(crate) cancellation: CancellationToken,
}

/// A turn under way.
struct Turn {
    session: Arc<Inner>,
    hooks: HookSet,
    cx: HookContext,
    /// The same, for what a cancellation does not stop.
    to_end: HookContext,
    cancellation: CancellationToken,
    events: UnboundedSender<TurnEvent>,
    /// The conversation as the model reads it: what is stored, and what hooks put beside it for this turn.
    view: Messages,
    /// What of the view is stored.
    lineage: Lineage,
    /// What this turn stored.
    added: Messages,
    /// The ids of the calls that were stored when the turn began, also of those that hooks keep from the model.
    stored_calls: HashSet<String>,
    /// The ids of the calls whose tool was started.
    started: HashSet<String>,
    /// What the person wrote.
    input: String,
    /// What the model is told before the conversation.
    system_prompt: String,
    /// The tools that the model is offered.
    tools: Vec<ToolSpec>,
    /// What hooks contributed in the phases.
    contributions: Contributions,
    /// Whether the prompt was taken, so that there is a turn to look back on.
    taken: bool,
    /// The first halt that a hook asked for.
    halted: Option<Halt>,
    iterations: u32,
    /// How often hooks at `post_model_call` continued.
    continues: u32,
    /// How often hooks at `stop` continued since the last tool call.
    stop_continues: u32,
    /// Whether one ever did.
    stop_hook_active: bool,
    /// What hooks put beside the results of tools, until all results of a message are there.
    beside: Vec<String>,
    /// Answers of tools that somebody else says, until then too.
    aside: Vec<Message>,
    repeats: Repeats,
    /// What the conversation counts for in the model's window.
    counted: Counted,
    reply: Spoken,
    /// The tokens of all calls of models.
    usage: Usage,
}

/// What goes with the answer.
#[derive(Default)]
struct Spoken {
    contexts: hooks_core::verdict::Contexts,
    system_messages: Vec<String>,
}

/// Runs a turn to its end, whatever happens in it.
pub(crate) async fn run(start: Start) -> Reply {
    let Start { session, prompt, message, number, events, cancellation } = start;
    // A turn sees one set from its start to its end.
    let hooks = session.parts.scope(&session.agent, prompt.as_ref());
    let cx = session.cx.to_builder().turn(number).request(session.request(number));
    let cx = match &prompt {
        Some(prompt) => cx.prompt(prompt.name.as_str()),
        None => cx,
    };
    let to_end = cx.cancellation(CancellationToken::new()).build();
    let hooks = match hooks {
        Ok(hooks) => hooks,
        Err(error) => return session.told(&to_end, Reply::of(crate::reply::Outcome::Failed(error.into()))),
    };
    let mut turn = Turn {
        cx: to_end.to_builder().cancellation(cancellation.clone()).build(),
        to_end,
        system_prompt: session.system_prompt.clone(),
        tools: session.parts.offered().collect(),
        contributions: Contributions::default(),
        taken: false,
        input: message.text().into_owned(),
        session,
        hooks,
        cancellation,
        events,
        view: Messages::default(),
        lineage: Lineage::default(),
        added: Messages::default(),
        stored_calls: HashSet::new(),
        started: HashSet::new(),
        halted: None,
        iterations: 0,
        continues: 0,
        stop_continues: 0,
        stop_hook_active: false,
        beside: Vec::new(),
        aside: Vec::new(),
        repeats: Repeats::default(),
        counted: Counted::default(),
        reply: Spoken::default(),
        usage: Usage::default(),
    };
    // Models, tools and the like are guarded where they are called; whatever else of the app's code panics ends here.
    let ending = match AssertUnwindSafe(turn.answer(message)).catch_unwind().await {
        Ok(ending) => ending,
        Err(panic) => Err(Exit::from(TurnError::Panicked(panics::told(panic)))),
    };
    let (session, cx) = (Arc::clone(&turn.session), turn.to_end.clone());
    session.told(&cx, turn.end(ending).await)
}

impl Turn {
    /// The order of a turn.
    async fn answer(&mut self, prompt: Message) -> Result<Ending, Exit> {
        self.submit(prompt).await?;
        loop {
            if self.iterations >= self.limits().iterations
                && let Some(ending) = self.stop(StopReason::MaxIterations, None).await?
            {
                return Ok(ending);
            }
            self.make_room().await?;
            let said = self.ask().await?;
            let reason = match said {
                Said::Again => continue,
                Said::Calls(message) => {
                    self.iterate(message).await?;
                    if !self.repeats.going_round(self.limits().repeats) {
                        continue;
                    }
                    StopReason::DoomLoop
                }
                Said::Answer { message, cut } => {
                    let reason = if cut { StopReason::LengthTruncation } else { StopReason::FinalResponse };
                    if let Some(ending) = self.stop(reason, Some(message)).await? {
                        return Ok(ending);
                    }
                    continue;
                }
            };
            if let Some(ending) = self.stop(reason, None).await? {
                return Ok(ending);
            }
        }
    }

    /// Stores what the model said, and runs what it asks for.
    async fn iterate(&mut self, message: Message) -> Result<(), Exit> {
        let calls: Vec<_> = message.tool_calls().cloned().collect();
        self.store(message).await?;
        // A hook at `stop` may continue anew: the turn got on.
        self.stop_continues = 0;
        for call in calls {
            self.repeats.note(&call);
            self.run_tool(call).await?;
        }
        for message in std::mem::take(&mut self.aside) {
            self.store(message).await?;
        }
        // Not between two results, which providers want one after the other.
        if !self.beside.is_empty() {
            self.view.push(beside::results(&std::mem::take(&mut self.beside)));
        }
        self.go_on(ExitReason::AbortedDuringTools)
    }

    /// The profile that calls go to where no hook routes them elsewhere.
    fn profile(&self) -> String {
        self.session.parts.models.get(None).map(|(profile, _)| profile.to_owned()).unwrap_or_default()
    }

    fn limits(&self) -> &Limits {
        &self.session.parts.limits
    }

    /// Tells what happens, where somebody listens.
    fn tell(&self, event: impl FnOnce() -> TurnEvent) {
        if !self.events.is_closed() {
            // They may have gone meanwhile.
            let _ = self.events.send(event());
        }
    }
}
