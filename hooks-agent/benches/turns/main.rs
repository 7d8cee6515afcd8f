//! The cost of hooks per turn: conversations through the whole loop with 0, 5 and 20 hooks, of which 5 write, as ratios
//! within one run. The model and the tools answer immediately, so that only the loop and the hooks take time.
//!
//! For comparison, the same functions are called by hand around the model, the tools, the store and the turn, without
//! any guarantees. The difference is the cost of the SDK.
//!
//! The other benchmarks are concurrent turns, a streamed answer, and the memory of open sessions.
//!
//! `cargo bench -p hooks-agent`. For a profiler, `ONCE=hooks-20` and `ONCE=by-hand-20` run each conversation once, and
//! print nothing.
#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints")]

mod at_once;
mod by_hand;
mod hooks;
mod open_sessions;
mod recorded;
mod streamed;

use std::time::{Duration, Instant};

use hook_sdk::prelude::*;
use hooks_agent::Harness;

use by_hand::ByHand;
use recorded::Conversations;

const ROUNDS: usize = 31;

/// How many functions run in a turn, and who calls them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Hooks(usize),
    ByHand(usize),
}

const WAYS: [Way; 5] = [Way::Hooks(0), Way::ByHand(5), Way::Hooks(5), Way::ByHand(20), Way::Hooks(20)];

impl Way {
    /// `hooks-20`, `by-hand-5`.
    fn of(word: &str) -> Option<Self> {
        let (who, count) = word.rsplit_once('-')?;
        let count = count.parse().ok()?;
        match who {
            "hooks" => Some(Self::Hooks(count)),
            "by-hand" => Some(Self::ByHand(count)),
            _ => None,
        }
    }

    fn harness(self, conversations: &Conversations) -> Harness {
        let (registry, by_hand) = match self {
            Self::Hooks(count) => (hooks::registry(count), ByHand(0)),
            Self::ByHand(count) => (Registry::empty(), ByHand(count)),
        };
        conversations.give(Harness::builder(registry), by_hand)
    }

    async fn run(self, harness: &Harness, conversations: &Conversations) {
        let (count, by_hand) = match self {
            Self::Hooks(count) => (count, ByHand(0)),
            Self::ByHand(count) => (0, ByHand(count)),
        };
        let agent = hooks::agent(count);
        for (id, recording) in conversations.each() {
            let session = harness.session(id, agent.clone()).system_prompt(recording.system_prompt());
            let session = session.open().await.unwrap();
            for prompt in recording.prompts() {
                by_hand.before_turn(prompt);
                let reply = session.turn(None, prompt).await;
                by_hand.after_turn(&reply);
            }
        }
    }
}

fn main() {
    let conversations = Conversations::read();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let time = |way: Way| {
        let harness = way.harness(&conversations);
        let start = Instant::now();
        runtime.block_on(way.run(&harness, &conversations));
        start.elapsed()
    };
    if let Ok(word) = std::env::var("ONCE") {
        time(Way::of(&word).expect("`ONCE` is `hooks-20`, `by-hand-5` or the like"));
        return;
    }
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); WAYS.len()];
    for round in 0..=ROUNDS {
        // Interleaved, so that disturbances affect all variants alike. The first round warms up.
        for (way, times) in WAYS.into_iter().zip(&mut times) {
            let took = time(way);
            if round > 0 {
                times.push(took);
            }
        }
    }
    report(&conversations, &times);
    println!("\n| What | ours | baseline | ratio | budget |\n|---|---|---|---|---|");
    at_once::report();
    streamed::report(&runtime);
    open_sessions::report(&runtime);
}

fn report(conversations: &Conversations, times: &[Vec<Duration>]) {
    let turns = conversations.turns();
    println!("{}, {turns} turns, median of {ROUNDS} rounds\n", conversations.what());
    println!("| Hooks | turns a second | ratio to none | the same by hand | hooks to by hand |\n|---|---|---|---|---|");
    let of = |way: Way| WAYS.iter().position(|known| *known == way).and_then(|at| times.get(at)).unwrap();
    #[allow(clippy::cast_precision_loss, reason = "a few thousand turns")]
    let rate = |way: Way| turns as f64 / median(of(way).iter().map(Duration::as_secs_f64));
    let ratio = |way: Way, to: Way| {
        let pairs = of(way).iter().zip(of(to));
        median(pairs.map(|(one, other)| one.as_secs_f64() / other.as_secs_f64()))
    };
    let none = Way::Hooks(0);
    println!("| 0 | {:.0} | | | |", rate(none));
    for count in [5, 20] {
        let (hooks, by_hand) = (Way::Hooks(count), Way::ByHand(count));
        println!(
            "| {count} | {:.0} | {:.2}x | {:.2}x | {:.2}x |",
            rate(hooks),
            ratio(hooks, none),
            ratio(by_hand, none),
            ratio(hooks, by_hand)
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
