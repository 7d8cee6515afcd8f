//! The traffic of other programs: small files in the documented forms.

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

/// "Would the new guard have refused anything last month?"
#[tokio::test]
async fn a_guard_is_held_against_the_transcripts_of_other_programs() {
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
            ["1 refund_limit none → deny: refunds over 5000 cents need a person", "1 mask_mail rewrites otherwise"],
            "{name}: {report}"
        );
        assert_eq!(report.groups[0].examples[0].conversation.as_deref(), Some("s-1"), "{name}");
    }
}

/// A guard that is broken refuses nothing, and that is no good news.
#[tokio::test]
async fn a_new_guard_that_fails_is_told_with_its_cause() {
    let folder = Folder::new();
    let path = folder.path("claude");
    std::fs::write(&path, CLAUDE.replace("s-1", "s\u{202e}\\u001b[31m1")).unwrap();
    let broken = Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Err::<(), _>("the service is down"));
    let report = Hooks::default().with(broken).replay(&path).await;
    assert_eq!(report.exit_code(), 2, "{report}");
    assert!(report.to_string().contains("the service is down"), "{report}");
    assert!(!report.to_string().contains(['\u{1b}', '\u{202e}']), "{report}");
}
