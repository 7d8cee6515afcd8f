//! Many dispatches with misbehaving commands: each ends as expected, and no processes or descriptors leak. In a
//! separate binary, so that nothing else starts processes or opens descriptors meanwhile.
//!
//! `HOOKS_RULES_FAULTS=10000 cargo test -p hooks-rules --test faults -- --nocapture` is the long run, which prints a
//! table.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]
#![allow(clippy::print_stdout, reason = "the table of the long run")]
#![cfg(all(target_os = "linux", feature = "runner"))]

#[path = "faults/cases.rs"]
mod cases;
#[path = "support/processes.rs"]
mod processes;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cases::{Case, Expected, all};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_rules::{RuleRun, Rules, RunOutcome};
use processes::{descriptors, gone, none, started, zombies};

/// The number of concurrent dispatches.
const AT_A_TIME: usize = 12;

/// The results of a case, with counts.
type Counts = Arc<Mutex<BTreeMap<String, usize>>>;

/// A case, ready to be fired.
struct Ready {
    case: Case,
    rules: Rules,
    set: HookSet,
    observed: Counts,
    done: AtomicUsize,
    dropped: AtomicUsize,
}

impl Ready {
    fn new(case: Case) -> Self {
        let observed = Counts::default();
        let counts = Arc::clone(&observed);
        let tell = move |run: &RuleRun| *counts.lock().unwrap().entry(words(run)).or_default() += 1;
        let rules = Rules::builder().text("hooks.json", case.text()).observe(tell).build();
        assert!(rules.defects().is_empty(), "{:?}", rules.defects());
        let registry = Registry::empty();
        registry.set_app(AppDef::new("desk").hooks(rules.install(&registry).unwrap()));
        let set = registry.scope(&AgentDef::new("clerk"), None).unwrap();
        Self { case, rules, set, observed, done: AtomicUsize::new(0), dropped: AtomicUsize::new(0) }
    }

    /// Fires once. With `drop_after`, the dispatch is dropped after that time.
    async fn fire(&self, event: &UserPromptSubmit, drop_after: Option<Duration>) {
        let cx = HookContext::new();
        let fire = self.set.fire(&cx, event, Messages::default());
        let fired = match drop_after {
            None => fire.await,
            Some(limit) => match tokio::time::timeout(limit, fire).await {
                Ok(fired) => fired,
                Err(_) => {
                    self.dropped.fetch_add(1, Ordering::Relaxed);
                    return;
                }
            },
        };
        let blocks = matches!(fired.unwrap().verdict.decision, PromptDecision::Block(_));
        assert_eq!(
            blocks,
            self.case.expected == Expected::Blocks,
            "{}: {:?}",
            self.case.name,
            self.observed.lock().unwrap()
        );
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Every dispatch that was not dropped was reported with the expected end.
    fn check(&self) {
        let observed = self.observed.lock().unwrap();
        let done = self.done.load(Ordering::Relaxed);
        let dropped = self.dropped.load(Ordering::Relaxed);
        println!("{:<44} {done:>6} {dropped:>6}   {observed:?}", self.case.name);
        let as_said =
            observed.iter().filter(|(words, _)| self.case.expected.fits(words)).map(|(_, count)| count).sum::<usize>();
        assert_eq!(as_said, done, "{}: {observed:?}", self.case.name);
        let otherwise = observed.values().sum::<usize>() - as_said;
        // The end of a background run is reported in addition to its start, also if the start was dropped.
        let allowed = if self.case.expected == Expected::Detached { done + dropped } else { 0 };
        assert!(otherwise <= allowed, "{}: {observed:?}", self.case.name);
    }
}

fn words(run: &RuleRun) -> String {
    match (run.outcome, run.code, &run.failure) {
        (RunOutcome::Answered, Some(code), _) => format!("answered {code}"),
        (RunOutcome::Failed, _, Some(why)) => why.clone(),
        (outcome, ..) => format!("{outcome:?}"),
    }
}

/// The maximum memory of this process so far, in MiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() >> 10
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn misbehaving_commands_leave_no_process_and_no_descriptor() {
    let count = std::env::var("HOOKS_RULES_FAULTS").map_or(120, |count| count.parse().expect("a number"));
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().display().to_string();
    let ready: Arc<Vec<Ready>> = Arc::new(all(folder.path()).into_iter().map(Ready::new).collect());
    // An input that most commands do not read.
    let event = Arc::new(UserPromptSubmit::new("x".repeat(300_000), Messages::default()));

    // The runtime opens some descriptors with the first commands.
    ready[0].fire(&event, None).await;
    let before = descriptors();
    let began = std::time::Instant::now();
    let next = Arc::new(AtomicUsize::new(1));
    let workers = (0..AT_A_TIME).map(|_| {
        let (ready, event, next) = (Arc::clone(&ready), Arc::clone(&event), Arc::clone(&next));
        tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                // Every eighth is dropped before, while or after its command runs.
                let drop_after = (number % 8 == 3).then(|| Duration::from_millis((number as u64 * 7) % 60));
                let rare = number % 250 == 7;
                let cases: Vec<_> = ready.iter().filter(|ready| ready.case.rare == rare).collect();
                let turn = if rare { number / 250 } else { number };
                cases[turn % cases.len()].fire(&event, drop_after).await;
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    let took = began.elapsed();
    for ready in ready.iter() {
        ready.rules.shutdown(Duration::from_secs(20)).await;
    }
    gone(&mark).await;
    none(started).await;
    let settled = async {
        while !zombies().is_empty() || descriptors() > before {
            tokio::task::yield_now().await;
        }
    };
    let settled = tokio::time::timeout(Duration::from_secs(20), settled).await;
    assert!(settled.is_ok(), "zombies {:?}, descriptors {before} -> {}", zombies(), descriptors());

    println!("{:<44} {:>6} {:>6}   reported", "case", "done", "dropped");
    ready.iter().for_each(Ready::check);
    let total =
        |number: fn(&Ready) -> &AtomicUsize| ready.iter().map(|r| number(r).load(Ordering::Relaxed)).sum::<usize>();
    let (done, dropped) = (total(|ready| &ready.done), total(|ready| &ready.dropped));
    println!(
        "{done} done and {dropped} dropped in {took:.1?}; descriptors {before} -> {}; peak {} MiB",
        descriptors(),
        peak()
    );
    assert_eq!(done + dropped, count);
    // For each concurrent run: two streams of 1 MiB, an input, and copies of them.
    assert!(peak() < 512, "{} MiB", peak());
}
