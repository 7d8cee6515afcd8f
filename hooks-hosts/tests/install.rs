//! Entries in files that belong to other people.

use std::fs;
use std::path::Path;

use hooks_hosts::{FileChange, HookPoint, Installation, all, find};

use crate::others::{others, put, shared};

const PROGRAM: &str = "/opt/my tools/guards";

fn installation(folder: &Path) -> Installation {
    Installation::project(folder, PROGRAM)
}

#[test]
fn nothing_of_others_changes_between_install_and_uninstall() {
    let mut files = 0;
    for host in all() {
        for text in others(host) {
            let folder = tempfile::tempdir().unwrap();
            let Some(file) = shared(host, folder.path()) else { continue };
            put(&file, &text);
            let installation = installation(folder.path());
            let name = host.name;
            let changes = installation.install(host, &|_| true).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(matches!(&changes[..], [FileChange::Added(there, events)] if *there == file && !events.is_empty()));
            let installed = fs::read_to_string(&file).unwrap();
            let commands = installation.installed(host).unwrap();
            assert!(commands.iter().any(|command| command.starts_with("'/opt/my tools/guards' host")), "{installed}");
            // Once more changes nothing.
            installation.install(host, &|_| true).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), installed);
            installation.uninstall(host).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text, "{name}, from\n{installed}");
            files += 1;
        }
    }
    assert!(files > 50, "{files} files");
}

#[test]
fn a_new_file_is_what_the_host_reads_and_goes_again() {
    for host in all() {
        let folder = tempfile::tempdir().unwrap();
        let installation = installation(folder.path());
        let changes = installation.install(host, &|_| true).unwrap();
        for change in &changes {
            let FileChange::Added(file, events) = change else { panic!("{change:?}") };
            let text = fs::read_to_string(file).unwrap();
            if file.extension().is_some_and(|name| name == "json") {
                let value: serde_json::Value =
                    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                let place = host.place;
                let root = place.root.map_or(&value["guards"], |root| &value[root]);
                let count = root.as_object().map_or_else(|| root.as_array().map_or(0, Vec::len), serde_json::Map::len);
                assert_eq!(count, events.len(), "{text}");
            } else {
                assert!(text.starts_with("#!/bin/sh\nexec '/opt/my tools/guards' host cline --event "), "{text}");
            }
        }
        installation.uninstall(host).unwrap();
        for change in changes {
            let FileChange::Added(file, _) = change else { continue };
            assert!(!file.exists(), "{}: {}", host.name, fs::read_to_string(&file).unwrap());
        }
    }
}

#[test]
fn only_the_events_with_hooks_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let claude = find("claude").unwrap();
    let gate = |kind| kind == HookPoint::BeforeToolCall;
    let [FileChange::Added(_, events)] = &installation(folder.path()).install(claude, &gate).unwrap()[..] else {
        panic!()
    };
    assert_eq!(events, &["PreToolUse"]);
}

#[test]
fn a_file_that_is_not_json_is_refused_and_stays() {
    for host in all() {
        for text in ["{\"hooks\": {", "{\"hooks\": [}]}", "hooks = 1", "", "[]", "{\"hooks\": 7, \"guards\": 7}"] {
            let folder = tempfile::tempdir().unwrap();
            let Some(file) = shared(host, folder.path()) else { continue };
            put(&file, text);
            let error = installation(folder.path()).install(host, &|_| true).unwrap_err();
            assert_eq!(error.file, file);
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
        }
    }
}

#[cfg(unix)]
#[test]
fn links_stay_and_read_only_files_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    for host in all() {
        let folder = tempfile::tempdir().unwrap();
        let Some(file) = shared(host, folder.path()) else { continue };
        let real = folder.path().join("dotfiles/real.json");
        put(&real, "{\n  \"a\": 1\n}\n");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        symlink(&real, &file).unwrap();
        let installation = installation(folder.path());
        installation.install(host, &|_| true).unwrap();
        assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
        assert!(fs::read_to_string(&real).unwrap().contains("guards"));
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
        installation.uninstall(host).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"a\": 1\n}\n");

        fs::set_permissions(&real, fs::Permissions::from_mode(0o400)).unwrap();
        let error = installation.install(host, &|_| true).unwrap_err();
        assert!(error.problem.contains("read-only"), "{error}");
    }
}

#[test]
fn a_hook_of_somebody_else_in_the_place_of_clines_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".clinerules/hooks/PreToolUse");
    put(&file, "#!/bin/sh\nexit 0\n");
    let cline = find("cline").unwrap();
    assert!(installation(folder.path()).install(cline, &|_| true).is_err());
    installation(folder.path()).uninstall(cline).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "#!/bin/sh\nexit 0\n");
}

#[test]
fn a_program_that_has_moved_replaces_its_entries() {
    let folder = tempfile::tempdir().unwrap();
    let codex = find("codex").unwrap();
    installation(folder.path()).install(codex, &|_| true).unwrap();
    let moved = Installation::project(folder.path(), "/usr/bin/guards");
    moved.install(codex, &|_| true).unwrap();
    let commands = moved.installed(codex).unwrap();
    assert!(commands.iter().all(|command| command.starts_with("/usr/bin/guards host codex")), "{commands:?}");
    moved.uninstall(codex).unwrap();
    assert!(!folder.path().join(".codex/hooks.json").exists());
}

#[test]
fn the_example_of_a_plugin_has_what_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let wanted = |kind| matches!(kind, HookPoint::BeforeToolCall | HookPoint::UserPromptSubmit);
    Installation::project(folder.path(), "my-guards").install(find("claude").unwrap(), &wanted).unwrap();
    let value = |file: &Path| -> serde_json::Value { serde_json::from_slice(&fs::read(file).unwrap()).unwrap() };
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/claude-code-plugin");
    assert_eq!(value(&plugin.join("hooks/hooks.json")), value(&folder.path().join(".claude/settings.json")));
    assert_eq!(value(&plugin.join(".claude-plugin/plugin.json"))["name"], "my-guards");
}

/// Hooks at none of a host's events leave nothing there, not even what was installed before.
#[test]
fn nothing_is_installed_for_hooks_that_the_host_never_asks() {
    for host in all().iter().filter(|host| shared(host, Path::new("/")).is_some()) {
        let folder = tempfile::tempdir().unwrap();
        let installation = installation(folder.path());
        let changes = installation.install(host, &|_| false).unwrap();
        assert!(matches!(&changes[..], [FileChange::Unchanged(file)] if !file.exists()), "{}: {changes:?}", host.name);
        installation.install(host, &|_| true).unwrap();
        let changes = installation.install(host, &|_| false).unwrap();
        assert!(matches!(&changes[..], [FileChange::Deleted(_)]), "{}: {changes:?}", host.name);
    }
}
