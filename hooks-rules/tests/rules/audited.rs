//! What `inspect` and `audit` report about valid rules.

use hooks_rules::{Aliases, Defect, RulesBuilder, Severity};

use super::support::*;

fn matching(matchers: &[&str]) -> RulesBuilder {
    let groups = matchers.iter().map(|matcher| {
        let handler = json!({"type": "command", "command": "true"});
        json!({"matcher": matcher, "hooks": [handler, {"type": "command", "command": "false"}]})
    });
    let groups: Vec<Value> = groups.collect();
    Rules::builder().text("hooks.json", json!({"hooks": {"PreToolUse": groups}}).to_string())
}

fn words(defects: &[Defect]) -> Vec<String> {
    defects.iter().map(|defect| format!("{}; {}", defect.problem, defect.help)).collect()
}

/// Names are case-sensitive, and the tool of an agent may be called `bash`.
#[test]
fn a_matcher_that_almost_names_a_tool_of_the_harness_is_reported() {
    let found = matching(&["Bash"]).build().audit(["bash", "refund"]);
    assert_eq!(
        words(&found),
        [
            "no tool of this program is called `Bash`, so it selects nothing; write `bash`, or give that tool the alias `Bash`"
        ]
    );
    assert!(found.iter().all(|defect| defect.severity == Severity::Warning && defect.line == 1));
    for (matcher, tools, number) in [
        ("Bash|Edit", ["bash", "Edit"], 1),
        ("Bash|Edit", ["Shell", "Edit"], 0),
        ("Bash", ["run_shell_command", "refund"], 0),
        ("refnd", ["refund", "x"], 1),
        ("Bash", ["refund", "x"], 1),
        ("mcp__.*", ["refund", "x"], 1),
        ("ref.*", ["refund", "x"], 0),
        ("*", ["refund", "x"], 0),
    ] {
        let found = matching(&[matcher]).build().audit(tools);
        assert_eq!(found.len(), number, "{matcher} {tools:?}: {found:?}");
    }
    let mut aliases = Aliases::default();
    aliases.add("bash", "Bash");
    assert!(matching(&["Bash"]).aliases(aliases).build().audit(["bash"]).is_empty());
}

/// One hint per file, and none for rules that say what their failure means or that cannot refuse anything.
#[test]
fn a_guard_without_on_failure_is_named_in_a_hint() {
    let hints = |text: &str| {
        let found = Rules::builder().text("hooks.json", text).build().inspect();
        assert!(found.iter().all(|defect| defect.severity == Severity::Hint), "{found:?}");
        words(&found)
    };
    let of = |event: &str, more: &[(&str, Value)]| {
        let mut handler = json!({"type": "command", "command": "true"});
        for (key, value) in more {
            handler[*key] = value.clone();
        }
        json!({"hooks": {event: [{"hooks": [handler]}]}}).to_string()
    };
    let help = "write `\"onFailure\": \"block\"` for a guard, or `\"continue\"` if that is intended";
    assert_eq!(hints(&of("PreToolUse", &[])), [format!("if this rule fails, the call goes on; {help}")]);
    assert_eq!(hints(&of("PermissionRequest", &[])).len(), 1);
    for silent in [
        of("PreToolUse", &[("onFailure", json!("block"))]),
        of("PreToolUse", &[("onFailure", json!("continue"))]),
        of("PreToolUse", &[("async", json!(true))]),
        of("PostToolUse", &[]),
        of("Stop", &[]),
    ] {
        assert!(hints(&silent).is_empty(), "{silent}");
    }
    let two = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [\n{\"type\": \"command\", \"command\": \"true\"},\n\n{\"type\": \"command\", \"command\": \"false\"}]}]}}";
    assert_eq!(hints(two), [format!("if one of these rules fails, the call goes on: lines 2, 4; {help}")]);
}
