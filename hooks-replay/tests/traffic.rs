//! The traffic of other programs: small files in the documented formats.

use crate::support::*;

const CLAUDE: &str = r#"{"type":"summary","summary":"Refunds"}
{"type":"user","sessionId":"s-1","cwd":"/home/ada/shop","message":{"role":"user","content":"pay them back"}}
{"type":"assistant","sessionId":"s-1","cwd":"/home/ada/shop","message":{"role":"assistant","content":[{"type":"text","text":"Sure."},{"type":"tool_use","id":"toolu_1","name":"refund","input":{"cents":9900}}]}}
{"type":"user","sessionId":"s-1","cwd":"/home/ada/shop","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"sent to ada@example.org"}]}]}}
"#;

const CODEX: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s-1","cwd":"/home/ada/shop"}}
{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"pay them back"}]}}
{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"function_call","name":"refund","arguments":"{\"cents\": 9900}","call_id":"call_1"}}
{"timestamp":"2026-01-01T00:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"{\"output\":\"sent to ada@example.org\",\"metadata\":{\"exit_code\":0}}"}}
"#;

const GOOSE: &str = r#"{"id":"s-1","working_dir":"/home/ada/shop","description":"Refunds"}
{"role":"user","created":1,"content":[{"type":"text","text":"pay them back"}]}
{"role":"assistant","created":2,"content":[{"type":"toolRequest","id":"call_1","toolCall":{"status":"success","value":{"name":"refund","arguments":{"cents":9900}}}}]}
{"role":"user","created":3,"content":[{"type":"toolResponse","id":"call_1","toolResult":{"status":"success","value":[{"type":"text","text":"sent to ada@example.org"}]}}]}
"#;

const OPENAI: &str = r#"{"id":"s-1","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"pay them back"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"refund","arguments":"{\"cents\": 9900}"}}]},{"role":"tool","tool_call_id":"call_1","name":"refund","content":"sent to ada@example.org"}]}
"#;

/// "Would the new guard have denied anything last month?"
#[tokio::test]
async fn a_guard_is_replayed_against_transcripts_of_other_programs() {
    let folder = Folder::new();
    let other = |what: &str| [(what.to_owned(), 1)].into_iter().collect();
    let files = [
        ("claude", CLAUDE, other("summary")),
        ("codex", CODEX, other("session_meta")),
        ("goose", GOOSE, other("unknown")),
        ("openai", OPENAI, std::collections::BTreeMap::new()),
    ];
    for (name, text, other) in files {
        let path = folder.path(name);
        std::fs::write(&path, text).unwrap();
        let report = desk().replay(&path).await;
        assert_eq!((report.replayed, report.failed), (3, 0), "{name}: {report}");
        assert_eq!(report.other, other, "{name}");
        assert_eq!(
            differences(&report),
            ["1 refund_limit none → deny: refunds over 5000 cents need a person", "1 mask_mail rewrites differently"],
            "{name}: {report}"
        );
        assert_eq!(report.groups[0].examples[0].conversation.as_deref(), Some("s-1"), "{name}");
    }
}

/// A transcript is whole: only the report leaves out what a recorder would.
#[tokio::test]
async fn a_call_with_a_secret_or_a_long_text_is_denied_like_another() {
    let folder = Folder::new();
    let guard = Hook::at::<BeforeToolCall>("guard").reader(|_, _, input: &ToolInput| {
        if input.text().contains("rm -rf") { Permission::deny("not that") } else { Permission::NoOpinion }
    });
    let hooks = Hooks::default().with(guard);
    let long = format!("{} && rm -rf /", "echo a && ".repeat(3_000));
    let secret = "hunter2".repeat(2);
    let assigned = format!("rm -rf / && export DB_PASSWORD={secret}");
    let in_a_url = format!("git push https://ada:{secret}@example.org; rm -rf /");
    for command in [&assigned, &in_a_url, &long] {
        let asked = [("claude", CLAUDE), ("codex", CODEX), ("goose", GOOSE), ("openai", OPENAI)];
        for (name, text) in asked {
            let path = folder.path(name);
            let of_text = json!({ "cents": command }).to_string();
            let text = text.replace(r#"{"cents":9900}"#, &of_text);
            let text = text.replace(r#""{\"cents\": 9900}""#, &json!(of_text).to_string());
            std::fs::write(&path, text).unwrap();
            let report = hooks.replay(&path).await;
            assert_eq!(differences(&report), ["1 guard none → deny: not that"], "{name}: {report}");
            assert_eq!((report.exit_code(), report.partly, report.uncertain), (2, 0, 0), "{name}: {report}");
            assert!(!report.to_string().contains("hunter2"), "{report}");
        }
    }
}

/// A broken guard denies nothing, and its failures are reported.
#[tokio::test]
async fn a_new_guard_that_fails_is_reported_with_its_cause() {
    let folder = Folder::new();
    let path = folder.path("claude");
    std::fs::write(&path, CLAUDE.replace("s-1", "s\u{202e}\\u001b[31m1")).unwrap();
    let broken = Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Err::<(), _>("the service is down"));
    let report = Hooks::default().with(broken).replay(&path).await;
    assert_eq!(report.exit_code(), 2, "{report}");
    assert!(report.to_string().contains("the service is down"), "{report}");
    assert!(!report.to_string().contains(['\u{1b}', '\u{202e}']), "{report}");
}

/// Messages that a program writes in the person's name, and prompts of sub-agents, are not user prompts. Calls of
/// sub-agents are ordinary calls.
#[tokio::test]
async fn only_messages_of_the_user_are_prompts() {
    let user = |fields: &str, content: Value| {
        format!(r#"{{"type":"user","sessionId":"s-1",{fields}"message":{{"role":"user","content":{content}}}}}"#)
    };
    let none = [
        user(r#""isMeta":true,"#, json!("Caveat: …")),
        user(r#""isMeta":true,"#, json!([{"type": "text", "text": "the text of a skill"}])),
        user(r#""isSidechain":true,"#, json!("find the tests of the parser")),
        user(r#""isCompactSummary":true,"#, json!("This session is being continued …")),
        user(r#""isVisibleInTranscriptOnly":true,"#, json!("This session is being continued …")),
        user("", json!("<command-name>/clear</command-name>\n<command-message>clear</command-message>")),
        user("", json!("<local-command-stdout>Set model</local-command-stdout>")),
        user("", json!([{"type": "text", "text": "<bash-input>ls</bash-input>"}])),
        user("", json!([{"type": "text", "text": "[Request interrupted by user for tool use]"}])),
    ];
    let call = r#"{"type":"assistant","isSidechain":true,"sessionId":"s-1","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"refund","input":{"cents":1}}]}}"#;
    let text = none.iter().map(String::as_str).chain([call]).collect::<Vec<_>>().join("\n");
    let folder = Folder::new();
    let path = folder.path("claude");
    std::fs::write(&path, text + "\n").unwrap();
    let report = desk().replay(&path).await;
    assert_eq!((report.replayed, report.failed), (1, 0), "{report}");
    assert_eq!(report.other, [("user".to_owned(), none.len())].into_iter().collect());
    let asked = user("", json!([{"type": "text", "text": "pay them back"}]));
    std::fs::write(&path, asked + "\n").unwrap();
    assert_eq!(desk().replay(&path).await.replayed, 1);
}

/// OpenAI's format before calls had ids.
#[tokio::test]
async fn a_call_in_the_old_format_of_openai_is_read() {
    let text = r#"{"id":"s-1","messages":[{"role":"user","content":"pay"},{"role":"assistant","content":null,"function_call":{"name":"refund","arguments":"{\"cents\": 9900}"}},{"role":"function","name":"refund","content":"sent to ada@example.org"}]}
"#;
    let folder = Folder::new();
    let path = folder.path("old.jsonl");
    std::fs::write(&path, text).unwrap();
    let report = desk().replay(&path).await;
    assert_eq!(report.replayed, 3, "{report}");
    assert_eq!(
        differences(&report),
        ["1 refund_limit none → deny: refunds over 5000 cents need a person", "1 mask_mail rewrites differently"]
    );
}

/// What cannot be read, or is of a type that nobody knows, does not hide the rest of a conversation.
#[tokio::test]
async fn an_unreadable_item_does_not_hide_the_others() {
    let openai = OPENAI
        .replace(r#"[{"id":"call_1","#, r#"[{"id":"call_0","type":"computer","action":{}},{"id":"call_1","#)
        .replace(
            r#"{"role":"user","#,
            r#"{"role":"narrator","content":"a"},{"role":"assistant","content":7},{"role":"user","#,
        );
    let claude =
        CLAUDE.replace(r#"[{"type":"text","text":"Sure."},"#, r#"[{"type":"image"},{"type":"tool_use"},{"id":"a"},"#);
    let folder = Folder::new();
    for (name, text) in [("openai", openai), ("claude", claude)] {
        let path = folder.path(name);
        std::fs::write(&path, text).unwrap();
        let report = desk().replay(&path).await;
        assert_eq!((report.replayed, report.failed), (3, 0), "{name}: {report}");
        assert_eq!(differences(&report).len(), 2, "{name}: {report}");
    }
}

/// A tool whose input is text of its own grammar.
#[tokio::test]
async fn a_call_of_a_custom_tool_is_read() {
    let function = r#""type":"function","function":{"name":"refund","arguments":"{\"cents\": 9900}"}"#;
    let text = OPENAI.replace(function, r#""type":"custom","custom":{"name":"refund","input":"9900 cents"}"#);
    assert_ne!(text, OPENAI);
    let folder = Folder::new();
    let path = folder.path("custom");
    std::fs::write(&path, text).unwrap();
    assert_eq!(desk().replay(&path).await.replayed, 3);
}

#[tokio::test]
async fn an_example_names_the_call() {
    let folder = Folder::new();
    let path = folder.path("claude.jsonl");
    std::fs::write(&path, CLAUDE).unwrap();
    let report = desk().replay(&path).await;
    let call = report.groups[0].examples[0].call.as_ref().unwrap();
    assert_eq!((call.tool.as_str(), call.id.as_str()), ("refund", "toolu_1"));
    for page in [report.to_string(), report.to_html(), report.to_github()] {
        assert!(page.contains("claude.jsonl:3 (s-1) refund toolu_1"), "{page}");
    }
}

/// A transcript of Codex with these items.
fn codex(items: &[Value]) -> String {
    let items = items.iter().map(|item| format!("{}\n", json!({ "type": "response_item", "payload": item })));
    items.collect()
}

/// What these hooks get of a transcript: each prompt, success and failure.
async fn got(text: &str) -> Vec<String> {
    let folder = Folder::new();
    let path = folder.path("transcript");
    std::fs::write(&path, text).unwrap();
    let said = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let said = std::sync::Arc::clone(&said);
        move |text: &str| said.lock().unwrap().push(format!("{what} {text}"))
    };
    let (prompt, success, failure) = (note("prompt"), note("success"), note("failure"));
    let hooks = Hooks::default()
        .with(
            Hook::at::<UserPromptSubmit>("prompts").reader(move |_, event: &UserPromptSubmit, _| prompt(&event.prompt)),
        )
        .with(
            Hook::at::<AfterToolCallSuccess>("works").reader(move |_, _, result: &ToolResult| success(&result.text())),
        )
        .with(
            Hook::at::<AfterToolCallFailure>("fails").reader(move |_, _, result: &ToolResult| failure(&result.text())),
        );
    assert_eq!(hooks.replay(&path).await.failed, 0);
    said.lock().unwrap().clone()
}

/// Both programs add texts before, beside and instead of what the person wrote.
#[tokio::test]
async fn what_a_program_wrote_is_no_prompt_and_what_the_person_wrote_beside_it_is() {
    let cases = [
        (&["<user_instructions>\nbe nice\n</user_instructions>"][..], None),
        (&["# AGENTS.md instructions for /tmp\n\n<INSTRUCTIONS>\nbe nice\n</INSTRUCTIONS>"], None),
        (&["<environment_context>\n<cwd>/tmp</cwd>\n</environment_context>"], None),
        (&["<turn_aborted>\nThe user interrupted"], None),
        (&["<user_shell_command>\n<command>ls</command>\n</user_shell_command>"], None),
        (&["<ide_selection>The user selected x</ide_selection>"], None),
        (&["<user-memory-input>remember</user-memory-input>"], None),
        (&["<command-name>/clear</command-name>\n<command-message>clear</command-message>"], None),
        (&["<ide_opened_file>/a is open</ide_opened_file>", "pay"], Some("pay")),
        (&["<system-reminder>the list is empty</system-reminder>\npay them <b>back</b>"], Some("pay them <b>back</b>")),
        (&["<environment_context>/tmp</environment_context>", "pay"], Some("pay")),
        (&["<task-notification>done</task-notification>\nRead the output file to see more"], None),
        (&["<bash-stdout>see </bash-stdout> in it</bash-stdout><bash-stderr></bash-stderr>"], None),
        (
            &["<system-reminder>a</system-reminder>pay<system-reminder>b</system-reminder>"],
            Some("pay<system-reminder>b</system-reminder>"),
        ),
        (&["<ide_settings.xml> fix this file"], Some("<ide_settings.xml> fix this file")),
        (&["<environment_context> tag: where is it?"], Some("<environment_context> tag: where is it?")),
        (
            &["# AGENTS.md instructions for the new repo: write them"],
            Some("# AGENTS.md instructions for the new repo: write them"),
        ),
        (&["[Request interrupted by user] why?"], Some("[Request interrupted by user] why?")),
        (&["<my-element> is broken"], Some("<my-element> is broken")),
        (
            &["why does it say <system-reminder>x</system-reminder>"],
            Some("why does it say <system-reminder>x</system-reminder>"),
        ),
    ];
    for (texts, prompt) in cases {
        let blocks = |kind: &str| texts.iter().map(|text| json!({ "type": kind, "text": text })).collect::<Vec<_>>();
        let of_codex = codex(&[json!({ "type": "message", "role": "user", "content": blocks("input_text") })]);
        let of_claude =
            json!({ "type": "user", "sessionId": "s-1", "message": { "role": "user", "content": blocks("text") } });
        let as_text = json!({ "type": "message", "role": "user", "content": texts[0] });
        let as_text = (texts.len() == 1).then(|| codex(&[as_text]));
        for text in [of_codex, format!("{of_claude}\n")].into_iter().chain(as_text) {
            let said: Vec<_> = prompt.iter().map(|prompt| format!("prompt {prompt}")).collect();
            assert_eq!(got(&text).await, said, "{text}");
        }
    }
}

#[tokio::test]
async fn a_command_of_codex_failed_if_its_status_says_so_and_not_if_its_output_does() {
    let cases = [
        (json!("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nboom"), "failure"),
        (json!("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 1"), "success"),
        (json!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 101\nOutput:\n"), "failure"),
        (json!("Exit code: 1\nis what it printed\nOutput:\n"), "success"),
        (json!(r#"{"output":"boom","metadata":{"exit_code":1}}"#), "failure"),
        (json!(r#"{"success":false,"output":"from a file"}"#), "success"),
        (json!({ "success": false, "content": "boom" }), "failure"),
        (json!({ "success": true, "content": "Exit code: 1\nWall time: 1\nOutput:\n" }), "success"),
    ];
    for (output, expected) in cases {
        let call = json!({ "type": "function_call", "call_id": "a", "name": "shell", "arguments": "{}" });
        let result = json!({ "type": "function_call_output", "call_id": "a", "output": output });
        let said = got(&codex(&[call, result])).await;
        assert!(said.len() == 1 && said[0].starts_with(expected), "{output}: {said:?}");
    }
}

/// A recording may be appended to a transcript by mistake, or begin with a line of somebody.
#[tokio::test]
async fn lines_of_a_recording_in_another_file_are_reported() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    desk().record(&path, &month()).await;
    let recording = std::fs::read_to_string(&path).unwrap();
    for before in [CLAUDE, "{\"comment\":\"of May\"}\n"] {
        std::fs::write(&path, format!("{before}{recording}")).unwrap();
        let report = desk().without("refund_limit").without("mask_mail").replay(&path).await;
        assert!(report.failed >= 8 && report.exit_code() == 3, "{report}");
        assert!(report.problems[0].contains("is one of a recording, but the file begins with other lines"), "{report}");
    }
}
