//! Trust, switches and sources mean the same, whoever says it: overview, `list`, `explain`, `doctor`, `dispatch` and the
//! library. `check` reads files alone, so it says only which of them switch rules off.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex};

use hooks_rules::{Event, Occurrence, PluginFolder, Rules, Trust};
use serde_json::Value;

use crate::support::{Said, program};

/// Whose the rule of a row is, apart from that of the user.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Whose {
    Nobody,
    Project,
    Local,
    /// A plugin within the project.
    Plugin,
    /// The file is named on the command line.
    Named,
    /// The administrator of the machine.
    Managed,
    /// A plugin that the administrator enables.
    ManagedPlugin,
    /// A plugin that the user installed, and only the project enables.
    Enabled,
}
use Whose::{Enabled, Local, Managed, ManagedPlugin, Named, Nobody, Plugin, Project};

/// What switches what off.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Switch {
    None,
    OfUser,
    /// `disableAllHooks` in the file itself.
    Own,
    /// The file `.disabled`.
    File,
    /// One that nobody trusts.
    UntrustedFile,
    /// `allowManagedHooksOnly` in managed settings.
    OnlyManaged,
}

/// One row: whose, is it trusted, the switch; then whether the rule of the user and the other one run.
type Row = (Whose, bool, Switch, bool, bool);

const TABLE: &[Row] = &[
    (Nobody, false, Switch::None, true, false),
    (Nobody, false, Switch::OfUser, false, false),
    (Project, false, Switch::None, true, false),
    (Project, true, Switch::None, true, true),
    (Project, false, Switch::Own, true, false),
    (Project, true, Switch::Own, true, false),
    (Project, true, Switch::OfUser, false, false),
    (Project, false, Switch::OfUser, false, false),
    (Local, false, Switch::None, true, false),
    (Local, true, Switch::None, true, true),
    (Local, false, Switch::Own, true, false),
    (Local, true, Switch::Own, true, false),
    (Plugin, false, Switch::None, true, false),
    (Plugin, true, Switch::None, true, true),
    (Plugin, true, Switch::Own, true, false),
    (Plugin, true, Switch::OfUser, false, false),
    (Plugin, false, Switch::File, true, false),
    (Plugin, true, Switch::File, true, false),
    (Plugin, false, Switch::UntrustedFile, true, false),
    (Plugin, true, Switch::UntrustedFile, true, true),
    (Named, false, Switch::None, false, false),
    (Named, true, Switch::None, false, true),
    (Named, true, Switch::Own, false, false),
    (Named, true, Switch::OfUser, false, true),
    (Named, true, Switch::OnlyManaged, false, true),
    (Managed, false, Switch::None, true, true),
    (Managed, false, Switch::OfUser, false, true),
    (Managed, false, Switch::Own, false, false),
    (Managed, false, Switch::OnlyManaged, false, true),
    (Nobody, false, Switch::OnlyManaged, false, false),
    (Project, true, Switch::OnlyManaged, false, false),
    (Plugin, true, Switch::OnlyManaged, false, false),
    (ManagedPlugin, false, Switch::None, true, true),
    (ManagedPlugin, false, Switch::OnlyManaged, false, true),
    (ManagedPlugin, false, Switch::OfUser, false, true),
    (Enabled, false, Switch::None, true, false),
    (Enabled, true, Switch::None, true, true),
];

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn rules(name: &str, off: bool) -> String {
    format!(
        r#"{{"disableAllHooks": {off}, "hooks": {{"PreToolUse": [{{"hooks": [
            {{"type": "command", "command": "echo {name} >> ran"}}]}}]}}}}"#
    )
}

fn run(root: &Path, args: &[&str], named: Option<&str>) -> Said {
    let mut command = program(&root.join("shop"));
    let mut child = command
        .env("HOME", root.join("home"))
        .env("HOOKS_MANAGED_SETTINGS", root.join("managed"))
        .args(args)
        .args(named)
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"tool_name": "Bash"}"#).ok();
    child.wait_with_output().unwrap().into()
}

/// The names of the rules in a report for which `runs` holds.
fn names(report: &Value, runs: impl Fn(&Value) -> bool) -> Vec<String> {
    let rules = report["rules"].as_array().unwrap();
    let found = rules.iter().filter(|rule| runs(rule));
    let mut names: Vec<_> =
        found.map(|rule| rule["text"].as_str().unwrap().split(' ').nth(1).unwrap().to_owned()).collect();
    names.sort_unstable_by_key(|name| name == "other");
    names
}

#[test]
fn every_command_and_the_library_say_what_runs() {
    for row @ (whose, trusted, switch, user_runs, other_runs) in TABLE {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, shop) = (root.join("home"), root.join("shop"));
        fs::create_dir_all(&shop).unwrap();
        let user = home.join(".claude/settings.json");
        put(&user, &rules("user", *switch == Switch::OfUser));
        let other = match whose {
            Nobody => None,
            Project => Some(shop.join(".claude/settings.json")),
            Local => Some(shop.join(".claude/settings.local.json")),
            Plugin => Some(shop.join(".claude/plugins/inner/hooks/hooks.json")),
            Named => Some(shop.join("named.json")),
            Managed => Some(root.join("managed/managed-settings.d/10-guards.json")),
            ManagedPlugin | Enabled => Some(root.join("installed/hooks/hooks.json")),
        };
        if let Some(other) = &other {
            put(other, &rules("other", *switch == Switch::Own));
        }
        let list = serde_json::json!({"plugins": {"other@desk": [{"installPath": root.join("installed")}]}});
        put(&home.join(".claude/plugins/installed_plugins.json"), &list.to_string());
        let managed = root.join("managed/managed-settings.json");
        let enables = r#""enabledPlugins": {"other@desk": true}"#;
        match (switch, whose) {
            (Switch::OnlyManaged, _) => put(&managed, &format!(r#"{{"allowManagedHooksOnly": true, {enables}}}"#)),
            (_, ManagedPlugin) => put(&managed, &format!("{{{enables}}}")),
            _ => {}
        }
        let of_project = shop.join(".claude/settings.json");
        if *whose == Enabled {
            put(&of_project, &format!("{{{enables}}}"));
        }
        let off = shop.join(".claude/plugins/inner/.disabled");
        if matches!(switch, Switch::File | Switch::UntrustedFile) {
            put(&off, "");
        }
        let trust = home.join(".config/hooks/trust.json");
        if *trusted {
            let mut store = Trust::open(&trust).unwrap();
            store.trust(if *whose == Enabled { &of_project } else { other.as_ref().unwrap() }).unwrap();
            if *switch == Switch::File {
                store.trust(&off).unwrap();
            }
        }
        let named = (*whose == Named).then_some("named.json");
        let runs = [(user_runs, "user"), (other_runs, "other")];
        let expected: Vec<&str> = runs.into_iter().filter(|(runs, _)| **runs).map(|(_, name)| name).collect();

        let is_on = |rule: &Value| {
            assert_eq!(rule["enabled"], rule["because"].is_null(), "{row:?}: {rule}");
            rule["enabled"] == true
        };
        if named.is_none() {
            assert_eq!(names(&run(&root, &["--json"], None).json(), is_on), expected, "overview {row:?}");
            let words = run(&root, &[], None).out;
            assert_eq!(words.matches("  runs\n").count(), expected.len(), "overview {row:?}: {words}");
        }
        assert_eq!(names(&run(&root, &["list", "--json"], named).json(), is_on), expected, "list {row:?}");
        let doctor = run(&root, &["doctor", "--json"], named);
        assert_eq!(names(&doctor.json(), is_on), expected, "doctor {row:?}");
        let explained = run(&root, &["explain", "--json", "--event", "PreToolUse", "--tool", "Bash"], named).json();
        assert_eq!(names(&explained, |rule| rule["runs"] == true), expected, "explain {row:?}");

        // An untrusted file stops `dispatch` altogether; whatever runs is what the others say.
        let dispatched = run(&root, &["dispatch", "--event", "PreToolUse"], named);
        let ran = fs::read_to_string(shop.join("ran")).unwrap_or_default();
        let mut ran: Vec<&str> = ran.lines().collect();
        ran.sort_unstable_by_key(|name| *name == "other");
        if !matches!(whose, Nobody | Managed | ManagedPlugin) && !trusted {
            assert_eq!((dispatched.code, ran.len()), (Some(77), 0), "dispatch {row:?}: {}", dispatched.err);
        } else {
            assert_eq!(ran, expected, "dispatch {row:?}: {}{}", dispatched.out, dispatched.err);
        }

        let builder = Rules::builder().trust(&trust).project_dir(&shop);
        let builder = match (whose, switch) {
            (Named, _) => builder,
            (ManagedPlugin, _) | (_, Switch::OnlyManaged) => builder.managed_settings(&managed).settings(&user),
            _ => builder.settings(&user),
        };
        let plugin = PluginFolder::new("other", root.join("installed")).data(root.join("data"));
        let library = match (whose, &other) {
            (Managed, Some(other)) => builder.managed_settings(other),
            (ManagedPlugin, _) => builder.plugin(plugin.managed()),
            (Enabled, _) if *trusted => builder.plugin(plugin),
            (Enabled, _) => builder,
            (Plugin, _) => builder.plugins(shop.join(".claude/plugins")).plugin_data(root.join("data")),
            (_, Some(other)) => builder.project_settings(other),
            _ => builder,
        };
        let library = library.build();
        let mut call = Occurrence::new(Event::PreToolUse);
        call.set("tool_name", "Bash");
        let selected = library.select(&call);
        let mut selected: Vec<&str> = selected.iter().map(|rule| rule.text.split(' ').nth(1).unwrap()).collect();
        selected.sort_unstable_by_key(|name| *name == "other");
        assert_eq!(selected, expected, "library {row:?}");

        // `check` says which files switch rules off, trusted or not.
        let checked = run(&root, &["check", "--json"], named).json().to_string();
        let switches = *switch == Switch::Own || (*switch == Switch::OfUser && named.is_none());
        assert_eq!(checked.contains("`disableAllHooks` switches"), switches, "check {row:?}: {checked}");
    }
}

/// What they forbid is unknown then, so nothing runs, and the guards deny.
#[test]
fn managed_settings_that_cannot_be_read_are_told_and_close() {
    for is_a_folder in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join("home/.claude/settings.json"), &rules("user", false));
        fs::create_dir_all(folder.path().join("shop")).unwrap();
        let managed = folder.path().join("managed/managed-settings.json");
        if is_a_folder {
            fs::create_dir_all(&managed).unwrap();
        } else {
            put(&managed, "{");
        }
        let explain = ["explain", "--event", "PreToolUse", "--tool", "Bash"];
        for command in [&[][..], &["list"], &["doctor"], &explain] {
            let said = run(folder.path(), command, None).out;
            assert!(said.contains("denies: the managed settings"), "{command:?}: {said}");
        }
        let said = run(folder.path(), &["dispatch", "--event", "PreToolUse"], None);
        assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
        assert!(said.out.contains("managed-settings.json cannot be read") && !folder.path().join("shop/ran").exists());
        for command in ["list", "doctor", "check"] {
            let said = run(folder.path(), &[command], None);
            assert_eq!(said.code, Some(1), "{command}: {}{}", said.out, said.err);
            assert!(format!("{}{}", said.out, said.err).contains("managed-settings.json"), "{command}");
        }
    }
}

#[test]
fn the_variable_of_managed_settings_may_name_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("shop")).unwrap();
    put(&folder.path().join("home/.claude/settings.json"), &rules("user", false));
    put(&folder.path().join("managed"), r#"{"allowManagedHooksOnly": true}"#);
    let report = run(folder.path(), &["list", "--json"], None).json();
    assert_eq!(names(&report, |rule| rule["enabled"] == true), [""; 0], "{report}");
}

/// A guard of a trusted plugin does not vanish because somebody changes the manifest that names it.
#[test]
fn a_manifest_that_drops_trusted_rules_is_told_and_stops_dispatch() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("shop/.claude/plugins/inner");
    fs::create_dir_all(folder.path().join("home")).unwrap();
    put(&inner.join("plugin.json"), r#"{"name": "inner", "hooks": "rules/guard.json"}"#);
    put(&inner.join("rules/guard.json"), &rules("guard", false));
    assert_eq!(run(folder.path(), &["trust", "--yes"], None).code, Some(0));
    let dispatch = ["dispatch", "--event", "PreToolUse"];
    assert_eq!(run(folder.path(), &dispatch, None).code, Some(0));
    assert!(folder.path().join("shop/ran").exists());
    for manifest in [r#"{"name": "inner"}"#, r#"{"name": "inner", "hooks": "rules/other.json"}"#] {
        put(&inner.join("plugin.json"), manifest);
        put(&inner.join("rules/other.json"), r#"{"hooks": {}}"#);
        assert_eq!(run(folder.path(), &dispatch, None).code, Some(77), "{manifest}");
        for command in [&["list"][..], &["doctor"], &["explain", "--event", "PreToolUse", "--tool", "Bash"]] {
            let said = run(folder.path(), command, None);
            let said = said.out + &said.err;
            assert!(said.contains("guard.json") && said.contains("no longer names it"), "{command:?}: {said}");
        }
    }
    // Nor because somebody removes it, whether or not other rules of the plugin are left.
    put(&inner.join("plugin.json"), r#"{"name": "inner", "hooks": "rules/guard.json"}"#);
    put(&inner.join("hooks/hooks.json"), &rules("other", false));
    assert_eq!(run(folder.path(), &["trust", "--yes"], None).code, Some(0));
    fs::remove_file(inner.join("plugin.json")).unwrap();
    assert_eq!(run(folder.path(), &dispatch, None).code, Some(77));
    fs::remove_file(inner.join("hooks/hooks.json")).unwrap();
    assert_ne!(run(folder.path(), &dispatch, None).code, Some(0));
}

/// A project's settings without rules run nothing, so nobody has to trust them.
#[test]
fn settings_without_rules_need_no_trust() {
    let folder = tempfile::tempdir().unwrap();
    let (home, shop) = (folder.path().join("home"), folder.path().join("shop"));
    put(&home.join(".claude/settings.json"), &rules("user", false));
    put(&shop.join(".claude/settings.json"), r#"{"permissions": {"allow": []}, "disableAllHooks": true}"#);
    assert_eq!(run(folder.path(), &["dispatch", "--event", "PreToolUse"], None).code, Some(0));
    assert_eq!(fs::read_to_string(shop.join("ran")).unwrap(), "user\n");
    // Enabling a plugin may run something.
    put(&shop.join(".claude/settings.json"), r#"{"enabledPlugins": {"a@b": true}}"#);
    assert_eq!(run(folder.path(), &["dispatch", "--event", "PreToolUse"], None).code, Some(77));
}

/// With `--trust`, a file `.disabled` counts too: the person has read it.
#[test]
fn a_plugin_that_is_switched_off_stays_off_if_everything_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let (home, shop) = (folder.path().join("home"), folder.path().join("shop"));
    put(&home.join(".claude/settings.json"), &rules("user", false));
    put(&shop.join(".claude/plugins/inner/hooks/hooks.json"), &rules("other", false));
    for (off, expected) in [(false, &["user", "other"][..]), (true, &["user"])] {
        if off {
            put(&shop.join(".claude/plugins/inner/.disabled"), "");
        }
        for command in [&["list", "--json", "--trust"][..], &["doctor", "--json", "--trust"]] {
            assert_eq!(names(&run(folder.path(), command, None).json(), |_| true), expected, "{command:?}");
        }
        let dispatch = ["dispatch", "--event", "PreToolUse", "--trust"];
        assert_eq!(run(folder.path(), &dispatch, None).code, Some(0));
        let ran = fs::read_to_string(shop.join("ran")).unwrap();
        assert_eq!(ran.lines().filter(|name| *name == "other").count(), usize::from(!off), "{ran}");
        fs::remove_file(shop.join("ran")).unwrap();
        let library = Rules::builder().project_dir(&shop).trust_all().settings(home.join(".claude/settings.json"));
        let library = library.plugins(shop.join(".claude/plugins")).plugin_data(folder.path().join("data")).build();
        assert_eq!(library.list().len(), expected.len());
    }
}

/// `CLAUDE_CONFIG_DIR` replaces `~/.claude`.
#[test]
fn the_settings_of_the_user_may_lie_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("shop");
    fs::create_dir_all(&shop).unwrap();
    for (place, name) in [("elsewhere", "elsewhere"), ("home/.claude", "home")] {
        let plugin = folder.path().join(place).join("plugin");
        let enables = format!(r#"{{"enabledPlugins": {{"p@desk": true}}, {}"#, &rules(name, false)[1..]);
        put(&folder.path().join(place).join("settings.json"), &enables);
        put(&plugin.join("hooks/hooks.json"), &rules(&format!("plugin-of-{name}"), false));
        let list = serde_json::json!({"plugins": {"p@desk": [{"installPath": plugin}]}});
        put(&folder.path().join(place).join("plugins/installed_plugins.json"), &list.to_string());
    }
    let list = |place: &str| {
        let mut command = program(&shop);
        command.env("HOME", folder.path().join("home")).env("CLAUDE_CONFIG_DIR", place).args(["list", "--json"]);
        names(&Said::from(command.output().unwrap()).json(), |_| true)
    };
    assert_eq!(list(folder.path().join("elsewhere").to_str().unwrap()), ["elsewhere", "plugin-of-elsewhere"]);
    assert_eq!(list(""), ["home", "plugin-of-home"]);
}

/// Only root writes there, so the test mounts an empty folder in its place.
#[cfg(target_os = "linux")]
#[test]
fn managed_settings_are_in_the_folder_of_the_system() {
    let unshare = |script: &str, args: &[&Path]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["-rm", "sh", "-c", script, "sh"]).args(args).env_remove("HOOKS_MANAGED_SETTINGS").output()
    };
    // Not on a machine that forbids it.
    if !unshare("mount -t tmpfs none /etc", &[]).is_ok_and(|said| said.status.success()) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    put(&file, &rules("managed", false));
    let script = "mount -t tmpfs none /etc && mkdir /etc/claude-code && cp \"$1\" /etc/claude-code/managed-settings.json \
        && cd \"$2\" && HOME=\"$2\" exec \"$3\" list --json";
    let said = unshare(script, &[&file, folder.path(), Path::new(env!("CARGO_BIN_EXE_hooks"))]).unwrap();
    let report = Said::from(said).json();
    assert_eq!(names(&report, |rule| rule["origin"] == "managed settings"), ["managed"], "{report}");
}

/// The lists of managed settings and of the user restrict the discovered files, and none that is named.
#[test]
fn requests_and_their_headers_are_those_that_every_list_allows() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", server.local_addr().unwrap());
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let teams = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let (mut stream, mut sent, mut buffer) = (stream.unwrap(), Vec::new(), [0; 4096]);
            while !sent.ends_with(b"}\n") {
                let count = stream.read(&mut buffer).unwrap();
                sent.extend_from_slice(&buffer[..count]);
            }
            let sent = String::from_utf8(sent).unwrap();
            let team = sent.lines().find_map(|line| line.strip_prefix("x-team:")).unwrap();
            teams.lock().unwrap().push(team.trim().to_owned());
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        }
    });
    let urls = |urls: &[&str]| serde_json::json!({"allowedHttpHookUrls": urls});
    let variables = |names: &[&str]| serde_json::json!({"httpHookAllowedEnvVars": names});
    let none = || serde_json::json!({});
    for (managed, user, named, team) in [
        (none(), none(), false, Some("blue")),
        (urls(&["http://127.0.0.1:*"]), urls(&["*/hook"]), false, Some("blue")),
        (urls(&["http://127.0.0.1:*"]), urls(&["*/other"]), false, None),
        (urls(&[]), none(), false, None),
        (none(), urls(&[]), false, None),
        (variables(&["TEAM"]), variables(&["TEAM", "HOME"]), false, Some("blue")),
        (variables(&["HOME"]), none(), false, Some("")),
        (none(), variables(&[]), false, Some("")),
        (urls(&[]), urls(&[]), true, Some("blue")),
        (variables(&[]), variables(&[]), true, Some("blue")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (home, shop) = (folder.path().join("home"), folder.path().join("shop"));
        fs::create_dir_all(&shop).unwrap();
        let mut settings = user.clone();
        let handler =
            serde_json::json!({"type": "http", "url": url, "headers": {"X-Team": "$TEAM"}, "allowedEnvVars": ["TEAM"]});
        let hooks = serde_json::json!({"PreToolUse": [{"hooks": [handler]}]});
        put(&shop.join("named.json"), &serde_json::json!({"hooks": hooks}).to_string());
        settings["hooks"] = hooks;
        put(&home.join(".claude/settings.json"), &settings.to_string());
        put(&folder.path().join("managed/managed-settings.json"), &managed.to_string());
        let mut command = program(&shop);
        command.env("HOME", &home).env("HOOKS_MANAGED_SETTINGS", folder.path().join("managed")).env("TEAM", "blue");
        command.args(["dispatch", "--json", "--trust", "--event", "PreToolUse"]).args(named.then_some("named.json"));
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(br#"{"tool_name": "Bash"}"#).unwrap();
        let said = Said::from(child.wait_with_output().unwrap());
        let heard = std::mem::take(&mut *heard.lock().unwrap());
        assert_eq!(heard, team.into_iter().collect::<Vec<_>>(), "{managed} {user} {named}: {}", said.out);
        assert_eq!(said.code, Some(0), "{managed} {user} {named}: {}", said.out);
    }
}

/// A command that is cut off is told, in words and by the status.
#[test]
fn dispatch_says_that_it_ended_async_commands() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sleep 30", "async": true}]}]}}"#;
    fs::write(folder.path().join("hooks.json"), text).unwrap();
    let dispatch = ["dispatch", "--event", "Stop", "--trust", "--wait", "0.1", "hooks.json"];
    let said = crate::support::hooks(folder.path(), &dispatch);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.contains("1 async command ended after 0.1 s"), "{}", said.out);
    let said = crate::support::hooks(folder.path(), &[dispatch.as_slice(), &["--json"]].concat());
    assert_eq!(said.json()["cut_off"], 1);
}

/// What a mask did would otherwise be seen in a program alone.
#[test]
fn dispatch_shows_what_becomes_of_an_input_and_of_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let answer = |event: &str, field: &str, value: &str| {
        format!(r#"echo '{{"hookSpecificOutput": {{"hookEventName": "{event}", "{field}": {value}}}}}'"#)
    };
    for (event, command, strict, expected) in [
        (
            "PreToolUse",
            answer("PreToolUse", "updatedInput", r#"{"command": "ls"}"#),
            false,
            r#"the input is now: {"command":"ls"}"#,
        ),
        ("PostToolUse", answer("PostToolUse", "updatedToolOutput", r#""masked""#), false, "the result is now: masked"),
        ("PostToolUse", "exit 1".to_owned(), true, "the result is now: The result is not to be used"),
        ("PostToolUse", answer("PostToolUse", "additionalContext", r#""note""#), false, ""),
    ] {
        let handler = serde_json::json!({"type": "command", "command": command, "onFailure": if strict { "block" } else { "continue" }});
        let rules = serde_json::json!({"hooks": {event: [{"hooks": [handler]}]}});
        fs::write(folder.path().join("hooks.json"), rules.to_string()).unwrap();
        let payload = serde_json::json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "rm"}, "tool_response": "secret"});
        let said = crate::support::hooks_with(
            folder.path(),
            &["dispatch", "--trust", "hooks.json"],
            payload.to_string().as_bytes(),
        );
        assert!(said.out.contains(expected), "{expected}: {}{}", said.out, said.err);
        assert_eq!(said.out.contains(" is now: "), !expected.is_empty(), "{}", said.out);
    }
}

/// Nobody may ever write to a pipe.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("hooks.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let said = crate::support::hooks(folder.path(), &["check", "hooks.json"]);
    assert!(said.code == Some(1) && said.out.contains("this is a pipe"), "{:?} {}{}", said.code, said.out, said.err);
}

#[test]
fn completions_are_no_json() {
    let folder = tempfile::tempdir().unwrap();
    let said = crate::support::hooks(folder.path(), &["completions", "bash", "--json"]);
    assert_eq!((said.code, said.json()["exit_status"].as_u64()), (Some(64), Some(64)));
}
