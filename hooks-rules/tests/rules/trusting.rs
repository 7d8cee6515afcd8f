//! The rules of a project do not run before the file is trusted.

use hooks_rules::Trust;

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
        assert!(rules.list().is_empty());
        assert!(rules.defects()[0].problem.contains("is not a trust file"), "{:?}", rules.defects());
    }
    let without = Rules::builder().project_settings(&file).build();
    assert!(without.list().is_empty());
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
