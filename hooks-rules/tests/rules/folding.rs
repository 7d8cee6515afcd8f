//! The rules of an event: selected, run concurrently, merged in the order of the files.

use super::support::*;

/// Each waits until all have started, so they would never end in sequence.
#[tokio::test]
async fn sixteen_rules_run_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().display();
    let lines: Vec<String> = (0..16)
        .map(|n| format!("touch {here}/{n}; while [ $(ls {here} | wc -l) -lt 16 ]; do sleep 0.01; done"))
        .collect();
    let observed = Observed::default();
    let text = commands("PreToolUse", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text)));
    let _ = shell(&set(&rules), "ls").await;
    assert_eq!(observed.outcomes(), [RunOutcome::Answered; 16]);
}

/// A denial does not stop other rules.
#[tokio::test]
async fn a_denial_stops_no_other_rule() {
    let observed = Observed::default();
    let text = commands("PreToolUse", &["exit 2", "exit 0", "echo no >&2; exit 2"]);
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text)));
    let fired = shell(&set(&rules), "ls").await;
    assert_eq!(reason(&fired.verdict), "No stderr output");
    assert_eq!(observed.outcomes(), [RunOutcome::Answered; 3]);
    let runs = observed.runs.lock().unwrap();
    let seen: Vec<_> = runs.iter().map(|run| (run.code, run.decision)).collect();
    assert_eq!(seen, [(Some(2), Some("deny")), (Some(0), None), (Some(2), Some("deny"))]);
}

#[tokio::test]
async fn decisions_are_merged_by_their_rank() {
    let says = |word: &str| {
        prints(&output("PreToolUse", json!({"permissionDecision": word, "permissionDecisionReason": word})))
    };
    let table: &[(&[&str], Option<&str>)] = &[
        (&["allow", "deny", "ask"], Some("deny")),
        (&["ask", "defer", "allow"], Some("defer")),
        (&["allow", "ask"], Some("ask")),
        (&["allow", "allow"], Some("allow")),
    ];
    for (words, expected) in table {
        let lines: Vec<String> = words.iter().map(|word| says(word)).collect();
        let text = commands("PreToolUse", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        let fired = shell(&set(&of_text(&text)), "ls").await;
        assert_eq!(fired.verdict.summary(), *expected, "{words:?}");
    }
}

/// The order of the files counts, not the order of completion.
#[tokio::test]
async fn the_last_input_in_the_order_of_the_files_wins() {
    let says = |command: &str| prints(&output("PreToolUse", json!({"updatedInput": {"command": command}})));
    let slow = format!("sleep 0.05; {}", says("first"));
    let text = commands("PreToolUse", &[&slow, &says("second")]);
    let fired = shell(&set(&of_text(&text)), "ls").await;
    assert_eq!(*fired.subject, json!({"command": "second"}));
    assert_eq!(fired.verdict, Permission::NoOpinion);
}

#[tokio::test]
async fn contexts_are_kept_in_the_order_of_the_files() {
    let text = commands("UserPromptSubmit", &["sleep 0.05; echo first", "echo second"]);
    let set = set(&of_text(&text));
    let event = UserPromptSubmit::new("hello", Messages::default());
    let fired = set.fire(&HookContext::new(), &event, Messages::default()).await.unwrap();
    assert_eq!(fired.verdict.contexts, ["first", "second"]);
}

#[tokio::test]
async fn ending_the_turn_wins_over_decisions() {
    let stop = prints(&json!({"continue": false, "stopReason": "enough"}));
    let text = commands("PreToolUse", &["exit 2", &stop]);
    let fired = shell(&set(&of_text(&text)), "ls").await;
    assert_eq!(fired.report.halt.as_ref().unwrap().reason.as_str(), "enough");
}

#[tokio::test]
async fn one_command_of_several_settings_files_runs_once() {
    let folder = tempfile::tempdir().unwrap();
    let line = "echo ran >> ran.txt; exit 0";
    let text = commands("PreToolUse", &[line]);
    for plugin in ["a", "b"] {
        write(&folder.path().join(plugin).join("hooks/hooks.json"), &text);
    }
    let rules = built(
        Rules::builder()
            .text("one.json", text.clone())
            .text("two.json", text.clone())
            .text("three.json", commands("PreToolUse", &[line, "true"]))
            .plugin(hooks_rules::PluginFolder::new("a", folder.path().join("a")))
            .plugin(hooks_rules::PluginFolder::new("b", folder.path().join("b"))),
    );
    let cx = HookContext::builder().workspace(folder.path()).build();
    let _ = shell_in(&set(&rules), &cx, "ls").await;
    let ran = std::fs::read_to_string(folder.path().join("ran.txt")).unwrap();
    assert_eq!(ran.lines().count(), 3, "the settings' once, and each plugin's own");
}

/// Flat files do not merge duplicates.
#[tokio::test]
async fn equal_flat_handlers_all_run() {
    let observed = Observed::default();
    let text = json!({"hooks": {"PreToolUse": [
        {"type": "command", "command": "true"}, {"type": "command", "command": "true"},
    ]}});
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text.to_string())));
    let _ = shell(&set(&rules), "ls").await;
    assert_eq!(observed.outcomes().len(), 2);
}

#[tokio::test]
async fn only_the_rules_that_select_a_call_run() {
    let group = |matcher: &str, name: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": format!("true {name}")}]});
    let narrowed = json!({"hooks": [
        {"type": "command", "command": "true git", "if": "Bash(git *)"},
        {"type": "command", "command": "true npm", "if": "Bash(npm *)"},
        {"type": "command", "command": "true edit", "if": "Edit(*.rs)"},
    ]});
    let text = json!({"hooks": {"PreToolUse": [
        group("Bash", "wire"), group("run_shell_command", "own"), group("Read", "other"), narrowed,
    ]}});
    let observed = Observed::default();
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text.to_string())));
    let _ = shell(&set(&rules), "git push").await;
    let ran: Vec<_> = observed.runs.lock().unwrap().iter().map(|run| run.rule.clone()).collect();
    let listed = rules.list();
    let names = |id: &hooks_rules::RuleId| listed.iter().find(|rule| rule.id == *id).unwrap().summary.clone();
    let expected = ["true wire", "true own", "true git"];
    assert_eq!(ran.iter().map(names).collect::<Vec<_>>(), expected);
    // The same without running anything.
    let mut occurrence = hooks_rules::Occurrence::new(hooks_rules::Event::PreToolUse);
    occurrence.set("tool_name", "Bash").set("tool_input", json!({"command": "git push"}));
    let selected: Vec<_> = rules.select(&occurrence).into_iter().map(|rule| rule.summary).collect();
    assert_eq!(selected, expected);
    let listed = serde_json::to_value(&rules.list()[0]).unwrap();
    assert_eq!((&listed["event"], &listed["dialect"]), (&json!("PreToolUse"), &json!("claude")));
}

/// Decisions are attributed to the rule, its file and its plugin, and not to the hook that runs it.
#[tokio::test]
async fn a_verdict_names_the_rule_that_decided() {
    let folder = tempfile::tempdir().unwrap();
    let says = |word: &str| {
        prints(&output("PreToolUse", json!({"permissionDecision": word, "permissionDecisionReason": word})))
    };
    write(&folder.path().join("hooks/hooks.json"), &commands("PreToolUse", &["true", &says("ask")]));
    let observed = Observed::default();
    let builder = Rules::builder()
        .text("own.json", commands("PreToolUse", &[&says("allow")]))
        .plugin(hooks_rules::PluginFolder::new("guards", folder.path()));
    let rules = built(observed.listens(builder));
    let fired = shell(&set(&rules), "ls").await;
    let asks = rules.list()[2].id.clone();
    let notices = observed.notices.lock().unwrap();
    let by = notices[0].decided_by.as_ref().unwrap();
    assert_eq!((&by.rule, by.plugin.as_deref(), by.line), (&asks, Some("guards"), 1));
    assert!(by.file.ends_with("hooks/hooks.json"));
    let Permission::Ask(question) = &fired.verdict else { panic!("{:?}", fired.verdict) };
    assert_eq!(question.by.as_ref().unwrap().as_str(), asks.as_str());
    let runs = observed.runs.lock().unwrap();
    assert_eq!(
        runs.iter().map(|run| run.plugin.as_deref()).collect::<Vec<_>>(),
        [None, Some("guards"), Some("guards")]
    );
}
