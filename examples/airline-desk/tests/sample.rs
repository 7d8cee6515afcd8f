//! The effect of the hooks on the sample conversations.
#![allow(clippy::unwrap_used, reason = "tests unwrap to assert")]

use crate::support;
use airline_desk::desk::{Answer, Desk};
use airline_desk::tally::Row;
use std::collections::BTreeSet;

use serde_json::Value;

fn open(agent: &str) -> Desk {
    Desk::open(&support::desk_file(agent), None).unwrap()
}

fn sample() -> Vec<u8> {
    std::fs::read(support::desk_file("sample.jsonl")).unwrap()
}

/// The contents of the results of `call`.
fn result<'a>(transcripts: &'a [Value], call: &str) -> &'a str {
    let mut messages = transcripts.iter().flat_map(|transcript| transcript["messages"].as_array().unwrap());
    messages.find(|message| message["tool_call_id"] == call).unwrap()["content"].as_str().unwrap()
}

fn row<'a>(rows: &'a [Row], hook: &str) -> &'a Row {
    rows.iter().find(|row| row.hook == hook).unwrap()
}

#[test]
fn a_replay_keeps_the_number_of_messages_and_the_fields_of_lines() {
    let before = support::parse(&sample());
    let (after, summary) = support::replay(&open("agent.json"), &sample());
    assert_eq!(summary.totals.messages_in, summary.totals.messages_out);
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        // The order of fields depends on the build.
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(keys(before), keys(after));
        assert_eq!((&before["id"], &before["desk"]), (&after["id"], &after["desk"]));
        for (before, after) in before["messages"].as_array().unwrap().iter().zip(after["messages"].as_array().unwrap())
        {
            let mut kept = keys(before);
            if before["tool_call_id"] == "b2" {
                // The call was denied, so the recorded extra fields of its result do not apply.
                kept.retain(|key| key != "duration_ms");
            }
            assert_eq!(kept, keys(after));
        }
    }
}

#[test]
fn additional_fields_of_a_message_are_masked_too() {
    let line = serde_json::json!({"id": "c", "messages": [
        {"role": "user", "content": "hello", "name": "ann@desk.example"},
        {"role": "assistant", "content": null, "refusal": "no@desk.example",
         "tool_calls": [{"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "done", "by": "bo@desk.example", "duration_ms": 5},
    ]});
    let (after, _) = support::replay(&open("agent.json"), line.to_string().as_bytes());
    let messages = &after[0]["messages"];
    assert_eq!((&messages[0]["name"], &messages[1]["refusal"]), (&"[email]".into(), &"[email]".into()));
    assert_eq!((&messages[2]["by"], &messages[2]["duration_ms"]), (&"[email]".into(), &5.into()));
}

#[test]
fn personal_data_is_not_stored() {
    let (after, _) = support::replay(&open("agent.json"), &sample());
    let text = serde_json::to_string(&after).unwrap();
    for gone in [".example", "1988-04-12", "1999-0", "April 12", "October 1957", "1957-10-05", "to gift_card_5550001"] {
        assert!(!text.contains(gone), "{gone}");
    }
    // Flight dates and keys are unchanged, and stored calls still contain the payment method.
    for kept in [
        "2031-03-20",
        "2031-03-03T19:05:00",
        r#"\"gift_card_5550001\": {"#,
        r#"\"payment_id\": \"credit_card_1002003\""#,
    ] {
        assert!(text.contains(kept), "{kept}");
    }
}

#[test]
fn the_result_of_a_denied_call_is_the_reason() {
    let (after, summary) = support::replay(&open("agent.json"), &sample());
    assert_eq!(
        result(&after, "b2"),
        "Denied: a reservation holds at most 5 passengers, this one has 7; book in two parts"
    );
    assert_eq!((summary.totals.refused, summary.totals.approved), (1, 2));
    assert_eq!(row(&summary.hooks, "guard_booking").denials, 1);
    // The denied call is not counted as a run.
    assert_eq!(summary.metrics.tools["book_reservation"].runs, 2);
    assert_eq!(summary.metrics.tools["book_reservation"].errors, 1);
    // The duration is measured by the loop. The recorded ones were 840 ms and 655 ms.
    assert!(summary.metrics.tools["book_reservation"].time.as_millis() < 655);
}

#[test]
fn a_question_gets_the_configured_answer() {
    let (after, _) = support::replay(&open("agent.json").answer(Answer::No), &sample());
    assert_eq!(result(&after, "c2"), "Denied: cancelling reservation PUF003 cannot be undone. The answer was no");
    let (after, _) = support::replay(&open("agent.json").attended(false), &sample());
    assert!(result(&after, "c2").ends_with("and nobody is there to confirm it"));
}

#[test]
fn a_failed_hook_does_not_change_the_result() {
    hook_sdk::quiet_panics();
    let (after, summary) = support::replay(&open("agent.json"), &sample());
    let fragile = row(&summary.hooks, "fragile_tier");
    assert_eq!((fragile.runs, fragile.failures), (5, 2));
    // It panicked on this profile after it had modified its copy.
    assert!(result(&after, "c1").contains("Tor Nord"));
    assert!(!serde_json::to_string(&after).unwrap().contains("half a result"));
    // The hooks after it were run.
    assert_eq!(row(&summary.hooks, "time_tools").runs, 6);
}

#[test]
fn the_sample_fires_every_kind_that_the_desk_has_hooks_for() {
    let (_, summary) = support::replay(&open("agent.json"), &sample());
    let mut kinds: Vec<&str> = summary.hooks.iter().filter(|row| row.runs > 0).map(|row| row.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), 7, "{kinds:?}");
    assert_eq!(row(&summary.hooks, "forget_thoughts").changes, 1);
    assert_eq!(row(&summary.hooks, "forget_thoughts").failures, 0);
    assert_eq!(summary.totals.left_out, 2); // a thought and its result, in one turn
    assert_eq!(summary.totals.contexts, 3); // two masked prompts, one of them about cancelling
}

#[test]
fn the_list_of_a_prompt_replaces_that_of_the_agent() {
    let prompt = support::desk_file("prompts/timetable.json");
    let desk = Desk::open(&support::desk_file("agent.json"), Some(&prompt)).unwrap();
    let (_, summary) = support::replay(&desk, &sample());
    let hooks: Vec<&str> = summary.hooks.iter().map(|row| row.hook.as_str()).collect();
    // The two hooks of the app stay in force.
    assert_eq!(hooks, ["redact_pii", "count_messages", "time_tools"]);
    let findings = desk.audit(&support::desk_file("prompts")).unwrap();
    assert!(findings.iter().any(|finding| finding.to_string().contains("omits the gate `guard_booking`")));
}
