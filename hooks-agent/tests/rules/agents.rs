//! Sub-agents: their start, calls and end.

use hook_sdk::prelude::*;
use hooks_agent::SubAgent;
use hooks_agent::model::Line;
use serde_json::{Value, json};

use super::desk::{Desk, bash};

fn ask(id: &str) -> Line {
    Line::call(id, "research", json!({"prompt": "what is it?"}))
}

async fn asked(desk: &Desk) -> String {
    let research = SubAgent::new(AgentDef::new("research"), "Looks things up.").system_prompt("Cite sources.");
    desk.open(desk.harness().agent(research)).await.turn(None, "hi").await.to_string()
}

#[tokio::test]
async fn scripts_get_start_calls_and_end_of_a_sub_agent_with_its_ids() {
    let desk = Desk::new(
        &[
            ("SubagentStart", "research", "cat >> starts.jsonl"),
            ("SubagentStart", "planner", "cat >> other.jsonl"),
            ("PreToolUse", "Bash", "cat >> calls.jsonl"),
            ("SubagentStop", "research", "cat >> stops.jsonl"),
            ("Stop", "", "cat >> main.jsonl"),
        ],
        [
            ask("1"),
            bash("ls"),
            Line::text("a bird"),
            ask("2"),
            Line::text("a gull"),
            bash("pwd"),
            Line::text("a gull, I hear"),
        ],
    );
    assert_eq!(asked(&desk).await, "a gull, I hear");
    let lines = |name: &str| -> Vec<Value> {
        desk.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (starts, stops, calls) = (lines("starts.jsonl"), lines("stops.jsonl"), lines("calls.jsonl"));
    assert!(starts.iter().chain(&stops).chain(&calls).all(|given| given["session_id"] == "c-1"));
    assert!(starts.iter().chain(&stops).all(|given| given["agent_type"] == "research"));
    let ids = |given: &[Value]| given.iter().map(|one| one["agent_id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&starts), ids(&stops));
    assert_ne!(ids(&starts)[0], ids(&starts)[1], "each time it is asked is one of its own");
    // The first call is that of the sub-agent, the second that of its caller.
    assert_eq!(ids(&calls), [ids(&starts)[0].clone(), Value::Null]);
    assert_eq!(stops[0]["last_assistant_message"], "a bird");
    assert_eq!(lines("main.jsonl").len(), 1, "an agent's end is not the turn's");
    assert!(!desk.folder.path().join("other.jsonl").exists());

    // The transcript of the session contains the person's conversation. The sub-agent has its own file next to it.
    let main = lines("main.jsonl")[0]["transcript_path"].clone();
    assert!(stops.iter().all(|given| given["transcript_path"] == main));
    let said =
        |path: &Value| desk.transcript(path.as_str().unwrap()).last().unwrap()["message"]["content"][0]["text"].clone();
    assert_eq!(
        (said(&stops[0]["agent_transcript_path"]), said(&stops[1]["agent_transcript_path"])),
        ("a bird".into(), "a gull".into())
    );
    assert_eq!(said(&main), "a gull, I hear");
}

#[tokio::test]
async fn rules_add_a_context_to_a_sub_agent_and_continue_it() {
    let again = "case $(cat) in *'\"stop_hook_active\":true'*) exit 0 ;; esac\necho 'and its size?' >&2; exit 2";
    let start =
        "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"SubagentStart\", \"additionalContext\": \"be exact\"}}'";
    let desk = Desk::new(
        &[("SubagentStart", "", start), ("SubagentStop", "", again)],
        [ask("1"), Line::text("a bird"), Line::text("a bird of 60 cm"), Line::text("60 cm")],
    );
    assert_eq!(asked(&desk).await, "60 cm");
    let heard = desk.model.heard();
    let prompts: Vec<&str> = heard.iter().map(|call| call.system_prompt.as_str()).collect();
    let own = "Cite sources.\n\nbe exact";
    assert_eq!(prompts, ["Be brief.", own, own, "Be brief."]);
    assert!(heard[2].messages.last().unwrap().text().ends_with("and its size?"));
    assert_eq!(desk.sent().last().unwrap(), "tool: <- a bird of 60 cm");
}
