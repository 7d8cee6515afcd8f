//! Installing in a registry: ids, the app's list, reload, and defects that depend on the registry.

use hook_sdk::diagnostics::FindingKind;
use hooks_rules::PluginFolder;

use super::support::*;

fn ids(set: &HookSet) -> Vec<String> {
    let shown = set.to_string();
    let words = shown.split_whitespace().filter(|word| word.starts_with("rules_") || word.starts_with("mask"));
    words.map(str::to_owned).collect()
}

#[test]
fn every_event_with_rules_has_one_hook_in_the_list_of_the_app() {
    let text = json!({"hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "true"}, {"type": "command", "command": "false"}]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "true"}]}],
    }});
    let rules = built(Rules::builder().text("hooks.json", text.to_string()).priority(70));
    let registry = Registry::empty();
    let set = set_in(&rules, &registry);
    let mut found = ids(&set);
    found.sort();
    // Plus the hook that counts continuations of a turn.
    assert_eq!(found, ["rules_conversation", "rules_session_end", "rules_stop"]);
    assert!(registry.audit([&set]).iter().all(|finding| finding.kind() != FindingKind::UnnamedHook));
    let manifest = serde_json::to_value(registry.manifest()).unwrap();
    let stop = manifest["hooks"].as_array().unwrap().iter().find(|hook| hook["id"] == "rules_stop").unwrap();
    assert!(stop["description"].as_str().unwrap().starts_with("Runs 2 rules of Stop."), "{stop}");
    assert_eq!(stop["at"][0]["priority"], 70, "{stop}");
}

/// A command can contain a key, and descriptions are shown in manifests, plans and logs.
#[test]
fn descriptions_do_not_contain_commands() {
    let line = "curl -H 'Authorization: Bearer hush-hush' http://localhost";
    let rules = of_text(&commands("Stop", &[line]));
    let registry = Registry::empty();
    let set = set_in(&rules, &registry);
    let manifest = serde_json::to_string(&registry.manifest()).unwrap();
    assert!(manifest.contains(rules.list()[0].id.as_str()), "{manifest}");
    for shown in [manifest, set.to_string(), format!("{set:?}"), format!("{rules:?}")] {
        assert!(!shown.contains("hush-hush"), "{shown}");
    }
}

#[test]
fn rules_are_listed_with_their_positions() {
    let text = "{\"hooks\": {\"PreToolUse\": [\n  {\"matcher\": \"Bash\", \"hooks\": [\n    {\"type\": \"command\", \"command\": \"./a.sh\"}]}]}}";
    let listed = of_text(text).list();
    assert_eq!(listed.len(), 1);
    let rule = &listed[0];
    assert_eq!(
        (rule.line, rule.matcher.as_deref(), rule.summary.as_str(), rule.enabled),
        (3, Some("Bash"), "./a.sh", true)
    );
    assert!(rule.id.as_str().starts_with("pre_tool_use_"), "{}", rule.id);
}

/// An id stays the same if a rule moves, and changes if the rule changes.
#[test]
fn the_id_of_a_rule_depends_only_on_its_content() {
    let id = |text: &str| of_text(text).list()[0].id.clone();
    let one = commands("Stop", &["true"]);
    assert_eq!(id(&one), id(&format!("\n\n{one}")));
    assert_ne!(id(&one), id(&commands("Stop", &["false"])));
    assert_ne!(id(&one), id(&commands("SessionEnd", &["true"])));
    let twice = of_text(&commands("Stop", &["true", "true"])).list();
    assert_ne!(twice[0].id, twice[1].id);
}

/// Promise 10: an existing hook set does not change.
#[tokio::test]
async fn a_reload_changes_new_sets_and_not_existing_ones() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    let refuses = |why: &str| commands("PreToolUse", &[&format!("echo {why} >&2; exit 2")]);
    write(&file, &refuses("first"));
    let rules = built(Rules::builder().settings(&file));
    let registry = Registry::empty();
    let first = set_in(&rules, &registry);
    write(&file, &refuses("second"));
    rules.reload();
    assert_eq!(reason(&shell(&first, "ls").await.verdict), "first");
    let second = set_in(&rules, &registry);
    assert_eq!(reason(&shell(&first, "ls").await.verdict), "first");
    assert_eq!(reason(&shell(&second, "ls").await.verdict), "second");

    // An invalid file keeps its previous rules.
    write(&file, &refuses("third")[..20]);
    rules.reload();
    assert_eq!(rules.defects().len(), 1);
    assert_eq!(reason(&shell(&set_in(&rules, &registry), "ls").await.verdict), "second");

    // A removed file has no rules, and a list that still names its hook finds an empty one.
    std::fs::remove_file(&file).unwrap();
    rules.reload();
    assert!(rules.install(&registry).unwrap().is_empty());
    let stale = registry.scope(&AgentDef::new("clerk"), None).unwrap();
    assert_eq!(shell(&stale, "ls").await.verdict, Permission::NoOpinion);
}

#[tokio::test]
async fn a_plugin_that_was_removed_has_no_rules_and_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks/hooks.json");
    write(&file, &commands("PreToolUse", &["exit 2"]));
    let rules = built(Rules::builder().plugin(PluginFolder::new("guards", folder.path())));
    assert_eq!(rules.list().len(), 1);
    std::fs::remove_file(&file).unwrap();
    rules.reload();
    assert!(rules.list().is_empty());
    assert_eq!(
        rules.defects().iter().map(|defect| defect.problem.clone()).collect::<Vec<_>>(),
        ["the file was not found"]
    );
}

#[tokio::test]
async fn a_rule_can_be_disabled_and_enabled_by_its_id() {
    let rules = of_text(&commands("PreToolUse", &["exit 2", "echo second >&2; exit 2"]));
    let registry = Registry::empty();
    let id = rules.list()[0].id.clone();
    let before = set_in(&rules, &registry);
    assert!(rules.disable(id.as_str()) && !rules.disable("nobody"));
    assert!(!rules.list()[0].enabled);
    assert_eq!(reason(&shell(&before, "ls").await.verdict), "No stderr output", "this set has been made");
    assert_eq!(reason(&shell(&set_in(&rules, &registry), "ls").await.verdict), "second");
    assert!(rules.enable(id.as_str()));
    assert_eq!(reason(&shell(&set_in(&rules, &registry), "ls").await.verdict), "No stderr output");
    let again = Rules::builder().text("h", commands("PreToolUse", &["exit 2"])).disable(id.as_str()).build();
    assert!(again.list().iter().all(|rule| !rule.enabled));
}

#[test]
fn another_hook_with_the_id_of_a_rule_is_an_error() {
    // Of the app, or of other rules.
    let registry = Registry::empty();
    registry.register(Hook::at::<Stop>("rules_stop").reader(|_, _, (): &()| ())).unwrap();
    let error = of_text(&commands("Stop", &["true"])).install(&registry).unwrap_err();
    assert!(error.to_string().contains("two hooks have the id `rules_stop`"), "{error}");
    let registry = Registry::empty();
    assert!(of_text(&commands("Stop", &["true"])).install(&registry).is_ok());
    assert!(of_text(&commands("Stop", &["false"])).install(&registry).is_err());
}

#[tokio::test]
async fn a_rule_can_name_a_compiled_hook() {
    let registry = Registry::empty();
    let mask = Hook::at::<AfterToolCallSuccess>("mask_text").writer(|_, _, result: &mut ToolResult| {
        result.rewrite_text(|_| Some("***".to_owned()));
    });
    registry.register(mask).unwrap();
    let of = |event: &str, group: Value| json!({"hooks": {event: [group]}}).to_string();
    let named = |id: &str| json!({"hooks": [{"type": "hook", "id": id}]});
    let rules = of_text(&of("PostToolUse", named("mask_text")));
    let set = set_in(&rules, &registry);
    assert_eq!(ids(&set), ["mask_text"]);
    let event = AfterToolCallSuccess::new(call("Read", json!({})), json!({}));
    let fired = set.fire(&HookContext::new(), &event, ToolResult::new("secret")).await.unwrap();
    assert_eq!(fired.subject.unwrap().text(), "***");

    let narrowed = json!({"matcher": "Bash", "hooks": [{"type": "hook", "id": "mask_text"}]});
    let table = [
        (of("PostToolUse", named("mask_txt")), "there is no compiled hook `mask_txt`", "did you mean `mask_text`?"),
        (of("Stop", named("mask_text")), "does not run at `stop`", "name it under the event of its kind"),
        (of("PostToolUse", narrowed), "says itself for which values it runs", "remove `matcher`"),
    ];
    for (text, problem, help) in table {
        let rules = of_text(&text);
        assert!(rules.install(&registry).unwrap().is_empty());
        let defects = rules.defects();
        assert!(defects[0].problem.contains(problem) && defects[0].help.contains(help), "{}", defects[0]);
        assert!(defects[0].line == 1 && defects[0].column > 1);
    }
}

/// The user's `disableAllHooks` applies to all rules, that of a plugin's file to its own.
#[test]
fn all_rules_can_be_disabled() {
    let off = json!({"disableAllHooks": true});
    let rules = built(Rules::builder().text("a", off.to_string()).text("b", commands("Stop", &["true"])));
    assert!(rules.list().iter().all(|rule| !rule.enabled));
}

/// An endless device must not exhaust the memory. The encoding of a file is reported.
#[test]
fn files_that_are_not_rules_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let table: [(&str, Vec<u8>, &str); 4] = [
        ("full", vec![b' '; 16 << 20], "the file is empty"),
        ("large", vec![b' '; (16 << 20) + 1], "larger than 16 MiB"),
        ("wide", vec![0xff, 0xfe, b'{', 0], "UTF-16, not UTF-8"),
        ("latin", vec![b'"', 0xe9, b'"'], "the file is not UTF-8"),
    ];
    for (name, bytes, words) in table {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let rules = Rules::builder().settings(&path).build();
        let defects = rules.defects();
        assert!(defects.len() == 1 && defects[0].problem.contains(words), "{name}: {defects:?}");
    }
}
