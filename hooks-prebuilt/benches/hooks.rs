//! What each hook takes, and a stream of 10,000 pieces with `mask_pii` over one with a hook that copies them.
//!
//! `cargo bench -p hooks-prebuilt --all-features` prints the table of `docs/ready-made.md`.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a benchmark prints")]

#[path = "../tests/personal.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod personal;

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use hook_sdk::data::Role;
use hook_sdk::kinds::{AfterToolCallSuccess, BeforeCreateMessage, BeforeToolCall, StreamDelta};
use hook_sdk::prelude::*;
use hook_sdk::scope::HookUse;
use hooks_prebuilt::{
    ask_for, cap_results, check_input, confine_commands, confine_paths, confine_urls, deny_secrets, limit_calls,
    mask_pii, mask_secrets, read_only_sql, strip_images, strip_invisible,
};
use personal::Random;
use serde_json::{Value, json};

const ROUNDS: usize = 31;

/// An answer without a number, as most of its windows are.
const PROSE: &str = "The parcel left our warehouse on Monday. It travels by lorry as far as Zürich — the train was full — and \
    will reach you before the weekend. Would you like me to tell the neighbours, in case nobody opens the door? ";

/// The hooks with these entries, alone, or one that copies what it gets.
fn set(registry: &Registry, id: &str, with: Option<Value>) -> HookSet {
    let named = HookUse::id(id);
    let named = with.map_or(named.clone(), |with| named.with(with));
    registry.scope(&AgentDef::new("bench").hooks([named]), None).unwrap()
}

fn registry() -> Registry {
    let all = hooks![
        ask_for,
        cap_results,
        check_input,
        confine_commands,
        confine_paths,
        confine_urls,
        deny_secrets,
        limit_calls,
        mask_pii,
        mask_secrets,
        read_only_sql,
        strip_images,
        strip_invisible,
    ];
    Registry::empty().with(all).unwrap()
}

fn copying() -> Registry {
    let registry = Registry::empty();
    let results = Hook::at::<AfterToolCallSuccess>("copy_results")
        .writer(|_, _, result| *result = ToolResult::new(result.text().to_string()));
    let pieces = Hook::at::<StreamDelta>("copy_pieces").writer(|_, _, text| *text = text.clone());
    registry.register(results.on_failure(OnFailure::Remove)).unwrap();
    registry.register(pieces.on_failure(OnFailure::Required)).unwrap();
    registry
}

/// Sentences with a value of personal data in every tenth.
fn prose(bytes: usize) -> String {
    let mut random = Random::new(7);
    let mut text = String::new();
    let mut count = 0;
    while text.len() < bytes {
        count += 1;
        let value = if count % 10 == 0 { personal::card(&mut random) } else { personal::nearly_card(&mut random) };
        let _ = write!(text, "The order {count} went out on Monday, and the customer wrote about {value} again. ");
    }
    text
}

/// The medians of two calls that take turns, in nanoseconds, and of their ratios.
fn pair(mut ours: impl FnMut(), mut floor: impl FnMut()) -> (f64, f64) {
    let time = |call: &mut dyn FnMut()| {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64() * 1e9
    };
    // What is made once is made now.
    time(&mut ours);
    time(&mut floor);
    let mut pairs: Vec<(f64, f64)> = (0..ROUNDS).map(|_| (time(&mut ours), time(&mut floor))).collect();
    let mut median = |of: fn(&(f64, f64)) -> f64| {
        pairs.sort_by(|a, b| of(a).total_cmp(&of(b)));
        of(&pairs[ROUNDS / 2])
    };
    (median(|pair| pair.0), median(|pair| pair.0 / pair.1))
}

/// A result of 16 kB, a hundred times.
fn results(set: &HookSet, text: &str) -> impl FnMut() {
    let call = ToolCall::new("call_1", "search", json!({ "q": "orders" }));
    let event = AfterToolCallSuccess::new(call.clone(), call.input);
    move || {
        for _ in 0..100 {
            let result = ToolResult::new(text.to_owned());
            let _ = black_box(set.fire_blocking(&HookContext::new(), &event, result).unwrap());
        }
    }
}

/// A stored row of 16 kB, a hundred times.
fn stored(set: &HookSet, text: &str) -> impl FnMut() {
    move || {
        for _ in 0..100 {
            let row = Message::new(Role::Assistant, text);
            let _ = black_box(set.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), row).unwrap());
        }
    }
}

/// A call, a hundred times, each in a conversation of its own.
fn calls(set: &HookSet, tool: &str, input: &Value) -> impl FnMut() {
    let event = BeforeToolCall::new(ToolCall::new("call_1", tool, input.clone()));
    let mut conversation = 0_u64;
    move || {
        for _ in 0..100 {
            conversation += 1;
            let cx = HookContext::builder().conversation(conversation.to_string()).turn(1);
            let cx = set.context(cx.workspace(env!("CARGO_MANIFEST_DIR"))).unwrap();
            let input = event.call.input.clone();
            let fired = black_box(set.fire_blocking(&cx, &event, input).unwrap());
            assert!(fired.verdict.denial().is_none(), "{tool}: {:?}", fired.verdict);
        }
    }
}

/// A text that arrives in 10,000 pieces, as a loop shows it.
fn stream(set: &HookSet, text: &str) -> impl FnMut() {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(characters.len() / 10_000).map(String::from_iter).collect();
    let hold = set.hold::<StreamDelta>();
    move || {
        let (mut told, mut window) = (Arc::new(String::new()), String::new());
        for piece in &pieces {
            window.push_str(piece);
            let event = StreamDelta::new("text").shown(Arc::clone(&told)).fresh(piece.len());
            let fired = set.fire_blocking(&HookContext::new(), &event, window).unwrap();
            drop(event);
            let left = fired.subject;
            let kept = hold.of(&left).to_owned();
            Arc::make_mut(&mut told).push_str(&left[..left.len() - kept.len()]);
            window = kept;
        }
        black_box(told);
    }
}

fn main() {
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let text = prose(16 << 10);
    let kilobytes = f64::from(u32::try_from(text.len()).unwrap()) / 1000.0;
    println!("| Hook | A result of {kilobytes:.0} kB | A kB | Over a hook that copies it |\n|---|---|---|---|");
    let copies = set(&copying(), "copy_results", None);
    for (id, with) in [
        ("mask_pii", None),
        ("mask_secrets", None),
        ("strip_invisible", None),
        ("cap_results", Some(json!({ "most": 4000 }))),
    ] {
        let ours = set(&registry(), id, with);
        let (nanos, ratio) = pair(results(&ours, &text), results(&copies, &text));
        println!("| `{id}` | {} | {} | {ratio:.0}x |", time(nanos / 100.0), time(nanos / 100.0 / kilobytes));
    }
    let images = set(&registry(), "strip_images", None);
    let (nanos, ratio) = pair(stored(&images, &text), results(&copies, &text));
    println!("| `strip_images` | {} | {} | {ratio:.0}x |", time(nanos / 100.0), time(nanos / 100.0 / kilobytes));

    println!("\n| Hook | A call | Over no hook |\n|---|---|---|");
    let nobody = Registry::empty().scope(&AgentDef::new("bench"), None).unwrap();
    let sql = "SELECT id, cents FROM public.orders WHERE customer = 7 AND day > '2026-01-01' ORDER BY day LIMIT 50";
    let mail = "write to the customer that order 7 is on its way";
    let schema = json!({ "refund": { "required": ["cents"], "properties": { "cents": { "maximum": 5000 } } } });
    for (id, with, tool, input) in [
        ("deny_secrets", None, "mail", json!({ "to": "ada", "text": mail })),
        ("confine_urls", Some(json!({ "hosts": ["example.org"] })), "mail", json!({ "text": "https://example.org/a" })),
        (
            "ask_for",
            Some(json!({ "refund": { "ask": { "/cents": { "above": 5000 } } } })),
            "refund",
            json!({ "cents": 5 }),
        ),
        (
            "confine_paths",
            Some(json!({ "roots": ["."], "fields": { "read": ["path"] } })),
            "read",
            json!({ "path": "src/lib.rs" }),
        ),
        ("check_input", Some(json!({ "schemas": schema })), "refund", json!({ "cents": 5 })),
        (
            "confine_commands",
            Some(json!({ "tools": ["bash"], "allow": ["cargo *"] })),
            "bash",
            json!({ "command": "cargo test --locked" }),
        ),
        (
            "read_only_sql",
            Some(json!({ "fields": { "query": ["sql"] }, "dialect": "postgres" })),
            "query",
            json!({ "sql": sql }),
        ),
        (
            "limit_calls",
            Some(json!({ "limits": { "*": { "turn": 5, "conversation": 50 } } })),
            "search",
            json!({ "q": "x" }),
        ),
    ] {
        let ours = set(&registry(), id, with);
        let (nanos, ratio) = pair(calls(&ours, tool, &input), calls(&nobody, tool, &input));
        println!("| `{id}` | {} | {ratio:.0}x |", time(nanos / 100.0));
    }

    let (masks, copies) = (set(&registry(), "mask_pii", None), set(&copying(), "copy_pieces", None));
    println!();
    for (what, text) in [("prose", PROSE.repeat(50_000 / PROSE.len())), ("a number in each sentence", prose(50_000))] {
        let (nanos, ratio) = pair(stream(&masks, &text), stream(&copies, &text));
        let each = time(nanos / 10_000.0);
        println!(
            "A stream of 10,000 pieces of {what}: {each} a piece with `mask_pii`, {ratio:.1}x of a hook that copies."
        );
    }
}

fn time(nanos: f64) -> String {
    match nanos {
        nanos if nanos < 1e3 => format!("{nanos:.0} ns"),
        nanos if nanos < 1e6 => format!("{:.1} µs", nanos / 1e3),
        nanos => format!("{:.1} ms", nanos / 1e6),
    }
}
