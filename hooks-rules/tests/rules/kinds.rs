//! Each event that a kind carries: the input of its rules, and the effect of their answers.

use std::time::Duration;

use hook_sdk::data::Role;
use hook_sdk::verdict::{StopDecision, StopVerdict};

use hooks_rules::SessionInfo;

use super::support::*;

/// A rule that saves its input in a file, and prints an answer.
fn keeps(folder: &std::path::Path, event: &str, answer: &Value) -> Rules {
    let line = format!("cat > {}/input; {}", folder.display(), prints(answer));
    of_text(&commands(event, &[&line]))
}

fn succeeded(tool: &str, input: Value) -> AfterToolCallSuccess {
    AfterToolCallSuccess::new(call(tool, input.clone()), input)
}

fn kept(folder: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("input")).unwrap()).unwrap()
}

#[tokio::test]
async fn the_result_of_a_tool() {
    let folder = tempfile::tempdir().unwrap();
    let answer = output("PostToolUse", json!({"additionalContext": "note", "updatedToolOutput": "masked"}));
    let set = set(&keeps(folder.path(), "PostToolUse", &answer));
    let event = succeeded("read_file", json!({"path": "a"})).duration(Duration::from_millis(7));
    let fired = set.fire(&HookContext::new(), &event, ToolResult::new("{\"ok\": true}")).await.unwrap();
    let result = fired.subject.unwrap();
    assert_eq!((&*result.text(), result.additional_context.as_slice()), ("masked", &["note".to_owned()][..]));
    let input = kept(folder.path());
    assert_eq!(input["tool_name"], "Read");
    assert_eq!(input["tool_response"], json!({"ok": true}));
    assert_eq!(input["duration_ms"], 7);
}

/// A mask that did not come to its end has masked nothing.
#[tokio::test]
async fn a_result_that_its_guard_did_not_judge_is_withheld() {
    let cases = [
        ("exit 1", true),
        ("exit 2", true),
        ("kill -9 $$", true),
        ("./missing.sh", true),
        ("echo '{\"hookSpecificOutput\": {\"hookEventName\": '", true),
        ("printf '{'; head -c 2000000 /dev/zero", true),
        ("sleep 9", true),
        ("echo '{\"decision\": \"block\", \"reason\": \"look again\"}'; exit 1", true),
        ("echo '{\"decision\": \"block\", \"reason\": \"look again\"}'; kill -9 $$", true),
        ("echo '{\"continue\": false}'; kill -9 $$", true),
        ("exit 0", false),
        ("echo '{\"decision\": \"block\", \"reason\": \"look again\"}'", false),
    ];
    for (command, is_withheld) in cases {
        let rule = json!({"type": "command", "command": command, "onFailure": "block", "timeout": 1});
        // The answer of another rule does not bring it back.
        let other = prints(&output("PostToolUse", json!({"updatedToolOutput": "s3cret, but shorter"})));
        let text = json!({"hooks": {"PostToolUse": [{"hooks": [rule, {"type": "command", "command": other}]}]}});
        let set = set(&of_text(&text.to_string()));
        let event = succeeded("read_file", json!({}));
        let fired = set.fire(&HookContext::new(), &event, ToolResult::new("s3cret")).await.unwrap();
        let result = fired.subject.unwrap();
        assert_eq!(
            result.text().starts_with("The result is not to be used"),
            is_withheld,
            "{command}: {}",
            result.text()
        );
        assert_eq!(result.text().contains("s3cret"), !is_withheld, "{command}: {}", result.text());
        // The reason stands there once.
        let repeats = |text: &String| result.text().ends_with(text.as_str());
        assert!(!result.additional_context.iter().any(repeats), "{command}: {:?}", result.additional_context);
    }
}

/// Of a key that stands there twice, a script that masks would see one, and the model the other.
#[tokio::test]
async fn a_result_with_a_key_twice_reaches_rules_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let set = set(&keeps(folder.path(), "PostToolUse", &json!({})));
    for text in [r#"{"a": "s3cret", "a": "x"}"#, r#"{"b": [{"a": "s3cret", "\u0061": "x"}]}"#, "{\"a\": 1} // s3cret"] {
        let event = succeeded("read_file", json!({}));
        let _ = set.fire(&HookContext::new(), &event, ToolResult::new(text)).await.unwrap();
        assert_eq!(kept(folder.path())["tool_response"], text);
    }
}

/// Tools of MCP answer with blocks, and so does a rule that replaces their output.
#[tokio::test]
async fn a_list_of_text_blocks_replaces_the_blocks_of_a_result() {
    let blocks = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "{\"a\":1}"}]);
    for (answer, text) in [
        (blocks.clone(), "one\n{\"a\":1}"),
        (json!({"content": blocks.clone()}), "one\n{\"a\":1}"),
        (json!({"content": blocks.clone(), "structuredContent": {"a": 1}}), "one\n{\"a\":1}"),
        (json!({"content": blocks, "structuredContent": {"b": 1}}), "one\n{\"a\":1}\n{\"b\":1}"),
    ] {
        let mask = prints(&output("PostToolUse", json!({"updatedMCPToolOutput": answer})));
        let set = set(&of_text(&commands("PostToolUse", &[&mask])));
        let event = succeeded("mcp__desk__read", json!({}));
        let fired = set.fire(&HookContext::new(), &event, ToolResult::new("secret")).await.unwrap();
        let result = fired.subject.unwrap();
        assert_eq!((&*result.text(), result.content.len()), (text, text.lines().count()));
    }
}

/// Ending the turn does not undo what another rule masked.
#[tokio::test]
async fn a_masked_result_stays_masked_if_a_rule_ends_the_turn() {
    let mask = prints(&output("PostToolUse", json!({"updatedToolOutput": "masked"})));
    let stop = prints(&json!({"continue": false, "stopReason": "enough"}));
    let set = set(&of_text(&commands("PostToolUse", &[&mask, &stop])));
    let event = succeeded("read_file", json!({}));
    let fired = set.fire(&HookContext::new(), &event, ToolResult::new("secret")).await.unwrap();
    assert_eq!(fired.subject.unwrap().text(), "masked");
    assert_eq!(fired.report.halt.as_ref().unwrap().reason.as_str(), "enough");
}

#[tokio::test]
async fn the_failure_of_a_tool() {
    let folder = tempfile::tempdir().unwrap();
    let answer = json!({"decision": "block", "reason": "try again"});
    let set = set(&keeps(folder.path(), "PostToolUseFailure", &answer));
    let event =
        AfterToolCallFailure::new(call("Bash", json!({"command": "x"})), json!({"command": "x"}), "Exit code 3");
    let fired = set.fire(&HookContext::new(), &event, ToolResult::error("Exit code 3")).await.unwrap();
    assert_eq!(fired.subject.unwrap().additional_context, ["try again"]);
    assert_eq!(kept(folder.path())["error"], "Exit code 3");
}

/// Contexts of rules before a call are delivered with the result.
#[tokio::test]
async fn context_before_a_call_comes_with_its_result() {
    let answer = output("PreToolUse", json!({"additionalContext": "the disk is full"}));
    let set = set(&of_text(&commands("PreToolUse", &[&prints(&answer)])));
    let _ = shell(&set, "ls").await;
    let event = succeeded("run_shell_command", json!({}));
    for expected in [vec!["the disk is full".to_owned()], Vec::new()] {
        let fired = set.fire(&HookContext::new(), &event, ToolResult::new("ok")).await.unwrap();
        assert_eq!(fired.subject.unwrap().additional_context, expected);
    }
}

#[tokio::test]
async fn a_prompt() {
    let fire = async |text: &str| {
        let event = UserPromptSubmit::new("hello", Messages::default());
        let set = set(&of_text(text));
        set.fire(&HookContext::new(), &event, Messages::default()).await.unwrap().verdict
    };
    let blocked = fire(&commands("UserPromptSubmit", &["echo 'no cards' >&2; exit 2"])).await;
    assert_eq!(blocked.decision, PromptDecision::Block("no cards".into()));
    let stop = prints(&json!({"continue": false, "stopReason": "enough"}));
    assert_eq!(fire(&commands("UserPromptSubmit", &[&stop])).await.decision, PromptDecision::Stop("enough".into()));
    let flat = json!({"hooks": {"UserPromptSubmit": [
        {"type": "prompt", "prompt": "Answer {userMessage} in verse."},
        {"type": "command", "command": "cat"},
    ]}});
    let verdict = fire(&flat.to_string()).await;
    assert_eq!(verdict.contexts[0], "Answer hello in verse.");
    let envelope: Value =
        serde_json::from_str(verdict.contexts.get(1).map_or("null", String::as_str)).unwrap_or_default();
    // Its own input is an object without a field of an answer.
    assert_eq!(envelope, Value::Null);
}

async fn stops(set: &HookSet, cx: &HookContext, again: bool) -> StopVerdict {
    let event = Stop::new("final_response").stop_hook_active(again).last_message(Message::new(Role::Assistant, "done"));
    set.fire(cx, &event, ()).await.unwrap().verdict
}

#[tokio::test]
async fn the_end_of_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let answer = json!({"decision": "block", "reason": "run the tests", "systemMessage": "not yet"});
    let set = set(&keeps(folder.path(), "Stop", &answer));
    let verdict = stops(&set, &HookContext::new(), true).await;
    assert_eq!(verdict.decision, StopDecision::Continue("run the tests".into()));
    assert_eq!(verdict.system_messages, ["not yet"]);
    let input = kept(folder.path());
    assert_eq!((&input["stop_hook_active"], &input["last_assistant_message"]), (&json!(true), &json!("done")));
    assert!(input.get("turn_end_reason").is_none(), "the contract does not have it");
}

#[tokio::test]
async fn the_end_of_a_turn_in_a_flat_file() {
    let flat = |line: &str| json!({"hooks": {"Stop": [{"type": "command", "command": line}]}}).to_string();
    let cx = HookContext::new();
    let verdict =
        stops(&set(&of_text(&flat("grep -q final_response && { echo again >&2; exit 2; }"))), &cx, false).await;
    assert_eq!(verdict.decision, StopDecision::Continue("again".into()));
    let blocked = prints(&json!({"blockingError": "broken", "continue": false, "suppressOutput": true}));
    let verdict = stops(&set(&of_text(&flat(&blocked))), &cx, false).await;
    assert_eq!(verdict.decision, StopDecision::Block("broken".into()));
    assert!(verdict.suppress_output);
    let forced = prints(&json!({"force_continue": true, "follow_up_message": "and the docs"}));
    let verdict = stops(&set(&of_text(&flat(&forced))), &cx, false).await;
    assert_eq!(verdict.decision, StopDecision::Continue("and the docs".into()));
}

/// Scripts at the end of a turn look for the last answer in the transcript, which is written before they run.
#[tokio::test]
async fn the_transcript_is_written_before_the_end_of_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    // Like typical scripts: the path from the input, the last line of the assistant, its text.
    let line = "path=$(sed 's/.*\"transcript_path\":\"\\([^\"]*\\)\".*/\\1/'); \
        grep '\"role\":\"assistant\"' \"$path\" | tail -1 | grep -q '\"text\":\"done\"' && { echo found >&2; exit 2; }";
    let rules = built(Rules::builder().text("h", commands("Stop", &[line])).session_files(folder.path().join("new")));
    let cx = HookContext::builder().conversation("../s 1").build();
    assert_eq!(stops(&set(&rules), &cx, false).await.decision, StopDecision::Continue("found".into()));
    let own = SessionInfo { transcript: Some(folder.path().join("own.jsonl")), permission_mode: None };
    let cx = HookContext::builder().state(own).build();
    assert_eq!(stops(&set(&rules), &cx, false).await.decision, StopDecision::NoOpinion, "the harness keeps its own");
}

/// Some rules never let a turn end. Each turn starts counting from zero.
#[tokio::test]
async fn rules_continue_a_turn_at_most_eight_times_in_a_row() {
    let set = set(&of_text(&commands("Stop", &["echo more >&2; exit 2"])));
    let cx = HookContext::builder().conversation("c").build();
    for _ in 0..2 {
        for round in 0..8 {
            assert!(matches!(stops(&set, &cx, round > 0).await.decision, StopDecision::Continue(_)), "{round}");
        }
        let capped = stops(&set, &cx, true).await;
        assert_eq!((capped.decision, capped.system_messages.len()), (StopDecision::NoOpinion, 1));
    }
}

#[tokio::test]
async fn a_sub_agent_has_its_own_events() {
    let text = json!({"hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "echo main >&2; exit 2"}]}],
        "SubagentStop": [{"matcher": "reviewer", "hooks": [{"type": "command", "command": "echo sub >&2; exit 2"}]}],
        "SubagentStart": [{"hooks": [{"type": "command",
            "command": prints(&output("SubagentStart", json!({"additionalContext": "be kind"})))}]}],
    }});
    let set = set(&of_text(&text.to_string()));
    let sub = HookContext::builder().agent("reviewer").agent_path(["clerk"]).build();
    let other = HookContext::builder().agent("planner").agent_path(["clerk"]).build();
    assert_eq!(stops(&set, &HookContext::new(), false).await.decision, StopDecision::Continue("main".into()));
    assert_eq!(stops(&set, &sub, false).await.decision, StopDecision::Continue("sub".into()));
    assert_eq!(stops(&set, &other, false).await.decision, StopDecision::NoOpinion);
    let start = |cx: HookContext| {
        let set = set.clone();
        async move { set.fire(&cx, &BeforeAgentStart::new("go"), ()).await.unwrap().verdict.contexts.joined() }
    };
    assert_eq!((start(sub).await.as_str(), start(HookContext::new()).await.as_str()), ("be kind", ""));
}

/// Without session files there is no transcript, and nothing to export variables to; for flat rules there never is.
#[tokio::test]
async fn session_files_are_for_nested_rules_of_an_app_that_keeps_them() {
    let folder = tempfile::tempdir().unwrap();
    let (file, line) =
        (folder.path().join("said"), "grep -o '\"transcript_path\":\"[^\"]*\"'; echo ${CLAUDE_ENV_FILE-none}");
    let line = format!("({line}) > '{}'", file.display());
    let flat = json!({"hooks": {"SessionStart": [{"type": "command", "command": line}]}}).to_string();
    let nested = commands("SessionStart", &[&line]);
    let said = async |text: &str, kept: bool| {
        let builder = Rules::builder().text("hooks.json", text.to_owned());
        let builder = if kept { builder.session_files(folder.path()) } else { builder };
        let _ = set(&built(builder)).fire(&HookContext::new(), &SessionStart::new("s-1", "startup"), ()).await.unwrap();
        std::fs::read_to_string(&file).unwrap().trim_end().to_owned()
    };
    assert_eq!(said(&nested, false).await, "\"transcript_path\":\"\"\nnone");
    assert!(said(&nested, true).await.ends_with("/s-1.sh"));
    assert!(said(&flat, true).await.ends_with("none"));
}

#[tokio::test]
async fn a_session() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().display();
    let text = json!({"hooks": {
        "SessionStart": [{"matcher": "startup", "hooks": [
            {"type": "command", "command": "echo it is Monday; echo A=1 >> \"$CLAUDE_ENV_FILE\""},
        ]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": format!("cat > {here}/input")}]}],
    }});
    let rules = built(Rules::builder().text("hooks.json", text.to_string()).session_files(folder.path()));
    let set = set(&rules);
    let cx = HookContext::new();
    let started = set.fire(&cx, &SessionStart::new("s-1", "startup"), ()).await.unwrap();
    assert_eq!(started.verdict.joined(), "it is Monday");
    assert!(set.fire(&cx, &SessionStart::new("s-1", "resume"), ()).await.unwrap().verdict.is_empty());
    assert_eq!(std::fs::read_to_string(folder.path().join("s-1.sh")).unwrap(), "A=1\n");
    let _ = set.fire(&cx, &SessionEnd::new("s-1", "idle"), ()).await.unwrap();
    let input = kept(folder.path());
    assert_eq!((&input["session_id"], &input["reason"]), (&json!("s-1"), &json!("other")));
    assert!(input.get("permission_mode").is_none());
}

/// A nested rule can refuse a compaction, a flat one only observes it.
#[tokio::test]
async fn a_compaction() {
    let flat = json!({"hooks": {"PreCompact": [
        {"type": "command", "command": "exit 2", "matcher": {"trigger": "auto|manual"}},
    ]}});
    let event = BeforeCompaction::new("auto", "full", Messages::default());
    for (text, denies) in [(commands("PreCompact", &["echo later >&2; exit 2"]), true), (flat.to_string(), false)] {
        let fired = set(&of_text(&text)).fire(&HookContext::new(), &event, ()).await.unwrap();
        assert_eq!(fired.verdict.denial().is_some(), denies);
    }
    let folder = tempfile::tempdir().unwrap();
    let set = set(&keeps(folder.path(), "PostCompact", &json!({})));
    let history = CompactedHistory::new(Messages::default()).summary("so far");
    let _ = set.fire(&HookContext::new(), &PostCompact::new("manual", "full"), history).await.unwrap();
    assert_eq!(kept(folder.path())["compact_summary"], "so far");
}

/// Scripts get the contract's words. Matchers can use those, or the harness's own word.
#[tokio::test]
async fn a_session_ends_for_a_reason_of_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("cat > {}/input", folder.path().display());
    let own = format!("cat > {}/own", folder.path().display());
    let text = json!({"hooks": {"SessionEnd": [
        {"matcher": "clear|logout|prompt_input_exit|other", "hooks": [{"type": "command", "command": line}]},
        {"matcher": "shutdown", "hooks": [{"type": "command", "command": own}]},
    ]}});
    let set = set(&of_text(&text.to_string()));
    let table = [
        ("new", "clear"),
        ("reset", "clear"),
        ("idle", "other"),
        ("daily", "other"),
        ("compaction", "other"),
        ("deleted", "other"),
        ("shutdown", "other"),
        ("restart", "other"),
        ("logout", "logout"),
        ("prompt_input_exit", "prompt_input_exit"),
    ];
    for (reason, expected) in table {
        let _ = set.fire(&HookContext::new(), &SessionEnd::new("s-1", reason), ()).await.unwrap();
        let input = kept(folder.path());
        assert_eq!(input["reason"], expected, "{reason}");
        std::fs::remove_file(folder.path().join("input")).unwrap();
        assert_eq!(std::fs::remove_file(folder.path().join("own")).is_ok(), reason == "shutdown", "{reason}");
    }
}

/// A session that ended before it was stopped does not stop the next one with its name.
#[tokio::test]
async fn each_start_of_a_session_decides_again_whether_it_stops() {
    let stop = prints(&json!({"continue": false, "stopReason": "closed today"}));
    let text = json!({"hooks": {"SessionStart": [
        {"matcher": "startup", "hooks": [{"type": "command", "command": stop}]},
        {"matcher": "resume", "hooks": [{"type": "command", "command": "true"}]},
    ]}});
    let set = set(&of_text(&text.to_string()));
    let cx = HookContext::builder().conversation("s-1").build();
    let prompt = UserPromptSubmit::new("hello", Messages::default());
    for (starts, stops) in [(&["startup"][..], true), (&["startup", "resume"], false), (&["resume", "startup"], true)] {
        for source in starts {
            let _ = set.fire(&cx, &SessionStart::new("s-1", *source), ()).await.unwrap();
        }
        let fired = set.fire(&cx, &prompt, Messages::default()).await.unwrap();
        assert_eq!(fired.verdict != PromptVerdict::default(), stops, "{starts:?}");
    }
}

/// What a kind cannot carry becomes a notice.
#[tokio::test]
async fn messages_for_the_user_are_reported_separately() {
    let observed = Observed::default();
    let answer = prints(&json!({"systemMessage": "mind the gap"}));
    let title = prints(&output("SessionStart", json!({"sessionTitle": "Monday"})));
    let text = json!({"hooks": {
        "PreToolUse": [{"hooks": [{"type": "command", "command": answer}]}],
        "SessionStart": [{"hooks": [{"type": "command", "command": title}, {"type": "command", "command": "echo hm >&2; exit 2"}]}],
    }});
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text.to_string())));
    let set = set(&rules);
    let _ = shell(&set, "ls").await;
    let _ = set.fire(&HookContext::new(), &SessionStart::new("s", "startup"), ()).await.unwrap();
    let notices = observed.notices.lock().unwrap();
    assert_eq!(notices[0].messages, ["mind the gap"]);
    assert_eq!(
        (&notices[1].messages[..], &notices[1].members["sessionTitle"]),
        (&["hm".to_owned()][..], &json!("Monday"))
    );
}

/// A rule that scans `stdout` finds the same text in a loop.
#[tokio::test]
async fn the_result_of_the_shell_has_the_shape_of_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let answer =
        output("PostToolUse", json!({"updatedToolOutput": {"stdout": "key=***", "stderr": "", "interrupted": false}}));
    let set = set(&keeps(folder.path(), "PostToolUse", &answer));
    for text in ["key=abc", "{\"key\": \"abc\"}"] {
        let event = succeeded("run_shell_command", json!({"command": "env"}));
        let fired = set.fire(&HookContext::new(), &event, ToolResult::new(text)).await.unwrap();
        let expected = json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false});
        assert_eq!(kept(folder.path())["tool_response"], expected);
        assert_eq!(fired.subject.unwrap().text(), "key=***");
    }
    let event = succeeded("write_file", json!({"file_path": "/a", "content": "x"}));
    let _ = set.fire(&HookContext::new(), &event, ToolResult::new("ok")).await.unwrap();
    assert_eq!(kept(folder.path())["tool_response"], json!({"filePath": "/a", "success": true}));
}

/// Passed fields reach scripts unchanged.
#[tokio::test]
async fn passed_fields_reach_scripts_and_replace_known_fields() {
    let folder = tempfile::tempdir().unwrap();
    let set = set(&keeps(folder.path(), "PostToolUse", &json!({})));
    let fields = json!({"duration_ms": 12, "effort": {"level": "high"}, "agent_id": "a-7", "new_field": [1]});
    let passed = hooks_rules::ExtraFields(fields.as_object().unwrap().clone());
    let cx = HookContext::builder().state(passed).build();
    let event = succeeded("read_file", json!({}));
    let _ = set.fire(&cx, &event, ToolResult::new("ok")).await.unwrap();
    let input = kept(folder.path());
    for (name, value) in fields.as_object().unwrap() {
        assert_eq!(input[name], *value, "{name}");
    }
}

/// A text of more than 10,000 characters is saved where the model can read it, and begins with 2,000 of them.
#[tokio::test]
async fn a_long_context_is_saved_to_a_file_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let said = async |length: usize| {
        let line = format!("head -c {length} /dev/zero | tr '\\0' x");
        let text = commands("UserPromptSubmit", &[&line]);
        let rules = built(Rules::builder().text("hooks.json", text).session_files(folder.path()));
        let cx = HookContext::builder().conversation("c-1").build();
        let event = UserPromptSubmit::new("hello", Messages::default());
        let fired = set(&rules).fire(&cx, &event, Messages::default()).await.unwrap();
        fired.verdict.contexts.concat()
    };
    assert_eq!(said(10_000).await, "x".repeat(10_000));
    let long = said(10_001).await;
    let (preview, path) = long.rsplit_once("the whole text is in ").unwrap();
    let path = std::path::Path::new(path.trim_end_matches(']'));
    assert_eq!(preview.find(|c| c != 'x'), Some(2_000), "{preview}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "x".repeat(10_001));
    let name = path.strip_prefix(folder.path()).unwrap().to_str().unwrap();
    let print = name.strip_prefix("c-1.").and_then(|name| name.strip_suffix(".txt")).unwrap();
    assert!(print.len() == 8 && print.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')), "{name}");
}

/// A background command wakes the model, through the app or at the next opportunity.
#[tokio::test]
async fn a_background_command_can_wake_the_model() {
    let handler = json!({"type": "command", "command": "echo 'the build is red' >&2; exit 2", "asyncRewake": true});
    let text = json!({"hooks": {"PostToolUse": [{"hooks": [handler]}]}}).to_string();
    let cx = HookContext::builder().conversation("c-1").build();
    let event = || succeeded("read_file", json!({}));

    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let listener = std::sync::Arc::clone(&heard);
    let builder = Rules::builder().text("hooks.json", text.clone());
    let rules = built(builder.on_wake(move |wake| listener.lock().unwrap().push(wake.clone())));
    let _ = set(&rules).fire(&cx, &event(), ToolResult::new("ok")).await.unwrap();
    rules.shutdown(Duration::from_secs(20)).await;
    let heard: Vec<hooks_rules::Wake> = heard.lock().unwrap().clone();
    assert_eq!((heard[0].session.as_str(), heard[0].text.as_str()), ("c-1", "the build is red"));

    // What it prints counts if it says nothing on stderr; the next result brings it.
    let rules = of_text(&text.replace(" >&2", ""));
    let woken = set(&rules);
    let _ = woken.fire(&cx, &event(), ToolResult::new("ok")).await.unwrap();
    rules.shutdown(Duration::from_secs(20)).await;
    let next = woken.fire(&cx, &event(), ToolResult::new("ok")).await.unwrap().subject.unwrap();
    assert_eq!(next.additional_context, ["the build is red"]);

    // Or the next prompt.
    let rules = of_text(&text);
    let woken = set(&rules);
    let _ = woken.fire(&cx, &event(), ToolResult::new("ok")).await.unwrap();
    rules.shutdown(Duration::from_secs(20)).await;
    let prompt = UserPromptSubmit::new("hello", Messages::default());
    let fired = woken.fire(&cx, &prompt, Messages::default()).await.unwrap();
    assert_eq!(fired.verdict.contexts, ["the build is red"]);

    // A prompt that a rule refuses has no contexts: the one after it brings the message.
    let guard = json!({"type": "command", "command": "grep -q later && exit 0; echo 'not now' >&2; exit 2"});
    let mut guarded: Value = serde_json::from_str(&text).unwrap();
    guarded["hooks"]["UserPromptSubmit"] = json!([{"hooks": [guard]}]);
    let rules = of_text(&guarded.to_string());
    let woken = set(&rules);
    let _ = woken.fire(&cx, &event(), ToolResult::new("ok")).await.unwrap();
    rules.shutdown(Duration::from_secs(20)).await;
    for (prompt, contexts) in [("hello", vec![]), ("later", vec!["the build is red"])] {
        let prompt = UserPromptSubmit::new(prompt, Messages::default());
        assert_eq!(woken.fire(&cx, &prompt, Messages::default()).await.unwrap().verdict.contexts, contexts);
    }

    let rules = of_text(&text);
    let set = set(&rules);
    let wakes = async || {
        let _ = set.fire(&cx, &event(), ToolResult::new("ok")).await.unwrap();
        rules.shutdown(Duration::from_secs(20)).await;
    };
    wakes().await;
    let verdict = stops(&set, &cx, false).await;
    assert_eq!(verdict.decision, StopDecision::Continue("the build is red".into()));
    assert_eq!(stops(&set, &cx, true).await.decision, StopDecision::default());

    // After eight in a row, the turn ends, and the message waits.
    for again in [false, true, true, true, true, true, true, true] {
        wakes().await;
        assert_ne!(stops(&set, &cx, again).await.decision, StopDecision::default());
    }
    wakes().await;
    assert_eq!(stops(&set, &cx, true).await.decision, StopDecision::default());
    let at_cap = Stop::new("final_response").at_iteration_cap(true);
    assert_eq!(set.fire(&cx, &at_cap, ()).await.unwrap().verdict.decision, StopDecision::default());
    let verdict = stops(&set, &cx, false).await;
    assert_eq!(verdict.decision, StopDecision::Continue("the build is red".into()));
}

/// The rules at the end of a session share a deadline, which settings can extend, but plugins cannot.
#[tokio::test]
async fn settings_can_extend_the_deadline_at_the_end_of_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let file = |handler: Value| json!({"hooks": {"SessionEnd": [{"hooks": [handler]}]}}).to_string();
    let plugin = |name: &str| {
        let line = format!("sleep 2; touch '{}/{name}.done'", folder.path().display());
        let handler = json!({"type": "command", "command": line, "timeout": 50});
        write(&folder.path().join(name).join("hooks/hooks.json"), &file(handler));
        hooks_rules::PluginFolder::new(name, folder.path().join(name))
    };
    let end = async |rules: Rules| {
        let _ = set(&rules).fire(&HookContext::new(), &SessionEnd::new("s", "other"), ()).await.unwrap();
    };
    let alone = built(Rules::builder().plugin(plugin("alone")));
    let settings = file(json!({"type": "command", "command": "true", "timeout": 50}));
    let beside = built(Rules::builder().plugin(plugin("beside")).text("settings.json", settings));
    tokio::join!(end(alone), end(beside));
    assert_eq!(["alone", "beside"].map(|name| folder.path().join(format!("{name}.done")).exists()), [false, true]);
}

/// Variables exported in an earlier run are not used if no rule exports any.
#[test]
fn exported_variables_are_used_only_if_a_rule_can_export_them() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("c-1.sh"), "export LEVEL=3\n");
    let cx = HookContext::builder().conversation("c-1").build();
    let line = |event: &str| {
        let builder = Rules::builder().text("hooks.json", commands(event, &["true"])).session_files(folder.path());
        built(builder).shell_line(&cx, "make")
    };
    assert_eq!(line("Stop"), "make");
    assert!(line("SessionStart").contains("c-1.sh"));
}

/// A turn that ended with an error can be matched by the contract's word or the harness's.
#[tokio::test]
async fn a_turn_that_failed() {
    let folder = tempfile::tempdir().unwrap();
    let group = |matcher: &str, line: &str| {
        let line = format!("cd '{}'; {line}", folder.path().display());
        json!({"matcher": matcher, "hooks": [{"type": "command", "command": line}]})
    };
    let groups = [
        group("unknown", "cat > input"),
        group("context_too_large", "touch own"),
        group("rate_limit|error", "touch other"),
    ];
    let set = set(&of_any(&json!({"hooks": {"StopFailure": groups}}).to_string()));
    let failed = TurnEnd::new("context_too_large").error("the model sleeps");
    let sub = HookContext::builder().agent("reviewer").agent_path(["clerk"]).build();
    for (cx, event) in [(HookContext::new(), TurnEnd::new("no_tool_calls")), (sub, failed.clone())] {
        let _ = set.fire(&cx, &event, ()).await.unwrap();
        assert!(!folder.path().join("input").exists(), "that is no failure of a person's turn: {event:?}");
    }
    let _ = set.fire(&HookContext::new(), &failed, ()).await.unwrap();
    assert_eq!(["own", "other"].map(|name| folder.path().join(name).exists()), [true, false]);
    let input = kept(folder.path());
    assert_eq!((&input["error"], &input["error_details"]), (&json!("unknown"), &json!("the model sleeps")));
}
