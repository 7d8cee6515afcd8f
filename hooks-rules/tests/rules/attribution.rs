//! Decisions are attributed to the rule with its file, line and plugin, and not to the hook that runs it.

use hook_sdk::HookId;
use hook_sdk::data::Messages;
use hook_sdk::record::Record;
use hook_sdk::verdict::Attribution;
use hooks_rules::PluginFolder;

use super::support::*;

/// A plugin whose only rule prints an answer at an event, and its attribution.
fn decides(event: &str, command: &str) -> (tempfile::TempDir, HookSet, Attribution) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks/hooks.json");
    write(&file, &format!("\n\n{}", commands(event, &[command])));
    let rules = built(Rules::builder().plugin(PluginFolder::new("guards", folder.path())));
    let id = HookId::named(rules.list()[0].id.as_str()).unwrap();
    let rule = Attribution::new(id).file(file.to_string_lossy(), 3).plugin("guards");
    let set = set(&rules);
    (folder, set, rule)
}

/// The attribution of the run of the hook for an event.
fn recorded(record: Option<&std::sync::Arc<Record>>, hook: &str) -> Attribution {
    let run = record.unwrap().runs.iter().find(|run| run.hook.as_str() == hook).unwrap();
    (**run.attribution.as_ref().unwrap()).clone()
}

fn cx() -> HookContext {
    HookContext::builder().conversation("c-1").keep_records(true).build()
}

#[tokio::test]
async fn a_decision_about_a_call_names_the_rule() {
    for word in ["deny", "ask", "defer"] {
        let answer = prints(&output("PreToolUse", json!({"permissionDecision": word})));
        let (_folder, set, rule) = decides("PreToolUse", &answer);
        let fired = shell_in(&set, &cx(), "ls").await;
        let (by, attribution) = match &fired.verdict {
            Permission::Deny(denial) => (&denial.by, &denial.attribution),
            Permission::Ask(question) | Permission::Defer(question) => (&question.by, &question.attribution),
            other => panic!("{other:?}"),
        };
        assert_eq!((by.as_ref().unwrap(), &**attribution.as_ref().unwrap()), (&rule.id, &rule), "{word}");
        assert_eq!(recorded(fired.report.record.as_ref(), "rules_pre_tool_use"), rule);
    }
    // A rule that fails with `onFailure: block`.
    let folder = tempfile::tempdir().unwrap();
    write(
        &folder.path().join("hooks.json"),
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 1", "onFailure": "block"}]}]}}"#,
    );
    let rules = built(Rules::builder().settings(folder.path().join("hooks.json")));
    let fired = shell_in(&set(&rules), &cx(), "ls").await;
    let denial = fired.verdict.denial().unwrap();
    assert_eq!(denial.by.as_ref().unwrap().as_str(), rules.list()[0].id.as_str());
    assert_eq!(denial.attribution.as_ref().unwrap().plugin, None);
}

#[tokio::test]
async fn an_end_of_the_turn_names_the_rule() {
    let ends = prints(&json!({"continue": false, "stopReason": "enough"}));
    let (_folder, set, rule) = decides("PreToolUse", &ends);
    let fired = shell_in(&set, &cx(), "ls").await;
    let halt = fired.report.halt.as_ref().unwrap();
    assert_eq!((halt.by.as_ref().unwrap(), &**halt.attribution.as_ref().unwrap()), (&rule.id, &rule));
    assert_eq!(recorded(fired.report.record.as_ref(), "rules_pre_tool_use"), rule);

    // In a flat file, a block comes first, in any order.
    let blocks = prints(&json!({"blockingError": "not this"}));
    for lines in [[&ends, &blocks], [&blocks, &ends]] {
        let handlers = lines.map(|line| json!({"type": "command", "command": line}));
        let text = json!({"hooks": {"Stop": handlers}}).to_string();
        let rules = built(Rules::builder().text("hooks.json", text).dialect(hooks_rules::Dialect::Agentao));
        let blocking = rules.list().into_iter().find(|rule| rule.text.contains("not this")).unwrap();
        let fired = super::support::set(&rules).fire(&cx(), &Stop::new("final_response"), ()).await.unwrap();
        assert_eq!(fired.verdict.by.as_ref().unwrap().as_str(), blocking.id.as_str());
        assert!(format!("{:?}", fired.verdict.decision).contains("not this"), "{:?}", fired.verdict);
    }

    let (_folder, set, rule) = decides("Stop", "echo 'the tests first' >&2; exit 2");
    let fired = set.fire(&cx(), &Stop::new("final_response"), ()).await.unwrap();
    assert_eq!((fired.verdict.by.as_ref().unwrap(), &**fired.verdict.attribution.as_ref().unwrap()), (&rule.id, &rule));
    assert_eq!(recorded(fired.report.record.as_ref(), "rules_stop"), rule);
}

#[tokio::test]
async fn a_rejected_prompt_or_compaction_names_the_rule() {
    let (_folder, set, rule) = decides("UserPromptSubmit", "echo no >&2; exit 2");
    let event = UserPromptSubmit::new("hi", Messages::default());
    let fired = set.fire(&cx(), &event, Messages::default()).await.unwrap();
    assert_eq!((fired.verdict.by.as_ref().unwrap(), &**fired.verdict.attribution.as_ref().unwrap()), (&rule.id, &rule));
    assert_eq!(recorded(fired.report.record.as_ref(), "rules_user_prompt_submit"), rule);

    let (_folder, set, rule) = decides("PreCompact", "exit 2");
    let event = BeforeCompaction::new("auto", "full", Messages::default());
    let fired = set.fire(&cx(), &event, ()).await.unwrap();
    assert_eq!(fired.verdict.denial().unwrap().attribution.as_deref(), Some(&rule));

    // A session that has to stop does so at its first prompt, attributed to the rule that requested it.
    let (_folder, set, rule) = decides("SessionStart", &prints(&json!({"continue": false, "stopReason": "closed"})));
    let _ = set.fire(&cx(), &SessionStart::new("c-1", "startup"), ()).await.unwrap();
    let event = UserPromptSubmit::new("hi", Messages::default());
    let fired = set.fire(&cx(), &event, Messages::default()).await.unwrap();
    assert_eq!(fired.verdict.attribution.as_deref(), Some(&rule));
}

/// The decision of a compiled hook is attributed to it.
#[tokio::test]
async fn a_decision_of_a_compiled_hook_names_the_hook() {
    let registry = Registry::empty();
    registry.register(Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::deny("no"))).unwrap();
    let rules = of_text(&commands("PreToolUse", &["true"]));
    let mut uses = rules.install(&registry).unwrap();
    uses.push(hook_sdk::scope::HookUse::id("guard"));
    registry.set_app(AppDef::new("desk").hooks(uses));
    let fired = shell(&registry.scope(&AgentDef::new("clerk"), None).unwrap(), "ls").await;
    let denial = fired.verdict.denial().unwrap();
    assert_eq!((denial.by.as_ref().unwrap().as_str(), &denial.attribution), ("guard", &None));
}
