//! Two pieces of code in turn, and the median of their ratios.

use std::time::{Duration, Instant};

/// What a row came to, in nanoseconds per call.
pub(crate) struct Measured {
    pub(crate) ours: f64,
    pub(crate) floor: f64,
    pub(crate) ratio: f64,
    /// Of one call of ours, and of the floor.
    pub(crate) allocations: Option<(u64, u64)>,
}

const PAIRS: usize = 61;
/// A batch takes about this long.
const BATCH: Duration = Duration::from_millis(3);

/// Times `ours` against `floor`.
pub(crate) fn pair(mut ours: impl FnMut(), mut floor: impl FnMut()) -> Measured {
    let allocations = (count(&mut ours), count(&mut floor));
    let (ours_per_batch, floor_per_batch) = (calls_per_batch(&mut ours), calls_per_batch(&mut floor));
    let mut pairs: Vec<(f64, f64)> =
        (0..PAIRS).map(|_| (batch(&mut ours, ours_per_batch), batch(&mut floor, floor_per_batch))).collect();
    Measured { allocations: Some(allocations), ..summary(&mut pairs) }
}

/// The medians of pairs of nanoseconds.
pub(crate) fn summary(pairs: &mut [(f64, f64)]) -> Measured {
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let ours = median(&mut pairs.iter().map(|pair| pair.0).collect());
    let floor = median(&mut pairs.iter().map(|pair| pair.1).collect());
    let ratio = median(&mut pairs.iter().map(|pair| pair.0 / pair.1).collect());
    Measured { ours, floor, ratio, allocations: None }
}

fn count(call: &mut impl FnMut()) -> u64 {
    call(); // what is made once is made now
    allocation_counter::measure(call).count_total
}

fn calls_per_batch(call: &mut impl FnMut()) -> u32 {
    let mut calls = 1;
    loop {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        if start.elapsed() >= BATCH || calls >= 1 << 24 {
            return calls;
        }
        calls *= 2;
    }
}

/// Nanoseconds per call.
fn batch(call: &mut impl FnMut(), calls: u32) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}

/// Runs a future that is ready at its first poll, where it stands: awaiting one does not move it either.
macro_rules! ready {
    ($future:expr) => {
        match std::future::Future::poll(
            std::pin::pin!($future),
            &mut std::task::Context::from_waker(std::task::Waker::noop()),
        ) {
            std::task::Poll::Ready(value) => value,
            std::task::Poll::Pending => panic!("the benchmark's futures are ready at once"),
        }
    };
}

pub(crate) use ready;

/// A time with three digits, in its unit.
pub(crate) fn time(nanos: f64) -> String {
    match nanos {
        n if n < 1e3 => format!("{n:.1} ns"),
        n if n < 1e6 => format!("{:.1} µs", n / 1e3),
        n => format!("{:.1} ms", n / 1e6),
    }
}
