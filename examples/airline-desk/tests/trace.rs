//! The sequence of kinds and hooks in the output of `--trace`.
#![allow(clippy::unwrap_used, reason = "tests unwrap to assert")]

use std::collections::BTreeSet;
use std::process::Command;

use crate::support;
use serde_json::Value;

pub(crate) fn trace(arguments: &[&str]) -> String {
    let sample = support::desk_file("sample.jsonl");
    let second = std::fs::read_to_string(sample).unwrap().lines().nth(1).unwrap().to_owned();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.jsonl");
    std::fs::write(&file, second).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_airline-desk")).args(arguments).arg(&file).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let out = String::from_utf8(run.stdout).unwrap();
    out[..out.find("KIND").unwrap()].to_owned()
}

/// A gate denies the first booking and asks about the second one. The reasoning of the first turn is removed in the second.
const EXPECTED: &str = "\
conversation puffin-2
  before_create_message    redact_pii · mask_payment_prose
  after_create_message     count_messages
  + system: You help the customers of Puffin Air. Today is 2031-03-04.
  turn 1
    filter_messages          forget_thoughts
    user_prompt_submit       explain_masks
    before_create_message    redact_pii · mask_payment_prose
    + user: This is Odd Berg, the coach. I need seats for all seven of us to Oslo on…
    after_create_message     count_messages
    pre_prompt_context       cancel_policy
    > model `recorded` reads 2 messages
    before_create_message    redact_pii · mask_payment_prose
    + assistant: think({\"thought\": \"Seven passengers may be too many for one reservation.…
    after_create_message     count_messages
      > tool `think`
      after_tool_call_success  mask_payment_ids · time_tools
      before_create_message    redact_pii · mask_payment_prose
      + tool: nothing
      after_create_message     count_messages
    > model `recorded` reads 4 messages
    before_create_message    redact_pii changed · mask_payment_prose
    + assistant: book_reservation({\"user_id\": \"odd_berg_7\", \"passengers\": [{\"first_name\":…
    after_create_message     count_messages
      before_tool_call         guard_booking → deny
      before_create_message    redact_pii · mask_payment_prose
      + tool: Denied: a reservation holds at most 5 passengers, this one has 7; book i…
      after_create_message     count_messages
      > tool `book_reservation` is not run
    > model `recorded` reads 6 messages
    before_create_message    redact_pii · mask_payment_prose
    + assistant: One reservation holds five passengers at most. Shall I book in two parts…
    after_create_message     count_messages
  turn over: no_tool_calls
  turn 2
    filter_messages          forget_thoughts changed
    user_prompt_submit       explain_masks
    ~ messages left out of what the model reads: 2
    before_create_message    redact_pii · mask_payment_prose
    + user: Then the first five, in business, please.
    after_create_message     count_messages
    pre_prompt_context       cancel_policy
    > model `recorded` reads 6 messages
    before_create_message    redact_pii changed · mask_payment_prose
    + assistant: book_reservation({\"user_id\": \"odd_berg_7\", \"passengers\": [{\"first_name\":…
    after_create_message     count_messages
      before_tool_call         guard_booking → ask
      > tool `book_reservation`
      after_tool_call_success  mask_payment_ids changed · fragile_tier failed · time_tools
      before_create_message    redact_pii · mask_payment_prose
      + tool: Error: payment method [credit card] has expired
      after_create_message     count_messages
    > model `recorded` reads 8 messages
    before_create_message    redact_pii · mask_payment_prose
    + assistant: The card was not accepted. Is there another one?
    after_create_message     count_messages
  turn over: no_tool_calls
";

#[test]
fn a_trace_lists_the_hooks_that_ran_at_each_kind_in_order() {
    assert_eq!(trace(&["--trace"]), EXPECTED);
}

#[test]
fn a_trace_of_all_kinds_includes_kinds_without_hooks() {
    let all = trace(&["--trace=all"]);
    let kinds: Vec<&str> = all
        .lines()
        .skip_while(|line| !line.contains("turn 2"))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.contains('_') || *word == "stop")
        .collect();
    let stored = ["before_create_message", "after_create_message"];
    let asked = ["prefilter_llm_history", "pre_model_call", "post_model_call"];
    let expected: Vec<&str> = [
        &["filter_messages", "user_prompt_submit"][..],
        &stored,
        &["before_agent_start", "pre_policy", "pre_prompt_context", "post_preflight_prompt_context"],
        &["pre_tool_materialization", "pre_prompt_compile"],
        &asked,
        &stored,
        &["before_tool_call", "permission_request"],
        &["after_tool_call_success", "after_tool_call", "before_store_tool_result"],
        &stored,
        &asked,
        &["before_create_message", "stop", "after_create_message"],
        &["post_turn", "turn_end", "session_end"],
    ]
    .concat();
    assert_eq!(kinds, expected, "{all}");
}

#[test]
fn a_trace_is_printed_to_stderr_and_changes_nothing() {
    let run = |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_airline-desk")).args(arguments).output().unwrap();
    let (plain, traced) = (run(&["--out", "-"]), run(&["--out", "-", "--trace=all"]));
    assert_eq!(plain.stdout, traced.stdout);
    assert!(String::from_utf8_lossy(&traced.stderr).starts_with("conversation puffin-1\n  session_start\n"));

    let counted = |arguments: &[&str]| {
        let summary: Value = serde_json::from_slice(&run(arguments).stdout).unwrap();
        let hooks = summary["hooks"].as_array().unwrap().clone();
        // The order of the rows is not compared: it is the order in which the kinds were first fired.
        hooks.into_iter().map(|row| (row["hook"].to_string(), row["runs"].to_string())).collect::<BTreeSet<_>>()
    };
    assert_eq!(counted(&["--json"]), counted(&["--json", "--trace=all"]));
}
