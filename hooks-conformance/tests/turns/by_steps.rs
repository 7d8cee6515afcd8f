//! A loop written with the steps, which streams and compacts, with one fault or none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hook_sdk::data::{Block, CompactedHistory, ModelAnswer, Role};
use hook_sdk::kinds::{
    BeforeCompaction, BeforeCreateMessage, BeforeToolCall, CompactionKind, CompactionTrigger, PostCompact, PostTurn,
    StreamChannel, StreamDelta,
};
use hook_sdk::prelude::*;
use hook_sdk::protocol::{Approval, NextStep, StepError, StepErrorKind, ToolQuestion};
use hook_sdk::verdict::Decision;
use hooks_conformance::{AgentLoop, World};

use crate::faults::Fault;

/// A loop written with the steps has no line of its own about what hooks answer.
pub(crate) struct BySteps {
    pub(crate) asks: bool,
    pub(crate) fault: Option<Fault>,
}

struct Steps<'a> {
    fault: Option<Fault>,
    asks: bool,
    hooks: &'a HookSet,
    cx: HookContext,
    world: &'a World,
    stored: Messages,
}

impl Steps<'_> {
    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn keep(&mut self, row: Message) {
        self.world.store(&row);
        self.stored.push(row);
    }

    async fn put(&mut self, row: Message) -> Result<Message, StepError> {
        let (hooks, cx) = (self.hooks, self.cx.clone());
        if self.has(Fault::JudgesRowsTwice) {
            let _again = hooks.fire(&cx, &BeforeCreateMessage::new(), row.clone()).await?;
        }
        hooks.store(&cx, row, async |row| self.keep(row)).await
    }

    /// Gives each open call a result of its own.
    fn close(&mut self, why: &str) {
        let open: Vec<ToolCall> = self.stored.open_calls().cloned().collect();
        for row in open.iter().flat_map(|call| ToolResult::error(why).into_messages(call)) {
            self.keep(row);
        }
    }

    async fn run(&mut self) -> Result<String, StepError> {
        let (hooks, cx, world) = (self.hooks, self.cx.clone(), self.world);
        let begin = if self.has(Fault::ForgetsTheConversation) { Messages::default() } else { self.stored.clone() };
        let step = hooks.prompt(&cx, world.prompt(), &begin);
        let mut messages = match step.store(async |row| self.keep(row)).await {
            Err(_) if self.has(Fault::HidesTheErrorOfAPrompt) => return Ok(String::new()),
            messages => messages?,
        };
        compact(hooks, &cx, &mut messages, self.fault).await.map_err(|why| StepErrorKind::Caller(why.into()))?;
        let mut continued = 0;
        loop {
            let mut copy = messages.clone();
            let sent = if self.has(Fault::CallsTheModelWithACopy) { &mut copy } else { &mut messages };
            let step = hooks.model_call(&cx, ModelRequest::new("Be kind."), sent);
            let streamed = AtomicBool::new(false);
            let reply = step.run(async |request, messages| {
                let mut answer = ModelAnswer::new(world.model(&request, &messages));
                for text in answer.content.iter().filter_map(|block| block.as_text()).filter(|_| !request.defer_output)
                {
                    stream(hooks, &cx, world, text, None).await?;
                    streamed.store(true, Ordering::Relaxed);
                }
                answer.streamed = streamed.load(Ordering::Relaxed);
                Ok::<_, String>(answer)
            });
            let mut reply = match reply.await {
                Err(_) if self.has(Fault::HidesTheErrorOfAModelCall) => return Ok(String::new()),
                reply => reply?,
            };
            if reply.tool_calls().next().is_none() {
                let step = hooks.stop(&cx, reply, &mut continued);
                match step.store(async |row| self.keep(row)).await? {
                    NextStep::End { answer, notices } => {
                        for text in &notices {
                            world.show(text);
                        }
                        let shown = streamed.into_inner();
                        return Ok(if shown { String::new() } else { answer.text().into_owned() });
                    }
                    NextStep::Continue { answer, follow_up, notices } => {
                        for text in &notices {
                            world.show(text);
                        }
                        messages.push(answer);
                        messages.push(self.put(follow_up).await?);
                    }
                }
                continue;
            }
            if self.has(Fault::DropsTheTextBesideACall) {
                reply = without_text(&reply);
            }
            let mut calls: Vec<ToolCall> = reply.tool_calls().cloned().collect();
            let row = self.put(reply).await?;
            if self.has(Fault::RunsTheInputOfTheRow) {
                calls = row.tool_calls().cloned().collect();
            }
            messages.push(row);
            for call in &calls {
                let result = self.call(call, &messages).await?;
                for message in result.into_messages(call) {
                    messages.push(self.put(message).await?);
                }
            }
        }
    }

    async fn call(&self, call: &ToolCall, messages: &Messages) -> Result<ToolResult, StepError> {
        let (hooks, world) = (self.hooks, self.world);
        let cx = if self.has(Fault::GatesInAnotherContext) { HookContext::new() } else { self.cx.clone() };
        if self.has(Fault::GatesTwice) {
            let _again = hooks.fire(&cx, &BeforeToolCall::new(call.clone()), call.input.clone()).await?;
        }
        let mut step = hooks.tool_call(&cx, call);
        if !self.has(Fault::TellsHooksNoHistory) {
            step = step.history(messages);
        }
        let tool = async |input: ToolInput| {
            let result = world.tool(call, &input);
            if self.has(Fault::NeverEnds) && result.is_err() {
                std::future::pending::<()>().await;
            }
            result
        };
        if !self.asks {
            return step.run_up_to(3, tool).await;
        }
        step.ask(async |asked| ask(world, asked, self.fault)).run_up_to(3, tool).await
    }

    /// Ends a turn early.
    async fn end(&mut self, error: &StepError) {
        let waits = matches!(error.kind(), StepErrorKind::Suspended(_));
        for row in error.close_calls(&self.stored) {
            let _unmasked = self.put(row).await;
        }
        if !waits || self.has(Fault::ClosesACallThatWaits) {
            self.close("Not stored.");
        }
        self.world.show(&error.to_string());
    }
}

impl AgentLoop for BySteps {
    fn asks(&self) -> bool {
        self.asks
    }

    fn streams(&self) -> bool {
        true
    }

    async fn turn(&self, hooks: &HookSet, world: &World) {
        let (fault, asks, cx, stored) = (self.fault, self.asks, context(world), world.stored().clone());
        let mut steps = Steps { fault, asks, hooks, cx, world, stored };
        if !steps.has(Fault::LeavesCallsOpen) {
            steps.close("No result was stored before the next prompt.");
        }
        match steps.run().await {
            Ok(answer) => world.show(&answer),
            Err(error) => steps.end(&error).await,
        }
        if !steps.has(Fault::NeverFiresPostTurn) {
            let _halted = hooks.fire(&steps.cx, &PostTurn::new(world.prompt()), ()).await;
        }
    }
}

/// The context of a turn of the only conversation.
pub(crate) fn context(world: &World) -> HookContext {
    let turn = if world.stored().is_empty() { 1 } else { 2 };
    HookContext::builder().conversation("c").turn(turn).build()
}

/// The person's answer, as a loop with this fault understands it.
pub(crate) fn ask(world: &World, mut asked: ToolQuestion, fault: Option<Fault>) -> Approval {
    if fault == Some(Fault::AsksAboutTheOldInput) {
        asked.input.clone_from(&asked.call.input);
    }
    match world.approve(&asked) {
        Approval::No(_) if fault == Some(Fault::HidesThePersonsReason) => false.into(),
        Approval::Suspend if fault == Some(Fault::TakesASuspensionForANo) => false.into(),
        answer => answer,
    }
}

/// A reply without what it says besides its calls.
pub(crate) fn without_text(reply: &Message) -> Message {
    let calls = reply.content.iter().filter(|block| matches!(block, Block::ToolUse(_)));
    Message::of(reply.role, calls.cloned().collect::<Vec<_>>())
}

/// Compacts an earlier turn that was long. The error says why the turn ends.
pub(crate) async fn compact(
    hooks: &HookSet,
    cx: &HookContext,
    messages: &mut Messages,
    fault: Option<Fault>,
) -> Result<(), String> {
    let said: usize = messages.iter().map(|message| message.text().len()).sum();
    if messages.len() < 2 || said < 2_000 || fault == Some(Fault::NeverCompacts) {
        return Ok(());
    }
    let event = BeforeCompaction::new(CompactionTrigger::Auto, CompactionKind::Full, messages.clone());
    let fired = hooks.fire(cx, &event, ()).await.map_err(|error| error.to_string())?;
    if let Some(halt) = &fired.report.halt {
        return Err(halt.reason.to_string());
    }
    if fired.verdict.decide() != Decision::Run && fault != Some(Fault::CompactsInSpiteOfADenial) {
        return Ok(());
    }
    let before = messages.len() - 1;
    let last = messages.split_off(before);
    let mut rest = CompactedHistory::new(last.into()).summary("It was long.");
    if fault != Some(Fault::CompactsWithoutHooks) {
        let event = PostCompact::new(CompactionTrigger::Auto, CompactionKind::Full);
        let fired = hooks.fire(cx, &event, rest).await.map_err(|error| error.to_string())?;
        if let Some(halt) = &fired.report.halt {
            return Err(halt.reason.to_string());
        }
        rest = fired.subject;
    }
    *messages = rest.summary.iter().map(|text| Message::new(Role::User, text.as_str())).collect();
    messages.extend(rest.messages.iter().cloned());
    Ok(())
}

/// Shows a text in pieces, as the hooks leave them. The error says why it is not shown to its end.
pub(crate) async fn stream(
    hooks: &HookSet,
    cx: &HookContext,
    world: &World,
    text: &str,
    fault: Option<Fault>,
) -> Result<(), String> {
    let has = |one: Fault| fault == Some(one);
    let (mut shown, mut held) = (Arc::new(String::new()), String::new());
    let pieces = world.pieces(text);
    // The last window comes after the last piece, because a loop knows only then that it was the last one.
    for (at, piece) in pieces.iter().map(String::as_str).chain([""]).enumerate() {
        let last = at == pieces.len();
        if has(Fault::ForgetsTheLastWindow) && last {
            break;
        }
        held.push_str(piece);
        let unread = has(Fault::StreamsWithoutHooks) || (has(Fault::JudgesTheFirstWindowOnly) && at > 0);
        let mut window = std::mem::take(&mut held);
        if !unread {
            let told = if has(Fault::StreamsWithoutWhatWasShown) { Arc::default() } else { shown.clone() };
            let event = StreamDelta::new(StreamChannel::Text).shown(told).fresh(piece.chars().count());
            let event = event.last(last && !has(Fault::NeverSaysThatAWindowIsTheLast));
            let fired = hooks.fire(cx, &event, window.clone()).await.map_err(|error| error.to_string())?;
            let halt = fired.report.halt.as_ref().filter(|_| !has(Fault::IgnoresAHaltInAStream));
            if let Some(halt) = halt {
                return Err(halt.reason.to_string());
            }
            match fired.verdict.decide() {
                Decision::Run => {}
                Decision::Ask(_) if has(Fault::StreamsAQuestion) => {}
                _ if has(Fault::IgnoresADenialInAStream) || has(Fault::IgnoresAHaltInAStream) => {}
                _ => return Err("a hook stopped the answer".to_owned()),
            }
            if !has(Fault::StreamsTheOldWindow) {
                window = fired.subject;
            }
        }
        let holds = !last && !has(Fault::HoldsNothing);
        let rest = if holds { hooks.hold::<StreamDelta>().of(&window) } else { "" };
        let piece = &window[..window.len() - rest.len()];
        world.show(piece);
        Arc::make_mut(&mut shown).push_str(piece);
        held = rest.to_owned();
    }
    Ok(())
}
