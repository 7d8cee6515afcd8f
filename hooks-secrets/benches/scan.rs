//! The time that a megabyte of ordinary text takes: `cargo bench -p hooks-secrets`, and with `--features rules`.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark prints")]

use std::hint::black_box;
use std::time::Instant;

/// Prose with code, a lock file, and JSON as an agent sends it.
const TEXTS: [(&str, &str); 3] = [
    ("prose and code", include_str!("../../docs/durable.md")),
    ("a lock file", include_str!("../../Cargo.lock")),
    ("JSON", include_str!("../../hooks-core/tests/manifest.json")),
];

fn main() {
    for (name, text) in TEXTS {
        let megabyte = text.repeat((1 << 20) / text.len() + 1);
        // The patterns are compiled at the first call.
        let _ = black_box(hooks_secrets::find(text));
        let mut times: Vec<_> = (0..7)
            .map(|_| {
                let start = Instant::now();
                let _ = black_box(hooks_secrets::redact(black_box(&megabyte)));
                start.elapsed() * (1 << 20) / u32::try_from(megabyte.len()).unwrap()
            })
            .collect();
        times.sort();
        println!("{name}: {:.1?} per MiB", times[3]);
    }
}
