//! The rules of a project do not run before the file is trusted.

use hooks_rules::{SkipReason, Trust};

use super::support::*;

#[tokio::test]
async fn a_project_runs_nothing_until_its_current_content_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let (file, trust) = (folder.path().join(".claude/settings.json"), folder.path().join("trust.json"));
    write(&file, &commands("PreToolUse", &["exit 2"]));
    let rules = Rules::builder().project_settings(&file).trust(&trust).build();
    let registry = Registry::empty();
    let refuses = async || {
        rules.reload();
        shell(&set_in(&rules, &registry), "ls").await.verdict.denial().is_some()
    };
    assert!(!refuses().await);
    assert!(rules.defects()[0].to_string().contains("waits until somebody trusts it"));
    Trust::open(&trust).unwrap().trust(&file).unwrap();
    assert!(refuses().await && rules.defects().is_empty());
    write(&file, &commands("PreToolUse", &["exit 2", "echo more"]));
    assert!(!refuses().await, "it is another file now");
    Trust::open(&trust).unwrap().trust(&file).unwrap();
    assert!(refuses().await);
    Trust::open(&trust).unwrap().revoke(&file).unwrap();
    assert!(!refuses().await);
}

#[test]
fn a_trust_file_that_is_invalid_trusts_nothing_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (file, trust) = (folder.path().join("settings.json"), folder.path().join("trust.json"));
    write(&file, &commands("Stop", &["true"]));
    for text in ["", "{", "[]", r#"{"version": 9, "files": {}}"#] {
        write(&trust, text);
        assert!(Trust::open(&trust).is_err(), "{text}");
        let rules = Rules::builder().project_settings(&file).trust(&trust).build();
        assert_eq!(rules.list()[0].why_not, Some(SkipReason::Untrusted));
        assert!(rules.defects()[0].problem.contains("is not a trust file"), "{:?}", rules.defects());
    }
    let without = Rules::builder().project_settings(&file).build();
    assert!(!without.list()[0].enabled);
}

/// Missing files are no defect if they are optional. Files of a plugin are required.
#[test]
fn a_missing_file_is_reported_if_it_is_required() {
    let rules = Rules::builder()
        .settings("/is/not/there/a.json")
        .project_settings("/is/not/there/b.json")
        .plugin(hooks_rules::PluginFolder::new("desk", "/is/not/there"))
        .build();
    let defects = rules.defects();
    assert_eq!(defects.len(), 1);
    assert!(defects[0].problem.contains("not found"), "{}", defects[0]);
}

/// An earlier version is used only as long as the file is trusted.
#[tokio::test]
async fn a_file_that_cannot_be_read_keeps_its_rules_only_while_it_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let (file, trust) = (folder.path().join("settings.json"), folder.path().join("trust.json"));
    write(&file, &commands("PreToolUse", &["exit 2"]));
    Trust::open(&trust).unwrap().trust(&file).unwrap();
    let rules = Rules::builder().project_settings(&file).trust(&trust).build();
    std::fs::remove_file(&file).unwrap();
    // A folder instead of the file: it exists but cannot be read.
    std::fs::create_dir(&file).unwrap();
    rules.reload();
    assert_eq!(rules.list().len(), 1, "somebody may be about to repair it");
    Trust::open(&trust).unwrap().revoke(&file).unwrap();
    rules.reload();
    assert!(rules.list().is_empty());
    assert!(rules.defects()[0].problem.contains("cannot be read"), "{:?}", rules.defects());
}

#[test]
fn storing_trust_creates_the_folder_and_keeps_the_entries_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let trust = folder.path().join("config/desk/trust.json");
    let files = ["a.json", "b.json", "c.json"].map(|name| folder.path().join(name));
    for file in &files {
        write(file, "{}");
    }
    let [a, b, c] = &files;
    Trust::open(&trust).unwrap().trust(a).unwrap();
    let (mut one, mut other) = (Trust::open(&trust).unwrap(), Trust::open(&trust).unwrap());
    one.revoke(a).unwrap();
    one.trust(b).unwrap();
    other.trust(c).unwrap();
    let stored = Trust::open(&trust).unwrap();
    assert_eq!(files.each_ref().map(|file| stored.allows(file, b"{}")), [false, true, true]);
    assert_eq!(files.each_ref().map(|file| other.allows(file, b"{}")), [false, true, true]);
    // The only other file is its lock.
    assert_eq!(std::fs::read_dir(trust.parent().unwrap()).unwrap().count(), 2);
}

/// Forty concurrent changes in threads, some of which revoke: nothing is lost, and nothing reappears.
#[test]
fn concurrent_changes_of_trust_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let trust = folder.path().join("trust.json");
    let files: Vec<_> = (0..40).map(|number| folder.path().join(format!("{number}.json"))).collect();
    for file in &files {
        write(file, "{}");
    }
    for file in &files[20..] {
        Trust::open(&trust).unwrap().trust(file).unwrap();
    }
    std::thread::scope(|scope| {
        for (number, file) in files.iter().enumerate() {
            let trust = &trust;
            scope.spawn(move || {
                let mut store = Trust::open(trust).unwrap();
                if number < 20 { store.trust(file).unwrap() } else { assert!(store.revoke(file).unwrap()) }
            });
        }
    });
    let stored = Trust::open(&trust).unwrap();
    let kept: Vec<bool> = files.iter().map(|file| stored.allows(file, b"{}")).collect();
    assert_eq!(kept, [vec![true; 20], vec![false; 20]].concat());
}

/// A file `.disabled` that nobody trusts is a change of the project, which must not remove a guard.
#[tokio::test]
async fn an_untrusted_file_does_not_switch_a_plugin_off() {
    let folder = tempfile::tempdir().unwrap();
    let (project, trust) = (folder.path().join("shop"), folder.path().join("trust.json"));
    let guards = project.join("plugins/guards");
    let (rules_file, off) = (guards.join("hooks/hooks.json"), guards.join(".disabled"));
    write(&rules_file, &commands("PreToolUse", &["exit 2"]));
    Trust::open(&trust).unwrap().trust(&rules_file).unwrap();
    let builder = || Rules::builder().project_dir(&project).plugins(project.join("plugins")).plugin_data(folder.path());
    let refuses =
        async |rules: &Rules| shell(&set_in(rules, &Registry::empty()), "ls").await.verdict.denial().is_some();
    assert!(refuses(&builder().trust(&trust).build()).await);
    // A file and a folder of that name.
    for is_folder in [false, true] {
        if is_folder {
            std::fs::create_dir(&off).unwrap();
        } else {
            write(&off, "");
        }
        let rules = builder().trust(&trust).build();
        assert!(refuses(&rules).await, "the guard runs on");
        assert!(rules.defects()[0].problem.contains("does not switch the plugin off"), "{:?}", rules.defects());
        assert!(!refuses(&builder().trust_all().build()).await, "somebody trusts everything");
        let _ = (std::fs::remove_file(&off), std::fs::remove_dir(&off));
    }
    write(&off, "");
    Trust::open(&trust).unwrap().trust(&off).unwrap();
    assert!(!refuses(&builder().trust(&trust).build()).await, "it is trusted");
    write(&off, "changed");
    assert!(refuses(&builder().trust(&trust).build()).await);
}

/// A configuration that nobody trusts, or a manifest, must not remove a guard whose file is trusted: it denies.
#[tokio::test]
async fn a_guard_that_cannot_get_its_configuration_denies() {
    let folder = tempfile::tempdir().unwrap();
    let (project, trust) = (folder.path().join("shop"), folder.path().join("trust.json"));
    let guards = project.join("plugins/guards");
    let rules_file = guards.join("hooks/hooks.json");
    let guard = commands("PreToolUse", &["exit 0"]).replace("\"type\"", "\"onFailure\": \"block\", \"type\"");
    let builder = || Rules::builder().project_dir(&project).plugins(project.join("plugins")).plugin_data(folder.path());
    let refuses =
        async |rules: &Rules| shell(&set_in(rules, &Registry::empty()), "ls").await.verdict.denial().is_some();
    for name in ["config.json", "plugin.json"] {
        write(&rules_file, &guard);
        Trust::open(&trust).unwrap().trust(&rules_file).unwrap();
        assert!(!refuses(&builder().trust(&trust).build()).await, "{name}");
        write(&guards.join(name), "{}");
        let rules = builder().trust(&trust).build();
        assert!(refuses(&rules).await, "{name}");
        assert!(rules.defects()[0].problem.contains("waits until somebody trusts it"), "{:?}", rules.defects());
        // Of a plugin that nobody trusts, nothing runs, and nothing denies.
        write(&rules_file, &guard.replace("exit 0", "exit 2"));
        assert!(!refuses(&builder().trust(&trust).build()).await, "{name}");
        std::fs::remove_file(guards.join(name)).unwrap();
    }
}

/// Whoever changes or removes a manifest must not remove a trusted guard whose file only the manifest names.
#[tokio::test]
async fn a_guard_denies_when_its_manifest_is_changed_or_gone() {
    let guard = commands("PreToolUse", &["exit 0"]).replace("\"type\"", "\"onFailure\": \"block\", \"type\"");
    for place in ["plugin.json", ".claude-plugin/plugin.json"] {
        let folder = tempfile::tempdir().unwrap();
        let (project, trust) = (folder.path().join("shop"), folder.path().join("trust.json"));
        let guards = project.join("plugins/guards");
        let (manifest, rules_file) = (guards.join(place), guards.join("hooks/payments.json"));
        write(&manifest, r#"{"hooks": "hooks/payments.json"}"#);
        write(&rules_file, &guard);
        for file in [&manifest, &rules_file] {
            Trust::open(&trust).unwrap().trust(file).unwrap();
        }
        let plugins = project.join("plugins");
        let builder = || Rules::builder().project_dir(&project).plugins(&plugins).plugin_data(folder.path());
        let refuses = async || {
            let rules = builder().trust(&trust).build();
            shell(&set_in(&rules, &Registry::empty()), "ls").await.verdict.denial().is_some()
        };
        assert!(!refuses().await, "{place}");
        for edited in ["{}", "{", r#"{"hooks": "hooks/other.json"}"#] {
            write(&manifest, edited);
            assert!(refuses().await, "{place}: {edited}");
        }
        std::fs::remove_file(&manifest).unwrap();
        assert!(refuses().await, "{place}");
        if place.contains('/') {
            std::fs::remove_dir(manifest.parent().unwrap()).unwrap();
            assert!(refuses().await, "{place}");
        }
        // Whoever ends the trust in it accepts that.
        Trust::open(&trust).unwrap().revoke(&manifest).unwrap();
        assert!(!refuses().await, "{place}");
    }
}

/// A switch of a project is its own, and counts for nothing until it is trusted. That of the user is everybody's.
#[test]
fn a_switch_reaches_as_far_as_the_word_of_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let (user, project, trust) =
        (folder.path().join("user.json"), folder.path().join("p.json"), folder.path().join("t"));
    let rules_of =
        |off: bool| commands("PreToolUse", &["exit 2"]).replacen('{', &format!("{{\"disableAllHooks\": {off}, "), 1);
    // User off, project off, trusted: what keeps the rule of the user and that of the project.
    let table = [
        (false, false, false, [None, Some("untrusted")]),
        (false, false, true, [None, None]),
        (false, true, false, [None, Some("untrusted")]),
        (false, true, true, [None, Some("p.json")]),
        (true, false, false, [Some("user.json"), Some("untrusted")]),
        (true, false, true, [Some("user.json"), Some("user.json")]),
        (true, true, true, [Some("user.json"), Some("user.json")]),
    ];
    for (user_off, project_off, trusted, expected) in table {
        write(&user, &rules_of(user_off));
        write(&project, &rules_of(project_off));
        let mut store = Trust::open(&trust).unwrap();
        if trusted {
            store.trust(&project).unwrap();
        } else {
            assert!(store.revoke(&project).is_ok());
        }
        let rules = Rules::builder().settings(&user).project_settings(&project).trust(&trust).build();
        let said = rules.list().into_iter().map(|rule| {
            assert_eq!(rule.enabled, rule.why_not.is_none());
            rule.why_not.map(|why| match why {
                SkipReason::Untrusted => "untrusted".to_owned(),
                SkipReason::SwitchedOff { by } => by.file_name().unwrap().to_str().unwrap().to_owned(),
                other => panic!("{other}"),
            })
        });
        let said: Vec<_> = said.collect();
        assert_eq!(said, expected.map(|why| why.map(str::to_owned)), "{user_off} {project_off} {trusted}");
        // What is listed as running is what is explained, and what runs.
        let mut call = hooks_rules::Occurrence::new(hooks_rules::Event::PreToolUse);
        call.set("tool_name", "Bash");
        let runs = rules.list().iter().filter(|rule| rule.enabled).count();
        assert_eq!(rules.select(&call).len(), runs.min(1), "equal rules run once");
        for (listed, explained) in rules.list().iter().zip(rules.explain(&call)) {
            assert!(listed.enabled || explained.skip == listed.why_not, "{explained:?}");
        }
    }
}

/// An untrusted file neither replaces an equal rule nor takes its id.
#[test]
fn an_untrusted_rule_takes_nothing_from_one_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (user, project) = (folder.path().join("user.json"), folder.path().join("p.json"));
    write(&user, &commands("PreToolUse", &["exit 2"]));
    write(&project, &commands("PreToolUse", &["exit 2"]));
    let alone = Rules::builder().settings(&user).build().list()[0].id.clone();
    let rules = Rules::builder().project_settings(&project).settings(&user).build();
    let ids: Vec<_> = rules.list().into_iter().map(|rule| (rule.enabled, rule.id == alone)).collect();
    assert_eq!(ids, [(false, false), (true, true)]);
}

#[test]
fn what_belongs_to_a_file_is_said_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    write(&file, &commands("PreToolUse", &["exit 2"]));
    let rules = Rules::builder().settings(&file).plugins(folder.path()).dialect(hooks_rules::Dialect::Agentao).build();
    assert!(rules.list()[0].enabled, "the guard of the file is still there");
    assert!(rules.defects()[0].problem.contains("`dialect` belongs to the file"), "{:?}", rules.defects());
    let none = Rules::builder().content("{}").build();
    assert!(none.defects()[0].problem.contains("`content` belongs to the file"), "{:?}", none.defects());
}

/// Opening a pipe would wait for whoever writes to it.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_file_of_rules() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("settings.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let rules = Rules::builder().settings(&pipe).build();
    assert!(rules.defects()[0].problem.contains("it is a pipe"), "{:?}", rules.defects());
}
