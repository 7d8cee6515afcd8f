//! A loop written with the steps, which streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hook_sdk::data::ModelAnswer;
use hook_sdk::kinds::{StreamChannel, StreamDelta};
use hook_sdk::prelude::*;
use hook_sdk::protocol::{NextStep, StepError};
use hook_sdk::verdict::Decision;
use hooks_conformance::{AgentLoop, World};

use crate::faults::Fault;

/// A loop written with the steps has no line of its own about what hooks answer.
pub(crate) struct BySteps {
    pub(crate) asks: bool,
}

impl BySteps {
    async fn run(&self, hooks: &HookSet, world: &World, stored: &mut Messages) -> Result<String, StepError> {
        let cx = HookContext::new();
        let mut append = |row: Message| {
            world.store(&row);
            stored.push(row);
        };
        let step = hooks.prompt(&cx, world.prompt(), &Messages::default());
        let mut messages = step.store(async |row| append(row)).await?;
        let mut continued = 0;
        loop {
            let step = hooks.model_call(&cx, ModelRequest::new("Be kind."), &mut messages);
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
            let reply = reply.await?;
            if reply.tool_calls().next().is_none() {
                match hooks.stop(&cx, reply, &mut continued).store(async |row| append(row)).await? {
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
                        messages.push(hooks.store(&cx, follow_up, async |row| append(row)).await?);
                    }
                }
                continue;
            }
            let row = hooks.store(&cx, reply, async |row| append(row)).await?;
            messages.push(row.clone());
            for call in row.tool_calls() {
                let step = hooks.tool_call(&cx, call);
                let tool = async |input: ToolInput| world.tool(call, &input);
                let result = if self.asks {
                    step.ask(async |_| world.approve()).run_up_to(3, tool).await?
                } else {
                    step.run_up_to(3, tool).await?
                };
                for message in result.into_messages(call) {
                    messages.push(hooks.store(&cx, message, async |row| append(row)).await?);
                }
            }
        }
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
        let mut stored = Messages::default();
        match self.run(hooks, world, &mut stored).await {
            Ok(answer) => world.show(&answer),
            Err(error) => {
                let cx = HookContext::new();
                for row in error.close_calls(&stored) {
                    let mut append = |row: Message| {
                        world.store(&row);
                        stored.push(row);
                    };
                    let _unmasked = hooks.store(&cx, row, async |row| append(row)).await;
                }
                for call in stored.open_calls() {
                    ToolResult::error("Not stored").into_messages(call).iter().for_each(|row| world.store(row));
                }
                world.show(&error.to_string());
            }
        }
    }
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
