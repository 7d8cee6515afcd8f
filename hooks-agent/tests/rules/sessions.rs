//! The start and the end of a session.

use hook_sdk::kinds::SessionEndReason;
use hook_sdk::prelude::*;
use hooks_agent::model::Line;
use hooks_rules::SessionInfo;
use serde_json::json;

use super::desk::{Desk, bash, output, prints};

#[tokio::test]
async fn every_turn_of_a_session_has_the_contexts_of_its_start() {
    let member = prints(&output("SessionStart", json!({"additionalContext": "the branch is main"})));
    let scripts = [
        ("SessionStart", "startup", "echo 'it is Monday'"),
        ("SessionStart", "", member.as_str()),
        ("SessionStart", "resume", "echo 'welcome back'"),
    ];
    let desk = Desk::new(&scripts, [Line::text("hello"), Line::text("again"), Line::text("and again")]);
    let session = desk.session().await;
    session.turn(None, "hi").await;
    session.turn(None, "hi").await;
    session.close(SessionEndReason::Idle).await.unwrap();
    desk.session().await.turn(None, "hi").await;
    let prompts: Vec<_> = desk.model.heard().into_iter().map(|call| call.system_prompt).collect();
    let began = "Be brief.\n\nit is Monday\n\nthe branch is main";
    assert_eq!(prompts, [began, began, "Be brief.\n\nthe branch is main\n\nwelcome back"]);
}

#[tokio::test]
async fn scripts_get_the_end_of_a_session_with_its_reason() {
    let desk = Desk::new(
        &[("SessionEnd", "shutdown", "cat > ended.json"), ("SessionEnd", "idle", "cat > idle.json")],
        [Line::text("hello")],
    );
    let session = desk.session().await;
    session.turn(None, "hi").await;
    session.close(SessionEndReason::Shutdown).await.unwrap();
    let given = desk.kept("ended.json");
    assert_eq!((&given["session_id"], &given["reason"]), (&json!("c-1"), &json!("other")));
    assert!(!desk.folder.path().join("idle.json").exists());
}

/// One session has its own mode, folder and transcript, and another one does not.
#[tokio::test]
async fn sessions_do_not_share_state() {
    let desk = Desk::new(
        &[("PreToolUse", "", "cat > given.json"), ("Stop", "", "cat > \"$CLAUDE_PROJECT_DIR/stop.json\"")],
        [bash("ls"), Line::text("one"), bash("ls"), Line::text("two")],
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let own = elsewhere.path().join("own.jsonl");
    let harness = desk.harness().build().unwrap();
    let state = SessionInfo { transcript: Some(own.clone()), permission_mode: Some("plan".into()) };
    let session = harness.session("c-1", AgentDef::new("clerk")).state(state).workspace(elsewhere.path());
    session.open().await.unwrap().turn(None, "hi").await;
    // The script ran in the folder of the session.
    let given = std::fs::read_to_string(elsewhere.path().join("given.json")).unwrap();
    let given: serde_json::Value = serde_json::from_str(&given).unwrap();
    assert_eq!(
        (&given["permission_mode"], &given["cwd"], &given["transcript_path"]),
        (&json!("plan"), &json!(elsewhere.path()), &json!(own))
    );
    assert!(!own.exists() && !desk.folder.path().join("sessions/c-1.jsonl").exists(), "it is the harness's to write");

    harness.session("c-2", AgentDef::new("clerk")).open().await.unwrap().turn(None, "hi").await;
    let given = desk.kept("given.json");
    assert_eq!((&given["permission_mode"], &given["cwd"]), (&json!("default"), &json!(desk.folder.path())));
}
