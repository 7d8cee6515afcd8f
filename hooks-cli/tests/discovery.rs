//! Without file arguments, the commands use the files that Claude Code would read in this folder. Also tests the output
//! formats for other programs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Said, hooks, program};

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn rules(event: &str, name: &str) -> String {
    format!(r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "echo {name} >> ran"}}]}}]}}}}"#)
}

/// A home folder with settings and a plugin, and a project with settings and a plugin.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, project) = (root.join("home"), root.join("shop"));
        let user = rules("PreToolUse", "user").replacen(
            '{',
            r#"{"enabledPlugins": {"on@desk": true, "off@desk": false}, "#,
            1,
        );
        put(&home.join(".claude/settings.json"), &user);
        put(&project.join(".claude/settings.json"), &rules("PreToolUse", "project"));
        put(&project.join(".claude/settings.local.json"), &rules("Stop", "local"));
        put(&project.join(".claude/plugins/inner/hooks/hooks.json"), &rules("PreToolUse", "inner"));
        let mut entries = serde_json::Map::new();
        for name in ["on", "off"] {
            let install = home.join(".claude/plugins/cache").join(name);
            put(&install.join("hooks/hooks.json"), &rules("PreToolUse", name));
            entries.insert(format!("{name}@desk"), serde_json::json!([{ "installPath": install }]));
        }
        let list = serde_json::json!({"version": 2, "plugins": entries});
        put(&home.join(".claude/plugins/installed_plugins.json"), &list.to_string());
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    fn run(&self, args: &[&str]) -> Said {
        let mut command = program(&self.root().join("shop"));
        let mut child = command.env("HOME", self.root().join("home")).args(args).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), br#"{"tool_name": "Bash"}"#).ok();
        child.wait_with_output().unwrap().into()
    }

    /// The origins of the rules that ran.
    fn ran(&self) -> Vec<String> {
        let text = fs::read_to_string(self.root().join("shop/ran")).unwrap_or_default();
        let _ = fs::remove_file(self.root().join("shop/ran"));
        let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
        names.sort();
        names
    }
}

#[test]
fn without_file_arguments_all_rules_that_apply_here_are_listed() {
    let place = Place::new();
    let report = place.run(&["--json"]).json();
    let shown: Vec<_> = report["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| {
            (
                rule["event"].as_str().unwrap(),
                rule["text"].as_str().unwrap().split(' ').nth(1).unwrap(),
                rule["origin"].as_str().unwrap(),
                rule["trusted"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("PreToolUse", "user", "user settings", true),
            ("PreToolUse", "project", "project settings", false),
            ("Stop", "local", "local settings", false),
            ("PreToolUse", "on", "plugin", true),
            ("PreToolUse", "inner", "plugin", false),
        ]
    );
    let words = place.run(&[]).out;
    assert!(words.contains("plugin on") && words.contains("not trusted"), "{words}");
    let (list, check) = (place.run(&["list", "--json"]), place.run(&["check", "--json"]));
    assert_eq!((list.json()["rules"].as_array().unwrap().len(), check.json()["files"].as_u64()), (5, Some(5)));
    let explained = place.run(&["explain", "--event", "Stop"]).out;
    assert!(
        explained.contains("no rule would run") && explained.contains("would run if somebody trusted"),
        "{explained}"
    );
    let explained = place.run(&["explain", "--trust", "--event", "Stop"]).out;
    assert!(explained.contains("would run concurrently") && explained.contains("local"), "{explained}");
}

/// A plugin inside the project belongs to the project, even if one of the paths leads through a link.
#[cfg(unix)]
#[test]
fn a_plugin_in_a_linked_project_needs_trust() {
    let place = Place::new();
    let root = place.root();
    let inner = root.join("shop/vendor/inside");
    put(&inner.join("hooks/hooks.json"), &rules("PreToolUse", "inside"));
    std::os::unix::fs::symlink(root.join("shop"), root.join("link")).unwrap();
    let list = serde_json::json!({"plugins": {"on@desk": [{ "installPath": inner }]}});
    put(&root.join("home/.claude/plugins/installed_plugins.json"), &list.to_string());
    for project in ["shop", "link"] {
        let mut command = program(&root.join(project));
        let mut child = command
            .env("HOME", root.join("home"))
            .args(["dispatch", "--event", "PreToolUse", "--project-dir", root.join(project).to_str().unwrap()])
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), br#"{"tool_name": "Bash"}"#).ok();
        let said = Said::from(child.wait_with_output().unwrap());
        assert!(said.code == Some(77) && said.err.contains("echo inside"), "{project}: {}", said.err);
        assert!(place.ran().is_empty());
    }
}

/// A manifest can name rule files and contain rules, and the configuration affects them: everything is read, shown and
/// trusted.
#[test]
fn the_files_that_a_manifest_names_are_read_shown_and_trusted() {
    let place = Place::new();
    let inner = place.root().join("shop/.claude/plugins/inner");
    let named = r#"{"name": "house-rules", "hooks": ["rules/more.json"]}"#;
    put(&inner.join(".claude-plugin/plugin.json"), named);
    put(&inner.join("rules/more.json"), &rules("PreToolUse", "more-$CLAUDE_PLUGIN_OPTION_LEVEL"));
    put(&inner.join("config.json"), r#"{"LEVEL": "strict"}"#);
    let second = place.root().join("shop/.claude/plugins/second");
    let written = rules("PreToolUse", "written").replacen('{', r#"{"name": "second", "#, 1);
    put(&second.join("plugin.json"), &written);
    let off = place.root().join("shop/.claude/plugins/third");
    put(&off.join("hooks/hooks.json"), &rules("PreToolUse", "third"));
    put(&off.join(".disabled"), "");

    let listed = place.run(&["list", "--json"]).json();
    let listed: Vec<_> = listed["rules"].as_array().unwrap().iter().map(|rule| rule["plugin"].as_str()).collect();
    let house = Some("house-rules");
    assert_eq!(listed, [None, None, None, Some("on"), house, house, Some("second"), Some("third")]);
    let shown = place.run(&["trust", "--yes"]);
    for words in ["more-$CLAUDE_PLUGIN_OPTION_LEVEL", "\"LEVEL\": \"strict\"", "rules/more.json", "echo written"] {
        assert!(shown.out.contains(words), "{words}: {}", shown.out);
    }
    // What the project wants to switch off is shown, and is off once it is trusted.
    assert!(shown.out.contains("third/.disabled (switches its plugin off)"), "{}", shown.out);
    assert_eq!(place.run(&["dispatch", "--event", "PreToolUse"]).code, Some(0));
    assert_eq!(place.ran(), ["inner", "more-strict", "on", "project", "user", "written"]);

    // The configuration affects the rules, so trust ends if it changes.
    put(&inner.join("config.json"), r#"{"LEVEL": "none"}"#);
    let said = place.run(&["dispatch", "--event", "PreToolUse"]);
    assert!(said.code == Some(77) && said.err.contains("config.json") && place.ran().is_empty(), "{}", said.err);
    let removed = place.run(&["trust", "--remove", ".claude/plugins/inner"]).out;
    assert_eq!(removed.lines().count(), 4, "{removed}");
}

#[test]
fn check_reports_mistakes_in_a_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let guards = folder.path().join("guards");
    put(&guards.join("hooks/hooks.json"), &rules("Stop", "x"));
    let table = [
        (r#"{"hooks": ["rules/more.json"]}"#, "rules/more.json"),
        (r#"{"hooks": "../more.json"}"#, "leads out of the plugin's folder"),
        (r#"{"needs": {"programs": ["no-such-program-here"]}}"#, "it needs the program `no-such-program-here`"),
        ("{", "this is not a valid manifest"),
    ];
    for (manifest, words) in table {
        put(&guards.join("plugin.json"), manifest);
        let said = hooks(folder.path(), &["check", "guards"]);
        assert!(said.code == Some(1) && said.out.contains(words), "{manifest}: {} {}", said.out, said.err);
    }
    // `dispatch` denies if the plugin of a blocking guard cannot run.
    put(&guards.join("plugin.json"), table[2].0);
    put(
        &guards.join("hooks/hooks.json"),
        &rules("PreToolUse", "x")
            .replace("echo", "false && echo")
            .replace(r#""type""#, r#""onFailure": "block", "type""#),
    );
    let args = ["dispatch", "--json", "--event", "PreToolUse", "--trust", "guards"];
    let said = crate::support::hooks_with(folder.path(), &args, br#"{"tool_name": "Bash"}"#);
    assert_eq!((said.code, said.json()["verdict"]["permission"].as_str()), (Some(2), Some("deny")), "{}", said.out);
}

/// Files of the project need trust. Files of the user do not.
#[test]
fn dispatch_runs_the_discovered_rules_after_the_project_is_trusted() {
    let place = Place::new();
    let said = place.run(&["dispatch", "--event", "PreToolUse"]);
    assert_eq!((said.code, place.ran()), (Some(77), Vec::new()), "{}", said.err);
    assert!(said.err.contains("echo project") && !said.err.contains("echo user"), "{}", said.err);
    let shown = place.run(&["trust", "--yes"]);
    assert!(
        shown.code == Some(0) && shown.out.contains("echo inner") && !shown.out.contains("echo user"),
        "{}",
        shown.out
    );
    assert_eq!(place.run(&["dispatch", "--event", "PreToolUse"]).code, Some(0));
    assert_eq!(place.ran(), ["inner", "on", "project", "user"]);
    assert!(place.run(&["trust", "--yes"]).code == Some(0), "a trusted file can be trusted again");
}

#[test]
fn a_folder_without_rules_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    // Only an agent program knows when these are in use.
    let front = "---\nname: x\ndescription: d\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: echo x\n---\n";
    for file in ["skills/x/SKILL.md", "agents/x.md"] {
        put(&folder.path().join(".claude").join(file), front);
    }
    assert!(hooks(folder.path(), &[] as &[&str]).out.contains("no rules apply here"));
    for args in
        [&["check"][..], &["list"], &["explain", "--event", "Stop"], &["dispatch", "--event", "Stop"], &["trust"]]
    {
        let said = hooks(folder.path(), args);
        assert!(said.code == Some(64) && said.err.contains("name the files"), "{args:?}: {}", said.err);
    }
}

#[test]
fn check_prints_the_formats_of_github_and_sarif() {
    let folder = tempfile::tempdir().unwrap();
    put(&folder.path().join("hooks.json"), "{\n\"hooks\": {\"Stpo\": [], \"Stop\": 7}}");
    let github = hooks(folder.path(), &["check", "--format", "github", "hooks.json"]);
    let lines: Vec<&str> = github.out.lines().collect();
    assert_eq!(
        lines[0],
        "::warning file=hooks.json,line=2,col=11,title=hooks check::there is no event `Stpo`%0Awrite `Stop`"
    );
    assert!(lines[1].starts_with("::error file=hooks.json,line=2,"), "{lines:?}");
    assert_eq!(github.code, Some(1));
    let sarif = hooks(folder.path(), &["check", "--format", "sarif", "hooks.json"]).json();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&sarif["version"], &result["level"]), (&"2.1.0".into(), &"warning".into()));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"hooks.json".into(), &2.into()));
    put(&folder.path().join("good.json"), r#"{"hooks": {}}"#);
    assert_eq!(hooks(folder.path(), &["check", "--format", "github", "good.json"]).out, "");
}

#[test]
fn command_line_errors_are_json_if_json_is_requested() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["--json", "chekc"][..], &["check", "--json"], &["explain", "--json", "--event", "Stpo", "x"]] {
        let said = hooks(folder.path(), args);
        let report = said.json();
        assert_eq!((said.code, report["exit_status"].as_u64()), (Some(64), Some(64)), "{args:?}");
        assert!(!report["error"].as_str().unwrap().is_empty() && !said.out.contains('\u{1b}'), "{args:?}: {report}");
    }
}

#[test]
fn event_names_are_completed_and_misspelt_ones_get_a_suggestion() {
    let folder = tempfile::tempdir().unwrap();
    let script = hooks(folder.path(), &["completions", "bash"]).out;
    assert!(script.contains("PreToolUse") && script.contains("ConfigChange"));
    let said = hooks(folder.path(), &["dispatch", "--event", "preToolUse", "x"]);
    assert!(said.err.contains("did you mean `PreToolUse`?"), "{}", said.err);
}

/// Only the text for people truncates them.
#[test]
fn commands_are_complete_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("echo {}", "x".repeat(200));
    let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{long}"}}]}}]}}}}"#);
    put(&folder.path().join("hooks.json"), &text);
    assert_eq!(hooks(folder.path(), &["list", "--json", "hooks.json"]).json()["rules"][0]["text"], long.as_str());
    let report = hooks(folder.path(), &["dispatch", "--event", "Stop", "--trust", "--json", "hooks.json"]).json();
    assert_eq!(report["runs"][0]["command"], long.as_str());
}
