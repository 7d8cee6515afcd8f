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
        ("codex", ".codex/hooks.json", "{ // theirs\n}".to_owned(), Some("takes no comment")),
        ("codex", ".codex/hooks.json", "{\"hooks\": {},}".to_owned(), Some("no comma at an end")),
        ("codex", ".codex/hooks.json", "\u{feff}{}".to_owned(), Some("no byte order mark")),
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
            ".codex/hooks.json" if text.starts_with('\u{feff}') => put(&file, &format!("\u{feff}{ours}")),
            ".codex/hooks.json" => put(&file, &ours.replacen('{', "{ /* theirs */", 1)),
            ".cursor/hooks.json" => put(&file, &ours.replace(",\n  \"version\": 1", "")),
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

/// A host, what somebody makes of what is installed there, and what `doctor` says of it: what has to be done, or a note.
const CHANGED: &str = r#"
claude ;; "PreToolUse": ;; "Stop": ;; to do ;; `hooks.Stop[].hooks[]` instead of `hooks.PreToolUse[].hooks[]`
claude ;; "PreToolUse": ;; "PreToolUsed": ;; to do ;; `hooks.PreToolUsed[].hooks[]`
claude ;; "hooks": { ;; "hooks_off": { ;; to do ;; `hooks_off.PreToolUse[].hooks[]`
codex ;; "hooks": { ;; "off": { ;; to do ;; `off.PreToolUse[].hooks[]`
antigravity ;; "PreToolUse": ;; "PreTool": ;; to do ;; `guards.PreTool[].hooks[]`
windsurf ;; "pre_run_command": ;; "post_run": ;; to do ;; `hooks.post_run[]`
claude ;; --event PreToolUse ;; --event Notification ;; to do ;; calls no `Notification`
claude ;; "matcher": "*" ;; "matcher": "Read" ;; to do ;; `matcher: "Read"` instead of `matcher: "*"`
claude ;; "timeout": 20 ;; "timeout": 20, "async": true ;; to do ;; `async: true`, which
claude ;; "timeout": 20 ;; "timeout": 20, "if": "Bash(x *)" ;; to do ;; `if: "Bash(x *)"`, which
claude ;; "timeout": 20 ;; "timeout": 0.001 ;; to do ;; `timeout: 0.001` instead
claude ;; "type": "command" ;; "type": "prompt" ;; to do ;; `type: "prompt"` instead
claude ;; , "onFailure": "block" ;;  ;; to do ;; no `onFailure: "block"`
codex ;; "timeout": 20 ;; "timeout": 20.5 ;; to do ;; `timeout: 20.5`
gemini ;; "timeout": 20000 ;; "timeout": 20 ;; to do ;; `timeout: 20`
goose ;; "matcher": "" ;; "matcher": "*" ;; to do ;; `matcher: "*"`
goose ;; "on_failure": "block" ;; "on_failure": "deny" ;; to do ;; `on_failure: "deny"`
copilot ;; {"type" ;; {"matcher": "*", "type" ;; to do ;; `matcher: "*"`, which
kiro ;; "trigger": "PreToolUse" ;; "trigger": "Manual" ;; to do ;; `trigger: "Manual"`
kiro ;; "enabled": true ;; "enabled": false ;; to do ;; `enabled: false`
claude ;; "timeout": 20 ;; "timeout": 60 ;; note ;; `timeout: 60` instead
claude ;; "matcher": "*" ;; "description": "why", "matcher": "*" ;; note ;; `description: "why"`
claude ;; [{"type" ;; [{"type": "command", "command": "./theirs.sh"}, {"type" ;; ;;
"#;

/// What `install` would write is what the host calls. Anything else is told, and put right by `install`.
#[test]
fn an_entry_that_is_not_as_it_was_installed_is_told_and_put_right() {
    for row in CHANGED.trim().lines() {
        let [host, old, new, kind, said] = row.split(" ;;").map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let (host, folder) = (find(host).unwrap(), tempfile::tempdir().unwrap());
        let (installation, gate) = (installation(folder.path()), |kind| kind == HookPoint::BeforeToolCall);
        let told = |kind: &str| {
            let found = diagnose(host, &installation, None, Duration::from_secs(1));
            let texts = if kind == "to do" { found.problems } else { found.notes };
            texts.into_iter().filter(|text| !text.contains("no such program")).collect::<Vec<_>>().join("\n")
        };
        installation.install(host, &gate).unwrap();
        let file = folder.path().join(host.place.project.replace("$NAME", "guards"));
        let installed = fs::read_to_string(&file).unwrap();
        let changed = installed.replacen(old, new, 1);
        assert_ne!(changed, installed, "{row}");
        fs::write(&file, &changed).unwrap();
        assert!(said.is_empty() || told(kind).contains(said), "{row}: {}", told(kind));
        let again = installation.install(host, &gate).unwrap();
        assert_eq!(matches!(again[..], [FileChange::Unchanged(_)]), kind != "to do", "{row}: {again:?}");
        assert_eq!(told("to do"), "", "{row}");
        if kind == "to do" && !old.contains("type") {
            let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_eq!(value(&fs::read_to_string(&file).unwrap()), value(&installed), "{row}");
        }
    }
}

/// The host skips a whole file for less, and so it is told before anything is installed.
#[test]
fn a_file_of_this_program_without_its_version_is_told() {
    for (host, file) in [("kiro", ".kiro/hooks/guards.json"), ("copilot", ".github/hooks/guards.json")] {
        let (host, folder) = (find(host).unwrap(), tempfile::tempdir().unwrap());
        let (installation, file) = (installation(folder.path()), folder.path().join(file));
        installation.install(host, &|_| true).unwrap();
        let text = fs::read_to_string(&file).unwrap().replace(&format!(",\n  {}", host.place.head), "");
        fs::write(&file, text).unwrap();
        let found = diagnose(host, &installation, None, Duration::from_secs(1));
        assert!(found.problems.join("\n").contains("`version` is missing"), "{found:?}");
    }
}

#[test]
fn a_switch_in_another_file_is_told() {
    for (host, file, text, is_off) in [
        ("codex", ".codex/config.toml", "[features]\nhooks = false # for now\n", true),
        ("codex", ".codex/config.toml", "features.hooks=false\n", true),
        ("codex", ".codex/config.toml", "features = { web = true, \"hooks\" = false }\n", true),
        ("codex", ".codex/config.toml", "[features]\nhooks = true\n", false),
        ("codex", ".codex/config.toml", "[other]\nhooks = false\n", false),
        ("vscode", ".vscode/settings.json", "{\n  // for now\n  \"chat.useHooks\": false,\n}\n", true),
        ("vscode", ".vscode/settings.json", r#"{ "chat.useHooks": true }"#, false),
        ("copilot", ".github/copilot/settings.local.json", r#"{ "disableAllHooks": true }"#, true),
        ("copilot", ".copilot/settings.json", r#"{ "disableAllHooks": true }"#, true),
        ("copilot", ".copilot/settings.json", r#"{ "disableAllHooks": false }"#, false),
    ] {
        let (host, folder) = (find(host).unwrap(), tempfile::tempdir().unwrap());
        let installation = installation(folder.path());
        installation.install(host, &|_| true).unwrap();
        put(&folder.path().join(file), text);
        let found = diagnose(host, &installation, None, Duration::from_secs(1)).problems.join("\n");
        let name = file.rsplit('/').next().unwrap();
        assert_eq!(found.contains(&format!("{name} switches all hooks off")), is_off, "{text}: {found}");
    }
}

#[test]
fn installations_at_the_same_time_lose_nothing() {
    let claude = find("claude").unwrap();
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".claude/settings.json");
        put(&file, "{\n  \"model\": \"x\"\n}\n");
        let programs: Vec<Installation> =
            (0..6).map(|at| Installation::project(folder.path(), format!("/opt/guards-{at}"))).collect();
        std::thread::scope(|scope| {
            for program in &programs {
                scope.spawn(|| program.install(claude, &|_| true).unwrap());
            }
        });
        let counts: Vec<usize> = programs.iter().map(|program| program.installed(claude).unwrap().len()).collect();
        assert_eq!(counts, [9; 6], "{}", fs::read_to_string(&file).unwrap());
        for program in &programs {
            program.uninstall(claude).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"model\": \"x\"\n}\n");
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_script_that_nobody_can_run_is_told_and_put_right() {
    use std::os::unix::fs::PermissionsExt;
    let (cline, folder) = (find("cline").unwrap(), tempfile::tempdir().unwrap());
    let (installation, gate) = (installation(folder.path()), |kind| kind == HookPoint::BeforeToolCall);
    installation.install(cline, &gate).unwrap();
    let file = folder.path().join(".clinerules/hooks/PreToolUse");
    let told = || diagnose(cline, &installation, None, Duration::from_secs(1)).problems.join("\n");
    assert!(!told().contains("executable"), "{}", told());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(told().contains("PreToolUse is not executable"), "{}", told());
    assert!(matches!(installation.install(cline, &gate).unwrap()[..], [FileChange::Added(..)]));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(matches!(installation.install(cline, &gate).unwrap()[..], [FileChange::Unchanged(_)]));
}

/// Empty lists and objects on lines of their own, and files that hold nothing else.
#[test]
fn what_others_have_left_empty_stays() {
    for (host, text) in [
        ("claude", "{\n\n}\n"),
        ("claude", "{\n  \"hooks\": {\n\n  }\n}\n"),
        ("claude", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n\n    ]\n  }\n}\n"),
        ("cursor", "{\n  \"version\": 1\n}\n"),
        ("windsurf", "{\"hooks\": {\"pre_run_command\": [\n\n]}}"),
    ] {
        let (host, folder) = (find(host).unwrap(), tempfile::tempdir().unwrap());
        let file = shared(host, folder.path()).unwrap();
        put(&file, text);
        let installation = installation(folder.path());
        assert!(matches!(installation.uninstall(host).unwrap()[..], [FileChange::Unchanged(_)]), "{text}");
        // A second installation at other events takes away what the first one has left.
        for wanted in [HookPoint::BeforeToolCall, HookPoint::UserPromptSubmit, HookPoint::BeforeToolCall] {
            installation.install(host, &|kind| kind == wanted).unwrap();
        }
        assert!(matches!(installation.uninstall(host).unwrap()[..], [FileChange::Removed(_)]), "{text}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[cfg(unix)]
#[test]
fn a_file_is_deleted_only_as_it_was_made() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (claude, folder) = (find("claude").unwrap(), tempfile::tempdir().unwrap());
    let installation = installation(folder.path());
    let (file, real) = (folder.path().join(".claude/settings.json"), folder.path().join("real.json"));
    installation.install(claude, &|_| true).unwrap();
    let made = fs::read_to_string(&file).unwrap();
    // Other events leave no line of blanks.
    installation.install(claude, &|kind| kind == HookPoint::Stop).unwrap();
    installation.install(claude, &|_| true).unwrap();
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let again = fs::read_to_string(&file).unwrap();
    assert!(value(&again) == value(&made) && again.lines().all(|line| !line.trim().is_empty()), "{again}");
    fs::write(&file, &made).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(installation.uninstall(claude).unwrap_err().problem.contains("read-only"));
    assert_eq!(fs::read_to_string(&file).unwrap(), made);

    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::rename(&file, &real).unwrap();
    symlink(&real, &file).unwrap();
    assert!(matches!(installation.uninstall(claude).unwrap()[..], [FileChange::Removed(_)]));
    assert!(file.is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");

    fs::remove_file(&file).unwrap();
    let gate = |kind| kind == HookPoint::BeforeToolCall;
    installation.install(claude, &gate).unwrap();
    let noted = fs::read_to_string(&file).unwrap().replace("\"matcher\"", "\"description\": \"mine\", \"matcher\"");
    fs::write(&file, noted).unwrap();
    installation.uninstall(claude).unwrap();
    let left = fs::read_to_string(&file).unwrap();
    assert!(left.contains("\"mine\"") && !left.contains("guards"), "{left}");
}

/// Nor is one beside entries of others for which the host rejects the file.
#[test]
fn a_file_with_entries_that_the_host_rejects_is_refused() {
    const GOOSE: &str = ".agents/plugins/guards/hooks/hooks.json";
    let group = |fields: &str| format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{{"command": "x", {fields}}}]}}]}}}}"#);
    let cases = [
        ("goose", GOOSE, group(r#""on_failure": "deny""#), Some("it cannot be `on_failure: \"deny\"`")),
        ("goose", GOOSE, group(r#""timeout": "20""#), Some("it cannot be `timeout: \"20\"`")),
        ("goose", GOOSE, group(r#""on_failure": "allow", "timeout": null, "x": {}"#), None),
        ("goose", GOOSE, r#"{"hooks": {"New": 7}}"#.to_owned(), None),
        (
            "droid",
            ".factory/settings.json",
            r#"{"hooks": {"Stop": [{"matcher": 5, "hooks": []}]}}"#.to_owned(),
            Some("`matcher: 5`"),
        ),
        (
            "droid",
            ".factory/settings.json",
            r#"{"hooks": {"Stop": [{"hooks": "x"}]}}"#.to_owned(),
            Some("`hooks: \"x\"`"),
        ),
        ("codex", ".codex/hooks.json", r#"{"Stop": []}"#.to_owned(), Some("`Stop` does not stand in `hooks`")),
        (
            "codex",
            ".codex/hooks.json",
            r#"{"hooks": {"Notification": {}}}"#.to_owned(),
            Some("`Notification` is no list"),
        ),
    ];
    for (host, name, text, why) in cases {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join(name), &text);
        let installed = installation(folder.path()).install(find(host).unwrap(), &|_| true);
        match why {
            None => drop(installed.unwrap()),
            Some(why) => assert!(installed.unwrap_err().problem.contains(why), "{text}"),
        }
    }
}

/// What JavaScript takes for a regular expression, and what not.
#[test]
fn a_matcher_that_is_no_expression_is_refused() {
    let cursor = find("cursor").unwrap();
    let refused = |matcher: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = serde_json::json!({ "version": 1, "hooks": { "stop": [{ "command": "x", "matcher": matcher }] } });
        put(&folder.path().join(".cursor/hooks.json"), &file.to_string());
        installation(folder.path()).install(cursor, &|_| true).is_err()
    };
    for good in [
        "", ".*", "a|b", "(?:a)+", "(?=a)*", "(?<!a)b", "a{", "{x", "]", "}", "[]", "[^]", "[a-z-]", "[\\w-a]",
        "\\b(x)", "a{1,2}?",
    ] {
        assert!(!refused(good), "{good}");
    }
    for bad in
        ["*", "(", ")", "(a", "[a", "[z-a]", "a**", "+", "(?x)", "(?<>a)", "(?<=a)+", "^*", "|?", "{2}", "a{2,1}", "\\"]
    {
        assert!(refused(bad), "{bad}");
    }
}

#[test]
fn a_script_that_somebody_has_changed_is_told_and_stays() {
    let (cline, folder) = (find("cline").unwrap(), tempfile::tempdir().unwrap());
    let installation = installation(folder.path());
    installation.install(cline, &|kind| kind == HookPoint::BeforeToolCall).unwrap();
    let file = folder.path().join(".clinerules/hooks/PreToolUse");
    let text = fs::read_to_string(&file).unwrap().replace("exec", "date >> log\nexec");
    fs::write(&file, &text).unwrap();
    let found = diagnose(cline, &installation, None, Duration::from_secs(1)).problems.join("\n");
    assert!(found.contains("PreToolUse has been changed"), "{found}");
    assert!(installation.uninstall(cline).unwrap_err().problem.contains("has been changed"));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
