//! The output of `--scene`: golden sequences of a turn, written by hand.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests unwrap to assert")]

use std::collections::BTreeMap;
use std::process::Command;

const STORED: &[&str] = &["before_create_message", "after_create_message"];
/// The answer. Hooks at `stop` see it in the form in which it will be stored.
const ENDED: &[&str] = &["before_create_message", "stop", "after_create_message"];
const BEGIN: &[&str] = &[
    "session_start",
    "filter_messages",
    "user_prompt_submit",
    "before_create_message",
    "after_create_message",
    "before_agent_start",
    "pre_policy",
    "pre_prompt_context",
    "post_preflight_prompt_context",
    "pre_tool_materialization",
    "pre_prompt_compile",
];
/// `init` of the app and of the plugin, and the start of the program.
const STARTED: &[&str] = &["init", "init", "gateway_start"];
const ASKED: &[&str] = &["prefilter_llm_history", "pre_model_call", "model"];
const ANSWERED: &[&str] = &["post_model_call"];
const GATE: &[&str] = &["before_tool_call"];
const QUESTION: &[&str] = &["permission_request"];
const RUNS: &[&str] = &["tool"];
const SUCCESS: &[&str] = &["after_tool_call_success"];
const FAILURE: &[&str] = &["after_tool_call_failure"];
const RESULT: &[&str] =
    &["after_tool_call", "before_store_tool_result", "before_create_message", "after_create_message"];
const COMPACTS: &[&str] = &["before_compaction"];
const COMPACTED: &[&str] = &["post_compact"];
const STOP: &[&str] = &["stop"];
const OVER: &[&str] = &["post_turn", "turn_end"];

/// Each scene, with its events and the exit reason of the turn.
fn expected() -> Vec<(&'static str, Vec<&'static [&'static str]>, &'static str)> {
    // A sub-agent has no session of its own, and the masks of its caller apply to its rows too.
    let (within, stored) = (&BEGIN[1..4], &BEGIN[3..]);
    let calls = [BEGIN, ASKED, ANSWERED, STORED, GATE];
    let answer = [ASKED, ANSWERED, ENDED, OVER];
    let turn = |parts: &[&[&'static [&'static str]]]| parts.concat();
    let done = "no_tool_calls";
    vec![
        ("plain", turn(&[&[BEGIN], &answer]), done),
        ("two-calls", turn(&[&calls, &[RUNS, SUCCESS, RESULT, GATE, RUNS, SUCCESS, RESULT], &answer]), done),
        ("denied", turn(&[&calls, &[RESULT], &answer]), done),
        ("asked", turn(&[&calls, &[QUESTION, RUNS, SUCCESS, RESULT], &answer]), done),
        ("declined", turn(&[&calls, &[QUESTION, RESULT], &answer]), done),
        ("failing-tool", turn(&[&calls, &[RUNS, FAILURE, RESULT], &answer]), done),
        ("compaction", turn(&[&[BEGIN, COMPACTS, ASKED, ANSWERED, COMPACTED], &answer]), done),
        ("overflow", turn(&[&[BEGIN, ASKED, ANSWERED, COMPACTS, ASKED, ANSWERED, COMPACTED], &answer]), done),
        ("repair", turn(&[&[BEGIN, ASKED, ANSWERED], &answer]), done),
        ("empty-reply", turn(&[&[BEGIN, ASKED, ANSWERED, STOP, STORED], &answer]), done),
        ("blocked", vec![&BEGIN[..3], &OVER[1..]], "prompt_refused"),
        (
            "sub-agent",
            turn(&[
                &calls,
                &[RUNS, within, stored, ASKED, ANSWERED, &ENDED[..1]],
                &[ENDED, OVER],
                &[SUCCESS, RESULT],
                &answer,
            ]),
            done,
        ),
        ("summary-fails", turn(&[&[BEGIN, COMPACTS, ASKED, ANSWERED], &answer]), done),
        ("stream-stopped", vec![BEGIN, ASKED, &["stream_delta"], STORED, OVER], "answer_blocked"),
        ("parallel-calls", turn(&[&calls, &[GATE, RUNS, RUNS, SUCCESS, RESULT, SUCCESS, RESULT], &answer]), done),
        ("answered-call", turn(&[&calls, &[SUCCESS, RESULT], &answer]), done),
        ("tool-retried", turn(&[&calls, &[RUNS, FAILURE, SUCCESS, RESULT], &answer]), done),
        ("other-model", turn(&[&[BEGIN, ASKED, ANSWERED], &answer]), done),
        ("steered-turn", turn(&[&[BEGIN, STORED], &answer]), done),
        ("budget-spent", turn(&[&calls, &[RUNS, SUCCESS, RESULT, STOP, OVER]]), "budget_yield_unrecovered"),
        ("plugin-closed", turn(&[&[STARTED], &calls, &[RESULT], &answer]), done),
        ("cancelled-in-hook", turn(&[&calls, &[RESULT, OVER]]), "aborted_via_error"),
        ("cancelled-in-preflight", vec![&BEGIN[..8], OVER], "aborted_pre_call"),
        ("cancelled-in-model", vec![BEGIN, ASKED, OVER], "aborted_pre_call"),
        ("cancelled-in-wait", vec![BEGIN, ASKED, ANSWERED, OVER], "aborted_pre_call"),
        ("cancelled-in-question", turn(&[&calls, &[QUESTION, RESULT, OVER]]), "aborted_during_tools"),
        ("cancelled-in-tool", turn(&[&calls, &[RUNS, RESULT, OVER]]), "aborted_during_tools"),
        (
            "cancelled-in-agent",
            turn(&[
                &calls,
                &[RUNS, within, stored, ASKED, ANSWERED, &STORED[..1], STORED, GATE],
                &[RUNS, &RESULT[..3], STORED, OVER, RESULT, OVER],
            ]),
            "aborted_during_tools",
        ),
        ("cancelled-in-summary", vec![BEGIN, COMPACTS, ASKED, OVER], "aborted_pre_call"),
    ]
}

fn show(arguments: &[&str]) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_airline-desk")).args(arguments).output().unwrap();
    assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stderr).as_ref()), (Some(0), ""));
    String::from_utf8(run.stdout).unwrap()
}

/// The kinds in a trace, with the model and the tools in their places, and the exit reason.
fn sequence(trace: &str) -> (Vec<&str>, &str) {
    let mut words = Vec::new();
    for line in trace.lines().map(str::trim_start) {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            [">", "model", _, "reads", ..] => words.push("model"),
            [">", "tool", _] => words.push("tool"),
            [word, ..] if ["stop", "init"].contains(&word) || word.contains('_') && !word.contains('(') => {
                words.push(word);
            }
            _ => {}
        }
    }
    let exit = trace.lines().find_map(|line| line.trim_start().strip_prefix("turn over: ")).unwrap();
    (words, exit)
}

#[test]
fn each_scene_fires_its_kinds_in_order() {
    let shown = show(&["--scene", "all"]);
    let scenes: BTreeMap<&str, &str> =
        shown.split("\n\n").filter_map(|scene| scene.trim_start().split_once('\n')).collect();
    let expected = expected();
    assert_eq!(scenes.len(), expected.len(), "{:?}", scenes.keys());
    for (name, parts, exit) in expected {
        let trace = scenes.get(name).unwrap_or_else(|| panic!("no scene is called {name}: {:?}", scenes.keys()));
        assert_eq!(sequence(trace), (parts.concat(), exit), "{name}:\n{trace}");
    }
}

#[test]
fn a_single_scene_can_be_traced_with_the_hooks_that_ran() {
    assert_eq!(
        show(&["--scene", "denied", "--trace"]),
        "\
denied
  turn 1
    filter_messages          forget_thoughts
    user_prompt_submit       explain_masks
    before_create_message    redact_pii · mask_payment_prose
    + user: Seven seats, please.
    after_create_message     count_messages
    pre_prompt_context       cancel_policy
    > model `clerk` reads 1 messages
    before_create_message    redact_pii · mask_payment_prose
    + assistant: book_reservation({\"passengers\":[{\"first_name\":\"Runa\"},{\"first_name\":\"Run…
    after_create_message     count_messages
      before_tool_call         guard_booking → deny
      before_create_message    redact_pii · mask_payment_prose
      + tool: Denied: a reservation holds at most 5 passengers, this one has 7; book i…
      after_create_message     count_messages
      > tool `book_reservation` is not run
    > model `clerk` reads 3 messages
    before_create_message    redact_pii · mask_payment_prose
    + assistant: Five is the most in one booking.
    after_create_message     count_messages
  turn over: no_tool_calls
  = Five is the most in one booking.

"
    );
}

#[cfg(feature = "inspect")]
#[test]
fn a_page_shows_the_scenes_until_it_is_interrupted() {
    use std::io::{BufRead, BufReader, Read, Write};

    let mut desk = Command::new(env!("CARGO_BIN_EXE_airline-desk"))
        .args(["--inspect", "--scene", "denied"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(desk.stderr.take().unwrap()).read_line(&mut address).unwrap();
    let (host, token) = address.trim().trim_start_matches("http://").split_once('/').unwrap();
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(host).unwrap();
        write!(stream, "GET /{path}{token} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let (page, lines) = (get(""), get("api/lines"));
    desk.kill().unwrap();
    desk.wait().unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("guard_booking"), "{page}");
    assert!(lines.contains("guard_booking") && lines.contains("Seven seats, please."), "{lines}");
}
