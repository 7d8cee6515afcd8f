//! Concurrent turns with a slow model.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hook_sdk::hook::BoxFuture;
use hooks_agent::Harness;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use tokio::runtime::Runtime;

use crate::{hooks, median};

const TURNS: usize = 1_000;
const ROUNDS: usize = 11;
/// The duration of a model call.
const CALL: Duration = Duration::from_millis(50);

struct Slow;

impl Model for Slow {
    fn call<'a>(&'a self, _: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async {
            tokio::time::sleep(CALL).await;
            Ok(ModelAnswer::text("it is this"))
        })
    }
}

/// The duration of `count` concurrent turns, each in its own conversation.
async fn run(count: usize) -> Duration {
    let harness = Harness::builder(hooks::registry(20)).model("main", Slow).build().unwrap();
    let agent = hooks::agent(20);
    let mut sessions = Vec::with_capacity(count);
    for id in 0..count {
        sessions.push(harness.session(id.to_string(), agent.clone()).open().await.unwrap());
    }
    let start = Instant::now();
    join_all(sessions.iter().map(|session| session.turn(None, "what is it?").into_future())).await;
    start.elapsed()
}

pub(crate) fn report() {
    // Like in an app with so many turns.
    let runtime = Runtime::new().unwrap();
    let time = |count| median((0..ROUNDS).map(|_| runtime.block_on(run(count)).as_secs_f64()));
    let (one, all) = (time(1), time(TURNS));
    println!(
        "| {TURNS} turns at once, with 20 hooks, a call takes {CALL:?} | {:.1} ms | {:.1} ms for one | {:.2}x | 1.30x |",
        all * 1e3,
        one * 1e3,
        all / one
    );
}
