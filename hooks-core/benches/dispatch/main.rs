//! What a dispatch costs, as ratios to hand-written floors in the same binary.
//!
//! `cargo bench -p hook-sdk` prints the table. Ours and its floor run in turn, many times, so that a drifting clock
//! hits both alike; the ratio is the median of the pairs. `cargo bench -p hook-sdk -- sync` runs the rows whose name
//! holds the word.

// A benchmark that is wrong stops.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]
// The shapes of its arguments are those of what is measured.
#![allow(clippy::unnecessary_wraps, clippy::large_types_passed_by_value, clippy::needless_pass_by_value)]

mod floors;
mod hooks;
mod measure;
mod rows;

fn main() {
    // `cargo bench` passes `--bench`; anything else is a word to look for.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let rows = rows::all();
    let chosen: Vec<_> = rows
        .iter()
        .filter(|row| wanted.is_empty() || wanted.iter().any(|word| row.name.contains(word.as_str())))
        .collect();
    println!("| What | ours | floor | ratio | budget | goal | allocations |");
    println!("|---|---|---|---|---|---|---|");
    let mut missed = 0;
    for row in chosen {
        let result = (row.run)();
        let within = result.ratio <= row.budget;
        missed += usize::from(!within);
        println!(
            "| {} | {} | {} | {:.2}x | {:.2}x{} | {} | {} |",
            row.name,
            measure::time(result.ours),
            measure::time(result.floor),
            result.ratio,
            row.budget,
            if within { "" } else { " MISSED" },
            row.goal.map_or(String::new(), |goal| format!("{goal:.2}x")),
            result.allocations.map_or(String::new(), |(ours, floor)| format!("{ours} / {floor}")),
        );
    }
    println!("\n{missed} budgets missed");
}
