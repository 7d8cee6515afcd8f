//! The program answers each host with rule files, installs itself there, and leaves without a trace.

#[path = "../../hooks-hosts/tests/cases.rs"]
mod cases;
#[path = "../../hooks-hosts/tests/others.rs"]
mod others;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use hooks_hosts::{HostAnswer, Installation, Stdout, all};
use serde_json::{Value, json};

use crate::support::{Said, hooks, hooks_with};
use cases::{Case, case, cases, wrong};
use others::{others, put, shared};

/// The event of a rule file, and the answer of a script there that says the same. `None`: no script can say it.
fn as_script(kind: &str, verdict: &Value) -> Option<(&'static str, Value)> {
    let (text, reason) = (&verdict["text"], &verdict["reason"]);
    let said = verdict["kind"].as_str().unwrap();
    let event = match kind {
        "before_tool_call" => "PreToolUse",
        "permission_request" => "PermissionRequest",
        "after_tool_call_success" => "PostToolUse",
        "after_tool_call_failure" => "PostToolUseFailure",
        "user_prompt_submit" => "UserPromptSubmit",
        "stop" => "Stop",
        "before_compaction" => "PreCompact",
        "session_end" => "SessionEnd",
        _ => return None,
    };
    let nested = |mut fields: Value| {
        fields["hookEventName"] = event.into();
        json!({ "hookSpecificOutput": fields })
    };
    Some((
        event,
        match (event, said) {
            (_, "none") => json!({}),
            (_, "context") => nested(json!({ "additionalContext": text })),
            ("PreToolUse", "deny" | "ask") => {
                nested(json!({ "permissionDecision": said, "permissionDecisionReason": reason }))
            }
            ("PreToolUse", "rewrite") if verdict["approved"] == true => nested(json!({
                "permissionDecision": "allow", "permissionDecisionReason": reason, "updatedInput": verdict["input"],
            })),
            ("PreToolUse", "rewrite") => {
                nested(json!({ "permissionDecisionReason": reason, "updatedInput": verdict["input"] }))
            }
            ("PermissionRequest", "deny") => nested(json!({ "decision": { "behavior": "deny", "message": reason } })),
            ("PostToolUse", "replace_result") => nested(json!({ "updatedToolOutput": text })),
            ("UserPromptSubmit" | "PreCompact" | "PostToolUse" | "PostToolUseFailure", "deny")
            | ("Stop", "keep_going") => {
                json!({ "decision": "block", "reason": reason })
            }
            _ => return None,
        },
    ))
}

/// What is expected if nobody says why a result was replaced: a script has no word for that.
fn without_reason(expected: &Value) -> Value {
    let mut expected = expected.clone();
    let contains: Vec<String> = serde_json::from_value(expected["contains"].clone()).unwrap_or_default();
    for pointer in contains.iter().filter(|pointer| *pointer != "stderr") {
        *expected["stdout"].pointer_mut(pointer).unwrap() = "".into();
    }
    expected
}

/// A trusted rule file in which a script says this at the event.
fn rules(folder: &Path, event: &str, tool: &Value, said: &Value) {
    fs::write(folder.join("answer.json"), said.to_string()).unwrap();
    let command = format!("cat > seen.json; cat '{}'", folder.join("answer.json").display());
    let group =
        json!([{ "matcher": tool.as_str().unwrap_or("*"), "hooks": [{ "type": "command", "command": command }] }]);
    let text = json!({ "hooks": { event: group } }).to_string();
    if fs::read_to_string(folder.join("rules.json")).is_ok_and(|there| there == text) {
        return;
    }
    fs::write(folder.join("rules.json"), text).unwrap();
    let trusted = hooks(folder, &["trust", "--yes", "rules.json"]);
    assert_eq!(trusted.code, Some(0), "{}", trusted.err);
}

fn as_answer(said: &Said) -> HostAnswer {
    let mut answer = HostAnswer::default();
    answer.exit = said.code.unwrap().try_into().unwrap();
    answer.stderr = Some(said.err.clone());
    answer.stdout = match serde_json::from_str(&said.out) {
        _ if said.out.is_empty() => Stdout::Nothing,
        Ok(value) => Stdout::Json(value),
        Err(_) => Stdout::Text(said.out.clone()),
    };
    answer
}

#[test]
fn rule_files_answer_every_host_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let (mut problems, mut passed, mut unsaid) = (Vec::new(), 0, 0);
    for case in cases() {
        // A rewrite of one command among several cannot be told apart from one of all.
        let has_parts = ["commands", "edits", "files"].iter().any(|list| case.read["input"].get(list).is_some());
        for (name, expected) in &case.answers {
            let verdict = &expected["verdict"];
            let script = as_script(case.read["kind"].as_str().unwrap(), verdict);
            let is_change = verdict["kind"] == "rewrite" || verdict["kind"] == "replace_result";
            // No script judges a call that shows nothing.
            let is_unseen = case.name == "pre_tool.shell_empty";
            let Some((event, said)) = script.filter(|_| !(has_parts && is_change || is_unseen)) else {
                unsaid += 1;
                continue;
            };
            rules(folder.path(), event, &case.read["tool"]["canonical"], &said);
            let expected = if verdict["kind"] == "replace_result" { &without_reason(expected) } else { expected };
            let args = [case.args(), vec!["--rules", "rules.json"]].concat();
            match wrong(&as_answer(&hooks_with(folder.path(), &args, &case.stdin)), expected) {
                None => passed += 1,
                Some(problem) => problems.push(format!("{}/{}.{name}: {problem}\n  {expected}", case.host, case.name)),
            }
        }
    }
    assert!(problems.is_empty(), "{}\n{} wrong, {passed} right, {unsaid} unsaid", problems.join("\n"), problems.len());
    assert!(passed > 200, "{passed} right, {unsaid} unsaid");
}

/// Denies every shell call.
fn no_shell(folder: &Path) {
    let command = "echo 'no shell here' >&2; exit 2";
    let group = json!([{ "matcher": "Bash", "hooks": [{ "type": "command", "command": command }] }]);
    fs::write(folder.join("rules.json"), json!({ "hooks": { "PreToolUse": group } }).to_string()).unwrap();
    assert_eq!(hooks(folder, &["trust", "--yes", "rules.json"]).code, Some(0));
}

/// What the host runs when it calls the shell.
fn command(folder: &Path, case: &Case) -> Option<String> {
    let host = hooks_hosts::find(case.host).unwrap();
    let event = case.read["host_event"].as_str().unwrap();
    let installed = Installation::project(folder, env!("CARGO_BIN_EXE_hooks")).installed(host).unwrap();
    installed.into_iter().find(|command| command.contains(&format!(" --event {event} ")))
}

fn run(folder: &Path, command: &str, stdin: &[u8]) -> Said {
    let payload = folder.join("payload.json");
    fs::write(&payload, stdin).unwrap();
    let stdin = Stdio::from(fs::File::open(payload).unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("HOME", folder).env_remove("XDG_CONFIG_HOME");
    shell.current_dir(folder).stdin(stdin).output().unwrap().into()
}

#[test]
fn a_host_that_was_installed_is_answered_and_left_without_a_trace() {
    let mut left = 0;
    for host in all() {
        let name = host.name;
        // One file of somebody else after the other, and none at all.
        let files = others(host).into_iter().map(Some).chain([None]).enumerate();
        for (round, theirs) in files.filter(|(round, _)| round % 4 == 0) {
            let folder = tempfile::tempdir().unwrap();
            no_shell(folder.path());
            let file = shared(host, folder.path());
            if let (Some(file), Some(text)) = (&file, &theirs) {
                put(file, text);
            }
            let installed = hooks(folder.path(), &["host", "install", name, "--rules", "rules.json"]);
            assert_eq!(installed.code, Some(0), "{name}: {}", installed.err);
            let case = case(name, "pre_tool.shell");
            if round == 0 {
                let doctor = hooks(folder.path(), &["host", "doctor", name]);
                assert_eq!(doctor.code, Some(0), "{name}: {}{}", doctor.out, doctor.err);
                assert!(doctor.out.contains("never called"), "{name}: {}", doctor.out);
            }
            let command = command(folder.path(), &case).unwrap_or_else(|| panic!("{name}: {}", installed.out));
            let said = run(folder.path(), &command, &case.stdin);
            assert!(said.out.contains("no shell here") || said.err.contains("no shell here"), "{name}: {}", said.err);
            if round == 0 {
                let doctor = hooks(folder.path(), &["host", "doctor", name]);
                assert!(doctor.out.contains("last called 0 minutes ago"), "{name}: {}", doctor.out);
            }
            let gone = hooks(folder.path(), &["host", "uninstall", name]);
            assert_eq!(gone.code, Some(0), "{name}: {}", gone.err);
            match (&file, &theirs) {
                (Some(file), Some(text)) => assert_eq!(fs::read_to_string(file).unwrap(), *text, "{name}"),
                (Some(file), None) => assert!(!file.exists(), "{name}"),
                _ => {}
            }
            left += 1;
        }
    }
    assert!(left > 30, "{left}");
}

#[test]
fn rules_that_do_not_load_refuse_with_the_reason_and_a_line_in_the_log() {
    let shell = case("codex", "pre_tool.shell");
    let broken = [
        ("{", "rules.json"),
        (r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "comand", "command": "true"}]}]}}"#, "comand"),
        (r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "hooks host claude"}]}]}}"#, "again"),
        (r#"{"Hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#, "it has no rules"),
        (r#"{"hooks": {}}"#, "it has no rules"),
        (
            r#"{"disableAllHooks": true, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#,
            "none of its rules runs",
        ),
    ];
    for (text, why) in broken {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("rules.json"), text).unwrap();
        let args = [shell.args(), vec!["--rules", "rules.json"]].concat();
        let untrusted = hooks_with(folder.path(), &args, &shell.stdin);
        assert!(denied(&untrusted).contains("is not trusted"), "{}", untrusted.out);
        hooks(folder.path(), &["trust", "--yes", "rules.json"]);
        let said = hooks_with(folder.path(), &args, &shell.stdin);
        // A file that cannot be read cannot be trusted either.
        assert!(denied(&said).contains(why), "{text}: {}", said.out);
        let log = fs::read_to_string(folder.path().join(".local/state/hooks/hosts.jsonl")).unwrap();
        assert!(log.lines().last().unwrap().contains(why), "{log}");
        let doctor = hooks(folder.path(), &["host", "doctor", "codex"]);
        assert_eq!(doctor.code, Some(0), "not installed: {}", doctor.err);
    }
    let nobody = tempfile::tempdir().unwrap();
    assert!(denied(&hooks_with(nobody.path(), &shell.args(), &shell.stdin)).contains("no rules are named"));
    let absent = [shell.args(), vec!["--rules", "nowhere.json"]].concat();
    let absent = denied(&hooks_with(nobody.path(), &absent, &shell.stdin));
    assert!(absent.contains("nowhere.json: ") && !absent.contains(":0"), "{absent}");
    for args in
        [&["host", "codex", "--rules"][..], &["host", "codex", "--rule", "x"], &["host", "codex", "--deadline", "x"]]
    {
        let said = hooks_with(nobody.path(), args, &shell.stdin);
        assert!(!denied(&said).is_empty(), "{args:?}: {}", said.out);
    }
    // A status other than 0 opens there.
    let cline = case("cline", "pre_tool.shell");
    let said = hooks_with(nobody.path(), &["host", "cline", "--event", "PreToolUse", "--zzz"], &cline.stdin);
    assert!(said.code == Some(0) && said.json()["cancel"] == true, "{}{}", said.out, said.err);
    for args in [&["host"][..], &["host", "nobody"]] {
        let said = hooks_with(nobody.path(), args, &shell.stdin);
        assert_eq!((said.code, said.out.as_str(), said.err.is_empty()), (Some(2), "", false), "{args:?}");
    }
}

/// The reason of Codex's denial.
fn denied(said: &Said) -> String {
    let output = &said.json()["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny", "{}", said.out);
    output["permissionDecisionReason"].as_str().unwrap().to_owned()
}

#[test]
fn files_are_converted_and_crates_are_begun() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    let said = hooks(folder.path(), &["host", "convert", "claude", "gemini", "rules.json"]);
    assert_eq!(said.json()["hooks"]["BeforeTool"][0]["matcher"], "run_shell_command", "{}", said.err);
    assert_eq!(said.code, Some(0));
    assert_eq!(hooks(folder.path(), &["host", "convert", "claude", "nobody", "rules.json"]).code, Some(1));
    let text = fs::read_to_string(folder.path().join("rules.json")).unwrap();
    let more = text.replacen("[{", r#"[{"hooks": [{"type": "prompt", "prompt": "is it safe?"}]}, {"#, 1);
    fs::write(folder.path().join("more.json"), more).unwrap();
    let less = hooks(folder.path(), &["host", "convert", "claude", "gemini", "more.json"]);
    assert_eq!((less.code, less.json()), (Some(3), said.json()), "{}", less.err);
    let filtered =
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "if": "Bash(rm *)", "command": "x"}]}]}}"#;
    fs::write(folder.path().join("filtered.json"), filtered).unwrap();
    let lossy = hooks(folder.path(), &["host", "convert", "claude", "claude", "filtered.json"]);
    assert!(lossy.code == Some(3) && lossy.err.contains("the key `if`"), "{:?} {}", lossy.code, lossy.err);
    for (words, said) in [
        (&["convert", "claude", "gemini", "rules.json", "--json"][..], "write `convert HOST HOST FILE`"),
        (&["convert", "claude"], "write `convert HOST HOST FILE`"),
        (&["new"], "write `new FOLDER`"),
    ] {
        let refused = hooks(folder.path(), &[&["host"], words].concat());
        assert!(refused.code == Some(1) && refused.err.contains(said), "{words:?}: {}", refused.err);
    }
    let new = hooks(folder.path(), &["host", "new", "my-guards"]);
    assert_eq!(new.code, Some(0), "{}", new.err);
    assert!(folder.path().join("my-guards/src/guards.rs").exists());
    assert!(hooks(folder.path(), &["host", "--help"]).out.contains("host NAME [--event EVENT]"));
}

#[test]
fn dispatch_tries_a_payload_of_a_host_and_shows_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    for (host, stream, exit) in [("codex", "stdout: ", 0), ("windsurf", "stderr: ", 2)] {
        let shell = case(host, "pre_tool.shell");
        let args = ["dispatch", "--host", host, "rules.json"];
        let said = hooks_with(folder.path(), &args, &shell.stdin);
        assert_eq!(said.code, Some(2), "{}", said.err);
        assert!(
            said.out.contains("denied: no shell here; by ") && said.out.contains("exit status 2 after"),
            "{}",
            said.out
        );
        assert!(said.out.contains(&format!("{host} is answered with exit status {exit}\n  {stream}")), "{}", said.out);
        let said = hooks_with(folder.path(), &[&args[..], &["--json"]].concat(), &shell.stdin).json();
        assert_eq!((&said["answer"]["exit_status"], &said["outcome"]), (&json!(exit), &json!("deny")), "{said}");
    }
    let unread = hooks_with(folder.path(), &["dispatch", "--host", "codex", "rules.json"], b"{}");
    assert!(unread.code == Some(64) && unread.err.contains("names no event"), "{}", unread.err);
}

#[test]
fn recorded_calls_of_a_host_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    for host in ["codex", "gemini"] {
        let shell = case(host, "pre_tool.shell");
        let args = [shell.args(), vec!["--rules", "rules.json", "--record", "calls"]].concat();
        let said = hooks_with(folder.path(), &args, &shell.stdin);
        assert!(said.out.contains("no shell here"), "{}{}", said.out, said.err);
    }
    assert_eq!(fs::read_dir(folder.path().join("calls")).unwrap().count(), 2);
    let replayed = |rules: &str| hooks(folder.path(), &["replay", "calls", "--trust", "--rules", rules]);
    let same = replayed("rules.json");
    assert_eq!(same.code, Some(0), "{}{}", same.out, same.err);
    fs::write(
        folder.path().join("other.json"),
        r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "true"}]}]}}"#,
    )
    .unwrap();
    let other = replayed("other.json");
    assert_eq!(other.code, Some(2), "{}{}", other.out, other.err);
    // Other rules are a changed hook, so what they decide counts although the recording lacks a secret.
    let shell = case("codex", "pre_tool.shell");
    let mut payload: Value = serde_json::from_slice(&shell.stdin).unwrap();
    payload["tool_input"]["command"] = format!("export DB_PASSWORD={}", "hunter2".repeat(2)).into();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "other.json"]).code, Some(0));
    let args = [shell.args(), vec!["--rules", "other.json", "--record", "secret"]].concat();
    hooks_with(folder.path(), &args, payload.to_string().as_bytes());
    let replayed = |rules: &str| hooks(folder.path(), &["replay", "secret", "--trust", "--rules", rules]);
    let (same, denies) = (replayed("other.json"), replayed("rules.json"));
    assert_eq!(same.code, Some(0), "{}{}", same.out, same.err);
    assert!(denies.code == Some(2) && denies.out.contains("no shell here"), "{}{}", denies.out, denies.err);
    assert!(denies.out.contains("1 of the dispatches were recorded partially"), "{}", denies.out);
}

/// A probe is no traffic, and a folder that cannot be made is named.
#[cfg(target_os = "linux")]
#[test]
fn a_recording_of_a_host_has_its_calls_and_no_probes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("rules.json"),
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
    )
    .unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    let options = ["--rules", "rules.json", "--record", "calls"];
    let installed = hooks(folder.path(), &[&["host", "install", "claude"], &options[..]].concat());
    assert_eq!(installed.code, Some(0), "{}{}", installed.out, installed.err);
    let doctor = hooks(folder.path(), &["host", "doctor", "claude"]);
    assert_eq!(doctor.code, Some(0), "{}{}", doctor.out, doctor.err);
    assert!(fs::read_dir(folder.path().join("calls")).map_or(0, Iterator::count) == 0, "the probe was recorded");

    let shell = case("claude", "pre_tool.shell");
    let nowhere = [shell.args(), vec!["--rules", "rules.json", "--record", "/proc/nope"]].concat();
    let said = hooks_with(folder.path(), &nowhere, &shell.stdin);
    assert!((said.out.clone() + &said.err).contains("--record /proc/nope: "), "{}{}", said.out, said.err);
}

#[test]
fn help_is_an_option_of_every_command_but_the_call_of_a_host() {
    let folder = tempfile::tempdir().unwrap();
    let helped = |words: &[&str]| hooks(folder.path(), &[&["host"], words].concat());
    for words in
        [&["--help"][..], &["-h"], &["help"], &["install", "--help"], &["doctor", "claude", "-h"], &["new", "--help"]]
    {
        let said = helped(words);
        assert_eq!((said.code, &*said.err), (Some(0), ""), "{words:?}");
        assert!(said.out.contains("\n  install [HOST…]") && said.out.contains("\n  convert "), "{}", said.out);
    }
    assert_eq!(helped(&["claude", "--help"]).code, Some(2));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_new_crate_uses_the_checkout_that_the_program_was_built_from() {
    let folder = tempfile::tempdir().unwrap();
    let said = hooks(folder.path(), &["host", "new", "my-guards"]);
    assert!(said.out.contains("`my-guards install claude`"), "{} {}", said.out, said.err);
    let manifest = fs::read_to_string(folder.path().join("my-guards/Cargo.toml")).unwrap();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    assert!(manifest.contains(&format!("hook-sdk = {{ path = {:?} }}", checkout.join("hooks-core"))), "{manifest}");
}

/// What a result holds besides texts is masked too, and stays a result of its form.
#[test]
fn structured_results_are_masked_by_their_keys_and_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let masks = json!([{ "type": "hook", "id": "mask_pii" }, { "type": "hook", "id": "mask_secrets" }]);
    let rules = json!({ "hooks": { "PostToolUse": [{ "hooks": masks }] } });
    fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    let mut payload: Value = serde_json::from_slice(&case("claude", "post_tool").stdin).unwrap();
    let secret = format!("S3cr3t{}", "Pw9");
    payload["tool_response"] = json!({
        "db": { "password": &secret }, "env": [{ "name": "DB_PASSWORD", "value": &secret }], "rows": [{ "card": 4_111_111_111_111_111_u64, "count": 12 }],
        "owners": { "ada@example.com": "Ada", "bob@example.com": "Bob" }, "stdout": "fine",
        "password": 12_345_678, "token": { "value": &secret }, "args": ["run", "--password", &secret], "headers": [["X-Api-Key", &secret]], "required": ["token", "address1"],
    });
    let args = ["host", "claude", "--event", "PostToolUse", "--rules", "rules.json"];
    let said = hooks_with(folder.path(), &args, payload.to_string().as_bytes());
    let result = &said.json()["hookSpecificOutput"]["updatedToolOutput"];
    assert_eq!(result["owners"].as_object().map(serde_json::Map::len), Some(2), "{}", said.out);
    for planted in [secret.as_str(), "4111111111111111", "12345678", "ada@example.com"] {
        assert!(!said.out.contains(planted), "{planted}: {}", said.out);
    }
    assert_eq!(result["required"], json!(["token", "address1"]), "{}", said.out);
    assert_eq!((&result["stdout"], &result["rows"][0]["count"]), (&json!("fine"), &json!(12)), "{}", said.out);
}

#[cfg(not(feature = "inspect"))]
#[test]
fn a_command_that_the_build_leaves_out_is_named_with_its_feature() {
    let folder = tempfile::tempdir().unwrap();
    let said = hooks(folder.path(), &["inspect"]);
    assert!(said.code == Some(64) && said.err.contains("`--features inspect`"), "{}", said.err);
}

/// A server of rules, ended with the test.
#[cfg(unix)]
struct Server(std::process::Child);

#[cfg(unix)]
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
impl Server {
    fn of(folder: &Path, more: &[&str]) -> Self {
        Self::start(folder, &[&["--socket", "s"], more].concat())
    }

    fn start(folder: &Path, options: &[&str]) -> Self {
        use std::io::BufRead as _;
        let mut command = crate::support::program(folder);
        command.args([&["host", "serve"], options].concat()).env("XDG_RUNTIME_DIR", folder);
        let mut server = Self(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        let mut line = String::new();
        std::io::BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("listens at "), "{line}");
        server
    }
}

/// What nobody would see before a guard does not answer.
#[test]
fn installing_says_what_it_replaces_and_what_switches_the_host_off() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    fs::copy(folder.path().join("rules.json"), folder.path().join("other.json")).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "other.json"]).code, Some(0));
    let first = hooks(folder.path(), &["host", "install", "claude", "--rules", "rules.json"]);
    assert!(first.code == Some(0) && !first.out.contains("in place of"), "{}", first.out);
    let second = hooks(folder.path(), &["host", "install", "claude", "--rules", "other.json"]);
    assert!(second.out.contains("claude: in place of `") && second.out.contains("/rules.json"), "{}", second.out);
    let settings = folder.path().join(".claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap().replacen('{', "{\"disableAllHooks\": true, // for now\n", 1);
    fs::write(&settings, text).unwrap();
    let third = hooks(folder.path(), &["host", "install", "claude", "--rules", "other.json"]);
    assert!(
        third.out.contains("claude: `disableAllHooks: true` in ") && third.out.contains("switches all hooks off"),
        "{}",
        third.out
    );
}

/// A command at the wrong event would judge something else than what happens.
#[test]
fn a_payload_of_another_event_than_the_command_names_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    let case = case("claude", "pre_tool.shell");
    for event in ["Stop", "Notification", "SessionEnd", "PostToolUse", "UserPromptSubmit"] {
        let said =
            hooks_with(folder.path(), &["host", "claude", "--event", event, "--rules", "rules.json"], &case.stdin);
        // Where both can be refused, in the way that the host understands at each event.
        let reason = if said.code == Some(2) { said.err.clone() } else { denied(&said) };
        assert!(reason.contains("the payload is that of `PreToolUse`"), "{event}: {}{}", said.out, said.err);
    }
}

/// A project that nobody has reviewed may have a file with anything in it.
#[cfg(unix)]
#[test]
fn doctor_runs_nothing_that_a_project_names() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    fs::create_dir_all(folder.path().join(".claude")).unwrap();
    let other = folder.path().join("hooks");
    fs::write(&other, "#!/bin/sh\ntouch ran\n").unwrap();
    assert!(Command::new("chmod").args(["+x", "hooks"]).current_dir(folder.path()).status().unwrap().success());
    let settings = folder.path().join(".claude/settings.json");
    let own = env!("CARGO_BIN_EXE_hooks");
    for command in [
        format!("touch ran; {own} host claude --event PreToolUse"),
        format!("{own} host claude --event PreToolUse --x; touch ran"),
        format!("{own} host claude --event PreToolUse --x $(touch ran)"),
        format!("cd . && {own} host claude --event PreToolUse"),
        format!("{} host claude --event PreToolUse", other.display()),
        "./hooks host claude --event PreToolUse".to_owned(),
    ] {
        let text = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string();
        fs::write(&settings, &text).unwrap();
        let said = hooks(folder.path(), &["host", "doctor", "claude"]);
        assert!(!folder.path().join("ran").exists(), "{command}: {}{}", said.out, said.err);
        if command.contains("touch") || command.contains("cd") {
            // It does more than call this program, so it is somebody's own.
            hooks(folder.path(), &["host", "uninstall", "claude"]);
            assert_eq!(fs::read_to_string(&settings).unwrap(), text);
        }
    }
}

/// An entry that is there already may never be asked.
#[test]
fn installing_again_puts_right_what_an_entry_has_become() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    let install = || hooks(folder.path(), &["host", "install", "claude", "--rules", "rules.json"]);
    install();
    let settings = folder.path().join(".claude/settings.json");
    let right: Value = serde_json::from_str(&fs::read_to_string(&settings).unwrap()).unwrap();
    let mut wrong = right.clone();
    wrong["hooks"]["PreToolUse"][0]["matcher"] = "NeverTool".into();
    wrong["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = true.into();
    wrong["hooks"]["Stop"] = wrong["hooks"]["PreToolUse"].clone();
    wrong["hooks"]["PostToolUse"] = json!([{"matcher": "*", "hooks": [{"type": "command", "command": "theirs"}]}]);
    fs::write(&settings, wrong.to_string()).unwrap();
    install();
    let now: Value = serde_json::from_str(&fs::read_to_string(&settings).unwrap()).unwrap();
    assert_eq!(now["hooks"]["PreToolUse"], right["hooks"]["PreToolUse"]);
    assert_eq!((&now["hooks"]["PostToolUse"], &now["hooks"]["Stop"]), (&wrong["hooks"]["PostToolUse"], &json!([])));
    assert!(install().out.contains("nothing to change"));
}

/// A rule that says nothing changes nothing, not even the form of a path: a host would take that for a rewritten call.
#[test]
fn a_rule_without_an_opinion_leaves_a_relative_path_alone() {
    let folder = tempfile::tempdir().unwrap();
    let rules = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}"#;
    fs::write(folder.path().join("rules.json"), rules).unwrap();
    hooks(folder.path(), &["trust", "--yes", "rules.json"]);
    let cwd = folder.path().to_str().unwrap();
    let patch = "*** Begin Patch\n*** Add File: src/a.py\n+a\n*** End Patch\n";
    let nested = |event: &str, tool: &str, input: Value| json!({"hook_event_name": event, "cwd": cwd, "tool_use_id": "1", "tool_name": tool, "tool_input": input});
    let file = || json!({"file_path": "src/a.py", "content": "a"});
    for (host, event, payload) in [
        ("claude", "PreToolUse", nested("PreToolUse", "Write", file())),
        ("codex", "PreToolUse", nested("PreToolUse", "apply_patch", json!({"command": patch}))),
        ("qwen", "PreToolUse", nested("PreToolUse", "write_file", file())),
        ("gemini", "BeforeTool", nested("BeforeTool", "write_file", file())),
        ("droid", "PreToolUse", nested("PreToolUse", "Create", file())),
        ("vscode", "PreToolUse", nested("PreToolUse", "apply_patch", json!({"input": patch}))),
        (
            "goose",
            "PreToolUse",
            json!({"event": "PreToolUse", "working_dir": cwd, "tool_name": "write", "tool_input": {"path": "src/a.py", "content": "a"}}),
        ),
    ] {
        let args = ["host", host, "--event", event, "--rules", "rules.json"];
        let said = hooks_with(folder.path(), &args, payload.to_string().as_bytes());
        // To say nothing is `allow` at goose.
        let neutral = said.out.replace("{\"decision\":\"allow\"}", "");
        let opinion = ["deny", "block", "allow", "updated", "a.py"].iter().any(|word| neutral.contains(word));
        assert!(!opinion && said.code == Some(0), "{host}: {:?} {} {}", said.code, said.out, said.err);
    }
}

/// A mask that hangs, or that cannot be loaded, has masked nothing.
#[test]
fn a_result_that_no_rule_could_judge_is_withheld_from_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let result = json!({"stdout": "s3cret", "status": "s3cret and more", "id": {"deep": "s3cret"}, "card": 4111_1111_1111_1111_u64});
    let payload = json!({"hook_event_name": "PostToolUse", "cwd": "/tmp", "tool_use_id": "1", "tool_name": "Bash",
        "tool_input": {"command": "x"}, "tool_response": result})
    .to_string();
    let ask = |rule: &str, host: &str| {
        fs::write(
            folder.path().join("rules.json"),
            format!(r#"{{"hooks": {{"PostToolUse": [{{"hooks": [{rule}]}}]}}}}"#),
        )
        .unwrap();
        hooks(folder.path(), &["trust", "--yes", "rules.json"]);
        let args = ["host", host, "--event", "PostToolUse", "--deadline", "4", "--rules", "rules.json"];
        hooks_with(folder.path(), &args, payload.as_bytes())
    };
    for host in ["claude", "codex"] {
        for rule in [
            r#"{"type": "command", "command": "sleep 60", "onFailure": "block"}"#,
            r#"{"type": "command", "command": "exit 1", "onFailure": "block"}"#,
            r#"{"type": "command", "command": "echo '{\"decision\": \"block\"}'; kill -9 $$", "onFailure": "block"}"#,
            r#"{"type": "command", "command": "exit 1", "onFailure": "block"}, {"type": "command", "command": "echo '{\"continue\": false}'"}"#,
            r#"{"type": "comand"}"#,
        ] {
            let said = ask(rule, host);
            let all = format!("{}{}", said.out, said.err);
            assert!(all.contains("not to be used"), "{host} {rule}: {all}");
            assert!(!all.contains("s3cret") && !all.contains("4111"), "{host} {rule}: {all}");
        }
        // Whoever makes the result controls whether it can be read.
        let unreadable = payload.replace("s3cret\"", "s3cret\\x\"");
        let args = ["host", host, "--event", "PostToolUse", "--rules", "rules.json"];
        let said = hooks_with(folder.path(), &args, unreadable.as_bytes());
        assert!(said.out.contains("not to be used") && !said.out.contains("s3cret"), "{host}: {}", said.out);
        // One that may fail takes nothing. Its limit is well below that of the host.
        let said = ask(r#"{"type": "command", "command": "sleep 60", "timeout": 1}"#, host);
        assert!(!said.out.contains("not to be used"), "{host}: {}", said.out);
    }
}

/// A refused installation leaves the guard that is there.
#[test]
fn rules_that_a_host_never_runs_take_no_guard_away() {
    let folder = tempfile::tempdir().unwrap();
    let rule = json!([{ "hooks": [{ "type": "command", "command": "exit 2", "onFailure": "block" }] }]);
    let installed = |event: &str, file: &str| {
        fs::write(folder.path().join(file), json!({ "hooks": { event: rule } }).to_string()).unwrap();
        hooks(folder.path(), &["trust", "--yes", file]);
        let said = hooks(folder.path(), &["host", "install", "claude", "--rules", file]);
        (said.code, fs::read_to_string(folder.path().join(".claude/settings.json")).unwrap())
    };
    let (code, guarded) = installed("PreToolUse", "guard.json");
    assert!(code == Some(0) && guarded.contains("guard.json"), "{guarded}");
    assert_eq!(installed("SubagentStart", "never.json"), (Some(1), guarded));
}

/// A guard that no host asks, or whose refusal no host hears, looks like one that works.
#[test]
fn installing_and_doctor_name_rules_that_refuse_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let refuses = json!([{ "hooks": [{ "type": "command", "command": "exit 2", "onFailure": "block" }] }]);
    let rules = json!({ "hooks": { "SubagentStop": refuses, "UserPromptSubmit": refuses } });
    fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    for host in ["claude", "copilot"] {
        let installed = hooks(folder.path(), &["host", "install", host, "--rules", "rules.json"]);
        let doctor = hooks(folder.path(), &["host", "doctor", host, "--rules", "rules.json"]);
        assert_eq!(doctor.code, Some(1), "{}", doctor.out);
        for said in [installed.out + &installed.err, doctor.out + &doctor.err] {
            assert!(said.contains("rules at `SubagentStop` never run"), "{said}");
            assert_eq!(said.contains("goes on at `userPromptSubmitted`"), host == "copilot", "{said}");
        }
    }
}

/// Without rules, `doctor` takes those that the installed command names.
#[test]
fn doctor_finds_an_event_of_the_installed_rules_that_is_not_installed() {
    let folder = tempfile::tempdir().unwrap();
    let rule = json!([{ "hooks": [{ "type": "command", "command": "exit 2", "onFailure": "block" }] }]);
    let write =
        |rules: Value| fs::write(folder.path().join("rules.json"), json!({ "hooks": rules }).to_string()).unwrap();
    let run = |words: &[&str]| hooks(folder.path(), words);
    write(json!({ "PreToolUse": rule }));
    assert_eq!(run(&["trust", "--yes", "rules.json"]).code, Some(0));
    assert_eq!(run(&["host", "install", "claude", "--rules", "rules.json"]).code, Some(0));
    write(json!({ "PreToolUse": rule, "UserPromptSubmit": rule }));
    let doctor = run(&["host", "doctor", "claude"]);
    assert!(doctor.code == Some(1) && doctor.err.contains("was not checked: "), "{}{}", doctor.out, doctor.err);
    assert_eq!(run(&["trust", "--yes", "rules.json"]).code, Some(0));
    let doctor = run(&["host", "doctor", "claude"]);
    assert!(doctor.err.contains("`UserPromptSubmit` is not installed"), "{}{}", doctor.out, doctor.err);
    assert_eq!(doctor.code, Some(1));
}

/// Entries that ask a server are installed, answered and looked after as others are.
#[cfg(unix)]
#[test]
fn a_host_is_installed_to_ask_a_server() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    let said = |words: &[&str]| {
        let mut program = crate::support::program(folder.path());
        Said::from(program.args(words).env("XDG_RUNTIME_DIR", folder.path()).output().unwrap())
    };
    for _ in 0..2 {
        let installed = said(&["host", "install", "claude", "--serve", "--rules", "rules.json"]);
        assert_eq!(installed.code, Some(0), "{}", installed.err);
    }
    let shell = case("claude", "pre_tool.shell");
    let command = format!("XDG_RUNTIME_DIR=. {}", command(folder.path(), &shell).unwrap());
    let gone = run(folder.path(), &command, &shell.stdin);
    assert!(denied(&gone).contains("does not answer"), "{}", gone.out);
    let doctor = said(&["host", "doctor", "claude"]);
    assert_eq!(doctor.code, Some(1), "{}", doctor.out);

    let _server = Server::start(folder.path(), &["--rules", "rules.json"]);
    assert!(denied(&run(folder.path(), &command, &shell.stdin)).contains("no shell here"));
    let doctor = said(&["host", "doctor", "claude"]);
    assert_eq!(doctor.code, Some(0), "{}{}", doctor.out, doctor.err);
    assert!(doctor.out.starts_with("claude: 1 event, in order\n"), "{}", doctor.out);
    let uninstalled = said(&["host", "uninstall", "claude"]);
    assert!(
        uninstalled.code == Some(0) && !folder.path().join(".claude/settings.json").exists(),
        "{}",
        uninstalled.err
    );
}

/// Rules name ready-made hooks, whose answers are those of the compiled ones.
#[test]
fn rules_name_ready_made_hooks() {
    let folder = tempfile::tempdir().unwrap();
    let (claude, codex) = (case("claude", "pre_tool.shell"), case("codex", "pre_tool.shell"));
    let token = format!("echo ghp_{}", "0123456789abcdefghij".repeat(2));
    let command = |case: &Case, line: &str| {
        let mut payload: Value = serde_json::from_slice(&case.stdin).unwrap();
        payload["tool_input"]["command"] = line.into();
        payload.to_string().into_bytes()
    };
    let rules = |hooks_of: Value| {
        let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": hooks_of }] } });
        fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
        assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
        hooks(folder.path(), &["check", "rules.json"])
    };
    let asked = |case: &Case, line: &str| {
        let args = [case.args(), vec!["--rules", "rules.json"]].concat();
        hooks_with(folder.path(), &args, &command(case, line))
    };
    let with = json!({ "tools": ["Bash"], "allow": ["git status*"] });
    let named = json!([
        { "type": "hook", "id": "deny_secrets" },
        { "type": "hook", "id": "confine_commands", "with": with },
    ]);
    assert_eq!(rules(named).code, Some(0));
    for case in [&claude, &codex] {
        let said = asked(case, &token);
        assert!(denied(&said).contains("/command"), "{}", said.out);
        let said = asked(case, "git status; rm");
        assert!(said.out.contains("`rm` is not one of the allowed commands"), "{}", said.out);
        let said = asked(case, "git status");
        assert!(!said.out.contains("deny") && !said.out.contains("not one of"), "{}", said.out);
    }
    let tried = |line: &str| {
        let args = ["dispatch", "--host", "codex", "--event", "PreToolUse", "rules.json"];
        hooks_with(folder.path(), &args, &command(&codex, line))
    };
    let said = tried(&token);
    assert!(said.out.contains("deny_secrets  completed") && said.out.contains("/command"), "{}{}", said.out, said.err);
    // A list shows what rules name, and nothing that no rule names.
    let listed = hooks(folder.path(), &["list", "rules.json"]);
    assert!(listed.out.contains("hook deny_secrets") && !listed.out.contains("mask_pii"), "{}", listed.out);
    // A hook that did not run says why.
    let no = json!({ "type": "command", "command": "echo no >&2; exit 2" });
    assert_eq!(rules(json!([no, { "type": "hook", "id": "deny_secrets" }])).code, Some(0));
    let said = tried("ls");
    assert!(said.out.contains("  deny_secrets  skipped: an earlier verdict is final\n"), "{}", said.out);
    for (wrong, told) in [
        (json!([{ "type": "hook", "id": "deny_secret" }]), "did you mean `deny_secrets`?"),
        (json!([{ "type": "hook", "id": "strip_images" }]), "does not run at `before_tool_call`"),
        (json!([{ "type": "hook", "id": "confine_commands", "with": { "allow": [] } }]), "`tools` is missing"),
        (json!([{ "type": "hook", "id": "confine_commands" }]), "`tools` is missing"),
    ] {
        let checked = rules(wrong);
        let all = format!("{}{}", checked.out, checked.err);
        assert!(checked.code == Some(1) && all.contains(told), "{told}: {all}");
        let said = asked(&claude, "git status");
        let reason = denied(&said);
        assert!(reason.contains("could not be loaded"), "{told}: {reason}");
        let said = tried("git status");
        assert!(said.code == Some(1) && said.err.contains("would hear a refusal"), "{told}: {}{}", said.out, said.err);
    }
}

#[cfg(unix)]
#[test]
fn a_server_of_rules_answers_as_the_program_does_before_and_after_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let rules = |reason: &str| {
        let script = |text: &str| json!([{ "hooks": [{ "type": "command", "command": text }] }]);
        let deny = script(&format!("echo '{reason}' >&2; exit 2"));
        let said = script("echo '{\"hookSpecificOutput\": {\"additionalContext\": \"seen\"}}'");
        let events = json!({ "PreToolUse": deny, "UserPromptSubmit": deny, "Stop": deny, "PostToolUse": said,
            "PermissionRequest": deny, "SessionStart": said, "PreCompact": deny });
        fs::write(folder.path().join("rules.json"), json!({ "hooks": events }).to_string()).unwrap();
    };
    let trust = || assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    rules("first");
    trust();
    let server = Server::of(folder.path(), &["--rules", "rules.json"]);
    let both = |case: &Case| {
        let own = [case.args(), vec!["--rules", "rules.json"]].concat();
        let own = hooks_with(folder.path(), &own, &case.stdin);
        let through = hooks_with(folder.path(), &[case.args(), vec!["--socket", "s"]].concat(), &case.stdin);
        let name = format!("{}/{}", case.host, case.name);
        assert_eq!((own.code, &own.out, &own.err), (through.code, &through.out, &through.err), "{name}");
        through
    };
    for case in cases() {
        both(&case);
    }
    // Another file, that nobody has trusted; then its trust.
    let shell = case("codex", "pre_tool.shell");
    assert!(denied(&both(&shell)).contains("first"));
    rules("second");
    assert!(denied(&both(&shell)).contains("is not trusted"));
    trust();
    assert!(denied(&both(&shell)).contains("second"));
    fs::remove_file(folder.path().join("rules.json")).unwrap();
    denied(&both(&shell));
    // A client that wants other rules.
    rules("third");
    trust();
    let args = [shell.args(), vec!["--socket", "s", "--rules", "other.json"]].concat();
    assert!(denied(&hooks_with(folder.path(), &args, &shell.stdin)).contains("was started without"));
    drop(server);
    let gone = hooks_with(folder.path(), &[shell.args(), vec!["--socket", "s"]].concat(), &shell.stdin);
    assert!(denied(&gone).contains("does not answer"));
}

/// A program that ends after each call would count every call as the first one.
#[cfg(unix)]
#[test]
fn what_counts_calls_denies_them_unless_a_server_counts() {
    let folder = tempfile::tempdir().unwrap();
    let limit = json!({ "type": "hook", "id": "limit_calls", "with": { "limits": { "*": { "conversation": 1 } } } });
    let script = json!({ "type": "command", "command": "true", "async": true });
    let shell = case("claude", "pre_tool.shell");
    for handlers in [json!([limit]), json!([limit, script])] {
        let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": handlers }] } });
        fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
        assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
        let own = hooks_with(folder.path(), &[shell.args(), vec!["--rules", "rules.json"]].concat(), &shell.stdin);
        assert!(denied(&own).contains("nobody counts them here; continue"), "{}", own.out);
        let tried = hooks_with(folder.path(), &["dispatch", "--host", "claude", "--json", "rules.json"], &shell.stdin);
        assert_eq!(tried.json()["answer"]["stdout"], own.json(), "{}", tried.err);
        let _server = Server::of(folder.path(), &["--rules", "rules.json"]);
        let through = || hooks_with(folder.path(), &[shell.args(), vec!["--socket", "s"]].concat(), &shell.stdin);
        assert_eq!(through().out.trim(), "{}");
        assert!(denied(&through()).contains("once in a conversation"));
    }
}

/// Whoever may change rules, or trusts others, does not give the model its calls anew.
#[cfg(unix)]
#[test]
fn a_server_that_loads_its_rules_again_counts_on() {
    let folder = tempfile::tempdir().unwrap();
    let write = |most: u32, more: &str| {
        let limit =
            json!({ "type": "hook", "id": "limit_calls", "with": { "limits": { "*": { "conversation": most } } } });
        let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": [limit] }] } });
        fs::write(folder.path().join("rules.json"), rules.to_string() + more).unwrap();
    };
    let trust = || assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    write(2, "");
    trust();
    let _server = Server::of(folder.path(), &["--rules", "rules.json"]);
    let shell = case("claude", "pre_tool.shell");
    let ask = || hooks_with(folder.path(), &[shell.args(), vec!["--socket", "s"]].concat(), &shell.stdin);
    let passes = || assert_eq!(ask().out.trim(), "{}");
    let is_denied = |why: &str| assert!(denied(&ask()).contains(why), "{}", ask().out);
    passes();
    write(2, "\n");
    is_denied("is not trusted");
    trust();
    passes();
    is_denied("2 times in a conversation");
    write(3, "");
    trust();
    passes();
    is_denied("3 times in a conversation");
}

/// Whatever `check` warns of is something to do, and what holds for all hosts is told once.
#[cfg(unix)]
#[test]
fn installing_and_doctor_say_what_check_warns_of_and_what_nobody_counts() {
    let folder = tempfile::tempdir().unwrap();
    let limit = json!({ "type": "hook", "id": "limit_calls", "with": { "limits": { "*": { "conversation": 1 } } } });
    let script = json!({ "type": "command", "command": "./gone.sh" });
    for (handler, why) in [(&script, "gone.sh"), (&limit, "install with `--serve`")] {
        let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": [handler] }] } });
        fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
        assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
        let install = ["host", "install", "claude", "codex", "--rules", "rules.json"];
        let installed = hooks(folder.path(), &install);
        assert_eq!((installed.code, installed.out.matches(why).count()), (Some(0), 1), "{}", installed.out);
        for named in [&[][..], &["--rules", "rules.json"]] {
            let doctor = hooks(folder.path(), &[&["host", "doctor", "claude"], named].concat());
            assert!(doctor.code == Some(1) && doctor.err.contains(why), "{}{}", doctor.out, doctor.err);
        }
        let served = hooks(folder.path(), &[&install[..], &["--serve"]].concat());
        assert_eq!(served.out.contains(why), handler == &script, "{}", served.out);
    }
}

/// A hook of several kinds is made for other programs too.
#[test]
fn a_ready_made_hook_that_runs_says_nothing_of_kinds_that_the_host_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let rules = json!({ "hooks": { "PostToolUse": [{ "hooks": [{ "type": "hook", "id": "mask_pii" }] }] } });
    fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    for host in ["claude", "codex", "goose"] {
        let said = hooks(folder.path(), &["host", "install", host, "--rules", "rules.json"]);
        assert_eq!(said.code, Some(0), "{host}: {}", said.err);
        assert!(!said.out.contains("never run"), "{host}: {}", said.out);
    }
}

/// The host waits for the program, but not for a server.
#[cfg(unix)]
#[test]
fn an_async_rule_does_not_keep_the_host_waiting_for_a_server_and_still_runs() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // It ends when somebody reads from it.
    let script = json!({ "type": "command", "command": format!("echo ran > '{}'", fifo.display()), "async": true });
    let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": [script] }] } });
    fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    let _server = Server::of(folder.path(), &["--rules", "rules.json"]);
    let shell = case("claude", "pre_tool.shell");
    let said = hooks_with(folder.path(), &[shell.args(), vec!["--socket", "s"]].concat(), &shell.stdin);
    assert_eq!((said.code, said.out.trim()), (Some(0), "{}"), "{}", said.err);
    assert_eq!(fs::read_to_string(&fifo).unwrap(), "ran\n");
}

#[cfg(unix)]
#[test]
fn an_async_rule_does_not_keep_the_host_waiting_and_still_runs() {
    for (named, file) in [("rules.json", "rules.json"), ("plugin", "plugin/hooks/hooks.json")] {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let waits = json!({ "type": "command", "command": format!("echo ran > '{}'", fifo.display()), "async": true });
        let denies = json!({ "type": "command", "command": "echo 'no shell here' >&2; exit 2" });
        let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": [waits, denies] }] } });
        put(&folder.path().join("plugin/.claude-plugin/plugin.json"), r#"{ "name": "guards" }"#);
        put(&folder.path().join(file), &rules.to_string());
        let shell = case("codex", "pre_tool.shell");
        let args = [shell.args(), vec!["--rules", named]].concat();
        // Whatever is wrong in the other process is a refusal here.
        assert!(denied(&hooks_with(folder.path(), &args, &shell.stdin)).contains("is not trusted"));
        assert_eq!(hooks(folder.path(), &["trust", "--yes", named]).code, Some(0));
        let said = hooks_with(folder.path(), &[&args[..], &["--record", "calls"]].concat(), &shell.stdin);
        assert_eq!(denied(&said), "no shell here", "{}", said.err);
        // The program has ended; the rule has waited for somebody who reads.
        assert_eq!(fs::read_to_string(&fifo).unwrap(), "ran\n", "{named}");
        assert_eq!(fs::read_dir(folder.path().join("calls")).unwrap().count(), 1);
    }
}

/// Through the program, with files that are links, read-only, broken or full of comments.
#[cfg(unix)]
#[test]
fn nothing_of_others_is_lost_whatever_their_file_is() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    for host in all() {
        let name = host.name;
        let folder = tempfile::tempdir().unwrap();
        no_shell(folder.path());
        let Some(file) = shared(host, folder.path()) else { continue };
        let run = |command: &str| {
            let rules: &[&str] = if command == "install" { &["--rules", "rules.json"] } else { &[] };
            hooks(folder.path(), &[&["host", command, name], rules].concat())
        };
        // Not JSON: nothing is touched, and the message names the file.
        for text in ["{\"hooks\": {", "# theirs\n", ""] {
            put(&file, text);
            for command in ["install", "uninstall", "doctor"] {
                let said = run(command);
                assert_eq!(said.code, Some(1), "{name} {command}: {}", said.out);
                assert!(said.err.contains(&*file.to_string_lossy()), "{name} {command}: {}", said.err);
            }
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        // A link to a file with comments.
        let real = folder.path().join("dotfiles/real.json");
        let text = others(host).remove(0);
        put(&real, &text);
        fs::remove_file(&file).unwrap();
        symlink(&real, &file).unwrap();
        assert_eq!(run("install").code, Some(0), "{name}");
        assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
        let doctor = run("doctor");
        assert_eq!(doctor.code, Some(0), "{name}: {}{}", doctor.out, doctor.err);
        let shell = case(name, "pre_tool.shell");
        let command = command(folder.path(), &shell).unwrap();
        let said = self::run(folder.path(), &command, &shell.stdin);
        assert!(said.out.contains("no shell here") || said.err.contains("no shell here"), "{name}: {}", said.err);
        // Read-only: refused, and as it was.
        let with_entries = fs::read(&real).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
        let said = run("uninstall");
        assert!(said.code == Some(1) && said.err.contains("read-only"), "{name}: {}", said.err);
        assert_eq!(fs::read(&real).unwrap(), with_entries);
        fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(run("uninstall").code, Some(0), "{name}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{name}");
        // No folder at all: it is made, and nothing of ours stays.
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
        assert_eq!((run("install").code, run("uninstall").code), (Some(0), Some(0)), "{name}");
        assert!(fs::read_dir(folder.path()).unwrap().all(|there| !file.starts_with(there.unwrap().path())), "{name}");
    }
}

/// Antigravity runs hooks in the folder of its file, so the entry names the project.
#[test]
fn a_script_hears_of_the_project_wherever_the_host_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo \"at $CLAUDE_PROJECT_DIR\" >&2; exit 2";
    let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": script }] }] } });
    fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    let shell = case("antigravity", "pre_tool.shell");
    assert_eq!(hooks(folder.path(), &["host", "install", "antigravity", "--rules", "rules.json"]).code, Some(0));
    let command = command(folder.path(), &shell).unwrap();
    let below = folder.path().join(".agents");
    let said = run(folder.path(), &format!("cd '{}' && {command}", below.display()), &shell.stdin);
    let project = folder.path().canonicalize().unwrap();
    let named = [folder.path(), &project].map(|folder| format!("at {}\"", folder.display()));
    assert!(named.iter().any(|named| said.out.contains(named)), "{}", said.out);
}

#[test]
fn a_script_that_ends_a_session_at_its_start_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    rules(folder.path(), "SessionStart", &Value::Null, &json!({ "continue": false, "stopReason": "closed today" }));
    let payload = |name: &str| json!({ "hook_event_name": name, "session_id": "s", "source": "startup" }).to_string();
    let said = |host: &str, name: &str| {
        hooks_with(folder.path(), &["host", host, "--rules", "rules.json"], payload(name).as_bytes())
    };
    for host in ["claude", "codex"] {
        let said = said(host, "SessionStart");
        assert_eq!(said.json(), json!({ "continue": false, "stopReason": "closed today" }), "{host}: {}", said.err);
    }
    assert_eq!(said("cursor", "sessionStart").json()["continue"], false);
    assert!(said("kiro", "SessionStart").err.contains("cannot carry a denial"));
}

/// A host that begins a session all the same hears a denial at everything in it, until the session begins anew.
#[test]
fn nothing_happens_in_a_session_that_a_script_has_ended_at_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let gate = json!({ "type": "command", "command": "true" });
    let halts = json!({ "type": "command", "command": "test -f open || echo '{\"continue\": false, \"stopReason\": \"closed today\"}'" });
    let rules = json!({ "hooks": {
        "SessionStart": [{ "hooks": [halts] }], "PreToolUse": [{ "hooks": [gate] }], "UserPromptSubmit": [{ "hooks": [gate] }] } });
    fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    for (host, call) in [
        ("qwen", "run_shell_command"),
        ("kiro", "shell"),
        ("droid", "Execute"),
        ("vscode", "run_in_terminal"),
        // These can end a session, and are not relied on to do so.
        ("claude", "Bash"),
        ("codex", "Bash"),
    ] {
        let said = |event: &str, session: &str| {
            let mut payload =
                json!({ "hook_event_name": event, "session_id": session, "source": "startup", "prompt": "p" });
            payload["tool_name"] = call.into();
            payload["tool_input"] = json!({ "command": "ls" });
            let said =
                hooks_with(folder.path(), &["host", host, "--rules", "rules.json"], payload.to_string().as_bytes());
            format!("{}{}", said.out, said.err).contains("closed today")
        };
        let _ = fs::remove_file(folder.path().join("open"));
        said("SessionStart", "s/1");
        assert!(said("PreToolUse", "s/1") && said("UserPromptSubmit", "s/1"), "{host}");
        assert!(!said("PreToolUse", "s/2") && !said("UserPromptSubmit", "s/2"), "{host}");
        fs::write(folder.path().join("open"), "").unwrap();
        said("SessionStart", "s/1");
        assert!(!said("PreToolUse", "s/1") && !said("UserPromptSubmit", "s/1"), "{host}");
    }
}

/// Beside a sound rule, nobody would miss one that never runs.
#[test]
fn what_check_warns_of_is_told_by_install_and_doctor() {
    let folder = tempfile::tempdir().unwrap();
    let gate = r#"[{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "exit 2" }] }]"#;
    for (rules, told) in [
        (format!(r#"{{ "hooks": {{ "PreToolUse": {gate}, "preToolUse": {gate} }} }}"#), "rules.json:1: "),
        (format!(r#"{{ "hooks": {{ "PreToolUse": {gate} }}, "hooks": {{ "PreToolUse": {gate} }} }}"#), "`hooks`"),
        (r#"{ "hooks": { "PreToolUse": [{ "matcher": "bash", "hooks": [{ "type": "command", "command": "exit 2" }] }] } }"#.to_owned(), "`Bash`"),
    ] {
        fs::write(folder.path().join("rules.json"), &rules).unwrap();
        assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
        let installed = hooks(folder.path(), &["host", "install", "claude", "--rules", "rules.json"]);
        let doctor = hooks(folder.path(), &["host", "doctor", "claude", "--rules", "rules.json"]);
        for said in [&installed, &doctor] {
            let text = format!("{}{}", said.out, said.err);
            assert!(text.contains("rules.json:1: ") && text.contains(told), "{rules}: {text}");
        }
        assert_eq!((installed.code, doctor.code), (Some(0), Some(1)), "{rules}");
    }
}

/// Gemini reads all files that patterns find, whatever their case.
#[test]
fn a_guard_of_files_sees_what_a_pattern_may_find() {
    let folder = tempfile::tempdir().unwrap();
    let guard = json!({ "type": "command", "command": "exit 2", "if": "Read(secret/**)", "onFailure": "block" });
    let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": [guard] }] } });
    fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    let is_open = |files: Value| {
        let payload = json!({ "hook_event_name": "BeforeTool", "session_id": "s", "cwd": folder.path(),
            "tool_name": "read_many_files", "tool_input": { "include": files } });
        let args = ["host", "gemini", "--rules", "rules.json"];
        hooks_with(folder.path(), &args, payload.to_string().as_bytes()).out.trim() == "{}"
    };
    for files in [["**/*"], ["sec*/key"], ["."], ["SECRET/KEY"], ["secret/key"]] {
        assert!(!is_open(json!(files)), "{files:?}");
    }
    assert!(is_open(json!(["src/**/*.rs", "README.md"])));
}

/// An entry of a person runs in the folder of its file, and names no project.
#[test]
fn a_script_of_a_person_hears_of_the_project_in_the_payload() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo \"at $CLAUDE_PROJECT_DIR\" >&2; exit 2";
    let rules = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": script }] }] } });
    fs::write(folder.path().join("rules.json"), rules.to_string()).unwrap();
    assert_eq!(hooks(folder.path(), &["trust", "--yes", "rules.json"]).code, Some(0));
    let sent = [("antigravity", "/workspacePaths"), ("cursor", "/workspace_roots"), ("cline", "/workspaceRoots")];
    for (host, place) in sent {
        let shell = case(host, "pre_tool.shell");
        let mut payload: Value = serde_json::from_slice(&shell.stdin).unwrap();
        *payload.pointer_mut(place).unwrap() = json!(["/home/ada/shop"]);
        let args = [shell.args(), vec!["--rules", "rules.json"]].concat();
        let said = hooks_with(folder.path(), &args, payload.to_string().as_bytes());
        assert!(said.out.contains("at /home/ada/shop"), "{host}: {}{}", said.out, said.err);
        // Who installs it for a project means that one.
        let named = [&args[..], &["--project-dir", "."]].concat();
        let said = hooks_with(folder.path(), &named, payload.to_string().as_bytes());
        assert!(!said.out.contains("/home/ada/shop"), "{host}: {}{}", said.out, said.err);
    }
}

/// Nobody writes to it, and the host does not wait for that.
#[cfg(unix)]
#[test]
fn rules_in_a_pipe_are_a_denial() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Command::new("mkfifo").arg(folder.path().join("rules.json")).status().unwrap().success());
    let case = case("claude", "pre_tool.shell");
    let mut host = Command::new("timeout");
    host.args(["30", env!("CARGO_BIN_EXE_hooks"), "host", "claude", "--rules", "rules.json", "--deadline", "1"]);
    host.current_dir(folder.path()).env("HOME", folder.path()).env("HOOKS_STATE_DIR", folder.path());
    let mut child = host.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &case.stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() != Some(124) && said.contains("deny"), "{:?} {said}", output.status);
}

#[test]
fn dispatch_shows_the_refusal_of_a_file_without_rules() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rules.json"), r#"{"Hooks": {}}"#).unwrap();
    let case = case("claude", "pre_tool.shell");
    let args = ["dispatch", "--host", "claude", "--trust", "rules.json"];
    let said = hooks_with(folder.path(), &args, &case.stdin);
    assert!(said.code == Some(1) && said.err.contains("it has no rules"), "{:?} {}{}", said.code, said.out, said.err);
    assert!(said.err.contains("the host would hear a refusal"), "{}", said.err);
}

#[test]
fn the_folder_of_a_plugin_answers_as_its_rules_do() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("plug");
    fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
    fs::create_dir_all(plugin.join("hooks")).unwrap();
    fs::write(plugin.join(".claude-plugin/plugin.json"), r#"{"name": "plug", "version": "1.0.0"}"#).unwrap();
    let deny = r#"{"type": "command", "command": "echo not here >&2; exit 2"}"#;
    let rules = format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{deny}]}}]}}}}"#);
    fs::write(plugin.join("hooks/hooks.json"), rules).unwrap();
    let case = case("claude", "pre_tool.shell");
    let shown = hooks_with(folder.path(), &["dispatch", "--host", "claude", "--trust", "plug"], &case.stdin);
    assert!(shown.code == Some(2) && shown.out.contains("not here"), "{:?} {}{}", shown.code, shown.out, shown.err);
    hooks(folder.path(), &["trust", "--yes", "plug"]);
    let said = hooks_with(folder.path(), &["host", "claude", "--rules", "plug"], &case.stdin);
    assert_eq!(denied(&said), "not here");
}

/// A rule file that is trusted.
fn trusted(folder: &Path, rules: &Value) {
    fs::write(folder.join("rules.json"), json!({ "hooks": rules }).to_string()).unwrap();
    assert_eq!(hooks(folder, &["trust", "--yes", "rules.json"]).code, Some(0));
}

/// A script that says this.
fn says(answer: &Value) -> Value {
    json!([{ "hooks": [{ "type": "command", "command": format!("echo '{answer}'") }] }])
}

#[test]
fn a_rule_that_can_never_match_at_a_host_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let servers = "the payload does not tell servers from tools";
    for (host, matcher, told, code) in [
        ("copilot", "mcp__.*", Some(servers), 1),
        ("vscode", "^mcp__desk__(a|b)$", Some(servers), 1),
        ("antigravity", "Bash|mcp__desk__a", Some(servers), 0),
        ("claude", "mcp__desk__a|mcp__.*", None, 0),
        ("cursor", "mcp__.*", None, 0),
        ("codex", "WebFetch|WebSearch", Some("`WebFetch` in the matcher of "), 0),
        ("codex", "Bash|Edit|Write|New", None, 0),
        ("cursor", "Glob", Some("`Glob` in the matcher of "), 0),
        ("copilot", "Web.*", None, 0),
        ("vscode", "mcp_desk_.*|Agent", None, 0),
    ] {
        let gate = json!([{ "matcher": matcher, "hooks": [{ "type": "command", "command": "exit 2" }] }]);
        trusted(folder.path(), &json!({ "PreToolUse": gate }));
        let installed = hooks(folder.path(), &["host", "install", host, "--rules", "rules.json"]);
        let doctor = hooks(folder.path(), &["host", "doctor", host, "--rules", "rules.json"]);
        assert_eq!(
            (installed.code, doctor.code),
            (Some(0), Some(code)),
            "{host} {matcher}: {}{}",
            doctor.out,
            doctor.err
        );
        for said in [installed.out + &installed.err, doctor.out + &doctor.err] {
            assert_eq!(said.contains("selects nothing at"), told.is_some(), "{host} {matcher}: {said}");
            assert!(said.contains(told.unwrap_or_default()), "{host} {matcher}: {said}");
        }
    }
}

/// Ready-made hooks take no matcher, so that a misspelt tool in their parameters is a guard that is open.
#[test]
fn a_misspelt_tool_in_the_parameters_of_a_ready_made_hook_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (named, told, code, strict) in [
        ("bash", Some("write `Bash`"), 1, 1),
        ("WebFech", Some("write `WebFetch`"), 1, 1),
        ("Bash|Edit", Some("no tool has `|` in its name"), 1, 1),
        // Known where rules are written for, and no name that a compiled hook sees at a host.
        ("run_shell_command", Some("compiled hooks see the tool as `Bash`"), 1, 0),
        ("Bash", None, 0, 0),
        ("mcp__desk__send", None, 0, 0),
        ("refund", None, 0, 0),
    ] {
        let gate = json!([{ "hooks": [{ "type": "hook", "id": "ask_for", "with": { named: "deny" } }] }]);
        trusted(folder.path(), &json!({ "PreToolUse": gate }));
        let check = hooks(folder.path(), &["check", "--strict", "rules.json"]);
        let doctor = hooks(folder.path(), &["doctor", "rules.json"]);
        let installed = hooks(folder.path(), &["host", "install", "claude", "--rules", "rules.json"]);
        let diagnosed = hooks(folder.path(), &["host", "doctor", "claude", "--rules", "rules.json"]);
        let all = [check, doctor, installed, diagnosed];
        let codes = all.each_ref().map(|said| said.code.unwrap());
        let said = all.map(|said| said.out + &said.err);
        assert_eq!(codes, [strict, strict, 0, code], "{named}: {said:#?}");
        let by_files = if strict == code { 0 } else { 2 };
        for said in &said[by_files..] {
            assert!(said.contains(told.unwrap_or_default()), "{named}: {said}");
            assert_eq!(said.contains("parameters of"), told.is_some(), "{named}: {said}");
        }
    }
    let gate = json!([{ "hooks": [{ "type": "hook", "id": "ask_for", "with": { "Glob": "deny" } }] }]);
    trusted(folder.path(), &json!({ "PreToolUse": gate }));
    let installed = hooks(folder.path(), &["host", "install", "cursor", "--rules", "rules.json"]);
    assert!(installed.out.contains("`Glob` in the parameters of "), "{}{}", installed.out, installed.err);
}

/// `--user` means the files that the host reads, wherever its variable says that they are.
#[test]
fn the_files_of_a_person_are_where_the_host_looks_for_them() {
    for (host, variable, file) in [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("copilot", "COPILOT_HOME", "hooks/hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("qwen", "QWEN_HOME", "settings.json"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        no_shell(folder.path());
        let own = folder.path().join("own");
        let run = |args: &[&str]| -> Said {
            let mut program = crate::support::program(folder.path());
            program.args(["host"]).args(args).args(["--user", "--rules", "rules.json"]).env(variable, &own);
            program.output().unwrap().into()
        };
        assert_eq!(run(&["install", host]).code, Some(0));
        assert!(fs::read_to_string(own.join(file)).unwrap().contains(" host "), "{host}");
        let doctor = run(&["doctor", host]);
        assert_eq!(doctor.code, Some(0), "{}{}", doctor.out, doctor.err);
        if host == "codex" {
            fs::write(own.join("config.toml"), "features.hooks = false").unwrap();
            assert!(run(&["doctor", host]).err.contains("switches all hooks off"));
        }
        assert_eq!(run(&["uninstall", host]).code, Some(0));
        assert!(!own.join(file).exists() && !folder.path().join(format!(".{host}")).exists(), "{host}");
    }
}

#[test]
fn uninstalling_says_what_becomes_of_the_entries_of_others() {
    let folder = tempfile::tempdir().unwrap();
    no_shell(folder.path());
    put(&folder.path().join(".codex/hooks.json"), r#"{"hooks": {"Stop": []}}"#);
    assert_eq!(hooks(folder.path(), &["host", "install", "codex", "--rules", "rules.json"]).code, Some(0));
    let gone = hooks(folder.path(), &["host", "uninstall", "codex"]);
    assert!(gone.out.contains("have another place now"), "{}", gone.out);
}

/// Rules that are only for the end of a sub-agent guard nothing.
#[test]
fn rules_that_no_host_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    trusted(folder.path(), &json!({ "SubagentStop": says(&json!({ "decision": "block", "reason": "no" })) }));
    let said = hooks(folder.path(), &["host", "install", "claude", "--rules", "rules.json"]);
    assert!(said.code == Some(1) && said.err.contains("rules at `SubagentStop` never run"), "{}{}", said.out, said.err);
}

/// What a rule says, and what the host hears: each part of it, or a warning.
#[test]
fn no_part_of_an_answer_gets_lost_silently() {
    let folder = tempfile::tempdir().unwrap();
    let base = |event: &str| json!({ "hook_event_name": event, "session_id": "s", "cwd": "/tmp" });
    let call = |event: &str| {
        let mut call = base(event);
        call["tool_name"] = "Bash".into();
        call["tool_input"] = json!({ "command": "x" });
        call["tool_response"] = json!("old");
        call
    };
    let mut start = base("SessionStart");
    start["source"] = "new".into();
    let startup = json!([{ "matcher": "startup|resume", "hooks": [{ "type": "command", "command": "echo CTX" }] }]);
    let write = json!({ "hook_event_name": "preToolUse", "tool_name": "Write", "tool_input": { "file_path": "/x", "content": "old" } });
    let new = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "updatedInput": { "file_path": "/x", "content": "new" } } });
    let read = json!({ "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": { "path": "/x" } });
    let block = json!({ "decision": "block" });
    let both = json!({ "decision": "block", "reason": "why",
        "hookSpecificOutput": { "hookEventName": "PostToolUse", "updatedToolOutput": "masked" } });
    let interrupt = json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest",
        "decision": { "behavior": "deny", "message": "no", "interrupt": true } } });
    for (host, event, payload, rule, out, err) in [
        (
            "claude",
            "PostToolUse",
            call("PostToolUse"),
            says(&block),
            r#""decision":"block","reason":"a rule does not"#,
            "",
        ),
        (
            "copilot",
            "PostToolUse",
            call("PostToolUse"),
            says(&block),
            r#""additionalContext":"a rule does not"#,
            "a denial",
        ),
        ("codex", "PostToolUse", call("PostToolUse"), says(&both), r#""reason":"masked\n\nwhy""#, ""),
        ("vscode", "PostToolUse", call("PostToolUse"), says(&both), r#""reason":"masked\n\nwhy""#, "another result"),
        ("vscode", "SessionStart", start.clone(), startup.clone(), "CTX", ""),
        ("copilot", "SessionStart", start, startup, "CTX", ""),
        ("cursor", "PreToolUse", write, says(&new), r#""content":"new""#, ""),
        ("copilot", "PreToolUse", read, says(&json!({})), "{}", ""),
        ("claude", "PermissionRequest", call("PermissionRequest"), says(&interrupt), "deny", "the end of the turn"),
        ("claude", "PreToolUse", call("PreToolUse"), says(&json!({ "systemMessage": "hi" })), "{}", "`systemMessage`"),
        ("claude", "Stop", base("Stop"), says(&json!({ "continue": false })), "{}", "ends the turn"),
    ] {
        trusted(folder.path(), &json!({ event: rule }));
        let said = hooks_with(folder.path(), &["host", host, "--rules", "rules.json"], payload.to_string().as_bytes());
        let shown = format!("{host} {event} {rule}: {}{}", said.out, said.err);
        assert!(said.out.contains(out) && said.err.contains(err), "{shown}");
        assert_eq!(said.err.is_empty(), err.is_empty(), "{shown}");
    }
}

/// Files of the person that keep the host from calling the entry of a project.
#[test]
fn what_hides_an_entry_elsewhere_is_told() {
    for (host, file, text, told) in [
        ("gemini", ".gemini/settings.json", r#"{"hooksConfig": {"disabled": ["hooks"]}}"#, "names `hooks`"),
        ("gemini", ".gemini/settings.json", r#"{"hooksConfig": {"disabled": ["other"]}}"#, ""),
        ("droid", ".factory/hooks.json", r#"{"PreToolUse": []}"#, "hides the same event"),
        ("droid", ".factory/hooks.json", r#"{"Stop": []}"#, ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        no_shell(folder.path());
        let project = folder.path().join("project");
        fs::create_dir(&project).unwrap();
        let run = |args: &[&str]| -> Said {
            let mut program = crate::support::program(folder.path());
            program.arg("host").args(args).args(["--rules", "../rules.json"]).current_dir(&project);
            program.output().unwrap().into()
        };
        assert_eq!(run(&["install", host]).code, Some(0));
        put(&folder.path().join(file), text);
        let doctor = run(&["doctor", host]);
        let said = doctor.out + &doctor.err;
        assert!(said.contains(told), "{text}: {said}");
        assert_eq!(doctor.code, Some(i32::from(!told.is_empty())), "{text}: {said}");
    }
}
