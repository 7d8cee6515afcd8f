//! An answer that is streamed in ten thousand pieces, with a hook that withholds some of it, and without one.

use std::time::{Duration, Instant};

use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::StreamDelta;
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::{Harness, Limits, TurnEvent};
use tokio::runtime::Runtime;

use crate::median;

const CHUNKS: usize = 10_000;
const ROUNDS: usize = 15;

/// Streams one word at a time.
struct Streams;

impl Model for Streams {
    fn call<'a>(&'a self, _: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            for _ in 0..CHUNKS {
                deltas.text("word ");
                tokio::task::yield_now().await;
            }
            Ok(ModelAnswer::text("word ".repeat(CHUNKS)))
        })
    }
}

/// The duration, and the number of pieces shown.
async fn run(hook: Option<Hook>) -> (Duration, usize) {
    let registry = Registry::empty();
    if let Some(hook) = hook {
        registry.register(hook).unwrap();
        registry.set_app(AppDef::new("app").hooks(["mask"]));
    }
    let mut limits = Limits::default();
    limits.events = 4 * CHUNKS;
    let harness = Harness::builder(registry).model("main", Streams).limits(limits).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    let start = Instant::now();
    let (mut turn, mut pieces) = (session.turn(None, "hi"), 0);
    while let Some(event) = turn.next().await {
        pieces += usize::from(matches!(event, TurnEvent::Text(_)));
    }
    turn.await;
    (start.elapsed(), pieces)
}

fn mask() -> Hook {
    let hook = Hook::at::<StreamDelta>("mask").reader(|_, _, window: &String| {
        if window.contains("secret") { Permission::deny("secret") } else { Permission::NoOpinion }
    });
    hook.hold(200)
}

pub(crate) fn report(runtime: &Runtime) {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let ((none, shown), (held, _)) = (runtime.block_on(run(None)), runtime.block_on(run(Some(mask()))));
        // Without a hook nothing is withheld: each piece is shown immediately.
        assert_eq!(shown, CHUNKS);
        rounds.push((none.as_secs_f64(), held.as_secs_f64()));
    }
    #[allow(clippy::cast_precision_loss, reason = "ten thousand")]
    let each = |of: fn(&(f64, f64)) -> f64| median(rounds.iter().map(of)) / CHUNKS as f64 * 1e9;
    let ratio = median(rounds.iter().map(|(none, held)| held / none));
    println!(
        "| a piece of an answer in {CHUNKS}, a hook holds 200 characters | {:.0} ns | {:.0} ns without a hook, each shown as it came | {ratio:.2}x | 3.00x |",
        each(|round| round.1),
        each(|round| round.0),
    );
}
