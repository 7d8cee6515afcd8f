//! Numbered cases about files and commands: those of `hooks-core/testdata/cases.md` that no other test covers.

use hook_sdk::verdict::StopDecision;
use hooks_rules::{Aliases, PluginFolder, Severity};

use super::support::*;

/// A flat file with these handlers at an event.
fn flat(event: &str, handlers: &[Value]) -> String {
    json!({"hooks": {event: handlers}}).to_string()
}

fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

/// The result of a prompt with one flat command, and its report.
async fn prompted(line: &str) -> (PromptVerdict, Observed) {
    let observed = Observed::default();
    let text = flat("UserPromptSubmit", &[command(line)]);
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text)));
    let event = UserPromptSubmit::new("hello", Messages::default());
    let fired = set(&rules).fire(&HookContext::new(), &event, Messages::default()).await.unwrap();
    (fired.verdict, observed)
}

#[test]
fn a1_a5_each_command_of_a_file_is_a_rule_without_a_warning() {
    let of_text = |text: &str| {
        let rules = Rules::builder().text("hooks.json", text.to_owned()).dialect(hooks_rules::Dialect::Agentao).build();
        assert!(rules.defects().is_empty(), "{:?}", rules.defects());
        rules
    };
    let one = of_text(&flat("PreToolUse", &[command("./a.sh")]));
    assert_eq!(one.list().len(), 1);
    assert_eq!((one.list()[0].event.as_str(), one.list()[0].summary.as_str()), ("PreToolUse", "./a.sh"));
    let three = json!({"hooks": {"PreToolUse": [command("a"), command("b")], "Stop": [command("c")]}});
    assert_eq!(of_text(&three.to_string()).list().len(), 3);
}

#[test]
fn a2_a4_an_unsupported_or_unknown_type_is_reported_with_its_name() {
    for (kind, listed) in [("http", 0), ("agent", 1), ("mcp_tool", 1), ("comand", 0)] {
        let rules =
            Rules::builder().text("hooks.json", flat("PreToolUse", &[json!({"type": kind, "url": "u"})])).build();
        let defects: Vec<_> = rules.defects().into_iter().filter(|one| one.severity == Severity::Error).collect();
        assert!(rules.list().len() == listed && defects.len() == 1, "{kind}: {defects:?}");
        assert!(defects[0].to_string().contains(&format!("`{kind}`")), "{}", defects[0]);
    }
}

#[test]
fn a10_aliases_of_tools_can_be_added_and_unknown_names_stay_unchanged() {
    let mut aliases = Aliases::default();
    aliases.add("fetch_mail", "Mail");
    let wire = ["run_shell_command", "fetch_mail", "own_tool"].map(|tool| aliases.on_the_wire(tool));
    assert_eq!(wire, ["Bash", "Mail", "own_tool"]);
    assert!(aliases.names("Mail").any(|name| name == "fetch_mail"));
}

#[tokio::test]
async fn a13_a14_a_flat_command_blocks_a_prompt_or_stops_the_turn() {
    let (verdict, _) = prompted(&prints(&json!({"blockingError": "not allowed"}))).await;
    assert_eq!(verdict.decision, PromptDecision::Block("not allowed".into()));
    let (verdict, _) = prompted(&prints(&json!({"preventContinuation": true, "stopReason": "paused"}))).await;
    assert_eq!(verdict.decision, PromptDecision::Stop("paused".into()));
}

#[tokio::test]
async fn a16_a17_a19_a_flat_command_prints_nothing_fails_or_prints_a_context() {
    let (verdict, observed) = prompted("true").await;
    assert_eq!((verdict, observed.outcomes()), (PromptVerdict::default(), vec![RunOutcome::Answered]));
    let (verdict, observed) = prompted("exit 1").await;
    assert_eq!((verdict, observed.outcomes()), (PromptVerdict::default(), vec![RunOutcome::Failed]));
    let (verdict, _) = prompted(r#"sed 's/.*"userMessage": *"\([^"]*\)".*/\1/'"#).await;
    assert_eq!(verdict.contexts, ["hello"]);
}

#[tokio::test]
async fn a25_the_rules_of_two_plugins_run_and_the_missing_file_of_a_third_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = Rules::builder();
    for name in ["one", "two"] {
        let line = format!("echo {name}");
        write(&folder.path().join(name).join("hooks/hooks.json"), &flat("UserPromptSubmit", &[command(&line)]));
        builder = builder.plugin(PluginFolder::new(name, folder.path().join(name)));
    }
    let rules = builder.plugin(PluginFolder::new("three", folder.path().join("three"))).build();
    let defects: Vec<_> = rules.defects().into_iter().filter(|one| one.severity == Severity::Error).collect();
    assert_eq!(defects.len(), 1, "{defects:?}");
    assert!(defects[0].to_string().contains("not found"));
    let event = UserPromptSubmit::new("hello", Messages::default());
    let fired = set(&rules).fire(&HookContext::new(), &event, Messages::default()).await.unwrap();
    assert_eq!(fired.verdict.contexts, ["one", "two"]);
}

#[tokio::test]
async fn a26_a29_a_flat_command_denies_a_call_with_its_reason_and_plain_text_decides_nothing() {
    for (line, denied) in [
        (prints(&output("PreToolUse", json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}))), "no"),
        ("echo plain text".to_owned(), ""),
    ] {
        let observed = Observed::default();
        let text = flat("PreToolUse", &[command(&line)]);
        let rules = built(observed.listens(Rules::builder().text("hooks.json", text)));
        let fired = shell(&set(&rules), "ls").await;
        assert_eq!(reason(&fired.verdict), denied);
        assert_eq!(observed.outcomes(), [RunOutcome::Answered], "one rule matched");
    }
}

#[tokio::test]
async fn a35_exit_code_2_without_output_at_stop_continues_with_a_default_text() {
    let rules = of_text(&flat("Stop", &[command("exit 2")]));
    let fired = set(&rules).fire(&HookContext::new(), &Stop::new("final_response"), ()).await.unwrap();
    let StopDecision::Continue(text) = fired.verdict.decision else { panic!("{:?}", fired.verdict) };
    assert!(!text.as_str().is_empty());
}

#[tokio::test]
async fn a53_a_program_that_does_not_exist_and_an_exit_code_are_reported() {
    let observed = Observed::default();
    let gone = json!({"type": "command", "command": "/is/not/there", "args": []});
    let text = json!({"hooks": {"UserPromptSubmit": [{"hooks": [gone, command("exit 3")]}]}}).to_string();
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text)));
    let event = UserPromptSubmit::new("hello", Messages::default());
    let fired = set(&rules).fire(&HookContext::new(), &event, Messages::default()).await.unwrap();
    assert_eq!(fired.verdict, PromptVerdict::default());
    assert_eq!(observed.outcomes(), [RunOutcome::Failed, RunOutcome::Failed]);
    let mut codes: Vec<_> = observed.runs.lock().unwrap().iter().map(|run| run.code).collect();
    codes.sort_unstable();
    assert_eq!(codes, [None, Some(3)]);
}

#[tokio::test]
async fn a_flat_command_has_an_if_and_a_timeout() {
    let refuses = prints(&json!({"blockingError": "no pushes"}));
    let guard = json!({"type": "command", "command": refuses, "if": "Bash(git push *)"});
    let slow = json!({"type": "command", "command": "sleep 1000", "timeout": 0.05, "if": "Bash(sleep *)"});
    let observed = Observed::default();
    let text = flat("PreToolUse", &[guard, slow]);
    let set = set(&built(observed.listens(Rules::builder().text("hooks.json", text))));
    for (line, denied, failures) in [("git status", "", 0), ("git push origin", "no pushes", 0), ("sleep 9", "", 1)] {
        assert_eq!(reason(&shell(&set, line).await.verdict), denied, "{line}");
        assert_eq!(observed.failures(), vec!["it timed out"; failures], "{line}");
    }
}
