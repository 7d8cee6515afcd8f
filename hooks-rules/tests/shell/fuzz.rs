//! A differential fuzzer: what bash runs, the filter selects.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::grammar::Grammar;
use super::stubs::Stubs;
use super::{Numbers, lines, selects};

const RULES: [&str; 2] = ["Bash(rm *)", "Bash(rm:*)"];

/// What was judged.
#[derive(Default)]
struct Judged {
    lines: usize,
    ran: usize,
    missed: Vec<String>,
}

impl Judged {
    fn judge(&mut self, stubs: &Stubs, line: &str) {
        let line = &stubs.line(line);
        self.lines += 1;
        if line.contains('\0') || !stubs.calls(line).iter().any(|call| call.starts_with("rm ")) {
            return;
        }
        self.ran += 1;
        // What an earlier line left in the background may have been seen. It is not seen again.
        let runs_again = || (0..2).any(|_| stubs.calls(line).iter().any(|call| call.starts_with("rm ")));
        if RULES.iter().any(|rule| !selects(rule, line)) && runs_again() {
            println!("missed {line:?}");
            self.missed.push(line.clone());
        }
    }
}

/// Every entry of the grammar, in four threads.
#[test]
fn every_disguise_of_the_grammar_is_selected() {
    let lines = Grammar::each();
    let folder = tempfile::tempdir().unwrap();
    let next = AtomicUsize::new(0);
    let look = |worker: usize| {
        let stubs = Stubs::new(folder.path().join(worker.to_string())).with_git_itself();
        let mut judged = Judged::default();
        while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            judged.judge(&stubs, line);
        }
        judged
    };
    let judged = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|worker| scope.spawn(move || look(worker))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    let ran: usize = judged.iter().map(|judged| judged.ran).sum();
    let missed: Vec<&String> = judged.iter().flat_map(|judged| &judged.missed).collect();
    println!("{} lines, {ran} ran the program", lines.len());
    assert!(missed.is_empty(), "missed {missed:#?}");
    assert!(ran > lines.len() / 2, "only {ran} of {} ran it", lines.len());
}

/// `HOOKS_RULES_SHELL_MINUTES=60 HOOKS_RULES_SHELL_SEED=7 cargo test -p hooks-rules --test it shell::fuzz -- --nocapture`
/// is the long run, which also mixes lines.
#[test]
fn what_bash_runs_is_selected() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let minutes = number("HOOKS_RULES_SHELL_MINUTES");
    let folder = tempfile::tempdir().unwrap();
    let stubs = Stubs::new(folder.path().join("stubs")).with_git_itself();
    let stubs = if minutes.is_some() { stubs.guarded() } else { stubs };
    let mut grammar = Grammar(Numbers(number("HOOKS_RULES_SHELL_SEED").unwrap_or(1)));
    let mut judged = Judged::default();
    // The long run also changes the lines of earlier ones.
    let stored = lines::stored().map(|line| line.replace("git push", "rm x"));
    let mut pool: Vec<String> =
        if minutes.is_some() { stored.filter(|line| line.len() < 400).collect() } else { Vec::new() };
    let end = minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    while end.map_or(judged.lines < 250, |end| Instant::now() < end) {
        let made = grammar.line();
        if minutes.is_none() {
            judged.judge(&stubs, &made);
            continue;
        }
        let before = judged.ran;
        let line = match (grammar.0.below(2), pool.len()) {
            (0, 1..) => {
                let from = grammar.0.below(pool.len());
                grammar.mixed(&pool[from].clone(), &made)
            }
            _ => made,
        };
        judged.judge(&stubs, &line);
        // A line that ran something is worth changing.
        if judged.ran > before && line.len() < 400 {
            if pool.len() < 6_000 {
                pool.push(line);
            } else {
                let at = grammar.0.below(pool.len());
                pool[at] = line;
            }
        }
        if judged.lines % 1_000 == 0 {
            let control = stubs.calls("rm x");
            assert!(control.iter().any(|call| call == "rm x"), "a line has broken the programs: {control:?}");
            println!("{} lines, {} ran the program, {} missed", judged.lines, judged.ran, judged.missed.len());
        }
    }
    let Judged { lines, ran, missed } = judged;
    println!("{lines} lines, {ran} ran the program, {} missed", missed.len());
    assert!(missed.is_empty(), "missed {} of {ran}:\n{}", missed.len(), missed.join("\n%%\n"));
    assert!(ran > lines / 4, "only {ran} of {lines} ran it");
}
