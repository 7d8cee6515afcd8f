//! `continue: false`: the turn ends after the event, well formed, whatever other rules decide.

use hook_sdk::prelude::*;
use hooks_agent::model::Line;
use hooks_agent::{Outcome, SubAgent};
use serde_json::json;

use super::desk::{Desk, bash, prints};

/// The lines of the model.
type Says = fn() -> Line;

fn ends() -> String {
    prints(&json!({"continue": false, "stopReason": "enough for today"}))
}

#[tokio::test]
async fn a_halt_before_or_after_a_call_ends_the_turn() {
    let breaks = || Line::call("call_1", "breaks", json!({}));
    let table: [(&str, Says, &str, usize); 3] = [
        ("PreToolUse", || bash("ls"), "Not run, the turn ended: enough for today", 0),
        ("PostToolUse", || bash("ls"), "the shell's answer", 1),
        ("PostToolUseFailure", breaks, "it broke", 1),
    ];
    for (event, call, result, ran) in table {
        // The other rule's decision has no effect.
        let desk =
            Desk::new(&[(event, "", &ends()), (event, "", "echo no >&2; exit 2")], [call(), Line::text("never")]);
        let reply = desk.turn().await;
        assert!(
            matches!(&reply.outcome, Outcome::Halted(halt) if halt.reason.as_str() == "enough for today"),
            "{event}"
        );
        assert_eq!(reply.to_string(), "[Hook stopped] enough for today");
        assert_eq!((desk.ran().len(), desk.model.heard().len()), (ran, 1), "{event}");
        assert_eq!(desk.stored().await.last().unwrap(), &format!("tool: <- {result}"), "{event}");
    }
}

#[tokio::test]
async fn a_halt_at_the_prompt_ends_the_turn() {
    let desk = Desk::new(&[("UserPromptSubmit", "", &ends())], [Line::text("never")]);
    let reply = desk.turn().await;
    assert!(matches!(&reply.outcome, Outcome::PromptStopped { reason, .. } if reason.as_str() == "enough for today"));
    assert!(desk.model.heard().is_empty() && desk.stored().await.is_empty());
}

/// The turn ends with the answer, although another rule would continue.
#[tokio::test]
async fn a_halt_at_the_end_overrides_a_rule_that_continues() {
    let desk = Desk::new(&[("Stop", "", "echo more >&2; exit 2"), ("Stop", "", &ends())], [Line::text("done")]);
    assert_eq!(desk.turn().await.to_string(), "done\n[Hook stopped] enough for today");
    assert_eq!(desk.model.heard().len(), 1);
}

/// At the start of a session there is no turn yet, so its first turn is stopped.
#[tokio::test]
async fn a_halt_at_the_session_start_stops_the_first_turn() {
    let desk = Desk::new(&[("SessionStart", "", &ends())], [Line::text("hello again")]);
    let session = desk.session().await;
    let first = session.turn(None, "hi").await;
    assert!(matches!(&first.outcome, Outcome::PromptStopped { reason, .. } if reason.as_str() == "enough for today"));
    assert!(desk.model.heard().is_empty());
    assert_eq!(session.turn(None, "hi").await.to_string(), "hello again");
}

#[tokio::test]
async fn a_halt_at_the_start_of_a_sub_agent_stops_it_before_its_model_is_called() {
    let ask = Line::call("call_1", "research", json!({"prompt": "what is it?"}));
    let desk = Desk::new(&[("SubagentStart", "research", &ends())], [ask, Line::text("I do not know")]);
    let research = SubAgent::new(AgentDef::new("research"), "Looks things up.").halts_alone();
    let session = desk.open(desk.harness().agent(research)).await;
    assert_eq!(session.turn(None, "hi").await.to_string(), "I do not know");
    assert_eq!(desk.sent().last().unwrap(), "tool: <- [Hook stopped] enough for today");
    assert_eq!(desk.model.heard().len(), 2, "none of them the sub-agent's");
}
