//! Entries in files that belong to other people.

use std::fs;
use std::path::Path;
use std::time::Duration;

use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::verdict::Permission;
use hook_sdk::{Hook, Registry};
use hooks_hosts::{FileChange, HookPoint, Installation, Responder, all, diagnose, find};

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
        let head = if host.place.strict { format!("{},\n  ", host.place.head) } else { String::new() };
        let theirs = format!("{{\n  {head}\"a\": 1\n}}\n");
        put(&real, &theirs);
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        symlink(&real, &file).unwrap();
        let installation = installation(folder.path());
        installation.install(host, &|_| true).unwrap();
        assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
        assert!(fs::read_to_string(&real).unwrap().contains("guards"));
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
        installation.uninstall(host).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), theirs);

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

/// An entry in a file that the host does not read, or whose event another file hides, is none.
#[test]
fn a_file_that_the_host_does_not_read_is_refused_and_told() {
    let stop = |command: &str| format!(r#"{{"version": 1, "hooks": {{"stop": [{{"command": "{command}"}}]}}}}"#);
    let droid = |event: &str| format!(r#"{{"{event}": [{{"matcher": "Execute", "hooks": []}}]}}"#);
    let cases = [
        ("cursor", ".cursor/hooks.json", r#"{"hooks": {"stop": []}}"#.to_owned(), Some("`version` is missing")),
        ("cursor", ".cursor/hooks.json", "{}".to_owned(), Some("add `\"version\": 1`")),
        (
            "cursor",
            ".cursor/hooks.json",
            r#"{"version": 1, "hooks": {"nope": []}}"#.to_owned(),
            Some("no event `nope`"),
        ),
        ("cursor", ".cursor/hooks.json", stop("curl http://x"), Some("`//` in a text")),
        ("cursor", ".cursor/hooks.json", stop("curl x").replacen('{', "{ // theirs\n", 1), None),
        ("claude", ".claude/settings.json", r#"{"hooks": {"New": [{"x": "http://x"}]}}"#.to_owned(), None),
        ("droid", ".factory/hooks.json", droid("PreToolUse"), Some("hides the same event")),
        ("droid", ".factory/hooks.json", droid("Notification"), None),
        ("droid", ".factory/hooks.json", "{".to_owned(), Some("hooks.json: line 1")),
    ];
    let hooks = || {
        let registry = Registry::empty();
        let guard = Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::deny("never"));
        registry.register(guard).unwrap();
        Responder::new(registry).unwrap()
    };
    for (host, name, text, why) in cases {
        let folder = tempfile::tempdir().unwrap();
        let (host, file) = (find(host).unwrap(), folder.path().join(name));
        let (installation, gate) = (installation(folder.path()), |kind| kind == HookPoint::BeforeToolCall);
        let doctor = || diagnose(host, &installation, Some(&hooks()), Duration::from_secs(1)).problems.join("\n");
        put(&file, &text);
        let installed = installation.install(host, &gate);
        match why {
            None => {
                installed.unwrap();
                continue;
            }
            Some(why) => assert!(installed.unwrap_err().problem.contains(why), "{text}"),
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert!(installation.installed(host).unwrap_or_default().is_empty(), "{text}");
        // What somebody has made of it since then, doctor finds.
        fs::remove_file(&file).unwrap();
        installation.install(host, &gate).unwrap();
        let ours = fs::read_to_string(shared(host, folder.path()).unwrap()).unwrap();
        match name {
            ".cursor/hooks.json" if text.contains("version") => {
                put(&file, &text.replace('[', &format!("[{}, ", entry(&ours))).replace(", ]", "]"));
            }
            ".cursor/hooks.json" => put(&file, &ours.replace("\"version\": 1,", "")),
            _ => put(&file, &text),
        }
        assert!(doctor().contains(why.unwrap()), "{text}: {}", doctor());
        assert!(installation.install(host, &gate).is_err(), "{text}");
    }
}

/// The first entry of a file.
fn entry(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    value["hooks"]["preToolUse"][0].to_string()
}
