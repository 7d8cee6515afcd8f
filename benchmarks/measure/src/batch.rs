//! Batches of calls, timed.

use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

/// How often a case has its turn.
pub(crate) const PASSES: u32 = 5;

/// Some calls in a row.
pub(crate) trait Batch {
    fn run(&mut self, calls: u32) -> Duration;
}

pub(crate) struct Plain<F>(pub(crate) F);

impl<F: FnMut()> Batch for Plain<F> {
    fn run(&mut self, calls: u32) -> Duration {
        let start = Instant::now();
        (0..calls).for_each(|_| (self.0)());
        start.elapsed()
    }
}

pub(crate) struct Awaited<F> {
    pub(crate) call: F,
    pub(crate) runtime: Rc<Runtime>,
}

impl<F: AsyncFnMut()> Batch for Awaited<F> {
    fn run(&mut self, calls: u32) -> Duration {
        self.runtime.block_on(async {
            let start = Instant::now();
            for _ in 0..calls {
                (self.call)().await;
            }
            start.elapsed()
        })
    }
}

/// What is known of a case so far.
pub(crate) struct Timed {
    calls: u32,
    nanos: Vec<f64>,
    pub(crate) allocations: u64,
    pub(crate) bytes: u64,
}

impl Timed {
    /// Finds out how many calls make a batch, and what one call allocates.
    pub(crate) fn new(batch: &mut dyn Batch, total: Duration) -> Self {
        let (each, mut calls) = (total / PASSES, 1);
        while batch.run(calls) < each && calls < 1 << 24 {
            calls *= 2;
        }
        // What a batch costs beside its calls is in both, and cancels out.
        let one = allocation_counter::measure(|| _ = batch.run(1));
        let two = allocation_counter::measure(|| _ = batch.run(2));
        Self {
            calls,
            nanos: Vec::new(),
            allocations: two.count_total.saturating_sub(one.count_total),
            bytes: two.bytes_total.saturating_sub(one.bytes_total),
        }
    }

    pub(crate) fn pass(&mut self, batch: &mut dyn Batch) {
        let took = batch.run(self.calls);
        self.nanos.push(took.as_secs_f64() * 1e9 / f64::from(self.calls));
    }

    pub(crate) fn median(&mut self) -> f64 {
        self.nanos.sort_by(f64::total_cmp);
        self.nanos[self.nanos.len() / 2]
    }
}

/// The number after `--ms`; 10 where there is none.
pub(crate) fn time_per_case(arguments: impl Iterator<Item = String>) -> Duration {
    let after = arguments.skip_while(|argument| argument != "--ms").nth(1);
    Duration::from_millis(after.and_then(|number| number.parse().ok()).unwrap_or(10))
}
