//! The rules of a project wait until somebody trusts them.

use hooks_rules::Trust;

use crate::support::*;

#[tokio::test]
async fn a_project_runs_nothing_until_it_is_trusted_as_it_is() {
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
    assert!(rules.defects()[0].to_string().contains("wait until somebody trusts the file"));
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
fn a_trust_file_that_is_none_trusts_nothing_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (file, trust) = (folder.path().join("settings.json"), folder.path().join("trust.json"));
    write(&file, &commands("Stop", &["true"]));
    for text in ["", "{", "[]", r#"{"version": 9, "files": {}}"#] {
        write(&trust, text);
        assert!(Trust::open(&trust).is_err(), "{text}");
        let rules = Rules::builder().project_settings(&file).trust(&trust).build();
        assert!(rules.list().is_empty());
        assert!(rules.defects()[0].problem.contains("is no trust file"), "{:?}", rules.defects());
    }
    let without = Rules::builder().project_settings(&file).build();
    assert!(without.list().is_empty());
}

/// Files that need not be there are no defect, files of a plugin are.
#[test]
fn a_missing_file_is_told_where_it_was_promised() {
    let rules = Rules::builder()
        .settings("/is/not/there/a.json")
        .project_settings("/is/not/there/b.json")
        .plugin(hooks_rules::Plugin::new("desk", "/is/not/there"))
        .build();
    let defects = rules.defects();
    assert_eq!(defects.len(), 1);
    assert!(defects[0].problem.contains("not found"), "{}", defects[0]);
}
