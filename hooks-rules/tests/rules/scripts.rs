//! Typical scripts: the purpose of each, and its effect.

use super::support::*;

/// The result of a call.
fn outcome(fired: &hook_sdk::Fired<BeforeToolCall>) -> String {
    match &fired.verdict {
        Permission::Deny(denial) => format!("deny: {}", denial.reason),
        Permission::Ask(question) => format!("ask: {}", question.reason),
        other => other.summary().unwrap_or("nothing").to_owned(),
    }
}

#[tokio::test]
async fn guards_of_the_shell() {
    let bare_deny = prints(&output("PreToolUse", json!({"permissionDecision": "deny"})));
    let ask_on_stderr = "echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"ask\"}}' >&2; exit 2";
    let table: &[(&str, &str, &str)] = &[
        ("a refusal without a reason", &bare_deny, "deny: no reason given"),
        ("its own input as the answer", "cat", "nothing"),
        ("JSON on stderr is text", ask_on_stderr, "deny: {\"hookSpecificOutput\": {\"permissionDecision\": \"ask\"}}"),
        ("a filter with a case", "case $(cat) in *'rm -rf'*) echo 'not that' >&2; exit 2;; esac", "deny: not that"),
        ("a comment first", "# guards\n# the shell\necho no >&2\nexit 2", "deny: no"),
        ("an old answer", "echo '{\"decision\": \"block\", \"reason\": \"old style\"}'", "deny: old style"),
        ("an old yes", "echo '{\"decision\": \"approve\"}'", "allow"),
        ("an answer beside a failure", "echo '{\"decision\": \"block\", \"reason\": \"r\"}'; exit 1", "deny: r"),
        ("a mistyped path", "./hooks/guard.sh", "nothing"),
        ("a syntax error", "if then fi", "deny:"),
        ("words before the answer", "echo checking; echo '{\"decision\": \"block\"}'", "nothing"),
        ("an answer of another event", &prints(&output("PostToolUse", json!({"additionalContext": "x"}))), "nothing"),
        (
            "keys that others send are absent",
            "grep -q -e user_prompt -e tool_output -e turn_id && exit 2; exit 0",
            "nothing",
        ),
    ];
    for (what, line, expected) in table {
        let fired = shell(&set(&of_text(&commands("PreToolUse", &[line]))), "rm -rf /").await;
        let outcome = outcome(&fired);
        assert!(outcome.starts_with(expected) && outcome.is_empty() == expected.is_empty(), "{what}: {outcome}");
    }
}

/// A script that rewrites the input returns fewer keys than it got, and no decision.
#[tokio::test]
async fn a_rewriter_of_commands() {
    let line = "sed 's/.*\"command\":\"\\([^\"]*\\)\".*/{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"updatedInput\": {\"command\": \"short \\1\"}}}/'";
    let set = set(&of_text(&commands("PreToolUse", &[line])));
    let call = call("Bash", json!({"command": "git status", "description": "looks", "timeout": 5}));
    let input = call.input.clone();
    let fired = set.fire(&HookContext::new(), &BeforeToolCall::new(call), input).await.unwrap();
    assert_eq!(*fired.subject, json!({"command": "short git status"}));
    assert_eq!(fired.verdict, Permission::NoOpinion);
}

/// Three rules of one file: a logger, a guard for another tool, and a handler type that is not supported here.
#[tokio::test]
async fn a_file_with_several_rules_and_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let text = json!({
        "$schema": "settings.schema.json",
        "permissions": {"allow": ["Bash(ls)"]},
        "hooks": {
            "PreToolUse": [
                {"matcher": "*", "description": "logs", "hooks": [
                    {"type": "command", "command": format!("cat >> {}/log", folder.path().display()), "timeout": 10000},
                ]},
                {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "exit 2"}]},
                {"matcher": "Bash", "command": "exit 2"},
            ],
            "beforeShellExecution": [{"command": "exit 2"}],
            "Notification": [{"hooks": [{"type": "command", "command": "exit 2"}]}],
        },
    });
    let rules = Rules::builder().text("settings.json", text.to_string()).build();
    let mut observed: Vec<_> = rules.defects().iter().map(|defect| defect.severity.to_string()).collect();
    observed.sort();
    assert_eq!(observed, ["error", "warning", "warning", "warning"], "{:#?}", rules.defects());
    assert_eq!(outcome(&shell(&set(&rules), "ls").await), "nothing");
    assert!(std::fs::read_to_string(folder.path().join("log")).unwrap().contains("\"tool_name\":\"Bash\""));
}
