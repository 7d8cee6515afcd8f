//! What `inspect` and `audit` report about valid rules.

use hook_sdk::{hook, hooks};
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

hook_sdk::library! { guard: "/tools" }

#[hook(kind = before_tool_call)]
fn guard(_: &With<Value>, _: &ToolInput) -> Permission {
    Permission::deny("never")
}

/// With a compiled hook whose parameters name tools.
fn guarded() -> Registry {
    Registry::empty().with(hooks![guard]).unwrap()
}

/// Rules that name the guard, with tools in its parameters.
fn naming(tools: &[&str]) -> (Rules, HookSet) {
    let registry = guarded();
    let handler = json!({"type": "hook", "id": "guard", "with": {"tools": tools}});
    let rules =
        Rules::builder().text("hooks.json", json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string());
    let mut aliases = Aliases::default();
    aliases.add("shell", "Bash");
    aliases.add("bash", "Bash");
    let rules = rules.aliases(aliases).build();
    let set = set_in(&rules, &registry);
    (rules, set)
}

/// A compiled hook takes no matcher, so that the tools in its parameters are what it guards.
#[test]
fn a_misspelt_tool_in_the_parameters_of_a_compiled_hook_is_a_warning() {
    for (tool, told) in [
        ("Edt", Some("`Edt` is not a known `tool_name`, so it selects nothing; write `Edit`")),
        ("webfetch", Some("write `WebFetch`")),
        ("mcp__desk", Some("write `mcp__desk__*`")),
        ("mcp__desk__.*", Some("write `mcp__desk__*`")),
        ("Edit|Write", Some("write each name by itself")),
        ("^Edit$", Some("write each name by itself")),
        ("Edit", None),
        ("Ed*", None),
        ("*", None),
        ("refund", None),
        ("shell.exec", None),
        ("mcp__desk__delete", None),
        // The name that the app has given the tool.
        ("bash", None),
    ] {
        let (rules, set) = naming(&[tool, "Read"]);
        let found = rules.defects();
        assert_eq!(words(&found).len(), usize::from(told.is_some()), "{tool}: {found:?}");
        assert!(found.iter().all(|defect| defect.severity == Severity::Warning && defect.line == 1), "{found:?}");
        let said = words(&found).join("");
        assert!(said.contains(told.unwrap_or_default()), "{tool}: {said}");
        assert!(told.is_none() || said.starts_with("the parameters of `guard`: "), "{said}");
        assert!(set.plan("before_tool_call").next().is_some(), "it runs");
        assert_eq!(rules.list()[0].tools, [tool, "Read"]);
    }
}

/// A compiled hook sees the name of the app alone, whatever its aliases.
#[test]
fn a_parameter_that_names_no_tool_of_the_harness_is_reported() {
    let tools = ["bash", "refund", "mcp__desk__delete"];
    for (named, told) in [
        (&["Bash"][..], Some("is called `Bash`, so it selects nothing; write `bash`")),
        (&["refnd"], Some("write `refund`")),
        (&["mcp__desk__remove", "refund"], Some("is called `mcp__desk__remove`")),
        (&["delete", "refund"], Some("write `mcp__desk__delete`")),
        (&["web_*"], Some("matches `web_*`")),
        (&["web_*", "bash"], None),
        (&["mcp__mail__send", "bash"], None),
        (&["ref*", "mcp__*"], None),
        (&["*"], None),
    ] {
        let found = words(&naming(named).0.audit(tools));
        assert_eq!(found.len(), usize::from(told.is_some()), "{named:?}: {found:?}");
        assert!(found.join("").contains(told.unwrap_or_default()), "{named:?}: {found:?}");
    }
    let of_matcher = matching(&["mcp__desk__remove|refund"]).build().audit(tools);
    assert_eq!(of_matcher.len(), 1, "every tool of a server is known: {of_matcher:?}");
}

/// Where there are the tools of one server alone, a rule for another never runs.
#[test]
fn rules_that_never_name_the_server_are_reported_by_event() {
    let matched = |matcher: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]});
    let filtered = |condition: &str| json!({"hooks": [{"type": "command", "command": "true", "if": condition}]});
    let with = |tools: &[&str]| json!({"hooks": [{"type": "hook", "id": "guard", "with": {"tools": tools}}]});
    let all = || matched("");
    for (before, after, told) in [
        (vec![matched("mcp__till__.*")], vec![], Some("none of its rules can run")),
        (
            vec![matched("mcp__till__.*")],
            vec![all()],
            Some("at `PreToolUse`, its rules name the tools `mcp__till__.*`"),
        ),
        (vec![matched("mcp__till__a|mcp__till__b"), all()], vec![all()], Some("`mcp__till__b` (line 1), and none")),
        (vec![filtered("mcp__till__*")], vec![all()], Some("`mcp__till__*`")),
        (vec![with(&["mcp__till__write"])], vec![], Some("none of its rules can run")),
        (vec![with(&["write"])], vec![], Some("none of its rules can run")),
        (vec![with(&["mcp__till__write", "Bash"])], vec![all()], Some("`mcp__till__write`")),
        (vec![with(&["mcp__till__*"]), matched("mcp__tills__a")], vec![all()], None),
        (vec![with(&["mcp__till__*", "mcp__*__write"])], vec![], None),
        (vec![with(&["*"])], vec![], None),
        (vec![matched("mcp__tills__.*")], vec![matched("mcp__till__.*")], Some("at `PostToolUse`")),
        (vec![matched("Bash")], vec![all()], None),
        (vec![matched("Bash|mcp__tills__write"), matched("mcp__mail__send")], vec![], None),
    ] {
        let text = json!({"hooks": {"PreToolUse": before, "PostToolUse": after}}).to_string();
        let rules = built(Rules::builder().text("hooks.json", text.as_str()));
        rules.install(&guarded()).unwrap();
        let found = words(&rules.audit_server("tills"));
        assert_eq!(found.len(), usize::from(told.is_some()), "{text}: {found:?}");
        assert!(found.join("").contains(told.unwrap_or_default()), "{text}: {found:?}");
    }
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
