//! The transcript: messages in their stored form, and the answer before the end of the turn.

use std::os::unix::fs::PermissionsExt as _;

use hook_sdk::data::{Block, ResultRow, Role, ToolCall};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelAnswer};
use serde_json::{Value, json};

use super::desk::{Desk, bash, prints};

const KEEP: (&str, &str, &str) = (
    "Stop",
    "",
    "path=$(sed 's/.*\"transcript_path\":\"\\([^\"]*\\)\".*/\\1/'); cp \"$path\" \"then.$(ls then.* 2>/dev/null | wc -l | tr -d ' ')\"",
);

#[tokio::test]
async fn scripts_read_the_whole_turn_before_it_ends() {
    let lookup = ModelAnswer::new(vec![
        Block::from("let me look"),
        Block::ToolUse(ToolCall::new("call_1", "run_shell_command", json!({"command": "ls"}))),
    ]);
    let broken = Line::call("call_2", "breaks", json!({}));
    let desk = Desk::new(&[KEEP], [Line::answer(lookup), broken, Line::text("two files")]);
    desk.turn().await;
    let text = |role: &str, text: &str| line(role, &json!([{"type": "text", "text": text}]));
    let expected = [
        text("user", "hi"),
        line(
            "assistant",
            &json!([
                {"type": "text", "text": "let me look"},
                // With the tool name that scripts use.
                {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {"command": "ls"}},
            ]),
        ),
        line(
            "user",
            &json!([{"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "the shell's answer"}]}]),
        ),
        line("assistant", &json!([{"type": "tool_use", "id": "call_2", "name": "breaks", "input": {}}])),
        line(
            "user",
            &json!([{"type": "tool_result", "tool_use_id": "call_2", "is_error": true, "content": [{"type": "text", "text": "it broke"}]}]),
        ),
        text("assistant", "two files"),
    ];
    // As it was when the script ran, and after the turn: the answer is not written twice.
    for path in ["then.0", "sessions/c-1.jsonl"] {
        assert_eq!(plain(desk.transcript(path)), expected.clone().map(normal), "{path}");
    }
    // Scripts search for this, without a space.
    assert!(desk.read("then.0").lines().last().unwrap().contains(r#""role":"assistant""#));
}

fn line(role: &str, content: &Value) -> Value {
    json!({"type": role, "message": {"role": role, "content": content}})
}

/// A text is equivalent to a list of one text in a result.
fn normal(mut line: Value) -> Value {
    for block in line["message"]["content"].as_array_mut().unwrap() {
        if let Some(text) = block.get("content").and_then(Value::as_str).map(str::to_owned) {
            block["content"] = json!([{"type": "text", "text": text}]);
        }
    }
    line
}

fn plain(lines: Vec<Value>) -> Vec<Value> {
    lines.into_iter().map(normal).collect()
}

/// Equal answers are written twice, and an answer that a rule replaced is written too.
#[tokio::test]
async fn the_transcript_has_every_answer_once() {
    let again = "case $(cat) in *'\"stop_hook_active\":true'*) exit 0 ;; esac\necho 'once more' >&2; exit 2";
    let desk = Desk::new(&[("Stop", "", again), KEEP], [Line::text("done"), Line::text("done")]);
    desk.turn().await;
    let said = |path: &str| -> Vec<String> {
        let lines = desk.transcript(path);
        lines.iter().map(|line| line["message"]["content"][0]["text"].as_str().unwrap().to_owned()).collect()
    };
    let follow_up = "<system-reminder>a stop hook asks to go on</system-reminder>\nonce more";
    assert_eq!(said("sessions/c-1.jsonl"), ["hi", "done", follow_up, "done"]);
    assert_eq!(said("then.0"), ["hi", "done"]);
    assert_eq!(said("then.1"), ["hi", "done", follow_up, "done"]);
}

/// Masked text is neither in the transcript nor in the input of scripts at the end of the turn.
#[tokio::test]
async fn the_transcript_contains_the_masked_text() {
    let mask = |text: &str| text.contains("4111").then(|| text.replace("4111", "[card]"));
    let desk = Desk::new(
        &[KEEP, ("Stop", "", "cat > stop.json")],
        [bash("pay"), Line::text("paid with 4111"), Line::text("again 4111")],
    );
    let desk = desk
        .compiled(
            Hook::at::<BeforeCreateMessage>("mask_rows")
                .writer(move |_, _, row: &mut Message| {
                    row.rewrite_text(mask);
                })
                .on_failure(OnFailure::Required),
        )
        .compiled(
            Hook::at::<BeforeStoreToolResult>("mask_results")
                .writer(|_, _, row: &mut ResultRow| {
                    row.content = vec![Block::from("[a result]")];
                })
                .on_failure(OnFailure::Required),
        );
    let session = desk.session().await;
    assert_eq!(session.turn(None, "my card is 4111").await.to_string(), "paid with [card]");
    for path in ["then.0", "sessions/c-1.jsonl", "stop.json"] {
        let text = desk.read(path);
        assert!(!text.contains("4111") && !text.contains("the shell's answer"), "{path}: {text}");
    }
    assert!(desk.read("then.0").contains("[a result]") && desk.read("then.0").contains("paid with [card]"));
}

/// The conversation and its rules continue if the file cannot be written.
#[tokio::test]
async fn a_turn_continues_without_its_transcript() {
    let desk = Desk::new(
        &[("Stop", "", "cat > stop.json"), ("SessionStart", "", "echo \"file: ${CLAUDE_ENV_FILE-none}\"")],
        [Line::text("done"), Line::text("done")],
    );
    // A file in place of the folder.
    std::fs::write(desk.folder.path().join("sessions"), "").unwrap();
    let session = desk.session().await;
    assert_eq!(session.turn(None, "hi").await.to_string(), "done");
    assert_eq!(desk.kept("stop.json")["transcript_path"], "");
    assert_eq!(desk.model.heard()[0].system_prompt, "Be brief.\n\nfile: none");
    assert_eq!(desk.failures(), [""; 0]);

    // Writing continues as soon as it is possible.
    std::fs::remove_file(desk.folder.path().join("sessions")).unwrap();
    session.turn(None, "hi").await;
    assert_eq!(desk.transcript("sessions/c-1.jsonl").len(), 2);
}

#[tokio::test]
async fn transcripts_are_private_and_each_session_has_its_own() {
    let desk = Desk::new(&[KEEP], [Line::text("one"), Line::text("two")]);
    let harness = desk.harness().build().unwrap();
    for name in ["a/b", "a_b"] {
        harness.session(name, AgentDef::new("clerk")).open().await.unwrap().turn(None, "hi").await;
    }
    let folder = desk.folder.path().join("sessions");
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let files: Vec<_> = files.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    for file in files {
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 2);
    }
}

/// A message between turns belongs to the conversation too.
#[tokio::test]
async fn the_transcript_contains_messages_between_turns() {
    let desk = Desk::new(&[("UserPromptSubmit", "", &prints(&json!({})))], []);
    let session = desk.session().await;
    session.add(None, Message::new(Role::Assistant, "Your flight is late.")).await.unwrap();
    assert_eq!(
        desk.transcript("sessions/c-1.jsonl"),
        [line("assistant", &json!([{"type": "text", "text": "Your flight is late."}]))]
    );
}
