//! One way to measure a dispatch, the same for every Rust program here.
//!
//! A program adds its cases and calls [`Sitting::run`]. The cases take turns, batch by batch, so that a drifting clock hits
//! all alike; each prints one line of JSON with the median of its batches. Everything async runs on one current-thread
//! Tokio runtime, and a whole batch within one `block_on`, so that entering the runtime is in no figure.

mod batch;
mod locked;

use std::rc::Rc;

use serde::Serialize;
use tokio::runtime::Runtime;

use batch::{Batch, Timed};
pub use locked::locked;

/// The text that flows through every system here.
pub const TEXT: &str = "the weather in Geneva, yesterday";
/// What a hook that writes puts in its place, and back again: each write is a change.
pub const REPLACEMENT: &str = "the weather in Zurich, as of now";
/// How many hooks stand at the point.
pub const COUNTS: [usize; 4] = [0, 1, 8, 32];

/// The body of every hook that writes: the other of the two texts, as a string of its own.
#[must_use]
pub fn other(text: &str) -> String {
    if text == TEXT { REPLACEMENT } else { TEXT }.to_owned()
}

/// Who is measured.
#[derive(Clone, Debug, Serialize)]
pub struct Peer {
    #[serde(rename = "peer")]
    pub name: &'static str,
    pub role: Role,
    pub version: String,
    /// Whether a hook that panics or raises leaves its caller and the other hooks running.
    pub isolates: bool,
    /// Whether the hooks in force can be chosen while the program runs.
    pub chosen_at_run_time: bool,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The product.
    Ours,
    /// Written by hand, in the same program as ours.
    Floor,
    /// Another system.
    Peer,
    /// A line to orient oneself by: it does not do the same work.
    Reference,
}

/// Only rows of one class may be compared.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    Sync,
    Async,
    /// Ours alone, against itself.
    Scale,
}

/// What the hooks do.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Nothing, and the payload is out of their reach: it goes through a `black_box` as a reference.
    Read,
    /// Nothing, though they might change the payload, which goes through a `black_box`.
    Pass,
    /// Put a new string into one field of the payload.
    Write,
    /// There are hooks, and none at this point.
    Unmatched,
}

/// What a case is called in the table.
#[derive(Clone, Debug, Serialize)]
pub struct Label {
    pub class: Class,
    pub body: Body,
    pub variant: &'static str,
    pub n: usize,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    peer: &'a Peer,
    #[serde(flatten)]
    label: &'a Label,
    ns: f64,
    /// Allocations of one call, and their bytes.
    allocs: u64,
    bytes: u64,
}

struct Case {
    peer: Rc<Peer>,
    label: Label,
    batch: Box<dyn Batch>,
}

/// The cases of one program.
pub struct Sitting {
    runtime: Rc<Runtime>,
    peer: Rc<Peer>,
    cases: Vec<Case>,
}

impl Sitting {
    /// A sitting whose cases are those of `peer`, until [`of`](Self::of) names another.
    ///
    /// # Panics
    /// If there is no runtime to be had.
    #[must_use]
    pub fn new(peer: Peer) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        Self { runtime: Rc::new(runtime), peer: Rc::new(peer), cases: Vec::new() }
    }

    /// The cases added from now on are those of `peer`.
    pub fn of(&mut self, peer: Peer) -> &mut Self {
        self.peer = Rc::new(peer);
        self
    }

    /// The runtime, to set something up on.
    #[must_use]
    pub fn runtime(&self) -> Rc<Runtime> {
        Rc::clone(&self.runtime)
    }

    /// Adds a call that returns when it is done.
    pub fn call(&mut self, label: Label, call: impl FnMut() + 'static) {
        self.add(label, batch::Plain(call));
    }

    /// Adds a call that has to be awaited.
    pub fn awaited(&mut self, label: Label, call: impl AsyncFnMut() + 'static) {
        let runtime = Rc::clone(&self.runtime);
        self.add(label, batch::Awaited { call, runtime });
    }

    fn add(&mut self, label: Label, batch: impl Batch + 'static) {
        self.cases.push(Case { peer: Rc::clone(&self.peer), label, batch: Box::new(batch) });
    }

    /// Measures every case and prints its line. `--ms 10` says how long a case takes in all.
    pub fn run(self) {
        let total = batch::time_per_case(std::env::args());
        let mut timed: Vec<(Case, Timed)> = self
            .cases
            .into_iter()
            .map(|mut case| {
                let timed = Timed::new(case.batch.as_mut(), total);
                (case, timed)
            })
            .collect();
        for _ in 0..batch::PASSES {
            for (case, timed) in &mut timed {
                timed.pass(case.batch.as_mut());
            }
        }
        for (case, timed) in &mut timed {
            let line = Line {
                peer: &case.peer,
                label: &case.label,
                ns: timed.median(),
                allocs: timed.allocations,
                bytes: timed.bytes,
            };
            println!("{}", serde_json::to_string(&line).expect("plain data"));
        }
    }
}
