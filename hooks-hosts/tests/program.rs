//! What a program does besides answering: it installs itself, looks after its entries, and stays loaded.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use hook_sdk::data::{ToolCall, ToolInput};
use hook_sdk::kinds::{BeforeCompaction, BeforeToolCall, SessionStart, Stop, UserPromptSubmit};
use hook_sdk::scope::AgentDef;
use hook_sdk::verdict::{Contexts, Permission, PromptVerdict, StopVerdict};
use hook_sdk::{Hook, HookContext, Registry};
use hooks_hosts::{
    EntryForm, HookPoint, Host, HostEventSpec, HostNotes, HostTrial, Request, Responder, Stdout, all, convert, find,
    scaffold,
};
use serde_json::{Value, json};

use crate::cases::{case, cases};
use crate::process::call;

fn program(folder: &Path, args: &[&str]) -> Output {
    program_of(folder, folder, args)
}

fn program_of(home: &Path, folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hooks-hosts-fixture"))
        .args(args)
        .current_dir(folder)
        .env("HOME", home)
        .env("HOOKS_STATE_DIR", folder.join("state"))
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn install_doctor_call_and_uninstall() {
    let folder = tempfile::tempdir().unwrap();
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let installed = program(folder.path(), &["install", "claude", "goose", "cline"]);
    assert!(installed.status.success(), "{installed:?}");
    // The fixture has hooks before a call and at the prompt, and nowhere else.
    assert!(text(&installed).contains("settings.json at PreToolUse, UserPromptSubmit\n"), "{installed:?}");
    let doctor = program(folder.path(), &["doctor", "claude", "goose", "cline"]);
    assert!(doctor.status.success(), "{doctor:?}");
    assert!(
        text(&doctor).contains("claude: 2 events, in order") && text(&doctor).contains("never called"),
        "{doctor:?}"
    );

    let settings = folder.path().join(".claude/settings.json");
    let value: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    let command = value["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    let payload = folder.path().join("payload.json");
    fs::write(&payload, r#"{"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}"#).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    for (at, is_here) in [(elsewhere.path(), false), (folder.path(), true)] {
        let shell = Command::new("sh")
            .args(["-c", command])
            .current_dir(at)
            .stdin(fs::File::open(&payload).unwrap())
            .env("HOOKS_STATE_DIR", folder.path().join("state"))
            .output()
            .unwrap();
        assert!(text(&shell).contains("nothing is removed here"), "{shell:?}");
        let doctor = program(folder.path(), &["doctor", "claude"]);
        assert!(text(&doctor).contains("last called 0 minutes ago, `PreToolUse`"), "{doctor:?}");
        // A call of another project says nothing of this one.
        assert_eq!(text(&doctor).contains("never called"), !is_here, "{doctor:?}");
        // Nobody knows whether the host called, so what is left to do there stays.
        assert_eq!(text(&doctor).contains("called by Claude Code or by hand"), is_here, "{doctor:?}");
        assert!(text(&doctor).contains("`/hooks` in Claude Code shows the hooks"), "{doctor:?}");
    }

    let uninstalled = program(folder.path(), &["uninstall", "claude", "goose", "cline"]);
    assert!(uninstalled.status.success() && !settings.parent().unwrap().exists(), "{uninstalled:?}");
    assert_eq!(text(&program(folder.path(), &["doctor"])), "not installed at any host\n");
}

#[test]
fn a_host_that_cannot_be_changed_keeps_no_other_from_being_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".claude")).unwrap();
    fs::write(folder.path().join(".claude/settings.json"), "no JSON").unwrap();
    let installed = program(folder.path(), &["install", "claude", "codex"]);
    let said = String::from_utf8(installed.stderr).unwrap();
    assert_eq!(installed.status.code(), Some(1));
    assert!(said.contains("claude: error: ") && said.contains("codex: ") && said.contains(" at PreToolUse"), "{said}");
    let usage = program(folder.path(), &["--help"]);
    assert!(usage.status.success() && usage.stdout.starts_with(b"usage: "), "{usage:?}");
}

/// Ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_server_gives_the_same_answers_and_refuses_when_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("hooks.sock");
    let path = socket.to_str().unwrap();
    let mut server = Server(
        Command::new(env!("CARGO_BIN_EXE_hooks-hosts-fixture"))
            .args(["serve", "--socket", path])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, format!("listens at {path}\n"));
    let second = program(folder.path(), &["serve", "--socket", path]);
    let said = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success() && said.contains("hooks.sock: another `serve` listens there; give it"), "{said}");
    for case in cases() {
        let mut args = case.args();
        let own = call(&args, &case.stdin);
        args.extend(["--socket", path]);
        let through = call(&args, &case.stdin);
        assert_eq!(
            (own.status, &own.stdout, &own.stderr),
            (through.status, &through.stdout, &through.stderr),
            "{args:?}"
        );
    }
    // A payload that cannot be read, and a hook that hangs.
    let shell = case("codex", "pre_tool.shell");
    let hang = String::from_utf8(shell.stdin.clone()).unwrap().replace("rm -rf build", "hang");
    for (stdin, more) in [(&b"{"[..], &[][..]), (hang.as_bytes(), &["--deadline", "0.5"])] {
        let output = call(&[&["host", "codex", "--event", "PreToolUse", "--socket", path], more].concat(), stdin);
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "{said}");
    }
    drop(server);
    let case = case("codex", "pre_tool.write");
    let output = call(&["host", "codex", "--socket", path], &case.stdin);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "{said}");
}

/// Where a host listens, a session that a hook halts does not begin; elsewhere the log says so.
#[test]
fn a_session_that_a_hook_halts() {
    let trial = |host: &str, payload: Value| {
        let registry = hook_sdk::Registry::empty();
        let halt = Hook::at::<SessionStart>("closed").reader(|cx, _, ()| {
            cx.state::<HostNotes>().unwrap().halt("closed today");
            Contexts::default()
        });
        registry.register(halt).unwrap();
        let responder = Responder::new(registry).unwrap();
        assert!(responder.is_concerned(HookPoint::BeforeToolCall), "calls of a session that goes on are denied");
        assert!(!responder.is_concerned(HookPoint::Stop));
        HostTrial::with(host, responder).unwrap().answer(payload.to_string()).unwrap().answer
    };
    let start = |name: &str| json!({ "hook_event_name": name, "session_id": "s", "source": "startup" });
    let stops = Stdout::Json(json!({ "continue": false, "stopReason": "closed today" }));
    assert_eq!(trial("claude", start("SessionStart")).stdout, stops);
    assert_eq!(trial("codex", start("SessionStart")).stdout, stops);
    let cursor = trial("cursor", start("sessionStart")).stdout;
    assert_eq!(cursor, Stdout::Json(json!({ "continue": false, "user_message": "closed today" })));
    let cline = trial("cline", json!({ "hookName": "TaskStart", "taskId": "1" })).stdout;
    assert_eq!(cline, Stdout::Json(json!({ "cancel": true, "errorMessage": "closed today" })));
    for host in ["vscode", "gemini", "kiro", "qwen", "droid"] {
        let warnings = trial(host, start("SessionStart")).warnings;
        assert!(warnings.iter().any(|text| text.contains("cannot carry a denial")), "{host}: {warnings:?}");
    }
}

#[test]
fn droid_keeps_a_compaction_from_happening_by_its_status() {
    let registry = hook_sdk::Registry::empty();
    let keeps = Hook::at::<BeforeCompaction>("keeps").reader(|_, _, ()| Permission::deny("not now"));
    registry.register(keeps).unwrap();
    let trial = HostTrial::with("droid", Responder::new(registry).unwrap()).unwrap();
    let answer = trial.answer(r#"{"hookEventName": "PreCompact", "trigger": "auto"}"#).unwrap().answer;
    assert_eq!((answer.exit, answer.stderr.as_deref()), (2, Some("not now")));
}

#[test]
#[should_panic(expected = "NoOpinion about PreToolUse Bash {\"command\":\"ls\"}")]
fn an_expectation_that_fails_names_the_call() {
    let trial = HostTrial::with("claude", Responder::new(Registry::empty()).unwrap()).unwrap();
    let call = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_use_id": "1",
        "tool_name": "Bash", "tool_input": { "command": "ls" } });
    trial.answer(call.to_string()).unwrap().expect_denied("no");
}

#[test]
fn rules_of_claude_code_become_those_of_others() {
    let rules = json!({ "hooks": {
        "PreToolUse": [
            { "matcher": "Bash|Write", "hooks": [
                { "type": "command", "command": "./guard.sh", "timeout": 5, "onFailure": "block" },
                { "type": "prompt", "prompt": "is it safe?" } ] } ],
        "TaskCreated": [{ "hooks": [{ "type": "command", "command": "./bell.sh" }] }],
    }});
    let claude = find("claude").unwrap();
    let converted = |to: &str| convert(claude, find(to).unwrap(), &rules.to_string()).unwrap();
    let gemini = converted("gemini");
    let entry = &gemini.file["hooks"]["BeforeTool"][0];
    assert_eq!(entry["matcher"], "run_shell_command|write_file");
    assert_eq!((&entry["hooks"][0]["command"], &entry["hooks"][0]["timeout"]), (&json!("./guard.sh"), &json!(5000)));
    let lost = gemini.lost.join("\n");
    assert!(lost.contains("prompt") && lost.contains("TaskCreated") && lost.contains("opens"), "{lost}");
    let cursor = converted("cursor");
    assert_eq!(
        (&cursor.file["version"], &cursor.file["hooks"]["preToolUse"][0]["failClosed"]),
        (&json!(1), &json!(true))
    );
    assert!(cursor.lost.iter().any(|lost| lost.contains("the matcher")), "{:?}", cursor.lost);
    let posts =
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "curl http://127.0.0.1:9/log"}]}]}}"#;
    let cursor = convert(find("claude").unwrap(), find("cursor").unwrap(), posts).unwrap();
    assert!(cursor.lost.iter().any(|lost| lost.contains("Cursor rejects the file")), "{:?}", cursor.lost);
    assert!(convert(claude, find("cline").unwrap(), "{}").is_err());
    assert!(convert(claude, find("codex").unwrap(), "no JSON").is_err());
}

/// For each host with a file of rules, one with a single command before calls, with this matcher.
fn guard(host: &Host, matcher: Option<&str>) -> Vec<String> {
    let place = host.place;
    let gates = host.events().filter(|event| event.kind == HookPoint::BeforeToolCall);
    let of = |event: HostEventSpec| {
        let handler = json!({ "type": "command", "command": "g", "timeout": 5 });
        let mut entry = match place.form {
            EntryForm::Flat => handler,
            EntryForm::List => json!({ "trigger": event.name, "action": handler, "timeout": 5 }),
            _ => json!({ "hooks": [handler] }),
        };
        if let Some(matcher) = matcher {
            entry["matcher"] = matcher.into();
        }
        let entries = if place.form == EntryForm::List { json!([entry]) } else { json!({ event.name: [entry] }) };
        json!({ place.root.unwrap_or("named"): entries }).to_string()
    };
    gates.map(of).collect()
}

/// The event and the matcher of each command in a converted file.
fn commands(host: &Host, file: &Value) -> Vec<(String, String)> {
    let root = host.place.root.map_or(&file["converted"], |root| &file[root]);
    let matcher = |entry: &Value| entry["matcher"].as_str().unwrap_or("*").to_owned();
    let of_list = root.as_array().into_iter().flatten().map(|entry| (entry["trigger"].as_str().unwrap(), entry));
    let of_map = root.as_object().into_iter().flatten();
    let of_map = of_map.flat_map(|(event, list)| list.as_array().unwrap().iter().map(move |entry| (&**event, entry)));
    of_list.chain(of_map).map(|(event, entry)| (event.to_owned(), matcher(entry))).collect()
}

/// Whatever the tables of two hosts say: a guard that was asked about a call is asked about the same call at the other host.
#[test]
fn a_converted_guard_is_asked_about_every_call_that_it_was_asked_about() {
    let hosts = || all().iter().filter(|host| host.place.form != EntryForm::Scripts);
    let mut asked = 0;
    for (from, to) in hosts().flat_map(|from| hosts().map(move |to| (from, to))) {
        let words = from.tools().map(|tool| Some(tool.name)).chain([None, Some("mcp__x__.*"), Some("New|Unknown")]);
        for (word, file) in words.flat_map(|word| guard(from, word).into_iter().map(move |file| (word, file))) {
            let converted = convert(from, to, &file).unwrap();
            let commands = commands(to, &converted.file);
            let tells = |tool: &str, event: &str| {
                let event = to.event(event).unwrap();
                event.kind == HookPoint::BeforeToolCall && (event.tools.is_empty() || event.tools.contains(&tool))
            };
            let is_asked = |tool: &str| {
                let selects =
                    |matcher: &str| ["", "*", ".*"].contains(&matcher) || matcher.split('|').any(|word| word == tool);
                commands.iter().any(|(event, matcher)| tells(tool, event) && selects(matcher))
            };
            let event = from.events().find(|event| file.contains(&format!("\"{}\"", event.name))).unwrap();
            let names = if event.tools.is_empty() { word.into_iter().collect() } else { event.tools.to_vec() };
            let judged: Vec<&str> =
                from.tools().filter(|tool| names.contains(&tool.name)).flat_map(|tool| tool.judged_as()).collect();
            let everything = judged.is_empty() && !names.contains(&"mcp");
            // As a regular expression, a name is found in those of servers' tools too.
            let of_any = event.tools.is_empty() && from.place.matcher.is_some() && !from.place.exact;
            for tool in to.tools().filter(|tool| everything || tool.judged_as().any(|tool| judged.contains(&tool))) {
                let told = format!("{} {word:?} to {} at `{}`: {commands:?}", from.name, to.name, tool.name);
                assert!(is_asked(tool.name), "{told}");
                asked += 1;
            }
            if everything || of_any || names.contains(&"mcp") {
                let of_servers = |(event, matcher): &(String, String)| {
                    let selects = |word| ["", "*", ".*"].contains(&word) || to.place.mcp == Some(word);
                    tells("mcp", event) && matcher.split('|').any(selects)
                };
                assert!(commands.iter().any(of_servers), "{} {word:?} to {}: {commands:?}", from.name, to.name);
            }
        }
    }
    assert!(asked > 3000, "{asked}");
}

/// A file of one host, a place in that of the other, what stands there, and what is told to be lost. Without a place, nothing is
/// left.
const CONVERTED: &str = r#"
qwen claude ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "timeout": 30}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 30 ;;
qwen claude ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "timeout": 20000}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 20 ;;
claude qwen ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "timeout": 0.5}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 1000 ;;
gemini claude ;; {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./g.sh", "timeout": 5000}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 5 ;;
claude droid ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 600 ;;
claude codex ;; {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/UserPromptSubmit/0/hooks/0/timeout ;; 30 ;;
gemini claude ;; {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 60 ;;
windsurf claude ;; {"version": 1, "hooks": {"pre_run_command": [{"type": "command", "command": "./g.sh"}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 600 ;; nobody knows
kiro claude ;; {"version": "v1", "hooks": [{"name": "x", "trigger": "PreToolUse", "action": {"type": "command", "command": "./g.sh"}, "timeout": 0}]} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 600 ;; a timeout of 0
kiro claude ;; {"version": 1, "hooks": {"preToolUse": [{"command": "./g.sh", "timeout_ms": 20000}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 20 ;;
kiro claude ;; {"version": 1, "hooks": {"preToolUse": [{"command": "./g.sh"}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 10 ;;
claude windsurf ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/pre_write_code/0/command ;; "./g.sh" ;; timeout of 600 s
claude codex ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "timeout": "5"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 600 ;; timeout of "5"
gemini codex ;; {"hooks": {"BeforeTool": [{"hooks": [{"command": "./g.sh", "timeout": 2500}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 3 ;;
claude goose ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "./g.sh", "timeout": 0.2}]}]}} ;; /hooks/PreToolUse/0/hooks/0/timeout ;; 1 ;;
claude gemini ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "./g.sh", "timeout": 1e308}]}]}} ;; /hooks/BeforeTool/0/hooks/0/timeout ;; 600000 ;; 308, which is 600 s
# Tools, also where the event says which.
claude droid ;; {"hooks": {"PreToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/PreToolUse/0/matcher ;; "Create|Write|ApplyPatch|Edit|MultiEdit" ;;
codex claude ;; {"hooks": {"PreToolUse": [{"matcher": "apply_patch", "hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/PreToolUse/0/matcher ;; "Write|Edit|MultiEdit|NotebookEdit" ;;
windsurf claude ;; {"version": 1, "hooks": {"pre_write_code": [{"type": "command", "command": "./g.sh"}]}} ;; /hooks/PreToolUse/0/matcher ;; "Write|Edit|MultiEdit|NotebookEdit" ;; nobody knows
windsurf codex ;; {"version": 1, "hooks": {"pre_mcp_tool_use": [{"type": "command", "command": "./g.sh"}]}} ;; /hooks/PreToolUse/0/matcher ;; "mcp__.*" ;; nobody knows
cursor claude ;; {"version": 1, "hooks": {"beforeShellExecution": [{"command": "./g.sh", "matcher": "rm "}]}} ;; /hooks/PreToolUse/0/matcher ;; "Bash|PowerShell" ;; the matcher `rm `
cursor claude ;; {"version": 1, "hooks": {"beforeReadFile": [{"command": "./g.sh"}]}} ;; /hooks/PreToolUse/0/matcher ;; "Read" ;;
claude windsurf ;; {"hooks": {"PreToolUse": [{"matcher": "Grep", "hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/pre_read_code/0/command ;; "./g.sh" ;; the matcher `Grep`
claude codex ;; {"hooks": {"PreToolUse": [{"matcher": 5, "hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/PreToolUse/0/matcher ;; "*" ;; the matcher `5`
droid claude ;; {"hooks": {"PreToolUse": [{"matcher": "Execute", "commandRegex": "rm", "hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/PreToolUse/0/matcher ;; "Bash|PowerShell|mcp__.*" ;; the key `commandRegex`
gemini claude ;; {"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/PostToolUseFailure/0/hooks/0/command ;; "./g.sh" ;; Claude Code keeps the result there
claude droid ;; {"hooks": {"PostToolUseFailure": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/PostToolUse/0/hooks/0/command ;; "./g.sh" ;;
codex claude ;; {"hooks": {"PostToolUse": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/PostToolUseFailure/0/hooks/0/command ;; "./g.sh" ;; Claude Code keeps the result there
codex claude ;; {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/PreToolUse/0/matcher ;; "Bash|PowerShell" ;;
gemini claude ;; {"hooks": {"BeforeTool": [{"matcher": "write_file", "hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/PreToolUse/0/matcher ;; "Write|mcp__.*" ;; may select tools of servers
goose antigravity ;; {"hooks": {"PreToolUse": [{"matcher": "shell|write", "hooks": [{"command": "./g.sh"}]}]}} ;; /converted/PreToolUse/0/matcher ;; "*" ;; the command runs at every call
kiro windsurf ;; {"version": "v1", "hooks": [{"trigger": "PreToolUse", "matcher": "write", "action": {"command": "./g.sh"}}]} ;; /hooks/pre_mcp_tool_use/0/command ;; "./g.sh" ;; may select tools of servers
# Events that both hosts only tell, and answers that one of them does not hear.
claude claude ;; {"hooks": {"SubagentStop": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/SubagentStop/0/hooks/0/command ;; "./g.sh" ;;
claude qwen ;; {"hooks": {"SubagentStop": [{"matcher": "Explore", "hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/SubagentStop/0/hooks/0/command ;; "./g.sh" ;; the matcher `Explore`
claude cursor ;; {"hooks": {"SubagentStop": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/subagentStop/0/command ;; "./g.sh" ;;
claude goose ;; {"hooks": {"SubagentStop": [{"hooks": [{"command": "./g.sh"}]}]}} ;;  ;; null ;; `SubagentStop`: goose has no event for it
claude droid ;; {"hooks": {"PostToolUse": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/PostToolUse/0/hooks/0/command ;; "./g.sh" ;; `PostToolUse`: Droid keeps the result there
claude vscode ;; {"hooks": {"PostToolUse": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/PostToolUse/0/command ;; "./g.sh" ;; VS Code keeps the result there
claude cursor ;; {"hooks": {"PostToolUse": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/postToolUse/0/command ;; "./g.sh" ;; Cursor keeps the result there
claude codex ;; {"hooks": {"PostToolUse": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/PostToolUse/0/hooks/0/command ;; "./g.sh" ;;
# Keys count where their host reads them, and nowhere else.
claude gemini ;; {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "./g.sh", "matcher": "Read"}]}]}} ;; /hooks/BeforeTool/0/matcher ;; "run_shell_command" ;; the key `matcher`
claude gemini ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "./g.sh", "action": {"command": "true"}}]}]}} ;; /hooks/BeforeTool/0/hooks/0/command ;; "./g.sh" ;; the key `action`
claude gemini ;; {"hooks": {"PreToolUse": [{"timeout": 1, "hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/BeforeTool/0/hooks/0/timeout ;; 600000 ;; the key `timeout`
claude gemini ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "./g.sh", "timeoutSec": 1}]}]}} ;; /hooks/BeforeTool/0/hooks/0/timeout ;; 600000 ;; the key `timeoutSec`
claude gemini ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "./g.sh", "enabled": false}]}]}} ;; /hooks/BeforeTool/0/hooks/0/command ;; "./g.sh" ;; the key `enabled`
claude gemini ;; {"hooks": {"enabled": false, "PreToolUse": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/BeforeTool/0/hooks/0/command ;; "./g.sh" ;; `enabled`: it is not a list
claude gemini ;; {"hooksConfig": {"disabled": ["./g.sh"]}, "hooks": {"PreToolUse": [{"hooks": [{"command": "./g.sh"}]}]}} ;; /hooks/BeforeTool/0/hooks/0/command ;; "./g.sh" ;;
claude gemini ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "./g.sh", "bash": "true", "failClosed": true}]}]}} ;; /hooks/BeforeTool/0/hooks/0/command ;; "./g.sh" ;; the key `bash`
codex claude ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "./g.sh", "args": ["x"]}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "./g.sh" ;; the key `args`
copilot claude ;; {"version": 1, "hooks": {"preToolUse": [{"bash": "./g.sh --x", "args": ["y"], "cwd": "z", "timeout": 7}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "./g.sh --x" ;; the key `cwd`
kiro claude ;; {"version": "v1", "hooks": [{"trigger": "PreToolUse", "command": "true", "timeout_ms": 1, "timeout": 9, "action": {"command": "./g.sh", "timeout": 1}}]} ;; /hooks/PreToolUse/0/hooks/0 ;; {"type": "command", "command": "./g.sh", "timeout": 9} ;; the key `timeout_ms`
# What becomes of a failure.
claude goose ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "onFailure": "block"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/on_failure ;; "block" ;;
claude goose ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "onFailure": "allow"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/on_failure ;; null ;;
goose claude ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "on_failure": "allow"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/onFailure ;; null ;;
cursor claude ;; {"version": 1, "hooks": {"preToolUse": [{"command": "./g.sh", "failClosed": false}]}} ;; /hooks/PreToolUse/0/hooks/0/onFailure ;; null ;;
copilot claude ;; {"version": 1, "hooks": {"preToolUse": [{"type": "command", "command": "./g.sh"}]}} ;; /hooks/PreToolUse/0/hooks/0/onFailure ;; "block" ;;
claude copilot ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "onFailure": "block"}]}]}} ;; /hooks/preToolUse/0/bash ;; "./g.sh" ;;
claude codex ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "onFailure": "block"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "./g.sh" ;; a failure of the command opens
claude copilot ;; {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;; /hooks/userPromptSubmitted/0/bash ;; "./g.sh" ;; goes on there
# Commands.
claude codex ;; {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh", "args": ["a b", "$NAME"]}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "./g.sh 'a b' '$NAME'" ;;
copilot claude ;; {"version": 1, "hooks": {"preToolUse": [{"type": "command", "exec": "my guard", "args": ["x"]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "'my guard' x" ;;
claude gemini ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "echo $NAME $TIME $EVENT"}]}]}} ;; /hooks/BeforeTool/0/hooks/0/command ;; "echo $NAME $TIME $EVENT" ;;
droid claude ;; {"PreToolUse": [{"hooks": [{"command": "./g.sh"}]}]} ;; /hooks/PreToolUse/0/hooks/0/command ;; "./g.sh" ;;
claude claude ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "node", "args": ["${CLAUDE_PROJECT_DIR}/a b", "--in=${CLAUDE_PROJECT_DIR}", "${HOME}"]}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "node \"${CLAUDE_PROJECT_DIR}\"'/a b' --in=\"${CLAUDE_PROJECT_DIR}\" '${HOME}'" ;;
claude codex ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/g.js"]}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "node \"${CLAUDE_PLUGIN_ROOT}\"/g.js" ;; uses `$CLAUDE_PLUGIN_ROOT`, which Codex does not set
claude codex ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "\"$CLAUDE_PROJECT_DIR\"/g.sh"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "\"$CLAUDE_PROJECT_DIR\"/g.sh" ;; uses `$CLAUDE_PROJECT_DIR`, which Codex
claude gemini ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "\"$CLAUDE_PROJECT_DIR\"/g.sh $HOME"}]}]}} ;; /hooks/BeforeTool/0/hooks/0/command ;; "\"$CLAUDE_PROJECT_DIR\"/g.sh $HOME" ;;
goose claude ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "${PLUGIN_ROOT}/g.sh"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "${PLUGIN_ROOT}/g.sh" ;; uses `$PLUGIN_ROOT`, which Claude Code
# An entry of this crate answers the host that it is named to.
gemini claude ;; {"hooks": {"BeforeTool": [{"hooks": [{"command": "'/my bin/hooks' host gemini --event BeforeTool --rules r.json"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "'/my bin/hooks' host claude --event PreToolUse --rules r.json" ;;
claude cursor ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "cd x && hooks host claude --serve --event PreToolUse"}]}]}} ;; /hooks/preToolUse/0/command ;; "cd x && hooks host cursor --event preToolUse --serve" ;;
claude codex ;; {"hooks": {"Stop": [{"hooks": [{"command": "hooks host claude; true"}]}]}} ;; /hooks/Stop/0/hooks/0/command ;; "hooks host codex --event Stop; true" ;;
claude codex ;; {"hooks": {"PreToolUse": [{"hooks": [{"command": "./hooks host claudette"}]}]}} ;; /hooks/PreToolUse/0/hooks/0/command ;; "./hooks host claudette" ;;
# What is switched off, or is no command, is left out.
kiro claude ;; {"version": "v1", "hooks": [{"name": "x", "trigger": "PreToolUse", "action": {"type": "command", "command": "./g.sh"}, "enabled": false}]} ;;  ;; null ;; switched off
antigravity claude ;; {"x": {"enabled": false, "PreToolUse": [{"type": "command", "command": "./g.sh"}]}} ;;  ;; null ;; switched off
claude codex ;; {"disableAllHooks": true, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;;  ;; null ;; `disableAllHooks: true` switches
gemini claude ;; {"hooksConfig": {"enabled": false}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;;  ;; null ;; `hooksConfig.enabled: false`
gemini claude ;; {"hooksConfig": {"disabled": ["./g.sh"]}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}} ;;  ;; null ;; switched off
copilot claude ;; {"version": 1, "hooks": {"preToolUse": [{"type": "command", "powershell": "g.ps1"}]}} ;;  ;; null ;; without `command`
claude codex ;; {"hooks": {"PreToolUse": {}}} ;;  ;; null ;; not a list
claude codex ;; {"hooks": {"PreToolUse": ["x"]}} ;;  ;; null ;; not an object
codex claude ;; {"PreToolUse": []} ;;  ;; null ;; has no `hooks`
codex claude ;; {"hooks": {"PreToolUse": []}} ;;  ;; null ;; the file has no commands
"#;

#[test]
fn what_a_converted_file_does_otherwise_is_told() {
    let mut wrong = Vec::new();
    for line in CONVERTED.lines().filter(|line| line.contains(";;")) {
        let columns: Vec<&str> = line.split(";;").map(str::trim).collect();
        let [hosts, file, pointer, value, lost] = columns[..] else { panic!("{line}") };
        let (from, to) = hosts.split_once(' ').unwrap();
        let value: Value = serde_json::from_str(value).unwrap();
        let said = match convert(find(from).unwrap(), find(to).unwrap(), file) {
            Ok(said) => said,
            Err(problem) if pointer.is_empty() && problem.contains(lost) => continue,
            Err(problem) => {
                wrong.push(format!("{line}: {problem}"));
                continue;
            }
        };
        let there = said.file.pointer(pointer).cloned().unwrap_or_default();
        let same = there == value || there.as_f64().is_some_and(|there| Some(there) == value.as_f64());
        let told =
            if lost.is_empty() { said.lost.is_empty() } else { said.lost.iter().any(|said| said.contains(lost)) };
        if !same || !told || pointer.is_empty() {
            wrong.push(format!("{line}\n  {}\n  {:?}", said.file, said.lost));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_new_crate_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let crate_folder = folder.path().join("my-guards");
    scaffold(&crate_folder, Some(Path::new("/src/hook-sdk"))).unwrap();
    let manifest = fs::read_to_string(crate_folder.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("hooks-hosts = { path = \"/src/hook-sdk/hooks-hosts\" }"), "{manifest}");
    assert!(fs::read_to_string(crate_folder.join("src/main.rs")).unwrap().contains("`my-guards install claude`"));
    assert!(scaffold(&crate_folder, None).is_err());
    assert!(scaffold(&folder.path().join("1 bad name"), None).is_err());
}

/// A guard that no call ever reaches looks like one that works.
#[test]
fn hooks_that_no_host_ever_runs_are_refused_and_told() {
    let run = |folder: &Path, only: &str, args: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_hooks-hosts-fixture"));
        let program = program.args(args).current_dir(folder).env("HOME", folder);
        let said =
            program.env("HOOKS_STATE_DIR", folder.join("state")).env("HOOKS_FIXTURE_ONLY", only).output().unwrap();
        (said.status.code(), String::from_utf8(said.stdout).unwrap() + &String::from_utf8(said.stderr).unwrap())
    };
    let (before, failed) = ("before_tool_call", "after_tool_call_failure");
    for (only, host, code, told) in [
        ("nothing".to_owned(), "claude", 1, "the program has no hooks"),
        (
            format!("{before} bash|Reed|shell"),
            "claude",
            1,
            "the hook `only` never runs: no tool of Claude Code is called as in `tool bash|Reed|shell`",
        ),
        (format!("{before} run_shell_command"), "gemini", 1, "no tool of Gemini CLI is called"),
        (format!("{before} Bash|Reed"), "claude", 0, " at PreToolUse"),
        (format!("{before} mcp__github__push"), "codex", 0, " at PreToolUse"),
        (format!("{before} TodoWrite*"), "claude", 0, " at PreToolUse"),
        (format!("{before} Glob"), "codex", 0, "codex: the hook `only` never runs: Codex has no such tool"),
        // Only some hosts have an event of its own for a call that has failed.
        (format!("{failed} *"), "claude", 0, " at PostToolUseFailure"),
        (format!("{failed} *"), "droid", 0, " at PostToolUse"),
        (format!("{failed} *"), "gemini", 0, " at AfterTool"),
        (format!("{failed} *"), "antigravity", 0, " at PostToolUse"),
        (format!("{failed} *"), "cline", 0, " at PostToolUse"),
        (format!("{failed} *"), "codex", 1, "hooks at `after_tool_call_failure` never run: Codex has no such event"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (status, said) = run(folder.path(), &only, &["install", host]);
        assert_eq!(status, Some(code), "{only} at {host}: {said}");
        assert!(said.contains(told), "{only} at {host}: {said}");
        // What was installed with other hooks, doctor finds.
        let all = run(folder.path(), &format!("{before} *"), &["install", host]);
        assert_eq!(all.0, Some(0), "{}", all.1);
        let (status, said) = run(folder.path(), &only, &["doctor", host]);
        // Cline has a file for each event, so the others stay.
        let is_other = only.starts_with(failed) && host != "cline";
        assert_eq!(status, Some(if is_other { 1 } else { code }), "{only} at {host}: {said}");
        assert!(code == 0 || said.contains(told), "{only} at {host}: {said}");
    }
}

/// Whatever the events of a host are told as, its table says so.
#[test]
fn every_payload_is_of_a_kind_that_its_event_stands_for() {
    for case in cases() {
        let (host, event) = case.with(&case.stdin, |request| {
            let (host, event) = request.read().unwrap();
            (host.name, event)
        });
        if let Some(spec) =
            find(host).unwrap().event(&event.host_event).filter(|_| event.kind != HookPoint::ForeignHost)
        {
            assert!(spec.fires(event.kind), "{}/{}: {:?}", case.host, case.name, event.kind);
        }
    }
}

/// Both run the entries of one folder, and each reads its own answers only.
#[test]
fn copilot_and_vs_code_are_answered_in_their_own_words_by_the_entry_of_the_other() {
    let registry = Registry::empty();
    let keeps = Hook::at::<Stop>("keeps").reader(|_, _, ()| StopVerdict::continue_with("go on"));
    let never = Hook::at::<BeforeToolCall>("never").reader(|_, _, _| Permission::deny("never"));
    let silent = Hook::at::<UserPromptSubmit>("silent").reader(|_, _, _| PromptVerdict::block("not that"));
    for hook in [keeps, never, silent] {
        registry.register(hook).unwrap();
    }
    let hooks = Responder::new(registry).unwrap();
    let (copilot, vscode) = (find("copilot").unwrap(), find("vscode").unwrap());
    let answer = |request: &Request<'_>| hooks.respond_blocking(request).unwrap();
    let mut told = 0;
    for case in cases().iter().filter(|case| case.host == "vscode" && case.env.is_empty()) {
        let own = answer(&Request::new(vscode, &case.stdin));
        let kind = vscode.event(case.read["host_event"].as_str().unwrap()).unwrap().kind;
        let event = copilot.events().find(|event| event.kind == kind).unwrap().name;
        let through = answer(&Request::new(copilot, &case.stdin).event(event));
        assert_eq!((&own.stdout, own.exit), (&through.stdout, through.exit), "{}", case.name);
        told += 1;
    }
    assert!(told > 5, "{told}");
    // Whatever entry that is: the tool is one of VS Code's. At an event of another kind it is refused.
    let shell = case("vscode", "pre_tool.shell");
    let (own, through) = (answer(&Request::new(vscode, &shell.stdin)), answer(&Request::new(copilot, &shell.stdin)));
    assert_eq!(own.stdout, through.stdout);
    let refused = answer(&Request::new(copilot, &shell.stdin).event("agentStop"));
    assert!(format!("{refused:?}").contains("the payload is that of"), "{refused:?}");
}

/// What the host would ignore, or read in another way, is told.
#[test]
fn settings_that_keep_the_host_from_calling_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join(".claude/settings.json");
    fs::create_dir(settings.parent().unwrap()).unwrap();
    let twice = r#"{"hooks": {}, "hooks": {"PreToolUse": []}}"#;
    fs::write(&settings, twice).unwrap();
    let output = program(folder.path(), &["install", "claude"]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("twice"), "{output:?}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), twice);

    fs::write(&settings, r#"{"disableAllHooks": true}"#).unwrap();
    assert!(program(folder.path(), &["install", "claude"]).status.success());
    let output = program(folder.path(), &["doctor", "claude"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("/settings.json switches all hooks off"), "{output:?}");
}

/// The switch may stand in another file that the host reads, or at one entry.
#[test]
fn whatever_switches_an_entry_off_is_told() {
    let all = r#"{"disableAllHooks": true}"#;
    let cases = [
        ("claude", "project/.claude/settings.local.json", all, "`disableAllHooks: true`"),
        ("claude", ".claude/settings.json", all, "`disableAllHooks: true`"),
        ("gemini", ".gemini/settings.json", r#"{"hooksConfig": {"enabled": false}}"#, "`hooksConfig.enabled: false`"),
        ("gemini", "", r#"{"hooksConfig": {"disabled": ["hooks-hosts-fixture"]},"#, "`hooks-hosts-fixture`"),
        ("kiro", "", "false", "`enabled: false`"),
        ("antigravity", "", "false", "`enabled: false`"),
    ];
    for (host, file, off, said) in cases {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        fs::create_dir(&project).unwrap();
        let run = |command: &str| program_of(home.path(), &project, &[command, host]);
        let told = || String::from_utf8_lossy(&[run("doctor").stdout, run("doctor").stderr].concat()).contains(said);
        assert!(run("install").status.success() && !told(), "{host}");
        let own = project.join(match host {
            "kiro" => ".kiro/hooks/hooks-hosts-fixture.json".to_owned(),
            "antigravity" => ".agents/hooks.json".to_owned(),
            name => format!(".{name}/settings.json"),
        });
        let text = fs::read_to_string(&own).unwrap();
        match off {
            "false" if host == "kiro" => {
                fs::write(&own, text.replacen("\"enabled\": true", "\"enabled\": false", 1)).unwrap();
            }
            "false" => {
                fs::write(&own, text.replacen("\"PreToolUse\"", "\"enabled\": false, \"PreToolUse\"", 1)).unwrap();
            }
            _ if file.is_empty() => fs::write(&own, text.replacen('{', off, 1)).unwrap(),
            _ => {
                let file = home.path().join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, off).unwrap();
            }
        }
        assert!(told() && !run("doctor").status.success(), "{host} {file}: {:?}", run("doctor"));
        // The word of the project stands before that of the person.
        if file == ".claude/settings.json" {
            fs::write(&own, text.replacen('{', "{\"disableAllHooks\": false,", 1)).unwrap();
            assert!(!told() && run("doctor").status.success());
        }
    }
}

/// Whoever copies a guard of the new crate copies one that fails closed.
#[test]
fn guards_of_a_new_crate_deny_what_they_cannot_read() {
    let agent = AgentDef::new("guards").hooks(["no_push", "ask_for_ci"]);
    let hooks = Registry::discover().unwrap().scope(&agent, None).unwrap();
    let ran = |tool: &str, input: Value| {
        let call = ToolCall::new("call_1", tool, ToolInput::from(input));
        let result = hooks.tool_call(&HookContext::new(), &call).run_blocking(|_| "ran").unwrap();
        result.text() == "ran"
    };
    for (tool, field) in [("Bash", "command"), ("Edit", "file_path")] {
        assert!(ran(tool, json!({ field: "ls" })), "{tool}");
        for input in [json!({}), json!({ field: 7 }), json!({ field: null }), json!({ field: ["ls"] }), json!("ls")] {
            assert!(!ran(tool, input.clone()), "{tool} {input}");
        }
    }
}

/// Hooks that count calls by their id must not take all for one.
#[test]
fn a_call_to_which_the_host_gives_no_id_has_one_of_its_own() {
    let ids = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&ids);
    let registry = hook_sdk::Registry::empty();
    let keeps = Hook::at::<BeforeToolCall>("keeps").reader(move |_, event: &BeforeToolCall, _| {
        kept.lock().unwrap().push(event.call.id.clone());
        Permission::NoOpinion
    });
    registry.register(keeps).unwrap();
    let responder = Responder::new(registry).unwrap();
    let gates = || cases().into_iter().filter(|case| case.read["kind"] == "before_tool_call");
    let mut own = Vec::new();
    for case in gates().chain(gates()) {
        case.with(&case.stdin, |request| responder.respond_blocking(request).unwrap());
        let mut ids = std::mem::take(&mut *ids.lock().unwrap());
        ids.dedup();
        // Every part of a call has its id.
        assert!(ids.len() <= 1 && ids.iter().all(|id| !id.is_empty()), "{}/{}: {ids:?}", case.host, case.name);
        own.extend(ids.into_iter().filter(|id| id.starts_with("call-")));
    }
    let count = own.len();
    own.sort();
    own.dedup();
    assert!(own.len() == count && count > 20, "{count} calls, {} ids", own.len());
}

#[test]
fn doctor_tells_what_another_host_reads_too_and_how_old_its_facts_are() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = ["claude", "cursor", "copilot", "vscode"];
    let installed = program(folder.path(), &[&["install"][..], &hosts].concat());
    assert!(installed.status.success(), "{installed:?}");
    let shell = case("cursor", "pre_tool.shell");
    let mut asked = Command::new(env!("CARGO_BIN_EXE_hooks-hosts-fixture"));
    asked.args(shell.args()).env("HOOKS_STATE_DIR", folder.path().join("state")).stdin(Stdio::piped());
    let mut asked = asked.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut asked.stdin.take().unwrap(), &shell.stdin).unwrap();
    asked.wait().unwrap();
    let doctor = |host: &str| {
        let output = program(folder.path(), &["doctor", host]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for (host, other) in [("claude", "cursor"), ("cursor", "claude"), ("copilot", "vscode"), ("vscode", "copilot")] {
        let said = doctor(host);
        assert!(said.contains(&format!("installed for {other} too: ")), "{said}");
        let table = find(host).unwrap();
        assert!(said.contains(&format!("facts about {}: {}", table.title, table.facts)), "{said}");
        assert!(table.facts.contains("2026"), "no date in {}", table.facts);
    }
    let payload: Value = serde_json::from_slice(&shell.stdin).unwrap();
    let version = payload["cursor_version"].as_str().unwrap();
    assert!(doctor("cursor").contains(&format!(", version {version}")), "{}", doctor("cursor"));
    // Alone, nobody else reads its file.
    assert!(program(folder.path(), &["uninstall", "cursor"]).status.success());
    assert!(!doctor("claude").contains("too: "), "{}", doctor("claude"));
}

/// An entry of the program at this path.
#[cfg(unix)]
fn entry_of(folder: &Path, program: &Path) {
    let claude = find("claude").unwrap();
    let gate = |kind| kind == hooks_hosts::HookPoint::BeforeToolCall;
    hooks_hosts::Installation::project(folder, program).install(claude, &gate).unwrap();
}

#[cfg(unix)]
#[test]
fn doctor_finds_a_program_that_has_moved_and_one_that_does_not_answer() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let before = folder.path().join("old place").join("hooks-hosts-fixture");
    let doctor = |deadline: &str| {
        let output = program(folder.path(), &["doctor", "claude", "--deadline", deadline]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    entry_of(folder.path(), &before);
    let said = doctor("60");
    assert!(said.contains("old place") && said.contains("there is no such program; run `install` again"), "{said}");
    // Something at its place is not run: nobody may have reviewed the file that names it.
    fs::create_dir(before.parent().unwrap()).unwrap();
    fs::write(&before, "#!/bin/sh\ntouch \"$0.ran\"\n").unwrap();
    fs::set_permissions(&before, fs::Permissions::from_mode(0o755)).unwrap();
    let said = doctor("60");
    assert!(
        said.contains("it is another program, which was not run") && !before.with_extension("ran").exists(),
        "{said}"
    );
    // `install` puts the program that runs in its place.
    assert!(program(folder.path(), &["install", "claude"]).status.success());
    let said = doctor("0.0001");
    assert!(said.contains("did not answer within 0.0001 seconds, and the host would go on"), "{said}");
    let output = program(folder.path(), &["doctor", "claude"]);
    assert!(output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("old place"), "{output:?}");
}
