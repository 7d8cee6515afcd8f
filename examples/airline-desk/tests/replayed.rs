//! Records and replays the desk. An unchanged desk has no differences, and for each edit the report names the hook.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests unwrap to assert")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use airline_desk::desk::Desk;
use hook_sdk::data::{Message, Messages, ToolInput, ToolResult};
use hook_sdk::hook::{HookMode, OnFailure, OnReplay};
use hook_sdk::kinds::{
    AfterToolCallFailure, AfterToolCallSuccess, BeforeCreateMessage, BeforeToolCall, FilterMessages, UserPromptSubmit,
};
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::scope::AgentDef;
use hook_sdk::verdict::{Permission, PromptVerdict};
use hook_sdk::{Hook, Registry};
use hooks_replay::{Matching, Reader, RecordLimits, Recorder, ReplayReport, ShadowReport};

use crate::support;

fn definition() -> AgentDef {
    AgentDef::from_file(support::desk_file("agent.json")).unwrap()
}

/// No line is dropped, and there is one file.
fn limits() -> RecordLimits {
    let mut limits = RecordLimits::default();
    (limits.queue, limits.file) = (1 << 20, u64::MAX);
    limits
}

/// Records the conversations in `lines`.
fn record(path: &Path, lines: &[u8]) {
    let recorder = Recorder::create(path, "airline-desk", limits()).unwrap();
    let desk = Desk::with(Registry::discover().unwrap(), &definition(), None).unwrap().recorded(&recorder).unwrap();
    support::replay(&desk, lines);
    recorder.flush();
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn dispatches(desk: &Desk, path: &Path) -> ReplayReport {
    block_on(desk.replay().file(path)).unwrap()
}

fn turns(desk: &Desk, path: &Path, matching: Matching) -> ReplayReport {
    block_on(desk.turn_replay().matching(matching).file(path)).unwrap()
}

/// The sample, and the first recorded conversations next to the workspace. `AIRLINE_DESK_REPLAYED` is their number.
fn conversations() -> (Vec<u8>, usize) {
    let sample = std::fs::read(support::desk_file("sample.jsonl")).unwrap();
    let many = std::env::var("AIRLINE_DESK_REPLAYED").ok().and_then(|many| many.parse().ok()).unwrap_or(5);
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/airline-trajectories.jsonl"));
    let Ok(recorded) = std::fs::read(&file) else {
        println!("only the sample: {} does not exist", file.display());
        return (sample, 3);
    };
    let some = recorded.split_inclusive(|byte| *byte == b'\n').take(many);
    (some.fold(sample, |all, line| [&all, line].concat()), 3 + many)
}

#[test]
fn a_replay_of_the_unchanged_desk_has_no_differences() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.jsonl");
    let (lines, many) = conversations();
    record(&path, &lines);
    let desk = Desk::with(Registry::discover().unwrap(), &definition(), None).unwrap();
    let report = dispatches(&desk, &path);
    assert!(report.is_empty(), "{report}");
    assert!(report.replayed > 20 * many, "{report}");
    println!("{report}");
    for matching in [Matching::Strict, Matching::Loose] {
        let report = turns(&desk, &path, matching);
        assert!(report.is_empty() && report.diverged == 0, "{report}");
        assert!(report.turns >= many, "{report}");
        println!("{report}");
    }
}

/// A new guard runs in shadow, then in a replay of that recording, and then in force. All three count the same denials.
#[test]
fn a_guard_in_shadow_predicts_its_denials() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.jsonl");
    let (lines, many) = conversations();
    let registry = |mode| {
        let registry = Registry::discover().unwrap();
        let denies = |_: &_, event: &BeforeToolCall, _: &ToolInput| match event.call.name.as_str() {
            "cancel_reservation" => Permission::deny("cancelling needs a person"),
            _ => Permission::NoOpinion,
        };
        registry.register(Hook::at::<BeforeToolCall>("no_cancelling").reader(denies).mode(mode)).unwrap();
        registry
    };
    let agent = definition().hooks(["no_cancelling"]);
    let recorder = Recorder::create(&path, "airline-desk", limits()).unwrap();
    let desk = Desk::with(registry(HookMode::Shadow), &agent, None).unwrap().recorded(&recorder).unwrap();
    support::replay(&desk, &lines);
    recorder.flush();
    let mut shadow = ShadowReport::default();
    shadow.add(Reader::open(&path).unwrap());
    let would_deny = shadow.hooks[0].decisions.get("deny").map_or(0, |reasons| reasons.values().sum::<usize>());
    println!("{shadow}");

    let enforced = || Desk::with(registry(HookMode::Enforce), &agent, None).unwrap();
    let report = dispatches(&enforced(), &path);
    let flips = report.groups.iter().filter(|group| group.flip.as_ref().is_some_and(|flip| flip.to == "deny"));
    let (_, summary) = support::replay(&enforced(), &lines);
    let row = summary.hooks.iter().find(|row| row.hook == "no_cancelling").unwrap();
    assert!(would_deny > 0 && shadow.hooks[0].runs > would_deny, "{many} conversations: {shadow}");
    let (denied, flipped) = (usize::try_from(row.denials).unwrap(), flips.map(|group| group.count).sum::<usize>());
    assert_eq!((flipped, denied), (would_deny, would_deny), "{shadow}\n{report}");
}

/// An edit of the desk's hooks.
type Edit = fn(&Registry, AgentDef) -> AgentDef;

/// The agent's list without a hook.
fn without(id: &str) -> AgentDef {
    let text = std::fs::read_to_string(support::desk_file("agent.json")).unwrap();
    let mut agent: serde_json::Value = serde_json::from_str(&text).unwrap();
    agent["hooks"].as_array_mut().unwrap().retain(|hook| hook != id);
    AgentDef::from_json("agent.json", &agent.to_string()).unwrap()
}

fn overridden(registry: &Registry, id: &str, change: Override) {
    registry.set_overrides([Overrides::new("edit").set(id, change)]).unwrap();
}

fn booking(most: usize, unasked: f64) -> Hook {
    let guard = move |_: &_, _: &BeforeToolCall, input: &ToolInput| {
        let passengers = input["passengers"].as_array().map_or(0, Vec::len);
        let paid: f64 =
            input["payment_methods"].as_array().into_iter().flatten().filter_map(|one| one["amount"].as_f64()).sum();
        if passengers > most {
            return Permission::deny(format!("at most {most}"));
        }
        if paid > unasked { Permission::ask(format!("over {unasked}")) } else { Permission::Allow }
    };
    Hook::at::<BeforeToolCall>("guard_booking").reader(guard).only("tool", "book_reservation")
}

fn cancellation(verdict: Permission) -> Hook {
    let guard = move |_: &_, _: &BeforeToolCall, _: &ToolInput| verdict.clone();
    Hook::at::<BeforeToolCall>("guard_cancellation").reader(guard).only("tool", "cancel_reservation")
}

const EDITS: &[(&str, Edit)] = &[
    ("a mask dropped", |_, _| without("redact_pii")),
    ("a mask that keeps birth dates", |registry, agent| {
        let mails = |_: &_, _: &_, row: &mut Message| {
            row.rewrite_text(|text| {
                let mask = |word: &str| if word.contains('@') { "[email]".to_owned() } else { word.to_owned() };
                text.contains('@').then(|| text.split(' ').map(mask).collect::<Vec<_>>().join(" "))
            });
        };
        registry.replace(Hook::at::<BeforeCreateMessage>("redact_pii").writer(mails)).unwrap();
        agent
    }),
    ("the mask of payments dropped", |_, _| without("mask_payment_ids")),
    ("the mask of prose dropped", |_, _| without("mask_payment_prose")),
    ("an order swapped", |registry, agent| {
        overridden(registry, "mask_payment_ids", Override::new().priority(50));
        agent
    }),
    ("a limit raised", |registry, agent| {
        registry.replace(booking(9, 1_000.0)).unwrap();
        agent
    }),
    ("a limit lowered", |registry, agent| {
        registry.replace(booking(5, 10.0)).unwrap();
        agent
    }),
    ("a guard that lets everything through", |registry, agent| {
        registry.replace(cancellation(Permission::Allow)).unwrap();
        agent
    }),
    ("a guard that denies everything", |registry, agent| {
        registry.replace(cancellation(Permission::deny("nobody cancels"))).unwrap();
        agent
    }),
    ("a guard that fails", |registry, agent| {
        let fails = |_: &_, _: &_, _: &ToolInput| Err::<(), _>("the rules are gone");
        registry.replace(Hook::at::<BeforeToolCall>("guard_booking").reader(fails).only("tool", "book_*")).unwrap();
        agent
    }),
    ("a guard that panics", |registry, agent| {
        let panics = |_: &_, _: &_, _: &ToolInput| -> Permission { std::panic::resume_unwind(Box::new("no rules")) };
        registry.replace(Hook::at::<BeforeToolCall>("guard_booking").reader(panics).only("tool", "book_*")).unwrap();
        agent
    }),
    ("a guard that is too slow", |registry, agent| {
        let slow = Hook::at::<BeforeToolCall>("guard_cancellation")
            .async_reader(|_, _, _| Box::pin(std::future::pending::<Permission>()))
            .only("tool", "cancel_*");
        registry.replace(slow.timeout(Duration::from_millis(1))).unwrap();
        agent
    }),
    ("a guard removed", |_, _| without("guard_booking")),
    ("a guard disabled", |registry, agent| {
        registry.disable("guard_cancellation").unwrap();
        agent
    }),
    ("a guard in shadow", |registry, agent| {
        overridden(registry, "guard_cancellation", Override::new().mode(HookMode::Shadow));
        agent
    }),
    ("another word to the model", |registry, agent| {
        let says = |_: &_, _: &UserPromptSubmit, _: &Messages| PromptVerdict::context("Be brief.");
        registry.replace(Hook::at::<UserPromptSubmit>("explain_masks").reader(says)).unwrap();
        agent
    }),
    ("a contribution removed", |_, _| without("cancel_policy")),
    ("a filter that keeps everything", |registry, agent| {
        registry.replace(Hook::at::<FilterMessages>("forget_thoughts").reader(|_, _, _| ())).unwrap();
        agent
    }),
    ("a hook mended", |registry, agent| {
        registry.replace(Hook::at::<AfterToolCallSuccess>("fragile_tier").reader(|_, _, _| ())).unwrap();
        agent
    }),
    ("a failure that removes", |registry, agent| {
        overridden(registry, "fragile_tier", Override::new().on_failure(OnFailure::Remove));
        agent
    }),
    ("a hook that reads the clock", |registry, agent| {
        let stamps = |_: &_, _: &_, row: &mut Message| {
            let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
            row.extra.insert("stored_at".to_owned(), format!("{now:?}").into());
        };
        registry.register(Hook::at::<BeforeCreateMessage>("stamps").writer(stamps).priority(200)).unwrap();
        agent.hooks(["stamps"])
    }),
    ("a hook added that sees failures only", |registry, agent| {
        let reads = |_: &_, _: &_, _: &ToolResult| ();
        registry.register(Hook::at::<AfterToolCallFailure>("counts_failures").reader(reads)).unwrap();
        agent.hooks(["counts_failures"])
    }),
    ("a guard that no replay asks", |registry, agent| {
        registry.replace(cancellation(Permission::Allow).on_replay(OnReplay::Skip)).unwrap();
        agent
    }),
];

/// The first lines of the report of each edit, for dispatches and for turns: the kind, the hook, the difference, the
/// count.
#[test]
fn the_report_of_an_edit_names_the_edited_hook() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk.jsonl");
    record(&path, &std::fs::read(support::desk_file("sample.jsonl")).unwrap());
    let mut reported = String::new();
    for (what, edit) in EDITS {
        let registry = Registry::discover().unwrap();
        let agent = edit(&registry, definition());
        let desk = Desk::with(registry, &agent, None).unwrap();
        let _ = writeln!(reported, "{what}");
        for (mode, report) in
            [("dispatches", dispatches(&desk, &path)), ("turns", turns(&desk, &path, Matching::Strict))]
        {
            assert_eq!(report.failed, 0, "{what}: {report}");
            // Pages for a review in a browser.
            if let Ok(pages) = std::env::var("HOOKS_REPLAY_PAGES") {
                let page = Path::new(&pages).join(format!("{} ({mode})", what.replace(' ', "-")));
                std::fs::write(page.with_extension("html"), report.to_html()).unwrap();
                std::fs::write(page.with_extension("txt"), report.to_string()).unwrap();
            }
            let counts = match mode {
                "turns" => format!("{} of {} diverge", report.diverged, report.turns),
                _ => format!("{} of {} differ", report.differing, report.replayed),
            };
            let first = report.groups.first().map_or_else(String::new, |group| {
                let at = &group.examples[0];
                let line = at.place.rsplit(':').next().unwrap_or_default();
                format!(
                    "; {} × {} `{}` {}, first at line {line}",
                    group.count,
                    group.kind,
                    group.hook.as_deref().unwrap_or("-"),
                    group.title
                )
            });
            let _ = writeln!(reported, "  {mode}: {counts}{first}");
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replayed.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        std::fs::write(&file, &reported).unwrap();
    }
    assert_eq!(reported, std::fs::read_to_string(&file).unwrap_or_default(), "UPDATE_SNAPSHOTS=1 rewrites it");
}

/// `--record`, for `hooks report` and `hooks export`.
#[test]
fn the_scenes_are_recorded_with_their_times() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("desk.jsonl");
    let arguments = ["--scene", "all", "--record", file.to_str().unwrap()];
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_airline-desk")).args(arguments).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let (mut turns, mut dispatches) = (0, 0);
    for (_, line) in hooks_replay::Reader::open(&file).unwrap() {
        match line.unwrap() {
            hooks_replay::RecordingLine::Turn(turn) => {
                assert!(turn.at > 0 && !turn.exit.is_empty(), "{turn:?}");
                turns += 1;
            }
            hooks_replay::RecordingLine::Dispatch(line) => {
                assert!(line.at > 0 && line.runs.is_some(), "{line:?}");
                dispatches += 1;
            }
            _ => {}
        }
    }
    assert!(turns > 5 && dispatches > turns, "{turns} turns, {dispatches} dispatches");
}
