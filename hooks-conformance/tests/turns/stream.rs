//! The stream of both loops: an answer is shown in pieces, as the hooks leave them.

use std::sync::Arc;

use hook_sdk::kinds::{StreamChannel, StreamDelta};
use hook_sdk::prelude::*;
use hook_sdk::verdict::Decision;
use hooks_conformance::World;

use crate::faults::Fault;

/// Shows a text. The error says why it is not shown to its end.
pub(crate) async fn show(
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
