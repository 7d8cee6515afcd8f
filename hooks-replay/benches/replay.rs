//! The cost of recording and replaying: recorded conversations through the airline desk, as ratios to the same run
//! without a recording. The model and the tools answer immediately, so that only the loop, the hooks and the recorder
//! take time.
//!
//! `cargo bench -p hooks-replay`. `GIGABYTES=1` creates a recording of that size instead, replays it, and reports the
//! memory usage.
#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use airline_desk::desk::Desk;
use airline_desk::glimpse::Glimpses;
use airline_desk::run::replay_lines;
use hook_sdk::Registry;
use hook_sdk::scope::AgentDef;
use hooks_replay::{Matching, Reader, RecordLimits, Recorder, RecordingLine, ReplayReport};

const ROUNDS: usize = 9;

fn desk() -> Desk {
    let agent = AgentDef::from_file(Desk::folder().join("agent.json")).unwrap();
    Desk::with(Registry::discover().unwrap(), &agent, None).unwrap()
}

fn run(desk: &Desk, lines: &[u8]) -> Duration {
    let start = Instant::now();
    replay_lines(desk, lines, None, &mut Glimpses::default(), |_| (), |_| ()).unwrap();
    start.elapsed()
}

/// The duration of the program, and the time until the recording was completely written.
fn record(path: &Path, lines: &[u8]) -> (Duration, Duration) {
    let _ = std::fs::remove_file(path);
    let mut limits = RecordLimits::default();
    (limits.queue, limits.file) = (1 << 20, u64::MAX);
    let recorder = Recorder::create(path, "airline-desk", limits).unwrap();
    let desk = desk().recorded(&recorder).unwrap();
    let start = Instant::now();
    let program = run(&desk, lines);
    recorder.flush();
    (program, start.elapsed())
}

fn block_on<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let start = Instant::now();
    let done = runtime.block_on(work);
    (done, start.elapsed())
}

fn main() {
    let (lines, what) = conversations();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.jsonl");
    if let Some(path) = std::env::var_os("REPLAYED") {
        return replayed(Path::new(&path));
    }
    if let Some(gigabytes) = std::env::var("GIGABYTES").ok().and_then(|number| number.parse().ok()) {
        return large(&path, &lines, gigabytes);
    }
    let desk = desk();
    let mut rows: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for round in 0..=ROUNDS {
        // Interleaved, so that disturbances affect all variants alike. The first round warms up.
        let alone = run(&desk, &lines);
        let (program, written) = record(&path, &lines);
        let (report, dispatches) = block_on(desk.replay().file(&path));
        same(&report.unwrap());
        let (report, turns) = block_on(desk.turn_replay().matching(Matching::Strict).file(&path));
        same(&report.unwrap());
        if round == 0 {
            told(&path, what, alone);
            continue;
        }
        let table = [
            ("1 recording: the program", program),
            ("2 recording: until all is written", written),
            ("3 replay, dispatch by dispatch", dispatches),
            ("4 replay, turn by turn", turns),
        ];
        for (row, took) in table {
            rows.entry(row).or_default().push(took.as_secs_f64() / alone.as_secs_f64());
        }
    }
    println!("| What | ratio to the run without a recording | budget |\n|---|---|---|");
    for (row, mut ratios) in rows {
        ratios.sort_by(f64::total_cmp);
        let budget = if row.starts_with("1 ") {
            "1.20x"
        } else if row.starts_with('2') {
            ""
        } else {
            "1.50x"
        };
        println!("| {} | {:.2}x | {budget} |", &row[2..], ratios[ratios.len() / 2]);
    }
}

fn same(report: &ReplayReport) {
    assert!(report.is_empty(), "{report}");
}

/// The size of the recording, and the share of lines in which something was redacted.
fn told(path: &Path, what: &str, alone: Duration) {
    let (mut dispatches, mut turns, mut marked, mut texts) = (0, 0, 0, BTreeMap::<String, usize>::new());
    for (_, line) in Reader::open(path).unwrap() {
        let line = line.unwrap();
        let json = serde_json::to_string(&line).unwrap();
        let found = json.matches("[REDACTED_SECRET]").count();
        match line {
            RecordingLine::Dispatch(_) => dispatches += 1,
            RecordingLine::Turn(_) => turns += 1,
            _ => continue,
        }
        marked += usize::from(found > 0);
        for (at, _) in json.match_indices("[REDACTED_SECRET]") {
            let from = json[..at].char_indices().rev().nth(30).map_or(0, |(at, _)| at);
            *texts.entry(json[from..at].to_owned()).or_default() += 1;
        }
    }
    let size = std::fs::metadata(path).unwrap().len();
    println!("{what}: {turns} turns, {dispatches} dispatches, {size} bytes; without a recording {alone:?}");
    println!("taken for a secret, though none is there: in {marked} lines, behind {} different texts", texts.len());
    for (text, count) in texts.iter().take(20) {
        println!("  {count} × …{text}");
    }
    println!();
}

/// The recorded conversations next to the workspace, or the sample of the desk repeatedly.
fn conversations() -> (Vec<u8>, &'static str) {
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/airline-trajectories.jsonl"));
    std::fs::read(&file).map_or_else(
        |_| (std::fs::read(Desk::folder().join("sample.jsonl")).unwrap().repeat(30), "the sample, 30 times"),
        |lines| (lines, "100 recorded conversations"),
    )
}

/// A recording that is repeated with other ids until it has this size.
fn large(path: &Path, lines: &[u8], gigabytes: u64) {
    record(path, lines);
    let once = std::fs::read_to_string(path).unwrap();
    let large = path.with_extension("large.jsonl");
    let mut file = BufWriter::new(File::create(&large).unwrap());
    let (mut written, mut copy) = (0, 0);
    while written < gigabytes << 30 {
        let text = once.replace("\"request\":\"", &format!("\"request\":\"{copy}:"));
        file.write_all(text.as_bytes()).unwrap();
        (written, copy) = (written + text.len() as u64, copy + 1);
    }
    file.flush().unwrap();
    drop((file, once));
    println!("{written} bytes, {copy} copies");
    // In a separate process, because this one has used much memory.
    let program = std::env::current_exe().unwrap();
    let ended = std::process::Command::new(program).arg("--bench").env("REPLAYED", &large).status().unwrap();
    assert!(ended.success());
}

/// Replays a file, and reports the memory usage.
fn replayed(path: &Path) {
    let memory = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("VmRSS: unknown").to_owned()
    };
    let desk = desk();
    println!("before the replay {}", memory());
    let tenths = std::sync::Mutex::new(0);
    let progress = |now: hooks_replay::Progress| {
        let (tenth, mut last) = (now.read * 10 / now.total, tenths.lock().unwrap());
        if tenth > *last {
            *last = tenth;
            println!("  {tenth}0 %: {}", memory());
        }
    };
    let (report, took) = block_on(desk.replay().progress(progress).file(path));
    println!("dispatch by dispatch: {took:?}\n{}", report.unwrap());
    *tenths.lock().unwrap() = 0;
    let (report, took) = block_on(desk.turn_replay().progress(progress).file(path));
    println!("turn by turn: {took:?}\n{}", report.unwrap());
}
